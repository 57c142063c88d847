//! The worked example in the description of the pack format is what the core writes, byte for byte.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use std::fs;
use std::path::Path;

use chunkmill_tests::pack_example;
use chunkmill_tests::plain_pack::{self, Head, Scribe};

const DUMP: &str = include_str!("../vectors/pack_example.txt");
const KEY: [u8; 32] = [7; 32];

/// What the description says of the example in words.
const HEAD: Head = Head {
    version: 1,
    chunker: 1,
    min: 64,
    avg: 256,
    max: 1024,
    level: 1,
    gear: 0,
    compression: 0,
    block_log2: 0,
    gear_value: 0,
    stream_id: [9; 16],
};

/// The dump in the description, if it has been put there: the text of the block behind the example's heading.
fn dump_in_description() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/pack/mod.rs");
    let source = fs::read_to_string(path).expect("the core's sources are beside the tests");
    let doc: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let heading = doc.iter().position(|line| line.trim() == "# A worked example").expect("the example has a heading");
    let mut behind = doc[heading..].iter().skip_while(|line| line.trim() != "```text").skip(1);
    let block: Vec<&str> = behind.by_ref().take_while(|line| line.trim() != "```").copied().collect();
    if block == [" HEX"] {
        return None;
    }
    assert!(!block.is_empty(), "the example's block is there");
    Some(block.iter().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect())
}

/// The bytes of a dump. Offsets must count them.
fn bytes_of(dump: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in dump.lines() {
        let mut columns = line.split_whitespace();
        let offset: usize =
            columns.next().and_then(|column| column.parse().ok()).expect("a line starts with an offset");
        assert_eq!(offset, bytes.len(), "{line}");
        let hex = columns.next().expect("bytes stand behind the offset");
        assert!(hex.len().is_multiple_of(2), "{line}");
        assert!(columns.next().is_some(), "{line}: a word says what it is");
        let digits: Vec<u32> = hex.chars().map(|digit| digit.to_digit(16).expect("hex digits")).collect();
        bytes.extend(digits.chunks(2).map(|pair| u8::try_from(16 * pair[0] + pair[1]).unwrap()));
    }
    bytes
}

#[test]
fn example_is_what_the_core_writes() {
    let dump = dump_in_description().unwrap_or_else(|| DUMP.to_owned());
    assert_eq!(bytes_of(&dump), pack_example::pack());
}

/// The words beside the bytes are right too, and the file with the dump is the description's.
#[test]
fn dump_is_the_one_in_the_description() {
    assert_eq!(DUMP, pack_example::dump(&pack_example::pack()));
    if let Some(dump) = dump_in_description() {
        assert_eq!(dump, DUMP);
    }
}

/// From the words alone, by the second implementation.
#[test]
fn example_follows_from_the_description() {
    let mut scribe = Scribe::new(&HEAD, &KEY);
    scribe.raw(b"abcabc");
    assert_eq!(bytes_of(DUMP), scribe.end());
    let pack = plain_pack::parse(&bytes_of(DUMP), &KEY).unwrap();
    assert_eq!(pack.head, HEAD);
    assert_eq!(pack.entries.len(), 1);
    assert_eq!(pack.entries[0].payload, b"abcabc");
    assert_eq!(pack.entries[0].fields.id, *blake3::keyed_hash(&KEY, b"abcabc").as_bytes());
}
