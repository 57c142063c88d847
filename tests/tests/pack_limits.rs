//! A reader asks for no more than it was lent, whatever a header, a record or a frame claims, and says so before it reads
//! on.

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

use std::io::Write;

use chunkmill_core::IdKey;
use chunkmill_core::pack::{HEADER_LEN, PackError, PackErrorKind, ReadStep, Reader};
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::pack_reading::{Outcome, Reading};
use chunkmill_tests::pack_writing::{Recipe, every_kind, lines};
use chunkmill_tests::plain_pack::{self, Block, Fields, HEADER, Head, LZ4, RAW, RECORD, Scribe};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

const KEY: [u8; 32] = [5; 32];

fn head(max: u32, block_log2: u8) -> Head {
    Head {
        version: 1,
        chunker: 1,
        min: 64,
        avg: 1024,
        max,
        level: 1,
        gear: 0,
        compression: u8::from(block_log2 > 0),
        block_log2,
        gear_value: 0,
        stream_id: [6; 16],
    }
}

fn read_with(chunk_len: usize, block_len: usize, pack: &[u8]) -> Outcome {
    Reading { chunk_len, block_len, ..Reading::new(KEY) }.read(pack)
}

#[test]
fn too_little_memory_is_said_before_any_record() {
    const MAX: usize = 16 << 20;
    let cases = [
        (head(MAX as u32, 0), 1024, 0, MAX, 1024),
        (head(MAX as u32, 0), 0, 0, MAX, 0),
        (head(MAX as u32, 16), 1024, 1 << 16, MAX, 1024),
        (head(MAX as u32, 16), MAX - 1, 1 << 16, MAX, MAX - 1),
        (head(4096, 0), 4095, 1024, 4096, 4095),
        (head(4096, 10), 4096, 0, 1024, 0),
        (head(4096, 10), 4096, 1023, 1024, 1023),
        // No block is longer than the largest chunk.
        (head(4096, 16), 4096, 4095, 4096, 4095),
        (head(MAX as u32, 16), MAX, 65_535, 65_536, 65_535),
        (head(4096, 16), 4095, 65_535, 4096, 4095),
    ];
    for (head, chunk_len, block_len, needed, found) in cases {
        let mut scribe = Scribe::new(&head, &KEY);
        scribe.raw(b"good");
        let outcome = read_with(chunk_len, block_len, &scribe.end());
        let kind = PackErrorKind::Buffer { needed, found };
        assert_eq!(outcome.ended, Err(PackError { kind, record: 0, offset: 0 }), "{chunk_len} and {block_len} bytes");
        assert_eq!((outcome.header, outcome.given.len(), outcome.taken), (None, 0, HEADER));
    }
}

#[test]
fn just_enough_memory_is_enough() {
    for (head, chunk_len, block_len) in
        [(head(4096, 0), 4096, 0), (head(4096, 10), 4096, 1024), (head(4096, 16), 4096, 4096)]
    {
        let mut scribe = Scribe::new(&head, &KEY);
        scribe.raw(&Data::Random { seed: 1 }.bytes(4096));
        if head.compression == 1 {
            let chunk = lines(1, 4096);
            let blocks = chunk.chunks(1 << head.block_log2);
            let blocks: Vec<Block> = blocks.map(|block| Block::Compressed(lz4_flex::block::compress(block))).collect();
            scribe.lz4(&chunk, &plain_pack::frame(&blocks));
        }
        let outcome = read_with(chunk_len, block_len, &scribe.end());
        assert!(outcome.ended.is_ok(), "{outcome:?}");
    }
}

/// The error comes with the record, not with a payload that would have to be taken first.
#[test]
fn lengths_of_records_are_checked_before_their_payload() {
    for (kind, raw_len, stored_len) in [(RAW, u32::MAX, u32::MAX), (RAW, 4098, 4098), (LZ4, u32::MAX, 1 << 30)] {
        let mut scribe = Scribe::new(&head(4096, 10), &KEY);
        let fields = Fields { raw_len, stored_len, ..scribe.honest(kind, b"", 0) };
        scribe.put(&fields, &vec![0; 10_000]);
        let outcome = read_with(4096, 1024, &scribe.end());
        assert_eq!(outcome.error().kind, PackErrorKind::Lengths);
        assert_eq!(outcome.taken, HEADER + RECORD);
    }
}

