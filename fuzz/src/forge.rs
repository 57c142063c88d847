//! Packs by a writer who has the key and lies: all tags are good, and anything else may be wrong.

use arbitrary::Unstructured;
use chunkmill_core::ChunkParams;
use chunkmill_core::pack::PackErrorKind;
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::plain_frame::{self, Block};
use chunkmill_tests::plain_pack::{self, Fields, Head, LZ4, RAW, REFERENCE, Scribe};
use chunkmill_tests::setup::KEY;

use crate::library;
use crate::lz4;

/// The longest chunk that the reader here has memory for.
const MOST: u32 = 4096;

/// Header, records and trailer in order, each with what is wrong about it.
pub fn run(input: &[u8]) {
    let _ = forge(&mut Unstructured::new(input));
}

fn forge(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (at_most, threads): (u8, u8) = input.arbitrary()?;
    let head = head(input)?;
    let mut scribe = Scribe::new(&head, &KEY);
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    // Whether all is as it should be, and how many records are before the first that is not.
    let (mut good, mut given, mut certain) = (is_good(&head), 0, true);
    for _ in 0..input.arbitrary::<u8>()? % 10 {
        let Lie { fields, payload, chunk } = record(input, &scribe, &chunks, &head)?;
        good &= is_honest(&fields, &payload, &head, scribe.honest(RAW, &[], 0).sequence);
        certain &= good || payload.len() == fields.stored_len as usize;
        given += usize::from(good);
        scribe.put(&fields, &payload);
        chunks.push(chunk);
    }
    let mut trailer = scribe.honest_trailer();
    let honest = trailer;
    change(input, &mut trailer)?;
    good &= trailer == honest;
    // As one more record it may even be good: that of a reference is a trailer's but for the kind.
    certain &= trailer.kind == honest.kind;
    let mut pack = scribe.end_with(&trailer);
    pack.extend(input.bytes(input.len().min(100))?);

    let most = MOST as usize;
    let reading = Reading { chunk_len: most, block_len: most, at_most: 1 + usize::from(at_most), ..Reading::new(KEY) };
    let outcome = reading.read(&pack);
    if is_good(&head) && head.max > MOST {
        let needed = (outcome.ended, outcome.given.len());
        assert!(
            matches!(needed.0.map_err(|error| error.kind), Err(PackErrorKind::Buffer { found, .. }) if found == most)
        );
        return Ok(());
    }
    assert_eq!(outcome.ended.is_ok(), good, "{:?} of {} good records", outcome.ended, given);
    if certain {
        assert_eq!(outcome.given.len(), given, "{:?}", outcome.ended);
    }
    for (given, chunk) in outcome.given.iter().zip(&chunks) {
        assert!(given.bytes.as_ref().is_none_or(|bytes| bytes == chunk));
    }
    library::assert_reads_the_same(&pack, KEY, threads, usize::from(threads) << 14, &outcome);
    Ok(())
}

fn head(input: &mut Unstructured<'_>) -> arbitrary::Result<Head> {
    let mut head = lz4::head(MOST, 10);
    let (what, number): (u8, u32) = input.arbitrary()?;
    match what % 20 {
        0 => head.min = number,
        1 => head.avg = number,
        2 => head.max = number,
        3 => head.max = 1024 + number % 1600 * 2,
        4 => head.level = number as u8,
        5 => (head.compression, head.block_log2) = (number as u8, (number >> 8) as u8),
        6 => (head.gear, head.gear_value) = (number as u8, u64::from(number) << (number % 40)),
        7 => (head.version, head.chunker) = (number as u16 % 3, (number >> 16) as u16 % 3),
        8 => (head.compression, head.block_log2) = (0, 0),
        9 => head.block_log2 = 10 + number as u8 % 7,
        _ => {}
    }
    Ok(head)
}

fn is_good(head: &Head) -> bool {
    let gear = matches!((head.gear, head.gear_value), (0, 0) | (1, 1..) | (2, 0..=0xffff_ffff));
    let compression = matches!((head.compression, head.block_log2), (0, 0) | (1, 10..=16));
    let params = ChunkParams::new(head.min, head.avg, head.max, head.level).is_ok();
    (head.version, head.chunker) == (1, 1) && gear && compression && params
}

