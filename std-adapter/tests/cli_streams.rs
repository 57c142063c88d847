//! Standard output and standard error that are full, closed, or read by nobody any more.

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
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use common::{Finished, Place, Running, SMALL, json_lines, noise, run, small_chunks};

const FULL: &str = "/dev/full";

/// A place with a file whose listing is longer than every buffer between the program and its reader.
fn large() -> Place {
    let place = Place::new();
    place.file("large", noise(1, 8 << 20));
    place.file("small", "content");
    place
}

/// Reads one line and goes.
fn read_a_line(place: &Place, words: &[&str]) -> Finished {
    let mut program = Running::start(&mut place.program(words));
    let mut line = Vec::new();
    BufReader::new(program.stdout()).read_until(b'\n', &mut line).unwrap();
    assert!(line.ends_with(b"\n"));
    program.finish()
}

/// Goes before there is anything to read.
fn read_nothing(place: &Place, words: &[&str]) -> Finished {
    let mut program = Running::start(&mut place.program(words));
    drop(program.stdout());
    program.finish()
}

fn listing<'w>(format: &'w str, path: &'w str) -> Vec<&'w str> {
    [&["scan", path, "--chunks", "--format", format], &SMALL[..]].concat()
}

#[test]
fn a_reader_of_json_may_go() {
    let finished = read_a_line(&large(), &listing("jsonl", "large")).exits(0);
    assert!(finished.messages().is_empty(), "{}", finished.err());
}

#[test]
fn a_reader_of_csv_may_go() {
    let finished = read_a_line(&large(), &listing("csv", "large")).exits(0);
    assert!(finished.messages().is_empty(), "{}", finished.err());
}

#[test]
fn a_reader_of_the_table_may_go() {
    let finished = read_a_line(&large(), &listing("human", "large")).exits(0);
    assert!(finished.messages().is_empty(), "{}", finished.err());
}

#[test]
fn a_reader_may_go_before_the_start() {
    let place = large();
    for words in [&["scan", "small"][..], &["scan", "small", "--format", "jsonl"], &["hash", "small", "large"]] {
        let finished = read_nothing(&place, words).exits(0);
        assert!(finished.messages().is_empty(), "{words:?}: {}", finished.err());
    }
    assert!(read_nothing(&place, &["keygen", "-o", "-"]).exits(0).messages().is_empty());
    read_nothing(&place, &["--help"]).exits(0);
}

#[test]
fn a_reader_of_csv_may_go_before_the_start() {
    let finished = read_nothing(&large(), &listing("csv", "small")).exits(0);
    assert!(finished.messages().is_empty(), "{}", finished.err());
}

/// Also while a thread waits for more of a pipe that nobody ends.
#[test]
fn a_reader_may_go_while_a_pipe_is_waited_for() {
    let place = Place::new();
    let words = [&["scan", "-", "--format", "jsonl", "--threads", "2", "--gate", "0"], &SMALL[..]].concat();
    for _ in 0..5 {
        let mut program = Running::start(place.program(&words).stdin(Stdio::piped()));
        let mut stdin = program.child.stdin.take().unwrap();
        let mut line = Vec::new();
        let mut reader = BufReader::new(program.stdout());
        let writer = thread::spawn(move || {
            let _ = stdin.write_all(&noise(1, 8 << 20));
            stdin
        });
        reader.read_until(b'\n', &mut line).unwrap();
        drop(reader);
        // Ends although standard input does not.
        let finished = program.finish().exits(0);
        assert!(finished.messages().is_empty(), "{}", finished.err());
        drop(writer.join().unwrap());
    }
}

#[test]
fn a_full_disk_under_standard_output_stops_the_work() {
    if !Path::new(FULL).exists() {
        return;
    }
    let place = large();
    place.run(["pack", "large", "-o", "p"]).exits(0);
    let mut commands = vec![vec!["hash", "small"], vec!["keygen", "-o", "-"], vec!["unpack", "p", "-o", "-"]];
    // These fail when all is done, so what they made is whole: see below.
    commands.extend([vec!["pack", "large", "-o", "q"], vec!["unpack", "p", "-o", "out"], vec!["verify", "p"]]);
    commands.extend(["human", "jsonl"].map(|format| vec!["ls", "p", "--format", format]));
    for format in ["human", "jsonl", "csv"] {
        // One fails when it ends, the other on the way.
        commands.extend([listing(format, "small"), listing(format, "large")]);
    }
    for words in commands {
        let full = OpenOptions::new().write(true).open(FULL).unwrap();
        let finished = run(place.program(&words).stdout(full)).exits(3);
        finished.says(1, &["chunkmill: error: ", "standard output", "No space left"]);
    }
    place.run(["verify", "q"]).exits(0);
    assert!(fs::read(place.path("out")).unwrap() == noise(1, 8 << 20));
}

