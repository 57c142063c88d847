//! `pack`, `unpack`, `verify`, `ls`: damage, ends from outside, and outputs that fail.

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

use core::time::Duration;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{ChildStdin, Stdio};
use std::thread::{self, sleep};

use common::packs::packed;
use common::{Place, Running, noise, run};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// A pack is read while it is written, as nobody should: either it is cut off or it is whole.
#[test]
fn a_pack_that_grows_is_cut_off_until_it_is_whole() {
    let (place, _) = packed(&[]);
    let pack = fs::read(place.path("p.cmill")).unwrap();
    let mut growing = fs::File::create(place.path("growing")).unwrap();
    growing.write_all(&pack[..100]).unwrap();
    let mut cut_off = 0;
    for part in pack[100..].chunks(pack.len() / 12) {
        let mut program = Running::start(&mut place.program(["verify", "growing"]));
        growing.write_all(part).unwrap();
        drop(program.child.stdin.take());
        let finished = program.finish();
        if finished.code == Some(1) {
            cut_off += 1;
            assert!(finished.err().contains("truncated after"), "{}", finished.err());
        } else {
            finished.exits(0);
        }
    }
    assert!(cut_off >= 10, "{cut_off}");
    place.run(["verify", "growing"]).exits(0);
}

#[test]
fn the_wrong_key_is_told_from_damage() {
    let place = Place::new();
    place.file("in", noise(1, 50_000));
    for (name, byte) in [("right", 7), ("wrong", 8)] {
        place.file(name, [byte; 32]);
    }
    place.run(["pack", "in", "-o", "p", "--key-file", "right"]).exits(0);
    for command in
        [&["verify", "p"][..], &["ls", "p"], &["unpack", "p", "-o", "out"], &["unpack", "p", "-o", "out2", "--partial"]]
    {
        let finished = place.run([command, &["--key-file", "wrong"]].concat()).exits(1);
        finished.says(1, &["p: wrong key", "record 0", "offset 0"]);
        place.run(command).exits(1).says(1, &["wrong key"]);
    }
    assert!(!place.path("out").exists() && !place.path("out2").exists());
    place.run(["verify", "p", "--key-file", "right"]).exits(0);
}

#[test]
fn damage_is_named_and_keeps_nothing_unless_it_is_asked_for() {
    let (place, stream) = packed(&[]);
    let good = fs::read(place.path("p.cmill")).unwrap();
    let len = good.len();
    for (at, words) in [
        (0, &["not a chunkmill pack"][..]),
        (20, &["header"]),
        (80, &["record 0", "offset 76"]),
        (len / 2, &["record"]),
        (len - 10, &["record"]),
    ] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        place.file("bad", &bad);
        place.run(["verify", "bad"]).exits(1).says(1, &[&["bad: "], words].concat());
        place.run(["ls", "bad"]).exits(1).says(1, words);
        place.run(["unpack", "bad", "-o", "out"]).exits(1).says(1, &[words, &["verified before"]].concat());
        assert!(!place.path("out").exists());
        place.run(["unpack", "bad", "-o", "part", "--partial", "--force"]).exits(1).says(1, words);
        let part = fs::read(place.path("part")).unwrap_or_default();
        assert!(stream.starts_with(&part), "{at}");
        assert!(at < len / 2 || part.len() > stream.len() / 10, "{at}: {}", part.len());
    }
}

#[test]
fn a_pack_that_is_cut_off_says_where() {
    let (place, stream) = packed(&[]);
    let good = fs::read(place.path("p.cmill")).unwrap();
    for len in [0, 1, 75, 76, 1000, good.len() / 2, good.len() - 68, good.len() - 1] {
        place.file("cut", &good[..len]);
        let finished = place.run(["verify", "cut"]).exits(1);
        finished.says(1, &["cut: truncated after", &format!("offset {len}")]);
        place.run(["unpack", "cut", "-o", "part", "--partial", "--force"]).exits(1).says(1, &["truncated after"]);
        // Where nothing was verified, nothing is kept.
        assert_eq!(place.path("part").exists(), len >= good.len() / 2);
        assert!(stream.starts_with(&fs::read(place.path("part")).unwrap_or_default()));
    }
}

