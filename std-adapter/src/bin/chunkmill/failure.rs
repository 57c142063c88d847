//! How a run ends, and the exit codes that scripts depend on.

use core::error::Error;
use std::io;
use std::path::Path;
use std::process;

use chunkmill::core::ParamError;
use chunkmill_measure::harness::MeasureError;

use crate::console;
use crate::names::printable;

/// A run that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit code 0.
    Done,
    /// Part of the data is wrong or could not be read, and stderr said so. Exit code 1.
    DataWrong,
}

impl Outcome {
    /// The exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::DataWrong => 1,
        }
    }
}

/// A run that had to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Whoever read standard output has gone: nothing to say, nothing to do. Exit code 0.
    #[error("standard output was closed")]
    Gone,
    /// Reading or writing failed in a way that leaves nothing to go on with. Exit code 3.
    #[error("{0}")]
    Io(String),
    /// What was found is not what must be. Exit code 1.
    #[error("{0}")]
    Wrong(String),
    /// A parameter is not valid. Exit code 2.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// An I/O error with a file it happened to.
    pub(crate) fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("{what} {}: {error}", printable(path)))
    }

    /// An error of writing results to standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Gone,
            _ => Self::Io(format!("cannot write to standard output: {error}")),
        }
    }

    /// Says why, and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        if !matches!(self, Self::Gone) {
            console::say(&format!("error: {self}"));
        }
        match self {
            Self::Gone => 0,
            Self::Wrong(_) => 1,
            Self::Io(_) => 3,
            Self::Usage(_) => 2,
        }
    }
}

/// An error of writing to standard output while threads are at work: the end of the program at once. One of them may be waiting
/// for a pipe, and would be waited for. What went wrong before is not forgotten.
pub(crate) fn stdout_failed(error: &io::Error, so_far: Outcome) -> ! {
    let code = Failure::stdout(error).report().max(so_far.code());
    process::exit(code.into())
}

/// How a run ends whose last results were written to standard output, or not. That a reader has gone does not undo what went
/// wrong before.
pub(crate) fn stdout_written(written: io::Result<()>, outcome: Outcome) -> Result<Outcome, Failure> {
    match written.map_err(|error| Failure::stdout(&error)) {
        Err(Failure::Gone) if outcome == Outcome::DataWrong => Ok(outcome),
        Err(failure) => Err(failure),
        Ok(()) => Ok(outcome),
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
        let message = format!("{error}{why}");
        if matches!(error, MeasureError::Differs { .. }) { Self::Wrong(message) } else { Self::Io(message) }
    }
}
