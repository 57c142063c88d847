//! Runs the program in a folder of its own, keeps what it says, and ends it should it hang.

#![allow(dead_code, reason = "every test file is a program of its own and uses a part of this")]

pub(crate) mod packs;

use core::time::Duration;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

use chunkmill::core::{Chunk, ChunkParams, GearTable, IdKey};
use chunkmill::key::KEY_VARIABLE;
use chunkmill::{Pool, ScanError, Scanner};
use rustix::fs::{CWD, FileType, Mode};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::Value;
use tempfile::TempDir;

/// Far more than any test takes on a slow machine: a program that still runs then would run for ever.
const LIMIT: Duration = Duration::from_secs(60);

/// Sizes that make many chunks of little data, and `small` as the library takes them.
pub(crate) const SMALL: [&str; 6] = ["--min", "64", "--avg", "256", "--max", "1024"];

pub(crate) fn small() -> ChunkParams {
    ChunkParams::new(64, 256, 1024, 1).unwrap()
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_chunkmill");

/// The program with words on its command line, nothing on standard input, and both outputs kept.
pub(crate) fn chunkmill(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words);
    prepared(command)
}

fn prepared(mut command: Command) -> Command {
    // A key in the developer's own environment would change every id.
    command.env_remove(KEY_VARIABLE);
    // So would a saved calibration change the number of threads.
    command.env("CHUNKMILL_PROFILE", "/none");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder for one test; the program runs inside it, so relative names do.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders it lies in.
    pub(crate) fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn folder(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn fifo(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        path
    }

    pub(crate) fn link(&self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        std::os::unix::fs::symlink(target, &path).unwrap();
        path
    }

    /// Names of all entries of the folder, sorted.
    pub(crate) fn names(&self) -> Vec<OsString> {
        let mut names: Vec<_> = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    pub(crate) fn program(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = chunkmill(words);
        command.current_dir(self.0.path());
        command
    }

    /// The program within a shell script, for what a shell does to it: limits, redirections, signals to be ignored. `"$@"` in
    /// the script is the program and the words, `"$1"` the program alone.
    pub(crate) fn shell(&self, script: &str, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", PROGRAM]).args(words).current_dir(self.0.path());
        prepared(command)
    }

    pub(crate) fn run(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Finished {
        run(&mut self.program(words))
    }

    pub(crate) fn run_with_input(
        &self,
        words: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: impl Into<Vec<u8>>,
    ) -> Finished {
        let mut program = Running::start(self.program(words).stdin(Stdio::piped()));
        let input = input.into();
        let mut stdin = program.child.stdin.take().unwrap();
        // It is fine for the program to end before it has read everything.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let finished = program.finish();
        writer.join().unwrap();
        finished
    }
}

/// Runs to the end.
pub(crate) fn run(command: &mut Command) -> Finished {
    Running::start(command).finish()
}

/// A program at work. If the test fails before [`Running::finish`], it is killed.
pub(crate) struct Running {
    pub(crate) child: Child,
    stderr: Option<JoinHandle<Vec<u8>>>,
    watchdog: Option<(Sender<()>, JoinHandle<bool>)>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        // Read from the start, so that a program with much to say is not held up.
        let stderr = child.stderr.take().map(|stderr| thread::spawn(move || read_all(stderr)));
        let pid = Pid::from_child(&child);
        let (over, end) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || {
            let hangs = end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
            if hangs {
                let _ = kill_process(pid, Signal::KILL);
            }
            hangs
        });
        Self { child, stderr, watchdog: Some((over, watchdog)) }
    }

    /// Standard output, for a test that wants to read it step by step or not at all.
    pub(crate) fn stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// Waits for the end. What was not taken of standard output is read here.
    pub(crate) fn finish(mut self) -> Finished {
        drop(self.child.stdin.take());
        let stdout = self.child.stdout.take().map(read_all).unwrap_or_default();
        let hung = self.await_end();
        let status = self.child.wait().unwrap();
        let stderr = self.stderr.take().map(|reader| reader.join().unwrap()).unwrap_or_default();
        assert!(!hung, "still running after {LIMIT:?}; stderr: {}", String::from_utf8_lossy(&stderr));
        Finished { code: status.code(), stdout, stderr }
    }

    /// Waits for the end but leaves the process id taken until the watchdog is off, lest it hits another process.
    fn await_end(&mut self) -> bool {
        let pid = Pid::from_child(&self.child);
        let wait = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let _ = rustix::io::retry_on_intr(wait);
        let (over, watchdog) = self.watchdog.take().unwrap();
        drop(over);
        watchdog.join().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.watchdog.is_some() {
            let _ = self.child.kill();
            let _ = self.await_end();
            let _ = self.child.wait();
        }
    }
}

fn read_all(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

/// What a program said, and how it ended: no code if a signal ended it.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Finished {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        let (out, err) = (self.stdout.escape_ascii().to_string(), String::from_utf8_lossy(&self.stderr));
        let shown = out.get(..2000).unwrap_or(&out);
        assert_eq!(self.code, Some(code), "exit code; stdout: {shown}\nstderr: {err}");
        self
    }

    #[track_caller]
    pub(crate) fn out(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    #[track_caller]
    pub(crate) fn err(&self) -> &str {
        str::from_utf8(&self.stderr).unwrap()
    }

    /// The lines on standard error, without the one that says that the public key is used.
    #[track_caller]
    pub(crate) fn messages(&self) -> Vec<&str> {
        self.err().lines().filter(|line| !is_public_key_line(line)).collect()
    }

    /// Standard error holds `count` messages, and one of them has all the words.
    #[track_caller]
    pub(crate) fn says(&self, count: usize, words: &[&str]) {
        let messages = self.messages();
        assert_eq!(messages.len(), count, "{messages:?}");
        let one_says = messages.iter().any(|message| words.iter().all(|word| message.contains(word)));
        assert!(one_says, "{words:?} not in {messages:?}");
    }

    /// The lines of JSON, the summary not among them.
    #[track_caller]
    pub(crate) fn json_chunks(&self) -> Vec<Value> {
        let mut lines: Vec<Value> = self.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.pop().unwrap().get("summary").is_some());
        assert!(lines.iter().all(|line| line.get("summary").is_none()));
        lines
    }

    /// The summary, which is the last line of JSON.
    #[track_caller]
    pub(crate) fn summary(&self) -> Value {
        let last: Value = serde_json::from_str(self.out().lines().last().unwrap()).unwrap();
        last["summary"].clone()
    }

    /// The paths of the chunks in the order of their first chunk.
    #[track_caller]
    pub(crate) fn json_paths(&self) -> Vec<String> {
        let mut paths: Vec<_> =
            self.json_chunks().iter().map(|chunk| chunk["path"].as_str().unwrap().to_owned()).collect();
        paths.dedup();
        paths
    }
}

