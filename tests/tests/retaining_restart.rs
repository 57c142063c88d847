//! A retaining chunker that is restarted is as good as new, whatever it was doing.

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

use chunkmill_core::{Chunk, RetainingChunker};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::Sizes;
use chunkmill_tests::naive::{LastByte, Naive};
use chunkmill_tests::oracle;
use chunkmill_tests::retained::{Course, Lent, Went, with_chunker};
use chunkmill_tests::setup::Setup;

/// What a restarted chunker says of a whole stream, whose first bytes are there before its first step or only after it.
fn restarted(chunker: &mut RetainingChunker<'_, '_>, data: &[u8], sizes: &Sizes) -> Vec<Chunk> {
    let [early, late] = [true, false].map(|is_early| {
        chunker.restart();
        assert_eq!(chunker.chunk_offset(), 0);
        let mut course = Course::new(chunker, data, sizes);
        if is_early {
            course.fill(chunker);
        }
        course.finish(chunker).into_iter().map(|Lent { chunk, .. }| chunk).collect::<Vec<_>>()
    });
    assert_eq!(early, late);
    early
}

#[test]
fn after_every_step_of_a_stream() {
    let setup = Setup::smallest(1);
    let gear = setup.gear();
    let before = Data::Mixed { seed: 71 }.bytes(5000);
    let after = Data::Random { seed: 72 }.bytes(4000);
    let expected = oracle::chunks(&setup, &after);
    for sizes in [Sizes::All, Sizes::Of(37), Sizes::random(73)] {
        with_chunker(&setup, &gear, 1026 + 13, |chunker| {
            let (mut steps, mut lent, mut done) = (0, 0, false);
            while !done {
                chunker.restart();
                let mut course = Course::new(chunker, &before, &sizes);
                let mut last = Went::Fed;
                for _ in 0..=steps {
                    last = course.step(chunker);
                }
                lent += usize::from(matches!(last, Went::Chunk(_)));
                done = last == Went::Done;
                assert_eq!(restarted(chunker, &after, &sizes), expected, "after {steps} steps, {last:?}");
                steps += 1;
            }
            assert!(lent > 5, "some restarts came while a chunk was lent");
        });
    }
}

/// Bytes that were committed and never looked at, and an end of the input that was never noticed.
#[test]
fn after_every_number_of_bytes() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let before = Data::Random { seed: 74 }.bytes(1500);
    let after = Data::Random { seed: 75 }.bytes(1300);
    let expected = oracle::chunks(&setup, &after);
    with_chunker(&setup, &gear, 2000, |chunker| {
        for given in 0..=before.len() {
            for ended in [false, true] {
                chunker.restart();
                chunker.window()[..given].copy_from_slice(&before[..given]);
                chunker.commit(given).unwrap();
                if ended {
                    chunker.end_input();
                }
                assert_eq!(restarted(chunker, &after, &Sizes::All), expected, "after {given} bytes");
            }
        }
    });
}

/// While the cutter holds a byte back.
#[test]
fn after_every_undecided_byte() {
    let setup = Setup::new((256, 256, 1024), 3, 0);
    let gear = setup.gear();
    let before = Data::Random { seed: 62 }.bytes(6000);
    let after = Data::Random { seed: 76 }.bytes(1500);
    let expected = oracle::chunks(&setup, &after);
    let ends = Naive::new(&setup).last_bytes(&before);
    let undecided: Vec<usize> =
        ends.iter().enumerate().filter(|(_, end)| **end == LastByte::EvenTrigger).map(|(at, _)| at + 1).collect();
    assert!(undecided.len() > 5);
    with_chunker(&setup, &gear, 1500, |chunker| {
        for len in undecided {
            chunker.restart();
            let mut course = Course::new(chunker, &before[..len], &Sizes::All);
            // The step that finds no more input comes just before the end is said.
            while course.given() < len {
                course.step(chunker);
            }
            while matches!(course.step(chunker), Went::Chunk(_)) {}
            assert_eq!(restarted(chunker, &after, &Sizes::Of(7)), expected, "after {len} bytes");
        }
    });
}

#[test]
fn after_its_own_end_again_and_again() {
    let setup = Setup::smallest(2);
    let gear = setup.gear();
    with_chunker(&setup, &gear, 1026, |chunker| {
        for round in 0..50 {
            let data = Data::Mixed { seed: 80 + round }.bytes(round as usize * 97);
            assert_eq!(restarted(chunker, &data, &Sizes::random(round)), oracle::chunks(&setup, &data), "{round}");
        }
    });
}
