//! The chunker that keeps the current chunk until its id is known.

use core::error::Error;
use core::fmt;

use crate::{Chunk, ChunkHasher, ChunkParams, Cutter, GearTable, IdKey, Kernel, RingBuffer, RingError};

/// Cuts and ids a stream that comes through a ring in the caller's memory, and lends each chunk whole, so that a chunk that
/// is known already need not be compressed or stored.
///
/// Takes 2,048 bytes of RAM on 64-bit targets, besides the ring's memory and the gear table, both lent.
///
/// ```
/// use chunkmill_core::{ChunkParams, GearTable, IdKey, RetainingChunker, Step};
///
/// let params = ChunkParams::new(64, 256, 1024, 1)?;
/// let key = IdKey::from_bytes([7; 32]);
/// let mut memory = [0; 1500];
/// let mut chunker = RetainingChunker::new(params, GearTable::published(), &key, &mut memory)?;
///
/// let mut stream = &[42u8; 2500][..];
/// let mut lens = vec![];
/// loop {
///     match chunker.step() {
///         Step::NeedInput => {
///             let window = chunker.window();
///             let len = window.len().min(stream.len());
///             window[..len].copy_from_slice(&stream[..len]);
///             stream = &stream[len..];
///             match len {
///                 0 => chunker.end_input(),
///                 len => chunker.commit(len)?,
///             }
///         }
///         Step::Chunk(retained) => {
///             assert_eq!(retained.first.len() + retained.second.len(), retained.chunk.len as usize);
///             lens.push(retained.chunk.len);
///         }
///         Step::Done => break,
///     }
/// }
/// assert_eq!(lens, [1024, 1024, 452]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RetainingChunker<'g, 'm> {
    cutter: Cutter<'g>,
    hasher: ChunkHasher,
    ring: RingBuffer<'m>,
    /// Offset in the stream of the first byte in the ring that was not lent.
    offset: u64,
    /// Bytes at the front of the ring that are lent out: the chunk of the last step.
    lent: usize,
    /// Bytes behind those lent that the cutter has taken.
    scanned: usize,
    /// Bytes behind those lent that the hasher has taken; at most `scanned`.
    hashed: usize,
    input_ended: bool,
}

/// What a [`RetainingChunker`] has to say next.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Step<'c> {
    /// A whole chunk. Its bytes are free to be overwritten once the next step is taken.
    Chunk(Retained<'c>),
    /// All chunks were given and the input has ended.
    Done,
    /// Fill the window, which now has room, and commit; or end the input.
    NeedInput,
}

/// A chunk and its bytes, in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Retained<'c> {
    /// Place, length and id.
    pub chunk: Chunk,
    /// The chunk's bytes up to the end of the ring's memory.
    pub first: &'c [u8],
    /// The chunk's bytes behind the wrap; empty if it does not wrap.
    pub second: &'c [u8],
}

/// The memory for a ring is too small for the chunk sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RingTooSmall {
    /// Bytes needed: the largest chunk and two.
    pub needed: usize,
    /// Bytes given.
    pub found: usize,
}

impl<'g, 'm> RetainingChunker<'g, 'm> {
    /// A chunker at the start of a stream. The ring may be any larger than the largest chunk: a larger one lets reads be
    /// longer.
    ///
    /// # Errors
    ///
    /// [`RingTooSmall`] if `memory` has fewer than [`memory_needed`](Self::memory_needed) bytes.
    pub fn new(
        params: ChunkParams,
        gear: &'g GearTable,
        key: &IdKey,
        memory: &'m mut [u8],
    ) -> Result<Self, RingTooSmall> {
        let (needed, found) = (Self::memory_needed(&params), memory.len());
        if found < needed {
            return Err(RingTooSmall { needed, found });
        }
        Ok(Self {
            cutter: Cutter::new(params, gear),
            hasher: ChunkHasher::new(key),
            ring: RingBuffer::new(memory),
            offset: 0,
            lent: 0,
            scanned: 0,
            hashed: 0,
            input_ended: false,
        })
    }

