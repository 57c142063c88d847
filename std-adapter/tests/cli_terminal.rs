//! Progress shows on a terminal, nowhere else, and not with `--quiet`.

#![cfg(all(feature = "cli", target_os = "linux"))]
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

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use common::{Place, Running, SMALL, noise};

/// A terminal that somebody watches.
struct Terminal {
    program_side: OwnedFd,
    seen: Receiver<Vec<u8>>,
}

impl Terminal {
    fn new() -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let program_side = ioctl_tiocgptpeer(&master, flags).unwrap();
        tcsetwinsize(&program_side, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let (send, seen) = mpsc::channel();
        thread::spawn(move || {
            let (mut screen, mut buffer) = (File::from(master), [0; 4096]);
            // Reading fails once nobody has the other side open any more.
            while let Ok(len @ 1..) = screen.read(&mut buffer) {
                if send.send(buffer[..len].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { program_side, seen }
    }

    fn stdio(&self) -> Stdio {
        self.program_side.try_clone().unwrap().into()
    }

    /// Everything seen until the end. The command holds the terminal open, too.
    fn read_to_end(self, command: Command) -> String {
        drop(command);
        drop(self.program_side);
        String::from_utf8(self.seen.iter().flatten().collect()).unwrap()
    }
}

fn program(place: &Place, words: &[&str]) -> Command {
    let mut command = place.program(words);
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    command
}

/// Feeds standard input until the terminal shows a count of bytes, then ends it.
fn shows_progress(words: &[&str]) {
    let place = Place::new();
    let terminal = Terminal::new();
    let mut command = program(&place, words);
    let mut running = Running::start(command.stdin(Stdio::piped()).stderr(terminal.stdio()));
    let mut stdin = running.child.stdin.take().unwrap();
    let mut shown = String::new();
    while !shown.contains("MiB") {
        // Fails if the watchdog had to end the program.
        stdin.write_all(&[0; 64 << 10]).unwrap();
        shown.extend(terminal.seen.try_iter().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    }
    drop(stdin);
    running.finish().exits(0);
    shown.push_str(&terminal.read_to_end(command));
    // The line is taken off the screen: what was written last is the code that clears it.
    let (_, after) = shown.rsplit_once("MiB").unwrap();
    assert!(after.contains("\u{1b}[2K"), "{after:?}");
    assert!(shown.starts_with("chunkmill: no key given"), "{shown:?}");
}

#[test]
fn scan_shows_progress_on_a_terminal() {
    shows_progress(&["scan", "-"]);
}

#[test]
fn hash_shows_progress_on_a_terminal() {
    shows_progress(&["hash", "-"]);
}

#[test]
fn quiet_shows_messages_only() {
    let place = Place::new();
    place.file("f", vec![0; 40 << 20]);
    for command in ["scan", "hash"] {
        let terminal = Terminal::new();
        let mut program = program(&place, &[command, "f", "missing", "--quiet"]);
        Running::start(program.stderr(terminal.stdio())).finish().exits(1);
        let shown = terminal.read_to_end(program);
        let lines: Vec<_> = shown.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 2, "{shown:?}");
        assert!(lines.iter().all(|line| line.starts_with("chunkmill: ")), "{shown:?}");
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}

#[test]
fn progress_does_not_tear_a_listing_on_the_same_terminal() {
    let place = Place::new();
    place.file("f", noise(1, 200_000));
    for format in ["jsonl", "csv"] {
        let terminal = Terminal::new();
        let words = [&["scan", "f", "--format", format], &SMALL[..]].concat();
        let mut program = program(&place, &words);
        program.stdout(terminal.stdio()).stderr(terminal.stdio());
        Running::start(&mut program).finish().exits(0);
        let shown = terminal.read_to_end(program);
        assert!(!shown.contains('\u{1b}'));
        let words = [&["scan", "f", "--format", format], &SMALL[..]].concat();
        let expected = place.run(words).exits(0).out().lines().count();
        assert_eq!(shown.split_terminator("\r\n").count(), expected + 1);
    }
}

#[test]
fn progress_does_not_tear_hashes_on_the_same_terminal() {
    let place = Place::new();
    place.file("f", noise(1, 200_000));
    let terminal = Terminal::new();
    let words = [&["hash"][..], &["f"; 300]].concat();
    let mut program = program(&place, &words);
    program.stdout(terminal.stdio()).stderr(terminal.stdio());
    Running::start(&mut program).finish().exits(0);
    let shown = terminal.read_to_end(program);
    assert!(!shown.contains('\u{1b}'));
    assert_eq!(shown.split_terminator("\r\n").count(), 301);
}

#[test]
fn messages_stay_whole_beside_the_progress() {
    let place = Place::new();
    place.file("f", vec![0; 1000]);
    let terminal = Terminal::new();
    let mut program = program(&place, &["scan", "f", "missing1", "f", "missing2"]);
    Running::start(program.stderr(terminal.stdio())).finish().exits(1);
    let shown = terminal.read_to_end(program);
    for name in ["missing1", "missing2"] {
        assert!(shown.contains(&format!("chunkmill: {name}: No such file")), "{shown:?}");
    }
}

#[test]
fn no_key_is_written_to_a_terminal() {
    let place = Place::new();
    let terminal = Terminal::new();
    let mut program = program(&place, &["keygen", "-o", "-"]);
    Running::start(program.stdout(terminal.stdio())).finish().exits(2).says(1, &["terminal"]);
    assert_eq!(terminal.read_to_end(program), "");
}
