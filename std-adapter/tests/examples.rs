//! The examples do what they say, also when they are killed.

#![cfg(feature = "cli")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod common;

use core::time::Duration;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;

use common::{Place, noise};

/// Built by `cargo test` beside the tests.
fn example(name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "{} is not there: cargo build --examples", program.display());
    Command::new(program)
}

fn agent(place: &Place, command: &str, folder: &Path) -> Command {
    let mut agent = example("agent");
    agent.arg(command).arg(place.path("store")).arg(place.path("key")).arg(folder);
    agent
}

fn done(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {said}", output.status);
    said
}

/// The two numbers of "read N bytes, stored M".
fn read_and_stored(said: &str) -> (u64, u64) {
    let words: Vec<_> = said.split_whitespace().collect();
    let ["read", read, "bytes,", "stored", stored] = words[..] else { panic!("{said}") };
    (read.parse().unwrap(), stored.parse().unwrap())
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in chunkmill::walk(folder) {
        let chunkmill::Entry::File(path) = entry.unwrap() else { continue };
        found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
    }
    found
}

/// The paths that were acknowledged.
fn saved(output: &[u8]) -> Vec<PathBuf> {
    // A line that is not whole acknowledges nothing.
    let whole = output.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let text = core::str::from_utf8(&output[..whole]).unwrap();
    text.lines().map(|line| line.strip_prefix("saved ").unwrap().into()).collect()
}

fn tree(place: &Place) -> PathBuf {
    for file in 0..60u64 {
        place.file(format!("tree/{}/{file}", file % 7), noise(file, 1000 + usize::try_from(file).unwrap() * 3500));
    }
    place.file("tree/empty", b"");
    place.file("key", [7; 32]);
    place.path("tree")
}

#[test]
fn the_agents_second_run_stores_what_changed_alone() {
    let place = Place::new();
    let tree = tree(&place);
    let all: u64 = files(&tree).values().map(|bytes| bytes.len() as u64).sum();
    let first = agent(&place, "backup", &tree).output().unwrap();
    assert_eq!(read_and_stored(&done(&first)), (all, all));
    assert_eq!(saved(&first.stdout), files(&tree).into_keys().collect::<Vec<_>>());

    let mut changed = noise(59, 1000 + 59 * 3500);
    changed[100_000] ^= 1;
    place.file("tree/3/59", &changed);
    place.file("tree/new", noise(99, 5000));
    let second = agent(&place, "backup", &tree).output().unwrap();
    let (read, stored) = read_and_stored(&done(&second));
    assert_eq!(read, all + 5000);
    // Of the file that changed, the chunks around the change at most.
    assert!(stored > 5000 && stored <= 5000 + changed.len() as u64, "{stored}");

    let back = place.path("back");
    done(&agent(&place, "restore", &back).output().unwrap());
    assert_eq!(files(&back), files(&tree));
}

#[test]
fn the_agent_loses_nothing_it_acknowledged() {
    let place = Place::new();
    let tree = tree(&place);
    let original = files(&tree);
    let mut kills = 0;
    for round in 0..25u64 {
        let mut agent_runs =
            agent(&place, "backup", &tree).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_micros(round * round * 150));
        let _ = agent_runs.kill();
        let output = agent_runs.wait_with_output().unwrap();
        kills += u64::from(!output.status.success());
        let back = place.path("back");
        let restored = agent(&place, "restore", &back).output().unwrap();
        done(&restored);
        let found = files(&back);
        for path in saved(&output.stdout) {
            assert!(found.get(&path) == original.get(&path), "round {round}: {} is not what it was", path.display());
        }
        for (path, bytes) in &found {
            assert!(original.get(path) == Some(bytes), "round {round}: {}", path.display());
        }
        let _ = fs::remove_dir_all(&back);
        if round % 8 == 7 {
            // From the start again, so that kills meet new chunks.
            fs::remove_dir_all(place.path("store")).unwrap();
        }
    }
    assert!(kills > 0, "no run was killed in its middle");
    done(&agent(&place, "backup", &tree).output().unwrap());
    done(&agent(&place, "restore", &place.path("back")).output().unwrap());
    assert_eq!(files(&place.path("back")), original);
}

/// Bytes cut off what was acknowledged are not passed over in silence, and no damage is restored.
#[test]
fn the_agent_says_that_its_store_is_damaged() {
    let place = Place::new();
    let tree = tree(&place);
    done(&agent(&place, "backup", &tree).output().unwrap());
    let chunks = place.path("store/chunks");
    let good = fs::read(&chunks).unwrap();
    for damage in [good[..good.len() - 1].to_vec(), [&good[..5000], b"?", &good[5001..]].concat()] {
        fs::write(&chunks, damage).unwrap();
        let output = agent(&place, "restore", &place.path("back")).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("damaged"));
        let _ = fs::remove_dir_all(place.path("back"));
    }
}

#[test]
fn hash_gate_prints_what_the_program_prints() {
    let place = Place::new();
    tree(&place);
    place.file("long", noise(1, 5 << 20));
    let mut hash = example("hash_gate");
    hash.current_dir(place.path("")).args(["key", "tree/empty", "tree/1/1", "long"]);
    let output = hash.env_remove("CHUNKMILL_MT_THRESHOLD").output().unwrap();
    done(&output);
    let expected = place.run(["hash", "--key-file", "key", "tree/empty", "tree/1/1", "long"]);
    assert_eq!(output.stdout, expected.stdout);
    let missing = hash.arg("nothing").output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    let wrong = hash.env("CHUNKMILL_MT_THRESHOLD", "much").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn verify_tells_good_packs_from_others() {
    let place = Place::new();
    place.file("in", noise(1, 1 << 20));
    place.file("key", [7; 32]);
    place.file("other", [8; 32]);
    place.run(["pack", "in", "-o", "good", "--key-file", "key", "--avg", "64KiB"]).exits(0);
    let pack = fs::read(place.path("good")).unwrap();
    place.file("short", &pack[..pack.len() / 2]);
    place.file("long", [&pack[..], b"x"].concat());
    for (key, packs, code, line) in [
        ("key", "good", 0, "good: good, 1048576 bytes"),
        ("other", "good", 1, "good: of another key"),
        ("key", "short", 1, "short: truncated after"),
        ("key", "long", 1, "long: good, but bytes follow"),
        ("key", "in", 1, "in: not a chunkmill pack"),
        ("key", "nothing", 3, "nothing: No such file"),
        ("nothing", "good", 2, ""),
    ] {
        let output = example("verify").current_dir(place.path("")).args([key, packs]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{packs}: {said}");
        assert!(said.starts_with(line), "{packs}: {said}");
    }
}
