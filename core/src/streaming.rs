//! The chunker for windows smaller than a chunk: it lends the caller's bytes back, span by span.

use crate::{Chunk, ChunkHasher, ChunkParams, Cutter, GearTable, IdKey, Kernel};

/// Cuts and ids a stream that is pushed in slices of any size. Keeps no bytes but one.
///
/// Takes 1,992 bytes of RAM on 64-bit targets; the gear table is borrowed. Offsets count in u64 on every target and wrap
/// past 2^64.
///
/// See the [crate's page](crate) for an example.
#[derive(Clone, Debug)]
pub struct StreamingChunker<'g> {
    cutter: Cutter<'g>,
    hasher: ChunkHasher,
    /// Offset of the current chunk in the stream.
    offset: u64,
    /// The byte that the cutter holds back, if it does. Neither hashed nor lent yet.
    held: [u8; 1],
    /// The byte held back turned out to belong to the current chunk: it goes out with the next span.
    owed: bool,
}

/// Bytes of the current chunk, and the chunk itself if it ends with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Span<'a> {
    /// The next bytes of the current chunk. Empty when all that was found is the end of the chunk, or when the only byte
    /// pushed is held back.
    pub bytes: &'a [u8],
    /// The chunk, if `bytes` are its last.
    pub ended: Option<Chunk>,
}

impl<'g> StreamingChunker<'g> {
    /// A chunker at the start of a stream.
    pub fn new(params: ChunkParams, gear: &'g GearTable, key: &IdKey) -> Self {
        Self { cutter: Cutter::new(params, gear), hasher: ChunkHasher::new(key), offset: 0, held: [0], owed: false }
    }

    /// Lets the stream start at `offset` instead of 0: chunks then tell their place in something larger. Call it between
    /// streams; in the middle of one it shifts the current chunk and those after it.
    #[must_use]
    pub fn starting_at(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// Scans with this kernel from now on. Cut points stay the same.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.cutter = self.cutter.with_kernel(kernel);
        self
    }

    /// Offset of the current chunk in the stream, in bytes.
    pub const fn chunk_offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the current chunk pushed so far. A byte that may belong to the next chunk counts.
    pub const fn chunk_len(&self) -> u32 {
        self.cutter.chunk_len()
    }

    /// Takes bytes from the front of `input` and lends back the next span. `None` when `input` is used up: push the next
    /// bytes of the stream, or [`finish`](Self::finish).
    ///
    /// A span may be of the byte that an earlier push ended with: see [`Cutter`].
    pub fn push<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Option<Span<'s>> {
        if self.owed {
            self.owed = false;
            self.hasher.update(&self.held);
            return Some(Span { bytes: &self.held, ended: None });
        }
        if input.is_empty() {
            return None;
        }
        let was_held = self.cutter.holds_byte();
        let scanned = self.cutter.scan(input);
        let (taken, rest) = input.split_at_checked(scanned.taken).unwrap_or((*input, &[]));
        *input = rest;
        let bytes = match taken {
            [bytes @ .., last] if self.cutter.holds_byte() => {
                self.held = [*last];
                bytes
            }
            bytes => bytes,
        };
        self.hasher.update(bytes);
        self.owed = was_held;
        let ended = scanned.cut.map(|len| self.end_chunk(len));
        Some(Span { bytes, ended })
    }

    /// Ends the stream, once [`push`](Self::push) has given `None`: input that was not pushed to its end is not part of it.
    /// Gives the last span with the last chunk, or `None` if no byte came since the last chunk ended. The
    /// chunker is then at the start of a new stream, at offset 0.
    pub fn finish(&mut self) -> Option<Span<'_>> {
        let bytes: &[u8] = if self.cutter.holds_byte() || self.owed { &self.held } else { &[] };
        self.owed = false;
        self.hasher.update(bytes);
        let ended = self.cutter.finish().map(|len| {
            let id = self.hasher.finish();
            Chunk { offset: self.offset, len, id }
        });
        self.offset = 0;
        ended.map(|chunk| Span { bytes, ended: Some(chunk) })
    }

    fn end_chunk(&mut self, len: u32) -> Chunk {
        let chunk = Chunk { offset: self.offset, len, id: self.hasher.finish() };
        trace!("chunk at {=u64}: {=u32} bytes", chunk.offset, chunk.len);
        self.offset = self.offset.wrapping_add(u64::from(len));
        chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn offsets_past_four_gib() {
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let key = IdKey::from_bytes([3; 32]);
        let start = u64::from(u32::MAX) - 1000;
        let mut chunker = StreamingChunker::new(params, GearTable::published(), &key).starting_at(start);
        let mut input = &[0u8; 2500][..];
        let mut offsets = [0; 2];
        let mut count = 0;
        while let Some(span) = chunker.push(&mut input) {
            if let Some(chunk) = span.ended {
                offsets[count] = chunk.offset;
                count += 1;
            }
        }
        let last = chunker.finish().and_then(|span| span.ended).unwrap();
        assert_eq!(offsets, [start, start + 1024]);
        assert_eq!((last.offset, last.len), (start + 2048, 452));
        assert!(last.offset > u64::from(u32::MAX));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<StreamingChunker<'_>>(), 1992);
    }
}
