//! `hash`: lines as `b3sum --keyed` prints them.

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

use std::fs::{self, File};
use std::process::{Command, Stdio};

use common::{Finished, Place, Running, noise, os, run, write_to_fifo};

/// The key of the official BLAKE3 test vectors.
const KEY: &[u8; 32] = b"whats the Elvish word for friend";

/// Official vectors of the keyed mode: length of an input that counts 0, 1, .. 250 over and over, and its hash.
const VECTORS: [(usize, &str); 4] = [
    (0, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"),
    (1, "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b"),
    (1025, "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69"),
    (102_400, "1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7"),
];

fn vector_input(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn place() -> Place {
    let place = Place::new();
    place.file("key", KEY);
    place
}

fn hash(place: &Place, files: &[&str]) -> Finished {
    place.run([&["hash", "--key-file", "key"], files].concat())
}

/// What b3sum prints for the same files, if it is installed.
fn b3sum(place: &Place, files: &[&str]) -> Option<String> {
    // Not installed is no failure: the official vectors say the same. Under QEMU what cannot be started ends with 127.
    Command::new("b3sum").arg("--version").output().ok().filter(|output| output.status.success())?;
    let mut command = Command::new("b3sum");
    command.arg("--keyed").args(files).current_dir(place.path(""));
    command.stdin(File::open(place.path("key")).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(run(&mut command).exits(0).out().to_owned())
}

#[test]
fn official_vectors() {
    let place = place();
    for (len, hex) in VECTORS {
        place.file("input", vector_input(len));
        let finished = hash(&place, &["input"]).exits(0);
        assert_eq!(finished.out(), format!("{hex}  input\n"));
        assert_eq!(finished.err(), "");
    }
}

#[test]
fn lines_are_those_of_b3sum() {
    let place = place();
    let lens = [0, 1, 63, 64, 65, 1023, 1024, 1025, 65_536, 262_143, 262_144, 262_145, 3_000_000];
    let names: Vec<_> = lens.iter().map(|len| format!("folder/{len} bytes")).collect();
    for (name, len) in names.iter().zip(lens) {
        place.file(name, noise(len as u64, len));
    }
    let files: Vec<_> = names.iter().map(String::as_str).collect();
    let ours = hash(&place, &files).exits(0);
    assert_eq!(ours.out().lines().count(), lens.len());
    if let Some(theirs) = b3sum(&place, &files) {
        assert_eq!(ours.out(), theirs);
    }
}

#[test]
fn names_are_escaped_as_b3sum_does() {
    let place = place();
    let names = ["back\\slash", "new\nline", "both\\\n", "plain", "comma, \"quote\"", "\u{e9}\u{1f980}", "tab\t"];
    for name in names {
        place.file(name, name);
    }
    let ours = hash(&place, &names).exits(0);
    let shown: Vec<_> = ours.out().lines().map(|line| line.split_once("  ").unwrap().1).collect();
    let expected = [r"back\\slash", r"new\nline", r"both\\\n", "plain", "comma, \"quote\"", "\u{e9}\u{1f980}", "tab\t"];
    assert_eq!(shown, expected);
    for (line, name) in ours.out().lines().zip(names) {
        assert_eq!(line.starts_with('\\'), name.contains(['\\', '\n']), "{line}");
    }
    if let Some(theirs) = b3sum(&place, &names) {
        assert_eq!(ours.out(), theirs);
    }
}

#[test]
fn a_carriage_return_does_not_break_the_line() {
    let place = place();
    place.file("carriage\rreturn", "");
    let finished = hash(&place, &["carriage\rreturn"]).exits(0);
    assert_eq!(finished.out(), format!("\\{}  carriage\\rreturn\n", VECTORS[0].1));
}

#[test]
fn a_name_that_is_not_utf_8_is_still_hashed() {
    let place = place();
    place.file(os(b"raw\xff"), "");
    let finished = place.run([os(b"hash"), os(b"--key-file=key"), os(b"raw\xff")]).exits(0);
    assert!(finished.stdout.starts_with(format!("{}  raw", VECTORS[0].1).as_bytes()));
    assert_eq!(finished.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn standard_input_is_a_dash() {
    let place = place();
    let finished = place.run_with_input(["hash", "--key-file", "key", "-"], vector_input(102_400)).exits(0);
    assert_eq!(finished.out(), format!("{}  -\n", VECTORS[3].1));
    place.file("f", vector_input(1));
    let mixed = place.run_with_input(["hash", "--key-file", "key", "f", "-", "-"], vector_input(1025)).exits(0);
    let lines = [format!("{}  f", VECTORS[1].1), format!("{}  -", VECTORS[2].1), format!("{}  -", VECTORS[0].1)];
    assert_eq!(mixed.out().lines().collect::<Vec<_>>(), lines);
}

#[test]
fn a_file_called_dash_has_a_way_in() {
    let place = place();
    place.file("-", vector_input(1));
    assert_eq!(hash(&place, &["./-"]).exits(0).out(), format!("{}  ./-\n", VECTORS[1].1));
}

#[test]
fn pipes_links_and_files_without_a_size() {
    let place = place();
    place.file("f", vector_input(1025));
    place.link("link", "f");
    let writer = write_to_fifo(place.fifo("pipe"), vector_input(102_400));
    let finished = hash(&place, &["link", "pipe"]).exits(0);
    writer.join().unwrap().unwrap();
    assert_eq!(finished.out(), format!("{}  link\n{}  pipe\n", VECTORS[2].1, VECTORS[3].1));
    if let Ok(version) = fs::read("/proc/version") {
        place.file("version", version);
        let finished = hash(&place, &["/proc/version", "version"]).exits(0);
        let hashes: Vec<_> = finished.out().lines().map(|line| &line[..64]).collect();
        assert_eq!(hashes[0], hashes[1]);
    }
}

#[test]
fn the_rest_is_done_when_a_file_fails() {
    let place = place();
    place.file("f", vector_input(1));
    place.folder("folder");
    let mut failing = vec!["missing", "folder", "f/below"];
    // It opens and then cannot be read, whoever asks.
    if fs::metadata("/proc/self/mem").is_ok() {
        failing.push("/proc/self/mem");
    }
    let files = [&["f"], &failing[..], &["f"]].concat();
    let finished = hash(&place, &files).exits(1);
    assert_eq!(finished.out(), format!("{0}  f\n{0}  f\n", VECTORS[1].1));
    let messages = finished.messages();
    assert_eq!(messages.len(), failing.len(), "{messages:?}");
    for (message, path) in messages.iter().zip(failing) {
        assert!(message.starts_with(&format!("chunkmill: {path}: ")), "{message}");
    }
}

#[test]
fn a_folder_on_standard_input_is_an_error() {
    let place = place();
    let folder = File::open(place.folder("folder")).unwrap();
    let words = ["hash", "--key-file", "key", "-"];
    let finished = Running::start(place.program(words).stdin(folder)).finish().exits(1);
    assert_eq!(finished.out(), "");
    finished.says(1, &["chunkmill: -: ", "directory"]);
}

#[test]
fn under_the_public_key_ids_of_scan_and_hash_agree() {
    let place = place();
    place.file("f", noise(1, 100_000));
    let hashed = place.run(["hash", "f"]).exits(0);
    // A file below the smallest chunk is one chunk.
    let scanned = place.run(["scan", "f", "--format", "jsonl"]).exits(0);
    assert_eq!(scanned.json_chunks()[0]["id"], hashed.out()[..64]);
}
