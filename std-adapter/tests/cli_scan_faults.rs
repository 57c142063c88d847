//! What `scan` does with files that cannot be read, or that change while they are read: it says so and goes on.

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

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ChildStdout;

#[cfg(target_os = "linux")]
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use common::{Finished, Place, Running, SMALL, json_lines, noise, small_chunks};

fn scan<'w>(paths: &[&'w str]) -> Vec<&'w str> {
    [&["scan", "--format", "jsonl"], &SMALL[..], paths].concat()
}

/// A place on Linux that opens and then fails to be read with EIO, whoever asks.
const UNREADABLE: &str = "/proc/self/mem";

#[test]
fn a_missing_file_is_named_and_the_rest_is_done() {
    let place = Place::new();
    place.file("a", "first");
    place.file("b", "last");
    let finished = place.run(scan(&["a", "no-such-file", "b"])).exits(1);
    finished.says(1, &["chunkmill: no-such-file: ", "No such file"]);
    assert_eq!(finished.json_paths(), ["a", "b"]);
    let summary = finished.summary();
    assert_eq!((&summary["files"], &summary["errors"], &summary["bytes"]), (&2.into(), &1.into(), &9.into()));
}

#[test]
fn a_read_error_is_named_with_its_offset_and_the_rest_is_done() {
    if !Path::new(UNREADABLE).exists() {
        return;
    }
    let place = Place::new();
    place.file("a", "first");
    place.file("b", "last");
    let finished = place.run(scan(&["a", UNREADABLE, "b"])).exits(1);
    finished.says(1, &[UNREADABLE, "offset 0", "error"]);
    assert_eq!(finished.json_paths(), ["a", "b"]);
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&2.into(), &1.into()));
}

#[test]
fn every_failure_counts() {
    let place = Place::new();
    place.file("file", "x");
    place.link("dangling", "nowhere");
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    let failing = ["missing", "dangling", "socket", "file/", "file/below", "missing"];
    let finished = place.run(scan(&[&failing[..], &["file"]].concat())).exits(1);
    let messages = finished.messages();
    assert_eq!(messages.len(), failing.len());
    for (message, path) in messages.iter().zip(failing) {
        assert!(message.starts_with(&format!("chunkmill: {path}: ")), "{message}");
    }
    assert_eq!((&finished.summary()["errors"], &finished.summary()["files"]), (&6.into(), &1.into()));
}

#[test]
fn the_table_and_the_other_formats_fail_alike() {
    let place = Place::new();
    place.file("a", "first");
    let table = place.run(["scan", "missing", "a"]).exits(1);
    let lines: Vec<_> = table.out().lines().take(2).collect();
    assert_eq!(lines, ["files           1", "errors          1 (see above)"]);
    let csv = place.run(["scan", "missing", "a", "--format", "csv"]).exits(1);
    csv.says(1, &["missing"]);
    assert_eq!(csv.out().lines().count(), 2);
}

#[test]
fn nothing_but_failures_still_ends_with_a_summary() {
    let finished = Place::new().run(scan(&["missing"])).exits(1);
    assert!(finished.json_chunks().is_empty());
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&0.into(), &1.into()));
}

#[test]
fn a_folder_on_standard_input_is_an_error() {
    let place = Place::new();
    let folder = File::open(place.folder("d")).unwrap();
    let finished = Running::start(place.program(scan(&["-"])).stdin(folder)).finish().exits(1);
    finished.says(1, &["chunkmill: -: "]);
    assert_eq!(finished.summary()["errors"], 1);
}

/// The files of a folder that cannot be read, in walk order.
fn unreadable_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(unreadable_files(&entry.path()));
        } else if kind.is_file() && fs::read(entry.path()).is_err() {
            found.push(entry.path().into_os_string().into_string().unwrap());
        }
    }
    found
}

#[test]
fn a_walk_goes_on_after_files_that_only_take_writes() {
    // On Linux this folder holds a few such files, which not even root can read.
    let folder = Path::new("/sys/bus/cpu");
    if !folder.is_dir() {
        return;
    }
    let expected = unreadable_files(folder);
    let finished = Place::new().run(scan(&["/sys/bus/cpu"])).exits(i32::from(!expected.is_empty()));
    let messages = finished.messages();
    assert_eq!(messages.len(), expected.len(), "{messages:?}");
    for (message, path) in messages.iter().zip(&expected) {
        assert!(message.starts_with(&format!("chunkmill: {path}: ")), "{message}");
    }
    assert_eq!(finished.summary()["errors"], expected.len());
    assert!(finished.summary()["files"].as_u64().unwrap() > 0);
}

/// Data enough to keep a program busy: its listing is longer than all buffers between it and the test, so once the first
/// line was read and no more, the program stands still in the first two MiB or so.
const LARGE: usize = 8 << 20;

/// A scan that has begun with its first file and cannot get far before its output is read on.
struct Held {
    program: Running,
    stdout: BufReader<ChildStdout>,
    first_line: Vec<u8>,
}

impl Held {
    fn start(place: &Place, paths: &[&str]) -> Self {
        let mut program = Running::start(&mut place.program(scan(paths)));
        let mut stdout = BufReader::new(program.stdout());
        let mut first_line = Vec::new();
        stdout.read_until(b'\n', &mut first_line).unwrap();
        Self { program, stdout, first_line }
    }

