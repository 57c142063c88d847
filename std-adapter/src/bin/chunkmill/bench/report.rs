//! What `bench` prints: a table for people, or JSON.

use std::io::{self, Write};

use chunkmill_measure::harness::Measured;
use chunkmill_measure::machine::{Machine, instruction_sets, system};
use chunkmill_measure::stats::Spread;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;

const GIB: f64 = 1_073_741_824.0;

/// What a row says of what was done, before it was.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) section: &'static str,
    pub(super) what: String,
    /// Chunk size, data, length: what else decides about the speed.
    pub(super) parameters: String,
    /// Bytes handed over at once.
    pub(super) buffer_bytes: usize,
    pub(super) threads: usize,
    /// Bytes of each round.
    #[serde(skip)]
    pub(super) part: usize,
}

/// A row with its figures.
#[derive(Debug, Serialize)]
struct Entry {
    #[serde(flatten)]
    row: Row,
    bytes: u64,
    wall_s: f64,
    cpu_s: f64,
    mb_per_s: f64,
    cpu_s_per_gib: f64,
    /// The row that the ratios are to, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Against>,
}

#[derive(Debug, Serialize)]
struct Against {
    what: String,
    wall: Ratio,
    cpu: Ratio,
}

/// Over the rounds. Below 1 is less time.
#[derive(Debug, Serialize)]
struct Ratio {
    median: f64,
    least: f64,
    greatest: f64,
}

impl From<Spread> for Ratio {
    fn from(Spread { median, min, max }: Spread) -> Self {
        Self { median, least: min, greatest: max }
    }
}

/// Where rows go: printed at once for people, and kept for JSON.
pub(super) struct Report {
    threads: usize,
    rounds: u64,
    json: bool,
    entries: Vec<Entry>,
    section: &'static str,
    begun: bool,
}

impl Report {
    pub(super) const fn new(threads: usize, rounds: u64, json: bool) -> Self {
        Self { threads, rounds, json, entries: Vec::new(), section: "", begun: false }
    }

    /// Adds a row with the figures of `subject`, and its ratios to `base`.
    pub(super) fn row<T>(
        &mut self,
        row: Row,
        subject: &Measured<T>,
        base: Option<&Measured<T>>,
    ) -> Result<(), Failure> {
        let total = subject.total();
        let (wall_s, cpu_s) = (total.wall.as_secs_f64(), total.cpu.as_secs_f64());
        let bytes = u64::try_from(row.part).unwrap_or(u64::MAX).saturating_mul(self.rounds);
        let size = as_float(bytes);
        let against = base.map(|base| Against {
            what: base.name.clone(),
            wall: subject.wall_ratio(base).into(),
            cpu: subject.cpu_ratio(base).into(),
        });
        let (mb_per_s, cpu_s_per_gib) = (size / 1e6 / wall_s, cpu_s * GIB / size);
        let entry = Entry { row, bytes, wall_s, cpu_s, mb_per_s, cpu_s_per_gib, against };
        if !self.json {
            self.print(&entry, &mut io::stdout()).map_err(|error| Failure::stdout(&error))?;
        }
        self.entries.push(entry);
        Ok(())
    }

    fn print(&mut self, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            writeln!(out, "{}; {}", Machine::detect(), system())?;
            writeln!(out, "hashing may use {}", list(&instruction_sets()))?;
            writeln!(
                out,
                "{} rounds in turn; ratios are medians over the rounds, below 1 is less time; MB = 10^6 bytes",
                self.rounds
            )?;
        }
        if self.section != entry.row.section {
            self.section = entry.row.section;
            writeln!(
                out,
                "\n{:<34} {:<13} {:>8} {:>3} {:>11} {:>8} {:>8} {:>7} {:>9} {:>6} {:>6}",
                self.section, "", "buffer", "thr", "bytes", "wall s", "CPU-s", "MB/s", "CPU-s/GiB", "wall", "CPU"
            )?;
        } else if entry.against.is_none() {
            writeln!(out)?;
        }
        let Entry { row, bytes, wall_s, cpu_s, mb_per_s, cpu_s_per_gib, against } = entry;
        let ratio = |of: fn(&Against) -> &Ratio| {
            against.as_ref().map_or("1".to_owned(), |against| format!("{:.2}x", of(against).median))
        };
        writeln!(
            out,
            "{:<34} {:<13} {:>8} {:>3} {bytes:>11} {wall_s:>8.3} {cpu_s:>8.3} {mb_per_s:>7.0} {cpu_s_per_gib:>9.3} {:>6} {:>6}",
            row.what,
            row.parameters,
            short(row.buffer_bytes),
            row.threads,
            ratio(|against| &against.wall),
            ratio(|against| &against.cpu)
        )
    }

    /// What is left to print.
    pub(super) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let whole = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "machine": Machine::detect().to_string(),
            "system": system(),
            "instruction_sets": instruction_sets(),
            "threads": self.threads,
            "rounds": self.rounds,
            "rows": self.entries,
        });
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        writeln!(out)
    }
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "no SIMD".to_owned() } else { names.join(", ") }
}

/// A length with the unit that divides it.
fn short(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a figure to be looked at")]
const fn as_float(bytes: u64) -> f64 {
    bytes as f64
}
