use crate::gear::Words;

/// One byte after the other. This is the reference; every other kernel must match it.
///
/// Not inlined: 32-bit targets have no registers left for what surrounds the loop.
#[inline(never)]
pub(super) fn first_match(bytes: &[u8], hash: &mut u64, mask: u64, words: &Words) -> Option<usize> {
    let mut rolling = *hash;
    let found = bytes.iter().position(|&byte| {
        rolling = rolling.wrapping_mul(2).wrapping_add(words.of(byte));
        rolling & mask == 0
    });
    *hash = rolling;
    found
}
