//! Slices in memory under a key: as the program hashes them, and as others do.

use core::hint::black_box;

use chunkmill::core::{ChunkId, IdKey};
use chunkmill::{Pool, Split, hash_slice};
use chunkmill_measure::harness::Subject;
use chunkmill_measure::peers::hash::{Rayon, blake2b_256, blake3_keyed, hmac_sha256};
use chunkmill_measure::peers::{IdOf, KEY};
use chunkmill_measure::repeat::repeated;

use super::Setup;
use super::report::{Report, Row};
use crate::failure::Failure;

/// A pack, a chunk, one at the gate, and one below it.
const LENS: [usize; 4] = [64 << 20, 2 << 20, 128 << 10, 16 << 10];

pub(super) fn rows(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let rayon = Rayon::new(setup.threads).map_err(|error| Failure::Io(format!("cannot start threads: {error}")))?;
    let key = IdKey::from_bytes(KEY);
    Pool::scope(setup.threads, |pool| {
        LENS.into_iter().try_for_each(|len| length(setup, report, pool, &rayon, &key, len))
    })
}

fn length(
    setup: &Setup,
    report: &mut Report,
    pool: &Pool<'_, '_>,
    rayon: &Rayon,
    key: &IdKey,
    len: usize,
) -> Result<(), Failure> {
    // A part that is no multiple of a pack is one itself.
    let len = if setup.part.is_multiple_of(len) { len } else { setup.part };
    let bytes = setup.random.get(..len).unwrap_or(&setup.random);
    let times = setup.times(len);
    let row = |what: &str, threads| Row {
        section: "hashing",
        what: what.to_owned(),
        parameters: "random".to_owned(),
        buffer_bytes: len,
        threads,
        part: setup.part,
    };
    let one = |what: &'static str, hash: IdOf| {
        (row(what, 1), repeated(what, times, move || ChunkId::from_bytes(hash(black_box(bytes)))))
    };
    let ours = "chunkmill, behind its gate";
    let threads = match setup.gate.split(len, setup.threads) {
        Split::Whole => 1,
        Split::Pieces { helpers, .. } => helpers.saturating_add(1),
    };
    let crowd = "BLAKE3 update_rayon";
    // Its pool is entered once a round, which is the best that can be done for it.
    let in_crowd = move || {
        let id = rayon.run(|| (0..times).fold([0; 32], |_, _| black_box(Rayon::blake3_keyed(black_box(bytes)))));
        Ok(ChunkId::from_bytes(id))
    };
    let (blake2, blake2_subject) = one("BLAKE2b-256 keyed", blake2b_256);
    let (hmac, hmac_subject) = one("HMAC-SHA-256", hmac_sha256);
    let rows = vec![
        one("BLAKE3 keyed", blake3_keyed),
        (row(ours, threads), repeated(ours, times, move || hash_slice(pool, setup.gate, key, black_box(bytes)))),
        (row(crowd, setup.threads), Subject::new(crowd, in_crowd)),
        (blake2, blake2_subject.with_own_result()),
        (hmac, hmac_subject.with_own_result()),
    ];
    setup.measure(report, rows)
}
