//! Usage: help on standard output, everything wrong on standard error with exit code 2.

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

use common::{Place, chunkmill, run};

#[test]
fn help_goes_to_standard_output() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--help"], &["scan", "hash", "keygen", "--version", "Exit codes"]),
        (&["-h"], &["scan", "hash", "keygen"]),
        (&["help"], &["scan", "hash", "keygen"]),
        (
            &["scan", "--help"],
            &[
                "--format",
                "human",
                "jsonl",
                "csv",
                "--chunks",
                "--histogram",
                "--min",
                "--avg",
                "--max",
                "--level",
                "--seed",
                "--key-file",
                "CHUNKMILL_KEY",
                "--threads",
                "--objective",
                "--gate",
                "CHUNKMILL_MT_THRESHOLD",
                "--background",
                "--cpu-limit",
                "--memory",
                "--quiet",
                "2MiB",
                "512KiB",
                "8MiB",
            ],
        ),
        (&["hash", "--help"], &["b3sum", "--key-file", "--threads", "--quiet"]),
        (&["keygen", "--help"], &["--output", "32 random bytes"]),
    ];
    for (words, expected) in cases {
        let finished = run(&mut chunkmill(words)).exits(0);
        assert_eq!(finished.err(), "", "{words:?}");
        for word in expected {
            assert!(finished.out().contains(word), "{words:?}: {word} not in {}", finished.out());
        }
    }
}

#[test]
fn the_version_goes_to_standard_output() {
    for word in ["--version", "-V"] {
        let finished = run(&mut chunkmill([word])).exits(0);
        assert_eq!(finished.out(), concat!("chunkmill ", env!("CARGO_PKG_VERSION"), "\n"));
        assert_eq!(finished.err(), "");
    }
}

#[test]
fn help_needs_no_files_and_no_valid_rest() {
    let finished = run(&mut chunkmill(["scan", "--help", "missing"])).exits(0);
    assert!(finished.out().contains("Usage: "));
}

#[test]
fn wrong_usage_is_told_on_standard_error() {
    let place = Place::new();
    place.file("f", "content");
    let cases: [(&[&str], &str); 15] = [
        (&[], "Usage"),
        (&["no-such-command"], "no-such-command"),
        (&["--no-such-option"], "--no-such-option"),
        (&["scan"], "PATH"),
        (&["hash"], "FILE"),
        (&["keygen"], "--output"),
        (&["scan", "f", "--no-such-option"], "--no-such-option"),
        (&["scan", "f", "-x"], "-x"),
        (&["hash", "f", "--avg", "64KiB"], "--avg"),
        (&["hash", "f", "--format", "jsonl"], "--format"),
        (&["scan", "f", "--format", "xml"], "xml"),
        (&["scan", "f", "--format", "JSONL"], "JSONL"),
        (&["scan", "f", "--format"], "--format"),
        (&["scan", "f", "--quiet=yes"], "--quiet"),
        (&["keygen", "-o", "key", "--quiet"], "--quiet"),
    ];
    for (words, named) in cases {
        let finished = place.run(words).exits(2);
        assert_eq!(finished.out(), "", "{words:?}");
        assert!(finished.err().contains(named), "{words:?}: {}", finished.err());
    }
    assert_eq!(place.names(), ["f"]);
}

#[test]
fn options_stand_before_or_after_paths() {
    let place = Place::new();
    place.file("f", "content");
    let ids = |words: &[&str]| place.run(words).exits(0).json_chunks();
    assert_eq!(ids(&["scan", "--format", "jsonl", "f"]), ids(&["scan", "f", "--format=jsonl"]));
}

#[test]
fn standard_error_holds_messages_only_when_it_is_no_terminal() {
    let place = Place::new();
    place.file("f", vec![0; 40 << 20]);
    for words in [&["scan", "f"][..], &["hash", "f"], &["scan", "f", "--quiet"], &["hash", "f", "--quiet"]] {
        let finished = place.run(words).exits(0);
        assert_eq!(finished.err().lines().count(), 1, "{words:?}: {:?}", finished.err());
        assert!(!finished.err().contains(['\r', '\u{1b}']));
    }
}
