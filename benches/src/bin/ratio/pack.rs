//! `ratio pack`: a file packed into another, against the loop a developer would write first.

use core::num::NonZeroU32;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{env, io};

use chunkmill::Gate;
use chunkmill_benches::data::{Data, warm_file};
use chunkmill_benches::harness::{Subject, interleave};
use chunkmill_benches::params::around;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::pack::{ours, ours_verify};
use chunkmill_benches::table::Table;
use chunkmill_core::ChunkParams;
use chunkmill_measure::peers;
use chunkmill_measure::peers::hash::blake3_keyed;

use crate::scan::{COLUMNS, add_rows};
use crate::{RatioError, Report};

/// Packing a file in the page cache, against `StreamCDC` + `keyed_hash` + a set of ids + `lz4_flex::compress` + write.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Bytes of the file.
    #[arg(long, default_value = "256MiB")]
    size: Size,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "7")]
    rounds: NonZeroU32,
    /// Average chunk size; min is a quarter and max four times as much.
    #[arg(long, default_value = "2MiB")]
    avg: Size,
    /// Kinds of data.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "text,random")]
    data: Vec<Data>,
    /// Files to be packed besides: a tar of programs, say.
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Seed of the data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory for both files, which are gone afterwards [default: the system's for temporary files].
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    let avg = args.avg;
    let params = around(avg).map_err(|source| RatioError::Params { avg: avg.to_string(), source })?;
    let dir = args.dir.clone().unwrap_or_else(env::temp_dir);
    let file_error = |source| RatioError::File { dir: dir.clone(), source };
    let mut table = Table::new(&COLUMNS);
    for &data in &args.data {
        eprintln!("{data} ...");
        let from = warm_file(&dir, data, args.seed, args.size.bytes()).map_err(file_error)?;
        measure(args, params, &dir, &data.to_string(), &from, &mut table)?;
    }
    for path in &args.file {
        let name = path.display().to_string();
        eprintln!("{name} ...");
        let from = warmed(path).map_err(|source| RatioError::File { dir: path.clone(), source })?;
        measure(args, params, &dir, &name, &from, &mut table)?;
    }
    let method = format!(
        "pack: {} in a file, or a file given, page cache warm, into another file; verify: what was packed; medians of {} \
         interleaved rounds (least..greatest); MB = 10^6 bytes\n\
         naive: StreamCDC + keyed_hash + a set of ids + lz4_flex::compress + write, and read + decompress + keyed_hash; both \
         sides with the same build of lz4_flex; ratios below 1 are less time; the numbers of chunks are checked to be the same",
        args.size, args.rounds
    );
    Ok(Report { method, table })
}

fn measure(
    args: &Args,
    params: ChunkParams,
    dir: &Path,
    data: &str,
    from: &File,
    table: &mut Table,
) -> Result<(), RatioError> {
    let file_error = |source| RatioError::File { dir: dir.to_path_buf(), source };
    let (naive_pack, our_pack) =
        (tempfile::tempfile_in(dir).map_err(file_error)?, tempfile::tempfile_in(dir).map_err(file_error)?);
    let packing = |threads| {
        let our_pack = &our_pack;
        move || ours(params, from, our_pack, threads, Gate::default())
    };
    let subjects = vec![
        Subject::new(format!("pack {data}, naive"), || peers::pack::pack(params, from, &naive_pack, blake3_keyed)),
        Subject::new(format!("pack {data}, ours, 1 thread"), packing(1)),
        Subject::new(format!("pack {data}, ours, 2 threads"), packing(2)),
    ];
    add_rows(table, args.avg, &interleave(args.rounds, subjects)?);
    let verifying = |threads| {
        let our_pack = &our_pack;
        move || ours_verify(our_pack, threads)
    };
    let subjects = vec![
        Subject::new(format!("verify {data}, naive"), || peers::pack::verify(&naive_pack, blake3_keyed)),
        Subject::new(format!("verify {data}, ours, 1 thread"), verifying(1)),
        Subject::new(format!("verify {data}, ours, 2 threads"), verifying(2)),
    ];
    add_rows(table, args.avg, &interleave(args.rounds, subjects)?);
    Ok(())
}

/// A file that was read once, so that it lies in the page cache if there is room.
fn warmed(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    io::copy(&mut &file, &mut io::sink())?;
    Ok(file)
}
