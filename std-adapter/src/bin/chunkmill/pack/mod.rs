//! `chunkmill pack`, `unpack`, `verify`, `ls`

pub(crate) mod ls;
#[expect(clippy::module_inception, reason = "named as the command is")]
pub(crate) mod pack;
mod report;
pub(crate) mod unpack;
pub(crate) mod verify;

use std::io;
use std::path::Path;

use chunkmill::Source;

use self::report::Report;
use crate::console::Progress;
use crate::failure::Failure;
use crate::inputs::Counted;
use crate::names::{is_dash, printable};

/// Opens the one input, with a progress line that knows its size if it has one.
fn open(path: &Path, quiet: bool) -> Result<(Counted, Progress), Failure> {
    let source = if is_dash(path) { Source::stdin() } else { Source::open(path) };
    let source = source.map_err(|error| Failure::io("cannot read", path, &error))?;
    let size =
        path.metadata().ok().filter(|metadata| !is_dash(path) && metadata.is_file()).map(|metadata| metadata.len());
    let progress = Progress::new(!quiet, size.filter(|&size| size > 0));
    Ok((Counted::new(source, progress.clone()), progress))
}

/// An error of the input or the output, with the file it is about.
fn failed(path: &Path, error: &dyn core::fmt::Display) -> Failure {
    Failure::Io(format!("{}: {error}", printable(path)))
}

/// An error of writing: to standard output it may be that nobody reads any more.
fn write_failed(path: &Path, error: &io::Error) -> Failure {
    if is_dash(path) { Failure::stdout(error) } else { Failure::io("cannot write", path, error) }
}
