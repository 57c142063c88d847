//! The command line, as `--help` shows it.

use std::io;
use std::path::PathBuf;

use chunkmill::core::{ChunkParams, GearTable, IdKey, Size};
use chunkmill::key::{self, KeyError};
use chunkmill::{Gate, Objective, Pace, Pool, enter_background};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::console;
use crate::failure::Failure;
use crate::names::{is_dash, printable};
use crate::sizes::{parse_chunk_size, parse_memory};

/// Content-defined chunks and keyed ids for backups, with the CPU-seconds counted
#[derive(Debug, Parser)]
#[command(name = "chunkmill", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done; 1 data wrong or partly unreadable; 2 usage; 3 input or output failed.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Keyed BLAKE3 of whole files, a line each, as `b3sum --keyed` prints it
    Hash(HashArgs),
    /// Make a new secret key of 32 random bytes
    Keygen(KeygenArgs),
    /// Cut files into chunks and id them: how many, how many of them distinct, and at what cost
    Scan(ScanArgs),
}

#[derive(Args, Debug)]
pub(crate) struct HashArgs {
    /// Files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct KeygenArgs {
    /// Where to write the key; must not be there yet. `-` writes to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ScanArgs {
    /// Files, directories, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// List each chunk before the table of totals
    #[arg(long)]
    pub(crate) chunks: bool,

    /// Draw the chunk sizes as an SVG picture
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) histogram: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) chunking: ChunkingArgs,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table of totals
    Human,
    /// A JSON object for each chunk, then one with the totals
    Jsonl,
    /// path,offset,length,id
    Csv,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Chunking")]
pub(crate) struct ChunkingArgs {
    /// Smallest chunk [default: a quarter of the average, 512KiB]
    #[arg(long, value_parser = parse_chunk_size, value_name = "SIZE")]
    min: Option<u32>,

    /// Average chunk; random data gives chunks of about 1.2 times that
    #[arg(long, value_parser = parse_chunk_size, default_value = "2MiB", value_name = "SIZE")]
    avg: u32,

    /// Largest chunk [default: four times the average, 8MiB]
    #[arg(long, value_parser = parse_chunk_size, value_name = "SIZE")]
    max: Option<u32>,

    /// Normalization, 0 to 3: the higher, the closer chunks are to the average
    #[arg(long, default_value_t = 1, value_name = "LEVEL")]
    level: u8,

    /// Seed of the gear table; another seed cuts elsewhere
    #[arg(long, default_value_t = 0, value_parser = parse_seed, value_name = "NUMBER")]
    seed: u64,

    /// Cut by a gear table made from the key: it hides where known content would be cut
    #[arg(long, conflicts_with = "seed")]
    pub(crate) keyed_gear: bool,
}

impl ChunkingArgs {
    pub(crate) fn params(&self) -> Result<ChunkParams, Failure> {
        // Kept within their limits, so that an average out of its own is what the error names.
        let within = |size: Size, value: u32| value.clamp(size.limits().0, size.limits().1);
        let min = self.min.unwrap_or_else(|| within(Size::Min, (self.avg / 4) & !1));
        let max = self.max.unwrap_or_else(|| within(Size::Max, self.avg.saturating_mul(4)));
        Ok(ChunkParams::new(min, self.avg, max, self.level)?)
    }

    pub(crate) fn gear(&self, key: &IdKey, params: &ChunkParams) -> GearTable {
        if self.keyed_gear { GearTable::keyed(key, params) } else { GearTable::seeded(self.seed) }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Key")]
pub(crate) struct KeyArgs {
    /// File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The key the user gave, or the public one and a word about it.
    pub(crate) fn read(&self) -> Result<IdKey, Failure> {
        if let Some(key) = self.secret()? {
            return Ok(key);
        }
        console::say("no key given: ids are made with the fixed public key, anyone can compute them");
        Ok(IdKey::public())
    }

    /// Standard input can be the key or one of the inputs, not both.
    pub(crate) fn leaves_stdin_to(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        if self.key_file.as_deref().is_some_and(is_dash) && inputs.iter().any(|path| is_dash(path)) {
            return Err(Failure::Usage("standard input cannot be both the key and the data".to_owned()));
        }
        Ok(())
    }

    /// The key the user gave, if any.
    fn secret(&self) -> Result<Option<IdKey>, Failure> {
        let Some(path) = &self.key_file else {
            let found = key::key_from_environment();
            return found.map_err(|error| Failure::Usage(format!("{}: {error}", key::KEY_VARIABLE)));
        };
        let key = if is_dash(path) { key::read_key(io::stdin().lock()) } else { key::read_key_file(path) };
        key.map(Some).map_err(|error| {
            let message = format!("{}: {error}", printable(path));
            if matches!(error, KeyError::Read(_)) { Failure::Io(message) } else { Failure::Usage(message) }
        })
    }

    /// As [`read`](Self::read), for what only a secret key makes sense for.
    pub(crate) fn read_secret(&self, what: &str) -> Result<IdKey, Failure> {
        let needs = || Failure::Usage(format!("{what} needs a key: with the public one it hides nothing"));
        self.secret()?.ok_or_else(needs)
    }
}

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
    #[arg(long, value_name = "KiB")]
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

impl WorkArgs {
    /// Starts to work as wanted: from here on this thread and those started from it are in the background, if that was asked
    /// for, and their CPU time counts.
    pub(crate) fn begin(&self) -> Result<Work, Failure> {
        let objective = match self.objective {
            Wanted::Balanced => Objective::Balanced,
            Wanted::Cpu => Objective::Cpu,
            Wanted::Wall => Objective::Wall,
        };
        let gate = match self.gate {
            Some(kib) => Gate::new(objective).with_threshold(kib.saturating_mul(1024)),
            None => Gate::from_environment(objective).map_err(|error| Failure::Usage(error.to_string()))?,
        };
        if self.background {
            enter_background().map_err(|error| Failure::Io(format!("cannot go into the background: {error}")))?;
        }
        let wanted = match self.threads {
            Threads::Auto => Pool::default_threads(),
            Threads::Count(count) => count,
        };
        // What never calls a helper has one thread.
        let threads = if gate.threshold() == u64::MAX { 1 } else { wanted };
        Ok(Work { threads, gate, memory: self.memory, pace: self.cpu_limit.map(Pace::new) })
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| "expected a whole number below 2^64, or one in hex such as 0x1f".to_owned())
}

fn parse_threads(text: &str) -> Result<Threads, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(Threads::Auto),
        (_, Ok(count @ 1..=Pool::MAX_THREADS)) => Ok(Threads::Count(count)),
        _ => Err("expected 1 to 64, or auto".to_owned()),
    }
}

fn parse_percent(text: &str) -> Result<u32, String> {
    match text.strip_suffix('%').unwrap_or(text).parse() {
        Ok(percent @ 1..=400) => Ok(percent),
        _ => Err("expected 1 to 400 percent".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn min_and_max_follow_the_average() {
        let params = |words: &[&str]| {
            let words = ["chunkmill", "scan", "."].iter().chain(words);
            let Command::Scan(args) = Cli::try_parse_from(words).unwrap().command else { panic!("not a scan") };
            args.chunking.params().unwrap()
        };
        assert_eq!(params(&[]), ChunkParams::DEFAULT);
        assert_eq!(params(&["--avg", "64KiB"]), ChunkParams::new(16 << 10, 64 << 10, 256 << 10, 1).unwrap());
        for avg in [256, 258, 300, 1002, 4 << 20] {
            let params = params(&["--avg", &avg.to_string()]);
            assert_eq!((params.avg(), params.max()), (avg, avg * 4));
        }
    }
}
