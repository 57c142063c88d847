//! A file packed, and the pack checked: ours and the loops a developer would write first.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    reason = "criterion's macros make a public function; a bench that cannot run is best met by a panic"
)]

mod common;

use core::error::Error;
use std::env;

use chunkmill::Gate;
use chunkmill_benches::data::{Data, warm_file};
use chunkmill_benches::params::around;
use chunkmill_benches::subject::pack::{ours, ours_verify};
use chunkmill_benches::tally::Tally;
use chunkmill_measure::peers::hash::blake3_keyed;
use chunkmill_measure::peers::pack as naive;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

use crate::common::short;

const LEN: u64 = 32 << 20;

type Work<'a> = &'a dyn Fn() -> Result<Tally, Box<dyn Error>>;

fn pack(criterion: &mut Criterion) {
    let params = around("2MiB".parse().expect("a size")).expect("valid parameters");
    for data in [Data::Text, Data::Random] {
        let from = warm_file(&env::temp_dir(), data, 1, LEN).expect("a temporary file");
        let [naive_pack, our_pack] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
        let subjects: [(&str, Work<'_>); 6] = [
            ("pack/naive", &|| naive::pack(params, &from, &naive_pack, blake3_keyed)),
            ("pack/ours_1_thread", &|| ours(params, &from, &our_pack, 1, Gate::default())),
            ("pack/ours_2_threads", &|| ours(params, &from, &our_pack, 2, Gate::default())),
            ("verify/naive", &|| naive::verify(&naive_pack, blake3_keyed)),
            ("verify/ours_1_thread", &|| ours_verify(&our_pack, 1)),
            ("verify/ours_2_threads", &|| ours_verify(&our_pack, 2)),
        ];
        // A check alone would find no packs.
        for (_, work) in subjects {
            work().expect("files can be read and written");
        }
        let mut group = criterion.benchmark_group(format!("{data}"));
        group.throughput(Throughput::Bytes(LEN)).sampling_mode(SamplingMode::Flat);
        for (name, work) in subjects {
            group.bench_function(name, |bencher| bencher.iter(|| work().expect("files can be read and written")));
        }
        group.finish();
    }
}

criterion_group! { name = benches; config = short(10, 300, 2000); targets = pack }
criterion_main!(benches);