/// The length of a block is checked against the block length, what is left of the chunk and what is left of the payload.
#[test]
fn blocks_that_claim_too_much() {
    let chunk = lines(2, 2500);
    let not_compressed = 1 << 31;
    let last = 2500 - 2048;
    for claim in [
        1024,
        1025,
        4096,
        65_536,
        65_537,
        1 << 22,
        0x7fff_ffff,
        0,
        not_compressed,
        not_compressed | 1023,
        not_compressed | 1025,
        not_compressed | last,
        not_compressed | 65_536,
        u32::MAX,
    ] {
        let mut payload = plain_pack::frame(&[]);
        payload.truncate(7);
        payload.extend(u32::to_le_bytes(claim));
        let head_end = payload.len();
        payload.resize(2400, 0xff);
        let mut scribe = Scribe::new(&head(4096, 10), &KEY);
        scribe.lz4(&chunk, &payload);
        let outcome = read_with(4096, 1024, &scribe.end());
        assert_eq!(outcome.error().kind, PackErrorKind::Payload, "{claim:#x}");
        assert_eq!(outcome.taken, HEADER + RECORD + head_end, "{claim:#x}");
    }
}

/// A block may be as long as the chunk allows and yet not lie within the payload that its record promised.
#[test]
fn blocks_that_leave_their_payload() {
    let chunk = vec![0; 1024];
    let block = lz4_flex::block::compress(&chunk);
    let frame = plain_pack::frame(&[Block::Compressed(block)]);
    for stored_len in 0..frame.len() {
        let mut scribe = Scribe::new(&head(4096, 10), &KEY);
        scribe.put(&scribe.honest(LZ4, &chunk, stored_len), &frame);
        let outcome = read_with(4096, 1024, &scribe.end());
        let expected = PackError { kind: PackErrorKind::Payload, record: 0, offset: HEADER as u64 };
        assert_eq!(outcome.ended, Err(expected), "{stored_len} bytes");
    }
}

/// Frames of other settings than the one that every payload has, as another encoder writes them.
#[test]
fn frames_of_other_settings_are_refused() {
    let chunk = lines(3, 200_000);
    let usual = FrameInfo::new().block_size(BlockSize::Max64KB).block_mode(BlockMode::Independent);
    let settings = [
        (usual.clone(), true),
        (usual.clone().block_size(BlockSize::Max256KB), false),
        (usual.clone().block_size(BlockSize::Max1MB), false),
        (usual.clone().block_size(BlockSize::Max4MB), false),
        (usual.clone().block_mode(BlockMode::Linked), false),
        (usual.clone().content_checksum(true), false),
        (usual.clone().block_checksums(true), false),
        (usual.content_size(Some(200_000)), false),
    ];
    for (info, good) in settings {
        let about = format!("{info:?}");
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(&chunk).unwrap();
        let mut scribe = Scribe::new(&head(1 << 20, 16), &KEY);
        scribe.lz4(&chunk, &encoder.finish().unwrap());
        let outcome = read_with(1 << 20, 1 << 16, &scribe.end());
        let expected = PackError { kind: PackErrorKind::Payload, record: 0, offset: HEADER as u64 };
        match good {
            true => assert!(outcome.ended.is_ok(), "{about}"),
            false => assert_eq!(outcome.ended, Err(expected), "{about}"),
        }
    }
}

