//! A chunker with larger sizes than the packer's is refused at its first chunk that is too long, stored or referred to.

use chunkmill_core::drive::asynchronous::ingest;
use chunkmill_core::drive::{IngestError, WriteError};
use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::{Script, ScriptedReader, ScriptedWriter, Sizes};
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{Packing, index_of};
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

use crate::devices::{Slow, poll_times};

#[test]
fn a_chunker_with_larger_sizes() {
    let packing = Packing::new(Setup::smallest(1));
    let larger = Setup::new((64, 256, 4096), 1, 0);
    let gear = larger.gear();
    let data = [&Data::Words { seed: 161 }.bytes(3000)[..], &[0; 9000]].concat();
    let chunks = oracle::chunks(&larger, &data);
    let fitting = chunks.iter().take_while(|chunk| chunk.len <= 1024).count();
    let refused = chunks[fitting];
    for is_known in [false, true] {
        let mut index = index_of(64);
        if is_known {
            index.insert(&refused);
        }
        let mut reader = Slow { device: ScriptedReader::new(&data, Script::new(Sizes::All)), waits: 1 };
        let mut writer = Slow { device: ScriptedWriter::new(Script::new(Sizes::All)), waits: 1 };
        let result = packing.with_packer(&gear, |packer| {
            with_chunker(&larger, &gear, 4098, |chunker| {
                let mut index = &mut *index;
                poll_times(ingest(&mut reader, chunker, &mut index, packer, &mut writer), usize::MAX).0.unwrap()
            })
        });
        let stopped = result.unwrap_err();
        let error = IngestError::Sink(WriteError::Misplaced { offset: refused.offset });
        assert_eq!((stopped.summary.chunks, stopped.error), (fitting as u64, error));
        assert_eq!(index.contains(&refused.id), is_known);

        let pack = writer.device.bytes;
        let outcome = packing.read(&pack);
        assert!(outcome.given.iter().map(|given| given.chunk).eq(chunks[..fitting].iter().copied()));
        let (record, offset) = (fitting as u64, pack.len() as u64);
        assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::Truncated, record, offset }));
    }
}
