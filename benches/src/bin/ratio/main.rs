//! Ours against the peers, run in turn within one process: wall time, CPU time, and the ratio of each.
//!
//! ```text
//! ratio cut [--size 128MiB] [--rounds 9] [--avg 8KiB,64KiB,2MiB] [--data random,text,zeros,periodic]
//! ratio files [--count 10000] [--rounds 7] [--avg 64KiB,2MiB] [--dir DIR]
//! ratio gate [--size 256MiB] [--rounds 9] [--avg 64KiB,256KiB,2MiB] [--threshold 128KiB]
//! ratio hash [--from 4KiB] [--to 4MiB] [--step 16KiB] [--rounds 21] [--csv FILE] [--svg FILE]
//! ratio pack [--size 256MiB] [--rounds 7] [--avg 2MiB] [--data text,random] [--dir DIR]
//! ratio scan [--size 1GiB] [--rounds 7] [--avg 64KiB,2MiB] [--dir DIR]
//! ```
//!
//! With `--markdown` the table is ready for a README. Exit code 0 whatever the speed, 1 if outputs differ, 2 for wrong
//! usage, 3 for I/O errors.

#![forbid(unsafe_code)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "figures of a benchmark; a wrong one is best met by a panic"
)]

mod cut;
mod files;
mod gate;
mod hash;
mod pack;
mod scan;

use core::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use chunkmill_benches::harness::MeasureError;
use chunkmill_benches::machine::Machine;
use chunkmill_benches::stats::Spread;
use chunkmill_benches::table::{Style, Table};
use chunkmill_core::ParamError;
use clap::{Parser, Subcommand};
use thiserror::Error;

fn main() -> ExitCode {
    let args = Args::parse();
    let report = match args.command {
        Command::Cut(args) => cut::run(&args),
        Command::Files(args) => files::run(&args),
        Command::Gate(args) => gate::run(&args),
        Command::Hash(args) => hash::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Scan(args) => scan::run(&args),
    };
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    match report.and_then(|report| report.print(style)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("ratio: {error}");
            let mut source = error.source();
            while let Some(error) = source {
                eprint!(": {error}");
                source = error.source();
            }
            eprintln!();
            error.exit_code()
        }
    }
}

/// Measures chunkmill against its peers, interleaved, and prints wall time, CPU time and their ratios.
#[derive(Debug, Parser)]
#[command(name = "ratio")]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// Print a Markdown table.
    #[arg(long, global = true)]
    markdown: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Cut(cut::Args),
    Files(files::Args),
    Gate(gate::Args),
    Hash(hash::Args),
    Pack(pack::Args),
    Scan(scan::Args),
}

/// What a command has to say: how it measured, in whole lines, and the figures.
struct Report {
    method: String,
    table: Table,
}

impl Report {
    fn print(&self, style: Style) -> Result<(), RatioError> {
        let heading = format!("{}\n{}", Machine::detect(), self.method);
        let heading: String = match style {
            Style::Text => heading,
            // Markdown would join the lines.
            Style::Markdown => heading.lines().map(|line| format!("- {line}\n")).collect(),
        };
        let text = format!("{}\n\n{}", heading.trim_end(), self.table.render(style));
        match io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(RatioError::Output),
        }
    }
}

/// A ratio to the first subject of a group; its own is 1 by definition.
fn ratio_cell(index: usize, ratio: Spread) -> String {
    if index == 0 { "1".to_owned() } else { format!("{ratio:.2}") }
}

#[derive(Debug, Error)]
enum RatioError {
    #[error("cannot make the file to scan in {}", dir.display())]
    File { dir: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Figure { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error("cannot write the result")]
    Output(#[source] io::Error),
    #[error("--avg {avg} gives no valid parameters")]
    Params { avg: String, source: ParamError },
    #[error("--size {size} does not fit into memory")]
    TooLarge { size: String },
}

impl RatioError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Measure(MeasureError::Differs { .. }) => 1,
            Self::Params { .. } | Self::TooLarge { .. } => 2,
            _ => 3,
        })
    }
}
