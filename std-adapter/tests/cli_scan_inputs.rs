//! What `scan` reads: files, directories, links, pipes, standard input, and files that have no size.

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
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;

use common::{Place, Running, SMALL, json_lines, noise, small_chunks, write_to_fifo};

fn scan<'w>(paths: &[&'w str]) -> Vec<&'w str> {
    [&["scan", "--format", "jsonl"], &SMALL[..], paths].concat()
}

#[test]
fn paths_are_done_in_the_order_given() {
    let place = Place::new();
    let content = [noise(1, 5000), noise(2, 6000)];
    place.file("a", &content[0]);
    place.file("d/b", &content[1]);
    let finished = place.run(scan(&["d", "a", "d/b", "a"])).exits(0);
    let (a, b) = (small_chunks(&content[0]), small_chunks(&content[1]));
    let lines = [json_lines("d/b", &b), json_lines("a", &a), json_lines("d/b", &b), json_lines("a", &a)].concat();
    assert!(finished.out().starts_with(&lines));
    let summary = finished.summary();
    assert_eq!((&summary["files"], &summary["bytes"]), (&4.into(), &22_000.into()));
    assert_eq!(summary["unique_bytes"], 11_000);
}

#[test]
fn directories_are_walked_in_byte_order() {
    let place = Place::new();
    let names = ["B", "_", "a/B", "a/b/c", "a/b/d", "a/z", "a.b", "aa", "b", "\u{e9}"];
    // Made in another order, and a folder without a file among them.
    for name in names.iter().rev() {
        place.file(format!("root/{name}"), name);
    }
    place.folder("root/a/empty");
    let finished = place.run(scan(&["root"])).exits(0);
    assert_eq!(finished.json_paths(), names.map(|name| format!("root/{name}")));
    assert_eq!(finished.summary()["files"], 10);
}

#[test]
fn the_folder_at_hand_and_slashes_at_the_end() {
    let place = Place::new();
    place.file("d/f", "x");
    for (path, found) in [("d", "d/f"), ("d/", "d/f"), (".", "./d/f"), ("./d", "./d/f")] {
        assert_eq!(place.run(scan(&[path])).exits(0).json_paths(), [found]);
    }
}

#[test]
fn a_folder_without_files_has_no_chunks() {
    let place = Place::new();
    place.folder("d/e");
    let finished = place.run(scan(&["d"])).exits(0);
    assert!(finished.json_chunks().is_empty());
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&0.into(), &0.into()));
}

#[test]
fn names_that_look_like_options() {
    let place = Place::new();
    place.file("--quiet", "x");
    place.file("d/-", "y");
    place.file("-", "z");
    assert_eq!(place.run(scan(&["--", "--quiet", "d", "./-"])).exits(0).json_paths(), ["--quiet", "d/-", "./-"]);
}

#[test]
fn a_folder_called_dash_is_a_folder() {
    let place = Place::new();
    place.file("-/f", "x");
    for path in ["-/", "./-", "-/."] {
        assert_eq!(place.run(scan(&["--", path])).exits(0).json_paths(), [format!("{}/f", path.trim_end_matches('/'))]);
    }
}

#[test]
fn an_empty_file_has_no_chunk() {
    let place = Place::new();
    place.file("empty", "");
    let finished = place.run(scan(&["empty"])).exits(0);
    assert!(finished.json_chunks().is_empty());
    let summary = finished.summary();
    assert_eq!((&summary["files"], &summary["bytes"], &summary["chunks"]), (&1.into(), &0.into(), &0.into()));
}

#[test]
fn links_in_a_directory_are_skipped_and_counted() {
    let place = Place::new();
    place.file("d/file", "content");
    place.file("outside", "other content");
    place.link("d/to-file", place.path("outside"));
    place.link("d/loop", ".");
    place.link("d/dangling", "nowhere");
    assert_eq!(place.run(scan(&["d"])).exits(0).json_paths(), ["d/file"]);
    let finished = place.run(["scan", "d"]).exits(0);
    let lines: Vec<_> = finished.out().lines().take(2).collect();
    assert_eq!(lines, ["files           1", "skipped         3 (links, pipes, sockets, devices)"]);
    assert!(finished.messages().is_empty());
}

#[test]
fn a_link_on_the_command_line_is_followed() {
    let place = Place::new();
    place.file("d/file", "content");
    place.link("to-file", "d/file");
    place.link("to-folder", "d");
    place.link("twice", "to-folder");
    let finished = place.run(scan(&["to-file", "to-folder", "twice"])).exits(0);
    assert_eq!(finished.json_paths(), ["to-file", "to-folder/file", "twice/file"]);
    assert_eq!(finished.summary()["unique_chunks"], 1);
}

