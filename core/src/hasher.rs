use core::fmt;

use crate::id::KeyedHasher;
use crate::{ChunkId, IdKey};

/// Ids a chunk that comes in spans: keyed BLAKE3, fed while the bytes are still in cache.
///
/// Takes 1,920 bytes of RAM. Key and state are wiped when dropped.
///
/// ```
/// use chunkmill_core::{ChunkHasher, IdKey};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let mut hasher = ChunkHasher::new(&key);
/// hasher.update(b"one ");
/// hasher.update(b"chunk");
/// assert_eq!(hasher.finish(), key.id_of(b"one chunk"));
/// ```
///
/// # Speed
///
/// BLAKE3 hashes 1 KiB blocks of the chunk in parallel, as many as the CPU's vectors are wide (16 with AVX-512). A span
/// that starts or ends off such a group costs that width at its edge, so feed long spans, and if you can choose, let them
/// end at multiples of 16 KiB from the chunk's start.
#[derive(Clone)]
pub struct ChunkHasher(KeyedHasher);

impl ChunkHasher {
    /// Bytes over which BLAKE3 is at its widest: 16 blocks of 1 KiB. Spans that end at multiples of it from the chunk's start
    /// lose no width.
    pub const GROUP_LEN: usize = 16 << 10;

    /// A hasher at the start of a chunk.
    pub fn new(key: &IdKey) -> Self {
        Self(key.hasher())
    }

    /// Takes the next bytes of the chunk.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Ends the chunk and gives its id. The hasher is then at the start of the next chunk.
    pub fn finish(&mut self) -> ChunkId {
        let id = ChunkId::from_hash(self.0.finalize());
        self.0.reset();
        id
    }
}

impl fmt::Debug for ChunkHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkHasher").field("len", &self.0.count()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn finish_resets() {
        let key = IdKey::from_bytes([1; 32]);
        let mut hasher = ChunkHasher::new(&key);
        assert_eq!(hasher.finish(), key.id_of(b""));
        hasher.update(b"abc");
        assert_eq!(hasher.finish(), key.id_of(b"abc"));
        hasher.update(b"abc");
        assert_eq!(hasher.finish(), key.id_of(b"abc"));
    }

    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<ChunkHasher>(), 1920);
    }
}
