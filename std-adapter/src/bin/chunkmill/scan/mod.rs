//! `chunkmill scan`

mod csv;
mod histogram;
mod human;
mod jsonl;

use std::io::{self, BufWriter, IsTerminal};
use std::path::Path;

use chunkmill::core::Chunk;
use chunkmill::usage::{Stopwatch, Used, peak_rss};
use chunkmill::{Entry, ScanError, Scanner, Source, Totals, kernel_from_environment, walk};

use self::histogram::Histogram;
use crate::args::{Format, ScanArgs};
use crate::console::Progress;
use crate::failure::{Failure, Outcome};
use crate::names::{is_dash, printable};

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
    threads: u32,
    peak_rss: u64,
}

struct Run<'g> {
    scanner: Scanner<'g>,
    listing: Box<dyn Listing>,
    histogram: Histogram,
    totals: Totals,
    files: u64,
    skipped: u64,
    errors: u64,
    progress: Progress,
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

    let watch = Stopwatch::start();
    let lists_chunks = args.chunks || args.format != Format::Human;
    let mut run = Run {
        scanner: Scanner::new(params, &gear, &key).with_kernel(kernel),
        listing: listing(args).map_err(|error| Failure::stdout(&error))?,
        histogram: Histogram::new(),
        totals: Totals::new(),
        files: 0,
        skipped: 0,
        errors: 0,
        // Two writers on one terminal would tear each other's lines apart.
        progress: Progress::new(!(args.work.quiet || lists_chunks && io::stdout().is_terminal()), known_size(args)),
    };
    for path in &args.paths {
        run.scan_path(path)?;
    }
    run.progress.clear();
    let summary = Summary {
        totals: &run.totals,
        files: run.files,
        skipped: run.skipped,
        errors: run.errors,
        used: watch.read(),
        threads: args.work.threads(),
        peak_rss: peak_rss().unwrap_or(0),
    };
    run.listing.summary(&summary).map_err(|error| Failure::stdout(&error))?;
    if let Some(path) = &args.histogram {
        run.histogram.write(path, &params)?;
    }
    Ok(if run.errors == 0 { Outcome::Done } else { Outcome::DataWrong })
}

impl Run<'_> {
    fn scan_path(&mut self, path: &Path) -> Result<(), Failure> {
        if is_dash(path) {
            return self.scan_source(path, Source::stdin());
        }
        if !path.is_dir() {
            return self.scan_source(path, Source::open(path));
        }
        for entry in walk(path) {
            match entry {
                Ok(Entry::File(path)) => self.scan_source(&path, Source::open_regular(&path))?,
                Ok(_) => self.skipped = self.skipped.saturating_add(1),
                Err(error) => self.file_failed(&error.path, &error),
            }
        }
        Ok(())
    }

    fn scan_source(&mut self, path: &Path, source: io::Result<Source>) -> Result<(), Failure> {
        let mut source = match source {
            Ok(source) => source,
            Err(error) => {
                self.file_failed(path, &error);
                return Ok(());
            }
        };
        let Self { scanner, listing, histogram, totals, progress, .. } = self;
        let scanned = scanner.scan(progress.reader(&mut source), |chunk| {
            totals.add(&chunk);
            histogram.add(chunk.len);
            listing.chunk(path, &chunk)
        });
        match scanned {
            Ok(_) => self.files = self.files.saturating_add(1),
            Err(ScanError::Visit(error)) => {
                self.progress.clear();
                return Err(Failure::stdout(&error));
            }
            Err(error) => {
                self.file_failed(path, &error);
                return Ok(());
            }
        }
        match source.check() {
            Ok(Ok(())) => {}
            Ok(Err(changed)) => self.file_failed(path, &changed),
            Err(error) => self.file_failed(path, &error),
        }
        Ok(())
    }

    fn file_failed(&mut self, path: &Path, why: &dyn core::fmt::Display) {
        self.errors = self.errors.saturating_add(1);
        self.progress.say(&format!("{}: {why}", printable(path)));
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
