//! Chunks that lie side by side, on their way into a pack.

use core::ops::Range;
use std::io;

use chunkmill_core::pack::{BlockLen, CompressTable, Compressor};
use chunkmill_core::{Chunk, ChunkId, ChunkIndex, IdKey};

/// Bytes read at once: they are cut while they are still in the cache.
pub(super) const STEP: usize = 128 << 10;

/// Whole chunks, one behind the other: at least [`Span::LEN`] bytes of them while the stream goes on, so that handing a span to
/// another thread costs little beside the work on it.
#[derive(Debug, Default)]
pub(super) struct Span {
    /// Longer than the chunks: its memory is used again, and never cleared.
    bytes: Vec<u8>,
    /// Frames of the chunks that are worth one.
    frames: Vec<u8>,
    pub(super) cuts: Vec<Cut>,
    round: Round,
}

/// A chunk of a span.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) chunk: Chunk,
    /// In the bytes of the span.
    at: usize,
    pub(super) fate: Fate,
}

/// What becomes of a chunk.
#[derive(Debug)]
pub(super) enum Fate {
    /// It goes into the pack as this part of the span's frames.
    Framed(Range<usize>),
    /// It goes into the pack as it is, unless it is worth a frame.
    New,
    /// It stands earlier in the stream.
    Repeated,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Round {
    #[default]
    Hash,
    Compress,
}

/// What one thread works with.
pub(super) struct Tools<'k> {
    pub(super) key: &'k IdKey,
    pub(super) table: CompressTable,
}

impl Span {
    /// Bytes of chunks that are enough for a span.
    pub(super) const LEN: usize = 256 << 10;

    /// A span with room for all it can hold when no chunk is longer than `max`. The system gives pages of it only as they are
    /// used.
    pub(super) fn with_room(max: usize) -> io::Result<Self> {
        let (bytes, frames) = Self::room(max);
        let mut span = Self::default();
        span.bytes.try_reserve_exact(bytes)?;
        span.frames.try_reserve_exact(frames)?;
        Ok(span)
    }

    /// Bytes of memory that such a span takes at most.
    pub(super) fn most_memory(max: usize) -> usize {
        let (bytes, frames) = Self::room(max);
        bytes.saturating_add(frames)
    }

    fn room(max: usize) -> (usize, usize) {
        let chunks = Self::LEN.saturating_add(max);
        (chunks.saturating_add(STEP), Compressor::room_for(BlockLen::MAX, chunks))
    }

    /// As it was when it was new, but for its memory.
    pub(super) fn clear(&mut self) {
        self.cuts.clear();
        self.round = Round::Hash;
    }

    /// `len` bytes to be filled, behind the first `at`.
    pub(super) fn window(&mut self, at: usize, len: usize) -> &mut [u8] {
        grow(&mut self.bytes, at.saturating_add(len));
        self.bytes.get_mut(at..at.saturating_add(len)).unwrap_or_default()
    }

    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Adds a chunk, which begins `at` its bytes.
    pub(super) fn push(&mut self, at: usize, offset: u64, len: u32) {
        let chunk = Chunk { offset, len, id: ChunkId::from_bytes([0; 32]) };
        self.cuts.push(Cut { chunk, at, fate: Fate::New });
    }

    /// The next round of work: ids first, then frames.
    pub(super) fn work(&mut self, tools: &mut Tools<'_>) {
        match self.round {
            Round::Hash => self.hash(tools.key),
            Round::Compress => self.compress(&mut tools.table),
        }
    }

    /// Settles what is new, in stream order, once the ids are there. Whether there is something to compress.
    pub(super) fn decide(&mut self, index: &mut impl ChunkIndex, compressed: bool) -> bool {
        self.round = Round::Compress;
        let mut new = false;
        for cut in &mut self.cuts {
            if index.contains(&cut.chunk.id) {
                cut.fate = Fate::Repeated;
            } else {
                index.insert(&cut.chunk);
                new = true;
            }
        }
        new && compressed
    }

    /// The bytes of a chunk of this span.
    pub(super) fn raw(&self, cut: &Cut) -> &[u8] {
        self.bytes(cut.range())
    }

    pub(super) fn frame(&self, range: Range<usize>) -> &[u8] {
        self.frames.get(range).unwrap_or_default()
    }

    fn hash(&mut self, key: &IdKey) {
        for cut in &mut self.cuts {
            cut.chunk.id = key.id_of(self.bytes.get(cut.range()).unwrap_or_default());
        }
    }

    fn compress(&mut self, table: &mut CompressTable) {
        let mut used = 0usize;
        for cut in self.cuts.iter_mut().filter(|cut| matches!(cut.fate, Fate::New)) {
            let bytes = self.bytes.get(cut.range()).unwrap_or_default();
            grow(&mut self.frames, used.saturating_add(Compressor::room_for(BlockLen::MAX, bytes.len())));
            let room = self.frames.get_mut(used..).unwrap_or_default();
            // The table is a large one.
            if let Ok(Some(len)) = Compressor::compress_into(BlockLen::MAX, table, bytes, room) {
                let end = used.saturating_add(len);
                cut.fate = Fate::Framed(used..end);
                used = end;
            }
        }
    }
}

impl Cut {
    fn range(&self) -> Range<usize> {
        self.at..self.at.saturating_add(usize::try_from(self.chunk.len).unwrap_or(0))
    }
}

/// Makes a vector at least so long.
pub(super) fn grow(vector: &mut Vec<u8>, len: usize) {
    if vector.len() < len {
        vector.resize(len, 0);
    }
}
