//! A trigger at every position a chunk has: on its last byte, with one byte behind it, and with more. The streams are
//! made so that nothing triggers before.

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

use chunkmill_tests::data::Rng;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::Naive;
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

#[test]
fn at_every_position() {
    for level in [0, 1, 3] {
        for at in 64..1024 {
            let (setup, mut stream) = stream_with_trigger(level, at);
            let gear = setup.gear();
            for behind in 0..=3 {
                let expected = oracle::chunks(&setup, &stream);
                let first = if behind == 0 && at.is_multiple_of(2) { at + 1 } else { at };
                assert_eq!(expected[0].len as usize, first, "the pair rule at {at} with {behind} bytes behind");
                for pushes in around(at) {
                    let chunks = drive::chunk(&mut setup.chunker(&gear), &stream, &pushes);
                    assert_eq!(chunks, expected, "{setup:?}, trigger at {at}, {behind} behind, {pushes:?}");
                }
                stream.push(behind as u8);
            }
        }
    }
}

/// Pushes that end before the trigger, behind it and one byte later, in all the ways that can meet.
fn around(at: usize) -> [Pushes; 7] {
    [
        Pushes::Whole,
        Pushes::Of(1),
        Pushes::Of(2),
        Pushes::Of(at),
        Pushes::Of(at + 1),
        Pushes::At(vec![at, at, at + 1, at + 1]),
        Pushes::At(vec![at - 1, at + 1]),
    ]
}

/// `at + 1` bytes, of which the last is the first to trigger: a byte that never does, over and over, and then two random
/// ones. Where few bytes are hashed before `at`, it may take another seed.
fn stream_with_trigger(level: u8, at: usize) -> (Setup, Vec<u8>) {
    let mut rng = Rng::new(at as u64);
    for _ in 0..1000 {
        let setup = Setup::new((64, 256, 1024), level, rng.next());
        let naive = Naive::new(&setup);
        let quiet = (0..=255).find(|&byte| naive.first_trigger(&[byte; 1024]).is_none()).expect("most bytes are quiet");
        let mut stream = vec![quiet; at + 1];
        for _ in 0..10_000 {
            let [before, last] = (rng.next() as u16).to_le_bytes();
            stream[at - 1] = before;
            stream[at] = last;
            if naive.first_trigger(&stream) == Some(at) {
                return (setup, stream);
            }
        }
    }
    panic!("nothing triggers at {at}");
}
