//! The command line, as `--help` shows it.

mod chunking;
mod key;
mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::sizes::parse_size;

pub(crate) use self::chunking::ChunkingArgs;
pub(crate) use self::key::KeyArgs;
pub(crate) use self::work::{WorkArgs, default_gate, parse_thread_count};

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
    /// Measure this machine beside the peers: cutting, hashing, compressing, and whole runs
    Bench(BenchArgs),
    /// Measure from which size on more threads pay on this machine, for wall time and for CPU time
    Calibrate(CalibrateArgs),
    /// Keyed BLAKE3 of whole files, a line each, as `b3sum --keyed` prints it
    Hash(HashArgs),
    /// Make a new secret key of 32 random bytes
    Keygen(KeygenArgs),
    /// List the records of a pack
    Ls(LsArgs),
    /// Write a stream into a pack: chunked, each chunk once, compressed
    Pack(PackArgs),
    /// Cut files into chunks and id them: how many, how many of them distinct, and at what cost
    Scan(ScanArgs),
    /// Write the stream that a pack was made of
    Unpack(UnpackArgs),
    /// Check every byte of a pack
    Verify(VerifyArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "Without a section, all of them: about half a minute. Files to be read lie in TMPDIR, an eighth of --size."
)]
pub(crate) struct BenchArgs {
    /// Cut points alone, of bytes in memory
    #[arg(long)]
    pub(crate) chunking: bool,

    /// Keyed hashes of slices in memory: ours, BLAKE3, BLAKE2b-256, HMAC-SHA-256
    #[arg(long)]
    pub(crate) hashing: bool,

    /// LZ4 of text and of random bytes
    #[arg(long)]
    pub(crate) compressing: bool,

    /// Files scanned, packed and verified
    #[arg(long)]
    pub(crate) pipeline: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Bytes of each row; text has an eighth or a quarter of them [default: 1GiB, or 256MiB with --quick]
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    pub(crate) size: Option<u64>,

    /// Half of the rounds, and a quarter of the bytes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Threads of the rows with more than one [default: as many as the CPU runs at once, at most 4]
    #[arg(long, value_parser = parse_thread_count, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

#[derive(Args, Debug)]
pub(crate) struct CalibrateArgs {
    /// Fewer lengths and runs: some seconds
    #[arg(long, conflicts_with = "thorough")]
    pub(crate) quick: bool,

    /// More lengths and runs: half a minute or more
    #[arg(long)]
    pub(crate) thorough: bool,

    /// Runs of each length
    #[arg(long, value_parser = value_parser!(u32).range(1..=10_000), value_name = "N")]
    pub(crate) runs: Option<u32>,

    /// Percent by which splitting must be faster to be worth it
    #[arg(long, default_value_t = 5.0, value_parser = parse_part, value_name = "PERCENT")]
    pub(crate) margin: f64,

    /// Percent of CPU time that the balanced objective may cost more
    #[arg(long, default_value_t = 10.0, value_parser = parse_part, value_name = "PERCENT")]
    pub(crate) max_cpu_overhead: f64,

    /// Each number of threads from 2 to this one is measured [default: as many as the CPU runs at once, at most 4]
    #[arg(long, value_parser = parse_thread_count, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Write the figures to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Draw the figures as an SVG picture
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Write a page with pictures, figures and thresholds
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Show the figures of such a file again, and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quick", "thorough", "runs", "margin", "max_cpu_overhead", "threads"])]
    pub(crate) from_json: Option<PathBuf>,

    /// Keep the thresholds: later runs on this machine use them unless told otherwise
    #[arg(long)]
    pub(crate) save: bool,
}

fn parse_part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("expected 0 to 1000 percent".to_owned()),
    }
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
pub(crate) struct LsArgs {
    /// Pack, or `-` for standard input
    #[arg(value_name = "IN.cmill")]
    pub(crate) input: PathBuf,

    /// What to print
    #[arg(long, value_enum, default_value_t = ListFormat::Human, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) key: KeyArgs,
}

#[derive(Args, Debug)]
pub(crate) struct PackArgs {
    /// File, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,

    /// The pack; appears under its name only when it is whole and on the disk
    #[arg(short, long, value_name = "OUT.cmill")]
    pub(crate) output: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,

    /// How chunks are compressed
    #[arg(long, value_enum, default_value_t = Compress::Lz4, value_name = "METHOD")]
    pub(crate) compression: Compress,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = SummaryFormat::Human, value_name = "FORMAT")]
    pub(crate) format: SummaryFormat,

    #[command(flatten)]
    pub(crate) chunking: ChunkingArgs,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct UnpackArgs {
    /// Pack, or `-` for standard input
    #[arg(value_name = "IN.cmill")]
    pub(crate) input: PathBuf,

    /// Where to write the stream, or `-` for standard output. A file appears under its name only when it is whole
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,

    /// Of a pack that is damaged or cut off, keep all that was verified before the damage
    #[arg(long)]
    pub(crate) partial: bool,

    /// Leave holes in the file where the stream has whole blocks of zeros
    #[arg(long)]
    pub(crate) sparse: bool,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = SummaryFormat::Human, value_name = "FORMAT")]
    pub(crate) format: SummaryFormat,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Pack, or `-` for standard input
    #[arg(value_name = "IN.cmill")]
    pub(crate) input: PathBuf,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = SummaryFormat::Human, value_name = "FORMAT")]
    pub(crate) format: SummaryFormat,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    /// As LZ4 frames, where that saves at least a sixteenth
    Lz4,
    /// Not at all
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// A line for each record
    Human,
    /// A JSON object for each record, then one with the totals
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryFormat {
    /// A table
    Human,
    /// A JSON object
    Json,
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

#[cfg(test)]
mod tests {
    use super::*;
    use chunkmill::core::ChunkParams;
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
