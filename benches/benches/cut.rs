//! Cut points only, of bytes in memory, on one thread: ours and the peers.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::as_conversions,
    clippy::expect_used,
    reason = "criterion's macros make a public function; a wrong constant here is best met by a panic"
)]

mod common;

use chunkmill_benches::data::Data;
use chunkmill_benches::params::published;
use chunkmill_benches::subject::cut::{cutter_pushes, cutter_slice, gearhash_scan};
use chunkmill_benches::tally::Tally;
use chunkmill_core::ChunkParams;
use chunkmill_measure::peers::cut::fastcdc_slice;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

use crate::common::short;

/// Long enough for a few chunks of the largest average, short enough for many runs.
const LEN: usize = 32 << 20;

const PUSH_LEN: usize = 64 << 10;

type Cut = fn(ChunkParams, &[u8]) -> Tally;

const SUBJECTS: [(&str, Cut); 4] = [
    ("fastcdc", fastcdc_slice),
    ("ours_slice", cutter_slice),
    ("ours_64k_pushes", |params, bytes| cutter_pushes(params, bytes, PUSH_LEN)),
    ("gearhash_raw_scan", gearhash_scan),
];

fn cut(criterion: &mut Criterion) {
    for data in Data::ALL {
        let bytes = data.bytes(1, LEN);
        let mut group = criterion.benchmark_group(format!("cut/{data}"));
        group.throughput(Throughput::Bytes(LEN as u64)).sampling_mode(SamplingMode::Flat);
        for avg in ["8KiB", "64KiB", "2MiB"] {
            let params = published(avg.parse().expect("a size")).expect("valid parameters");
            for (name, subject) in SUBJECTS {
                let id = BenchmarkId::new(name, avg);
                group.bench_function(id, |bencher| bencher.iter(|| subject(params, &bytes)));
            }
        }
        group.finish();
    }
}

criterion_group! { name = benches; config = short(10, 100, 500); targets = cut }
criterion_main!(benches);
