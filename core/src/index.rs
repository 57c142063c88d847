//! Which chunks are stored already.

use crate::{Chunk, ChunkId};

/// Knows chunks that were stored before. What it knows is stored as a reference from then on.
pub trait ChunkIndex {
    /// Whether the chunk with this id is stored. To say no of one that is costs space; to say yes of one that is not loses
    /// data.
    fn contains(&mut self, id: &ChunkId) -> bool;

    /// Takes note of a chunk that was stored just now. Drivers call it after the sink has accepted the chunk, never before.
    fn insert(&mut self, chunk: &Chunk);
}

/// Knows nothing: every chunk is stored. Takes no RAM.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NoIndex;

impl ChunkIndex for NoIndex {
    fn contains(&mut self, _: &ChunkId) -> bool {
        false
    }

    fn insert(&mut self, _: &Chunk) {}
}

impl<I: ChunkIndex + ?Sized> ChunkIndex for &mut I {
    fn contains(&mut self, id: &ChunkId) -> bool {
        (**self).contains(id)
    }

    fn insert(&mut self, chunk: &Chunk) {
        (**self).insert(chunk);
    }
}

#[cfg(feature = "heapless")]
pub use recent::RecentIndex;

#[cfg(feature = "heapless")]
mod recent {
    use core::fmt;

    use heapless::HistoryBuf;

    use super::ChunkIndex;
    use crate::{Chunk, ChunkId};

    /// Knows the last `N` chunks that were stored.
    ///
    /// When it is full, the chunk that was inserted first is forgotten, however often it was met since. A look-up compares
    /// with each of the `N` ids, some 4 instructions each: far less than hashing a chunk takes, up to some thousands.
    ///
    /// Takes 32 bytes of RAM for each chunk, and 8 or 16 more.
    ///
    /// ```
    /// use chunkmill_core::{Chunk, ChunkIndex, IdKey, RecentIndex};
    ///
    /// let key = IdKey::from_bytes([7; 32]);
    /// let chunk = |bytes: &[u8]| Chunk { offset: 0, len: bytes.len() as u32, id: key.id_of(bytes) };
    /// let mut index = RecentIndex::<2>::new();
    /// index.insert(&chunk(b"one"));
    /// index.insert(&chunk(b"two"));
    /// assert!(index.contains(&chunk(b"one").id));
    /// index.insert(&chunk(b"three"));
    /// assert!(!index.contains(&chunk(b"one").id));
    /// assert!(index.contains(&chunk(b"two").id));
    /// ```
    #[derive(Clone)]
    pub struct RecentIndex<const N: usize> {
        ids: HistoryBuf<[u8; 32], N>,
    }

    impl<const N: usize> RecentIndex<N> {
        /// An index that knows nothing yet. `N` is at least 1, or this does not compile.
        pub const fn new() -> Self {
            const { assert!(N > 0) }
            Self { ids: HistoryBuf::new() }
        }

        /// How many chunks it knows.
        pub fn len(&self) -> usize {
            self.ids.len()
        }

        /// Whether it knows none.
        pub fn is_empty(&self) -> bool {
            self.ids.is_empty()
        }
    }

    impl<const N: usize> Default for RecentIndex<N> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<const N: usize> ChunkIndex for RecentIndex<N> {
        fn contains(&mut self, id: &ChunkId) -> bool {
            self.ids.as_slice().contains(id.as_bytes())
        }

        fn insert(&mut self, chunk: &Chunk) {
            self.ids.write(*chunk.id.as_bytes());
        }
    }

    impl<const N: usize> fmt::Debug for RecentIndex<N> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("RecentIndex").field("capacity", &N).field("len", &self.len()).finish()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use core::mem::size_of;

        #[test]
        fn the_one_inserted_first_is_forgotten() {
            let mut index = RecentIndex::<3>::new();
            let chunk = |n: u8| Chunk { offset: 0, len: 1, id: ChunkId::from_bytes([n; 32]) };
            for n in 0..100u8 {
                index.insert(&chunk(n));
                for known in 0..100u8 {
                    let expected = known <= n && known + 3 > n;
                    assert_eq!(index.contains(&chunk(known).id), expected, "{known} after {n}");
                }
                assert_eq!(index.len(), usize::from(n + 1).min(3));
            }
        }

        #[test]
        fn looking_up_does_not_renew() {
            let mut index = RecentIndex::<2>::new();
            let chunk = |n: u8| Chunk { offset: 0, len: 1, id: ChunkId::from_bytes([n; 32]) };
            index.insert(&chunk(1));
            index.insert(&chunk(2));
            assert!(index.contains(&chunk(1).id));
            index.insert(&chunk(3));
            assert!(!index.contains(&chunk(1).id));
        }

        #[test]
        fn ram_is_as_documented() {
            assert!(size_of::<RecentIndex<100>>() <= 3200 + 16);
        }
    }
}