#[test]
fn what_follows_a_pack_is_not_part_of_it() {
    let (place, stream) = packed(&[]);
    let good = fs::read(place.path("p.cmill")).unwrap();
    let end = good.len().to_string();
    for more in [&b"x"[..], &good] {
        place.file("long", [&good[..], more].concat());
        place.run(["verify", "long"]).exits(1).says(1, &["long: ", "trailer", &end, "more bytes"]);
        place.run(["unpack", "long", "-o", "out", "--force"]).exits(1).says(1, &["long: ", &end, "more bytes"]);
        assert!(fs::read(place.path("out")).unwrap() == stream);
        let listed = place.run(["ls", "long"]).exits(1);
        listed.says(1, &["long: ", &end, "more bytes"]);
        assert!(listed.out().contains("records, "));
        // Nor is it forgotten when nobody reads what was found.
        for words in [&["verify", "long"][..], &["unpack", "long", "-o", "out", "--force"], &["ls", "long"]] {
            let mut program = Running::start(&mut place.program(words));
            drop(program.child.stdout.take());
            program.finish().exits(1).says(1, &["more bytes"]);
        }
    }
}

/// A limit on the size of files stands for a full disk.
const LIMITED: &str = r#"ulimit -f 200; exec "$@""#;

#[test]
fn a_full_disk_leaves_nothing() {
    let place = Place::new();
    place.file("in", noise(1, 400_000));
    place.run(["pack", "in", "-o", "p"]).exits(0);
    let limited = |words: [&str; 4]| run(&mut place.shell(LIMITED, words)).exits(3);
    limited(["pack", "in", "-o", "q"]).says(1, &["q", "File too large"]);
    limited(["unpack", "p", "-o", "out"]).says(1, &["out", "File too large"]);
    assert_eq!(place.names(), ["in", "p"]);
    place.run(["unpack", "p", "-o", "out"]).exits(0);
}

const MIB: usize = 1 << 20;

/// A full file system, where whoever runs the tests may have one of his own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_leaves_nothing() {
    let place = Place::new();
    place.file("in", noise(1, 400_000));
    place.folder("small");
    place.run(["pack", "in", "-o", "p"]).exits(0);
    let own = |script: &str| format!("exec unshare -rm sh -c '{script}' sh \"$@\"");
    let mount = "mount -t tmpfs -o size=200k none small";
    if run(&mut place.shell(&own(mount), [""; 0])).code != Some(0) {
        eprintln!("nobody may mount here: nothing was tried");
        return;
    }
    let script = own(&format!("{mount} && {{ \"$@\"; code=$?; ls -A small; exit $code; }}"));
    for words in [["pack", "in", "-o", "small/q"], ["unpack", "p", "-o", "small/out"]] {
        let finished = run(&mut place.shell(&script, words)).exits(3);
        finished.says(1, &[&format!("cannot write {}", words[3]), "No space left"]);
        assert_eq!(finished.out(), "", "{words:?}");
    }
}

/// Starts a pack of what comes through a pipe, and waits until its temporary file is there.
fn begun(place: &Place, script: &str) -> (Running, ChildStdin) {
    let mut command = place.shell(script, ["pack", "-", "-o", "p", "--avg", "4KiB"]);
    let mut program = Running::start(command.stdin(Stdio::piped()));
    let mut stdin = program.child.stdin.take().unwrap();
    stdin.write_all(&noise(1, MIB)).unwrap();
    while !unfinished(place) {
        sleep(Duration::from_millis(5));
    }
    (program, stdin)
}

fn unfinished(place: &Place) -> bool {
    place.names().iter().any(|name| name.to_string_lossy().starts_with(".chunkmill-"))
}

