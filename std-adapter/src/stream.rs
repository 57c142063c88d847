//! What can be scanned: readers, and what to do between them.

use std::io::{self, Read};

/// A stream of bytes for a scan, which may read it on any of its threads.
pub trait Stream: Read + Send {
    /// What is left of it when it has ended.
    type End: Send;

    /// Called when the stream has ended or failed, on the thread that read it: the place to close files, of which many short
    /// ones may end before the first of them is reported.
    fn end(self) -> Self::End;

    /// Bytes of zeros that come next and lie in a hole: they need not be read, see [`skip`](Self::skip). 0 if there is no
    /// hole here, or nobody knows.
    fn hole(&mut self) -> u64 {
        0
    }

    /// Passes over bytes of the hole at hand, no more than [`hole`](Self::hole) said.
    fn skip(&mut self, len: u64) {
        let _ = len;
    }

    /// Whether a read may wait for a writer, as that of a pipe does. What has been read is then worked on, and its chunks are
    /// given, without waiting for more.
    fn waits(&self) -> bool {
        true
    }
}

/// Any reader as a [`Stream`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain<R>(pub R);

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read + Send> Stream for Plain<R> {
    type End = ();

    fn end(self) {}
}

/// What comes next in a run over many streams. `T` is the caller's own word for it, a path for example.
#[derive(Debug)]
#[non_exhaustive]
pub enum Next<T, R> {
    /// Nothing to scan, but something to tell in its place among the streams.
    Note(T),
    /// A stream.
    Stream(T, R),
}
