//! `keygen`: a new key, for its owner alone, and never over an old one.

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

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;

use common::{Place, Running, run};

#[test]
fn a_key_is_32_bytes_for_its_owner() {
    let place = Place::new();
    let finished = place.run(["keygen", "-o", "key"]).exits(0);
    assert_eq!((finished.out(), finished.err()), ("", ""));
    let metadata = fs::metadata(place.path("key")).unwrap();
    assert!(metadata.is_file());
    assert_eq!((metadata.len(), metadata.mode() & 0o7777, metadata.nlink()), (32, 0o600, 1));
    assert_eq!(place.names(), ["key"].map(OsStr::new));
}

#[test]
fn the_mode_does_not_depend_on_the_umask() {
    let place = Place::new();
    for umask in ["000", "022", "077"] {
        let name = format!("key-{umask}");
        run(&mut place.shell(&format!(r#"umask {umask}; exec "$@""#), ["keygen", "-o", &name])).exits(0);
        assert_eq!(fs::metadata(place.path(name)).unwrap().mode() & 0o7777, 0o600, "{umask}");
    }
}

#[test]
fn no_two_keys_are_the_same() {
    let place = Place::new();
    let keys: HashSet<_> = (0..20)
        .map(|number| {
            let name = format!("key{number}");
            place.run(["keygen", "--output", &name]).exits(0);
            fs::read(place.path(name)).unwrap()
        })
        .collect();
    assert_eq!(keys.len(), 20);
}

#[test]
fn what_is_there_is_kept() {
    let place = Place::new();
    place.file("file", "precious");
    place.file("empty", "");
    place.folder("folder");
    place.fifo("pipe");
    place.link("link", "file");
    place.link("dangling", "nowhere");
    let before = place.names();
    for target in ["file", "empty", "folder", "pipe", "link", "dangling", "/dev/null"] {
        let finished = place.run(["keygen", "-o", target]).exits(2);
        assert_eq!(finished.out(), "");
        finished.says(1, &["chunkmill: error: ", target]);
    }
    assert_eq!(fs::read(place.path("file")).unwrap(), b"precious");
    assert_eq!(fs::read(place.path("empty")).unwrap(), b"");
    assert_eq!(place.names(), before);
}

#[test]
fn a_missing_folder_is_an_io_error() {
    let place = Place::new();
    place.file("file", "");
    for target in ["missing/key", "file/key"] {
        place.run(["keygen", "-o", target]).exits(3).says(1, &["chunkmill: error: ", target]);
    }
    assert_eq!(place.names(), ["file"].map(OsStr::new));
}

#[test]
fn standard_output_gets_the_raw_bytes() {
    let place = Place::new();
    let first = place.run(["keygen", "-o", "-"]).exits(0);
    assert_eq!((first.stdout.len(), first.err()), (32, ""));
    let second = place.run(["keygen", "-o", "-"]).exits(0);
    assert_ne!(first.stdout, second.stdout);
    assert!(place.names().is_empty());
}

#[test]
fn the_other_commands_take_the_key() {
    let place = Place::new();
    place.file("f", "content");
    place.run(["keygen", "-o", "key"]).exits(0);
    let id = |key: &str| {
        let finished = place.run(["scan", "f", "--format", "jsonl", "--key-file", key]).exits(0);
        assert_eq!(finished.err(), "");
        let hashed = place.run(["hash", "f", "--key-file", key]).exits(0);
        let id = finished.json_chunks()[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(hashed.out(), format!("{id}  f\n"));
        id
    };
    let key: [u8; 32] = fs::read(place.path("key")).unwrap().try_into().unwrap();
    assert_eq!(id("key"), chunkmill::core::IdKey::from_bytes(key).id_of(b"content").to_string());
    place.run(["keygen", "-o", "other"]).exits(0);
    assert_ne!(id("key"), id("other"));
}

#[test]
fn of_many_at_once_one_wins() {
    let place = Place::new();
    let running: Vec<_> = (0..8).map(|_| Running::start(&mut place.program(["keygen", "-o", "key"]))).collect();
    let mut codes: Vec<_> = running.into_iter().map(|program| program.finish().code.unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(fs::metadata(place.path("key")).unwrap().len(), 32);
    assert_eq!(place.names(), ["key"].map(OsStr::new));
}

#[test]
fn a_place_to_write_is_required() {
    let place = Place::new();
    place.run(["keygen"]).exits(2);
    place.run(["keygen", "-o"]).exits(2);
    place.run(["keygen", "-o", ""]).exits(2);
    place.run(["keygen", "key"]).exits(2);
    assert!(place.names().is_empty());
}
