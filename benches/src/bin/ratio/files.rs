//! `ratio files`: many small files, against the loop a developer would write first.

use core::num::NonZeroU32;
use std::env;
use std::path::PathBuf;

use chunkmill_benches::harness::{Subject, interleave};
use chunkmill_benches::params::around;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::files::{SmallFiles, naive, scanner};
use chunkmill_benches::table::Table;

use crate::scan::{COLUMNS, add_rows};
use crate::{RatioError, Report};

/// Scan of many small files in the page cache, against `StreamCDC` over each + `blake3::keyed_hash`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many files, of 1 to 64 KiB each.
    #[arg(long, default_value_t = 10_000)]
    count: usize,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "7")]
    rounds: NonZeroU32,
    /// Average chunk sizes; min is a quarter and max four times as much.
    #[arg(long, value_delimiter = ',', default_value = "64KiB,2MiB")]
    avg: Vec<Size>,
    /// Seed of lengths and data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory for the files, which are gone afterwards [default: the system's for temporary files].
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    let dir = args.dir.clone().unwrap_or_else(env::temp_dir);
    let files = SmallFiles::new(&dir, args.count, 1 << 10, 64 << 10, args.seed)
        .map_err(|source| RatioError::File { dir, source })?;
    let mut table = Table::new(&COLUMNS);
    for &avg in &args.avg {
        eprintln!("avg {avg} ...");
        let params = around(avg).map_err(|source| RatioError::Params { avg: avg.to_string(), source })?;
        let subjects = vec![
            Subject::new("naive: StreamCDC + keyed_hash", || naive(params, &files)),
            Subject::new("ours, 1 thread", || scanner(params, &files, 1)),
            Subject::new("ours, 2 threads", || scanner(params, &files, 2)),
        ];
        add_rows(&mut table, avg, &interleave(args.rounds, subjects)?);
    }
    let method = format!(
        "scan: {} files of 1 to 64 KiB of random data, page cache warm, medians of {} interleaved rounds (least..greatest); \
         MB = 10^6 bytes\n\
         ratios below 1 are less time than naive; chunks and ids checked to be the same",
        args.count, args.rounds
    );
    Ok(Report { method, table })
}
