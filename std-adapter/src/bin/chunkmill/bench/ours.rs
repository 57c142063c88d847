//! What is ours, as the program itself does it.

use core::convert::Infallible;
use core::error::Error;
use core::hint::black_box;
use std::fs::File;
use std::io::Seek;

use chunkmill::core::{ChunkParams, Cutter, GearTable, IdKey};
use chunkmill::pack::{self, PackSetup, ReadSetup};
use chunkmill::{Gate, Pool, Scanner};
use chunkmill_measure::cutting::each_chunk;
use chunkmill_measure::peers::KEY;
use chunkmill_measure::tally::Tally;

/// Memory for buffers: what the program takes if nothing is said.
const MEMORY: usize = 64 << 20;

type Outcome = Result<Tally, Box<dyn Error>>;

/// Cut points of bytes that come in pushes of `push` bytes.
pub(super) fn cut(params: ChunkParams, bytes: &[u8], push: usize) -> Tally {
    let mut tally = Tally::default();
    each_chunk(Cutter::new(params, GearTable::published()), black_box(bytes), push, |len| tally.add_len(len));
    tally
}

/// A scan. Starting its threads is part of the work.
pub(super) fn scan(params: ChunkParams, mut file: &File, threads: usize) -> Outcome {
    file.rewind()?;
    let key = IdKey::from_bytes(KEY);
    let scanner = Scanner::new(params, GearTable::published(), &key);
    let mut tally = Tally::default();
    Pool::scope(threads, |pool| {
        scanner.scan(pool, file, |chunk| {
            tally.add_chunk(chunk.offset, usize::try_from(chunk.len).unwrap_or(usize::MAX), chunk.id.as_bytes());
            Ok::<(), Infallible>(())
        })
    })?;
    Ok(tally)
}

/// A pack. The tally is of chunks and bytes alone.
pub(super) fn pack(params: ChunkParams, mut from: &File, mut to: &File, threads: usize) -> Outcome {
    from.rewind()?;
    to.rewind()?;
    let setup = PackSetup {
        params,
        gear: GearTable::published(),
        key: &IdKey::from_bytes(KEY),
        stream_id: [3; 16],
        compressed: true,
        memory: MEMORY,
        gate: Gate::default(),
    };
    let done = Pool::scope(threads, |pool| pack::pack(pool, from, to, &setup))?;
    Ok(Tally { chunks: done.chunks, bytes: done.bytes, checksum: 0 })
}

/// A check of a pack.
pub(super) fn verify(mut from: &File, threads: usize) -> Outcome {
    from.rewind()?;
    let setup = ReadSetup { key: &IdKey::from_bytes(KEY), memory: MEMORY, waits: false, gate: Gate::default() };
    let whole = Pool::scope(threads, |pool| pack::verify(pool, from, &setup))?;
    Ok(Tally { chunks: whole.summary.chunks, bytes: whole.summary.bytes, checksum: 0 })
}
