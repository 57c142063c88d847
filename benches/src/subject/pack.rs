//! A file packed: read, cut, keyed ids, each chunk once, compressed, written.

use core::error::Error;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use chunkmill::Pool;
use chunkmill::pack::{PackSetup, ReadSetup, pack, verify};
use chunkmill_core::{ChunkParams, GearTable, IdKey};
use fastcdc::v2020::StreamCDC;

use super::peer_params;
use super::scan::KEY;
use crate::tally::Tally;

/// The loop a developer would write first: `fastcdc`'s stream mode, `blake3::keyed_hash`, a set of ids, `lz4_flex::compress` of
/// what is new, and a buffered write.
///
/// # Errors
///
/// Reading or writing fails.
pub fn naive(params: ChunkParams, mut from: &File, mut to: &File) -> Result<Tally, Box<dyn Error>> {
    restart(from, to)?;
    from.rewind()?;
    let (min, avg, max, level) = peer_params(params);
    let mut out = BufWriter::with_capacity(64 << 10, &mut to);
    let mut seen = HashSet::new();
    let mut tally = Tally::default();
    for chunk in StreamCDC::with_level(from, min, avg, max, level) {
        let chunk = chunk?;
        let id = blake3::keyed_hash(&KEY, &chunk.data);
        tally.add_len(chunk.length);
        out.write_all(id.as_bytes())?;
        let new = seen.insert(*id.as_bytes());
        let payload = if new { lz4_flex::compress(&chunk.data) } else { Vec::new() };
        for len in [chunk.length, payload.len()] {
            out.write_all(&u32::try_from(len)?.to_le_bytes())?;
        }
        out.write_all(&payload)?;
    }
    out.flush()?;
    Ok(tally)
}

/// The loop that checks what [`naive`] wrote: reads, decompresses, and hashes again.
///
/// # Errors
///
/// Reading fails, or what is read is not what was written.
pub fn naive_verify(mut from: &File) -> Result<Tally, Box<dyn Error>> {
    from.rewind()?;
    let mut input = BufReader::with_capacity(64 << 10, from);
    let mut tally = Tally::default();
    loop {
        let mut id = [0; 32];
        match input.read_exact(&mut id) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(tally),
            read => read?,
        }
        let mut lens = [[0; 4]; 2];
        for len in &mut lens {
            input.read_exact(len)?;
        }
        let [len, stored] = lens.map(|len| u32::from_le_bytes(len) as usize);
        tally.add_len(len);
        if stored > 0 {
            let mut payload = vec![0; stored];
            input.read_exact(&mut payload)?;
            let chunk = lz4_flex::decompress(&payload, len)?;
            if blake3::keyed_hash(&KEY, &chunk) != id {
                return Err("a chunk has another id".into());
            }
        }
    }
}

/// Our check of a pack, on so many threads.
///
/// # Errors
///
/// Reading fails, or the pack is not good.
pub fn ours_verify(mut from: &File, threads: usize) -> Result<(u64, u64), Box<dyn Error>> {
    from.rewind()?;
    let setup = ReadSetup { key: &IdKey::from_bytes(KEY), memory: 64 << 20, waits: false };
    let whole = Pool::scope(threads, |pool| verify(pool, from, &setup))?;
    Ok((whole.summary.chunks, whole.summary.bytes))
}

/// Our pack, on so many threads. The tally has what both sides have in common: chunks and bytes.
///
/// # Errors
///
/// Reading or writing fails.
pub fn ours(params: ChunkParams, from: &File, to: &File, threads: usize) -> Result<(u64, u64), Box<dyn Error>> {
    restart(from, to)?;
    let key = IdKey::from_bytes(KEY);
    let setup = PackSetup {
        params,
        gear: GearTable::published(),
        key: &key,
        stream_id: [3; 16],
        compressed: true,
        memory: 64 << 20,
    };
    let done = Pool::scope(threads, |pool| pack(pool, from, to, &setup))?;
    Ok((done.chunks, done.bytes))
}

fn restart(mut from: &File, mut to: &File) -> Result<(), Box<dyn Error>> {
    from.rewind()?;
    to.rewind()?;
    // Not cut to nothing: making room in the file system again would be measured.
    Ok(())
}
