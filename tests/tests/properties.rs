//! Whatever the sizes, the level, the seed, the data and the pushes: the chunks are those of the oracle.

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

use chunkmill_core::ChunkParams;
use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::Naive;
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn chunks_equal_the_oracle(
        setup in any_setup(), kind in any_data(), len in any_len(), pushes in any_pushes(),
    ) {
        let data = kind.bytes(len);
        let expected = oracle::chunks(&setup, &data);
        let gear = setup.gear();
        prop_assert_eq!(&drive::chunk(&mut setup.chunker(&gear), &data, &pushes), &expected);
        prop_assert_eq!(oracle::stream_chunks(&setup, &data), expected);
    }

    /// The stream ends where the pair rule bites if it bites anywhere: with a trigger as its last byte, and one byte later.
    #[test]
    fn last_triggers_equal_the_oracle(setup in any_setup(), seed: u64, pushes in any_pushes()) {
        let data = Data::Random { seed }.bytes(20_000);
        let gear = setup.gear();
        let Some(at) = Naive::new(&setup).first_trigger(&data) else { return Ok(()) };
        for len in [at + 1, at + 2] {
            let expected = oracle::chunks(&setup, &data[..len]);
            prop_assert_eq!(drive::chunk(&mut setup.chunker(&gear), &data[..len], &pushes), expected);
        }
    }
}

fn any_setup() -> impl Strategy<Value = Setup> {
    // Mostly sizes that short data is cut by; sometimes anything up to the largest.
    let sizes = prop_oneof![
        4 => (32u32..=300, 0u32..=300, 0u32..=1000),
        1 => (32u32..=1 << 19, 0u32..=1 << 20, 0u32..=1 << 22),
    ];
    let seed = prop_oneof![Just(0), any::<u64>(), any::<u16>().prop_map(|high| u64::from(high) << 48)];
    (sizes, 0..=3u8, seed).prop_map(|((min, more, most), level, seed)| {
        let avg = (min + more).max(128);
        let max = (avg + most).max(512);
        let params = ChunkParams::new(2 * min, 2 * avg, 2 * max, level).expect("even, ordered and within the limits");
        Setup { params, seed }
    })
}

fn any_data() -> impl Strategy<Value = Data> {
    prop_oneof![
        1 => any::<u8>().prop_map(|byte| Data::Constant { byte }),
        1 => any::<u64>().prop_map(|seed| Data::Mixed { seed }),
        1 => Just(Data::Painted),
        1 => (1..=300usize, any::<u64>()).prop_map(|(period, seed)| Data::Periodic { period, seed }),
        3 => any::<u64>().prop_map(|seed| Data::Random { seed }),
        1 => any::<u64>().prop_map(|seed| Data::Words { seed }),
    ]
}

fn any_len() -> impl Strategy<Value = usize> {
    prop_oneof![0..=300usize, 0..=3000usize, 0..=30_000usize]
}

fn any_pushes() -> impl Strategy<Value = Pushes> {
    prop_oneof![Just(Pushes::Whole), (1..=2000usize).prop_map(Pushes::Of), any::<u64>().prop_map(Pushes::Random)]
}
