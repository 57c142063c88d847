//! A file packed: read, cut, keyed ids, each chunk once, compressed, written.

use core::error::Error;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};

use chunkmill::Pool;
use chunkmill::pack::{PackSetup, pack};
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
        if seen.insert(*id.as_bytes()) {
            out.write_all(&lz4_flex::compress(&chunk.data))?;
        }
    }
    out.flush()?;
    Ok(tally)
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
