//! Does one thing to made-up data once: something to count the instructions of, see `tests/cross/instructions.sh`.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::panic,
    reason = "a wrong argument is best met by a panic"
)]

use core::hint::black_box;
use std::env;

use chunkmill_benches::data::Data;
use chunkmill_benches::params::published;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::cut::cutter_with_kernel;
use chunkmill_benches::subject::device::Device;
use chunkmill_core::{IdKey, Kernel};
use chunkmill_measure::peers::KEY;
use chunkmill_measure::peers::cut::fastcdc_slice;

const USAGE: &str = "count_once SUBJECT DATA AVG LEN, where DATA is random or text, and SUBJECT one of:
none (the data alone), fastcdc, a kernel, default (cut); hash (slices of AVG); ingest; verify (ingest, then verify)";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [subject, data, avg, len] = arguments.as_slice() else { panic!("{USAGE}") };
    let params = published(size(avg)).expect("valid parameters");
    let data = Data::ALL.into_iter().find(|kind| kind.to_string() == *data).expect(USAGE);
    let bytes = data.bytes(1, usize::try_from(size(len).bytes()).expect("it fits in memory"));
    let mut device = Device::new(params, bytes.len());
    let chunks = match subject.as_str() {
        "none" => return,
        "fastcdc" => fastcdc_slice(params, &bytes).chunks,
        "default" => cutter_with_kernel(Kernel::DEFAULT, params, &bytes).chunks,
        "hash" => {
            let key = IdKey::from_bytes(KEY);
            let mut slices = 0;
            for slice in bytes.chunks(usize::try_from(size(avg).bytes()).expect("it fits in memory")) {
                black_box(key.id_of(slice));
                slices += 1;
            }
            slices
        }
        "ingest" => device.ingest(&bytes).expect("a pack"),
        "verify" => {
            device.ingest(&bytes).expect("a pack");
            device.verify().expect("a good pack")
        }
        name => {
            let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name).expect(USAGE);
            cutter_with_kernel(kernel, params, &bytes).chunks
        }
    };
    println!("{subject}: {chunks} chunks");
}

fn size(text: &str) -> Size {
    text.parse().expect("a size")
}
