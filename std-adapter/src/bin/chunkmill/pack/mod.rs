//! `chunkmill pack`, `unpack`, `verify`, `ls`

pub(crate) mod ls;
#[expect(clippy::module_inception, reason = "named as the command is")]
pub(crate) mod pack;
mod report;
pub(crate) mod unpack;
pub(crate) mod verify;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process;

use chunkmill::Source;
use chunkmill::pack::Whole;

use self::report::Report;
use crate::console::{self, Progress};
use crate::failure::{Failure, Outcome};
use crate::inputs::Counted;
use crate::names::{is_dash, printable};
use crate::output::Output;

/// Opens the one input, with a progress line that knows its size if it has one.
fn open(path: &Path, quiet: bool) -> Result<(Counted, Progress), Failure> {
    let source = if is_dash(path) { Source::stdin() } else { Source::open(path) };
    let source = source.map_err(|error| Failure::io("cannot read", path, &error))?;
    let size =
        path.metadata().ok().filter(|metadata| !is_dash(path) && metadata.is_file()).map(|metadata| metadata.len());
    let progress = Progress::new(!quiet, size.filter(|&size| size > 0));
    Ok((Counted::new(source, progress.clone()), progress))
}

/// A writer whose failure ends the program at once if the input may keep a thread waiting: that thread would be waited for.
struct AtOnce<'e, W> {
    out: W,
    waits: bool,
    /// Leaves nothing behind, says why, and gives the exit code.
    end: &'e (dyn Fn(&io::Error) -> u8 + Sync),
}

impl<W> AtOnce<'_, W> {
    fn check<T>(&self, done: io::Result<T>) -> io::Result<T> {
        match done {
            Err(error) if self.waits && error.kind() != io::ErrorKind::Interrupted => {
                process::exit((self.end)(&error).into())
            }
            done => done,
        }
    }
}

impl<W: Write> Write for AtOnce<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.check(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.check(done)
    }
}

/// The end of the program for a file that cannot be written: nothing of it stays.
fn give_up(output: &Output, path: &Path, progress: &Progress) -> impl Fn(&io::Error) -> u8 + Sync + use<> {
    let (unfinished, path, progress) = (output.unfinished(), path.to_path_buf(), progress.clone());
    move |error| {
        let _ = fs::remove_file(&unfinished);
        progress.clear();
        write_failed(&path, error).report()
    }
}

/// An error of the input or the output, with the file it is about.
fn failed(path: &Path, error: &dyn core::fmt::Display) -> Failure {
    Failure::Io(format!("{}: {error}", printable(path)))
}

/// An error of writing: to standard output it may be that nobody reads any more.
fn write_failed(path: &Path, error: &io::Error) -> Failure {
    if is_dash(path) { Failure::stdout(error) } else { Failure::io("cannot write", path, error) }
}

/// How a good pack ended: bytes behind it are said, and wrong.
fn ended(path: &Path, whole: &Whole) -> Outcome {
    if !whole.more_follows {
        return Outcome::Done;
    }
    let (name, end) = (printable(path), whole.summary.stored_bytes);
    console::say(&format!("{name}: expected the end behind the trailer, at {end}, found more bytes"));
    Outcome::DataWrong
}
