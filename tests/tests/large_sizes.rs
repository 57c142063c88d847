//! The same comparison as in `differential`, for the sizes backup programs use, up to the largest that are allowed.

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
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

const MIB: usize = 1 << 20;
const LARGEST: (u32, u32, u32) = (1 << 20, 4 << 20, 16 << 20);
const DEFAULT: (u32, u32, u32) = (512 << 10, 2 << 20, 8 << 20);

#[test]
fn random_data_at_every_level() {
    let data = Data::Random { seed: 20 }.bytes(24 * MIB + 1);
    for (level, seed) in (0..=3).zip([0, 666, 1 << 63, 0x0123_4567_89ab_cdef]) {
        check(&Setup::new(DEFAULT, level, seed), &data);
        check(&Setup::new(LARGEST, level, seed), &data);
    }
    check(&Setup::new((64, 4 << 20, 16 << 20), 3, 0), &data);
    check(&Setup::new((16 << 10, 64 << 10, 256 << 10), 1, 0), &data);
    check(&Setup::new((64 << 10, 1_482_912, 4 << 20), 2, 0), &data);
}

/// Zeros never trigger under the published table, so every chunk but the last has the maximum length.
#[test]
fn zeros_around_the_maximum() {
    let zeros = Data::Constant { byte: 0 }.bytes(32 * MIB + 1);
    for len in [16 * MIB - 1, 16 * MIB, 16 * MIB + 1, 32 * MIB, 32 * MIB + 1] {
        let setup = Setup::new(LARGEST, 1, 0);
        check(&setup, &zeros[..len]);
        let lens = drive::cut(&mut setup.cutter(&setup.gear()), &zeros[..len], &Pushes::Of(MIB));
        assert_eq!(lens[0] as usize, len.min(16 * MIB));
    }
}

#[test]
fn mixed_data_and_text() {
    for kind in [Data::Mixed { seed: 21 }, Data::Words { seed: 22 }, Data::Painted] {
        let data = kind.bytes(9 * MIB + 3);
        check(&Setup::new(DEFAULT, 1, 0), &data);
        check(&Setup::new((64 << 10, 256 << 10, MIB as u32), 2, 5), &data);
    }
}

#[test]
fn around_the_minimum_and_the_average() {
    let data = Data::Random { seed: 23 }.bytes(5 * MIB);
    let setup = Setup::new(LARGEST, 0, 0);
    for len in [MIB - 1, MIB, MIB + 1, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1] {
        check(&setup, &data[..len]);
    }
}

/// All sizes equal: nothing is scanned, and the chunks are blocks.
#[test]
fn blocks() {
    let data = Data::Random { seed: 24 }.bytes(4 * MIB + 1);
    let setup = Setup::new((1 << 20, 1 << 20, 1 << 20), 1, 0);
    for len in [MIB - 1, MIB, MIB + 1, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1] {
        check(&setup, &data[..len]);
        let lens = drive::cut(&mut setup.cutter(&setup.gear()), &data[..len], &Pushes::Whole);
        assert_eq!(lens.len(), len.div_ceil(MIB));
    }
}

fn check(setup: &Setup, data: &[u8]) {
    let expected = oracle::stream_chunks(setup, data);
    let lens: Vec<u32> = expected.iter().map(|chunk| chunk.len).collect();
    assert_eq!(oracle::lens(setup, data), lens, "the oracles differ: {setup:?}");

    let gear = setup.gear();
    assert_eq!(drive::cut(&mut setup.cutter(&gear), data, &Pushes::Whole), lens, "{setup:?}");
    for pushes in [Pushes::Of(65_537), Pushes::Random(data.len() as u64)] {
        let chunks = drive::chunk(&mut setup.chunker(&gear), data, &pushes);
        assert_eq!(chunks, expected, "{setup:?}, {} bytes, {pushes:?}", data.len());
    }
}