    /// Scans with this kernel from now on. Cut points stay the same.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.cutter = self.cutter.with_kernel(kernel);
        self
    }

    /// Bytes of the ring that chunks of these sizes need at least: the largest chunk, a byte held back (see [`Cutter`]) and
    /// the byte that decides about it.
    pub fn memory_needed(params: &ChunkParams) -> usize {
        usize::try_from(params.max()).unwrap_or(usize::MAX).saturating_add(2)
    }

    /// The parameters it was made with.
    pub const fn params(&self) -> ChunkParams {
        self.cutter.params()
    }

    /// Offset in the stream of the current chunk, in bytes.
    pub const fn chunk_offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes to be filled, in one piece. Never empty after [`Step::NeedInput`].
    pub fn window(&mut self) -> &mut [u8] {
        self.ring.window()
    }

    /// Takes in the first `filled` bytes of the window.
    ///
    /// # Errors
    ///
    /// [`RingError::Commit`] if the window is shorter.
    pub fn commit(&mut self, filled: usize) -> Result<(), RingError> {
        self.ring.commit(filled)
    }

    /// Says that no byte will follow. The next steps give the chunks left.
    pub const fn end_input(&mut self) {
        self.input_ended = true;
    }

    /// Goes on to the next chunk, and takes back the one lent before.
    pub fn step(&mut self) -> Step<'_> {
        let lent = core::mem::take(&mut self.lent);
        // As many bytes as were lent are held, so this cannot fail.
        let _ = self.ring.release(lent);
        loop {
            let (bytes, _) = self.ring.slices(self.scanned, usize::MAX);
            if bytes.is_empty() {
                break;
            }
            let scanned = self.cutter.scan(bytes);
            self.scanned = self.scanned.saturating_add(scanned.taken);
            if let Some(len) = scanned.cut {
                return self.lend(len);
            }
            // Whole groups only: what the ring keeps can be hashed later, at full width. A byte held back is never in one:
            // it is the first of a pair, and groups are of pairs.
            self.hash_to(self.scanned.saturating_sub(self.scanned % ChunkHasher::GROUP_LEN));
        }
        if !self.input_ended {
            return Step::NeedInput;
        }
        match self.cutter.finish() {
            Some(len) => self.lend(len),
            None => Step::Done,
        }
    }

    /// Begins a new stream at offset 0, whatever became of the one before.
    pub fn restart(&mut self) {
        let _ = self.ring.release(self.ring.len());
        self.cutter.finish();
        self.hasher.finish();
        self.offset = 0;
        self.lent = 0;
        self.scanned = 0;
        self.hashed = 0;
        self.input_ended = false;
    }

    fn hash_to(&mut self, end: usize) {
        let (first, second) = self.ring.slices(self.hashed, end.saturating_sub(self.hashed));
        self.hasher.update(first);
        self.hasher.update(second);
        self.hashed = end;
    }

    fn lend(&mut self, len: u32) -> Step<'_> {
        let bytes = usize::try_from(len).unwrap_or(usize::MAX);
        self.hash_to(bytes);
        let chunk = Chunk { offset: self.offset, len, id: self.hasher.finish() };
        trace!("chunk at {=u64}: {=u32} bytes", chunk.offset, chunk.len);
        self.offset = self.offset.wrapping_add(u64::from(len));
        self.lent = bytes;
        self.scanned = self.scanned.saturating_sub(bytes);
        self.hashed = 0;
        let (first, second) = self.ring.slices(0, bytes);
        Step::Chunk(Retained { chunk, first, second })
    }
}

impl fmt::Display for RingTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a ring of {} bytes is too small for these chunk sizes, which need {}", self.found, self.needed)
    }
}

impl Error for RingTooSmall {}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn a_ring_of_a_byte_less_is_refused() {
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let key = IdKey::from_bytes([1; 32]);
        let mut memory = [0; 1026];
        let refused = RetainingChunker::new(params, GearTable::published(), &key, &mut memory[..1025]).err();
        assert_eq!(refused, Some(RingTooSmall { needed: 1026, found: 1025 }));
        assert!(RetainingChunker::new(params, GearTable::published(), &key, &mut memory).is_ok());
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<RetainingChunker<'_, '_>>(), 2048);
    }
}
