//! `ChunkParams::new` takes exactly the sizes and levels that its documentation and `fastcdc` allow, and an error names
//! a value that breaks a rule.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use chunkmill_core::{ChunkParams, ParamError, Size};
use chunkmill_tests::oracle::normalization;
use fastcdc::v2020::{AVERAGE_MAX, AVERAGE_MIN, FastCDC, MAXIMUM_MAX, MAXIMUM_MIN, MINIMUM_MAX, MINIMUM_MIN};
use proptest::prelude::*;

/// Values on both sides of every limit, far from any, and the ends of the type.
const MIN: [u32; 15] =
    [0, 1, 2, 62, 63, 64, 65, 66, 256, 1024, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 2, u32::MAX];
const AVG: [u32; 17] = [
    0,
    64,
    254,
    255,
    256,
    257,
    258,
    1022,
    1024,
    1 << 20,
    (4 << 20) - 2,
    4 << 20,
    (4 << 20) + 1,
    (4 << 20) + 2,
    16 << 20,
    u32::MAX - 1,
    u32::MAX,
];
const MAX: [u32; 15] = [
    0,
    256,
    1022,
    1023,
    1024,
    1025,
    1026,
    1 << 20,
    4 << 20,
    (16 << 20) - 2,
    (16 << 20) - 1,
    16 << 20,
    (16 << 20) + 2,
    u32::MAX - 1,
    u32::MAX,
];

#[test]
fn every_combination_of_values_around_the_limits() {
    let mut valid = 0;
    for min in MIN {
        for avg in AVG {
            for max in MAX {
                for level in [0, 1, 2, 3, 4, 255] {
                    valid += u32::from(check(min, avg, max, level));
                }
            }
        }
    }
    assert!(valid > 500, "only {valid} of the combinations are valid");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn any_values(min in any_size(), avg in any_size(), max in any_size(), level: u8) {
        check(min, avg, max, level);
    }

    /// Even and in order as a rule, so that each single rule is broken often while the others hold.
    #[test]
    fn nearly_valid_values(
        mut sizes in [any_size(), any_size(), any_size()],
        is_sorted: bool,
        spoiled in prop_oneof![2 => Just(None), 1 => (0..3usize).prop_map(Some)],
        level in 0..5u8,
    ) {
        if is_sorted {
            sizes.sort_unstable();
        }
        let [min, avg, max] = core::array::from_fn(|index| sizes[index] & !1 | u32::from(spoiled == Some(index)));
        check(min, avg, max, level);
    }
}

fn any_size() -> impl Strategy<Value = u32> {
    prop_oneof![1 => any::<u32>(), 4 => 0u32..2000, 4 => 0u32..(5 << 20), 2 => 0u32..(17 << 20)]
}

fn check(min: u32, avg: u32, max: u32, level: u8) -> bool {
    let expected = is_valid(min, avg, max, level);
    match ChunkParams::new(min, avg, max, level) {
        Ok(params) => {
            assert!(expected, "{min}/{avg}/{max} level {level} must not be taken");
            assert_eq!((params.min(), params.avg(), params.max(), params.level()), (min, avg, max, level));
            // The constructor of the oracle asserts its own rules in a debug build.
            FastCDC::with_level_and_seed(&[], min as usize, avg as usize, max as usize, normalization(level), 0);
        }
        Err(error) => {
            assert!(!expected, "{min}/{avg}/{max} level {level} must be taken: {error}");
            let culprits = culprits(error, (min, avg, max), level);
            let message = error.to_string();
            for value in culprits {
                assert!(message.contains(&value.to_string()), "{message:?} does not name {value}");
            }
        }
    }
    expected
}

fn is_valid(min: u32, avg: u32, max: u32, level: u8) -> bool {
    let within = |value: u32, low: usize, high: usize| (low..=high).contains(&(value as usize));
    within(min, MINIMUM_MIN, MINIMUM_MAX)
        && within(avg, AVERAGE_MIN, AVERAGE_MAX)
        && within(max, MAXIMUM_MIN, MAXIMUM_MAX)
        && [min, avg, max].iter().all(|size| size.is_multiple_of(2))
        && min <= avg
        && avg <= max
        && level <= 3
}

/// The values that an error blames, after a check that they are to blame.
fn culprits(error: ParamError, (min, avg, max): (u32, u32, u32), level: u8) -> Vec<u32> {
    let given = |size| match size {
        Size::Min => (min, 64, 1 << 20),
        Size::Avg => (avg, 256, 4 << 20),
        Size::Max => (max, 1024, 16 << 20),
    };
    match error {
        ParamError::AvgAboveMax { avg: a, max: b } => {
            assert_eq!((a, b), (avg, max));
            assert!(avg > max);
            vec![avg, max]
        }
        ParamError::Level { found } => {
            assert_eq!(found, level);
            assert!(level > 3);
            vec![u32::from(level)]
        }
        ParamError::MinAboveAvg { min: a, avg: b } => {
            assert_eq!((a, b), (min, avg));
            assert!(min > avg);
            vec![min, avg]
        }
        ParamError::Odd { size, found } => {
            assert_eq!(found, given(size).0);
            assert!(!found.is_multiple_of(2));
            vec![found]
        }
        ParamError::OutOfRange { size, found } => {
            let (value, low, high) = given(size);
            assert_eq!(found, value);
            assert!(!(low..=high).contains(&found));
            vec![found]
        }
        _ => panic!("an error without a rule here: {error:?}"),
    }
}