    fn finish(mut self) -> Finished {
        let mut stdout = self.first_line;
        self.stdout.read_to_end(&mut stdout).unwrap();
        Finished { stdout, ..self.program.finish() }
    }
}

#[test]
fn a_file_that_grows_is_read_to_its_old_end() {
    let place = Place::new();
    let content = noise(1, LARGE);
    let path = place.file("log", &content);
    place.file("next", "x");
    let held = Held::start(&place, &["log", "next"]);
    OpenOptions::new().append(true).open(path).unwrap().write_all(&[1; 1000]).unwrap();
    let finished = held.finish().exits(1);
    finished.says(1, &["chunkmill: log: ", "changed", "8388608", "8389608"]);
    let lines = [json_lines("log", &small_chunks(&content)), json_lines("next", &small_chunks(b"x"))].concat();
    assert!(finished.out().starts_with(&lines));
    assert_eq!((&finished.summary()["errors"], &finished.summary()["bytes"]), (&1.into(), &(LARGE + 1).into()));
}

#[test]
fn a_file_that_shrinks_is_read_to_its_new_end() {
    let place = Place::new();
    let content = noise(2, LARGE);
    let path = place.file("d/cut", &content);
    place.file("d/next", "x");
    let held = Held::start(&place, &["d"]);
    OpenOptions::new().write(true).open(path).unwrap().set_len(7_000_001).unwrap();
    let finished = held.finish().exits(1);
    finished.says(1, &["chunkmill: d/cut: ", "changed", "8388608", "7000001"]);
    let cut = small_chunks(&content[..7_000_001]);
    let lines = [json_lines("d/cut", &cut), json_lines("d/next", &small_chunks(b"x"))].concat();
    assert!(finished.out().starts_with(&lines));
    assert_eq!((&finished.summary()["errors"], &finished.summary()["bytes"]), (&1.into(), &7_000_002.into()));
}

#[test]
fn a_file_that_is_emptied_ends_where_it_was_read() {
    let place = Place::new();
    let content = noise(3, LARGE);
    let path = place.file("emptied", &content);
    let held = Held::start(&place, &["emptied"]);
    File::create(path).unwrap();
    let finished = held.finish().exits(1);
    finished.says(1, &["chunkmill: emptied: ", "8388608"]);
    let read = finished.summary()["bytes"].as_u64().unwrap() as usize;
    assert!(0 < read && read < LARGE, "{read}");
    assert!(finished.out().starts_with(&json_lines("emptied", &small_chunks(&content[..read]))));
}

#[test]
fn files_that_go_or_turn_into_something_else_during_a_walk() {
    let place = Place::new();
    let content = noise(4, LARGE);
    let names = ["d/a", "d/gone", "d/now-a-link", "d/now-a-pipe", "d/z"];
    place.file(names[0], &content);
    for name in &names[1..] {
        place.file(name, name);
    }
    let held = Held::start(&place, &["d"]);
    for name in &names[1..4] {
        fs::remove_file(place.path(name)).unwrap();
    }
    place.link(names[2], "z");
    // Nobody ever writes to it, so opening it the usual way would take for ever.
    place.fifo(names[3]);
    let finished = held.finish().exits(1);
    let messages = finished.messages();
    assert_eq!(messages.len(), 3, "{messages:?}");
    for (message, name) in messages.iter().zip(&names[1..4]) {
        assert!(message.starts_with(&format!("chunkmill: {name}: ")), "{message}");
    }
    let lines = [json_lines("d/a", &small_chunks(&content)), json_lines("d/z", &small_chunks(b"d/z"))].concat();
    assert!(finished.out().starts_with(&lines));
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&2.into(), &3.into()));
}

#[test]
fn a_folder_that_goes_during_a_walk_is_named_once_and_not_raw() {
    let place = Place::new();
    place.file("d/a", noise(6, LARGE));
    place.file("d/clear\u{1b}[2J/f", "x");
    let held = Held::start(&place, &["d"]);
    fs::remove_dir_all(place.path("d/clear\u{1b}[2J")).unwrap();
    let finished = held.finish().exits(1);
    finished.says(1, &["chunkmill: d/clear\\u{1b}[2J: ", "No such file"]);
    assert!(!finished.err().contains('\u{1b}'), "{:?}", finished.err());
    assert_eq!(finished.err().matches("clear").count(), 1, "{:?}", finished.err());
    assert_eq!(finished.summary()["errors"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_error_after_some_bytes_keeps_the_chunks_that_ended() {
    let place = Place::new();
    let letters: Vec<u8> = noise(5, 3000).iter().map(|byte| b'a' + byte % 26).collect();
    // The controlling side of a terminal gives what was written to the other side, and EIO once that is closed.
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let terminal = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    File::from(terminal).write_all(&letters).unwrap();

    let finished = Running::start(place.program(scan(&["-"])).stdin(master)).finish().exits(1);
    finished.says(1, &["chunkmill: -: ", "offset 3000"]);
    let mut ended = small_chunks(&letters);
    ended.pop();
    assert!(ended.len() > 3);
    assert_eq!(finished.out().lines().count(), ended.len() + 1);
    assert!(finished.out().starts_with(&json_lines("-", &ended)));
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&0.into(), &1.into()));
}