/// A record as it is put, and the chunk that it stands for.
struct Lie {
    fields: Fields,
    payload: Vec<u8>,
    chunk: Vec<u8>,
}

fn record(input: &mut Unstructured<'_>, scribe: &Scribe, chunks: &[Vec<u8>], head: &Head) -> arbitrary::Result<Lie> {
    let (choice, len, fill): (u8, u16, u8) = input.arbitrary()?;
    let bytes = input.bytes(usize::from(fill).min(input.len()))?.to_vec();
    // Text that repeats, of up to two blocks and more.
    let long =
        || bytes.iter().copied().chain([fill]).cycle().take(1 + usize::from(len) % (MOST as usize + 2)).collect();
    let (kind, chunk, payload): (u8, Vec<u8>, Vec<u8>) = match choice % 8 {
        0 => (RAW, bytes.clone(), bytes),
        1 => {
            let chunk: Vec<u8> = long();
            (RAW, chunk.clone(), chunk)
        }
        2 | 3 => {
            let chunk: Vec<u8> = long();
            let blocks = chunk.chunks(1 << head.block_log2.clamp(10, 16));
            let blocks: Vec<Block> = blocks.map(|block| Block::Compressed(lz4_flex::block::compress(block))).collect();
            (LZ4, chunk, plain_frame::frame(&blocks))
        }
        4 => {
            let payload = plain_frame::frame(&[Block::Compressed(bytes)]);
            (LZ4, lz4::content(&payload, head.block_log2.clamp(10, 16)).unwrap_or_default(), payload)
        }
        5 => (LZ4, lz4::content(&bytes, head.block_log2.clamp(10, 16)).unwrap_or_default(), bytes),
        6 => (REFERENCE, chunks.get(usize::from(len)).or(chunks.first()).cloned().unwrap_or_else(long), Vec::new()),
        _ => (fill % 6, bytes.clone(), bytes),
    };
    let mut fields = scribe.honest(kind, &chunk, payload.len());
    if kind == REFERENCE {
        fields.stored_len = payload.len() as u32;
    }
    change(input, &mut fields)?;
    Ok(Lie { fields, payload, chunk })
}

/// Mostly changes nothing.
fn change(input: &mut Unstructured<'_>, fields: &mut Fields) -> arbitrary::Result<()> {
    let (what, number): (u8, u32) = input.arbitrary()?;
    match what {
        1 => fields.kind = number as u8,
        2 => fields.zeros[number as usize % 3] = (number >> 8) as u8,
        3 => fields.raw_len = number,
        4 => fields.stored_len = number,
        5 => fields.sequence = (u64::from(number) << 32).wrapping_add(fields.sequence),
        6 => fields.sequence = number.into(),
        7 => fields.id[number as usize % 32] ^= (number >> 8) as u8,
        8 => fields.raw_len = fields.raw_len.wrapping_add(number % 5).wrapping_sub(2),
        9 => fields.stored_len = fields.stored_len.wrapping_add(number % 5).wrapping_sub(2),
        10 => (fields.raw_len, fields.stored_len) = (number, number),
        _ => {}
    }
    Ok(())
}

/// The rules of the format for one record.
fn is_honest(fields: &Fields, payload: &[u8], head: &Head, sequence: u64) -> bool {
    let lens = fields.raw_len >= 1 && fields.raw_len <= head.max && payload.len() == fields.stored_len as usize;
    let gives = |chunk: &[u8]| chunk.len() == fields.raw_len as usize && plain_pack::id(&KEY, chunk) == fields.id;
    let content = match fields.kind {
        RAW => gives(payload),
        LZ4 => {
            let content = lz4::content(payload, head.block_log2.clamp(10, 16));
            head.compression == 1 && fields.stored_len < fields.raw_len && content.is_some_and(|chunk| gives(&chunk))
        }
        REFERENCE => payload.is_empty(),
        _ => false,
    };
    fields.zeros == [0; 3] && fields.sequence == sequence && lens && content
}
