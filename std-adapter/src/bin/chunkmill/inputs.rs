//! What the user named, opened one after the other while the work goes on.

use core::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chunkmill::{Entry, Next, Source, Stream, walk};

use crate::console::Progress;
use crate::names::is_dash;

/// What a stream is called, or what is to be told in its place.
#[derive(Debug)]
pub(crate) enum Input {
    /// A file, or `-`.
    File(PathBuf),
    /// It could not be opened, and why.
    Failed(PathBuf, String),
    /// A link, pipe, socket or device met in a directory.
    Skipped,
}

/// A source whose bytes count for the progress line.
#[derive(Debug)]
pub(crate) struct Counted {
    source: Source,
    progress: Progress,
}

/// Files, and what `-` stands for. A directory cannot be opened.
pub(crate) fn files<'i>(
    paths: &'i [PathBuf],
    progress: &'i Progress,
) -> impl Iterator<Item = Next<Input, Counted>> + Send {
    paths.iter().map(move |path| named(path, progress))
}

/// As [`files`], and all regular files below directories.
pub(crate) fn trees<'i>(
    paths: &'i [PathBuf],
    progress: &'i Progress,
) -> impl Iterator<Item = Next<Input, Counted>> + Send {
    paths.iter().flat_map(move |path| {
        let is_tree = !is_dash(path) && path.is_dir();
        let below = is_tree.then(|| walk(path)).into_iter().flatten().map(move |entry| match entry {
            Ok(Entry::File(path)) => opened(&path, Source::open_regular(&path), progress),
            Ok(_) => Next::Note(Input::Skipped),
            Err(error) => failed(&error.path, &error),
        });
        below.chain((!is_tree).then(|| named(path, progress)))
    })
}

fn named(path: &Path, progress: &Progress) -> Next<Input, Counted> {
    opened(path, if is_dash(path) { Source::stdin() } else { Source::open(path) }, progress)
}

fn opened(path: &Path, source: io::Result<Source>, progress: &Progress) -> Next<Input, Counted> {
    match source {
        Ok(source) => Next::Stream(Input::File(path.to_owned()), Counted { source, progress: progress.clone() }),
        Err(error) => failed(path, &error),
    }
}

fn failed(path: &Path, why: &dyn Display) -> Next<Input, Counted> {
    Next::Note(Input::Failed(path.to_owned(), why.to_string()))
}

impl Counted {
    pub(crate) const fn new(source: Source, progress: Progress) -> Self {
        Self { source, progress }
    }

    /// The file, and where in it the stream begins, to be read again in other places.
    pub(crate) fn to_read_again(&self) -> io::Result<Option<(File, u64)>> {
        self.source.to_read_again()
    }

    /// Whether the file kept its size while it was read.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.source.check()?.map_err(io::Error::other)
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buffer)?;
        self.progress.advance(u64::try_from(len).unwrap_or(0));
        Ok(len)
    }
}

impl Stream for Counted {
    /// Whether the file kept its size while it was read.
    type End = io::Result<()>;

    fn end(self) -> io::Result<()> {
        self.check()
    }

    fn hole(&mut self) -> u64 {
        self.source.hole()
    }

    fn skip(&mut self, len: u64) {
        self.source.skip(len);
        self.progress.advance(len);
    }

    fn waits(&self) -> bool {
        self.source.waits()
    }
}
