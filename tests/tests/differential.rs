//! Cut points, offsets and ids equal those of `fastcdc` 5 with `blake3::keyed_hash`, for sizes up to some tens of KiB:
//! every kind of data, every level, every seed, every length at which something changes.

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
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::Naive;
use chunkmill_tests::oracle;
use chunkmill_tests::setup::{SEEDS, Setup};

/// The smallest sizes there are and their neighbours, zones of no length among them.
const SMALL: [(u32, u32, u32); 10] = [
    (64, 256, 1024),
    (66, 258, 1026),
    (64, 362, 1024),
    (64, 364, 1024),
    (256, 256, 1024),
    (64, 1024, 1024),
    (1024, 1024, 1024),
    (100, 724, 2000),
    (64, 726, 4096),
    (700, 1500, 3000),
];

/// Everyday sizes of file chunkers, averages between powers of two among them.
const MEDIUM: [(u32, u32, u32); 7] = [
    (1024, 4096, 16_384),
    (2048, 8192, 65_536),
    (4096, 12_288, 49_152),
    (64, 16_384, 65_534),
    (8192, 23_170, 65_536),
    (8192, 23_172, 65_536),
    (8190, 24_576, 98_302),
];

#[test]
fn small_sizes() {
    for kind in Data::KINDS {
        let data = kind.bytes(40_000);
        for sizes in SMALL {
            for level in 0..=3 {
                for seed in SEEDS {
                    let setup = Setup::new(sizes, level, seed);
                    for len in setup.edge_lens(4) {
                        check(&setup, &data[..len]);
                    }
                }
            }
            // Far enough for some hundred chunks, once for each kind of data.
            check(&Setup::new(sizes, 1, 0), &data);
        }
    }
}

#[test]
fn medium_sizes() {
    for kind in Data::KINDS {
        let data = kind.bytes(300_000);
        for sizes in MEDIUM {
            for (level, seed) in (0..=3).zip(SEEDS) {
                let setup = Setup::new(sizes, level, seed);
                for len in setup.edge_lens(2) {
                    check(&setup, &data[..len]);
                }
                check(&setup, &data);
            }
        }
    }
}

/// A seed is XORed into every word, and constant runs then stop at another place or not at all.
#[test]
fn many_seeds() {
    let data = Data::Mixed { seed: 9 }.bytes(20_000);
    let mut rng = Rng::new(77);
    for round in 0..200 {
        let seed = rng.next() >> rng.below(64);
        check(&Setup::new(SMALL[round % SMALL.len()], (round % 4) as u8, seed), &data);
    }
}

/// The masks stop at bit 47 and the hash only shifts left, so the top 16 bits of a seed move no cut.
#[test]
fn high_bits_of_a_seed_move_no_cut() {
    let data = Data::Random { seed: 8 }.bytes(50_000);
    for level in 0..=3 {
        let lens = |seed| {
            let setup = Setup::new((64, 4096, 16_384), level, seed);
            drive::cut(&mut setup.cutter(&setup.gear()), &data, &Pushes::Whole)
        };
        assert_eq!(lens(0xabcd << 48), lens(0));
        assert_ne!(lens(1), lens(0), "the lowest bit does");
    }
}

fn check(setup: &Setup, data: &[u8]) {
    let expected = oracle::chunks(setup, data);
    let lens: Vec<u32> = expected.iter().map(|chunk| chunk.len).collect();
    let about = || format!("{setup:?}, {} bytes", data.len());
    assert_eq!(oracle::stream_chunks(setup, data), expected, "the oracles differ: {}", about());
    assert_eq!(Naive::new(setup).lens(data), lens, "naive scan: {}", about());

    let gear = setup.gear();
    let ragged = Pushes::Random(setup.seed ^ data.len() as u64);
    for pushes in [Pushes::Whole, ragged] {
        assert_eq!(drive::cut(&mut setup.cutter(&gear), data, &pushes), lens, "{} {pushes:?}", about());
        let chunks: Vec<Chunk> = drive::chunk(&mut setup.chunker(&gear), data, &pushes);
        assert_eq!(chunks, expected, "{} {pushes:?}", about());
    }
}
