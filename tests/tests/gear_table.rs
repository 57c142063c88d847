//! The gear table is the published one: derived afresh from MD5, it equals that of `fastcdc` and, bit by bit as far as
//! bits can move a cut, that of chunkmill.
//!
//! The words in core are private, so they are read out through cut points. Core XORs a seed into each word. If the word
//! of byte `b` is `w`, the seed `w ^ v` turns it into `v`, and over a run of `b` the hash after n bytes is `(2^n - 1) * v`:
//! where that meets the mask depends on `v` alone. So every byte must be cut like every other, and a wrong bit in its word
//! would show.

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
use chunkmill_tests::naive::Naive;
use chunkmill_tests::setup::Setup;
use md5::{Digest, Md5};

/// The least and the most bits a mask has among small averages: bits 4 to 24, and bits up to 47.
fn setups() -> [Setup; 2] {
    [Setup::new((256, 256, 1024), 3, 0), Setup::new((64, 2048, 4096), 0, 0)]
}

#[test]
fn fastcdc_has_the_table_derived_from_md5() {
    let (words, shifted) = fastcdc::v2020::get_gear_with_seed(0);
    let derived = derived_words();
    assert_eq!(*words, derived);
    assert_eq!(*shifted, derived.map(|word| word << 1));
}

#[test]
fn core_has_the_table_derived_from_md5() {
    let values = chosen_words();
    for setup in setups() {
        let min = setup.sizes().0;
        let expected: Vec<_> = values.iter().map(|&value| first_trigger(&setup, value)).collect();
        for (byte, word) in (0..=255).zip(derived_words()) {
            let run = [byte; 384];
            for (&value, &expected) in values.iter().zip(&expected) {
                let gear = Setup { seed: word ^ value, ..setup }.gear();
                let cut = setup.cutter(&gear).scan(&run[..min + 128]).cut;
                assert_eq!(cut, expected, "byte {byte:#04x} with a word of {value:#018x}");
            }
        }
    }
}

/// Shows that the test above can fail: every wrong bit up to bit 47, where the masks end, moves some cut.
#[test]
fn every_bit_that_can_matter_does() {
    let values = chosen_words();
    for bit in 0..48 {
        let seen = setups().iter().any(|setup| {
            values.iter().any(|&value| first_trigger(setup, value) != first_trigger(setup, value ^ 1 << bit))
        });
        assert!(seen, "no run is cut elsewhere when bit {bit} is wrong");
    }
}

/// Where a run of one byte is cut if the word of the byte is `value`.
fn first_trigger(setup: &Setup, value: u64) -> Option<u32> {
    let mut naive = Naive::new(setup);
    naive.words = [value; 256];
    naive.first_trigger(&[0; 384][..setup.sizes().0 + 128]).map(|at| at as u32)
}

/// Random words, of which a third or so are thinned out, so that long masks are met often enough too.
fn chosen_words() -> Vec<u64> {
    let mut rng = Rng::new(50);
    (0..200)
        .map(|round| match round % 3 {
            0 => rng.next(),
            1 => rng.next() & rng.next() & rng.next(),
            _ => (rng.next() & rng.next() & rng.next()).wrapping_neg(),
        })
        .collect()
}

/// Entry `b`: the first eight bytes, big-endian, of the MD5 digest of 64 bytes of value `b`.
fn derived_words() -> [u64; 256] {
    core::array::from_fn(|byte| {
        let digest = Md5::digest([byte as u8; 64]);
        u64::from_be_bytes(digest[..8].try_into().unwrap())
    })
}
