//! Offsets are 64 bits wide on every target, and wrap rather than panic at the end of that.

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

use chunkmill_core::{Chunk, StreamingChunker};
use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

const FOUR_GIB: u64 = 1 << 32;

/// Starts on both sides of every border that a narrower counter would have.
#[test]
fn start_does_not_change_the_chunks() {
    let setup = Setup::smallest(1);
    let data = Data::Random { seed: 70 }.bytes(6000);
    for border in [0, 1 << 31, FOUR_GIB, 1 << 53, 1 << 63] {
        for before in [0, 1, 700, 3000, 5999] {
            let Some(start) = u64::checked_sub(border, before) else { continue };
            assert_eq!(
                chunks_from(&setup, start, &data),
                shifted(oracle::chunks(&setup, &data), start),
                "from {start}"
            );
        }
    }
}

#[test]
fn chunks_lie_on_both_sides_of_four_gib() {
    let setup = Setup::smallest(1);
    let data = Data::Random { seed: 71 }.bytes(6000);
    let chunks = chunks_from(&setup, FOUR_GIB - 3000, &data);
    assert!(chunks.iter().filter(|chunk| chunk.offset < FOUR_GIB).count() > 2);
    assert!(chunks.iter().filter(|chunk| chunk.offset >= FOUR_GIB).count() > 2);
    assert!(chunks.is_sorted_by(|one, next| one.offset < next.offset));
}

#[test]
fn wraps_at_the_end_of_u64() {
    let setup = Setup::smallest(1);
    let data = Data::Random { seed: 72 }.bytes(6000);
    for start in [u64::MAX, u64::MAX - 1, u64::MAX - 100, u64::MAX - 3000, u64::MAX - 5999, u64::MAX - 6000] {
        assert_eq!(chunks_from(&setup, start, &data), shifted(oracle::chunks(&setup, &data), start), "from {start}");
    }
}

/// A start holds for one stream; the next begins at 0 unless it is given one again.
#[test]
fn start_holds_for_one_stream() {
    let setup = Setup::smallest(1);
    let data = Data::Random { seed: 73 }.bytes(3000);
    let expected = oracle::chunks(&setup, &data);
    let gear = setup.gear();
    let mut chunker = setup.chunker(&gear).starting_at(FOUR_GIB);
    assert_eq!(drive::chunk(&mut chunker, &data, &Pushes::Whole), shifted(expected.clone(), FOUR_GIB));
    assert_eq!(drive::chunk(&mut chunker, &data, &Pushes::Whole), expected);
    let mut chunker = chunker.starting_at(5);
    assert_eq!(drive::chunk(&mut chunker, &data, &Pushes::Whole), shifted(expected, 5));
}

/// More than 4 GiB really pushed, in blocks, since those need no scan.
#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "hashes 4 GiB, which takes minutes under an emulator")]
fn more_than_four_gib_pushed() {
    let block = vec![0; 1 << 20];
    let setup = Setup::new((1 << 20, 1 << 20, 1 << 20), 1, 0);
    let gear = setup.gear();
    let mut chunker = setup.chunker(&gear);
    let id = oracle::id(&block);
    for index in 0..=(4 << 10) {
        let expected = Chunk { offset: index << 20, len: 1 << 20, id };
        assert_eq!(ended(&mut chunker, &block), [expected]);
    }
    assert_eq!(chunker.chunk_offset(), FOUR_GIB + (1 << 20));
    assert_eq!(ended(&mut chunker, b"tail"), []);
    let last = chunker.finish().and_then(|span| span.ended);
    assert_eq!(last, Some(Chunk { offset: FOUR_GIB + (1 << 20), len: 4, id: oracle::id(b"tail") }));
}

fn chunks_from(setup: &Setup, start: u64, data: &[u8]) -> Vec<Chunk> {
    let gear = setup.gear();
    drive::chunk(&mut setup.chunker(&gear).starting_at(start), data, &Pushes::Of(1009))
}

fn shifted(mut chunks: Vec<Chunk>, start: u64) -> Vec<Chunk> {
    for chunk in &mut chunks {
        chunk.offset = chunk.offset.wrapping_add(start);
    }
    chunks
}

fn ended(chunker: &mut StreamingChunker<'_>, mut input: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    while let Some(span) = chunker.push(&mut input) {
        chunks.extend(span.ended);
    }
    chunks
}
