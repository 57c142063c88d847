//! What errors say, word for word, and what they name as their source: users read and search for it. And what `Debug` shows of
//! types that hold secrets or memory.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use core::convert::Infallible;
use core::error::Error;

use chunkmill_core::drive::{IngestError, ReadError, RestoreError, Stopped, Summary, WriteError};
use chunkmill_core::pack::{
    BlockLen, CompressTable, Compression, Compressor, CompressorError, Opener, PackError, PackErrorKind, Reader,
    RecordReader, StreamHeader,
};
use chunkmill_core::{
    ChunkHasher, ChunkId, ChunkParams, ChunkTree, GearKind, GearTable, IdKey, ParseHexError, PieceHasher, RecentIndex,
    RetainingChunker, RingBuffer, RingError, TreeError,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fire;

impl core::fmt::Display for Fire {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the device is on fire")
    }
}

impl Error for Fire {}

fn assert_says(error: &dyn Error, message: &str, source: Option<&str>) {
    assert_eq!(error.to_string(), message);
    assert_eq!(error.source().map(ToString::to_string).as_deref(), source, "{message}");
}

#[test]
fn packs() {
    let error = |kind| PackError { kind, record: 3, offset: 99 };
    for (kind, message) in [
        (PackErrorKind::Buffer { needed: 9, found: 7 }, "buffer of 7 bytes is too small, 9 are needed"),
        (PackErrorKind::Header, "header: the stream's header is damaged"),
        (PackErrorKind::HeaderTag, "header tag: a record is damaged or from another stream"),
        (PackErrorKind::Lengths, "lengths: a record's lengths break the stream's own limits"),
        (PackErrorKind::NotAPack, "not a chunkmill pack: the first bytes are others"),
        (PackErrorKind::Order { expected: 3, found: 5 }, "order: expected record 3, found record 5"),
        (PackErrorKind::Payload, "payload: the bytes are not those of the chunk's id"),
        (PackErrorKind::Reference, "reference: the chunk it stands for is not to be had"),
        (PackErrorKind::Trailer, "trailer: the totals do not match the records"),
        (PackErrorKind::Unsupported, "unsupported: the stream was written by a later or fuller version"),
        (PackErrorKind::WrongKey, "wrong key: the stream was written with another"),
    ] {
        assert_eq!(kind.to_string(), message);
        assert_says(&error(kind), &format!("{message} (record 3, offset 99)"), None);
    }
    assert_eq!(PackErrorKind::Truncated.to_string(), "truncated: the trailer is missing");
    assert_says(&error(PackErrorKind::Truncated), "truncated after 3 whole records, at offset 99", None);
}

#[test]
fn drivers() {
    let fire = Some("the device is on fire");
    let read = ReadError::Failed { offset: 7, source: Fire };
    assert_says(&read, "reading failed at offset 7: the device is on fire", fire);
    assert_says(&ReadError::<Fire>::Overrun { offset: 7 }, "the reader overran its window at offset 7", None);
    let write = WriteError::Failed { offset: 7, source: Fire };
    assert_says(&write, "writing failed at offset 7: the device is on fire", fire);
    for (error, message) in [
        (WriteError::Closed, "the stream is finished or was given up"),
        (WriteError::Full { offset: 7 }, "the writer takes no more bytes at offset 7"),
        (WriteError::Misplaced { offset: 7 }, "the chunk at offset 7 does not belong into this pack"),
        (WriteError::<Fire>::Overrun { offset: 7 }, "the writer claims more bytes than it was given at offset 7"),
    ] {
        assert_says(&error, message, None);
    }

    type Ingest = IngestError<Fire, WriteError<Fire>>;
    type Restore = RestoreError<Fire, Fire, Fire>;
    assert_says(&Ingest::Read(read), &read.to_string(), fire);
    assert_says(&Ingest::Sink(write), &write.to_string(), fire);
    assert_says(&Restore::Read(read), &read.to_string(), fire);
    assert_says(&Restore::Write(write), &write.to_string(), fire);
    assert_says(&Restore::Source(Fire), "the device is on fire", None);
    let pack = PackError { kind: PackErrorKind::Trailer, record: 3, offset: 99 };
    assert_says(&Restore::Pack(pack), &pack.to_string(), None);

    let summary = Summary { bytes: 500, chunks: 4, ..Summary::default() };
    let stopped = Stopped { summary, error: Restore::Read(read) };
    assert_says(&stopped, "reading failed at offset 7: the device is on fire (after 4 chunks, 500 bytes)", fire);
    let nothing: Stopped<RestoreError<Infallible, Infallible, Infallible>> =
        Stopped { summary, error: RestoreError::Pack(pack) };
    assert!(nothing.source().is_none());
}

