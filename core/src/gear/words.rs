//! The words of a gear table as the kernels want them.

use zeroize::Zeroize;

/// How many shifts of each word are kept in memory. See the `lanes` kernel: on x86-64 four of them save a shift for most
/// bytes. 8 KiB of table do no harm there, where the first-level cache has 32 KiB.
pub(crate) const SHIFTS: usize = if cfg!(target_arch = "x86_64") { 4 } else { 1 };

/// Table `k` holds each word shifted left by `SHIFTS - 1 - k`; so the last one holds the words themselves.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Words([[u64; 256]; SHIFTS]);

impl Words {
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "const loops over array lengths")]
    pub(crate) const fn new(words: [u64; 256]) -> Self {
        let mut tables = [words; SHIFTS];
        let mut table = 0;
        while table < SHIFTS {
            let mut byte = 0;
            while byte < 256 {
                tables[table][byte] <<= SHIFTS - 1 - table;
                byte += 1;
            }
            table += 1;
        }
        Self(tables)
    }

    /// The word of a byte.
    #[inline(always)]
    pub(crate) fn of(&self, byte: u8) -> u64 {
        self.shifted(byte, SHIFTS.wrapping_sub(1))
    }

    /// The lower half of the word of a byte.
    #[inline(always)]
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
    pub(crate) fn low(&self, byte: u8) -> u32 {
        self.of(byte) as u32
    }

    /// The word of a byte for step `step` of a group: shifted by the steps that are left.
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "a byte is below 256, and steps below SHIFTS are constants of the kernel"
    )]
    pub(crate) fn shifted(&self, byte: u8, step: usize) -> u64 {
        self.0[turn(step)][usize::from(byte)]
    }

    pub(super) fn wipe(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

/// Which of the tables a step of a group takes.
#[allow(clippy::modulo_one, reason = "where an addition shifts for nothing there is one table")]
pub(crate) const fn turn(step: usize) -> usize {
    step % SHIFTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_the_words_shifted() {
        let plain: [u64; 256] = core::array::from_fn(|byte| (byte as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let words = Words::new(plain);
        for byte in 0..=255u8 {
            assert_eq!(words.of(byte), plain[usize::from(byte)]);
            for step in 0..SHIFTS {
                assert_eq!(words.shifted(byte, step), plain[usize::from(byte)] << (SHIFTS - 1 - step));
            }
        }
    }
}
