//! Cuts made-up data once: something to count the instructions of, see `tests/cross/instructions.sh`.

#![allow(clippy::expect_used, clippy::panic, reason = "a wrong argument is best met by a panic")]

use std::env;

use chunkmill_benches::data::Data;
use chunkmill_benches::params::published;
use chunkmill_benches::size::Size;
use chunkmill_benches::subject::cut::cutter_with_kernel;
use chunkmill_core::Kernel;
use chunkmill_measure::peers::cut::fastcdc_slice;

const USAGE: &str = "cut_once SUBJECT AVG LEN, where SUBJECT is fastcdc, a kernel, default, or none: the data alone";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [subject, avg, len] = arguments.as_slice() else { panic!("{USAGE}") };
    let params = published(size(avg)).expect("valid parameters");
    let bytes = Data::Random.bytes(1, usize::try_from(size(len).bytes()).expect("it fits in memory"));
    let tally = match subject.as_str() {
        "none" => return,
        "fastcdc" => fastcdc_slice(params, &bytes),
        "default" => cutter_with_kernel(Kernel::DEFAULT, params, &bytes),
        name => {
            let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name).expect(USAGE);
            cutter_with_kernel(kernel, params, &bytes)
        }
    };
    println!("{subject}: {} chunks", tally.chunks);
}

fn size(text: &str) -> Size {
    text.parse().expect("a size")
}
