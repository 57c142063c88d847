//! One slice hashed by several threads.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use chunkmill_core::{ChunkId, ChunkTree, IdKey, Piece, PieceHasher, Subtree};
use crossbeam_utils::CachePadded;

use crate::pool::Job;
use crate::{Gate, Pool, Split};

/// Keyed BLAKE3 of a slice, on the pool's threads if the gate says so: what [`IdKey::id_of`] gives.
///
/// The slice is split into equal subtrees of BLAKE3's tree, which caller and helpers claim one after the other; the caller
/// joins them. So a helper that comes late, or not at all, holds nobody up. Takes 64 bytes of heap a piece while it runs.
///
/// See [`Pool`] for an example.
///
/// # Panics
///
/// None.
pub fn hash_slice(pool: &Pool<'_, '_>, gate: Gate, key: &IdKey, bytes: &[u8]) -> ChunkId {
    match gate.split(bytes.len(), pool.threads()) {
        // There is nothing to go wrong with the pieces; should it, the id is still the right one.
        Split::Pieces { len, helpers } => {
            hash_pieces(pool, helpers, key, bytes, len).unwrap_or_else(|| key.id_of(bytes))
        }
        Split::Whole => key.id_of(bytes),
    }
}

/// `None` if a piece was not hashed, or was none.
fn hash_pieces(pool: &Pool<'_, '_>, helpers: usize, key: &IdKey, bytes: &[u8], piece_len: usize) -> Option<ChunkId> {
    let work = Work {
        key,
        bytes,
        piece_len,
        claimed: CachePadded::new(AtomicUsize::new(0)),
        // A piece starts at a multiple of its length, so it is one subtree.
        subtrees: bytes.chunks(piece_len).map(|_| OnceLock::new()).collect(),
    };
    pool.run(Job::Short, helpers, &|| work.hash_some(), || work.hash_some());
    let mut tree = ChunkTree::new(key);
    for subtree in &work.subtrees {
        tree.push(*subtree.get()?).ok()?;
    }
    tree.finish().ok()
}

struct Work<'w> {
    key: &'w IdKey,
    bytes: &'w [u8],
    piece_len: usize,
    /// On a cache line of its own: every thread writes it.
    claimed: CachePadded<AtomicUsize>,
    subtrees: Box<[OnceLock<Subtree>]>,
}

impl Work<'_> {
    fn hash_some(&self) {
        let mut hasher = PieceHasher::new(self.key);
        loop {
            let index = self.claimed.fetch_add(1, Ordering::Relaxed);
            let from = index.saturating_mul(self.piece_len);
            let Some(rest) = self.bytes.get(from..).filter(|rest| !rest.is_empty()) else { return };
            let offset = u64::try_from(from).unwrap_or(u64::MAX);
            let piece = match rest.get(..self.piece_len) {
                Some(inner) if inner.len() < rest.len() => Piece::inner(offset, inner),
                _ => Piece::last(offset, rest),
            };
            let Some((piece, place)) = piece.zip(self.subtrees.get(index)) else { return };
            hasher.subtrees(piece, |subtree| {
                let _ = place.set(subtree);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objective;

    #[test]
    fn the_id_is_the_same_for_every_length_and_number_of_threads() {
        let key = IdKey::from_bytes([5; 32]);
        let bytes: Vec<u8> = (0..3_000_000u32).map(|index| (index % 251) as u8).collect();
        let gate = Gate::new(Objective::Wall).with_threshold(0);
        for threads in [1, 2, 3, 4, 8] {
            Pool::scope(threads, |pool| {
                let group = Piece::ALIGNMENT;
                let edges = (0..30).flat_map(|groups| [0, 1, 1024].map(|more| groups * group + more));
                let powers = (10..21).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1]);
                for len in edges.chain(powers).chain([bytes.len()]) {
                    let slice = &bytes[..len];
                    let expected = key.id_of(slice);
                    assert_eq!(hash_slice(pool, gate, &key, slice), expected, "{len} bytes, {threads} threads");
                    // By the pieces themselves, not by what stands in for them.
                    if let Split::Pieces { len: piece, helpers } = gate.split(len, threads) {
                        let joined = hash_pieces(pool, helpers, &key, slice, piece);
                        assert_eq!(joined, Some(expected), "{len} bytes, {threads} threads");
                    }
                }
            });
        }
    }
}
