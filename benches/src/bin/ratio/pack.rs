//! `ratio pack`: a file packed into another, against the loop a developer would write first.

use core::num::NonZeroU32;
use std::env;
use std::path::PathBuf;

use chunkmill_benches::data::Data;
use chunkmill_benches::harness::{Subject, interleave};
use chunkmill_benches::params::around;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::pack::{naive, ours};
use chunkmill_benches::subject::scan::warm_file;
use chunkmill_benches::table::Table;
use chunkmill_benches::tally::Tally;

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
        let to = tempfile::tempfile_in(&dir).map_err(file_error)?;
        let mine = |threads| {
            let (from, to) = (&from, &to);
            move || {
                let (chunks, bytes) = ours(params, from, to, threads)?;
                Ok(Tally { chunks, bytes, checksum: 0 })
            }
        };
        let subjects = vec![
            Subject::new(format!("{data}, naive"), || Ok(Tally { checksum: 0, ..naive(params, &from, &to)? })),
            Subject::new(format!("{data}, ours, 1 thread"), mine(1)),
            Subject::new(format!("{data}, ours, 2 threads"), mine(2)),
        ];
        add_rows(&mut table, avg, &interleave(args.rounds, subjects)?);
    }
    let method = format!(
        "pack: {} in a file, page cache warm, into another file, medians of {} interleaved rounds (least..greatest); \
         MB = 10^6 bytes\n\
         naive: StreamCDC + keyed_hash + a set of ids + lz4_flex::compress + write; ratios below 1 are less time; the numbers \
         of chunks are checked to be the same",
        args.size, args.rounds
    );
    Ok(Report { method, table })
}
