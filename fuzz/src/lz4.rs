//! LZ4 payloads: what our compressor makes is read by the frame decoder of `lz4_flex` and by our reader; and any bytes as a
//! payload are read as the description of the format says, or refused.

use std::io::Read;

use arbitrary::Unstructured;
use chunkmill_core::ChunkParams;
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor};
use chunkmill_tests::data::Data;
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::pack_writing::lines;
use chunkmill_tests::plain_frame::{self, Block};
use chunkmill_tests::plain_pack::{Head, Scribe};
use chunkmill_tests::setup::KEY;
use lz4_flex::frame::FrameDecoder;

/// The longest chunk here.
const MAX: u32 = 20 << 10;

/// A header of the format's first version, for chunks of up to `max` bytes.
pub(crate) const fn head(max: u32, block_log2: u8) -> Head {
    Head {
        version: 1,
        chunker: 1,
        min: 64,
        avg: 1024,
        max,
        level: 1,
        gear: 0,
        compression: if block_log2 > 0 { 1 } else { 0 },
        block_log2,
        gear_value: 0,
        stream_id: *b"never a secret..",
    }
}

/// Block length and whether the rest is a chunk or a payload come first.
pub fn run(input: &[u8]) {
    let _ = either(&mut Unstructured::new(input));
}

fn either(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let block_log2 = 10 + input.arbitrary::<u8>()? % 7;
    let (choice, split, seed): (u8, u16, u32) = input.arbitrary()?;
    let rest = input.bytes(input.len())?;
    match choice % 8 {
        0 => payload(rest, block_log2),
        1 => blocks(rest, block_log2, true),
        2 => blocks(rest, block_log2, false),
        3 => chunk(&rest.repeat(1 + seed as usize % 50), block_log2, split),
        4 => chunk(&[rest, &lines(seed.into(), usize::from(split) % MAX as usize)].concat(), block_log2, split),
        5 => chunk(&[rest, &Data::Random { seed: seed.into() }.bytes(3000), rest].concat(), block_log2, split),
        _ => chunk(rest, block_log2, split),
    }
    Ok(())
}

/// Compresses a chunk, whole and in two parts, and reads the frame back.
fn chunk(chunk: &[u8], block_log2: u8, split: u16) {
    let chunk = &chunk[..chunk.len().min(MAX as usize)];
    let block = BlockLen::from_log2(block_log2).expect("a block length");
    let params = ChunkParams::new(64, 1024, MAX, 1).expect("sizes are valid");
    let mut table = CompressTable::large();
    let mut room = vec![0xa5; Compressor::room_for(block, chunk.len())];
    let whole = Compressor::compress_into(block, &mut table, chunk, &mut room).expect("a large table");
    let frame = whole.map(|len| &room[..len]);
    let mut scratch = vec![0x5a; Compressor::scratch_for(block, &params)];
    let mut compressor = Compressor::new(block, &mut table, &mut scratch).expect("memory as asked for");
    let (first, second) = chunk.split_at(usize::from(split) % (chunk.len() + 1));
    assert_eq!(compressor.compress(first, second), frame, "split at {}", first.len());

    let Some(frame) = frame else { return };
    assert!(frame.len() <= chunk.len() - chunk.len().div_ceil(16), "it was worth it");
    let mut decoded = Vec::new();
    let mut rest = frame;
    FrameDecoder::new(&mut rest).read_to_end(&mut decoded).expect("a standard frame");
    assert!(decoded == chunk && rest.is_empty());
    assert!(content(frame, block_log2).is_some_and(|content| content == chunk));
    assert_read(chunk, frame, block_log2, true);
}

/// Any bytes between the start and the end of a frame, as one block.
fn blocks(bytes: &[u8], block_log2: u8, compressed: bool) {
    let block = if compressed { Block::Compressed(bytes.to_vec()) } else { Block::Plain(bytes.to_vec()) };
    payload(&plain_frame::frame(&[block]), block_log2);
}

/// Any bytes as a payload, under the id of what a plain reader finds in it.
fn payload(payload: &[u8], block_log2: u8) {
    let content = content(payload, block_log2);
    let good = content.as_ref().is_some_and(|chunk| payload.len() < chunk.len() && chunk.len() <= MAX as usize);
    let chunk = content.unwrap_or_else(|| vec![0; payload.len() + 1]);
    assert_read(&chunk, payload, block_log2, good);
}

/// What a frame holds if it is as the pack format describes: every block but the last of the full length, no compressed one
/// that is not shorter, nothing behind the end.
pub(crate) fn content(payload: &[u8], block_log2: u8) -> Option<Vec<u8>> {
    let block_len = 1 << block_log2;
    let blocks = plain_frame::blocks(payload)?;
    let mut content = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let bytes = match block {
            Block::Compressed(stored) => {
                let bytes = lz4_flex::block::decompress(stored, block_len).ok()?;
                Some(bytes).filter(|bytes| stored.len() < bytes.len())?
            }
            Block::Plain(stored) => stored.clone(),
        };
        let last = index + 1 == blocks.len();
        if bytes.is_empty() || bytes.len() > block_len || !last && bytes.len() < block_len {
            return None;
        }
        content.extend(bytes);
    }
    Some(content)
}

/// Reads a pack of one record, twice: what the memory held beforehand makes no difference.
fn assert_read(chunk: &[u8], payload: &[u8], block_log2: u8, good: bool) {
    let mut scribe = Scribe::new(&head(MAX, block_log2), &KEY);
    scribe.lz4(chunk, payload);
    let pack = scribe.end();
    for fill in [0x00, 0xff] {
        let (chunk_len, block_len) = (MAX as usize, 1 << block_log2);
        let outcome = Reading { chunk_len, block_len, fill, ..Reading::new(KEY) }.read(&pack);
        assert_eq!(outcome.ended.is_ok(), good, "{:?} of {} bytes in {}", outcome.ended, chunk.len(), payload.len());
        if good {
            assert!(outcome.given[0].bytes.as_deref() == Some(chunk));
        }
    }
}
