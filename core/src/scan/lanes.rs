//! Two places of one stream at a time, and no shift for most bytes.
//!
//! **Lanes.** One gear hash is a chain: each step waits for the one before. But under masks without a bit above bit 47 the
//! hash at a position depends on the last 48 bytes alone. So a second lane starts a block further on, after being warmed
//! with the 48 bytes before its start, and the CPU works on both chains at once.
//!
//! **Shifts.** `h = 2h + word` is a shift and an addition. Over S steps the shifts can be done at once: shift by
//! S first, add each word shifted by the steps that are left, and compare with the mask shifted likewise. On x86-64 the
//! words lie in memory shifted by 3, 2, 1 and 0, which leaves three micro-operations a byte: load the byte, add the word,
//! test and branch. Elsewhere S is 1: on aarch64 an addition shifts its operand for nothing.

use super::portable;
use crate::gear::{SHIFTS, Words, turn};

/// Bytes that decide the hash under any mask.
const MEMORY: usize = 48;

/// Bytes scanned by each lane before the two are joined. What the second lane scans behind a match in the first is wasted,
/// and so is its warming up: short blocks waste less of the one and more of the other. So matches that are likely soon are
/// looked for in short blocks, rare ones in long blocks.
const LONG: usize = 4096;
const SHORT: usize = 512;
const SHORTEST: usize = 128;

/// Steps written out in the loop, a multiple of the steps that share a shift. The more, the fewer instructions go into the
/// loop itself.
const GROUP: usize = 8;

/// Under masks of more bits than this, a match is rarer than one in 16 KiB.
const RARE_BITS: u32 = 14;

pub(super) fn first_match(bytes: &[u8], hash: &mut u64, mask: u64, words: &Words) -> Option<usize> {
    let mut scan = Scan { hash: *hash, masks: shifted_masks(mask), words };
    let mut rest = bytes;
    let found = (mask.count_ones() > RARE_BITS)
        .then(|| scan.pairs_of_blocks::<LONG>(&mut rest))
        .flatten()
        .or_else(|| scan.pairs_of_blocks::<SHORT>(&mut rest))
        .or_else(|| scan.pairs_of_blocks::<SHORTEST>(&mut rest))
        .or_else(|| scan.one_lane(rest));
    *hash = scan.hash;
    // `rest` starts with the blocks in which the match was found.
    found.map(|at| bytes.len().wrapping_sub(rest.len()).wrapping_add(at))
}

struct Scan<'w> {
    hash: u64,
    masks: [u64; SHIFTS],
    words: &'w Words,
}

fn shifted_masks(mask: u64) -> [u64; SHIFTS] {
    let mut shift = SHIFTS;
    [(); SHIFTS].map(|()| {
        shift = shift.saturating_sub(1);
        mask << shift
    })
}

impl Scan<'_> {
    /// Takes pairs of blocks from the front of `rest` while there are any, up to the one with a match, whose place in `rest`
    /// is given.
    fn pairs_of_blocks<const BLOCK: usize>(&mut self, rest: &mut &[u8]) -> Option<usize> {
        while let Some((front, behind)) = rest.split_first_chunk::<BLOCK>() {
            let Some((back, behind)) = behind.split_first_chunk::<BLOCK>() else { break };
            let found = self.two_lanes(front, back);
            if found.is_some() {
                return found;
            }
            *rest = behind;
        }
        None
    }

    /// Scans `front` from the hash at hand, and `back`, which follows it, at the same time.
    #[inline]
    fn two_lanes<const BLOCK: usize>(&mut self, front: &[u8; BLOCK], back: &[u8; BLOCK]) -> Option<usize> {
        let (mut first, mut second) = (self.hash, 0u64);
        for group in front.last_chunk::<MEMORY>().unwrap_or(&[0; MEMORY]).as_chunks::<SHIFTS>().0 {
            second <<= SHIFTS;
            for (step, &byte) in group.iter().enumerate() {
                second = second.wrapping_add(self.words.shifted(byte, step));
            }
        }
        let groups = front.as_chunks::<GROUP>().0.iter().zip(back.as_chunks::<GROUP>().0);
        for (group, (ones, twos)) in groups.enumerate() {
            for (step, (&one, &two)) in ones.iter().zip(twos).enumerate() {
                if step.is_multiple_of(SHIFTS) {
                    (first, second) = (first << SHIFTS, second << SHIFTS);
                }
                let mask = self.mask(step);
                first = first.wrapping_add(self.words.shifted(one, step));
                if first & mask == 0 {
                    self.hash = unshifted(first, step);
                    return Some(place(group, step));
                }
                second = second.wrapping_add(self.words.shifted(two, step));
                if second & mask == 0 {
                    let at = place(group, step);
                    self.hash = unshifted(first, step);
                    return Some(self.second_matched(front, at, unshifted(second, step)));
                }
            }
        }
        self.hash = second;
        None
    }

    /// The second lane has a match `at` bytes into its block: unless the first has one in what it has not scanned yet, that
    /// is the place.
    #[cold]
    fn second_matched(&mut self, front: &[u8], at: usize, second: u64) -> usize {
        let from = at.wrapping_add(1);
        if let Some(further) = self.one_lane(front.get(from..).unwrap_or_default()) {
            return from.wrapping_add(further);
        }
        self.hash = second;
        front.len().wrapping_add(at)
    }

    /// What is left when there is no pair of blocks.
    fn one_lane(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut hash = self.hash;
        let (groups, last) = bytes.as_chunks::<GROUP>();
        for (group, bytes) in groups.iter().enumerate() {
            for (step, &byte) in bytes.iter().enumerate() {
                if step.is_multiple_of(SHIFTS) {
                    hash <<= SHIFTS;
                }
                hash = hash.wrapping_add(self.words.shifted(byte, step));
                if hash & self.mask(step) == 0 {
                    self.hash = unshifted(hash, step);
                    return Some(place(group, step));
                }
            }
        }
        self.hash = hash;
        let mask = self.masks.last().copied().unwrap_or(0);
        let found = portable::first_match(last, &mut self.hash, mask, self.words);
        found.map(|at| place(groups.len(), at))
    }

    fn mask(&self, step: usize) -> u64 {
        self.masks.get(turn(step)).copied().unwrap_or(0)
    }
}

/// Bytes before a step of a group.
const fn place(group: usize, step: usize) -> usize {
    group.wrapping_mul(GROUP).wrapping_add(step)
}

/// The hash after a step of a group, but for its highest bits, which are lost.
const fn unshifted(hash: u64, step: usize) -> u64 {
    hash >> SHIFTS.saturating_sub(1).saturating_sub(turn(step))
}
