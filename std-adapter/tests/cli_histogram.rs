//! `scan --histogram`: a picture that appears whole or not at all, and nothing else beside it.

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

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};

use roxmltree::Document;

use common::{Place, Running, SMALL, noise, run};

fn picture<'w>(path: &'w str, target: &'w str) -> Vec<&'w str> {
    [&["scan", path, "--histogram", target], &SMALL[..]].concat()
}

/// All words of a picture, which must be well-formed.
fn words(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    assert!(root.attribute("width").is_some() && root.attribute("height").is_some());
    root.descendants().filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

#[test]
fn the_picture_is_svg_with_bars_and_marks() {
    let place = Place::new();
    place.file("f", noise(1, 100_000));
    let finished = place.run(picture("f", "h.svg")).exits(0);
    assert!(finished.messages().is_empty(), "{}", finished.err());
    assert!(finished.out().starts_with("files           1\n"));
    let svg = fs::read_to_string(place.path("h.svg")).unwrap();
    let words = words(&svg);
    for word in ["Chunk sizes", "min", "avg", "max"] {
        assert!(words.iter().any(|found| found == word), "{word} not in {words:?}");
    }
    let document = Document::parse(&svg).unwrap();
    let bars = document.descendants().filter(|node| node.has_tag_name("rect")).count();
    assert!(bars > 10, "{bars}");
    assert_eq!(place.names(), ["f", "h.svg"].map(OsStr::new));
}

#[test]
fn the_listing_is_the_same_with_a_picture() {
    let place = Place::new();
    place.file("f", noise(2, 30_000));
    let csv = [&["scan", "f", "--format", "csv"], &SMALL[..]].concat();
    let plain = place.run(&csv).exits(0);
    let drawn = place.run([&csv[..], &["--histogram", "h.svg"]].concat()).exits(0);
    assert_eq!(plain.out(), drawn.out());
}

#[test]
fn a_picture_of_nothing() {
    let place = Place::new();
    place.file("empty", "");
    place.run(picture("empty", "h.svg")).exits(0);
    assert!(words(&fs::read_to_string(place.path("h.svg")).unwrap()).iter().any(|word| word == "Chunk sizes"));
}

#[test]
fn the_smallest_and_the_largest_sizes_fit_into_the_picture() {
    let place = Place::new();
    place.file("one-byte", "x");
    place.file("zeros", vec![0; 16 << 20]);
    for (min, avg, max) in [("64", "256", "1024"), ("1MiB", "4MiB", "16MiB")] {
        let options = ["scan", "one-byte", "zeros", "--histogram", "h.svg", "--min", min, "--avg", avg, "--max", max];
        place.run(options).exits(0);
        let words = words(&fs::read_to_string(place.path("h.svg")).unwrap());
        assert!(["min", "avg", "max"].iter().all(|mark| words.iter().any(|word| word == mark)), "{words:?}");
    }
}

#[test]
fn an_older_picture_is_replaced() {
    let place = Place::new();
    place.file("f", noise(3, 5000));
    place.file("h.svg", format!("<svg>{}", "x".repeat(100_000)));
    place.run(picture("f", "h.svg")).exits(0);
    assert!(!words(&fs::read_to_string(place.path("h.svg")).unwrap()).is_empty());
    assert_eq!(place.names(), ["f", "h.svg"].map(OsStr::new));
}

#[test]
fn a_file_that_is_no_picture_is_not_replaced() {
    let place = Place::new();
    place.file("f", noise(4, 5000));
    place.file("photos.tar", "years of them");
    let finished = place.run(picture("f", "photos.tar")).exits(2);
    assert_eq!(finished.out(), "");
    finished.says(1, &["photos.tar", "not an SVG picture"]);
    assert_eq!(fs::read(place.path("photos.tar")).unwrap(), b"years of them");
    place.run(picture("f", "-")).exits(2).says(1, &["needs a file"]);
    assert_eq!(place.names(), ["f", "photos.tar"].map(OsStr::new));
}

#[test]
fn targets_that_are_no_files_are_refused_before_the_scan() {
    let place = Place::new();
    place.file("f", noise(4, 5000));
    place.folder("folder");
    place.fifo("pipe");
    for target in ["folder", "folder/", ".", "pipe", "/dev/null"] {
        let finished = place.run(picture("f", target)).exits(2);
        assert_eq!(finished.out(), "");
        finished.says(1, &[target, "not a regular file"]);
    }
    assert_eq!(place.names(), ["f", "folder", "pipe"].map(OsStr::new));
}

#[test]
fn a_target_that_can_only_be_a_folder_is_refused_before_the_scan() {
    let place = Place::new();
    place.file("f", noise(4, 5000));
    for target in ["missing/", "missing/.", "f/.."] {
        let finished = place.run(picture("f", target)).exits(2);
        assert_eq!(finished.out(), "");
        finished.says(1, &[target, "folder"]);
    }
}

/// The picture is a result of its own, and what went wrong stays wrong.
#[test]
fn a_reader_of_the_list_that_goes_does_not_cost_the_picture() {
    let place = Place::new();
    place.file("f", noise(4, 2_000_000));
    for (paths, code) in [(&["f"][..], 0), (&["missing", "f"], 1)] {
        let words = [&["scan", "--format", "csv", "--histogram", "h.svg"], paths, &SMALL[..]].concat();
        let mut program = Running::start(&mut place.program(words));
        drop(program.child.stdout.take());
        program.finish().exits(code);
        assert!(!words_of(&place).is_empty());
        fs::remove_file(place.path("h.svg")).unwrap();
    }
    let mut program = Running::start(&mut place.program(["scan", "--format", "csv", "missing", "f"]));
    drop(program.child.stdout.take());
    program.finish().exits(1);
}

fn words_of(place: &Place) -> Vec<String> {
    words(&fs::read_to_string(place.path("h.svg")).unwrap())
}

#[test]
fn a_missing_folder_is_found_before_the_scan() {
    let place = Place::new();
    place.file("f", noise(5, 5000));
    let finished = place.run(picture("f", "missing/h.svg")).exits(3);
    assert_eq!(finished.out(), "");
    finished.says(1, &["missing/h.svg", "No such file"]);
    let finished = place.run(picture("f", "f/h.svg")).exits(3);
    assert_eq!(finished.out(), "");
    finished.says(1, &["f/h.svg"]);
    assert_eq!(place.names(), ["f"].map(OsStr::new));
}

#[test]
fn the_unfinished_picture_is_not_part_of_the_scan() {
    let place = Place::new();
    place.file("f", "content");
    let files = |words: &[&str]| place.run(words).exits(0).summary()["files"].clone();
    assert_eq!(files(&["scan", ".", "--format", "jsonl", "--histogram", "h.svg"]), 1);
    // The one of the last run is a file like any other.
    assert_eq!(files(&["scan", ".", "--format", "jsonl", "--histogram", "h.svg"]), 2);
}

#[test]
fn files_that_fail_do_not_cost_the_picture() {
    let place = Place::new();
    place.file("f", noise(6, 5000));
    place.run([&["scan", "missing", "f", "--histogram", "h.svg"], &SMALL[..]].concat()).exits(1);
    assert!(!words(&fs::read_to_string(place.path("h.svg")).unwrap()).is_empty());
}

#[test]
fn a_scan_that_stops_leaves_the_old_picture_and_nothing_else() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else { return };
    let place = Place::new();
    place.file("f", noise(7, 5000));
    place.file("h.svg", "<svg>old");
    run(place.program(picture("f", "h.svg")).stdout(full)).exits(3);
    assert_eq!(fs::read(place.path("h.svg")).unwrap(), b"<svg>old");
    assert_eq!(place.names(), ["f", "h.svg"].map(OsStr::new));
}