pub(crate) fn is_public_key_line(line: &str) -> bool {
    line.starts_with("chunkmill: ") && line.contains("public key")
}

/// What the library finds in `bytes`.
pub(crate) fn chunks(bytes: &[u8], params: ChunkParams, seed: u64, key: &IdKey) -> Vec<Chunk> {
    let gear = GearTable::seeded(seed);
    let mut chunks = Vec::new();
    let visit = |chunk| {
        chunks.push(chunk);
        Ok::<(), ScanError>(())
    };
    Pool::scope(1, |pool| Scanner::new(params, &gear, key).scan(pool, bytes, visit)).unwrap();
    chunks
}

/// The chunks of `bytes` with the sizes of [`SMALL`] under the public key.
pub(crate) fn small_chunks(bytes: &[u8]) -> Vec<Chunk> {
    chunks(bytes, small(), 0, &IdKey::public())
}

/// The lines of `--format jsonl` for the chunks of a file whose name needs no escapes.
pub(crate) fn json_lines(path: &str, chunks: &[Chunk]) -> String {
    let line = |chunk: &Chunk| {
        let (offset, length, id) = (chunk.offset, chunk.len, chunk.id);
        format!("{{\"path\":\"{path}\",\"offset\":{offset},\"length\":{length},\"id\":\"{id}\"}}\n")
    };
    chunks.iter().map(line).collect()
}

/// Bytes without a pattern, the same in every run.
pub(crate) fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let words = core::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(len).collect()
}

pub(crate) fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Writes to a pipe whose reader may have gone.
pub(crate) fn write_to_fifo(path: PathBuf, content: Vec<u8>) -> JoinHandle<io::Result<()>> {
    // Opening waits for the reader, so this must not hold up the test.
    thread::spawn(move || fs::OpenOptions::new().write(true).open(path)?.write_all(&content))
}
