//! The retaining chunker gives the chunks of the oracle, and exactly their bytes, whatever the size of its ring and however
//! its windows are filled.

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

use chunkmill_core::{ChunkParams, RetainingChunker, RingError, RingTooSmall, Step};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::Sizes;
use chunkmill_tests::naive::Naive;
use chunkmill_tests::oracle;
use chunkmill_tests::retained::{self, Course, Lent, Went, with_chunker};
use chunkmill_tests::setup::{SEEDS, Setup, id_key};
use proptest::prelude::*;

/// Streams that small chunks are cut from: by content early and late, and at the largest size.
fn small_streams() -> [(Setup, Vec<u8>); 4] {
    let smallest = (64, 256, 1024);
    [
        (Setup::new(smallest, 0, 0), Data::Random { seed: 51 }.bytes(14_000)),
        (Setup::new((66, 362, 1026), 2, 666), Data::Mixed { seed: 52 }.bytes(12_001)),
        (Setup::new(smallest, 1, 0), Data::Words { seed: 53 }.bytes(9_000)),
        (Setup::new((64, 256, 1100), 1, 0), Data::Constant { byte: 0 }.bytes(1100 * 7 + 1)),
    ]
}

#[test]
fn every_ring_from_the_smallest_on_in_every_kind_of_reads() {
    let (mut wraps, mut last_places, mut triggers_at_the_end) = (0, 0, 0);
    for (setup, data) in small_streams() {
        let max = setup.params.max() as usize;
        let expected = oracle::chunks(&setup, &data);
        let naive = Naive::new(&setup);
        for capacity in max + 2..=max + 70 {
            for sizes in Sizes::several() {
                let lent = retained::run(&setup, capacity, &data, &sizes);
                assert!(
                    lent.iter().map(|lent| lent.chunk).eq(expected.iter().copied()),
                    "{setup:?} {capacity} {sizes:?}"
                );
                for Lent { chunk, place, wraps: wrapped } in lent {
                    wraps += usize::from(wrapped);
                    let (start, len) = (chunk.offset as usize, chunk.len as usize);
                    assert_eq!(wrapped, place + len > capacity, "a chunk is in two pieces only if it wraps");
                    let next = (place + len) % capacity;
                    last_places += usize::from(next == 0);
                    let by_trigger = naive.first_trigger(&data[start..]) == Some(len) && start + len < data.len();
                    triggers_at_the_end += usize::from(by_trigger && next == capacity - 1 && len.is_multiple_of(2));
                }
            }
        }
    }
    // The places where a mistake about the wrap would show: a chunk across it, a chunk that ends with the memory, and a
    // byte that is held back as the last of the memory.
    assert!(wraps > 5000 && last_places > 20 && triggers_at_the_end > 5, "{wraps} {last_places} {triggers_at_the_end}");
}

#[test]
fn larger_rings() {
    let cases = [
        (Setup::new((64, 256, 1024), 3, SEEDS[3]), Data::Random { seed: 54 }.bytes(60_000)),
        (Setup::new((1024, 4096, 16_384), 1, 0), Data::Mixed { seed: 55 }.bytes(300_000)),
        (Setup::new((4096, 12_288, 49_152), 1, SEEDS[1]), Data::Random { seed: 56 }.bytes(500_000)),
    ];
    for (setup, data) in cases {
        let max = setup.params.max() as usize;
        let expected = oracle::chunks(&setup, &data);
        for capacity in [max + 2, 2 * max - 1, 2 * max, 2 * max + 1, 3 * max + 17, 8 * max, data.len(), data.len() + 1]
        {
            for sizes in Sizes::several() {
                assert_eq!(
                    retained::chunks(&setup, capacity, &data, &sizes),
                    expected,
                    "{setup:?} {capacity} {sizes:?}"
                );
            }
        }
    }
}

