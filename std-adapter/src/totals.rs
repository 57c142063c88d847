use std::collections::HashSet;

use chunkmill_core::Chunk;

use crate::usage::as_f64;

/// Counts over all chunks of a run: how much there was, and how much of it was there before.
///
/// Takes 9 to 27 bytes of heap for each unique chunk. Chunks are told apart by the first 64 bits of their ids, which are
/// uniform: among 16 million chunks (1 TiB at 64 KiB) the odds that any two distinct ones are taken for one are below
/// 1 in 100,000.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    seen: HashSet<u64>,
    chunks: u64,
    bytes: u64,
    unique_bytes: u64,
    shortest: Option<u32>,
    longest: Option<u32>,
}

impl Totals {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a chunk. Returns whether it is the first with its id.
    pub fn add(&mut self, chunk: &Chunk) -> bool {
        let len = u64::from(chunk.len);
        self.chunks = self.chunks.saturating_add(1);
        self.bytes = self.bytes.saturating_add(len);
        self.shortest = Some(self.shortest.map_or(chunk.len, |shortest| shortest.min(chunk.len)));
        self.longest = Some(self.longest.map_or(chunk.len, |longest| longest.max(chunk.len)));
        let &[a, b, c, d, e, f, g, h, ..] = chunk.id.as_bytes();
        let first = self.seen.insert(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
        if first {
            self.unique_bytes = self.unique_bytes.saturating_add(len);
        }
        first
    }

    /// Chunks counted.
    pub const fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Bytes of all chunks.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Chunks with distinct ids.
    pub fn unique_chunks(&self) -> u64 {
        u64::try_from(self.seen.len()).unwrap_or(u64::MAX)
    }

    /// Bytes of the chunks with distinct ids: what a backup would store, before compression.
    pub const fn unique_bytes(&self) -> u64 {
        self.unique_bytes
    }

    /// Length of the shortest chunk in bytes; `None` before the first.
    pub const fn shortest(&self) -> Option<u32> {
        self.shortest
    }

    /// Length of the longest chunk in bytes; `None` before the first.
    pub const fn longest(&self) -> Option<u32> {
        self.longest
    }

    /// Mean length of a chunk in bytes; 0 before the first.
    pub fn mean(&self) -> f64 {
        if self.chunks == 0 { 0.0 } else { as_f64(self.bytes) / as_f64(self.chunks) }
    }

    /// The share of the bytes that need not be stored because their chunk was there before, 0 to 1.
    pub fn saving(&self) -> f64 {
        if self.bytes == 0 { 0.0 } else { as_f64(self.bytes.saturating_sub(self.unique_bytes)) / as_f64(self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunkmill_core::IdKey;

    #[test]
    fn repeats_are_counted_once() {
        let key = IdKey::from_bytes([1; 32]);
        let mut totals = Totals::new();
        for (offset, content) in [(0, "one"), (3, "three"), (8, "one")] {
            let chunk = Chunk { offset, len: u32::try_from(content.len()).unwrap(), id: key.id_of(content.as_bytes()) };
            assert_eq!(totals.add(&chunk), offset != 8);
        }
        assert_eq!((totals.chunks(), totals.bytes()), (3, 11));
        assert_eq!((totals.unique_chunks(), totals.unique_bytes()), (2, 8));
        assert_eq!((totals.shortest(), totals.longest()), (Some(3), Some(5)));
        assert!((totals.saving() - 3.0 / 11.0).abs() < 1e-12);
        assert!((totals.mean() - 11.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_divides_by_zero() {
        let totals = Totals::new();
        assert_eq!((totals.saving(), totals.mean(), totals.shortest()), (0.0, 0.0, None));
    }
}
