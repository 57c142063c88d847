//! `pack`, `unpack`, `verify`, `ls`: round trips.

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

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use common::packs::{SIZES, packed, stream, summary};
use common::{Place, noise, run};
use serde_json::Value;

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
    for threads in 1..=4 {
        let script = format!(
            "set -e; tar c -C '{tree}' . | \"$1\" pack - -o p --force --avg 8KiB --threads {threads} --quiet >report
             \"$1\" unpack p -o - --threads {threads} | cmp - expected.tar
             cat p | \"$1\" unpack - -o out.tar --force --threads {threads} >report
             tar d -C '{tree}' -f out.tar"
        );
        assert_eq!(run(&mut place.shell(&script, [""; 0])).exits(0).out(), "");
    }
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
