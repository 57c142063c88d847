use core::error::Error;
use core::fmt;

use crate::pack::PackError;

/// A reader failed. `E` is its own error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadError<E> {
    /// It said so.
    Failed {
        /// Bytes read before.
        offset: u64,
        /// What it said.
        source: E,
    },
    /// It claims to have read more bytes than it was given room for.
    Overrun {
        /// Bytes read before.
        offset: u64,
    },
}

/// A writer failed. `E` is its own error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The stream was finished, or given up after an earlier error: nothing may follow.
    Closed,
    /// It said so.
    Failed {
        /// Bytes written before.
        offset: u64,
        /// What it said.
        source: E,
    },
    /// It took no byte of a write that has some: it is full.
    Full {
        /// Bytes written before.
        offset: u64,
    },
    /// The chunk does not follow the one before it, is longer than the pack's sizes allow, or has its id under another key:
    /// the chunker and the packer do not belong together.
    Misplaced {
        /// Offset of the chunk in its stream.
        offset: u64,
    },
    /// It claims to have taken more bytes than it was given.
    Overrun {
        /// Bytes written before.
        offset: u64,
    },
}

/// Why [`ingest`](super::ingest) stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum IngestError<R, S> {
    /// The stream could not be read.
    Read(ReadError<R>),
    /// The sink failed.
    Sink(S),
}

/// Why [`restore`](super::restore) or [`verify`](super::verify) stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RestoreError<R, S, W> {
    /// The pack is damaged, cut off, or of another key.
    Pack(PackError),
    /// The pack could not be read.
    Read(ReadError<R>),
    /// The source of chunks that are not in the pack failed.
    Source(S),
    /// What was restored could not be written.
    Write(WriteError<W>),
}

impl<E: fmt::Display> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { offset, source } => write!(f, "reading failed at offset {offset}: {source}"),
            Self::Overrun { offset } => write!(f, "the reader overran its window at offset {offset}"),
        }
    }
}

impl<E: Error + 'static> Error for ReadError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed { source, .. } => Some(source),
            Self::Overrun { .. } => None,
        }
    }
}

impl<E: fmt::Display> fmt::Display for WriteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the stream is finished or was given up"),
            Self::Failed { offset, source } => write!(f, "writing failed at offset {offset}: {source}"),
            Self::Full { offset } => write!(f, "the writer takes no more bytes at offset {offset}"),
            Self::Misplaced { offset } => write!(f, "the chunk at offset {offset} does not belong into this pack"),
            Self::Overrun { offset } => write!(f, "the writer claims more bytes than it was given at offset {offset}"),
        }
    }
}

impl<E: Error + 'static> Error for WriteError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed { source, .. } => Some(source),
            Self::Closed | Self::Full { .. } | Self::Misplaced { .. } | Self::Overrun { .. } => None,
        }
    }
}

impl<R: fmt::Display, S: fmt::Display> fmt::Display for IngestError<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

impl<R: Error + 'static, S: Error + 'static> Error for IngestError<R, S> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read(error) => error.source(),
            Self::Sink(error) => error.source(),
        }
    }
}

impl<R: fmt::Display, S: fmt::Display, W: fmt::Display> fmt::Display for RestoreError<R, S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pack(error) => error.fmt(f),
            Self::Read(error) => error.fmt(f),
            Self::Source(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
        }
    }
}

impl<R: Error + 'static, S: Error + 'static, W: Error + 'static> Error for RestoreError<R, S, W> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Pack(error) => error.source(),
            Self::Read(error) => error.source(),
            Self::Source(error) => error.source(),
            Self::Write(error) => error.source(),
        }
    }
}
