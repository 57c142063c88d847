//! `ratio scan`: a file read, cut and given ids, against the loop a developer would write first.

use core::num::NonZeroU32;
use std::env;
use std::path::PathBuf;

use chunkmill_benches::data::{Data, warm_file};
use chunkmill_benches::harness::{Measured, Subject, interleave};
use chunkmill_benches::params::around;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::scan::{scanner, two_scanners};
use chunkmill_benches::table::{Align, Table};
use chunkmill_benches::tally::Tally;
use chunkmill_core::ChunkParams;
use chunkmill_measure::peers::hash::blake3_keyed;
use chunkmill_measure::peers::scan::scan;

use crate::{RatioError, Report, ratio_cell};

const GIB: f64 = 1_073_741_824.0;

/// Scan of a file in the page cache, against `StreamCDC` over a `File` + `blake3::keyed_hash`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Bytes of the file; it must fit into the page cache, or the disk is measured.
    #[arg(long, default_value = "1GiB")]
    size: Size,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "7")]
    rounds: NonZeroU32,
    /// Average chunk sizes; min is a quarter and max four times as much.
    #[arg(long, value_delimiter = ',', default_value = "64KiB,2MiB")]
    avg: Vec<Size>,
    /// Kind of data.
    #[arg(long, value_enum, default_value_t = Data::Random)]
    data: Data,
    /// Seed of the data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory for the file, which has no name and is gone afterwards [default: the system's for temporary files].
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    // Every set is checked before any time is spent on the first.
    let sets = args
        .avg
        .iter()
        .map(|&avg| around(avg).map_err(|source| RatioError::Params { avg: avg.to_string(), source }))
        .collect::<Result<Vec<ChunkParams>, RatioError>>()?;
    let dir = args.dir.clone().unwrap_or_else(env::temp_dir);
    let file =
        warm_file(&dir, args.data, args.seed, args.size.bytes()).map_err(|source| RatioError::File { dir, source })?;

    let mut table = Table::new(&COLUMNS);
    for (&params, avg) in sets.iter().zip(&args.avg) {
        eprintln!("avg {avg} ...");
        let subjects = vec![
            Subject::new("naive: StreamCDC + keyed_hash", || scan(params, &file, blake3_keyed)),
            Subject::new("ours, 1 thread", || scanner(params, &file, 1)),
            Subject::new("ours, 2 threads", || scanner(params, &file, 2)),
            Subject::new("two of ours at once, each", || two_scanners(params, &file)),
        ];
        add_rows(&mut table, *avg, &interleave(args.rounds, subjects)?);
    }
    let method = format!(
        "scan: {} of {} data in a file, page cache warm, medians of {} interleaved rounds (least..greatest); MB = 10^6 bytes\n\
         ratios below 1 are less time than naive; chunks and ids checked to be the same",
        args.size, args.data, args.rounds
    );
    Ok(Report { method, table })
}

/// The columns of [`add_rows`].
pub(crate) const COLUMNS: [(&str, Align); 11] = [
    ("avg", Align::Right),
    ("scan", Align::Left),
    ("wall s", Align::Right),
    ("CPU-s", Align::Right),
    ("CPU-s/GiB", Align::Right),
    ("MB/s", Align::Right),
    ("wall / naive", Align::Right),
    ("CPU / naive", Align::Right),
    ("wall / ours, 1 thread", Align::Right),
    ("CPU / ours, 1 thread", Align::Right),
    ("chunks", Align::Right),
];

pub(crate) fn add_rows(table: &mut Table, avg: Size, measured: &[Measured<Tally>]) {
    table.gap();
    let Some(base) = measured.first() else { return };
    let own = measured.get(1);
    for (index, subject) in measured.iter().enumerate() {
        // Both of two work at the same time, and the CPU time is that of both.
        let copies = if index == 3 { 2.0 } else { 1.0 };
        let bytes = subject.result.bytes as f64;
        let (wall, cpu) = (subject.wall().median, subject.cpu().median / copies);
        table.row(vec![
            avg.to_string(),
            subject.name.clone(),
            format!("{wall:.3}"),
            format!("{cpu:.3}"),
            format!("{:.3}", cpu * GIB / bytes),
            format!("{:.0}", bytes / 1e6 / wall),
            ratio_cell(index, subject.wall_ratio(base)),
            ratio_cell(index, subject.cpu_ratio(base).divided_by(copies)),
            own.filter(|_| index > 1).map(|own| format!("{:.2}", subject.wall_ratio(own))).unwrap_or_default(),
            own.filter(|_| index > 1)
                .map(|own| format!("{:.2}", subject.cpu_ratio(own).divided_by(copies)))
                .unwrap_or_default(),
            subject.result.chunks.to_string(),
        ]);
    }
}
