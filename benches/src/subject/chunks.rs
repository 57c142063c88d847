//! Chunks in memory, hashed one after the other by as many threads as the gate lets: what an agent does that has a chunker of
//! its own and calls `hash_slice`.

use chunkmill::{Gate, Pool, hash_slice};
use chunkmill_core::{ChunkParams, Cutter, GearTable, IdKey};
use chunkmill_measure::peers::KEY;

use crate::tally::Tally;

/// Cuts `bytes` on the caller's thread and hashes each chunk behind the gate.
pub fn hashed_one_by_one(params: ChunkParams, bytes: &[u8], pool: &Pool<'_, '_>, gate: Gate) -> Tally {
    let key = IdKey::from_bytes(KEY);
    let mut cutter = Cutter::new(params, GearTable::published());
    let mut tally = Tally::default();
    let mut hash = |at: usize, len: usize| {
        let id = hash_slice(pool, gate, &key, &bytes[at..at + len]);
        tally.add_chunk(at as u64, len, id.as_bytes());
    };
    let (mut start, mut rest) = (0, bytes);
    loop {
        let scanned = cutter.scan(rest);
        rest = &rest[scanned.taken..];
        let Some(len) = scanned.cut else { break };
        hash(start, len as usize);
        start += len as usize;
    }
    if let Some(len) = cutter.finish() {
        hash(start, len as usize);
    }
    tally
}
