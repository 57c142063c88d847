//! Ingesting into a sink of the caller's own, with a chunker that has been used before.

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

use chunkmill_core::drive::{IngestError, Stopped, Summary, ingest};
use chunkmill_core::{Chunk, ChunkSink, NoIndex, RecentIndex, Retained, RetainingChunker};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::{Fault, Script, ScriptedReader, Sizes};
use chunkmill_tests::ledger::{Event, Ledger, expected_events};
use chunkmill_tests::oracle;
use chunkmill_tests::packing::mixture;
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

/// Keeps what it takes, and fails at the call of this number.
#[derive(Debug, Default)]
struct Drawer {
    taken: Vec<(Chunk, Vec<u8>)>,
    referred: Vec<Chunk>,
    finished: bool,
    calls: usize,
    fails_at: Option<usize>,
    /// What it says that a chunk takes.
    says: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jammed {
    call: usize,
}

impl Drawer {
    fn call(&mut self) -> Result<(), Jammed> {
        let call = self.calls;
        self.calls += 1;
        assert!(call < 10_000, "a driver that gives so many chunks goes round in circles");
        if self.fails_at == Some(call) { Err(Jammed { call }) } else { Ok(()) }
    }
}

impl ChunkSink for Drawer {
    type Error = Jammed;

    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, Jammed> {
        self.call()?;
        self.taken.push((retained.chunk, [retained.first, retained.second].concat()));
        Ok(self.says)
    }

    fn refer(&mut self, chunk: &Chunk) -> Result<(), Jammed> {
        self.call()?;
        self.referred.push(*chunk);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Jammed> {
        self.call()?;
        self.finished = true;
        Ok(())
    }
}

fn reader(data: &[u8]) -> ScriptedReader<'_> {
    ScriptedReader::new(data, Script::new(Sizes::Of(333)))
}

fn run_into(drawer: &mut Drawer, chunker: &mut RetainingChunker<'_, '_>, data: &[u8]) -> Result<Summary, Jammed> {
    let done = ingest(&mut reader(data), chunker, &mut NoIndex, drawer);
    done.map_err(|Stopped { error, .. }| match error {
        IngestError::Sink(jammed) => jammed,
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_sink_gets_every_chunk_with_its_place_and_bytes() {
    let setup = Setup::smallest(0);
    let data = mixture();
    let mut drawer = Drawer { says: 3, ..Drawer::default() };
    let done = with_chunker(&setup, &setup.gear(), 1100, |chunker| run_into(&mut drawer, chunker, &data));
    let expected = oracle::chunks(&setup, &data);
    assert!(drawer.taken.iter().map(|(chunk, _)| *chunk).eq(expected.iter().copied()));
    assert!(drawer.taken.iter().flat_map(|(_, bytes)| bytes).eq(&data));
    assert!(drawer.finished && drawer.referred.is_empty());
    let chunks = expected.len() as u64;
    // What a chunk takes is the sink's own word.
    let summary = Summary { bytes: data.len() as u64, chunks, references: 0, stored_bytes: 3 * chunks };
    assert_eq!(done, Ok(summary));
}

#[test]
fn references_go_to_the_sink_with_their_place_and_length() {
    let setup = Setup::smallest(0);
    let data = mixture();
    let mut drawer = Drawer::default();
    let mut index = RecentIndex::<64>::new();
    let done = with_chunker(&setup, &setup.gear(), 1026, |chunker| {
        ingest(&mut reader(&data), chunker, &mut index, &mut drawer).unwrap()
    });
    let mut all: Vec<Chunk> = drawer.taken.iter().map(|(chunk, _)| *chunk).chain(drawer.referred.clone()).collect();
    all.sort_by_key(|chunk| chunk.offset);
    assert_eq!(all, oracle::chunks(&setup, &data));
    assert!(done.references == drawer.referred.len() as u64 && done.references > 3);
}

#[test]
fn sizes_that_add_up_to_more_than_there_can_be_do_not_overflow() {
    let setup = Setup::smallest(0);
    let mut drawer = Drawer { says: u64::MAX - 1, ..Drawer::default() };
    let done = with_chunker(&setup, &setup.gear(), 1026, |chunker| run_into(&mut drawer, chunker, &mixture()));
    assert_eq!(done.map(|summary| summary.stored_bytes), Ok(u64::MAX));
}

/// The sink fails at each call in turn. The summary counts the calls before, and the index was told of no chunk that the
/// sink refused.
#[test]
fn a_sink_fails_at_every_call() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let data = mixture();
    let chunks = oracle::chunks(&setup, &data);
    let clean = expected_events(&chunks, 64);
    for call in 0..=chunks.len() {
        let ledger = Ledger::default();
        let mut index = RecentIndex::<64>::new();
        let mut drawer = Drawer { fails_at: Some(call), says: 7, ..Drawer::default() };
        let done = with_chunker(&setup, &gear, 1200, |chunker| {
            ingest(&mut reader(&data), chunker, &mut ledger.index(&mut index), &mut ledger.sink(&mut drawer))
        });
        let bytes = chunks[..call].iter().map(|chunk| u64::from(chunk.len)).sum();
        let (stored, references) = (drawer.taken.len() as u64, drawer.referred.len() as u64);
        assert_eq!(stored + references, call as u64);
        let summary = Summary { bytes, chunks: call as u64, references, stored_bytes: 7 * stored };
        assert_eq!(done, Err(Stopped { summary, error: IngestError::Sink(Jammed { call }) }));
        assert!(drawer.calls == call + 1 && !drawer.finished, "a sink that failed is left alone");

        let events = ledger.events();
        assert_eq!(events.last(), Some(&Event::Failed));
        assert_eq!(events[..events.len() - 1], clean[..events.len() - 1]);
        assert_eq!(index.len() as u64, stored);
    }
}

/// Whatever became of the stream before: the chunker begins anew.
#[test]
fn a_chunker_goes_from_stream_to_stream() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let data = mixture();
    let other = Data::Random { seed: 141 }.bytes(3000);
    let expected = oracle::chunks(&setup, &other);
    with_chunker(&setup, &gear, 1300, |chunker| {
        let reads = data.len() / 333;
        for failing in 0..reads + oracle::chunks(&setup, &data).len() {
            if failing < reads {
                let script = Script::new(Sizes::Of(333)).with(failing, Fault::Broken);
                let mut broken = ScriptedReader::new(&data, script);
                assert!(ingest(&mut broken, chunker, &mut NoIndex, &mut Drawer::default()).is_err());
            } else {
                let mut drawer = Drawer { fails_at: Some(failing - reads), ..Drawer::default() };
                assert!(run_into(&mut drawer, chunker, &data).is_err());
            }
            let mut drawer = Drawer::default();
            run_into(&mut drawer, chunker, &other).unwrap();
            assert!(drawer.taken.iter().map(|(chunk, _)| *chunk).eq(expected.iter().copied()));
        }
    });
}
