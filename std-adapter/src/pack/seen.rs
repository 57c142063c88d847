//! The index of all chunks of a stream.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashSet;

use chunkmill_core::{Chunk, ChunkId, ChunkIndex};

/// Knows every chunk that was stored, up to a bound on memory. What comes after is stored again if it repeats.
///
/// Takes 38 to 76 bytes of heap for each chunk, and half as much again for a moment when it grows.
#[derive(Debug)]
pub struct SeenChunks {
    ids: HashSet<[u8; 32], BuildHasherDefault<Uniform>>,
    most: usize,
}

/// A table of the standard library has a power of two of buckets, of an id and a byte each, and is filled to seven eighths. While
/// it grows, the one before, of half the size, is still there.
const BYTES_PER_BUCKET: usize = 33 + 33 / 2 + 1;

impl SeenChunks {
    /// An index that takes no more than `memory` bytes.
    pub fn new(memory: usize) -> Self {
        let buckets =
            memory.checked_div(BYTES_PER_BUCKET).and_then(usize::checked_ilog2).map_or(0, |log| 1usize << log);
        Self { ids: HashSet::default(), most: buckets.saturating_sub(buckets / 8) }
    }

    /// Whether chunks are not remembered any more, since the memory is used up.
    pub fn is_full(&self) -> bool {
        self.ids.len() >= self.most
    }
}

impl ChunkIndex for SeenChunks {
    fn contains(&mut self, id: &ChunkId) -> bool {
        self.ids.contains(id.as_bytes())
    }

    fn insert(&mut self, chunk: &Chunk) {
        if !self.is_full() {
            self.ids.insert(*chunk.id.as_bytes());
        }
    }
}

/// Ids are uniform already, and made under a key that an attacker does not know: any eight bytes of one will do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uniform(u64);

impl Hasher for Uniform {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    /// The length of the array, which is always the same.
    fn write_usize(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunkmill_core::IdKey;

    #[test]
    fn it_knows_what_it_has_room_for() {
        let key = IdKey::from_bytes([1; 32]);
        let mut seen = SeenChunks::new(128 * BYTES_PER_BUCKET + 1);
        let chunk = |content: u32| Chunk { offset: 0, len: 4, id: key.id_of(&content.to_le_bytes()) };
        for content in 0..200 {
            assert!(!seen.contains(&chunk(content).id));
            assert_eq!(seen.is_full(), content >= 112);
            seen.insert(&chunk(content));
        }
        for content in 0..200 {
            assert_eq!(seen.contains(&chunk(content).id), content < 112);
        }
        // Of 128 buckets: one chunk more would have doubled the table.
        assert_eq!(seen.ids.capacity(), 112);
    }
}
