//! The unit that threads hand on: a buffer of stream bytes, and what they are.

use chunkmill_core::{ChunkId, Piece, Subtree};

use crate::ReadError;

/// Up to [`Batch::LEN`] bytes of one stream or of many, with what is between them. A long chunk lies in many batches, many
/// short ones in one: either way a batch is about as much work as any other, and all of it in the L2 cache at once.
///
/// ```text
/// buffer:  |      HEAD      |                 LEN                  |
///               | carried   | read                       |
/// spans:        | end of a chunk | chunk | chunk | start of a chunk | to be carried |
/// ```
///
/// The start of a chunk that goes on ends a whole number of hash groups into the chunk. The rest is carried over into the
/// next batch, so that no span is hashed across a seam and BLAKE3's vectors are always full.
pub(super) struct Batch<T, E> {
    buffer: Box<[u8]>,
    /// Bytes of `buffer` in use, from [`Batch::HEAD`] on.
    filled: usize,
    /// What was read, in order.
    pub(super) parts: Vec<Part<T, E>>,
    /// What it was cut into, in order.
    pub(super) items: Vec<Item<T, E>>,
    /// Of all spans that are not whole chunks, in order.
    pub(super) subtrees: Vec<Subtree>,
}

pub(super) enum Part<T, E> {
    Bytes(usize),
    End(E, Result<u64, ReadError>),
    Note(T),
    Start(T),
    /// So many chunks of zeros alone.
    Zeros(u64),
}

pub(super) enum Item<T, E> {
    End(E, Result<u64, ReadError>),
    Note(T),
    Span(Span),
    Start(T),
    Zeros(u64),
}

/// Bytes of one chunk.
pub(super) struct Span {
    /// Index in the buffer.
    pub(super) at: usize,
    pub(super) len: usize,
    /// Place of its first byte in the chunk.
    pub(super) from: u64,
    /// Whether the chunk ends with it.
    pub(super) last: bool,
    pub(super) hashed: Hashed,
}

pub(super) enum Hashed {
    NotYet,
    /// So many subtrees of the batch.
    Subtrees(usize),
    Whole(ChunkId),
}

impl<T, E> Batch<T, E> {
    /// Bytes read into a batch.
    pub(super) const LEN: usize = 256 << 10;

    /// Bytes before them for what is carried over: a hash group, and a byte that the cutter holds back. A cache line more
    /// keeps what is read aligned.
    pub(super) const HEAD: usize = Piece::ALIGNMENT + 64;

    /// Heap that a batch takes, but for its lists.
    pub(super) const BYTES: usize = Self::HEAD + Self::LEN;

    /// Parts beyond which a batch counts as full: empty files take no bytes, but they take time.
    const MOST_PARTS: usize = 1024;

    pub(super) fn new() -> Self {
        Self {
            buffer: vec![0; Self::BYTES].into(),
            filled: 0,
            parts: Vec::new(),
            items: Vec::new(),
            subtrees: Vec::new(),
        }
    }

    /// Ready to be filled again.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
        self.parts.clear();
        self.items.clear();
        self.subtrees.clear();
    }

    pub(super) fn is_full(&self) -> bool {
        self.filled == Self::LEN || self.parts.len() >= Self::MOST_PARTS
    }

    /// Bytes read into it.
    pub(super) const fn filled(&self) -> usize {
        self.filled
    }

    /// Where to read on.
    pub(super) fn window(&mut self) -> &mut [u8] {
        self.buffer.get_mut(Self::HEAD.saturating_add(self.filled)..).unwrap_or_default()
    }

    /// Says that so many bytes were read into [`window`](Self::window).
    pub(super) fn fill(&mut self, len: usize) {
        self.filled = self.filled.saturating_add(len).min(Self::LEN);
        if let Some(Part::Bytes(before)) = self.parts.last_mut() {
            *before = before.saturating_add(len);
        } else {
            self.parts.push(Part::Bytes(len));
        }
    }

    /// Puts what the batch before left over in front of what was read, and says where it starts.
    pub(super) fn prepend(&mut self, carried: &[u8]) -> usize {
        let start = Self::HEAD.saturating_sub(carried.len());
        if let Some(head) = self.buffer.get_mut(start..Self::HEAD) {
            head.copy_from_slice(carried);
        }
        start
    }

    pub(super) fn bytes(&self, at: usize, len: usize) -> &[u8] {
        self.buffer.get(at..at.saturating_add(len)).unwrap_or_default()
    }
}
