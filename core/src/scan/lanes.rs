//! Two places of one stream at a time.
//!
//! One gear hash is a chain: each step waits for the one before, two cycles a byte as compilers write it. But the hash at
//! a position depends on the last 64 bytes alone, and under the published masks, whose highest bit is 47, on the last 48.
//! So a second lane can start further on after being warmed with the bytes before its start, and the CPU works on both
//! chains at once.

use super::portable::{self, roll};

/// Bytes that a lane scans before the two are joined. What the second lane scans behind a match in the first is wasted, and
/// so is its warming up: shorter blocks waste less of the one and more of the other.
const BLOCK: usize = 512;

/// Bytes that decide the hash under any mask.
const MEMORY: usize = 64;

/// As [`portable::first_match`].
pub(crate) fn first_match(bytes: &[u8], hash: &mut u64, mask: u64, words: &[u64; 256]) -> Option<usize> {
    let mut done = 0usize;
    let mut rest = bytes;
    while let Some((front, behind)) = rest.split_first_chunk::<BLOCK>() {
        let Some((back, behind)) = behind.split_first_chunk::<BLOCK>() else { break };
        match both(front, back, hash, mask, words) {
            Some(at) => return Some(done.wrapping_add(at)),
            None => {
                done = done.wrapping_add(2 * BLOCK);
                rest = behind;
            }
        }
    }
    portable::first_match(rest, hash, mask, words).map(|at| done.wrapping_add(at))
}

/// Scans `front` with `hash` and `back`, which follows it, side by side.
fn both(front: &[u8; BLOCK], back: &[u8; BLOCK], hash: &mut u64, mask: u64, words: &[u64; 256]) -> Option<usize> {
    let (mut first, mut second) = (*hash, 0);
    for &byte in front.last_chunk::<MEMORY>().unwrap_or(&[0; MEMORY]) {
        second = roll(second, byte, words);
    }
    let steps = front.as_chunks::<8>().0.iter().zip(back.as_chunks::<8>().0);
    for (step, (front8, back8)) in steps.enumerate() {
        for k in 0..8 {
            #[expect(clippy::indexing_slicing, reason = "k is below 8")]
            let (one, two) = (front8[k], back8[k]);
            let at = step.wrapping_mul(8).wrapping_add(k);
            first = roll(first, one, words);
            if first & mask == 0 {
                *hash = first;
                return Some(at);
            }
            second = roll(second, two, words);
            if second & mask == 0 {
                return Some(second_matched(front, at, first, second, hash, mask, words));
            }
        }
    }
    *hash = second;
    None
}

/// The second lane has a match `at` bytes into its block: unless the first has one in what it has not scanned yet, that is
/// the place.
#[cold]
fn second_matched(
    front: &[u8; BLOCK],
    at: usize,
    first: u64,
    second: u64,
    hash: &mut u64,
    mask: u64,
    words: &[u64; 256],
) -> usize {
    *hash = first;
    let from = at.wrapping_add(1);
    match portable::first_match(front.get(from..).unwrap_or_default(), hash, mask, words) {
        Some(further) => from.wrapping_add(further),
        None => {
            *hash = second;
            BLOCK.wrapping_add(at)
        }
    }
}
