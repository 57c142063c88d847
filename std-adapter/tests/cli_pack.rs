//! `pack`, `unpack`, `verify`, `ls`: round trips, and what goes wrong.

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
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread::sleep;

use common::{Place, Running, noise, run};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const SIZES: [&str; 6] = ["--min", "1KiB", "--avg", "4KiB", "--max", "16KiB"];

fn summary(text: &str) -> Value {
    serde_json::from_str::<Value>(text.trim_end()).unwrap()["summary"].clone()
}

/// Text that compresses, noise that does not, zeros, and all of it again.
fn stream() -> Vec<u8> {
    let text: Vec<u8> =
        (0..9000).flat_map(|line| format!("line {line} of a log that repeats itself\n").into_bytes()).collect();
    let once = [text, noise(1, 300_000), vec![0; 200_000]].concat();
    [&once[..], &noise(2, 5000), &once].concat()
}

/// A place with `stream` and its pack `p.cmill`.
fn packed(options: &[&str]) -> (Place, Vec<u8>) {
    let place = Place::new();
    let stream = stream();
    place.file("stream", &stream);
    place.run([&["pack", "stream", "-o", "p.cmill"], &SIZES[..], options].concat()).exits(0);
    (place, stream)
}

#[test]
fn what_is_packed_comes_back() {
    let text: Vec<u8> = b"all work and no play ".repeat(5000);
    for content in [vec![], b"x".to_vec(), text, noise(1, 100_000), vec![0; 100_000], stream()] {
        let place = Place::new();
        place.file("in", &content);
        for options in
            [&[][..], &["--compression", "none"], &["--avg", "256", "--min", "64", "--max", "1KiB"], &["--seed", "5"]]
        {
            let name = format!("p{}.cmill", options.join(""));
            let pack = place.run([&["pack", "in", "-o", &name, "--format", "json"], options].concat()).exits(0);
            let packed = summary(pack.out());
            assert_eq!(packed["bytes"], content.len());
            assert_eq!(packed["pack_bytes"], fs::metadata(place.path(&name)).unwrap().len());

            let verified = place.run(["verify", &name, "--format", "json"]).exits(0);
            for field in ["records", "references", "bytes", "pack_bytes"] {
                assert_eq!(summary(verified.out())[field], packed[field], "{field}");
            }
            let out = format!("{name}.out");
            place.run(["unpack", &name, "-o", &out]).exits(0);
            assert!(fs::read(place.path(&out)).unwrap() == content, "{options:?}");
            assert!(place.run(["unpack", &name, "-o", "-"]).exits(0).stdout == content);
        }
    }
}

/// Threads and memory change nothing but time.
#[test]
fn every_number_of_threads_and_memory_reads_the_same() {
    let (place, content) = packed(&[]);
    let pack = fs::read(place.path("p.cmill")).unwrap();
    let mut damaged = pack.clone();
    damaged[pack.len() / 2] ^= 1;
    place.file("damaged.cmill", &damaged);
    let reported = place.run(["verify", "damaged.cmill", "--threads", "1"]).exits(1).err().to_owned();
    for threads in ["1", "2", "3", "4"] {
        for memory in ["1MiB", "8MiB", "64MiB"] {
            let work = ["--threads", threads, "--memory", memory, "--format", "json", "--force"];
            let verified = place.run([&["verify", "p.cmill"], &work[..6]].concat()).exits(0);
            assert_eq!(summary(verified.out())["bytes"], content.len());
            assert_eq!(summary(verified.out())["threads"], threads.parse::<u64>().unwrap());
            place.run([&["unpack", "p.cmill", "-o", "out"], &work[..]].concat()).exits(0);
            assert!(fs::read(place.path("out")).unwrap() == content, "{threads} threads, {memory}");
            let failed = place.run([&["verify", "damaged.cmill"], &work[..6]].concat()).exits(1);
            assert_eq!(failed.err(), reported);
        }
    }
}

/// Chunks of the largest size, of the default ones, on more threads than there is memory for.
#[test]
fn memory_is_bounded_whatever_the_input() {
    let place = Place::new();
    let half = 4 << 20;
    // No cut point in all of it, and no chunk like another.
    let mut content: Vec<u8> =
        (0u64..16).flat_map(|part| [vec![0; half], vec![part as u8 | 0x80; half]].concat()).collect();
    content.extend(noise(1, 16 << 20));
    place.file("in", &content);
    let peak = |words: &[&str]| {
        let options = ["--memory", "40MiB", "--threads", "4", "--format", "json"];
        let summary = summary(place.run([words, &options].concat()).exits(0).out());
        (summary["peak_rss_bytes"].as_u64().unwrap(), summary["records"].as_u64().unwrap())
    };
    let (packing, records) = peak(&["pack", "in", "-o", "p"]);
    assert!(records < 40, "chunks are not of the largest size: {records}");
    for (what, peak) in
        [("pack", packing), ("verify", peak(&["verify", "p"]).0), ("unpack", peak(&["unpack", "p", "-o", "o"]).0)]
    {
        assert!(peak < 44 << 20, "{what}: {peak} bytes");
    }
}

