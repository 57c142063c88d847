//! Chunk sizes, level, seed and threads on the command line: what is taken, and how the rest is refused.

#![cfg(feature = "cli")]
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

mod common;

use chunkmill::core::{ChunkParams, GearTable, IdKey, Kernel};
use chunkmill::{KERNEL_VARIABLE, Pool, ScanError, Scanner};

use common::{Finished, Place, chunks, json_lines, noise, run};

const SEEDS: [u64; 4] = [0, 1, 666, u64::MAX];

fn place() -> Place {
    let place = Place::new();
    place.file("f", noise(1, 200_000));
    place
}

/// A scan with these options cuts as the library does with these parameters.
#[track_caller]
fn cuts_as(options: &[&str], (min, avg, max, level): (u32, u32, u32, u8), seed: u64) {
    let finished = place().run([&["scan", "--format", "jsonl", "f"], options].concat()).exits(0);
    let params = ChunkParams::new(min, avg, max, level).unwrap();
    let expected = chunks(&noise(1, 200_000), params, seed, &IdKey::public());
    assert!(finished.out().starts_with(&json_lines("f", &expected)), "{options:?}");
    assert_eq!(finished.out().lines().count(), expected.len() + 1, "{options:?}");
}

/// Refused before any work, with one message that has all the words.
#[track_caller]
fn refused(options: &[&str], words: &[&str]) {
    let finished = place().run([&["scan", "f"], options].concat());
    assert_refused(&finished.exits(2), options, words);
}

#[track_caller]
fn assert_refused(finished: &Finished, options: &[&str], words: &[&str]) {
    assert_eq!(finished.out(), "");
    for word in words {
        assert!(finished.err().contains(word), "{options:?}: {word:?} not in {:?}", finished.err());
    }
}

#[test]
fn the_average_alone_brings_the_other_two() {
    cuts_as(&["--avg", "256"], (64, 256, 1024, 1), 0);
    cuts_as(&["--avg", "4096"], (1024, 4096, 16_384, 1), 0);
    cuts_as(&["--avg", "16KiB"], (4096, 16_384, 65_536, 1), 0);
    cuts_as(&["--avg", "3000"], (750, 3000, 12_000, 1), 0);
    // A quarter of it is odd, and sizes must not be.
    cuts_as(&["--avg", "1004"], (250, 1004, 4016, 1), 0);
}

#[test]
fn each_size_can_be_given() {
    cuts_as(&["--min", "100", "--avg", "1000", "--max", "1500"], (100, 1000, 1500, 1), 0);
    cuts_as(&["--min=2KiB", "--avg=2KiB", "--max=2KiB"], (2048, 2048, 2048, 1), 0);
    cuts_as(&["--avg", "4KiB", "--min", "64"], (64, 4096, 16_384, 1), 0);
    cuts_as(&["--avg", "4KiB", "--max", "4KiB"], (1024, 4096, 4096, 1), 0);
    cuts_as(&["--min", "64", "--avg", "256", "--max", "16MiB"], (64, 256, 16 << 20, 1), 0);
}

#[test]
fn each_level_cuts_as_it_does_in_the_library() {
    for level in 0..=3 {
        cuts_as(&["--avg", "1KiB", "--level", &level.to_string()], (256, 1024, 4096, level), 0);
    }
}

#[test]
fn each_seed_cuts_elsewhere() {
    let mut ends = Vec::new();
    for seed in SEEDS {
        cuts_as(&["--avg", "1KiB", "--seed", &seed.to_string()], (256, 1024, 4096, 1), seed);
        let params = ChunkParams::new(256, 1024, 4096, 1).unwrap();
        ends.push(chunks(&noise(1, 200_000), params, seed, &IdKey::public())[0].len);
    }
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), SEEDS.len());
}

#[test]
fn sizes_out_of_range_are_named_with_the_limits() {
    refused(&["--min", "62"], &["minimum", "62", "64", "1048576"]);
    refused(&["--min", "0"], &["minimum", " 0 ", "64"]);
    refused(&["--min", "1048578"], &["minimum", "1048578", "1048576"]);
    refused(&["--min", "64", "--avg", "254"], &["average", "254", "256", "4194304"]);
    refused(&["--min", "64", "--avg", "4194306"], &["average", "4194306", "4194304"]);
    refused(&["--min", "64", "--avg", "256", "--max", "1022"], &["maximum", "1022", "1024", "16777216"]);
    refused(&["--max", "16777218"], &["maximum", "16777218", "16777216"]);
    refused(&["--max", "4GiB"], &["--max", "4GiB", "16MiB"]);
}

#[test]
fn an_average_out_of_range_is_named_even_if_it_is_all_that_was_given() {
    for avg in ["128", "0", "8388608"] {
        refused(&["--avg", avg], &["average", avg, "256", "4194304"]);
    }
}

#[test]
fn odd_sizes_are_named() {
    refused(&["--min", "65"], &["minimum", "65", "even"]);
    refused(&["--avg", "257"], &["average", "257", "even"]);
    refused(&["--avg", "256", "--max", "1025"], &["maximum", "1025", "even"]);
}