/// What is closed at the start is `/dev/null` before the program looks, as for every program in Rust: results go nowhere, and
/// above all not into a file that took the number.
#[test]
fn closed_standard_output_is_written_to_nobody() {
    let place = large();
    let closed = |words: &[&str]| {
        let finished = run(&mut redirected(&place, ">&-", words)).exits(0);
        assert!(finished.messages().is_empty(), "{words:?}: {}", finished.err());
    };
    for words in [&["pack", "large", "-o", "p"][..], &["unpack", "p", "-o", "out"], &["scan", "large", "--chunks"]] {
        closed(words);
    }
    for words in [&["ls", "p"][..], &["verify", "p"], &["hash", "large"]] {
        closed(words);
    }
    run(&mut redirected(&place, ">&-", &["unpack", "p", "-o", "-"])).exits(0);
    place.run(["verify", "p"]).exits(0);
    assert!(fs::read(place.path("out")).unwrap() == noise(1, 8 << 20));
    assert_eq!(place.names(), ["large", "out", "p", "small"].map(OsStr::new));
}

#[test]
fn closed_standard_input_is_an_empty_stream() {
    let place = Place::new();
    let closed = |words: &[&str]| run(&mut redirected(&place, "<&-", words));
    assert_eq!(closed(&["scan", "-", "--format", "jsonl"]).exits(0).summary()["bytes"], 0);
    assert_eq!(closed(&["hash", "-"]).exits(0).out(), place.run_with_input(["hash", "-"], "").exits(0).out());
    closed(&["pack", "-", "-o", "p"]).exits(0);
    place.run(["unpack", "p", "-o", "out"]).exits(0);
    assert_eq!(fs::metadata(place.path("out")).unwrap().len(), 0);
    closed(&["verify", "-"]).exits(1).says(1, &["truncated"]);
    closed(&["unpack", "-", "-o", "none"]).exits(1).says(1, &["truncated"]);
    assert!(!place.path("none").exists());
}

/// The program started with a redirection: a shell can close what a parent process cannot.
fn redirected(place: &Place, redirection: &str, words: &[&str]) -> Command {
    place.shell(&format!(r#"exec "$@" {redirection}"#), words)
}

#[test]
fn without_standard_error_the_work_is_the_same() {
    let place = large();
    let lines = json_lines("small", &small_chunks(b"content"));
    // Closed, open for reading only, and full.
    let mut redirections = vec!["2>&-", "2</dev/null"];
    redirections.extend(Path::new(FULL).exists().then_some("2>/dev/full"));
    for redirection in redirections {
        let run = |words: &[&str]| run(&mut redirected(&place, redirection, words));
        let whole = run(&["scan", "small", "--format", "jsonl"]).exits(0);
        assert!(whole.out().starts_with(&lines), "{redirection}");
        let partly = run(&["scan", "missing", "small", "--format", "jsonl"]).exits(1);
        assert!(partly.out().starts_with(&lines), "{redirection}");
        assert_eq!(partly.summary()["errors"], 1);
        run(&["hash", "missing"]).exits(1);
        run(&["scan", "--avg", "1", "small"]).exits(2);
        run(&["scan", "--no-such-option"]).exits(2);
        run(&["keygen", "-o", "missing/key"]).exits(3);
    }
}

#[test]
fn messages_do_not_end_up_in_a_file_that_took_the_number_of_standard_error() {
    let place = large();
    run(&mut redirected(&place, "2>&-", &["scan", "missing", "small", "--histogram", "h.svg"])).exits(1);
    let svg = fs::read_to_string(place.path("h.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(!svg.contains("chunkmill:"));
    run(&mut redirected(&place, "2>&- >&- <&-", &["keygen", "-o", "key"])).exits(0);
    assert_eq!(fs::metadata(place.path("key")).unwrap().len(), 32);
}

#[test]
fn a_reader_of_standard_error_may_go() {
    let place = large();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let words = ["scan", "missing", "missing", "small", "--format", "jsonl"];
    let finished = run(place.program(words).stderr(writer)).exits(1);
    assert!(finished.out().starts_with(&json_lines("small", &small_chunks(b"content"))));
    assert_eq!(finished.summary()["errors"], 2);
}

#[test]
fn output_into_a_file_is_whole() {
    let place = large();
    let out = File::create(place.path("out")).unwrap();
    run(place.program(listing("jsonl", "large")).stdout(out)).exits(0);
    let written = fs::read_to_string(place.path("out")).unwrap();
    assert!(written.starts_with(&json_lines("large", &small_chunks(&noise(1, 8 << 20)))));
    assert!(written.ends_with("}}\n"));
    assert_eq!(place.names(), ["large", "out", "small"].map(OsStr::new));
}