/// Whoever runs the tests may have signals ignored, as under `nohup`, and the program would keep to that.
const DEFAULT_SIGNALS: &str = r#"exec env --default-signal "$@""#;

/// Ends the program in the middle of a pack.
fn interrupted(place: &Place, signal: Signal) {
    let (program, stdin) = begun(place, DEFAULT_SIGNALS);
    kill_process(Pid::from_child(&program.child), signal).unwrap();
    let finished = program.finish();
    drop(stdin);
    assert_eq!(finished.code, None, "{}", finished.err());
    assert!(!place.path("p").exists());
}

#[test]
fn an_end_from_outside_leaves_nothing() {
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        let place = Place::new();
        interrupted(&place, signal);
        assert!(place.names().is_empty(), "{:?}", place.names());
    }
}

#[test]
fn an_end_as_soon_as_there_is_a_file_leaves_nothing() {
    for _ in 0..20 {
        let place = Place::new();
        let mut command = place.shell(DEFAULT_SIGNALS, ["pack", "-", "-o", "p"]);
        let mut program = Running::start(command.stdin(Stdio::piped()));
        let stdin = program.child.stdin.take();
        while !unfinished(&place) {
            thread::yield_now();
        }
        kill_process(Pid::from_child(&program.child), Signal::TERM).unwrap();
        assert_eq!(program.finish().code, None);
        drop(stdin);
        assert!(place.names().is_empty(), "{:?}", place.names());
    }
}