#[test]
fn streams_whose_length_is_an_edge() {
    for setup in [Setup::smallest(0), Setup::new((128, 300, 1100), 2, 666), Setup::new((1024, 1024, 1024), 1, 0)] {
        let max = setup.params.max() as usize;
        for kind in [Data::Random { seed: 57 }, Data::Constant { byte: 0 }] {
            for len in setup.edge_lens(4) {
                let data = kind.bytes(len);
                let expected = oracle::chunks(&setup, &data);
                for sizes in Sizes::several() {
                    for capacity in [max + 2, max + 3, 3 * max] {
                        let chunks = retained::chunks(&setup, capacity, &data, &sizes);
                        assert_eq!(chunks, expected, "{setup:?} {kind:?} {len} {capacity} {sizes:?}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_ring_and_any_reads(
        sizes in (32u32..=200, 0u32..=200, 0u32..=800),
        (level, seed, kind) in (0..=3u8, prop::sample::select(&SEEDS[..]), prop::sample::select(&Data::KINDS[..])),
        (len, more, reads) in (0..12_000usize, 0..3000usize, any::<u64>()),
    ) {
        let (min, avg) = (sizes.0, (sizes.0 + sizes.1).max(128));
        let setup = Setup::new((2 * min, 2 * avg, 2 * (avg + sizes.2).max(512)), level, seed);
        let data = kind.bytes(len);
        let capacity = setup.params.max() as usize + 2 + more;
        let chunks = retained::chunks(&setup, capacity, &data, &Sizes::random(reads));
        prop_assert_eq!(chunks, oracle::chunks(&setup, &data));
    }
}

/// A caller may read ahead whenever there is room, the chunk of the last step lent or not.
#[test]
fn the_window_may_be_filled_after_any_step() {
    for (setup, data) in small_streams() {
        let max = setup.params.max() as usize;
        let gear = setup.gear();
        for (capacity, sizes) in [max + 2, max + 40, 4 * max, 4 * max + 1, 9 * max].into_iter().zip(Sizes::several()) {
            let chunks = with_chunker(&setup, &gear, capacity, |chunker| {
                let mut course = Course::new(chunker, &data, &sizes);
                let mut chunks = Vec::new();
                loop {
                    match course.step(chunker) {
                        Went::Chunk(lent) => chunks.push(lent.chunk),
                        Went::Done => break chunks,
                        Went::Fed => {}
                    }
                    course.fill(chunker);
                }
            });
            assert_eq!(chunks, oracle::chunks(&setup, &data), "{setup:?} {capacity} {sizes:?}");
        }
    }
}

#[test]
fn committing_too_much_is_an_error_and_changes_nothing() {
    let (setup, data) = &small_streams()[0];
    let gear = setup.gear();
    let max = setup.params.max() as usize;
    let mut refused_when_full = 0;
    let chunks = with_chunker(setup, &gear, max + 2, |chunker| {
        let mut course = Course::new(chunker, data, &Sizes::All);
        let mut chunks = Vec::new();
        loop {
            let window = chunker.window().len();
            refused_when_full += usize::from(window == 0);
            for asked in [window + 1, window + 2, usize::MAX] {
                assert_eq!(chunker.commit(asked), Err(RingError::Commit { asked, window }));
            }
            match course.step(chunker) {
                Went::Chunk(lent) => chunks.push(lent.chunk),
                Went::Done => break chunks,
                Went::Fed => {}
            }
        }
    });
    assert_eq!(chunks, oracle::chunks(setup, data));
    assert!(refused_when_full > 5, "a full ring was among them");
}

#[test]
fn committing_nothing_changes_nothing() {
    let (setup, data) = &small_streams()[1];
    let gear = setup.gear();
    let chunks = with_chunker(setup, &gear, setup.params.max() as usize + 9, |chunker| {
        let mut course = Course::new(chunker, data, &Sizes::Of(61));
        let mut chunks = Vec::new();
        loop {
            match course.step(chunker) {
                Went::Chunk(lent) => chunks.push(lent.chunk),
                Went::Done => break chunks,
                Went::Fed => chunker.commit(0).unwrap(),
            }
        }
    });
    assert_eq!(chunks, oracle::chunks(setup, data));
}

/// A step that needs input may be taken again without any: it says so again.
#[test]
fn needing_input_is_said_again() {
    let setup = Setup::smallest(1);
    let gear = setup.gear();
    with_chunker(&setup, &gear, 1026, |chunker| {
        for filled in [0, 1, 100, 900] {
            chunker.window()[..filled].fill(0);
            chunker.commit(filled).unwrap();
            for _ in 0..3 {
                assert_eq!(chunker.step(), Step::NeedInput);
                assert!(!chunker.window().is_empty());
            }
        }
        chunker.end_input();
        assert!(matches!(chunker.step(), Step::Chunk(retained) if retained.chunk.len == 1001));
        for _ in 0..3 {
            assert_eq!(chunker.step(), Step::Done);
        }
    });
}

#[test]
fn every_ring_that_is_too_small_is_refused() {
    for max in [1024, 1100, 4096u32] {
        let params = ChunkParams::new(64, 256, max, 1).unwrap();
        let setup = Setup { params, seed: 0 };
        let gear = setup.gear();
        let needed = max as usize + 2;
        assert_eq!(RetainingChunker::memory_needed(&params), needed);
        let mut memory = vec![0; needed];
        for found in 0..needed {
            let refused = RetainingChunker::new(params, &gear, &id_key(), &mut memory[..found]).err();
            assert_eq!(refused, Some(RingTooSmall { needed, found }));
        }
        assert!(RetainingChunker::new(params, &gear, &id_key(), &mut memory).is_ok());
    }
}
