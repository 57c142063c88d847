//! A system that gives little: few descriptors, too little memory.

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

use std::fs;

use common::{Place, noise, run};

/// A file and its pack, of chunks that may be as long as the format allows.
fn place() -> Place {
    let place = Place::new();
    place.file("in", noise(1, 1_000_000));
    place.run(["pack", "in", "-o", "p", "--max", "16MiB"]).exits(0);
    place
}

/// However few there are: the work is done, or nothing is, and a message says why.
#[test]
fn few_descriptors_are_enough_or_an_error() {
    let place = place();
    let mut done = [false; 2];
    // With fewer than four, no program that uses the system's C library starts.
    for most in 4..=12 {
        let script = format!(r#"ulimit -n {most}; exec "$@""#);
        for words in [&["pack", "in", "-o", "new"][..], &["unpack", "p", "-o", "new"]] {
            let finished = run(&mut place.shell(&script, words));
            let there = place.path("new").exists();
            let enough = finished.code == Some(0);
            if !enough {
                finished.exits(3).says(1, &["chunkmill: error: ", "Too many open files"]);
            }
            assert_eq!(there, enough, "{words:?} with {most}");
            assert_eq!(place.names().len(), 2 + usize::from(there), "{:?}", place.names());
            done[usize::from(enough)] = true;
            if enough {
                fs::remove_file(place.path("new")).unwrap();
            }
        }
        for words in [&["verify", "p"][..], &["ls", "p"], &["scan", "."], &["hash", "in"]] {
            let finished = run(&mut place.shell(&script, words));
            if finished.code != Some(0) {
                assert!(matches!(finished.code, Some(1 | 3)), "{words:?} with {most}: {finished:?}");
                finished.says(1, &["Too many open files"]);
            }
        }
    }
    assert_eq!(done, [true; 2], "no limit was too low, or all were");
}

/// Large buffers are asked for at the start, as a whole: where they are not to be had, nothing is begun.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_an_error() {
    let place = place();
    let work = ["--threads", "4", "--memory", "512MiB"];
    for words in [
        &["pack", "in", "-o", "new", "--max", "16MiB"][..],
        &["unpack", "p", "-o", "new"],
        &["unpack", "p", "-o", "new", "--partial"],
        &["verify", "p"],
    ] {
        let words = [words, &work].concat();
        let finished = run(&mut place.shell(r#"ulimit -v 65536; exec "$@""#, &words)).exits(3);
        finished.says(1, &[words[1], "out of memory"]);
        assert_eq!(finished.out(), "");
        assert_eq!(place.names(), ["in", "p"], "{words:?}");
    }
    // So it is not the program itself that does not fit.
    run(&mut place.shell(r#"ulimit -v 65536; exec "$@""#, ["verify", "p", "--threads", "1"])).exits(0);
}
