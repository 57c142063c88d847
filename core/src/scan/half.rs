//! Half of the hash for most bytes: for 32-bit targets, where 64-bit arithmetic takes twice the instructions.
//!
//! The lowest 32 bits of `h = 2h + word` depend on nothing above them, and `h & mask == 0` needs them to pass the lowest 32
//! bits of the mask. So they alone are rolled and tested, in groups of 16 bytes, and a group in which they pass is scanned
//! again with the whole hash. That follows 16 bytes behind any place where the lowest 32 bits are known: whatever was wrong
//! above them has left the lowest 48 by then, and no published mask has a bit above those.

use super::portable;
use crate::gear::Words;

/// Bytes after which the lowest 48 bits follow from what the lowest 32 were.
const GROUP: usize = 16;

pub(super) fn first_match(bytes: &[u8], hash: &mut u64, mask: u64, words: &Words) -> Option<usize> {
    let (mut groups, last) = bytes.as_chunks::<GROUP>();
    let taken = |groups: &[[u8; GROUP]]| bytes.len().wrapping_sub(last.len()).wrapping_sub(groups.as_flattened().len());
    loop {
        let quiet = Quiet::new(groups, low_half(*hash), low_half(mask), words);
        if let Some(group) = quiet.groups.last() {
            *hash = u64::from(quiet.before_last);
            roll(group, hash, words);
        }
        groups = groups.get(quiet.groups.len()..).unwrap_or_default();
        let Some((group, behind)) = groups.split_first() else { break };
        if let Some(at) = portable::first_match(group, hash, mask, words) {
            return Some(taken(groups).wrapping_add(at));
        }
        groups = behind;
    }
    let found = portable::first_match(last, hash, mask, words);
    found.map(|at| taken(groups).wrapping_add(at))
}

/// Groups in which the lower half of the hash passes nowhere, and the lower half before the last one of them.
struct Quiet<'b> {
    groups: &'b [[u8; GROUP]],
    before_last: u32,
}

impl<'b> Quiet<'b> {
    /// Those that `groups` starts with. Not inlined: the loop needs most registers there are.
    #[inline(never)]
    fn new(groups: &'b [[u8; GROUP]], before: u32, mask: u32, words: &Words) -> Self {
        let (mut low, mut before_last) = (before, before);
        let passes = groups.iter().position(|group| {
            let before = low;
            let passes = group.iter().any(|&byte| {
                low = low.wrapping_mul(2).wrapping_add(words.low(byte));
                low & mask == 0
            });
            if !passes {
                before_last = before;
            }
            passes
        });
        let groups = passes.and_then(|passes| groups.get(..passes)).unwrap_or(groups);
        Self { groups, before_last }
    }
}

fn roll(bytes: &[u8], hash: &mut u64, words: &Words) {
    for &byte in bytes {
        *hash = hash.wrapping_mul(2).wrapping_add(words.of(byte));
    }
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
const fn low_half(hash: u64) -> u32 {
    hash as u32
}
