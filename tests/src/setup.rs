//! Everything that decides where a stream is cut, and the key under which chunks get their ids.

use chunkmill::kernel_from_environment;
use chunkmill_core::{ChunkParams, Cutter, GearTable, IdKey, Kernel, StreamingChunker};

/// Key of most tests.
pub const KEY: [u8; 32] = *b"a key of 32 bytes, for the tests";

/// Seeds for gear tables: none, a small one, one of high bits alone (which cuts as none does), and two random ones.
pub const SEEDS: [u64; 5] = [0, 666, 0xffff << 48, 0x0123_4567_89ab_cdef, 0xf00d_1234_9bc4_e081];

/// [`KEY`] as the library takes it.
pub const fn id_key() -> IdKey {
    IdKey::from_bytes(KEY)
}

/// The scan kernel of all tests: the default, or the one that `CHUNKMILL_KERNEL` names. `.ci/run` runs those about cut points under each.
pub fn kernel() -> Kernel {
    kernel_from_environment().expect("the kernel asked for is there")
}

/// Sizes, level and the seed of the gear table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Sizes and level.
    pub params: ChunkParams,
    /// Seed of the gear table; 0 is the published table.
    pub seed: u64,
}

impl Setup {
    /// A setup of valid sizes; anything else fails the test.
    pub fn new((min, avg, max): (u32, u32, u32), level: u8, seed: u64) -> Self {
        Self { params: ChunkParams::new(min, avg, max, level).expect("sizes and level are valid"), seed }
    }

    /// The smallest sizes there are, at the given level, with the published table: many cuts in few bytes.
    pub fn smallest(level: u8) -> Self {
        Self::new((64, 256, 1024), level, 0)
    }

    /// Its gear table.
    pub const fn gear(&self) -> GearTable {
        GearTable::seeded(self.seed)
    }

    /// Minimum, average and maximum, as `usize`.
    pub const fn sizes(&self) -> (usize, usize, usize) {
        (self.params.min() as usize, self.params.avg() as usize, self.params.max() as usize)
    }

    /// A cutter at the start of a stream.
    pub fn cutter<'g>(&self, gear: &'g GearTable) -> Cutter<'g> {
        Cutter::new(self.params, gear).with_kernel(kernel())
    }

    /// A chunker at the start of a stream, under [`KEY`].
    pub fn chunker<'g>(&self, gear: &'g GearTable) -> StreamingChunker<'g> {
        StreamingChunker::new(self.params, gear, &id_key()).with_kernel(kernel())
    }

    /// Lengths at which something changes: none, one byte, around each size, and whole numbers of the longest chunk with
    /// and without a byte more, up to `most` of them.
    pub fn edge_lens(&self, most: usize) -> Vec<usize> {
        let (min, avg, max) = self.sizes();
        let mut lens = vec![0, 1, 2];
        lens.extend([min, avg, max].into_iter().flat_map(|size| [size - 1, size, size + 1]));
        lens.extend((2..=most).flat_map(|times| [times * max, times * max + 1]));
        lens.sort_unstable();
        lens.dedup();
        lens
    }
}
