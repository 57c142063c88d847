//! How a run ends, and the exit codes that scripts depend on.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use chunkmill::core::ParamError;

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

/// A run that had to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Whoever read standard output has gone: nothing to say, nothing to do. Exit code 0.
    #[error("standard output was closed")]
    Gone,
    /// Reading or writing failed in a way that leaves nothing to go on with. Exit code 3.
    #[error("{0}")]
    Io(String),
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
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Gone => return ExitCode::SUCCESS,
            Self::Io(_) | Self::Usage(_) => console::say(&format!("error: {self}")),
        }
        ExitCode::from(if matches!(self, Self::Usage(_)) { 2 } else { 3 })
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        Self::Usage(error.to_string())
    }
}
