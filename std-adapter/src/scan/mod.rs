//! Streams in, chunks and ids out, on as many threads as there are.
//!
//! The way of the data: [`filling`] reads it into a [`batch`], [`cutting`] finds the cut points, [`hashing`] hashes the
//! spans between them, [`delivery`] puts chunks together and hands them out. [`board`] says which thread does what next, and
//! [`run`] has the threads do it.

mod batch;
mod board;
mod cutting;
mod delivery;
mod filling;
mod hashing;
mod run;
#[cfg(test)]
mod tests;

use core::convert::Infallible;
use std::io::Read;

use chunkmill_core::{Chunk, ChunkId, ChunkParams, Cutter, GearTable, IdKey, Kernel};

use self::cutting::Cuts;
use self::delivery::Found;
use self::filling::Zeros;
use self::run::{Setup, run};
use crate::{Gate, Next, Objective, Pace, Plain, Pool, ReadError, Stream};

/// Cuts and ids streams on the threads of a pool. Chunks, ids and their order are the same for every number of threads.
///
/// Streams are read into batches of 256 KiB, which are cut one after the other and hashed by whoever is free: a long chunk in
/// pieces, short ones and short streams many at once. So the memory does not depend on the length of chunks and streams:
/// 272 KiB of heap for a batch, three batches for each thread; one on one thread.
///
/// ```
/// use chunkmill::core::{ChunkParams, GearTable, IdKey};
/// use chunkmill::{Pool, ScanError, Scanner};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let scanner = Scanner::new(ChunkParams::DEFAULT, GearTable::published(), &key);
/// let chunks = Pool::scope(Pool::default_threads(), |pool| {
///     let mut chunks = Vec::new();
///     scanner.scan(pool, &[0; 20 << 20][..], |chunk| {
///         chunks.push(chunk);
///         Ok::<(), ScanError>(())
///     })?;
///     Ok::<_, ScanError<ScanError>>(chunks)
/// })?;
/// assert_eq!(chunks.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scanner<'s> {
    params: ChunkParams,
    gear: &'s GearTable,
    kernel: Kernel,
    work: Work<'s>,
}

/// Gives whole streams their ids, on the threads of a pool: keyed BLAKE3, what `b3sum --keyed` prints.
///
/// Takes the same memory as a [`Scanner`].
///
/// ```
/// use chunkmill::core::IdKey;
/// use chunkmill::{Pool, StreamHasher};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let id = Pool::scope(2, |pool| StreamHasher::new(&key).hash(pool, &b"abc"[..]))?;
/// assert_eq!(id, key.id_of(b"abc"));
/// # Ok::<(), chunkmill::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamHasher<'s> {
    work: Work<'s>,
}

#[derive(Clone, Debug)]
struct Work<'s> {
    key: &'s IdKey,
    gate: Gate,
    memory: usize,
    pace: Option<&'s Pace>,
}

/// What a scan of many streams finds, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'l, T, E> {
    /// A chunk of the stream with this label.
    Chunk(&'l T, Chunk),
    /// A stream has ended, with what [`Stream::end`] gave, after so many bytes or with an error. The bytes since the last chunk are not reported then.
    End(T, E, Result<u64, ReadError>),
    /// A [`Next::Note`], in its place.
    Note(T),
}

/// What hashing many streams finds, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum HashEvent<T, E> {
    /// The id of a stream, or why it has none.
    End(T, E, Result<ChunkId, ReadError>),
    /// A [`Next::Note`], in its place.
    Note(T),
}

/// Why a scan stopped. `E` is the visitor's own error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError<E = Infallible> {
    /// The reader failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The visitor wanted to stop.
    #[error(transparent)]
    Visit(E),
}

/// Memory for batches if nothing else is said, in bytes.
const MEMORY: usize = 64 << 20;

macro_rules! work_options {
    () => {
        /// Calls helpers once a run has read as many bytes as the gate's threshold and more are to come.
        #[must_use]
        pub const fn with_gate(mut self, gate: Gate) -> Self {
            self.work.gate = gate;
            self
        }

        /// Lets batches take no more than `bytes` of memory, but one batch there must be. 64 MiB if nothing is said, which
        /// is enough for 78 threads.
        #[must_use]
        pub const fn with_memory(mut self, bytes: usize) -> Self {
            self.work.memory = bytes;
            self
        }

        /// Keeps to a pace.
        #[must_use]
        pub const fn with_pace(mut self, pace: &'s Pace) -> Self {
            self.work.pace = Some(pace);
            self
        }
    };
}

impl<'s> Scanner<'s> {
    /// A scanner; gear table and key are borrowed.
    pub const fn new(params: ChunkParams, gear: &'s GearTable, key: &'s IdKey) -> Self {
        Self { params, gear, kernel: Kernel::DEFAULT, work: Work::new(key) }
    }

    /// Scans with this kernel. Cut points stay the same.
    #[must_use]
    pub const fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    work_options!();

