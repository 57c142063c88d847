//! A pack takes the chunks of one stream, in order and no longer than its header says. Anything else is refused, and what
//! the pack has so far stays readable.

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

use chunkmill_core::drive::{IngestError, PackSink, ReadError, Stopped, Summary, WriteError, ingest};
use chunkmill_core::pack::{PackError, PackErrorKind, Packer};
use chunkmill_core::{Chunk, ChunkSink, IdKey, NoIndex, Retained, RetainingChunker};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::{DeviceError, Fault, Script, ScriptedReader, ScriptedWriter, Sizes};
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{IngestResult, Packing, index_of, mixture, stored_ends, summary_of};
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

fn stopped(summary: Summary, error: WriteError<DeviceError>) -> IngestResult {
    Err(Stopped { summary, error: IngestError::Sink(error) })
}

/// The pack is cut off behind so many of these chunks, and has each of them as it is in the stream.
fn assert_cut_off(packing: &Packing, pack: &[u8], data: &[u8], chunks: &[Chunk]) {
    let outcome = packing.read(pack);
    assert!(outcome.given.iter().map(|given| given.chunk).eq(chunks.iter().copied()));
    for given in &outcome.given {
        let bytes = &data[given.chunk.offset as usize..][..given.chunk.len as usize];
        assert!(given.bytes.as_ref().is_none_or(|given| given == bytes));
    }
    let (record, offset) = (chunks.len() as u64, pack.len() as u64);
    assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::Truncated, record, offset }));
}

/// The reader fails at each call in turn, and the stream is tried again from its start, into the same sink. If the sink has
/// no chunk yet, nothing is lost and the pack becomes whole. If it has any, the second start does not follow them.
#[test]
fn the_same_stream_again_into_the_same_sink() {
    let data = mixture();
    let packing = Packing { reads: Script::new(Sizes::Of(200)), ..Packing::new(Setup::smallest(0)).compressing(10) };
    let gear = packing.setup.gear();
    let chunks = oracle::chunks(&packing.setup, &data);
    for known in [0, 64] {
        let clean = packing.run(&data, &mut *index_of(known));
        let entries = packing.expected(&clean.bytes, &data).0.entries;
        let (mut with_none, mut with_some) = (0, 0);
        for call in 0..clean.read.0 {
            let mut index = index_of(known);
            let (again, device, before) = packing.with_packer(&gear, |packer| {
                let mut sink = PackSink::new(packer, ScriptedWriter::new(Script::new(Sizes::All)));
                with_chunker(&packing.setup, &gear, packing.ring, |chunker| {
                    let mut run = |script: Script| {
                        let mut reader = ScriptedReader::new(&data, script);
                        ingest(&mut reader, chunker, &mut &mut *index, &mut sink)
                    };
                    let first = run(packing.reads.clone().with(call, Fault::Broken)).unwrap_err();
                    let source = DeviceError::Broken { call };
                    assert!(
                        matches!(first.error, IngestError::Read(ReadError::Failed { source: s, .. }) if s == source)
                    );
                    let before = first.summary.chunks as usize;
                    assert_eq!(first.summary, summary_of(&entries[..before]));

                    let again = run(packing.reads.clone());
                    let third = run(packing.reads.clone());
                    assert_eq!(third, stopped(Summary::default(), WriteError::Closed), "finished or given up");
                    (again, sink.into_device(), before)
                })
            });
            if before == 0 {
                with_none += 1;
                assert_eq!(again, clean.result);
                assert!(device.bytes == clean.bytes && device.flushed_at == clean.flushed_at);
                continue;
            }
            with_some += 1;
            assert_eq!(again, stopped(Summary::default(), WriteError::Misplaced { offset: 0 }));
            assert_eq!(device.flushed_at, stored_ends(&entries[..before]));
            assert!(clean.bytes.starts_with(&device.bytes), "the second attempt wrote nothing");
            assert_cut_off(&packing, &device.bytes, &data, &chunks[..before]);
        }
        assert!(with_none > 0 && with_some > 10, "{with_none} {with_some}");
    }
}

