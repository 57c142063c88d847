//! File names may hold any byte but 0 and `/`: machines get all of them, terminals none that they would obey.

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
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use serde_json::Value;

use common::{Finished, Place, SMALL, os, small_chunks};

/// Names that are UTF-8 and trouble for lines, tables, quotes and terminals.
const NAMES: [&str; 9] = [
    "new\nline",
    "carriage\rreturn",
    "comma,comma",
    "quote\"quote",
    "back\\slash",
    "clear\u{1b}[2J",
    "bell\u{7}tab\tdel\u{7f}",
    "csi\u{9b}31m",
    "\u{e9}t\u{e9} \u{1f980}",
];

fn names() -> impl Iterator<Item = &'static OsStr> {
    NAMES.iter().map(OsStr::new)
}

/// No control characters but the ends of lines, and as many of those as lines are due.
#[track_caller]
fn assert_tame(text: &str, lines: usize) {
    let wild = text.chars().find(|character| character.is_control() && *character != '\n');
    assert_eq!(wild, None, "{text:?}");
    assert_eq!(text.lines().count(), lines, "{text}");
}

#[test]
fn json_gives_back_every_name_that_is_utf_8() {
    let place = Place::new();
    for name in names() {
        place.file(name, name.as_bytes());
    }
    let words = ["scan", "--format", "jsonl"].map(OsStr::new).into_iter().chain(names());
    let finished = place.run(words).exits(0);
    assert_eq!(finished.json_paths(), NAMES);
    let raw = finished.out().bytes().filter(|byte| *byte < b' ' && *byte != b'\n').count();
    assert_eq!((raw, finished.out().lines().count()), (0, NAMES.len() + 1));
}

#[test]
fn json_gives_other_names_in_hex() {
    let place = Place::new();
    let name = os(b"a\xff\xc3(\n");
    place.file(name, "content");
    place.file(os(b"d\xfe/plain"), "other");
    let words = [OsStr::new("scan"), os(b"--format=jsonl"), name, os(b"d\xfe")];
    let finished = place.run(words).exits(0);
    let ids = [small_chunks(b"content")[0].id, small_chunks(b"other")[0].id];
    let expected = [
        format!("{{\"path_hex\":\"61ffc3280a\",\"offset\":0,\"length\":7,\"id\":\"{}\"}}", ids[0]),
        format!("{{\"path_hex\":\"64fe2f706c61696e\",\"offset\":0,\"length\":5,\"id\":\"{}\"}}", ids[1]),
    ];
    assert_eq!(finished.out().lines().take(2).collect::<Vec<_>>(), expected);
    assert!(finished.json_chunks().iter().all(|chunk| chunk.get("path").is_none()));
}

/// The path column of the only row, as it stands between the header and the numbers.
fn csv_path(place: &Place, name: &OsStr) -> Vec<u8> {
    let finished = place.run([OsStr::new("scan"), os(b"--format=csv"), name]).exits(0);
    let row = finished.stdout.strip_prefix(b"path,offset,length,id\n").unwrap();
    let id = small_chunks(name.as_bytes())[0].id;
    let rest = format!(",0,{},{id}\n", name.len());
    row.strip_suffix(rest.as_bytes()).unwrap().to_vec()
}

#[test]
fn csv_quotes_where_it_must_and_keeps_the_bytes() {
    let place = Place::new();
    let cases: [(&[u8], &[u8]); 8] = [
        (b"plain", b"plain"),
        (b"with space", b"with space"),
        (b"comma,comma", b"\"comma,comma\""),
        (b"quote\"quote", b"\"quote\"\"quote\""),
        (b"new\nline", b"\"new\nline\""),
        (b"carriage\rreturn", b"\"carriage\rreturn\""),
        (b"raw\xff\xfe", b"raw\xff\xfe"),
        (b"\xff,\"", b"\"\xff,\"\"\""),
    ];
    for (name, column) in cases {
        place.file(os(name), name);
        assert_eq!(csv_path(&place, os(name)).escape_ascii().to_string(), column.escape_ascii().to_string());
    }
}

#[test]
fn the_list_of_chunks_is_tame() {
    let place = Place::new();
    let all: Vec<_> = names().chain([os(b"raw\xff\n")]).collect();
    for name in &all {
        place.file(Path::new("d").join(name), name.as_bytes());
    }
    let finished = place.run(["scan", "--chunks", "d"]).exits(0);
    assert_tame(finished.out(), all.len() + 1 + 13);
    assert!(finished.out().contains("\u{e9}t\u{e9} \u{1f980}"));
}

fn assert_messages_are_tame(finished: &Finished) {
    assert_eq!(finished.messages().len(), NAMES.len() + 1, "{:?}", finished.err());
    // One more for the word about the key.
    assert_tame(finished.err(), NAMES.len() + 2);
}

#[test]
fn messages_about_missing_files_are_tame() {
    let place = Place::new();
    let missing: Vec<_> = names().chain([os(b"raw\xff\x1b\n")]).collect();
    for command in ["scan", "hash"] {
        let finished = place.run([OsStr::new(command)].iter().chain(&missing)).exits(1);
        assert_messages_are_tame(&finished);
        finished.says(NAMES.len() + 1, &["comma,comma"]);
    }
}

#[test]
fn messages_about_other_files_are_tame() {
    let place = Place::new();
    place.file("f", "x");
    for name in names().filter(|name| name.as_bytes().iter().any(u8::is_ascii_control)) {
        place.file(name, "no key");
        let wrong_key = place.run([OsStr::new("hash"), OsStr::new("f"), OsStr::new("--key-file"), name]).exits(2);
        assert_tame(wrong_key.err(), 1);
        let there = place.run([OsStr::new("keygen"), OsStr::new("-o"), name]).exits(2);
        assert_tame(there.err(), 1);
        let below = Path::new("missing").join(name);
        let nowhere = place.run([OsStr::new("keygen"), OsStr::new("-o"), below.as_os_str()]).exits(3);
        assert_tame(nowhere.err(), 1);
        let picture = place.run([OsStr::new("scan"), OsStr::new("f"), OsStr::new("--histogram"), below.as_os_str()]);
        assert_tame(picture.exits(3).err(), 2);
    }
}

#[test]
fn skipped_entries_are_not_named() {
    let place = Place::new();
    place.file("d/f", "x");
    place.link("d/link\u{1b}[2J", "nowhere");
    let _socket = UnixListener::bind(place.path("d/s\u{1b}[2J")).unwrap();
    let finished = place.run(["scan", "d"]).exits(0);
    assert_tame(finished.out(), 14);
    assert_tame(finished.err(), 1);
}

#[test]
fn long_and_deep_names() {
    let place = Place::new();
    let long = "n".repeat(255);
    let path = ["d/", &"deep/".repeat(200), &long].concat();
    place.file(&path, "content");
    let finished = place.run([&["scan", "d", "--format", "jsonl"], &SMALL[..]].concat()).exits(0);
    let chunks = finished.json_chunks();
    assert_eq!(chunks[0]["path"], Value::from(path));
}
