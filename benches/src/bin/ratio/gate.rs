//! `ratio gate`: what the threshold is worth, on whole runs: none, the one in use, and twice that.

use core::num::NonZeroU32;
use std::env;
use std::path::PathBuf;

use chunkmill::{Gate, Pool};
use chunkmill_benches::data::{Data, warm_file};
use chunkmill_benches::harness::{Measured, Subject, interleave};
use chunkmill_benches::params::around;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::chunks::hashed_one_by_one;
use chunkmill_benches::subject::pack::ours;
use chunkmill_benches::table::{Align, Table};
use chunkmill_benches::tally::Tally;

use crate::{RatioError, Report, ratio_cell};

/// A full pack, and chunks hashed one by one, without helpers, from the gate's threshold on, and from twice that.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Bytes of each run.
    #[arg(long, default_value = "256MiB")]
    size: Size,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "9")]
    rounds: NonZeroU32,
    /// Average chunk sizes.
    #[arg(long, value_delimiter = ',', default_value = "64KiB,256KiB,2MiB")]
    avg: Vec<Size>,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Threshold; the other is twice that [default: the one of the balanced objective].
    #[arg(long)]
    threshold: Option<Size>,
    /// Directory for files, which are gone afterwards [default: the system's for temporary files].
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    let once = args.threshold.map_or_else(|| Gate::default().threshold(), Size::bytes);
    let gates = [("no helpers", u64::MAX), ("threshold 1x", once), ("threshold 2x", once.saturating_mul(2))]
        .map(|(name, threshold)| (name, Gate::default().with_threshold(threshold)));
    let mut table = Table::new(&[
        ("avg", Align::Right),
        ("what", Align::Left),
        ("wall s", Align::Right),
        ("CPU-s", Align::Right),
        ("wall / none", Align::Right),
        ("CPU / none", Align::Right),
        ("chunks", Align::Right),
    ]);
    let len = usize::try_from(args.size.bytes()).map_err(|_| RatioError::TooLarge { size: args.size.to_string() })?;
    let bytes = Data::Random.bytes(1, len);
    let dir = args.dir.clone().unwrap_or_else(env::temp_dir);
    let file_error = |source| RatioError::File { dir: dir.clone(), source };
    let from = warm_file(&dir, Data::Text, 1, args.size.bytes()).map_err(file_error)?;
    let to = tempfile::tempfile_in(&dir).map_err(file_error)?;
    for &avg in &args.avg {
        eprintln!("avg {avg} ...");
        let params = around(avg).map_err(|source| RatioError::Params { avg: avg.to_string(), source })?;
        let measured = Pool::scope(args.threads, |pool| {
            let (bytes, from, to) = (&bytes, &from, &to);
            let one_by_one = gates.map(|(name, gate)| {
                Subject::new(format!("hash one by one, {name}"), move || {
                    Ok(hashed_one_by_one(params, bytes, pool, gate))
                })
            });
            let one_by_one = interleave(args.rounds, one_by_one.into())?;
            let packs = gates.map(|(name, gate)| {
                let threads = if gate.threshold() == u64::MAX { 1 } else { args.threads };
                Subject::new(format!("pack text, {name}"), move || ours(params, from, to, threads, gate))
            });
            Ok::<_, RatioError>([one_by_one, interleave(args.rounds, packs.into())?])
        })?;
        measured.iter().for_each(|measured| add_rows(&mut table, avg, measured));
    }
    let method = format!(
        "gate: {} on {} threads, thresholds {} and {} KiB; medians of {} interleaved rounds (least..greatest)\n\
         hash one by one: random bytes in memory, cut on one thread, each chunk by hash_slice; pack: a file of text in the page \
         cache; ratios below 1 are less time than without helpers",
        args.size,
        args.threads,
        once >> 10,
        once >> 9,
        args.rounds
    );
    Ok(Report { method, table })
}

fn add_rows(table: &mut Table, avg: Size, measured: &[Measured<Tally>]) {
    table.gap();
    let Some(base) = measured.first() else { return };
    for (index, subject) in measured.iter().enumerate() {
        table.row(vec![
            avg.to_string(),
            subject.name.clone(),
            format!("{:.3}", subject.wall().median),
            format!("{:.3}", subject.cpu().median),
            ratio_cell(index, subject.wall_ratio(base)),
            ratio_cell(index, subject.cpu_ratio(base)),
            subject.result.chunks.to_string(),
        ]);
    }
}
