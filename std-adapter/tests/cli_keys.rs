//! Where the key comes from, what it does to ids, and that nobody gets to see it.

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
use std::fs;

use chunkmill::core::IdKey;
use chunkmill::key::KEY_VARIABLE;

use common::{Finished, Place, SMALL, chunks, is_public_key_line, json_lines, noise, os, run, small, write_to_fifo};

/// A key whose 64 digits are easy to find in an output.
const HEX: &str = "c0ffee00deadbeef0123456789abcdefc0ffee11deadbeef0123456789abcdef";

fn raw() -> [u8; 32] {
    let byte = |at: usize| u8::from_str_radix(&HEX[2 * at..2 * at + 2], 16).unwrap();
    core::array::from_fn(byte)
}

/// A place with a file `f` and its chunks under the key above.
fn place() -> (Place, String) {
    let place = Place::new();
    let content = noise(1, 10_000);
    place.file("f", &content);
    let lines = json_lines("f", &chunks(&content, small(), 0, &IdKey::from_bytes(raw())));
    (place, lines)
}

fn scan<'w>(more: &[&'w str]) -> Vec<&'w str> {
    [&["scan", "f", "--format", "jsonl"], &SMALL[..], more].concat()
}

fn scan_with_variable(place: &Place, key: impl AsRef<OsStr>, more: &[&str]) -> Finished {
    run(place.program(scan(more)).env(KEY_VARIABLE, key))
}

