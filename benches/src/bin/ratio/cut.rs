//! `ratio cut`: the speed of cutting alone.

use core::error::Error;
use core::num::NonZeroU32;

use chunkmill_benches::data::Data;
use chunkmill_benches::harness::{Measured, Subject, interleave};
use chunkmill_benches::params::published;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::cut::{cutter_pushes, cutter_slice, gearhash_scan};
use chunkmill_benches::table::{Align, Table};
use chunkmill_benches::tally::Tally;
use chunkmill_core::ChunkParams;
use chunkmill_measure::peers::cut::fastcdc_slice;

use crate::{RatioError, Report, ratio_cell};

const PUSH_LEN: usize = 64 << 10;

/// Cut points only: data in memory, one thread, against fastcdc's slice mode.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Bytes cut in a run.
    #[arg(long, default_value = "128MiB")]
    size: Size,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "9")]
    rounds: NonZeroU32,
    /// Average chunk sizes; min is a quarter and max four times as much (8 KiB: 2 and 64 KiB).
    #[arg(long, value_delimiter = ',', default_value = "8KiB,64KiB,2MiB")]
    avg: Vec<Size>,
    /// Kinds of data.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "random,text,zeros,periodic")]
    data: Vec<Data>,
    /// Seed of the data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    // Every set is checked before any time is spent on the first.
    let sets = args
        .avg
        .iter()
        .map(|&avg| published(avg).map_err(|source| RatioError::Params { avg: avg.to_string(), source }))
        .collect::<Result<Vec<ChunkParams>, RatioError>>()?;
    let len = usize::try_from(args.size.bytes()).map_err(|_| RatioError::TooLarge { size: args.size.to_string() })?;

    let mut table = Table::new(&[
        ("data", Align::Left),
        ("avg", Align::Right),
        ("cutter", Align::Left),
        ("GB/s", Align::Right),
        ("speed / fastcdc", Align::Right),
        ("CPU / fastcdc", Align::Right),
        ("chunks", Align::Right),
    ]);
    for &data in &args.data {
        let bytes = data.bytes(args.seed, len);
        for (&params, avg) in sets.iter().zip(&args.avg) {
            eprintln!("{data}, avg {avg} ...");
            let measured = interleave(args.rounds, subjects(params, &bytes))?;
            add_rows(&mut table, data, *avg, &measured);
        }
    }
    let method = format!(
        "cut points only: {} in memory, 1 thread, medians of {} interleaved rounds (least..greatest); GB = 10^9 bytes\n\
         speed above 1 is faster than fastcdc, CPU below 1 is less work; chunks and cut points checked to be the same\n\
         gearhash scans every byte, skips no minimum and cuts nothing at a maximum: a raw scan, not a chunker",
        args.size, args.rounds
    );
    Ok(Report { method, table })
}

fn subjects(params: ChunkParams, bytes: &[u8]) -> Vec<Subject<'_, Tally>> {
    let subject = |name: &str, work: fn(ChunkParams, &[u8]) -> Tally| {
        Subject::new(name, move || Ok::<_, Box<dyn Error>>(work(params, bytes)))
    };
    vec![
        subject("fastcdc slice", fastcdc_slice),
        subject("ours, slice", cutter_slice),
        subject("ours, 64 KiB pushes", |params, bytes| cutter_pushes(params, bytes, PUSH_LEN)),
        subject("gearhash raw scan", gearhash_scan).with_own_result(),
    ]
}

fn add_rows(table: &mut Table, data: Data, avg: Size, measured: &[Measured<Tally>]) {
    table.gap();
    let Some(base) = measured.first() else { return };
    for (index, subject) in measured.iter().enumerate() {
        // Speeds are inverse to times: so many times as fast as the base.
        let speed_ratio = base.wall_ratio(subject);
        table.row(vec![
            data.to_string(),
            avg.to_string(),
            subject.name.clone(),
            format!("{:.2}", subject.result.bytes as f64 / 1e9 / subject.wall().median),
            ratio_cell(index, speed_ratio),
            ratio_cell(index, subject.cpu_ratio(base)),
            subject.result.chunks.to_string(),
        ]);
    }
}
