//! Devices that buffer: bytes are safe once a flush went well, and no index may know a chunk before that.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use chunkmill_core::RecentIndex;
use chunkmill_core::drive::{PackSink, ingest};
use chunkmill_tests::buffered::{BufferedWriter, assert_index_knows_the_medium};
use chunkmill_tests::devices::{Script, ScriptedReader, Sizes};
use chunkmill_tests::packing::{IngestResult, Packing};
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

fn run(packing: &Packing, data: &[u8], index: &mut RecentIndex<64>, device: &mut BufferedWriter) -> IngestResult {
    let gear = packing.setup.gear();
    let mut reader = ScriptedReader::new(data, packing.reads.clone());
    packing.with_packer(&gear, |packer| {
        let mut sink = PackSink::new(packer, device);
        with_chunker(&packing.setup, &gear, packing.ring, |chunker| ingest(&mut reader, chunker, index, &mut sink))
    })
}

#[test]
fn the_index_knows_only_what_reached_the_medium_whichever_flush_fails() {
    let plain = Packing::new(Setup::smallest(0));
    let reads = Script::new(Sizes::Of(200));
    let compressing = Packing { reads, ring: 1300, ..plain.clone().compressing(10) };
    for packing in [plain, compressing] {
        assert_index_knows_the_medium(&packing, run);
    }
}
