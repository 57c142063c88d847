//! `chunkmill scan`

mod csv;
mod histogram;
mod human;
mod jsonl;

use core::convert::Infallible;
use std::io::{self, BufWriter, IsTerminal};
use std::path::Path;

use chunkmill::core::Chunk;
use chunkmill::usage::{Stopwatch, Used, peak_rss};
use chunkmill::{Event, Pool, Scanner, Totals, kernel_from_environment};

use self::histogram::Histogram;
use crate::args::{Format, ScanArgs};
use crate::console::Progress;
use crate::failure::{Failure, Outcome, stdout_failed, stdout_written};
use crate::inputs::{self, Input};
use crate::names::printable;

/// A way to print chunks and their totals.
trait Listing {
    /// A chunk of the file at `path`, as it is found.
    fn chunk(&mut self, path: &Path, chunk: &Chunk) -> io::Result<()>;

    /// The totals, once, at the end. Flushes.
    fn summary(&mut self, summary: &Summary<'_>) -> io::Result<()>;
}

/// What a scan did and what it cost.
#[derive(Debug)]
struct Summary<'t> {
    totals: &'t Totals,
    /// Files read to their end.
    files: u64,
    /// Links, pipes, sockets and devices met in directories.
    skipped: u64,
    /// Files and directories that could not be read, in part or at all, or changed meanwhile.
    errors: u64,
    used: Used,
    threads: usize,
    peak_rss: u64,
}

struct Run<'p> {
    listing: Box<dyn Listing>,
    histogram: Histogram,
    totals: Totals,
    files: u64,
    skipped: u64,
    errors: u64,
    progress: &'p Progress,
}

pub(crate) fn run(args: &ScanArgs) -> Result<Outcome, Failure> {
    let params = args.chunking.params()?;
    let kernel = kernel_from_environment().map_err(|error| Failure::Usage(error.to_string()))?;
    args.key.leaves_stdin_to(&args.paths)?;
    let key = if args.chunking.keyed_gear { args.key.read_secret("--keyed-gear")? } else { args.key.read()? };
    let gear = args.chunking.gear(&key, &params);
    if let Some(path) = &args.histogram {
        histogram::check(path)?;
    }

    let work = args.work.begin()?;
    let watch = Stopwatch::start();
    let lists_chunks = args.chunks || args.format != Format::Human;
    // Two writers on one terminal would tear each other's lines apart.
    let progress = Progress::new(!(args.work.quiet || lists_chunks && io::stdout().is_terminal()), known_size(args));
    let mut run = Run {
        listing: listing(args).map_err(|error| Failure::stdout(&error))?,
        histogram: Histogram::new(),
        totals: Totals::new(),
        files: 0,
        skipped: 0,
        errors: 0,
        progress: &progress,
    };
    let mut scanner = Scanner::new(params, &gear, &key);
    scanner = scanner.with_kernel(kernel).with_gate(work.gate).with_memory(work.memory);
    if let Some(pace) = &work.pace {
        scanner = scanner.with_pace(pace);
    }
    let Ok(()) = Pool::scope(work.threads, |pool| {
        scanner.scan_all(pool, inputs::trees(&args.paths, &progress), |event| {
            if let Err(error) = run.event(event) {
                run.listing_failed(&error, args.histogram.is_some());
            }
            Ok::<(), Infallible>(())
        })
    });
    progress.clear();
    let summary = Summary {
        totals: &run.totals,
        files: run.files,
        skipped: run.skipped,
        errors: run.errors,
        used: watch.read(),
        threads: work.threads,
        peak_rss: peak_rss().unwrap_or(0),
    };
    let ended = stdout_written(run.listing.summary(&summary), run.outcome());
    if let Some(path) = &args.histogram
        && matches!(ended, Ok(_) | Err(Failure::Gone))
    {
        run.histogram.write(path, &params)?;
    }
    ended
}

impl Run<'_> {
    fn event(&mut self, event: Event<'_, Input, io::Result<()>>) -> io::Result<()> {
        match event {
            Event::Chunk(Input::File(path), chunk) => {
                self.totals.add(&chunk);
                self.histogram.add(chunk.len);
                self.listing.chunk(path, &chunk)?;
            }
            Event::End(Input::File(path), _, Err(error)) => self.file_failed(&path, &error),
            Event::End(Input::File(path), kept, Ok(_)) => {
                self.files = self.files.saturating_add(1);
                if let Err(changed) = kept {
                    self.file_failed(&path, &changed);
                }
            }
            Event::Note(Input::Failed(path, why)) => self.file_failed(&path, &why),
            Event::Note(Input::Skipped) => self.skipped = self.skipped.saturating_add(1),
            _ => {}
        }
        Ok(())
    }

    /// The histogram is a result of its own: for it the work goes on, though nobody reads the list any more.
    fn listing_failed(&mut self, error: &io::Error, goes_on: bool) {
        if goes_on && error.kind() == io::ErrorKind::BrokenPipe {
            self.listing = Box::new(Nobody);
        } else {
            self.progress.clear();
            stdout_failed(error, self.outcome())
        }
    }

    const fn outcome(&self) -> Outcome {
        if self.errors == 0 { Outcome::Done } else { Outcome::DataWrong }
    }

    fn file_failed(&mut self, path: &Path, why: &dyn core::fmt::Display) {
        self.errors = self.errors.saturating_add(1);
        self.progress.say(&format!("{}: {why}", printable(path)));
    }
}

/// Whoever read the list has gone.
struct Nobody;

impl Listing for Nobody {
    fn chunk(&mut self, _: &Path, _: &Chunk) -> io::Result<()> {
        Ok(())
    }

    fn summary(&mut self, _: &Summary<'_>) -> io::Result<()> {
        Ok(())
    }
}

fn listing(args: &ScanArgs) -> io::Result<Box<dyn Listing>> {
    let out = BufWriter::with_capacity(64 << 10, io::stdout());
    Ok(match args.format {
        Format::Human => Box::new(human::Human::new(out, args.chunks)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(out)),
        Format::Csv => Box::new(csv::Csv::new(out)?),
    })
}

/// Bytes to come, if that can be told without a walk: there is only one path, a file.
fn known_size(args: &ScanArgs) -> Option<u64> {
    let [path] = args.paths.as_slice() else { return None };
    let metadata = path.metadata().ok()?;
    (metadata.is_file() && metadata.len() > 0).then_some(metadata.len())
}
