//! How the work is done: threads, gate, memory, background, a limit on the CPU, holes, the page cache. What comes out is the
//! same each time.

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
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;

use chunkmill::GATE_VARIABLE;
use common::{Place, Running, noise, run};
use rustix::fs::{Advice, fadvise};

const GATE: &str = GATE_VARIABLE;

/// A few large files, many small ones, an empty one, and one that is not there.
fn tree() -> (Place, Vec<&'static str>) {
    let place = Place::new();
    place.file("large/a", noise(1, 3_000_000));
    place.file("large/zeros", vec![0; 2_000_000]);
    for index in 0..400 {
        place.file(format!("small/{index:03}"), noise(index, index as usize * 37));
    }
    let words =
        vec!["scan", "large", "missing", "small", "--format", "csv", "--min", "512", "--avg", "2KiB", "--max", "8KiB"];
    (place, words)
}

#[test]
fn what_comes_out_is_the_same_however_the_work_is_done() {
    let (place, words) = tree();
    let scan = |options: &[&str]| place.run([&words, options].concat()).exits(1);
    let expected = scan(&["--threads", "1"]);
    assert!(expected.stdout.len() > 100_000);
    expected.says(1, &["missing", "No such file"]);
    for options in [
        &["--threads", "2"][..],
        &["--threads", "3", "--gate", "0"],
        &["--threads", "4", "--memory", "1MiB"],
        &["--threads", "8", "--objective", "wall"],
        &["--objective", "cpu"],
        &["--objective", "balanced", "--gate", "99999999999"],
        &["--threads", "2", "--cpu-limit", "400%", "--background", "--quiet"],
    ] {
        let found = scan(options);
        assert!(found.stdout == expected.stdout, "{options:?}");
        found.says(1, &["missing", "No such file"]);
    }
    let hash = |threads: &str| {
        place.run(["hash", "large/a", "small/000", "missing", "small", "large/zeros", "--threads", threads]).exits(1)
    };
    let expected = hash("1");
    assert_eq!(expected.out().lines().count(), 3);
    for threads in ["2", "4"] {
        let found = hash(threads);
        assert_eq!((found.out(), found.messages()), (expected.out(), expected.messages()));
    }
}

#[test]
fn a_gate_that_never_opens_leaves_one_thread() {
    let place = Place::new();
    place.file("f", "content");
    let threads = |options: &[&str], variable: Option<&str>| {
        let mut program = place.program([&["scan", "f", "--format", "jsonl", "--threads", "3"], options].concat());
        program.env_remove(GATE).envs(variable.map(|value| (GATE, value)));
        run(&mut program).exits(0).summary()["threads"].as_u64().unwrap()
    };
    let never = u64::MAX.to_string();
    assert_eq!(threads(&[], None), 3);
    assert_eq!(threads(&["--objective", "cpu"], None), 1);
    assert_eq!(threads(&["--objective", "cpu", "--gate", "0"], None), 3);
    assert_eq!(threads(&["--gate", &never], None), 1);
    assert_eq!(threads(&[], Some(&never)), 1);
    assert_eq!(threads(&["--objective", "cpu"], Some("128")), 3);
    // The option comes first.
    assert_eq!(threads(&["--gate", "0"], Some(&never)), 3);
    assert_eq!(threads(&["--gate", "0"], Some("nonsense")), 3);
}

#[test]
fn a_gate_that_is_no_number_is_named() {
    let place = Place::new();
    place.file("f", "content");
    for command in ["scan", "hash"] {
        for value in ["64k", "", "-1", "many"] {
            let finished = run(place.program([command, "f"]).env(GATE, value)).exits(2);
            finished.says(1, &["chunkmill: error: ", GATE, "whole number of KiB", &format!("{value:?}")]);
            assert!(finished.stdout.is_empty());
        }
    }
}