#[test]
fn parts() {
    let params = ChunkParams::default();
    let mut memory = [0; 10];
    let ring = RetainingChunker::new(params, GearTable::published(), &IdKey::public(), &mut memory).err().unwrap();
    assert_says(&ring, "a ring of 10 bytes is too small for these chunk sizes, which need 8388610", None);
    assert_says(&RingError::Commit { asked: 9, window: 7 }, "9 bytes committed to a window of 7", None);
    assert_says(&RingError::Release { asked: 9, held: 7 }, "9 bytes released of 7 held", None);
    let digit = "expected 64 hex digits, found another character at index 5";
    assert_says(&ParseHexError::Digit { at: 5 }, digit, None);
    assert_says(&ParseHexError::Len { found: 5 }, "expected 64 hex digits, found 5 bytes", None);
    let order = "expected the subtree at byte 9 of the chunk, found one at byte 7";
    assert_says(&TreeError::OutOfOrder { expected: 9, found: 7 }, order, None);
    assert_says(&TreeError::Unfinished { len: 7 }, "the last subtree is missing after byte 7 of the chunk", None);
    let scratch = "scratch memory of 7 bytes is too small, 9 are needed";
    assert_says(&CompressorError::Scratch { needed: 9, found: 7 }, scratch, None);
    let table = "the compression table is a small one, a large one is needed";
    assert_says(&CompressorError::SmallTable, table, None);
}

/// Keys, tables and states of hashers are secret; memory that was lent may hold anything and is long.
#[test]
fn debug_shows_no_secrets_and_no_memory() {
    const SECRET: [u8; 32] = [213; 32];
    let key = IdKey::from_bytes(SECRET);
    let header = StreamHeader {
        params: ChunkParams::DEFAULT,
        gear: GearKind::Published,
        compression: Compression::None,
        stream_id: [1; 16],
    };
    let mut memory = [213; 100_000];
    let (mut table, mut scratch) = (CompressTable::large(), [213; 100_000]);
    let block = BlockLen::from_log2(10).unwrap();
    let shown = [
        format!("{key:?}"),
        format!("{:?}", ChunkHasher::new(&key)),
        format!("{:?}", PieceHasher::new(&key)),
        format!("{:?}", ChunkTree::new(&key)),
        format!("{:?}", GearTable::keyed(&key, &ChunkParams::DEFAULT)),
        format!("{:?}", Opener::new(&key, &header)),
        format!("{:?}", RecordReader::new(&key)),
        format!("{:?}", Reader::new(&key, &mut memory, &mut [])),
        format!("{:?}", RingBuffer::new(&mut memory)),
        format!("{:?}", Compressor::new(block, &mut table, &mut scratch).unwrap()),
        format!("{:?}", RecentIndex::<9>::new()),
    ];
    for text in &shown {
        assert!(text.len() < 300 && !text.contains("213") && !text.to_lowercase().contains("d5d5"), "{text}");
    }
    assert_eq!(shown[0], "IdKey(..)");
    assert_eq!(shown[10], "RecentIndex { capacity: 9, len: 0 }");
    let id = ChunkId::from_bytes([0xab; 32]);
    assert_eq!(format!("{id:?}"), format!("ChunkId({})", "ab".repeat(32)));
}

/// The key that is no secret must never change either: ids made with it are compared between machines.
#[test]
fn the_public_key_is_what_its_docs_say() {
    let key = blake3::derive_key("chunkmill public id key v1", b"");
    assert_eq!(IdKey::public().id_of(b"x").as_bytes(), blake3::keyed_hash(&key, b"x").as_bytes());
}
