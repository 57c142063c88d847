//! The kernels: scan bytes for the first place where the gear hash meets a mask.
//!
//! All kernels give the same places. Of the hash, the lowest 48 bits are the same; no published mask has a bit above them,
//! and what lies above never comes down, since the hash is only added to and shifted left.

mod half;
mod lanes;
mod portable;

use crate::gear::Words;

/// How the bytes are scanned. Every kernel finds the same cut points and runs on every target; which is fastest differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Kernel {
    /// The lower half of the hash for most bytes, the whole one where that passes: for 32-bit targets.
    Half,
    /// Two places of the stream side by side, so that the CPU need not wait for one hash.
    Lanes,
    /// A byte after the other: the reference, and the smallest code.
    Portable,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Self; 3] = [Self::Half, Self::Lanes, Self::Portable];

    /// The one that new cutters use: [`Lanes`](Self::Lanes) on 64-bit targets, [`Half`](Self::Half) on others.
    pub const DEFAULT: Self = if cfg!(target_pointer_width = "64") { Self::Lanes } else { Self::Half };

    /// Its name, as `CHUNKMILL_KERNEL` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Lanes => "lanes",
            Self::Portable => "portable",
        }
    }

    /// Rolls `bytes` into `hash` up to and including the first byte after which `hash & mask == 0`, and gives the index of
    /// that byte. Without such a byte all are rolled in.
    #[inline]
    pub(crate) fn first_match(self, bytes: &[u8], hash: &mut u64, mask: u64, words: &Words) -> Option<usize> {
        match self {
            Self::Half => half::first_match(bytes, hash, mask, words),
            Self::Lanes => lanes::first_match(bytes, hash, mask, words),
            Self::Portable => portable::first_match(bytes, hash, mask, words),
        }
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GearTable;

    const LOW: u64 = (1 << 48) - 1;

    /// Table words are 0 for one byte value and have bit 47 set for all others, so with this mask the place of a trigger can
    /// be chosen at will.
    const TRIGGER: u8 = 7;
    const MASK: u64 = 1 << 47;

    fn chosen() -> Words {
        let mut words = [1 << 47; 256];
        words[usize::from(TRIGGER)] = 0;
        Words::new(words)
    }

    fn agree(bytes: &[u8], start: u64, mask: u64, words: &Words) -> Option<usize> {
        let mut reference = start;
        let expected = Kernel::Portable.first_match(bytes, &mut reference, mask, words);
        for kernel in Kernel::ALL {
            let mut hash = start;
            let found = kernel.first_match(bytes, &mut hash, mask, words);
            assert_eq!((found, hash & LOW), (expected, reference & LOW), "{kernel:?}, {} bytes", bytes.len());
        }
        expected
    }

    fn fill(bytes: &mut [u8], state: &mut u64) {
        for byte in bytes {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (*state >> 56) as u8;
        }
    }

    /// The reference itself, against a scan written in another way.
    #[test]
    fn the_reference_follows_the_definition() {
        let words = GearTable::published().words();
        let bytes: [u8; 300] = core::array::from_fn(|index| (index * 7 % 251) as u8);
        let mask = 0x0000_0000_0180_4110;
        for start in 0..300 {
            let mut hash = 0u64;
            let mut expected = None;
            for (index, byte) in bytes[start..].iter().enumerate() {
                hash = (hash << 1).wrapping_add(words.of(*byte));
                if hash & mask == 0 {
                    expected = Some(index);
                    break;
                }
            }
            let mut rolled = 0;
            assert_eq!(Kernel::Portable.first_match(&bytes[start..], &mut rolled, mask, words), expected);
            assert_eq!(rolled, hash);
        }
    }

    #[test]
    fn a_trigger_at_every_place() {
        let words = chosen();
        let mut bytes = [1u8; 1300];
        for len in (0..=300).chain(1000..1100).chain([1300]) {
            assert_eq!(agree(&bytes[..len], 0, MASK, &words), None);
            for at in 0..len {
                bytes[at] = TRIGGER;
                assert_eq!(agree(&bytes[..len], 0, MASK, &words), Some(at));
                bytes[at] = 1;
            }
        }
    }

    #[test]
    fn two_triggers_in_different_lanes() {
        let words = chosen();
        let mut bytes = [1u8; 1100];
        for one in (0..1100).step_by(7) {
            for two in (0..1100).step_by(11) {
                (bytes[one], bytes[two]) = (TRIGGER, TRIGGER);
                assert_eq!(agree(&bytes, 0, MASK, &words), Some(one.min(two)));
                (bytes[one], bytes[two]) = (1, 1);
            }
        }
    }

    #[test]
    fn triggers_in_long_blocks() {
        let words = chosen();
        let mut bytes = [1u8; 20_000];
        // Masks of many bits are scanned in longer blocks.
        let mask = MASK | ((1 << 40) - (1 << 20));
        for one in (0..20_000).step_by(487) {
            for two in (0..20_000).step_by(1201) {
                (bytes[one], bytes[two]) = (TRIGGER, TRIGGER);
                assert_eq!(agree(&bytes, 0, mask, &words), Some(one.min(two)));
                (bytes[one], bytes[two]) = (1, 1);
            }
        }
    }

    /// Words and a mask under which the lower half of the hash passes at every [`TRIGGER`], and the whole hash if in addition
    /// the byte 16 before was a trigger or is not there: bit 31 of its word is bit 47 by then.
    const DELAYED: u64 = 1 << 47 | 1 << 31;

    fn delayed() -> Words {
        let mut words = [1 << 31; 256];
        words[usize::from(TRIGGER)] = 0;
        Words::new(words)
    }

    #[test]
    fn half_a_trigger_at_every_place() {
        let words = delayed();
        let mut bytes = [1u8; 300];
        for len in (0..120).chain([299, 300]) {
            for at in 0..len {
                bytes[at] = TRIGGER;
                let expected = (at < 16).then_some(at);
                assert_eq!(agree(&bytes[..len], 0, DELAYED, &words), expected, "{at} of {len}");
                for start in [1, LOW, 1 << 31, 0x5555_5555_5555] {
                    agree(&bytes[..len], start, DELAYED, &words);
                }
                bytes[at] = 1;
            }
        }
    }

    #[test]
    fn half_triggers_before_a_whole_one() {
        let words = delayed();
        for (one, two) in (16..200).flat_map(|one| (one + 1..201).map(move |two| (one, two))) {
            let mut bytes = [1u8; 216];
            bytes[one] = TRIGGER;
            bytes[two] = TRIGGER;
            assert_eq!(agree(&bytes, 0, DELAYED, &words), (two - one == 16).then_some(two));
            // Triggers without a gap: the lower half passes at each of them.
            bytes[one..two].fill(TRIGGER);
            assert_eq!(agree(&bytes, 0, DELAYED, &words), (two - one >= 16).then_some(one + 16));
        }
    }

    /// Published masks: the lower half passes at every 64th byte or so, the whole hash at one in 1,024 to 131,072.
    #[test]
    fn half_triggers_in_any_data() {
        let mut bytes = [0u8; 3000];
        let mut state = 3u64;
        let mut found = 0;
        for round in 0..300 {
            fill(&mut bytes, &mut state);
            let mask = [0x5900_0353_0000, 0xd903_0353_0000, 0xd90f_0353_0000, 0xd907_0353_7000][round % 4];
            // Repeats, so that what passes by chance passes often.
            let period = if round.is_multiple_of(3) { 3000 } else { 40 + round };
            for at in period..3000 {
                bytes[at] = bytes[at - period];
            }
            let len = 1 + (state >> 40) as usize % 3000;
            found += usize::from(agree(&bytes[..len], state, mask, GearTable::published().words()).is_some());
        }
        assert!((20..280).contains(&found), "{found}");
    }

    #[test]
    fn any_data_under_any_mask() {
        let mut bytes = [0u8; 4096];
        let mut state = 1u64;
        let mut found = 0;
        for round in 0..400u32 {
            fill(&mut bytes, &mut state);
            // One to ten bits anywhere below 48.
            let mut mask = 0;
            for bit in 0..=round % 10 {
                mask |= 1 << ((state >> (20 + bit * 4)) % 48);
            }
            let len = 1 + (state >> 40) as usize % 4096;
            found += u32::from(agree(&bytes[..len], state, mask, GearTable::published().words()).is_some());
        }
        assert!((100..400).contains(&found), "{found}");
    }
}