/// As under `nohup`: the work goes on.
#[test]
fn what_is_ignored_stays_ignored() {
    let place = Place::new();
    let (program, stdin) = begun(&place, r#"trap '' HUP; exec "$@""#);
    kill_process(Pid::from_child(&program.child), Signal::HUP).unwrap();
    drop(stdin);
    program.finish().exits(0);
    place.run(["verify", "p"]).exits(0);
}

/// Who stops a program does not end it.
#[test]
fn a_pack_that_was_stopped_goes_on() {
    let place = Place::new();
    let (program, mut stdin) = begun(&place, r#"exec "$@""#);
    let pid = Pid::from_child(&program.child);
    kill_process(pid, Signal::STOP).unwrap();
    let stopped = waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED).unwrap().unwrap();
    assert!(stopped.stopped());
    // More than the pipe holds, so it waits for the program.
    let writer = thread::spawn(move || stdin.write_all(&noise(2, MIB)));
    sleep(Duration::from_millis(20));
    assert!(!place.path("p").exists());
    kill_process(pid, Signal::CONT).unwrap();
    writer.join().unwrap().unwrap();
    program.finish().exits(0);
    place.run(["unpack", "p", "-o", "out"]).exits(0);
    assert!(fs::read(place.path("out")).unwrap() == [noise(1, MIB), noise(2, MIB)].concat());
}

/// Nobody is left to clean up; what is left has another name, and is in nobody's way.
#[test]
fn a_kill_in_the_middle_leaves_no_file_of_that_name() {
    let place = Place::new();
    interrupted(&place, Signal::KILL);
    assert_eq!(place.names().len(), 1);
    place.file("in", "content");
    place.run(["pack", "in", "-o", "p"]).exits(0);
    place.run(["verify", "p"]).exits(0);
}

#[test]
fn kills_leave_no_pack_that_is_not_whole() {
    let place = Place::new();
    let content = noise(1, 3_000_000);
    place.file("in", &content);
    for round in 0..50u64 {
        let mut program = place.program(["pack", "in", "-o", "p", "--force", "--avg", "4KiB"]).spawn().unwrap();
        sleep(Duration::from_micros(round * 700));
        let _ = program.kill();
        // What it has to say goes nowhere.
        let _ = program.stdout.take().unwrap().read_to_end(&mut Vec::new());
        program.wait().unwrap();
        if place.path("p").exists() {
            place.run(["verify", "p"]).exits(0);
            fs::remove_file(place.path("p")).unwrap();
        }
    }
    place.run(["pack", "in", "-o", "p"]).exits(0);
    place.run(["unpack", "p", "-o", "out"]).exits(0);
    assert!(fs::read(place.path("out")).unwrap() == content);
}

/// A pack ends with its trailer: nobody waits for what a pipe may still bring.
#[test]
fn the_end_of_a_pack_is_the_end_though_the_pipe_stays_open() {
    let (place, stream) = packed(&[]);
    let pack = fs::read(place.path("p.cmill")).unwrap();
    for words in [&["verify", "-"][..], &["unpack", "-", "-o", "out"], &["ls", "-"]] {
        let mut program = Running::start(place.program(words).stdin(Stdio::piped()));
        let mut stdin = program.child.stdin.take().unwrap();
        stdin.write_all(&pack).unwrap();
        program.finish().exits(0);
        drop(stdin);
    }
    assert!(fs::read(place.path("out")).unwrap() == stream);
}

/// An output that fails ends the program, though a thread waits for the input.
#[test]
fn a_failed_output_ends_the_work_though_the_input_stalls() {
    let place = Place::new();
    place.file("in", noise(1, 4 << 20));
    place.run(["pack", "in", "-o", "p", "--avg", "64KiB"]).exits(0);
    let pack = fs::read(place.path("p")).unwrap();
    let half = &pack[..pack.len() / 2];
    for threads in ["1", "2", "4"] {
        let words = ["unpack", "-", "-o", "-", "--threads", threads];
        let mut program = Running::start(place.program(words).stdin(Stdio::piped()));
        let mut stdin = program.child.stdin.take().unwrap();
        drop(program.child.stdout.take());
        // It may end before it has read everything.
        let _ = stdin.write_all(half);
        program.finish().exits(0);
        drop(stdin);

        let mut command = place.shell(LIMITED, ["unpack", "-", "-o", "out", "--threads", threads]);
        let mut program = Running::start(command.stdin(Stdio::piped()));
        let mut stdin = program.child.stdin.take().unwrap();
        let _ = stdin.write_all(half);
        program.finish().exits(3).says(1, &["out", "File too large"]);
        drop(stdin);
        assert_eq!(place.names(), ["in", "p"]);
    }
}

/// What was read before a bad sector is as good as what was read before damage.
#[cfg(target_os = "linux")]
#[test]
fn a_read_error_keeps_what_was_verified_if_it_is_asked_for() {
    let place = Place::new();
    place.file("in", noise(1, 600_000));
    place.run(["pack", "in", "-o", "p", "--avg", "4KiB"]).exits(0);
    let pack = fs::read(place.path("p")).unwrap();
    for partial in [false, true] {
        // A connection that the other side ends while something it was sent is unread gives an error behind what it sent.
        let (mut near, far) = UnixStream::pair().unwrap();
        (&far).write_all(b"unread").unwrap();
        let words = [&["unpack", "-", "-o", "out"][..], if partial { &["--partial"][..] } else { &[] }].concat();
        let program = Running::start(place.program(words).stdin(OwnedFd::from(far)));
        near.write_all(&pack[..300_000]).unwrap();
        drop(near);
        let finished = program.finish().exits(3);
        finished.says(1, &["-: ", "offset", "Connection reset", if partial { "is written" } else { "--partial" }]);
        assert_eq!(place.path("out").exists(), partial);
    }
    let out = fs::read(place.path("out")).unwrap();
    assert!(out.len() > 200_000 && noise(1, 600_000).starts_with(&out), "{} bytes", out.len());
}

#[test]
fn a_reader_of_the_output_may_go() {
    let (place, _) = packed(&[]);
    for words in [&["unpack", "p.cmill", "-o", "-"][..], &["ls", "p.cmill"]] {
        let mut program = Running::start(&mut place.program(words));
        drop(program.stdout());
        program.finish().exits(0);
    }
}
