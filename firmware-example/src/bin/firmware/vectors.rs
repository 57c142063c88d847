//! The golden vectors, from a list that `cargo run -p chunkmill-tests --example vector_list` writes. Its lines:
//!
//! ```text
//! key HEX                          for what follows
//! id LEN HEX                       of LEN bytes 0, 1, ..., 250, 0, ...
//! cut MIN AVG MAX LEVEL SEED FILE  cut that file with the published table under that seed
//! chunk LEN HEX                    one of its chunks
//! ended                            there are no more
//! pack FILE STREAM                 that pack restores to that file
//! end                              of the list
//! ```

use core::str::{FromStr, SplitAsciiWhitespace};

use chunkmill_core::{Chunk, ChunkHasher, ChunkId, ChunkParams, GearTable, IdKey, StreamingChunker};
use chunkmill_firmware::memory::Memory;
use embedded_io::Read;
use static_cell::StaticCell;

use crate::device::File;
use crate::failure::Failure;
use crate::lines::Lines;
use crate::{restored, same, verified};

static GEAR: StaticCell<GearTable> = StaticCell::new();

/// Where packs of the list are restored to.
const RESTORED: &str = "restored";

/// Checks all that is in the list. Its files are in the folder where QEMU was started.
pub fn check(memory: &mut Memory, list: &str) -> Result<(), Failure> {
    let mut lines = Lines::open(list)?;
    let gear = gear();
    let mut key = IdKey::public();
    let (mut ids, mut streams, mut chunks, mut packs) = (0u32, 0u32, 0u32, 0u32);
    loop {
        let mut line = [0; 256];
        let text = copy(lines.next()?, &mut line);
        let wrong = Failure::Vector { line: lines.number() };
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("key") => key = parsed(&mut words).ok_or(wrong)?,
            Some("id") => {
                if painted_id(&key, parsed(&mut words).unwrap_or(0)) != words.next().and_then(chunk_id) {
                    return Err(wrong);
                }
                ids = ids.saturating_add(1);
            }
            Some("cut") => {
                let (params, seed) = sizes(&mut words).ok_or(Failure::Vector { line: lines.number() })?;
                seeded(gear, seed);
                let file = words.next().ok_or(wrong)?;
                chunks = chunks.saturating_add(cut(&mut lines, params, gear, &key, file)?);
                streams = streams.saturating_add(1);
            }
            Some("pack") => {
                let (Some(pack), Some(stream)) = (words.next(), words.next()) else { return Err(wrong) };
                verified(memory, &key, pack)?;
                restored(memory, &key, pack, RESTORED)?;
                same(stream, RESTORED)?;
                packs = packs.saturating_add(1);
            }
            Some("end") => break,
            _ => return Err(wrong),
        }
    }
    defmt::info!(
        "vectors: {=u32} ids, {=u32} streams of {=u32} chunks, {=u32} packs are as they should be",
        ids,
        streams,
        chunks,
        packs
    );
    Ok(())
}

fn copy<'b>(text: &str, into: &'b mut [u8; 256]) -> &'b str {
    match into.get_mut(..text.len()) {
        Some(room) => {
            room.copy_from_slice(text.as_bytes());
            str::from_utf8(room).unwrap_or_default()
        }
        None => "",
    }
}

// The functions that have a hasher or a table on the stack are never inlined, so that no two of these are there at a time.

#[inline(never)]
fn gear() -> &'static mut GearTable {
    GEAR.init_with(|| GearTable::seeded(0))
}

#[inline(never)]
fn seeded(gear: &mut GearTable, seed: u64) {
    *gear = GearTable::seeded(seed);
}

/// Compares a stream's chunks with the list's next lines, and counts them.
#[inline(never)]
fn cut(lines: &mut Lines, params: ChunkParams, gear: &GearTable, key: &IdKey, file: &str) -> Result<u32, Failure> {
    let mut file = File::open(file)?;
    let mut chunker = StreamingChunker::new(params, gear, key);
    let mut window = [0; 512];
    let mut count = 0u32;
    let mut compare = |chunk: Chunk, lines: &mut Lines| {
        count = count.saturating_add(1);
        let mut words = lines.next()?.split_ascii_whitespace();
        let listed = words.next() == Some("chunk")
            && parsed(&mut words) == Some(chunk.len)
            && words.next().and_then(chunk_id) == Some(chunk.id);
        if listed { Ok(()) } else { Err(Failure::Vector { line: lines.number() }) }
    };
    loop {
        let len = file.read(&mut window)?;
        let Some(mut input @ [_, ..]) = window.get(..len) else { break };
        while let Some(span) = chunker.push(&mut input) {
            if let Some(chunk) = span.ended {
                compare(chunk, lines)?;
            }
        }
    }
    if let Some(chunk) = chunker.finish().and_then(|span| span.ended) {
        compare(chunk, lines)?;
    }
    match lines.next()? {
        "ended" => Ok(count),
        _ => Err(Failure::Vector { line: lines.number() }),
    }
}

#[inline(never)]
fn painted_id(key: &IdKey, len: usize) -> Option<ChunkId> {
    let paint: [u8; 251] = core::array::from_fn(|index| u8::try_from(index).unwrap_or_default());
    let mut hasher = ChunkHasher::new(key);
    let mut rest = len;
    while let Some(left) = rest.checked_sub(paint.len()) {
        hasher.update(&paint);
        rest = left;
    }
    hasher.update(paint.get(..rest)?);
    Some(hasher.finish())
}

fn sizes(words: &mut SplitAsciiWhitespace<'_>) -> Option<(ChunkParams, u64)> {
    let (min, avg, max, level) = (parsed(words)?, parsed(words)?, parsed(words)?, parsed(words)?);
    Some((ChunkParams::new(min, avg, max, level).ok()?, parsed(words)?))
}

fn parsed<T: FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

fn chunk_id(hex: &str) -> Option<ChunkId> {
    hex.parse().ok()
}
