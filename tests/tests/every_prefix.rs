//! Every prefix of a stream is a stream of its own. This finds mistakes in the pair rule that random streams pass by: a
//! trigger must fall on the very last byte, once as the first and once as the second byte of a pair.

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

use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::{LastByte, Naive};
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

/// Sizes, level and seed under which the first few KiB of the data hold many triggers.
fn streams() -> [(Setup, Vec<u8>); 6] {
    let smallest = (64, 256, 1024);
    [
        (Setup::new(smallest, 0, 0), Data::Random { seed: 30 }.bytes(4000)),
        (Setup::new(smallest, 1, 666), Data::Random { seed: 31 }.bytes(3000)),
        // Loose mask of level 3 from the first tested byte on: a trigger every 32 bytes or so.
        (Setup::new((256, 256, 1024), 3, 0), Data::Random { seed: 32 }.bytes(3000)),
        (Setup::new(smallest, 0, 0), Data::Words { seed: 33 }.bytes(4000)),
        (Setup::new((66, 362, 1026), 2, 1 << 40), Data::Mixed { seed: 38 }.bytes(4000)),
        (Setup::new((64, 300, 1024), 3, 0), Data::Periodic { period: 701, seed: 35 }.bytes(3000)),
    ]
}

#[test]
fn every_prefix_in_every_kind_of_pushes() {
    for (setup, stream) in streams() {
        let gear = setup.gear();
        for len in 0..=stream.len() {
            let prefix = &stream[..len];
            let expected = oracle::chunks(&setup, prefix);
            for pushes in Pushes::small() {
                let chunks = drive::chunk(&mut setup.chunker(&gear), prefix, &pushes);
                assert_eq!(chunks, expected, "{setup:?}, prefix of {len} bytes, {pushes:?}");
            }
        }
    }
}

/// The cutter alone, against the naive scan as well, and with its own word on the byte held back.
#[test]
fn cutter_holds_exactly_the_undecided_byte() {
    for (setup, stream) in streams() {
        let gear = setup.gear();
        let naive = Naive::new(&setup);
        let ends = naive.last_bytes(&stream);
        let mut going = setup.cutter(&gear);
        let mut lens = Vec::new();
        for (at, &end) in ends.iter().enumerate() {
            drive::scan_all(&mut going, &stream[at..=at], &mut lens);
            assert_eq!(going.holds_byte(), end == LastByte::EvenTrigger, "{setup:?}, after byte {at}");

            let mut ended = going.clone();
            let all: Vec<u32> = lens.iter().copied().chain(ended.finish()).collect();
            assert_eq!(all, naive.lens(&stream[..=at]), "{setup:?}, prefix of {} bytes", at + 1);
            assert_eq!(all, oracle::lens(&setup, &stream[..=at]), "{setup:?}, prefix of {} bytes", at + 1);
        }
    }
}

/// Without prefixes of both kinds the tests above would show nothing.
#[test]
fn streams_have_prefixes_that_end_in_triggers_of_both_kinds() {
    for (setup, stream) in streams() {
        let ends = Naive::new(&setup).last_bytes(&stream);
        for kind in [LastByte::EvenTrigger, LastByte::OddTrigger] {
            let count = ends.iter().filter(|&&end| end == kind).count();
            assert!(count >= 3, "{setup:?}: {count} of {kind:?}");
        }

        // And the two kinds do what their names say: only the second is a chunk of its own. A stream of one byte is left
        // out.
        for (at, end) in ends.into_iter().enumerate().skip(1) {
            let lens = oracle::lens(&setup, &stream[..=at]);
            let is_alone = lens.ends_with(&[1]) && !lens.ends_with(&[setup.params.max(), 1]);
            assert_eq!(is_alone, end == LastByte::OddTrigger, "{setup:?}, prefix of {} bytes", at + 1);
        }
    }
}
