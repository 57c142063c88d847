/// Rolls `bytes` into `hash` up to and including the first byte after which `hash & mask == 0`, and gives the index of
/// that byte. Without such a byte all are rolled in. This is the reference; every other kernel must match it.
pub(crate) fn first_match(bytes: &[u8], hash: &mut u64, mask: u64, words: &[u64; 256]) -> Option<usize> {
    let mut rolling = *hash;
    let found = bytes.iter().position(|&byte| {
        rolling = roll(rolling, byte, words);
        rolling & mask == 0
    });
    *hash = rolling;
    found
}

/// One step of the gear hash.
#[inline(always)]
pub(super) fn roll(hash: u64, byte: u8, words: &[u64; 256]) -> u64 {
    #[expect(clippy::indexing_slicing, reason = "a byte is always below 256")]
    let word = words[usize::from(byte)];
    hash.wrapping_mul(2).wrapping_add(word)
}
