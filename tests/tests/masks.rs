//! The masks follow from the rounded logarithm of the average, for every average there is.
//!
//! They are private in core, so they are read out through cut points: with a seed that turns the word of byte 0 into `w`,
//! a run of zeros is cut right behind the minimum exactly if `w & mask == 0`.

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

use chunkmill_core::GearTable;
use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::Naive;
use chunkmill_tests::oracle::{self, normalization};
use chunkmill_tests::setup::Setup;
use fastcdc::v2020::{MASKS, select_masks};

const MAX: u32 = 16 << 20;

/// All 2,097,025 of them, at level 0, where the mask is that of the logarithm itself.
#[test]
fn every_even_average() {
    let probes: Vec<_> = (5..MASKS.len()).map(Probe::new).collect();
    for avg in (256..=4 << 20).step_by(2) {
        let setup = Setup::new((64, avg, MAX), 0, 0);
        let (expected, _) = select_masks(avg as usize, normalization(0));
        let probe = probes.iter().find(|probe| probe.mask == expected).unwrap();
        assert!(cuts_at_min(&setup, &probe.meets), "average {avg}: a bit too many in its mask");
        assert!(
            !probe.misses.iter().any(|table| cuts_at_min(&setup, table)),
            "average {avg}: a bit missing in its mask"
        );
    }
}

/// A few tables that together tell one mask from all others.
struct Probe {
    mask: u64,
    /// The word of byte 0 has all bits but the mask's: it cuts under the mask and its subsets alone.
    meets: GearTable,
    /// The word of byte 0 has a bit of the mask that some smaller mask lacks: it cuts under that one, but not under the
    /// mask.
    misses: Vec<GearTable>,
}

impl Probe {
    fn new(index: usize) -> Self {
        let mask = MASKS[index];
        let mut words = Vec::new();
        for &smaller in MASKS[5..].iter().filter(|&&other| other != mask && other & !mask == 0) {
            if !words.iter().any(|word| word & smaller == 0) {
                words.push(mask & !smaller);
            }
        }
        Self { mask, meets: table_with_zero_word(!mask), misses: words.into_iter().map(table_with_zero_word).collect() }
    }
}

/// Both masks bit by bit at every level, around every place where the rounded logarithm steps.
#[test]
fn both_masks_around_every_border() {
    for avg in averages_around_borders() {
        for level in 0..=3 {
            let (strict, loose) = select_masks(avg as usize, normalization(level));
            assert_eq!(mask_read_out((64, avg, MAX), level), strict, "strict mask of {avg}, level {level}");
            // With the minimum at the average, the loose mask is the one tested first.
            if avg <= 1 << 20 {
                assert_eq!(mask_read_out((avg, avg, MAX), level), loose, "loose mask of {avg}, level {level}");
            }
        }
    }
}

/// The loose masks of averages above 1 MiB, which no minimum reaches.
///
/// Over a long run of byte 0 with the word `-h`, the hash settles at `h` up to bit 47. If `h` has a bit of the strict mask,
/// nothing triggers before the average; there the cut comes exactly if `h & loose == 0`.
#[test]
fn loose_masks_of_large_averages() {
    let zeros = vec![0; (4 << 20) + 2];
    for avg in averages_around_borders().into_iter().filter(|&avg| avg > 1 << 20) {
        for level in [1, 3] {
            // Far enough below the average for the hash to settle.
            let setup = Setup::new(((1 << 20) - 128, avg, MAX), level, 0);
            let (strict, loose) = select_masks(avg as usize, normalization(level));
            let cuts_at_avg = |settled: u64| {
                let hash = |bytes: u32| settled.wrapping_sub(settled << bytes);
                assert!((1..64).all(|bytes| hash(bytes) & strict != 0), "it triggers before the average");
                let gear = table_with_zero_word(settled.wrapping_neg());
                let cut = setup.cutter(&gear).scan(&zeros[..avg as usize + 2]).cut;
                assert!(cut.is_none_or(|len| len >= avg));
                cut == Some(avg)
            };
            assert!(cuts_at_avg(!loose), "average {avg}, level {level}: a bit too many in its loose mask");
            for bit in bits(loose) {
                assert!(!cuts_at_avg(1 << bit), "average {avg}, level {level}: bit {bit} is missing in its loose mask");
            }
        }
    }
}

/// The same borders seen as a user sees them: cuts of data, long enough that the neighbour's masks would cut elsewhere.
#[test]
fn cuts_around_borders() {
    let data = Data::Random { seed: 60 }.bytes(1 << 20);
    for avg in averages_around_borders().into_iter().filter(|&avg| avg < 40_000) {
        for level in 0..=3 {
            let setup = Setup::new((64, avg, MAX), level, 0);
            let stream = &data[..24 * avg as usize];
            let lens = drive::cut(&mut setup.cutter(&setup.gear()), stream, &Pushes::Whole);
            assert_eq!(lens, oracle::lens(&setup, stream), "{setup:?}");

            for neighbour in [avg / 3 * 2, avg / 2 * 3] {
                let mut naive = Naive::new(&setup);
                (naive.strict, naive.loose) = select_masks(neighbour as usize, normalization(level));
                let is_other = (naive.strict, naive.loose) != select_masks(avg as usize, normalization(level));
                assert_eq!(lens != naive.lens(stream), is_other, "{setup:?} with the masks of {neighbour}");
            }
        }
    }
}

/// The two largest even averages below each 2^(n + 1/2) and the two smallest above, and powers of two with their
/// neighbours.
fn averages_around_borders() -> Vec<u32> {
    let mut averages = Vec::new();
    for bits in 8..=22u32 {
        let power = 1u32 << bits;
        let border = (1u64 << (2 * bits + 1)).isqrt() as u32 & !1;
        averages.extend([power - 2, power, power + 2, border - 2, border, border + 2, border + 4]);
    }
    averages.retain(|avg| (256..=4 << 20).contains(avg));
    averages
}

/// The mask tested on the first byte behind the minimum: bit `n` is in it if a word of bit `n` alone does not cut there.
fn mask_read_out(sizes: (u32, u32, u32), level: u8) -> u64 {
    let setup = Setup::new(sizes, level, 0);
    (0..64).map(|bit| 1 << bit).filter(|&word| !cuts_at_min(&setup, &table_with_zero_word(word))).sum()
}

fn cuts_at_min(setup: &Setup, gear: &GearTable) -> bool {
    let mut cutter = setup.cutter(gear);
    // What the zeros before the minimum are does not matter: nothing of them is hashed.
    let min = setup.params.min();
    static ZEROS: [u8; (1 << 20) + 2] = [0; (1 << 20) + 2];
    cutter.scan(&ZEROS[..min as usize + 2]).cut == Some(min)
}

/// A table in which the word of byte 0 is `word`.
fn table_with_zero_word(word: u64) -> GearTable {
    let (published, _) = fastcdc::v2020::get_gear_with_seed(0);
    GearTable::seeded(published[0] ^ word)
}

fn bits(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |&bit| mask >> bit & 1 == 1)
}
