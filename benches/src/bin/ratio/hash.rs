//! `ratio hash`: one slice in memory, hashed by one thread, by rayon, and by ours, at many lengths.

use core::fmt::Write as _;
use core::hint::black_box;
use core::num::NonZeroU32;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};

use chunkmill::{Gate, Objective, Pool, hash_slice};
use chunkmill_benches::chart::{Chart, Line};
use chunkmill_benches::data::Data;
use chunkmill_benches::harness::interleave;
use chunkmill_benches::repeat::{repeated, times_within};
use chunkmill_benches::size::Size;
use chunkmill_benches::stats::Spread;
use chunkmill_benches::table::{Align, Table};
use chunkmill_core::{ChunkId, IdKey};
use chunkmill_measure::peers::KEY;
use chunkmill_measure::peers::hash::{Rayon, blake3_keyed};

use crate::{RatioError, Report};

/// One slice in memory under a key, with 2 threads: `keyed_hash`, `update_rayon`, and `hash_slice` behind its gate.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shortest slice.
    #[arg(long, default_value = "4KiB")]
    from: Size,
    /// Longest slice.
    #[arg(long, default_value = "4MiB")]
    to: Size,
    /// Distance of two lengths. Lengths just below powers of two are measured too, and all of them again with an odd tail.
    #[arg(long, default_value = "16KiB")]
    step: Size,
    /// Rounds that count; one more before them warms up.
    #[arg(long, default_value = "21")]
    rounds: NonZeroU32,
    /// Milliseconds of hashing in each round: short, so that a bad moment of the machine is over soon.
    #[arg(long, default_value_t = 2)]
    window: u64,
    /// Threads of ours; rayon uses what its own variable says, or all CPUs.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Where to write all figures.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Where to draw them.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Seed of the data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The figures of one length, each against one thread.
#[derive(Clone, Copy)]
struct Point {
    len: usize,
    ours: Ratios,
    rayon: Ratios,
}

/// How many times as fast, and how many times the CPU time.
#[derive(Clone, Copy)]
struct Ratios {
    speed: f64,
    cpu: f64,
}

const TAIL: usize = 777;

pub(crate) fn run(args: &Args) -> Result<Report, RatioError> {
    let whole = |size: Size| usize::try_from(size.bytes()).map_err(|_| RatioError::TooLarge { size: size.to_string() });
    let (from, to, step) = (whole(args.from)?, whole(args.to)?, whole(args.step)?);
    let data = Data::Random.bytes(args.seed, to + TAIL);
    let lens = lens(from, to, step);
    let points = Pool::scope(args.threads, |pool| {
        let measure = |(index, &len): (usize, &usize)| {
            if index % 64 == 0 {
                eprintln!("{} of {} lengths ...", index, lens.len());
            }
            point(args, pool, data.get(..len).unwrap_or_default(), args.rounds)
        };
        let mut points = lens.iter().enumerate().map(measure).collect::<Result<Vec<Point>, RatioError>>()?;
        again(args, pool, &data, &mut points)?;
        Ok::<_, RatioError>(points)
    })?;
    if let Some(path) = &args.csv {
        write(path, &csv(&points))?;
    }
    if let Some(path) = &args.svg {
        write(path, &chart(&points))?;
    }
    let gate = Gate::new(Objective::default());
    let method = format!(
        "one slice, keyed, {} lengths from {} to {}, aligned and with {TAIL} bytes more; {} threads, gate at {} KiB; medians of \
         {} interleaved rounds of {} ms, and of three times as many for the eighth of the lengths that looks worst\n\
         all against keyed_hash on one thread: speed above 1 is faster, CPU above 1 is more work; ids checked to be the same",
        points.len(),
        args.from,
        args.to,
        args.threads,
        gate.threshold() >> 10,
        args.rounds,
        args.window
    );
    Ok(Report { method, table: table(&points) })
}

/// Multiples of the step, and 16, 48 and 112 KiB below powers of two; each with and without a tail.
fn lens(from: usize, to: usize, step: usize) -> Vec<usize> {
    let steps = (from..=to).step_by(step).chain((step..=to).step_by(step));
    let below = (0..usize::BITS - 1).flat_map(|log| [16, 48, 112].map(|kib| (1usize << log).saturating_sub(kib << 10)));
    let mut lens: Vec<usize> =
        steps.chain(below).filter(|len| (from..=to).contains(len)).flat_map(|len| [len, len + TAIL]).collect();
    lens.sort_unstable();
    lens.dedup();
    lens
}

/// Measures once more, with three times the rounds, the lengths that look worst: a machine that others use, too, has bad moments,
/// and a bad length is bad again.
fn again(args: &Args, pool: &Pool<'_, '_>, data: &[u8], points: &mut [Point]) -> Result<(), RatioError> {
    let rounds = args.rounds.saturating_mul(THRICE);
    let gate = usize::try_from(Gate::new(Objective::default()).threshold()).unwrap_or(usize::MAX);
    let mut split: Vec<&mut Point> = points.iter_mut().filter(|point| point.len >= gate).collect();
    split.sort_by(|one, other| one.ours.speed.total_cmp(&other.ours.speed));
    let worst = split.len() / 8;
    for (index, point_again) in split.into_iter().take(worst).enumerate() {
        if index % 16 == 0 {
            eprintln!("{index} of the {worst} worst lengths again ...");
        }
        *point_again = point(args, pool, data.get(..point_again.len).unwrap_or_default(), rounds)?;
    }
    Ok(())
}

