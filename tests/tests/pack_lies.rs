//! A writer that has the key and lies, so that every tag holds: what its records promise is checked all the same, and found
//! at the record with the lie.

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

use chunkmill_core::pack::{BlockLen, Compression, PackError, PackErrorKind, Stored, StreamHeader, Writer};
use chunkmill_core::{Chunk, ChunkId, GearKind, IdKey};
use chunkmill_tests::data::Data;
use chunkmill_tests::pack_reading::{Outcome, Reading};
use chunkmill_tests::pack_writing::{Put, Recipe, given, lines};
use chunkmill_tests::plain_pack::{self, Block, Fields, HEADER, Head, LZ4, RAW, REFERENCE, Scribe, TRAILER};

const KEY: [u8; 32] = [5; 32];

fn head() -> Head {
    Head {
        version: 1,
        chunker: 1,
        min: 64,
        avg: 1024,
        max: 4096,
        level: 1,
        gear: 0,
        compression: 1,
        block_log2: 10,
        gear_value: 0,
        stream_id: [6; 16],
    }
}

fn frame_of(chunk: &[u8]) -> Vec<u8> {
    let blocks: Vec<Block> =
        chunk.chunks(1024).map(|block| Block::Compressed(lz4_flex::block::compress(block))).collect();
    plain_pack::frame(&blocks)
}

/// Behind one good record comes the lie, and behind that what would follow if it were none.
fn read_lie(head: &Head, lie: impl FnOnce(&mut Scribe)) -> (Outcome, usize) {
    let mut scribe = Scribe::new(head, &KEY);
    scribe.raw(b"good");
    let at = scribe.len();
    lie(&mut scribe);
    scribe.raw(b"also good");
    (Reading::new(KEY).read(&scribe.end()), at)
}

fn assert_found(lie: impl FnOnce(&mut Scribe), kind: PackErrorKind) {
    assert_found_under(&head(), lie, kind);
}

fn assert_found_under(head: &Head, lie: impl FnOnce(&mut Scribe), kind: PackErrorKind) {
    let (outcome, at) = read_lie(head, lie);
    assert_eq!(outcome.ended, Err(PackError { kind, record: 1, offset: at as u64 }));
    assert_eq!(outcome.given, given(&[Put::Store(b"good".to_vec())], &KEY));
}

#[test]
fn truth_is_read() {
    let chunk = lines(1, 2500);
    let (outcome, _) = read_lie(&head(), |scribe| {
        scribe.lz4(&chunk, &frame_of(&chunk));
        scribe.raw(&chunk);
        scribe.raw(&Data::Random { seed: 2 }.bytes(4096));
        scribe.reference(&chunk);
    });
    assert_eq!(outcome.ended.map(|totals| totals.records), Ok(6));
}

#[test]
fn payload_of_another_chunk() {
    let (chunk, other) = (lines(1, 900), lines(2, 900));
    assert_ne!(chunk, other);
    assert_found(|scribe| scribe.put(&scribe.honest(RAW, &chunk, 900), &other), PackErrorKind::Payload);
    assert_found(|scribe| scribe.lz4(&chunk, &frame_of(&other)), PackErrorKind::Payload);
}

#[test]
fn id_of_another_chunk() {
    let chunk = lines(1, 900);
    for id in [[0; 32], plain_pack::id(&KEY, &chunk[1..]), plain_pack::id(&[4; 32], &chunk)] {
        let with = |fields: Fields| Fields { id, ..fields };
        assert_found(|scribe| scribe.put(&with(scribe.honest(RAW, &chunk, 900)), &chunk), PackErrorKind::Payload);
        let frame = frame_of(&chunk);
        let len = frame.len();
        assert_found(|scribe| scribe.put(&with(scribe.honest(LZ4, &chunk, len)), &frame), PackErrorKind::Payload);
    }
}

/// Raw and stored length of a record, without payload: they are refused before a byte of it is asked for.
#[test]
fn lengths_that_cannot_be() {
    let bad = [
        (RAW, 0, 0),
        (RAW, 0, 1),
        (RAW, 1, 0),
        (RAW, 100, 99),
        (RAW, 100, 101),
        (RAW, 4097, 4097),
        (RAW, u32::MAX, u32::MAX),
        (RAW, 1 << 31, 1 << 31),
        (LZ4, 0, 0),
        (LZ4, 100, 100),
        (LZ4, 100, 101),
        (LZ4, 4097, 100),
        (LZ4, u32::MAX, u32::MAX - 1),
        (REFERENCE, 0, 0),
        (REFERENCE, 100, 1),
        (REFERENCE, 100, 100),
        (REFERENCE, 4097, 0),
        (REFERENCE, u32::MAX, 0),
    ];
    for (kind, raw_len, stored_len) in bad {
        let lie = |scribe: &mut Scribe| {
            let fields = Fields { raw_len, stored_len, ..scribe.honest(kind, b"", 0) };
            scribe.put(&fields, &[]);
        };
        assert_found(lie, PackErrorKind::Lengths);
    }
}

