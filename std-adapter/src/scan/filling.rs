//! The first stage: streams are read, one after the other.

use std::sync::OnceLock;

use chunkmill_core::{ChunkHasher, ChunkId, Cutter, IdKey};

use super::batch::{Batch, Part};
use crate::read::read_some;
use crate::{Next, ReadError, Stream};

pub(super) struct Filling<'z, S, R> {
    streams: S,
    current: Option<Current<R>>,
    zeros: Option<&'z Zeros<'z>>,
}

struct Current<R> {
    stream: R,
    offset: u64,
    /// Bytes since the hole at hand began.
    in_hole: u64,
}

/// The chunk that a long run of zeros is cut into again and again. Made when there is the first such run.
pub(super) struct Zeros<'g> {
    cutter: Cutter<'g>,
    key: &'g IdKey,
    chunk: OnceLock<ZeroChunk>,
}

#[derive(Clone, Copy)]
pub(super) struct ZeroChunk {
    pub(super) len: u32,
    pub(super) id: ChunkId,
}

/// Chunks of zeros that are given at once: visiting them takes time, too, and a pace is kept only between batches.
const MOST_ZEROS: u64 = 4096;

/// What follows a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    More,
    /// More of a stream whose writer may keep us waiting.
    MoreThatWaits,
    Nothing,
}

impl<'z, T, R: Stream, S: Iterator<Item = Next<T, R>>> Filling<'z, S, R> {
    /// With `zeros`, holes are passed over.
    pub(super) fn new(streams: S, zeros: Option<&'z Zeros<'z>>) -> Self {
        Self { streams, current: None, zeros }
    }

    /// Fills a batch, and says what is behind it.
    pub(super) fn fill(&mut self, batch: &mut Batch<T, R::End>) -> Follows {
        if !self.fill_up(batch) {
            return Follows::Nothing;
        }
        let waits = self.current.as_ref().is_some_and(|current| current.stream.waits());
        if waits { Follows::MoreThatWaits } else { Follows::More }
    }

    /// False if there is nothing more.
    fn fill_up(&mut self, batch: &mut Batch<T, R::End>) -> bool {
        while !batch.is_full() {
            let Some(current) = &mut self.current else {
                match self.streams.next() {
                    Some(Next::Note(note)) => batch.parts.push(Part::Note(note)),
                    Some(Next::Stream(label, stream)) => {
                        batch.parts.push(Part::Start(label));
                        let waits = stream.waits();
                        self.current = Some(Current { stream, offset: 0, in_hole: 0 });
                        if waits && batch.filled() > 0 {
                            return true;
                        }
                    }
                    None => return false,
                }
                continue;
            };
            let hole = current.stream.hole();
            if let Some(chunks) = self.zeros.and_then(|zeros| current.skip(hole, zeros)) {
                batch.parts.push(Part::Zeros(chunks));
                return true;
            }
            let mut window = batch.window();
            // No more zeros than it takes until the rest can be passed over.
            if let Some(settled) = self.zeros.and_then(|zeros| zeros.settled_in(hole))
                && let Ok(wanted) = usize::try_from(settled.saturating_sub(current.in_hole))
                && wanted > 0
            {
                let len = wanted.min(window.len());
                window = window.get_mut(..len).unwrap_or_default();
            }
            let room = window.len();
            let before = current.offset;
            match read_some(&mut current.stream, window, &mut current.offset).map(<[u8]>::len) {
                Ok(1..) => {
                    let len = usize::try_from(current.offset.saturating_sub(before)).unwrap_or(0);
                    current.note_zeros(hole, len);
                    batch.fill(len);
                    if len < room && current.stream.waits() {
                        return true;
                    }
                }
                end => self.end(batch, end.map(|_| before)),
            }
        }
        true
    }

    fn end(&mut self, batch: &mut Batch<T, R::End>, result: Result<u64, ReadError>) {
        if let Some(current) = self.current.take() {
            batch.parts.push(Part::End(current.stream.end(), result));
        }
    }
}

impl<R: Stream> Current<R> {
    /// Passes over as many whole chunks of zeros as fit into the hole. Putting them in or out changes nothing but their own
    /// number and what comes after: the chunk at hand has zeros alone, and its state depends on their number alone.
    fn skip(&mut self, hole: u64, zeros: &Zeros<'_>) -> Option<u64> {
        if self.in_hole < zeros.settled_in(hole)? {
            return None;
        }
        let len = u64::from(zeros.chunk().len);
        let chunks = hole.checked_div(len)?.min(MOST_ZEROS);
        let bytes = chunks.saturating_mul(len);
        self.stream.skip(bytes);
        self.offset = self.offset.saturating_add(bytes);
        Some(chunks)
    }

    fn note_zeros(&mut self, hole: u64, read: usize) {
        let read = u64::try_from(read).unwrap_or(0);
        // A read may end behind the hole.
        self.in_hole = if read <= hole { self.in_hole.saturating_add(read) } else { 0 };
    }
}

impl<'g> Zeros<'g> {
    /// For what this cutter, which is at the start of a stream, makes of zeros.
    pub(super) const fn new(cutter: Cutter<'g>, key: &'g IdKey) -> Self {
        Self { cutter, key, chunk: OnceLock::new() }
    }

    /// After so many of its zeros the chunk at hand began among them: within max, a byte held back, and one that decides about
    /// it. `None` if the hole is too short for a chunk to be passed over.
    fn settled_in(&self, hole: u64) -> Option<u64> {
        let max = u64::from(self.cutter.params().max());
        (hole >= max).then(|| max.saturating_add(2))
    }

    pub(super) fn chunk(&self) -> ZeroChunk {
        *self.chunk.get_or_init(|| {
            let zeros = [0; 4096];
            let mut cutter = self.cutter.clone();
            let len = loop {
                if let Some(len) = cutter.scan(&zeros).cut {
                    break len;
                }
            };
            let mut hasher = ChunkHasher::new(self.key);
            let mut left = usize::try_from(len).unwrap_or(0);
            while left > 0 {
                let part = left.min(zeros.len());
                hasher.update(zeros.get(..part).unwrap_or_default());
                left = left.saturating_sub(part);
            }
            ZeroChunk { len, id: hasher.finish() }
        })
    }
}