#[test]
fn standard_input_in_small_writes() {
    let place = Place::new();
    let content = noise(3, 30_000);
    let mut program = Running::start(place.program(scan(&["-"])).stdin(Stdio::piped()));
    let mut stdin = program.child.stdin.take().unwrap();
    let feeder = {
        let content = content.clone();
        thread::spawn(move || {
            let (mut rest, mut len) = (&content[..], 1);
            while !rest.is_empty() {
                let (now, later) = rest.split_at(len.min(rest.len()));
                stdin.write_all(now).unwrap();
                // The reader gets its turn, so that most reads find less than the buffer holds.
                thread::yield_now();
                (rest, len) = (later, len % 97 + 1);
            }
        })
    };
    let finished = program.finish().exits(0);
    feeder.join().unwrap();
    assert!(finished.out().starts_with(&json_lines("-", &small_chunks(&content))));
    assert_eq!(finished.summary()["bytes"], 30_000);
}

#[test]
fn standard_input_is_empty_the_second_time() {
    let place = Place::new();
    place.file("f", "between");
    let finished = place.run_with_input(scan(&["-", "f", "-"]), noise(4, 1000)).exits(0);
    assert_eq!(finished.json_paths(), ["-", "f"]);
    assert_eq!((&finished.summary()["files"], &finished.summary()["bytes"]), (&3.into(), &1007.into()));
}

#[test]
fn standard_input_is_read_from_where_it_stands() {
    let place = Place::new();
    let content = noise(5, 9000);
    let mut file = File::open(place.file("f", &content)).unwrap();
    file.seek(SeekFrom::Start(1000)).unwrap();
    let finished = Running::start(place.program(scan(&["-"])).stdin(file)).finish().exits(0);
    assert!(finished.out().starts_with(&json_lines("-", &small_chunks(&content[1000..]))));
}

#[test]
fn a_pipe_on_the_command_line_is_read() {
    let place = Place::new();
    let content = noise(6, 300_000);
    let writer = write_to_fifo(place.fifo("pipe"), content.clone());
    let finished = place.run(scan(&["pipe"])).exits(0);
    writer.join().unwrap().unwrap();
    assert!(finished.out().starts_with(&json_lines("pipe", &small_chunks(&content))));
    assert_eq!(finished.summary()["files"], 1);
}

#[test]
fn pipes_and_sockets_in_a_directory_are_skipped() {
    let place = Place::new();
    place.file("d/file", "content");
    place.fifo("d/a-pipe");
    let _socket = UnixListener::bind(place.path("d/socket")).unwrap();
    assert_eq!(place.run(scan(&["d"])).exits(0).json_paths(), ["d/file"]);
    let finished = place.run(["scan", "d"]).exits(0);
    assert!(finished.out().contains("\nskipped         2 ("), "{}", finished.out());
}

#[test]
fn a_device_on_the_command_line_is_read() {
    let finished = Place::new().run(scan(&["/dev/null"])).exits(0);
    assert_eq!((&finished.summary()["files"], &finished.summary()["bytes"]), (&1.into(), &0.into()));
}

#[test]
fn files_whose_size_says_nothing_are_read_to_their_end() {
    let place = Place::new();
    let steady = ["/proc/version", "/proc/filesystems", "/sys/kernel/mm/transparent_hugepage/enabled"];
    for path in steady {
        // Elsewhere than on Linux, and in some sandboxes, they are not there.
        let Ok(content) = fs::read(path) else { continue };
        let finished = place.run(scan(&[path])).exits(0);
        assert!(finished.out().starts_with(&json_lines(path, &small_chunks(&content))), "{path}");
        assert_eq!((&finished.summary()["bytes"], &finished.summary()["errors"]), (&content.len().into(), &0.into()));
    }
    if fs::metadata("/proc/self/status").is_ok() {
        let summary = place.run(scan(&["/proc/self/status"])).exits(0).summary();
        assert!(summary["bytes"].as_u64().unwrap() > 100);
    }
}

#[test]
fn a_file_of_zeros_that_takes_no_room_is_read_whole() {
    let place = Place::new();
    File::create(place.path("sparse")).unwrap().set_len(100_000).unwrap();
    let finished = place.run(scan(&["sparse"])).exits(0);
    assert!(finished.out().starts_with(&json_lines("sparse", &small_chunks(&[0; 100_000]))));
}
