//! All memory that the work takes, to be put into a `static`.

use core::fmt;

use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, CompressorError, Reader};
use chunkmill_core::{ChunkParams, GearTable, IdKey, RecentIndex, RetainingChunker, RingTooSmall};
use heapless::HistoryBuf;

use crate::restored::Places;

/// Chunks of 1 KiB at least, 4 KiB on average and 8 KiB at most.
pub const PARAMS: ChunkParams = match ChunkParams::new(1 << 10, 4 << 10, MAX_CHUNK, 1) {
    Ok(params) => params,
    Err(_) => panic!("these sizes are valid"),
};

/// 1 KiB: what compressing a block needs grows with it.
pub const BLOCK: BlockLen = match BlockLen::from_log2(10) {
    Some(block) => block,
    None => panic!("1 KiB is a block length"),
};

/// The key of this example. A product has one of its own for each user, in memory that is not read out with the flash.
pub const KEY: [u8; 32] = *b"the key of the firmware example!";

const MAX_CHUNK: u32 = 8 << 10;
const MAX_CHUNK_LEN: usize = 8 << 10;
/// Bytes of the ring: the largest chunk and 2.
pub const RING: usize = MAX_CHUNK_LEN + 2;
/// [`Compressor::scratch_for`] these sizes: every chunk that is worth it is compressed.
const SCRATCH: usize = 9865;

/// What else a stream takes, one at a time, written or read. All zeros at first, so that a `static` of it takes no flash. The
/// compressor's table is not, and is lent besides.
pub struct Memory {
    /// Of the compressor, or of a reader for a block.
    pub(crate) scratch: [u8; SCRATCH],
    /// What of a stream is referred to when it comes again: the last 64 chunks stored.
    pub(crate) index: RecentIndex<64>,
    /// Of a reader for a chunk.
    chunk: [u8; MAX_CHUNK_LEN],
    places: Places,
}

impl Memory {
    /// Memory that was not used yet.
    pub const fn new() -> Self {
        Self { scratch: [0; SCRATCH], index: RecentIndex::new(), chunk: [0; MAX_CHUNK_LEN], places: HistoryBuf::new() }
    }

    /// A reader of packs with chunks of at most 8 KiB, whatever their block length, and the memory for what references stand
    /// for.
    pub fn reader(&mut self, key: &IdKey) -> (Reader<'_>, &mut Places) {
        (Reader::new(key, &mut self.chunk, &mut self.scratch), &mut self.places)
    }

    /// A chunk's memory as mere bytes, and a compressor, for measuring.
    ///
    /// # Errors
    ///
    /// [`CompressorError`] if the table is the wrong one.
    pub fn parts<'m>(
        &'m mut self,
        table: &'m mut CompressTable,
    ) -> Result<(&'m mut [u8; MAX_CHUNK_LEN], Compressor<'m>), CompressorError> {
        Ok((&mut self.chunk, Compressor::new(BLOCK, table, &mut self.scratch)?))
    }
}

/// A chunker of these sizes. It has 2 KiB: where the stack is small, it belongs into a `static`, too.
///
/// # Errors
///
/// None: the ring is large enough.
pub fn chunker<'m>(ring: &'m mut [u8; RING], key: &IdKey) -> Result<RetainingChunker<'static, 'm>, RingTooSmall> {
    RetainingChunker::new(PARAMS, GearTable::published(), key, ring)
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_the_sizes_need() {
        assert_eq!(RING, RetainingChunker::memory_needed(&PARAMS));
        assert_eq!(SCRATCH, Compressor::scratch_for(BLOCK, &PARAMS));
    }
}
