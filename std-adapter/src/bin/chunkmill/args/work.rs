use std::env;
use std::io;

use chunkmill::{GATE_VARIABLE, Gate, Objective, Pace, Pool, enter_background};
use clap::{Args, ValueEnum};

use crate::calibrate::saved_threshold;
use crate::failure::Failure;
use crate::sizes::{parse_digits, parse_memory};

#[derive(Args, Debug)]
#[command(next_help_heading = "Work")]
pub(crate) struct WorkArgs {
    /// Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4
    #[arg(long, default_value = "auto", value_parser = parse_threads, value_name = "N")]
    threads: Threads,

    /// What matters most: the time, the CPU bill, or both
    #[arg(long, value_enum, default_value_t = Wanted::Balanced, value_name = "OBJECTIVE")]
    objective: Wanted,

    /// KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]
    #[arg(long, value_parser = parse_gate, value_name = "KiB")]
    gate: Option<u64>,

    /// Give way to all other work: nice 19 and idle I/O
    #[arg(long)]
    background: bool,

    /// Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow
    #[arg(long, value_parser = parse_percent, value_name = "PERCENT")]
    cpu_limit: Option<u32>,

    /// Memory for buffers
    #[arg(long, value_parser = parse_memory, default_value = "64MiB", value_name = "SIZE")]
    memory: usize,

    /// No progress line
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Threads {
    Auto,
    Count(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Wanted {
    /// More threads where they save much time for little more CPU
    Balanced,
    /// The smallest CPU bill: one thread
    Cpu,
    /// The shortest time
    Wall,
}

/// How the work is to be done.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) threads: usize,
    pub(crate) gate: Gate,
    pub(crate) memory: usize,
    pub(crate) pace: Option<Pace>,
}

impl Work {
    /// A reader that keeps to the pace, if there is one.
    pub(crate) const fn paced<R>(&self, reader: R) -> Paced<'_, R> {
        Paced { reader, pace: self.pace.as_ref() }
    }
}

/// A reader that keeps to a pace.
#[derive(Debug)]
pub(crate) struct Paced<'p, R> {
    reader: R,
    pace: Option<&'p Pace>,
}

impl<R: io::Read> io::Read for Paced<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(pace) = self.pace {
            pace.keep();
        }
        self.reader.read(buffer)
    }
}

impl WorkArgs {
    /// Starts to work as wanted: from here on this thread and those started from it are in the background, if that was asked
    /// for, and their CPU time counts.
    pub(crate) fn begin(&self) -> Result<Work, Failure> {
        let objective = match self.objective {
            Wanted::Balanced => Objective::Balanced,
            Wanted::Cpu => Objective::Cpu,
            Wanted::Wall => Objective::Wall,
        };
        let wanted = match self.threads {
            Threads::Auto => Pool::default_threads(),
            Threads::Count(count) => count,
        };
        let gate = match self.gate {
            Some(kib) => Gate::new(objective).with_threshold(kib.saturating_mul(1024)),
            None => default_gate(objective, wanted)?,
        };
        if self.background {
            enter_background().map_err(|error| Failure::Io(format!("cannot go into the background: {error}")))?;
        }
        // What never calls a helper has one thread.
        let threads = if gate.threshold() == u64::MAX { 1 } else { wanted };
        Ok(Work { threads, gate, memory: self.memory, pace: self.cpu_limit.map(Pace::new) })
    }
}

/// What the environment says, else what was calibrated for so many threads, else what is right for most.
pub(crate) fn default_gate(objective: Objective, threads: usize) -> Result<Gate, Failure> {
    let gate = Gate::from_environment(objective).map_err(|error| Failure::Usage(error.to_string()))?;
    if env::var_os(GATE_VARIABLE).is_some() || objective == Objective::Cpu {
        return Ok(gate);
    }
    Ok(saved_threshold(objective, threads)?.map_or(gate, |threshold| gate.with_threshold(threshold)))
}

fn parse_threads(text: &str) -> Result<Threads, String> {
    if text == "auto" {
        return Ok(Threads::Auto);
    }
    parse_thread_count(text).map(Threads::Count).map_err(|error| format!("{error}, or auto"))
}

/// Reads a number of threads.
pub(crate) fn parse_thread_count(text: &str) -> Result<usize, String> {
    match parse_digits(text, 10).and_then(|count| usize::try_from(count).ok()) {
        Some(count @ 1..=Pool::MAX_THREADS) => Ok(count),
        _ => Err("expected 1 to 64".to_owned()),
    }
}

fn parse_gate(text: &str) -> Result<u64, String> {
    parse_digits(text, 10).ok_or_else(|| "expected a whole number of KiB".to_owned())
}

fn parse_percent(text: &str) -> Result<u32, String> {
    let percent = parse_digits(text.strip_suffix('%').unwrap_or(text), 10);
    match percent.and_then(|percent| u32::try_from(percent).ok()) {
        Some(percent @ 1..=400) => Ok(percent),
        _ => Err("expected 1 to 400 percent".to_owned()),
    }
}