#[test]
fn sizes_out_of_order_are_named() {
    refused(&["--min", "512", "--avg", "256"], &["minimum", "512", "above", "average", "256"]);
    refused(&["--avg", "4096", "--max", "2048"], &["average", "4096", "above", "maximum", "2048"]);
    // The average is the default here.
    refused(&["--max", "1MiB"], &["average", "2097152", "above", "maximum", "1048576"]);
}

#[test]
fn decimal_units_get_a_hint() {
    refused(&["--avg", "64KB"], &["--avg", "64KB", "64KiB"]);
    refused(&["--max", "1MB"], &["--max", "1MB", "1MiB"]);
    refused(&["--min", "64K"], &["--min", "64K", "64KiB"]);
}

#[test]
fn what_is_no_size_is_refused() {
    for size in ["", "x", "KiB", "-1", "+4096", "4096.0", "1.5KiB", "0x1000", "4 KiB", "99999999999999999999"] {
        refused(&[&format!("--avg={size}")], &["--avg"]);
    }
}

#[test]
fn levels_end_at_three() {
    refused(&["--level", "4"], &["level", "4", "0 to 3"]);
    for level in ["256", "-1", "x", ""] {
        refused(&[&format!("--level={level}")], &["--level"]);
    }
}

#[test]
fn what_is_no_seed_is_refused() {
    for seed in ["18446744073709551616", "-1", "x", ""] {
        refused(&[&format!("--seed={seed}")], &["--seed"]);
    }
}

#[test]
fn threads_are_checked_and_told_honestly() {
    let place = place();
    for threads in ["1", "3", "64", "auto"] {
        let finished = place.run(["scan", "f", "--format", "jsonl", "--threads", threads]).exits(0);
        let told = finished.summary()["threads"].as_u64().unwrap();
        assert!(threads.parse().map_or((1..=4).contains(&told), |asked: u64| told == asked), "{threads}: {told}");
        place.run(["hash", "f", "--threads", threads]).exits(0);
    }
    for threads in ["0", "65", "256", "x", "-1", "1.5", "AUTO", ""] {
        let option = format!("--threads={threads}");
        refused(&[&option], &["--threads", "1 to 64"]);
        let hash = place.run(["hash", "f", &option]).exits(2);
        assert_refused(&hash, &[&option], &["--threads", "1 to 64"]);
    }
}

#[test]
fn a_wrong_parameter_is_found_before_files_are_looked_at() {
    let finished = Place::new().run(["scan", "missing", "--level", "9", "--histogram", "missing/h.svg"]).exits(2);
    assert!(!finished.err().contains("missing"), "{}", finished.err());
}

#[test]
fn an_option_given_twice_is_refused() {
    refused(&["--avg", "4KiB", "--avg", "8KiB"], &["--avg"]);
}

#[test]
fn a_keyed_gear_cuts_as_the_library_does_with_it() {
    let place = place();
    place.file("key", [9; 32]);
    let options = ["scan", "--format", "jsonl", "f", "--avg", "16KiB", "--keyed-gear", "--key-file", "key"];
    let finished = place.run(options).exits(0);
    let params = ChunkParams::new(4096, 16_384, 65_536, 1).unwrap();
    let key = IdKey::from_bytes([9; 32]);
    let gear = GearTable::keyed(&key, &params);
    let mut expected = Vec::new();
    let scanned = Pool::scope(1, |pool| {
        Scanner::new(params, &gear, &key).scan(pool, &noise(1, 200_000)[..], |chunk| {
            expected.push(chunk);
            Ok::<(), ScanError>(())
        })
    });
    assert_eq!(scanned.unwrap(), 200_000);
    assert!(finished.out().starts_with(&json_lines("f", &expected)));
    assert_ne!(expected, chunks(&noise(1, 200_000), params, 0, &key));
    refused(&["--keyed-gear", "--seed", "1"], &["--keyed-gear", "--seed"]);
    refused(&["--keyed-gear"], &["--keyed-gear needs a key"]);
}

#[test]
fn every_kernel_can_be_demanded_and_nothing_else() {
    let place = place();
    let options = ["scan", "--format", "csv", "f", "--avg", "16KiB"];
    let expected = place.run(options).exits(0).stdout;
    for kernel in Kernel::ALL {
        let finished = run(place.program(options).env(KERNEL_VARIABLE, kernel.name())).exits(0);
        assert_eq!(finished.stdout, expected, "{kernel:?}");
    }
    let finished = run(place.program(options).env(KERNEL_VARIABLE, "avx1024")).exits(2);
    assert_refused(&finished, &options, &["CHUNKMILL_KERNEL", "avx1024", "half or lanes or portable"]);
}

#[test]
fn seeds_may_be_hex_and_nothing_else_is_a_number() {
    cuts_as(&["--avg", "16KiB", "--seed", "0x29a"], (4096, 16_384, 65_536, 1), 666);
    refused(&["--seed", "abc"], &["--seed", "whole number"]);
    refused(&["--seed", "18446744073709551616"], &["--seed", "below 2^64"]);
}