/// No four digits of the key in a row, in either case, nor four of its bytes.
#[track_caller]
fn assert_secret(finished: &Finished) {
    for output in [&finished.stdout, &finished.stderr] {
        let text = String::from_utf8_lossy(output).to_lowercase();
        for secret in ["c0ffee", "deadbeef", "01234567", "89abcdef"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(output.windows(4).all(|bytes| !raw().windows(4).any(|secret| secret == bytes)));
    }
}

#[test]
fn key_files_hold_raw_bytes_or_digits() {
    let (place, lines) = place();
    let upper = HEX.to_uppercase();
    let contents = [&raw()[..], HEX.as_bytes(), upper.as_bytes()];
    for (at, content) in contents.into_iter().enumerate() {
        for end in [&b""[..], b"\n", b"\r\n"].iter().take(if at == 0 { 1 } else { 3 }) {
            place.file("key", [content, end].concat());
            let finished = place.run(scan(&["--key-file", "key"])).exits(0);
            assert!(finished.out().starts_with(&lines));
            assert_eq!(finished.err(), "");
        }
    }
}

#[test]
fn thirty_two_digits_are_raw_bytes() {
    let (place, _) = place();
    place.file("key", &HEX[..32]);
    let key = IdKey::from_bytes(HEX.as_bytes()[..32].try_into().unwrap());
    let finished = place.run(scan(&["--key-file", "key"])).exits(0);
    assert!(finished.out().starts_with(&json_lines("f", &chunks(&noise(1, 10_000), small(), 0, &key))));
}

#[test]
fn a_key_file_may_be_a_pipe() {
    let (place, lines) = place();
    let writer = write_to_fifo(place.fifo("pipe"), HEX.into());
    assert!(place.run(scan(&["--key-file", "pipe"])).exits(0).out().starts_with(&lines));
    writer.join().unwrap().unwrap();
}

#[test]
fn key_files_of_another_length_are_refused() {
    let (place, _) = place();
    let long = HEX.repeat(100);
    let contents = [
        (&raw()[..31], "31"),
        (&[&raw()[..], b"\n"].concat(), "33"),
        (&HEX.as_bytes()[..63], "63"),
        (&[HEX.as_bytes(), b"00"].concat(), "66"),
        (&[HEX.as_bytes(), b"\n\n"].concat(), "66"),
        (b"", "0"),
        (long.as_bytes(), "4096"),
    ];
    for (content, found) in contents {
        place.file("key", content);
        for command in ["scan", "hash"] {
            let finished = place.run([command, "f", "--key-file", "key"]).exits(2);
            finished.says(1, &["chunkmill: error: key: ", "32", "64", &format!("found {found} bytes")]);
            assert_eq!(finished.out(), "");
            assert_secret(&finished);
        }
    }
}

#[test]
fn a_bad_digit_is_told_by_its_place() {
    let (place, _) = place();
    for (at, bad) in [(0, b'x'), (17, b' '), (63, b'g'), (9, 0xff), (9, 0x1b)] {
        let mut content = HEX.as_bytes().to_vec();
        content[at] = bad;
        place.file("key", &content);
        let finished = place.run(scan(&["--key-file", "key"])).exits(2);
        finished.says(1, &["chunkmill: error: key: ", &at.to_string()]);
        assert_eq!(finished.out(), "");
        assert_secret(&finished);
    }
}

#[test]
fn a_key_file_that_cannot_be_read_stops_the_work() {
    let (place, _) = place();
    place.folder("folder");
    for (key, words) in [("missing", &["missing", "No such file"]), ("folder", &["folder", "directory"])] {
        for command in ["scan", "hash"] {
            let finished = place.run([command, "f", "--key-file", key]).exits(3);
            finished.says(1, words);
            assert_eq!(finished.out(), "");
        }
    }
}

#[test]
fn the_variable_holds_digits() {
    let (place, lines) = place();
    for key in [HEX.to_owned(), HEX.to_uppercase()] {
        let finished = scan_with_variable(&place, key, &[]).exits(0);
        assert!(finished.out().starts_with(&lines));
        assert_eq!(finished.err(), "");
    }
}

#[test]
fn a_variable_that_holds_something_else_is_refused() {
    let (place, _) = place();
    let bad_digit = HEX.replacen('c', "x", 1);
    let values: [&[u8]; 7] = [
        b"",
        &HEX.as_bytes()[..63],
        bad_digit.as_bytes(),
        b"not a key",
        &[HEX.as_bytes(), b"\n"].concat(),
        &[HEX.as_bytes(), b"00"].concat(),
        &[&HEX.as_bytes()[..63], b"\xff"].concat(),
    ];
    for value in values {
        let finished = scan_with_variable(&place, os(value), &[]).exits(2);
        finished.says(1, &["chunkmill: error: CHUNKMILL_KEY: "]);
        assert_eq!(finished.out(), "");
        assert_secret(&finished);
        run(place.program(["hash", "f"]).env(KEY_VARIABLE, os(value))).exits(2);
    }
}

#[test]
fn a_key_file_goes_before_the_variable() {
    let (place, lines) = place();
    place.file("key", raw());
    let other = "0".repeat(64);
    for variable in [&other, "not a key", ""] {
        let finished = scan_with_variable(&place, variable, &["--key-file", "key"]).exits(0);
        assert!(finished.out().starts_with(&lines));
    }
    // And not the other way round: a bad file is not made good by the variable.
    scan_with_variable(&place, HEX, &["--key-file", "missing"]).exits(3);
}

#[test]
fn the_public_key_is_told_once() {
    let (place, _) = place();
    for name in 0..20 {
        place.file(format!("d/{name}"), "content");
    }
    let commands = [&["scan", "f", "d", "missing"][..], &["scan", "--quiet", "f"], &["hash", "f", "missing", "f", "f"]];
    for words in commands {
        let finished = place.run(words);
        let told = finished.err().lines().filter(|line| is_public_key_line(line)).count();
        assert_eq!(told, 1, "{words:?}: {}", finished.err());
        assert!(!finished.out().contains("public key"));
    }
}

#[test]
fn the_public_key_is_the_one_that_is_written_down() {
    let (place, _) = place();
    // BLAKE3 derive_key with the context `chunkmill public id key v1` and no material, as b3sum prints it.
    let public = "ad48cc6d5fba7295668e94c32fa845f05077ea693ccf73051d6a0c86e704ece3";
    let given = scan_with_variable(&place, public, &[]).exits(0);
    let default = place.run(scan(&[])).exits(0);
    assert_eq!(given.json_chunks(), default.json_chunks());
    assert_eq!(given.err(), "");
}

#[test]
fn a_key_in_use_is_never_printed() {
    let (place, _) = place();
    place.file("key", HEX);
    for words in [&["scan", "f", "missing", "--chunks"][..], &["hash", "f", "missing"], &["scan", "f", "--level", "9"]]
    {
        assert_secret(&place.run([words, &["--key-file", "key"]].concat()));
        assert_secret(&run(place.program(words).env(KEY_VARIABLE, HEX)));
    }
    for words in [&["--help"][..], &["scan", "--help"], &["scan", "f", "--no-such-option"], &["hash", "--threads=x"]] {
        assert_secret(&run(place.program(words).env(KEY_VARIABLE, HEX)));
    }
}

#[test]
fn a_key_file_is_left_as_it_is() {
    let (place, _) = place();
    place.file("key", HEX);
    place.run(scan(&["--key-file", "key"])).exits(0);
    assert_eq!(fs::read(place.path("key")).unwrap(), HEX.as_bytes());
    assert_eq!(place.names(), ["f", "key"].map(OsStr::new));
}

#[test]
fn a_key_may_come_from_standard_input() {
    let (place, lines) = place();
    place.file("key", HEX);
    let key = fs::File::open(place.path("key")).unwrap();
    let finished = run(place.program(scan(&["--key-file", "-"])).stdin(key)).exits(0);
    assert!(finished.out().starts_with(&lines));
    assert_secret(&finished);
    let finished = run(place.program(scan(&["--key-file", "-"])).stdin(std::process::Stdio::null())).exits(2);
    finished.says(1, &["found 0 bytes"]);
}

#[test]
fn standard_input_is_not_both_key_and_data() {
    let (place, _) = place();
    place.run(scan(&["-", "--key-file", "-"])).exits(2).says(1, &["both the key and the data"]);
    place.run(["hash", "-", "--key-file", "-"]).exits(2).says(1, &["both the key and the data"]);
}