/// A payload that its record says ends in the middle of the frame's start, or of a block's length.
#[test]
fn no_more_is_taken_than_the_record_promised() {
    let chunk = vec![0; 3000];
    let blocks: Vec<Block> =
        chunk.chunks(1024).map(|block| Block::Compressed(lz4_flex::block::compress(block))).collect();
    let frame = plain_pack::frame(&blocks);
    for stored_len in 0..frame.len() {
        let mut scribe = Scribe::new(&head(4096, 10), &KEY);
        scribe.put(&scribe.honest(LZ4, &chunk, stored_len), &frame);
        let outcome = read_with(4096, 1024, &scribe.end());
        assert_eq!(outcome.error().kind, PackErrorKind::Payload);
        let promised = HEADER + RECORD + stored_len;
        assert!(outcome.taken <= promised, "{} bytes taken, {promised} promised", outcome.taken);
    }
}

/// Records with good tags and payloads that are frames of random blocks under random claims. That windows stay in the memory
/// lent, and that each step gets further, is checked for every pack that these tests read.
#[test]
fn made_up_frames_are_taken_no_further_than_promised() {
    let mut rng = Rng::new(90);
    let mut kinds = [0, 0];
    for _ in 0..20_000 {
        let raw_len = 1 + rng.below(4096);
        let mut payload = plain_pack::frame(&[]);
        payload.truncate(7);
        for _ in 0..rng.below(5) {
            let bits = rng.below(13);
            let len = rng.below(1 << bits);
            let claim = match rng.below(4) {
                0 => rng.next() as u32,
                1 => len as u32 | 1 << 31,
                _ => len as u32,
            };
            payload.extend(claim.to_le_bytes());
            payload.extend(Data::Random { seed: rng.next() }.bytes(len));
        }
        payload.extend([0; 4]);
        let stored_len = if rng.below(3) == 0 { rng.below(raw_len) } else { payload.len() };
        let mut scribe = Scribe::new(&head(4096, 10), &KEY);
        let fields = Fields { raw_len: raw_len as u32, ..scribe.honest(LZ4, b"", stored_len) };
        scribe.put(&fields, &payload);
        let outcome = Reading { at_most: 1 + rng.below(3000), ..Reading::new(KEY) }.read(&scribe.end());
        let error = outcome.error();
        assert_eq!((error.record, error.offset, outcome.given.len()), (0, HEADER as u64, 0));
        match error.kind {
            PackErrorKind::Lengths => {
                assert_eq!(outcome.taken, HEADER + RECORD);
                kinds[0] += 1;
            }
            kind => {
                assert_eq!(kind, PackErrorKind::Payload);
                assert!(outcome.taken <= HEADER + RECORD + stored_len);
                kinds[1] += 1;
            }
        }
    }
    assert!(kinds[0] > 1000 && kinds[1] > 1000, "{kinds:?}");
}

/// A caller that commits more than the window has, and one that commits nothing, at every step.
#[test]
fn commits_are_held_to_the_window() {
    let recipe = Recipe::small();
    let pack = recipe.pack(&every_kind());
    let (mut memory, mut block) = ([0; 4096], [0; 1024]);
    let mut reader = Reader::new(&IdKey::from_bytes(recipe.key), &mut memory, &mut block);
    let mut input = &pack[..];
    let mut chunks = 0;
    loop {
        match reader.step().unwrap() {
            ReadStep::NeedInput => {
                let (offset, window) = (reader.offset(), reader.window().len());
                reader.commit(0);
                assert!(matches!(reader.step(), Ok(ReadStep::NeedInput)), "nothing came, so nothing has changed");
                assert_eq!((reader.offset(), reader.window().len()), (offset, window));
                let (piece, rest) = input.split_at(window);
                reader.window().copy_from_slice(piece);
                input = rest;
                reader.commit(usize::MAX);
                assert_eq!(reader.offset(), offset + window as u64);
            }
            ReadStep::Header(_) => assert_eq!(reader.offset(), HEADER_LEN as u64),
            ReadStep::Chunk(_) => chunks += 1,
            ReadStep::Reference(_) => reader.skip_reference(),
            ReadStep::End(totals) => break assert_eq!(totals.records - totals.references, chunks),
        }
    }
    assert!(input.is_empty());
}