/// A chunker with larger sizes than the packer's is refused at its first chunk that is too long, stored or referred to.
/// Readers go by the header, and could not read the pack.
#[test]
fn a_chunker_with_larger_sizes() {
    let packing = Packing::new(Setup::smallest(1));
    let larger = Setup::new((64, 256, 4096), 1, 0);
    let gear = larger.gear();
    let words = Data::Words { seed: 161 }.bytes(3000);
    let long = [&words[..], &[0; 9000], &words].concat();
    let streams = [
        (long, Some(1025)),
        (vec![0; 1023], None),
        (vec![0; 1024], None),
        (vec![0; 1025], Some(1025)),
        (vec![0; 5000], Some(4096)),
    ];
    for (data, too_long) in streams {
        let chunks = oracle::chunks(&larger, &data);
        let fitting = chunks.iter().take_while(|chunk| chunk.len <= 1024).count();
        let refused = chunks.get(fitting);
        assert_eq!(refused.is_some(), too_long.is_some());
        assert!(refused.map(|chunk| chunk.len) >= too_long);
        for is_known in [false, true] {
            let mut index = index_of(64);
            if is_known {
                refused.into_iter().for_each(|chunk| index.insert(chunk));
            }
            let (result, device) = packing.with_packer(&gear, |packer| {
                let mut sink = PackSink::new(packer, ScriptedWriter::new(Script::new(Sizes::All)));
                let result = with_chunker(&larger, &gear, 4098, |chunker| {
                    ingest(
                        &mut ScriptedReader::new(&data, Script::new(Sizes::All)),
                        chunker,
                        &mut &mut *index,
                        &mut sink,
                    )
                });
                (result, sink.into_device())
            });
            let Some(refused) = refused else {
                assert_eq!(result.map(|summary| summary.chunks), Ok(chunks.len() as u64));
                assert_eq!(packing.read(&device.bytes).ended.map(|totals| totals.bytes), Ok(data.len() as u64));
                continue;
            };
            let error = IngestError::Sink(WriteError::Misplaced { offset: refused.offset });
            let stopped = result.unwrap_err();
            assert_eq!((stopped.summary.chunks, stopped.error), (fitting as u64, error));
            assert_eq!(index.contains(&refused.id), is_known, "what was refused is not known for that");
            assert_cut_off(&packing, &device.bytes, &data, &chunks[..fitting]);
        }
    }
}

/// Chunks out of place, too long or empty, straight to the sink: refused, and the sink is closed.
#[test]
fn chunks_that_do_not_follow() {
    let packing = Packing::new(Setup::smallest(0));
    let bytes = [7; 1025];
    let chunk = |offset, len: u32| Chunk { offset, len, id: oracle::id(&bytes[..len as usize]) };
    for (odd, misplaced) in [
        (chunk(0, 100), true),
        (chunk(99, 100), true),
        (chunk(101, 100), true),
        (chunk(u64::MAX, 100), true),
        (chunk(100, 0), true),
        (chunk(100, 1025), true),
        (chunk(100, 1), false),
        (chunk(100, 1024), false),
    ] {
        for refers in [false, true] {
            packing.with_packer(&packing.setup.gear(), |packer| {
                let mut sink = PackSink::new(packer, ScriptedWriter::new(Script::new(Sizes::All)));
                let first = chunk(0, 100);
                sink.store(&Retained { chunk: first, first: &bytes[..100], second: b"" }).unwrap();
                let retained = Retained { chunk: odd, first: &bytes[..odd.len as usize], second: b"" };
                let done = if refers { sink.refer(&odd) } else { sink.store(&retained).map(drop) };
                let refused = WriteError::Misplaced { offset: odd.offset };
                assert_eq!(done, if misplaced { Err(refused) } else { Ok(()) });
                let finished = sink.finish();
                assert_eq!(finished, if misplaced { Err(WriteError::Closed) } else { Ok(()) });
                let pack = sink.into_device().bytes;
                if misplaced {
                    assert_cut_off(&packing, &pack, &bytes, &[first]);
                } else {
                    assert_eq!(packing.read(&pack).ended.map(|totals| totals.records), Ok(2));
                }
            });
        }
    }
}

/// A payload of another length than its record says would put everything behind it out of place.
#[test]
fn bytes_that_are_not_as_long_as_their_chunk() {
    let packing = Packing::new(Setup::smallest(0));
    let bytes = [7; 400];
    let chunk = |offset, len: u32| Chunk { offset, len, id: oracle::id(&bytes[..len as usize]) };
    for (first, second) in [(0, 0), (199, 0), (100, 99), (201, 0), (100, 101)] {
        packing.with_packer(&packing.setup.gear(), |packer| {
            let mut sink = PackSink::new(packer, ScriptedWriter::new(Script::new(Sizes::All)));
            // The first chunk of a pack is looked at more closely, so the odd one is the second.
            let before = chunk(0, 100);
            sink.store(&Retained { chunk: before, first: &bytes[..60], second: &bytes[60..100] }).unwrap();
            let odd = Retained { chunk: chunk(100, 200), first: &bytes[..first], second: &bytes[..second] };
            assert_eq!(sink.store(&odd), Err(WriteError::Misplaced { offset: 100 }), "{first} and {second}");
            assert_eq!(sink.finish(), Err(WriteError::Closed));
            assert_cut_off(&packing, &sink.into_device().bytes, &bytes, &[before]);
        });
    }
}

/// Ids of another key could never be verified, so the first of them is refused.
#[test]
fn a_chunker_of_another_key() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let data = mixture();
    let (ours, theirs) = (IdKey::from_bytes([1; 32]), IdKey::from_bytes([2; 32]));
    let mut ring = vec![0; 5000];
    let mut chunker = RetainingChunker::new(setup.params, &gear, &ours, &mut ring).unwrap();
    let mut sink =
        PackSink::new(Packer::new(setup.params, &gear, [9; 16], &theirs), ScriptedWriter::new(Script::new(Sizes::All)));
    let result = ingest(&mut &data[..], &mut chunker, &mut NoIndex, &mut sink);
    let misplaced = IngestError::Sink(WriteError::Misplaced { offset: 0 });
    assert_eq!(result, Err(Stopped { summary: Summary::default(), error: misplaced }));
}
