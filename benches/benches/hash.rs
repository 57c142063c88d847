//! One slice in memory under a key: ours on two threads behind its gate, and the peers.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::as_conversions,
    clippy::expect_used,
    reason = "criterion's macros make a public function; a bench that cannot run is best met by a panic"
)]

mod common;

use chunkmill::{Gate, Pool, hash_slice};
use chunkmill_benches::data::Data;
use chunkmill_core::IdKey;
use chunkmill_measure::peers::hash::{Rayon, blake2b_256, blake3_keyed, hmac_sha256};
use chunkmill_measure::peers::{IdOf, KEY};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use crate::common::short;

const THREADS: usize = 2;

const PEERS: [(&str, IdOf); 3] = [("blake3", blake3_keyed), ("blake2b_256", blake2b_256), ("hmac_sha256", hmac_sha256)];

fn hash(criterion: &mut Criterion) {
    let key = IdKey::from_bytes(KEY);
    let rayon = Rayon::new(THREADS).expect("threads");
    let mut group = criterion.benchmark_group("hash");
    for kib in [16usize, 128, 2048, 65536] {
        let bytes = Data::Random.bytes(1, kib << 10);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        for (name, peer) in PEERS {
            group.bench_function(BenchmarkId::new(name, kib), |bencher| bencher.iter(|| peer(&bytes)));
        }
        group.bench_function(BenchmarkId::new("update_rayon", kib), |bencher| {
            bencher.iter(|| rayon.run(|| Rayon::blake3_keyed(&bytes)));
        });
        group.bench_function(BenchmarkId::new("ours_2_threads", kib), |bencher| {
            Pool::scope(THREADS, |pool| bencher.iter(|| hash_slice(pool, Gate::default(), &key, &bytes)));
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = short(20, 200, 1000); targets = hash }
criterion_main!(benches);
