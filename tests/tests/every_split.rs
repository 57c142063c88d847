//! Every way of splitting a stream in two and in three pushes, empty ones included, gives the chunks of the whole.

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

use chunkmill_core::Chunk;
use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::{LastByte, Naive};
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

/// Three streams of some hundred bytes: one with nothing undecided at its end, and one ending in a trigger of each kind.
fn streams() -> Vec<(Setup, Vec<u8>)> {
    let setup = Setup::new((64, 256, 1024), 0, 0);
    let long = Data::Random { seed: 40 }.bytes(5000);
    let naive = Naive::new(&setup);
    // Cut off the front so that the wanted end comes early, with at least one cut before it.
    [LastByte::Plain, LastByte::EvenTrigger, LastByte::OddTrigger]
        .into_iter()
        .map(|wanted| {
            (0..4000)
                .find_map(|front| {
                    let stream = &long[front..front + 600];
                    let ends = naive.last_bytes(stream);
                    let len =
                        (400..600).find(|&len| ends[len - 1] == wanted && naive.lens(&stream[..len]).len() > 2)?;
                    Some((setup, stream[..len].to_vec()))
                })
                .expect("random data has triggers of both kinds")
        })
        .collect()
}

#[test]
fn in_two() {
    for (setup, stream) in streams() {
        let expected = oracle::chunks(&setup, &stream);
        for at in 0..=stream.len() {
            check(&setup, &stream, &expected, &Pushes::At(vec![at]));
        }
    }
}

#[test]
fn in_three() {
    for (setup, stream) in streams() {
        let expected = oracle::chunks(&setup, &stream);
        for first in 0..=stream.len() {
            // All of the second splits near the first, where a byte held back would be resolved, and some of the others.
            let near = first..=(first + 4).min(stream.len());
            let far = (first + 5..=stream.len()).step_by(7);
            for second in near.chain(far) {
                check(&setup, &stream, &expected, &Pushes::At(vec![first, second]));
            }
        }
    }
}

/// A chunk at least: beyond the maximum, and with a cut that no byte triggered.
#[test]
fn around_a_cut_at_the_maximum() {
    let setup = Setup::smallest(1);
    let stream = Data::Constant { byte: 0 }.bytes(2 * 1024 + 3);
    let expected = oracle::chunks(&setup, &stream);
    assert_eq!(expected.len(), 3);
    for first in (0..=3).chain(1020..=1028) {
        for second in (1020..=1028).chain(2044..=2051).filter(|&second| second >= first) {
            check(&setup, &stream, &expected, &Pushes::At(vec![first, second]));
        }
    }
}

fn check(setup: &Setup, stream: &[u8], expected: &[Chunk], pushes: &Pushes) {
    let gear = setup.gear();
    let chunks = drive::chunk(&mut setup.chunker(&gear), stream, pushes);
    assert_eq!(chunks, expected, "{setup:?}, {} bytes, {pushes:?}", stream.len());
}
