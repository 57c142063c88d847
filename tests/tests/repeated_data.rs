//! Constant and periodic data: every byte value and every short period, where the hash settles into a cycle and cuts
//! come at regular places or never.

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
use chunkmill_tests::setup::{SEEDS, Setup};

#[test]
fn every_constant() {
    for byte in 0..=255 {
        let data = Data::Constant { byte }.bytes(3500);
        for level in 0..=3 {
            for seed in SEEDS {
                check(&Setup::new((64, 256, 1024), level, seed), &data);
            }
        }
    }
}

/// 64 bytes are all the hash remembers: periods on both sides of it, and the painted 251.
#[test]
fn every_period_to_70() {
    for period in (1..=70).chain([127, 128, 251, 256, 1024]) {
        for seed in 0..6 {
            let data = Data::Periodic { period, seed }.bytes(6000);
            for level in 0..=3 {
                check(&Setup::new((64, 256, 1024), level, seed), &data);
                check(&Setup::new((128, 500, 2048), level, 0), &data);
            }
        }
    }
}

/// What files are full of must not be cut at the minimum: from averages of 4 KiB on, the published table passes no mask
/// over these runs. (Below, it may: zeros meet the mask of average 256, level 0, after eleven bytes.)
#[test]
fn common_fill_bytes_give_chunks_of_the_maximum() {
    for byte in [0x00, 0xff, 0x20] {
        for avg in [4096, 12_288, 16_384, 65_536, 1 << 20] {
            for level in 0..=3 {
                let setup = Setup::new((64, avg, 1 << 20), level, 0);
                let data = Data::Constant { byte }.bytes((2 << 20) + 1);
                let lens = drive::cut(&mut setup.cutter(&setup.gear()), &data, &Pushes::Of(10_000));
                assert_eq!(lens, [1 << 20, 1 << 20, 1], "byte {byte:#04x}, average {avg}, level {level}");
            }
        }
    }
    let smallest = Setup::smallest(0);
    assert_eq!(drive::cut(&mut smallest.cutter(&smallest.gear()), &[0; 148], &Pushes::Whole), [74, 74]);
}

fn check(setup: &Setup, data: &[u8]) {
    let gear = setup.gear();
    let expected = oracle::chunks(setup, data);
    for pushes in [Pushes::Whole, Pushes::Of(63)] {
        let chunks = drive::chunk(&mut setup.chunker(&gear), data, &pushes);
        assert_eq!(chunks, expected, "{setup:?} {pushes:?}");
    }
}
