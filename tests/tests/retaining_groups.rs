//! A retaining chunker hashes whole groups of 16 KiB and leaves the rest for later. Ids do not depend on where reads end,
//! nor on where a chunk ends in its group.

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
use chunkmill_tests::oracle;
use chunkmill_tests::retained::{self, Course, Went, with_chunker};
use chunkmill_tests::setup::Setup;

const GROUP: usize = 16 << 10;

/// Bytes of a read: single ones, some that never end with a group, and some that do.
const READS: [usize; 8] = [1, 1000, 4096, 10_000, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP];

#[test]
fn chunks_of_more_than_a_group_in_every_kind_of_reads() {
    let cases = [
        (Setup::new((2 * GROUP as u32, 4 * GROUP as u32, 16 * GROUP as u32), 1, 0), Data::Random { seed: 171 }),
        (Setup::new((4096, 32_768, 49_154), 0, 666), Data::Mixed { seed: 172 }),
        (Setup::new((16_384, 20_000, 40_002), 2, 0), Data::Words { seed: 173 }),
        (Setup::new((16_384, 16_384, 16_384), 1, 0), Data::Random { seed: 174 }),
        (Setup::new((16_386, 32_768, 65_536), 1, 0), Data::Constant { byte: 0 }),
        (Setup::new((16_386, 32_768, 65_538), 1, 0), Data::Constant { byte: 0 }),
    ];
    let mut longer = 0;
    for (setup, kind) in cases {
        let data = kind.bytes(400_001);
        let max = setup.params.max() as usize;
        let expected = oracle::chunks(&setup, &data);
        longer += expected.iter().filter(|chunk| chunk.len as usize > GROUP).count();
        for len in READS {
            for ring in [max + 2, max + 1001, 3 * max] {
                let chunks = retained::chunks(&setup, ring, &data, &Sizes::Of(len));
                assert!(chunks == expected, "{setup:?}, reads of {len}, ring of {ring}");
            }
        }
    }
    assert!(longer > 30, "{longer}");
}

/// The stream ends just before, at and behind the end of a group.
#[test]
fn streams_that_end_around_a_group() {
    let setup = Setup::new((65_536, 65_536, 131_072), 1, 0);
    for groups in 1..=3 {
        for len in groups * GROUP - 3..=groups * GROUP + 3 {
            let data = Data::Random { seed: 175 }.bytes(len);
            for reads in READS {
                let chunks = retained::chunks(&setup, 131_074, &data, &Sizes::Of(reads));
                assert_eq!(chunks, oracle::chunks(&setup, &data), "{len} in reads of {reads}");
            }
        }
    }
}

/// Chunks that their content ends just before, at and behind the end of a group: there the chunker may hold a byte back
/// that is the last of a group or the first of the next.
#[test]
fn cuts_around_the_end_of_a_group() {
    let setup = Setup::new((4096, 16_384, 131_072), 0, 0);
    let noise = Data::Random { seed: 176 }.bytes(400_000);
    let mut met = [0; 5];
    for chunk in oracle::chunks(&setup, &noise) {
        let end = (chunk.offset + u64::from(chunk.len)) as usize;
        if end == noise.len() || chunk.len > 131_000 {
            continue;
        }
        // What decides about a cut are the 64 bytes before it.
        let (trigger, rest) = (&noise[end - 100..end], &noise[end..noise.len().min(end + 20_000)]);
        for groups in [1, 2] {
            for (around, met) in met.iter_mut().enumerate() {
                let wanted = groups * GROUP + around - 2;
                let data = [&vec![0; wanted - trigger.len()], trigger, rest].concat();
                let expected = oracle::chunks(&setup, &data);
                *met += usize::from(expected[0].len as usize == wanted);
                for reads in [1000, 4096, 10_000, GROUP, GROUP - 1] {
                    let chunks = retained::chunks(&setup, 131_074, &data, &Sizes::Of(reads));
                    assert_eq!(chunks, expected, "{wanted} in reads of {reads}");
                }
            }
        }
    }
    assert!(met.iter().all(|&met| met > 3), "{met:?}");
}

/// A stream is given up in the middle of a group, and its bytes have no part in the ids of the next.
#[test]
fn restarts_between_groups() {
    let setup = Setup::new((32_768, 65_536, 131_072), 1, 0);
    let gear = setup.gear();
    let before = Data::Random { seed: 177 }.bytes(150_000);
    let after = Data::Random { seed: 178 }.bytes(200_000);
    let expected = oracle::chunks(&setup, &after);
    with_chunker(&setup, &gear, 131_074, |chunker| {
        for given in [1, GROUP - 1, GROUP, GROUP + 1, 30_000, 2 * GROUP + 1, 100_000, before.len()] {
            chunker.restart();
            let mut course = Course::new(chunker, &before, &Sizes::Of(1000));
            while course.given() < given {
                course.step(chunker);
            }
            chunker.restart();
            let mut course = Course::new(chunker, &after, &Sizes::Of(4096));
            let mut chunks = Vec::new();
            loop {
                match course.step(chunker) {
                    Went::Chunk(lent) => chunks.push(lent.chunk),
                    Went::Done => break,
                    Went::Fed => {}
                }
            }
            assert_eq!(chunks, expected, "after {given} bytes");
        }
    });
}