#[test]
fn zeros_become_holes_if_that_is_wanted() {
    let place = Place::new();
    let content = [noise(1, 70_000), vec![0; 3 << 20], noise(2, 5000), vec![0; 2 << 20]].concat();
    place.file("in", &content);
    place.run(["pack", "in", "-o", "p.cmill"].iter().chain(&SIZES)).exits(0);
    for (name, options) in [("full", &[][..]), ("sparse", &["--sparse"])] {
        place.run([&["unpack", "p.cmill", "-o", name], options].concat()).exits(0);
        assert!(fs::read(place.path(name)).unwrap() == content, "{name}");
    }
    let room = |name| fs::metadata(place.path(name)).unwrap().blocks() * 512;
    assert!(room("sparse") < 200_000, "{} bytes", room("sparse"));
    assert!(room("full") > 5 << 20, "{} bytes", room("full"));
    let refused = place.run(["unpack", "p.cmill", "-o", "-", "--sparse"]).exits(2);
    assert!(refused.err().contains("--sparse"), "{}", refused.err());
}

/// Standard input may be a file, and the pack may begin behind its start: repeats are then read again from it.
#[test]
fn a_pack_is_read_again_through_standard_input() {
    let (place, content) = packed(&[]);
    let mut file = fs::File::create(place.path("behind")).unwrap();
    file.write_all(b"something else").unwrap();
    file.write_all(&fs::read(place.path("p.cmill")).unwrap()).unwrap();
    let mut behind = fs::File::open(place.path("behind")).unwrap();
    behind.read_exact(&mut [0; 14]).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_chunkmill")).args(["unpack", "-", "-o", "-"]).stdin(behind).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stdout == content);
}

#[test]
fn repeats_are_stored_once_and_text_is_compressed() {
    let (place, stream) = packed(&[]);
    let found = summary(place.run(["verify", "p.cmill", "--format", "json"]).exits(0).out());
    let (records, references) = (found["records"].as_u64().unwrap(), found["references"].as_u64().unwrap());
    assert!(references * 2 > records && references < records, "{found}");
    assert!(found["pack_bytes"].as_u64().unwrap() < stream.len() as u64 / 3, "{found}");
}

#[test]
fn pipes_do_for_files() {
    let (place, stream) = packed(&[]);
    place.run_with_input([&["pack", "-", "-o", "q.cmill"], &SIZES[..]].concat(), &stream[..]).exits(0);
    let length = |name| fs::metadata(place.path(name)).unwrap().len();
    assert_eq!(length("q.cmill"), length("p.cmill"));
    let pack = fs::read(place.path("p.cmill")).unwrap();
    assert!(place.run_with_input(["verify", "-"], &pack[..]).exits(0).out().contains("records"));
    place.run_with_input(["unpack", "-", "-o", "out"], &pack[..]).exits(0);
    assert!(fs::read(place.path("out")).unwrap() == stream);
    // What repeats cannot be read again from a pipe, nor from the other.
    let finished = place.run_with_input(["unpack", "-", "-o", "-"], &pack[..]).exits(3);
    finished.says(1, &["-: ", "repeats", "give the pack or the output as one", "bytes, is written"]);
    assert!(stream.starts_with(&finished.stdout));
}

/// A real tree through real pipes, on every number of threads.
#[test]
fn a_tree_comes_back_through_tar() {
    let place = Place::new();
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    place.file("expected.tar", Command::new("tar").args(["c", "-C", tree, "."]).output().unwrap().stdout);
    let program = env!("CARGO_BIN_EXE_chunkmill");
    for threads in 1..=4 {
        let script = format!(
            "set -e; tar c -C '{tree}' . | {program} pack - -o p --force --avg 8KiB --threads {threads} --quiet >report
             {program} unpack p -o - --threads {threads} | cmp - expected.tar
             cat p | {program} unpack - -o out.tar --force --threads {threads} >report
             tar d -C '{tree}' -f out.tar"
        );
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).current_dir(place.path("")).env_remove("CHUNKMILL_KEY");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_eq!(run(&mut command).exits(0).out(), "");
    }
}

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
fn ls_lists_every_record() {
    let (place, stream) = packed(&[]);
    let listed = place.run(["ls", "p.cmill", "--format", "jsonl"]).exits(0);
    let lines: Vec<Value> = listed.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, records) = lines.split_last().unwrap();
    assert_eq!(last["summary"]["records"], records.len());
    let scanned = place.run([&["scan", "stream", "--format", "jsonl"], &SIZES[..]].concat()).exits(0);
    let mut offset = 0;
    for (record, chunk) in records.iter().zip(scanned.json_chunks()) {
        for field in ["offset", "length", "id"] {
            assert_eq!(record[field], chunk[field]);
        }
        let (length, stored) = (record["length"].as_u64().unwrap(), record["stored"].as_u64().unwrap());
        match record["kind"].as_str().unwrap() {
            "ref" => assert_eq!(stored, 0),
            "raw" => assert_eq!(stored, length),
            "lz4" => assert!(stored < length - length / 16),
            other => panic!("{other}"),
        }
        offset += length;
    }
    assert_eq!(offset, stream.len() as u64);
    let human = place.run(["ls", "p.cmill"]).exits(0);
    assert_eq!(human.out().lines().count(), records.len() + 1);
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

