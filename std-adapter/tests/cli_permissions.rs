//! What a user may not read or write. Root may, so root runs the program as somebody else.

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

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use rustix::process::geteuid;

use common::{Finished, Place, Running, chunkmill};

/// A user that owns nothing.
const NOBODY: u32 = 65_534;

/// A place, and the program run by a user for whom permissions bind.
struct Unprivileged {
    place: Place,
    /// The program, where that user can reach it.
    program: Option<PathBuf>,
}

impl Unprivileged {
    /// Nothing if root cannot become another user here, as in some containers.
    fn new() -> Option<Self> {
        let mut this = Self { place: Place::new(), program: None };
        if !geteuid().is_root() {
            return Some(this);
        }
        // The folder of the build may be closed to others, so the program is brought along.
        let program = this.place.path("program");
        fs::copy(env!("CARGO_BIN_EXE_chunkmill"), &program).unwrap();
        this.set_mode("", 0o755);
        this.program = Some(program);
        loop {
            match this.command(&["--version"]).output() {
                Ok(output) if output.status.success() => return Some(this),
                // Another thread that is starting a program holds what was just written open for a moment longer.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
                Ok(_) | Err(_) => return None,
            }
        }
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.place.path(name), Permissions::from_mode(mode)).unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let Some(program) = &self.program else { return self.place.program(words) };
        let plain = chunkmill(words);
        let mut command = Command::new(program);
        command.args(plain.get_args()).env_remove("CHUNKMILL_KEY").current_dir(self.place.path(""));
        command.uid(NOBODY).gid(NOBODY);
        command
    }

    fn run(&self, words: &[&str]) -> Finished {
        let mut command = self.command(words);
        Running::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())).finish()
    }
}

#[test]
fn files_and_folders_that_are_closed() {
    let Some(user) = Unprivileged::new() else { return };
    user.place.file("d/a", "first");
    user.place.file("d/closed", "secret");
    user.place.file("d/closed-folder/f", "secret");
    user.place.file("d/names-only/f", "secret");
    user.place.file("d/z", "last");
    user.set_mode("d/closed", 0o000);
    user.set_mode("d/closed-folder", 0o000);
    user.set_mode("d/names-only", 0o644);

    let finished = user.run(&["scan", "d", "--format", "jsonl"]);
    // Open again before anything is judged, so that the place can be removed in any case.
    user.set_mode("d/closed-folder", 0o755);
    user.set_mode("d/names-only", 0o755);

    let failing = ["d/closed", "d/closed-folder", "d/names-only/f"];
    let finished = finished.exits(1);
    let messages = finished.messages();
    assert_eq!(messages.len(), failing.len(), "{messages:?}");
    for (message, path) in messages.iter().zip(failing) {
        assert!(message.starts_with(&format!("chunkmill: {path}: Permission denied")), "{message}");
    }
    assert_eq!(finished.json_paths(), ["d/a", "d/z"]);
    assert_eq!((&finished.summary()["files"], &finished.summary()["errors"]), (&2.into(), &3.into()));

    let named = user.run(&["scan", "d/a", "d/closed", "d/z", "--format", "jsonl"]).exits(1);
    named.says(1, &["d/closed", "ermission denied"]);
    assert_eq!(named.json_paths(), ["d/a", "d/z"]);

    let hashed = user.run(&["hash", "d/a", "d/closed", "d/z"]).exits(1);
    hashed.says(1, &["d/closed", "ermission denied"]);
    assert_eq!(hashed.out().lines().count(), 2);
}

#[test]
fn a_key_file_that_is_closed() {
    let Some(user) = Unprivileged::new() else { return };
    user.place.file("f", "content");
    user.place.file("key", [7; 32]);
    user.set_mode("key", 0o000);
    for command in ["scan", "hash"] {
        let finished = user.run(&[command, "f", "--key-file", "key"]).exits(3);
        finished.says(1, &["chunkmill: error: key: ", "ermission denied"]);
        assert_eq!(finished.out(), "");
    }
}

#[test]
fn a_folder_that_takes_no_files() {
    let Some(user) = Unprivileged::new() else { return };
    user.place.file("f", "content");
    user.place.folder("closed");
    user.set_mode("closed", 0o555);
    user.run(&["keygen", "-o", "closed/key"]).exits(3).says(1, &["closed/key", "ermission denied"]);
    let picture = user.run(&["scan", "f", "--histogram", "closed/h.svg"]).exits(3);
    picture.says(1, &["closed/h.svg", "ermission denied"]);
    // Found out before the work, not after it.
    assert_eq!(picture.out(), "");
    assert_eq!(fs::read_dir(user.place.path("closed")).unwrap().count(), 0);
}