#[test]
fn other_wishes_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.file("f", "content");
    for (option, word) in [
        ("--cpu-limit=0", "1 to 400"),
        ("--cpu-limit=401", "1 to 400"),
        ("--cpu-limit=half", "1 to 400"),
        ("--memory=4KiB", "1MiB or more"),
        ("--memory=64MB", "64MiB"),
        ("--gate=64KiB", "--gate"),
        ("--gate=+64", "--gate"),
        ("--threads=+2", "1 to 64"),
        ("--cpu-limit=+50", "1 to 400"),
        ("--objective=fast", "balanced"),
    ] {
        for command in ["scan", "hash"] {
            let finished = place.run([command, "f", option]).exits(2);
            assert!(finished.err().contains(word), "{option}: {}", finished.err());
        }
    }
}

/// The threads of a process, once there are so many.
fn threads(process: u32, count: usize) -> Vec<String> {
    for _ in 0..500 {
        let entries = fs::read_dir(format!("/proc/{process}/task")).unwrap();
        let ids: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        if ids.len() == count {
            return ids;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("never {count} threads");
}

#[cfg(target_os = "linux")]
#[test]
fn every_thread_gives_way_in_the_background() {
    let place = Place::new();
    let words = ["scan", "-", "--threads", "4", "--gate", "0", "--background"];
    let mut program = Running::start(place.program(words).stdin(Stdio::piped()));
    let mut stdin = program.child.stdin.take().unwrap();
    stdin.write_all(&noise(1, 1 << 20)).unwrap();
    let process = program.child.id();
    for thread in threads(process, 4) {
        let stat = fs::read_to_string(format!("/proc/{process}/task/{thread}/stat")).unwrap();
        let fields: Vec<_> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        assert_eq!(fields[16], "19", "nice of {stat}");
        let class = Command::new("ionice").args(["-p", &thread]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&class.stdout).trim(), "idle");
    }
    drop(stdin);
    program.finish().exits(0);
}

/// No figure of speed: what the limit is about is CPU time for wall time. Others on the machine can only lower it.
#[test]
fn the_cpu_limit_holds_on_average() {
    let place = Place::new();
    place.file("f", noise(1, 32 << 20));
    let words = ["scan", "--format", "jsonl", "--threads", "2", "--cpu-limit", "50%", "--avg", "16KiB"];
    let finished = place.run(words.into_iter().chain([&"f"; 16].map(|f| *f))).exits(0);
    let summary = finished.summary();
    let (cpu, wall) = (summary["cpu_s"].as_f64().unwrap(), summary["wall_s"].as_f64().unwrap());
    assert!(cpu > 0.2, "too little work to tell: {cpu}");
    assert!((0.25..0.55).contains(&(cpu / wall)), "{cpu} CPU-s in {wall} s");
}

/// Bytes of a file in the page cache.
fn cached(path: &Path) -> u64 {
    let output =
        Command::new("fincore").args(["--bytes", "--noheadings", "--output", "RES"]).arg(path).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn the_page_cache_is_left_as_it_was_found() {
    let place = Place::new();
    for (name, len) in [("long", 24 << 20), ("short", 100_000)] {
        let path = place.file(name, noise(1, len));
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        if cached(&path) > 0 {
            eprintln!("the file system of {} keeps all in memory", path.display());
            return;
        }
        for command in ["scan", "hash"] {
            place.run([command, name]).exits(0);
            assert_eq!(cached(&path), 0, "{command} {name}, cold");
        }
        fs::read(&path).unwrap();
        let warm = cached(&path);
        assert!(warm >= len as u64);
        for command in ["scan", "hash"] {
            place.run([command, name]).exits(0);
            assert_eq!(cached(&path), warm, "{command} {name}, warm");
        }
    }
}

/// Holes have no pages: what a sparse file has may all be in memory, though it is little beside its length.
#[cfg(target_os = "linux")]
#[test]
fn a_sparse_file_that_was_in_the_page_cache_stays_there() {
    let place = Place::new();
    let file = File::create(place.path("sparse")).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(&noise(1, 4 << 20), 20 << 20).unwrap();
    file.sync_all().unwrap();
    let warm = cached(&place.path("sparse"));
    assert!(warm >= 4 << 20);
    place.run(["scan", "sparse"]).exits(0);
    // Reading ahead may have added pages of a hole.
    assert!(cached(&place.path("sparse")) >= warm);
}

/// However short files are, few are open at a time.
#[test]
fn many_short_files_need_few_descriptors() {
    let place = Place::new();
    for folder in 0..20 {
        for file in 0..100 {
            place.file(format!("d{folder}/{file}"), vec![1; file % 3 * 100]);
        }
    }
    for command in ["scan d*", "scan --threads 4 --gate 0 .", "hash --threads 4 --gate 0 d*/*"] {
        let limited = format!(r#"ulimit -n 32; exec "$1" {command}"#);
        let finished = run(&mut place.shell(&limited, [""; 0])).exits(0);
        assert!(finished.out().lines().count() == 2000 || finished.out().starts_with("files           2000\n"));
    }
}

/// A file with holes and the same one without.
#[test]
fn ids_do_not_depend_on_holes() {
    let place = Place::new();
    let sparse = OpenOptions::new().write(true).create_new(true).open(place.path("sparse")).unwrap();
    let len = 40 << 20;
    sparse.set_len(len).unwrap();
    let mut dense = vec![0; len as usize];
    for (index, offset) in [0, 9_000_001, 30_000_000].into_iter().enumerate() {
        let data = noise(index as u64, 100_000);
        sparse.write_all_at(&data, offset).unwrap();
        dense[offset as usize..][..data.len()].copy_from_slice(&data);
    }
    place.file("dense", dense);
    for sizes in [&[][..], &["--min", "2KiB", "--avg", "8KiB", "--max", "32KiB"], &["--avg", "256", "--level", "0"]] {
        for threads in ["1", "2"] {
            let listing = |name| {
                let words = [&["scan", name, "--format", "csv", "--threads", threads], sizes].concat();
                place.run(words).exits(0).out().replace(name, "f")
            };
            assert!(listing("sparse") == listing("dense"), "{sizes:?}, {threads} threads");
        }
    }
    let id = |name| place.run(["hash", name]).exits(0).out().replace(name, "f");
    assert_eq!(id("sparse"), id("dense"));
}

/// A hole that is passed over is many chunks to be listed, and the limit holds for that, too.
#[test]
fn the_cpu_limit_holds_within_a_hole() {
    let place = Place::new();
    File::create(place.path("huge")).unwrap().set_len(20 << 30).unwrap();
    let words = ["scan", "huge", "--format", "jsonl", "--cpu-limit", "25%", "--min=1KiB", "--avg=4KiB", "--max=16KiB"];
    let summary = place.run(words).exits(0).summary();
    let (cpu, wall) = (summary["cpu_s"].as_f64().unwrap(), summary["wall_s"].as_f64().unwrap());
    assert!(cpu > 0.2, "too little work to tell: {cpu}");
    assert!(cpu / wall < 0.3, "{cpu} CPU-s in {wall} s");
}

/// Reading and hashing ten GiB would take far more CPU time, in any build on any machine.
#[test]
fn holes_cost_next_to_nothing() {
    let place = Place::new();
    let file = File::create(place.path("huge")).unwrap();
    file.set_len(10 << 30).unwrap();
    file.write_all_at(&noise(1, 1 << 20), 5 << 30).unwrap();
    let summary = place.run(["scan", "huge", "--format", "jsonl", "--threads", "2"]).exits(0).summary();
    assert_eq!(summary["bytes"], 10u64 << 30);
    assert!(summary["unique_chunks"].as_u64().unwrap() < 8, "{summary}");
    assert!(summary["cpu_s"].as_f64().unwrap() < 1.0, "{summary}");
}
