//! What a hand-off to other threads costs: the smallest slice that the gate splits, with helpers that spin, that sleep, and that
//! are yet to be started.

#![allow(missing_docs, unreachable_pub, clippy::as_conversions, reason = "criterion's macros make a public function")]

mod common;

use core::time::Duration;
use std::thread;
use std::time::Instant;

use chunkmill::{Gate, Pool, hash_slice};
use chunkmill_benches::data::Data;
use chunkmill_core::IdKey;
use chunkmill_measure::peers::KEY;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use crate::common::short;

/// Long enough for helpers to fall asleep.
const PAUSE: Duration = Duration::from_millis(1);

fn pool(criterion: &mut Criterion) {
    let key = IdKey::from_bytes(KEY);
    let gate = Gate::default();
    let bytes = Data::Random.bytes(1, usize::try_from(gate.threshold()).unwrap_or(0));
    let mut group = criterion.benchmark_group("pool");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("one_thread", |bencher| bencher.iter(|| key.id_of(&bytes)));
    for threads in [2usize, 4] {
        group.bench_function(BenchmarkId::new("helpers_spin", threads), |bencher| {
            Pool::scope(threads, |pool| bencher.iter(|| hash_slice(pool, gate, &key, &bytes)));
        });
        group.bench_function(BenchmarkId::new("helpers_sleep", threads), |bencher| {
            Pool::scope(threads, |pool| {
                bencher.iter_custom(|times| {
                    let timed = || {
                        thread::sleep(PAUSE);
                        let start = Instant::now();
                        hash_slice(pool, gate, &key, &bytes);
                        start.elapsed()
                    };
                    (0..times).map(|_| timed()).sum()
                });
            });
        });
        group.bench_function(BenchmarkId::new("helpers_start", threads), |bencher| {
            bencher.iter(|| Pool::scope(threads, |pool| hash_slice(pool, gate, &key, &bytes)));
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = short(20, 200, 1000); targets = pool }
criterion_main!(benches);