/// The edge of what may be: one byte, and the maximum of the header.
#[test]
fn lengths_that_just_can_be() {
    for len in [1, 4095, 4096] {
        let chunk = Data::Random { seed: 3 }.bytes(len);
        let (outcome, _) = read_lie(&head(), |scribe| {
            scribe.raw(&chunk);
            scribe.reference(&chunk);
        });
        assert_eq!(outcome.ended.map(|totals| totals.records), Ok(4), "{len} bytes");
    }
    let (outcome, _) = read_lie(&head(), |scribe| scribe.lz4(&[0; 4096], &frame_of(&[0; 4096])));
    assert_eq!(outcome.ended.map(|totals| totals.records), Ok(3));
}

/// LZ4 in a stream that announced none.
#[test]
fn compression_that_was_not_announced() {
    let plain = Head { compression: 0, block_log2: 0, ..head() };
    let chunk = lines(1, 900);
    assert_found_under(&plain, |scribe| scribe.lz4(&chunk, &frame_of(&chunk)), PackErrorKind::Lengths);
}

/// A frame that is a byte longer or shorter than its record says, with the rest of the pack in its place or shifted.
#[test]
fn stored_length_of_a_frame_wrong_by_one() {
    for len in [300, 900, 1024, 1025, 2500, 4096] {
        let chunk = lines(4, len);
        let frame = frame_of(&chunk);
        for stored_len in [frame.len() - 1, frame.len() + 1, frame.len() - 4, frame.len() + 4] {
            let mut resized = frame.clone();
            resized.resize(stored_len, 0);
            for payload in [&frame, &resized] {
                let lie = |scribe: &mut Scribe| scribe.put(&scribe.honest(LZ4, &chunk, stored_len), payload);
                assert_found(lie, PackErrorKind::Payload);
            }
        }
    }
}

/// A frame for a chunk that is a byte longer or shorter than its record says.
#[test]
fn raw_length_of_a_frame_wrong_by_one() {
    for len in [300, 1023, 1024, 1025, 2047, 2048, 2500] {
        let chunk = lines(4, len + 2);
        for frame_len in [len - 1, len + 1] {
            let frame = frame_of(&chunk[..frame_len]);
            assert_found(|scribe| scribe.lz4(&chunk[..len], &frame), PackErrorKind::Payload);
        }
    }
}

/// Every block but the last is a whole one. Frames whose blocks are shorter give the same chunk, and are refused.
#[test]
fn blocks_of_another_length() {
    let chunk = lines(5, 2500);
    for lens in
        [&[1024, 1024, 452][..], &[1000, 1024, 476], &[1024, 1000, 476], &[452, 1024, 1024], &[1024, 1024, 400, 52]]
    {
        let mut rest = &chunk[..];
        let mut blocks = Vec::new();
        for len in lens {
            let (block, tail) = rest.split_at(*len);
            blocks.push(Block::Compressed(lz4_flex::block::compress(block)));
            rest = tail;
        }
        let frame = plain_pack::frame(&blocks);
        if lens.len() == 3 && lens[..2] == [1024, 1024] {
            let (outcome, _) = read_lie(&head(), |scribe| scribe.lz4(&chunk, &frame));
            assert!(outcome.ended.is_ok());
        } else {
            assert_found(|scribe| scribe.lz4(&chunk, &frame), PackErrorKind::Payload);
        }
    }
}

/// The core's own writer writes what it is told: a caller who confuses lengths is found out by the reader.
#[test]
fn lies_through_the_core_writer() {
    let key = IdKey::from_bytes(KEY);
    let params = Recipe::small().params;
    let compression = Compression::Lz4(BlockLen::from_log2(10).unwrap());
    let header = StreamHeader { params, gear: GearKind::Published, compression, stream_id: [6; 16] };
    let chunk = |len: u32, bytes: &[u8]| Chunk { offset: 0, len, id: key.id_of(bytes) };
    let cases: [(Chunk, Stored, &[u8], PackErrorKind); 6] = [
        (chunk(0, b""), Stored::Raw, b"", PackErrorKind::Lengths),
        (chunk(4097, &[0; 4097]), Stored::Raw, &[0; 4097], PackErrorKind::Lengths),
        (chunk(5, b"words"), Stored::Lz4(5), b"words", PackErrorKind::Lengths),
        (chunk(5, b"words"), Stored::Raw, b"world", PackErrorKind::Payload),
        (Chunk { id: ChunkId::from_bytes([0; 32]), ..chunk(5, b"") }, Stored::Raw, b"words", PackErrorKind::Payload),
        (chunk(900, &[0; 900]), Stored::Lz4(20), &[0; 20], PackErrorKind::Payload),
    ];
    for (lie, stored, payload, kind) in cases {
        let (mut writer, start) = Writer::new(&header, &key);
        let good = writer.record(&chunk(4, b"good"), Stored::Raw);
        let mut pack = [&start[..], &good, b"good"].concat();
        let at = pack.len() as u64;
        pack.extend(writer.record(&lie, stored));
        pack.extend(payload);
        pack.extend(writer.trailer());
        let outcome = Reading::new(KEY).read(&pack);
        assert_eq!(outcome.ended, Err(PackError { kind, record: 1, offset: at }), "{lie:?}");
        assert_eq!(outcome.given.len(), 1);
    }
}