#[test]
fn nothing_is_written_over_without_force() {
    let (place, _) = packed(&[]);
    place.file("there", "precious");
    for words in [&["pack", "stream", "-o", "there"][..], &["unpack", "p.cmill", "-o", "there"]] {
        place.run(words).exits(2).says(1, &["there", "already there", "--force"]);
        assert_eq!(fs::read(place.path("there")).unwrap(), b"precious");
        place.run([words, &["--force"]].concat()).exits(0);
        assert_ne!(fs::read(place.path("there")).unwrap(), b"precious");
        place.file("there", "precious");
    }
    place.run(["pack", "stream", "-o", "-"]).exits(2);
    place.run(["pack", "missing", "-o", "new"]).exits(3).says(1, &["missing", "No such file"]);
    place.run(["pack", "stream", "-o", "no/such/folder"]).exits(3);
    assert!(!place.path("new").exists());
}

#[test]
fn a_key_that_is_public_is_said_to_be() {
    let place = Place::new();
    place.file("in", "content");
    assert!(place.run(["pack", "in", "-o", "p"]).exits(0).err().contains("not secret"));
    place.run(["pack", "in", "-o", "q", "--keyed-gear"]).exits(2);
    place.file("key", [7; 32]);
    let finished = place.run(["pack", "in", "-o", "q", "--keyed-gear", "--key-file", "key"]).exits(0);
    assert_eq!(finished.err(), "");
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_full_disk_leaves_nothing() {
    let place = Place::new();
    place.file("in", noise(1, 400_000));
    place.run(["pack", "in", "-o", "p"]).exits(0);
    let limited = |words: &str| {
        let program = env!("CARGO_BIN_EXE_chunkmill");
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -f 200; exec {program} {words}")).current_dir(place.path(""));
        command.env_remove("CHUNKMILL_KEY").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run(&mut command).exits(3)
    };
    limited("pack in -o q").says(1, &["q", "File too large"]);
    limited("unpack p -o out").says(1, &["out", "File too large"]);
    assert_eq!(place.names(), ["in", "p"]);
    place.run(["unpack", "p", "-o", "out"]).exits(0);
}

/// Starts a pack of what comes through a pipe, waits until some of it is written, and ends it.
fn interrupted(place: &Place, signal: Signal) {
    let mut program = Running::start(place.program(["pack", "-", "-o", "p", "--avg", "4KiB"]).stdin(Stdio::piped()));
    let mut stdin = program.child.stdin.take().unwrap();
    stdin.write_all(&noise(1, 1 << 20)).unwrap();
    let begun = || place.names().iter().any(|name| name.to_string_lossy().starts_with(".chunkmill-"));
    while !begun() {
        sleep(Duration::from_millis(5));
    }
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

/// As under `nohup`: the work goes on.
#[test]
fn what_is_ignored_stays_ignored() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_chunkmill");
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' HUP; exec {program} pack - -o p --avg 4KiB")).current_dir(place.path(""));
    command.env_remove("CHUNKMILL_KEY").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = Running::start(&mut command);
    let mut stdin = program.child.stdin.take().unwrap();
    stdin.write_all(&noise(1, 1 << 20)).unwrap();
    while !place.names().iter().any(|name| name.to_string_lossy().starts_with(".chunkmill-")) {
        sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&program.child), Signal::HUP).unwrap();
    drop(stdin);
    program.finish().exits(0);
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

        let limited =
            format!("ulimit -f 200; exec {} unpack - -o out --threads {threads}", env!("CARGO_BIN_EXE_chunkmill"));
        let mut command = Command::new("sh");
        command.arg("-c").arg(limited).current_dir(place.path("")).env_remove("CHUNKMILL_KEY");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = Running::start(&mut command);
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
