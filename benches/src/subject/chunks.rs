//! Chunks in memory, hashed one after the other by as many threads as the gate lets: what an agent does that has a chunker of
//! its own and calls `hash_slice`.

use chunkmill::{Gate, Pool, hash_slice};
use chunkmill_core::{ChunkParams, Cutter, GearTable, IdKey};
use chunkmill_measure::cutting::each_chunk;
use chunkmill_measure::peers::KEY;

use crate::tally::Tally;

/// Cuts `bytes` on the caller's thread and hashes each chunk behind the gate.
pub fn hashed_one_by_one(params: ChunkParams, bytes: &[u8], pool: &Pool<'_, '_>, gate: Gate) -> Tally {
    let key = IdKey::from_bytes(KEY);
    let cutter = Cutter::new(params, GearTable::published());
    let mut tally = Tally::default();
    let mut rest = bytes;
    each_chunk(cutter, bytes, bytes.len(), |len| {
        let (chunk, behind) = rest.split_at(len);
        let id = hash_slice(pool, gate, &key, chunk);
        tally.add_chunk((bytes.len() - rest.len()) as u64, len, id.as_bytes());
        rest = behind;
    });
    tally
}