#[test]
fn trailer_that_does_not_count_right() {
    let mut scribe = Scribe::new(&head(), &KEY);
    scribe.raw(b"good");
    let honest = scribe.honest_trailer();
    let at = scribe.len() as u64;
    let order = |found| PackErrorKind::Order { expected: 1, found };
    let mut chain = honest.id;
    chain[31] ^= 1;
    for (trailer, kind) in [
        (Fields { raw_len: 5, ..honest }, PackErrorKind::Trailer),
        (Fields { raw_len: 0, ..honest }, PackErrorKind::Trailer),
        (Fields { stored_len: 1, ..honest }, PackErrorKind::Trailer),
        (Fields { id: chain, ..honest }, PackErrorKind::Trailer),
        (Fields { id: [0; 32], ..honest }, PackErrorKind::Trailer),
        (Fields { sequence: 0, ..honest }, order(0)),
        (Fields { sequence: 2, ..honest }, order(2)),
        (Fields { sequence: u64::MAX, ..honest }, order(u64::MAX)),
    ] {
        let outcome = Reading::new(KEY).read(&scribe.clone().end_with(&trailer));
        assert_eq!(outcome.ended, Err(PackError { kind, record: 1, offset: at }), "{trailer:?}");
        assert_eq!(outcome.given.len(), 1);
    }
    assert!(Reading::new(KEY).read(&scribe.end()).ended.is_ok());
}

/// Kinds and zeros of a later version, in records that are good otherwise.
#[test]
fn records_of_an_unknown_form() {
    for kind in (0..=u8::MAX).filter(|kind| !(RAW..=TRAILER).contains(kind)) {
        let lie = |scribe: &mut Scribe| scribe.put(&scribe.honest(kind, b"new", 3), b"new");
        assert_found(lie, PackErrorKind::Unsupported);
    }
    for zeros in [[1, 0, 0], [0, 1, 0], [0, 0, 0x80]] {
        for kind in RAW..=TRAILER {
            let lie = |scribe: &mut Scribe| scribe.put(&Fields { zeros, ..scribe.honest(kind, b"new", 3) }, b"new");
            assert_found(lie, PackErrorKind::Unsupported);
        }
    }
}

#[test]
fn headers_of_an_unknown_form() {
    let good = head();
    let none = Head { compression: 0, block_log2: 0, ..good };
    let bad = [
        Head { version: 0, ..good },
        Head { version: 2, ..good },
        Head { version: 0x101, ..good },
        Head { chunker: 0, ..good },
        Head { chunker: 2, ..good },
        Head { min: 65, ..good },
        Head { min: 62, ..good },
        Head { min: 1026, ..good },
        Head { avg: 4098, ..good },
        Head { max: 4097, ..good },
        Head { max: (16 << 20) + 2, ..good },
        Head { max: u32::MAX, ..good },
        Head { level: 4, ..good },
        Head { gear: 3, ..good },
        Head { gear_value: 1, ..good },
        Head { gear: 1, ..good },
        Head { gear: 2, gear_value: 1 << 32, ..good },
        Head { compression: 2, ..good },
        Head { block_log2: 9, ..good },
        Head { block_log2: 17, ..good },
        Head { compression: 0, ..good },
        Head { block_log2: 1, ..none },
    ];
    for head in bad {
        let outcome = Reading::new(KEY).read(&Scribe::new(&head, &KEY).end());
        let expected = PackError { kind: PackErrorKind::Unsupported, record: 0, offset: 0 };
        assert_eq!(outcome.ended, Err(expected), "{head:?}");
        assert_eq!((outcome.header, outcome.taken), (None, HEADER));
        // The key is checked first: a later version's stream is not taken for one of it under another key.
        let wrong = Reading::new([4; 32]).read(&Scribe::new(&head, &KEY).end());
        assert_eq!(wrong.error().kind, PackErrorKind::WrongKey);
    }
    let keyed = Head { gear: 2, gear_value: u64::from(u32::MAX), ..good };
    for head in [good, none, Head { gear: 1, gear_value: 1, ..good }, Head { gear: 2, ..good }, keyed] {
        assert!(Reading::new(KEY).read(&Scribe::new(&head, &KEY).end()).ended.is_ok(), "{head:?}");
    }
}