const THRICE: NonZeroU32 = NonZeroU32::new(3).expect("not 0");

fn point(args: &Args, pool: &Pool<'_, '_>, bytes: &[u8], rounds: NonZeroU32) -> Result<Point, RatioError> {
    let key = IdKey::from_bytes(KEY);
    let gate = Gate::new(Objective::default());
    let runs = times_within(Duration::from_millis(args.window), || key.id_of(bytes));
    let subjects = vec![
        repeated("keyed_hash", runs, || ChunkId::from_bytes(blake3_keyed(black_box(bytes)))),
        repeated("ours", runs, || hash_slice(pool, gate, &key, black_box(bytes))),
        repeated("rayon", runs, || ChunkId::from_bytes(Rayon::blake3_keyed(black_box(bytes)))),
    ];
    let measured = interleave(rounds, subjects)?;
    let base = measured.first();
    let ratios = |index| match base.zip(measured.get(index)) {
        Some((base, subject)) => Ratios { speed: base.wall_ratio(subject).median, cpu: subject.cpu_ratio(base).median },
        None => Ratios { speed: 1.0, cpu: 1.0 },
    };
    Ok(Point { len: bytes.len(), ours: ratios(1), rayon: ratios(2) })
}

/// Lengths between two bars of the design: worst, median and best of each.
fn table(points: &[Point]) -> Table {
    let mut table = Table::new(&[
        ("length", Align::Right),
        ("lengths", Align::Right),
        ("ours, speed", Align::Right),
        ("ours, CPU", Align::Right),
        ("rayon, speed", Align::Right),
        ("rayon, CPU", Align::Right),
    ]);
    for (from, to) in [(0, 64), (64, 128), (128, 256), (256, 512), (512, 1024), (1024, 2048), (2048, usize::MAX >> 10)]
    {
        let range = from << 10..to << 10;
        let inside: Vec<Point> = points.iter().filter(|point| range.contains(&point.len)).copied().collect();
        if inside.is_empty() {
            continue;
        }
        let cell =
            |figure: fn(&Point) -> f64| format!("{:.2}", Spread::of(inside.iter().map(figure).collect::<Vec<f64>>()));
        let name = match (from, to) {
            (0, to) => format!("below {to} KiB"),
            (2048, _) => format!("from {from} KiB"),
            _ => format!("{from} to {to} KiB"),
        };
        table.row(vec![
            name,
            inside.len().to_string(),
            cell(|point| point.ours.speed),
            cell(|point| point.ours.cpu),
            cell(|point| point.rayon.speed),
            cell(|point| point.rayon.cpu),
        ]);
    }
    table
}

fn csv(points: &[Point]) -> String {
    let mut csv = "bytes,ours_speed,ours_cpu,rayon_speed,rayon_cpu\n".to_owned();
    for Point { len, ours, rayon } in points {
        let _ = writeln!(csv, "{len},{:.3},{:.3},{:.3},{:.3}", ours.speed, ours.cpu, rayon.speed, rayon.cpu);
    }
    csv
}

fn chart(points: &[Point]) -> String {
    let series =
        |figure: fn(&Point) -> f64| points.iter().map(|point| (point.len as f64 / 1024.0, figure(point))).collect();
    let chart = |title: &str, ours, rayon| Chart {
        title: title.to_owned(),
        x: "length in KiB (logarithmic)".to_owned(),
        y: "against one thread".to_owned(),
        lines: vec![
            Line { name: "chunkmill".to_owned(), points: ours },
            Line { name: "update_rayon".to_owned(), points: rayon },
        ],
    };
    chunkmill_benches::chart::draw(&[
        chart("Speed: higher is better", series(|point| point.ours.speed), series(|point| point.rayon.speed)),
        chart("CPU time: lower is better", series(|point| point.ours.cpu), series(|point| point.rayon.cpu)),
    ])
}

fn write(path: &Path, text: &str) -> Result<(), RatioError> {
    fs::write(path, text).map_err(|source| RatioError::Figure { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_cover_the_range_and_its_worst_places() {
        let lens = lens(4 << 10, 4 << 20, 16 << 10);
        assert_eq!(lens.first(), Some(&(4 << 10)));
        assert!(lens.windows(2).all(|pair| pair[0] < pair[1]));
        for len in [16 << 10, 4 << 20, (1 << 20) - (16 << 10), (2 << 20) - (48 << 10), (1 << 19) - (112 << 10)] {
            assert!(lens.contains(&len) && lens.contains(&(len + TAIL)), "{len}");
        }
    }
}
