//! The committed packs are read as they were, and written as they were: whoever changes the format meets this test.

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

use std::fs;
use std::path::Path;

use chunkmill_core::pack::{BlockLen, Compression, StreamHeader};
use chunkmill_tests::golden_packs::{self, gear_text, hex};
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::plain_pack::{self, Block};
use serde::Deserialize;

const LISTING: &str = include_str!("../vectors/packs.json");

#[derive(Deserialize)]
struct Listing {
    key: String,
    packs: Vec<Pack>,
}

#[derive(Deserialize)]
struct Pack {
    file: String,
    min: u32,
    avg: u32,
    max: u32,
    level: u8,
    gear: String,
    block_len: Option<usize>,
    stream_id: String,
    chunks: Vec<Chunk>,
}

#[derive(Deserialize)]
struct Chunk {
    offset: u64,
    len: u32,
    stored: String,
    stored_len: usize,
    id: String,
}

fn listing() -> Listing {
    serde_json::from_str(LISTING).unwrap()
}

fn committed(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/packs").join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn reading(listing: &Listing, pack: &Pack) -> Reading {
    let key = listing.key.as_bytes().try_into().unwrap();
    Reading { chunk_len: pack.max as usize, block_len: pack.block_len.unwrap_or(0), ..Reading::new(key) }
}

fn assert_header(header: &StreamHeader, pack: &Pack) {
    let params = header.params;
    assert_eq!((params.min(), params.avg(), params.max(), params.level()), (pack.min, pack.avg, pack.max, pack.level));
    assert_eq!(gear_text(header.gear), pack.gear);
    assert_eq!(hex(&header.stream_id), pack.stream_id);
    let block_len = match header.compression {
        Compression::None => None,
        Compression::Lz4(block) => Some(BlockLen::bytes(block)),
        other => panic!("{other:?} is new"),
    };
    assert_eq!(block_len, pack.block_len);
}

#[test]
fn committed_packs_are_read_by_the_core() {
    let listing = listing();
    for (pack, golden) in listing.packs.iter().zip(golden_packs::all()) {
        assert_eq!(pack.file, golden.file);
        let bytes = committed(&pack.file);
        let outcome = reading(&listing, pack).read(&bytes);
        let totals = outcome.ended.unwrap_or_else(|error| panic!("{}: {error}", pack.file));
        assert_eq!(outcome.taken, bytes.len());
        assert_header(&outcome.header.unwrap(), pack);
        assert_eq!((outcome.given.len(), totals.records as usize), (pack.chunks.len(), pack.chunks.len()));
        let stream = golden.stream();
        assert_eq!(totals.bytes, stream.len() as u64);
        for (given, chunk) in outcome.given.iter().zip(&pack.chunks) {
            let found = (given.chunk.offset, given.chunk.len, given.chunk.id.to_string());
            assert_eq!(found, (chunk.offset, chunk.len, chunk.id.clone()), "{}", pack.file);
            let content = &stream[chunk.offset as usize..][..chunk.len as usize];
            match &given.bytes {
                Some(bytes) => assert_eq!(bytes, content),
                None => assert_eq!(chunk.stored, "reference"),
            }
        }
    }
}

#[test]
fn committed_packs_are_read_by_the_second_implementation() {
    let listing = listing();
    let key = listing.key.as_bytes().try_into().unwrap();
    for pack in &listing.packs {
        let parsed = plain_pack::parse(&committed(&pack.file), key).unwrap();
        assert_eq!(parsed.entries.len(), pack.chunks.len());
        for (entry, chunk) in parsed.entries.iter().zip(&pack.chunks) {
            let kind = ["", "raw", "lz4", "reference"][usize::from(entry.fields.kind)];
            assert_eq!((kind, entry.payload.len()), (&chunk.stored[..], chunk.stored_len), "{}", pack.file);
        }
    }
}

/// On 32-bit targets `lz4_flex` hashes four bytes where it hashes five elsewhere, and finds other matches.
#[cfg(target_pointer_width = "64")]
#[test]
fn committed_packs_are_what_the_core_writes() {
    for golden in golden_packs::all() {
        assert!(
            golden.pack() == committed(golden.file),
            "tests/vectors/packs/{} differs from what was computed.\n{HINT}",
            golden.file
        );
    }
    assert!(LISTING == golden_packs::listing(), "tests/vectors/packs.json differs from what was computed.\n{HINT}");
}

#[cfg(target_pointer_width = "64")]
const HINT: &str = "If the other tests of this file fail as well, the format has changed: packs written so far may not be \
                    read any more, and the format's version must go up. If not, chunks are cut otherwise or lz4_flex \
                    compresses differently. If that is meant, write the files anew with\n  \
                    cargo run -p chunkmill-tests --example packs\nand say why in the commit.";

/// The packs show what they are there for.
#[test]
fn committed_packs_have_every_kind_of_record() {
    let listing = listing();
    let stored: Vec<(&str, &str)> = listing
        .packs
        .iter()
        .flat_map(|pack| pack.chunks.iter().map(|chunk| (&pack.file[..], &chunk.stored[..])))
        .collect();
    for expected in [
        ("raw.cmill", "raw"),
        ("lz4.cmill", "lz4"),
        ("references.cmill", "raw"),
        ("references.cmill", "lz4"),
        ("references.cmill", "reference"),
        ("keyed.cmill", "raw"),
    ] {
        assert!(stored.contains(&expected), "{expected:?}");
    }
    let key = listing.key.as_bytes().try_into().unwrap();
    let entries = plain_pack::parse(&committed("lz4.cmill"), key).unwrap().entries;
    let blocks: Vec<Block> = entries.iter().flat_map(|entry| plain_pack::blocks(&entry.payload).unwrap()).collect();
    assert!(blocks.iter().any(|block| matches!(block, Block::Plain(_))));
    assert!(blocks.iter().filter(|block| matches!(block, Block::Compressed(_))).count() > 3);
    assert_eq!(committed("empty.cmill").len(), plain_pack::HEADER + plain_pack::RECORD);
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/packs")).unwrap();
    assert_eq!(files.count(), listing.packs.len(), "every file is listed");
}
