//! A file packed: read, cut, keyed ids, each chunk once, compressed, written.

use core::error::Error;
use std::fs::File;
use std::io::Seek;

use chunkmill::pack::{PackSetup, ReadSetup, pack, verify};
use chunkmill::{Gate, Pool};
use chunkmill_core::{ChunkParams, GearTable, IdKey};
use chunkmill_measure::peers::KEY;

use crate::tally::Tally;

/// Our check of a pack, on so many threads.
///
/// # Errors
///
/// Reading fails, or the pack is not good.
pub fn ours_verify(mut from: &File, threads: usize) -> Result<Tally, Box<dyn Error>> {
    from.rewind()?;
    let setup = ReadSetup { key: &IdKey::from_bytes(KEY), memory: 64 << 20, waits: false, gate: Gate::default() };
    let whole = Pool::scope(threads, |pool| verify(pool, from, &setup))?;
    Ok(Tally { chunks: whole.summary.chunks, bytes: whole.summary.bytes, checksum: 0 })
}

/// Our pack, on so many threads, which are called when the gate opens. The tally has what both sides have in common: chunks and
/// bytes.
///
/// # Errors
///
/// Reading or writing fails.
pub fn ours(
    params: ChunkParams,
    mut from: &File,
    mut to: &File,
    threads: usize,
    gate: Gate,
) -> Result<Tally, Box<dyn Error>> {
    from.rewind()?;
    to.rewind()?;
    let key = IdKey::from_bytes(KEY);
    let setup = PackSetup {
        params,
        gear: GearTable::published(),
        key: &key,
        stream_id: [3; 16],
        compressed: true,
        memory: 64 << 20,
        gate,
    };
    let done = Pool::scope(threads, |pool| pack(pool, from, to, &setup))?;
    Ok(Tally { chunks: done.chunks, bytes: done.bytes, checksum: 0 })
}
