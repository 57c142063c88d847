//! The kernels: scan bytes for the first place where the gear hash meets a mask.

mod lanes;
mod portable;

pub(crate) use lanes::first_match;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GearTable;

    /// Table words are 0 for one byte value and have bit 47 set for all others, so with these masks the place of a trigger
    /// can be chosen at will.
    const TRIGGER: u8 = 7;
    const MASK: u64 = 1 << 47;

    fn chosen() -> [u64; 256] {
        let mut words = [1 << 47; 256];
        words[usize::from(TRIGGER)] = 0;
        words
    }

    fn agree(bytes: &[u8], start: u64, mask: u64, words: &[u64; 256]) -> Option<usize> {
        let (mut reference, mut fast) = (start, start);
        let expected = portable::first_match(bytes, &mut reference, mask, words);
        let found = first_match(bytes, &mut fast, mask, words);
        assert_eq!((found, fast), (expected, reference), "{} bytes", bytes.len());
        expected
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
    fn any_data_under_any_mask() {
        let mut bytes = [0u8; 4096];
        let mut state = 1u64;
        let mut found = 0;
        for round in 0..400u32 {
            for byte in &mut bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (state >> 56) as u8;
            }
            // One to ten bits anywhere below 48, and bit 63, which no published mask has.
            let mut mask = if round % 16 == 0 { 1 << 63 } else { 0 };
            for bit in 0..=round % 10 {
                mask |= 1 << ((state >> (20 + bit * 4)) % 48);
            }
            let len = 1 + (state >> 40) as usize % 4096;
            found += u32::from(agree(&bytes[..len], state, mask, GearTable::published().words()).is_some());
        }
        assert!((100..400).contains(&found), "{found}");
    }
}
