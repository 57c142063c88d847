//! A file in the page cache read, cut and given ids: ours and the loop a developer would write first.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    reason = "criterion's macros make a public function; a bench that cannot run is best met by a panic"
)]

mod common;

use core::error::Error;
use std::env;
use std::fs::File;

use chunkmill_benches::data::{Data, warm_file};
use chunkmill_benches::params::around;
use chunkmill_benches::subject::scan::scanner;
use chunkmill_benches::tally::Tally;
use chunkmill_core::ChunkParams;
use chunkmill_measure::peers::hash::blake3_keyed;
use chunkmill_measure::peers::scan::scan;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

use crate::common::short;

const LEN: u64 = 64 << 20;

type Scan = fn(ChunkParams, &File) -> Result<Tally, Box<dyn Error>>;

const SUBJECTS: [(&str, Scan); 3] = [
    ("naive", |params, file| scan(params, file, blake3_keyed)),
    ("ours_1_thread", |params, file| scanner(params, file, 1)),
    ("ours_2_threads", |params, file| scanner(params, file, 2)),
];

fn pipeline(criterion: &mut Criterion) {
    let file = warm_file(&env::temp_dir(), Data::Random, 1, LEN).expect("a temporary file");
    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::Bytes(LEN)).sampling_mode(SamplingMode::Flat);
    for avg in ["64KiB", "2MiB"] {
        let params = around(avg.parse().expect("a size")).expect("valid parameters");
        for (name, subject) in SUBJECTS {
            let id = BenchmarkId::new(name, avg);
            group.bench_function(id, |bencher| {
                bencher.iter(|| subject(params, &file).expect("the file can be read"));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = short(10, 300, 2000); targets = pipeline }
criterion_main!(benches);
