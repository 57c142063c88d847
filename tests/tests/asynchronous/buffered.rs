//! Over devices that buffer, the index knows no chunk before a flush has brought it to the medium.

use chunkmill_core::RecentIndex;
use chunkmill_core::drive::asynchronous::ingest;
use chunkmill_tests::buffered::{BufferedWriter, assert_index_knows_the_medium};
use chunkmill_tests::devices::{Script, ScriptedReader, Sizes};
use chunkmill_tests::packing::{IngestResult, Packing};
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

use crate::devices::{Slow, poll_times};

fn run(packing: &Packing, data: &[u8], index: &mut RecentIndex<64>, device: &mut BufferedWriter) -> IngestResult {
    let gear = packing.setup.gear();
    let mut reader = Slow { device: ScriptedReader::new(data, packing.reads.clone()), waits: 1 };
    let mut writer = Slow { device, waits: 1 };
    packing.with_packer(&gear, |packer| {
        with_chunker(&packing.setup, &gear, packing.ring, |chunker| {
            poll_times(ingest(&mut reader, chunker, index, packer, &mut writer), usize::MAX).0.unwrap()
        })
    })
}

#[test]
fn whichever_flush_fails() {
    let plain = Packing::new(Setup::smallest(0));
    let compressing = Packing { reads: Script::new(Sizes::Of(200)), ..plain.clone().compressing(10) };
    for packing in [plain, compressing] {
        assert_index_knows_the_medium(&packing, run);
    }
}