    /// Reads `reader` to its end and gives each chunk, in order, to `visit`. Returns the bytes read.
    ///
    /// [`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) is retried. A stream without a byte has no chunk.
    ///
    /// # Errors
    ///
    /// [`ScanError::Read`] if the reader fails; the chunks that ended before were visited, the bytes after them are not
    /// reported. [`ScanError::Visit`] with the visitor's own error, as soon as it gives one.
    ///
    /// # Panics
    ///
    /// If `reader` or `visit` does.
    pub fn scan<E>(
        &self,
        pool: &Pool<'_, '_>,
        reader: impl Read + Send,
        mut visit: impl FnMut(Chunk) -> Result<(), E>,
    ) -> Result<u64, ScanError<E>> {
        let mut read = Ok(0);
        let stream = core::iter::once(Next::Stream((), Plain(reader)));
        let visited = self.scan_all(pool, stream, |event| {
            match event {
                Event::Chunk((), chunk) => visit(chunk)?,
                Event::End((), _, result) => read = result,
                Event::Note(()) => {}
            }
            Ok(())
        });
        visited.map_err(ScanError::Visit)?;
        Ok(read?)
    }

    /// Reads many streams one after the other and gives what it finds to `visit`, in order. The streams are made and read on
    /// any of the pool's threads, `visit` is called on this one. A stream that fails does not stop the others.
    ///
    /// # Errors
    ///
    /// The visitor's own, as soon as it gives one: then all work stops. A helper that waits for a pipe at that moment is waited
    /// for.
    ///
    /// # Panics
    ///
    /// If `streams`, one of them or `visit` does.
    pub fn scan_all<T: Send, R: Stream, E>(
        &self,
        pool: &Pool<'_, '_>,
        streams: impl Iterator<Item = Next<T, R>> + Send,
        mut visit: impl FnMut(Event<'_, T, R::End>) -> Result<(), E>,
    ) -> Result<(), E> {
        let cutter = Cutter::new(self.params, self.gear).with_kernel(self.kernel);
        let zeros = Zeros::new(cutter.clone(), self.work.key);
        let setup = self.work.setup(Some(&zeros));
        run(pool, &setup, Cuts::ByContent(cutter), streams, |found| {
            visit(match found {
                Found::Chunk { label, offset, len, id } => {
                    // A chunk that was cut by content has at most 16 MiB.
                    Event::Chunk(label, Chunk { offset, len: u32::try_from(len).unwrap_or(u32::MAX), id })
                }
                Found::End { label, end, result } => Event::End(label, end, result),
                Found::Note(note) => Event::Note(note),
            })
        })
    }
}

impl<'s> StreamHasher<'s> {
    /// A hasher; the key is borrowed.
    pub const fn new(key: &'s IdKey) -> Self {
        Self { work: Work::new(key) }
    }

    work_options!();

    /// Reads `reader` to its end and gives its id.
    ///
    /// # Errors
    ///
    /// What the reader says; [`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) is retried.
    ///
    /// # Panics
    ///
    /// If `reader` does.
    pub fn hash(&self, pool: &Pool<'_, '_>, reader: impl Read + Send) -> Result<ChunkId, ReadError> {
        let mut found = None;
        let stream = core::iter::once(Next::Stream((), Plain(reader)));
        let Ok(()) = self.hash_all(pool, stream, |event| {
            if let HashEvent::End((), _, result) = event {
                found = Some(result);
            }
            Ok::<(), Infallible>(())
        });
        found.unwrap_or_else(|| Ok(self.work.key.id_of(&[])))
    }

    /// Reads many streams one after the other and gives their ids to `visit`, in order. The streams are made and read on any
    /// of the pool's threads, `visit` is called on this one. A stream that fails does not stop the others.
    ///
    /// # Errors
    ///
    /// The visitor's own, as soon as it gives one: then all work stops. A helper that waits for a pipe at that moment is waited
    /// for.
    ///
    /// # Panics
    ///
    /// If `streams`, one of them or `visit` does.
    pub fn hash_all<T: Send, R: Stream, E>(
        &self,
        pool: &Pool<'_, '_>,
        streams: impl Iterator<Item = Next<T, R>> + Send,
        mut visit: impl FnMut(HashEvent<T, R::End>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut last = None;
        run(pool, &self.work.setup(None), Cuts::Never(0), streams, |found| match found {
            Found::Chunk { id, .. } => {
                last = Some(id);
                Ok(())
            }
            Found::End { label, end, result } => {
                let id = last.take().unwrap_or_else(|| self.work.key.id_of(&[]));
                visit(HashEvent::End(label, end, result.map(|_| id)))
            }
            Found::Note(note) => visit(HashEvent::Note(note)),
        })
    }
}

impl<'s> Work<'s> {
    const fn new(key: &'s IdKey) -> Self {
        Self { key, gate: Gate::new(Objective::Balanced), memory: MEMORY, pace: None }
    }

    fn setup<'r>(&self, zeros: Option<&'r Zeros<'r>>) -> Setup<'r>
    where
        's: 'r,
    {
        Setup {
            key: self.key,
            zeros,
            pace: self.pace,
            threshold: self.gate.threshold(),
            memory: self.memory,
            #[cfg(test)]
            before_job: &tests::before_job,
        }
    }
}
