//! Every prefix of a stream is a stream of its own, and the retaining chunker and the streaming one cut it alike. Among
//! them are prefixes whose last byte triggers as the first of its pair, and as the second.

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
use chunkmill_tests::devices::Sizes;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::{LastByte, Naive};
use chunkmill_tests::oracle;
use chunkmill_tests::retained;
use chunkmill_tests::setup::Setup;

fn streams() -> [(Setup, Vec<u8>); 4] {
    let smallest = (64, 256, 1024);
    [
        (Setup::new(smallest, 0, 0), Data::Random { seed: 44 }.bytes(2500)),
        // Loose mask of level 3 from the first tested byte on: a trigger every 32 bytes or so.
        (Setup::new((256, 256, 1024), 3, 0), Data::Random { seed: 31 }.bytes(2500)),
        (Setup::new(smallest, 0, 666), Data::Words { seed: 30 }.bytes(2500)),
        (Setup::new((66, 362, 1026), 0, 1 << 40), Data::Mixed { seed: 38 }.bytes(2500)),
    ]
}

#[test]
fn retaining_and_streaming_agree_on_every_prefix() {
    for (setup, stream) in streams() {
        let gear = setup.gear();
        let max = setup.params.max() as usize;
        for len in 0..=stream.len() {
            let prefix = &stream[..len];
            let expected = oracle::chunks(&setup, prefix);
            let streamed = drive::chunk(&mut setup.chunker(&gear), prefix, &Pushes::Random(len as u64));
            assert_eq!(streamed, expected, "{setup:?}, prefix of {len} bytes");
            let ring = max + 2 + len % 70;
            for (capacity, sizes) in [(ring, Sizes::All), (ring, Sizes::Of(1)), (8 * max, Sizes::random(len as u64))] {
                let retained = retained::chunks(&setup, capacity, prefix, &sizes);
                assert_eq!(retained, expected, "{setup:?}, prefix of {len} bytes, ring of {capacity}, {sizes:?}");
            }
        }
    }
}

/// The last byte of a prefix triggers, as the first byte of a pair or as the second, and lies at either end of the ring's
/// memory, next to it, or elsewhere.
#[test]
fn last_triggers_around_the_wrap() {
    for (setup, stream) in streams() {
        let max = setup.params.max() as usize;
        let ends = Naive::new(&setup).last_bytes(&stream);
        for kind in [LastByte::EvenTrigger, LastByte::OddTrigger] {
            let at = ends.iter().rposition(|&end| end == kind).expect("there is one");
            assert!(at > max + 72, "the smaller rings have wrapped by then");
            for len in [at + 1, at + 2] {
                let expected = oracle::chunks(&setup, &stream[..len]);
                for capacity in (max + 2..=max + 72).chain(at - 3..=at + 4) {
                    for sizes in [Sizes::All, Sizes::Of(1)] {
                        let chunks = retained::chunks(&setup, capacity, &stream[..len], &sizes);
                        assert_eq!(chunks, expected, "{setup:?}, {kind:?} at {at}, {len}, {capacity}, {sizes:?}");
                    }
                }
            }
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
    }
}
