//! Every read of a stream and every write of its pack fails once, in every way that devices fail. The error says where, what
//! was acknowledged stays readable, and the index never knows a chunk that the pack does not have.

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

use core::error::Error;

use chunkmill_core::drive::{IngestError, PackSink, ReadError, Stopped, WriteError};
use chunkmill_core::pack::{PackError, PackErrorKind, Packer};
use chunkmill_core::{Chunk, ChunkParams, ChunkSink, GearTable, IdKey};
use chunkmill_tests::devices::{DeviceError, Fault, Script, Sizes};
use chunkmill_tests::ledger::{Event, expected_events};
use chunkmill_tests::packing::{Packed, Packing, end_of, index_of, mixture, stored_ends, summary_of, whole_records};
use chunkmill_tests::plain_pack::{Entry, LZ4, RAW, REFERENCE};
use chunkmill_tests::setup::Setup;
use chunkmill_tests::{drive, oracle};

/// How many chunks the index knows: all that were stored.
const KNOWN: usize = 64;

/// Faults that change nothing: the caller goes on where the device left off.
const HARMLESS: [Fault; 3] = [Fault::Interrupted, Fault::OneByte, Fault::OneLess];

/// A stream whose pack has records of all kinds, and what comes of it when nothing goes wrong.
struct Case {
    packing: Packing,
    data: Vec<u8>,
    chunks: Vec<Chunk>,
    clean: Packed,
    entries: Vec<Entry>,
}

impl Case {
    fn new(packing: Packing) -> Self {
        let data = mixture();
        let clean = packing.run(&data, &mut *index_of(KNOWN));
        let (parsed, summary) = packing.expected(&clean.bytes, &data);
        assert_eq!(clean.result, Ok(summary));
        let chunks = oracle::chunks(&packing.setup, &data);
        Self { packing, data, chunks, clean, entries: parsed.entries }
    }

    fn all() -> [Self; 2] {
        let packing = Packing::new(Setup::smallest(0));
        let short = Packing {
            ring: 1300,
            reads: Script::new(Sizes::Of(100)),
            writes: Script::new(Sizes::Of(90)),
            ..packing.clone().compressing(10)
        };
        [Self::new(Packing { reads: Script::new(Sizes::Of(300)), ..packing }), Self::new(short)]
    }

    fn with_reads(&self, call: usize, fault: Fault) -> Packing {
        Packing { reads: self.packing.reads.clone().with(call, fault), ..self.packing.clone() }
    }

    fn with_writes(&self, call: usize, fault: Fault) -> Packing {
        Packing { writes: self.packing.writes.clone().with(call, fault), ..self.packing.clone() }
    }

    fn run(&self, packing: &Packing) -> Packed {
        let mut index = index_of(KNOWN);
        let packed = packing.run(&self.data, &mut *index);
        // Whatever happened: the index knows what was stored, and nothing else.
        for chunk in &self.chunks {
            let stored = packed.events.contains(&Event::Stored(chunk.id));
            assert_eq!(index.contains(&chunk.id), stored, "{chunk:?}");
        }
        packed
    }

    fn assert_clean(&self, packed: &Packed) {
        assert_eq!(packed.result, self.clean.result);
        assert!(packed.bytes == self.clean.bytes && packed.events == self.clean.events);
        assert_eq!(packed.flushed_at, [stored_ends(&self.entries), vec![packed.bytes.len()]].concat());
    }

    /// Of a pack that was given up: its whole records can be read, and then it is cut off.
    fn assert_readable(&self, pack: &[u8], whole: usize) {
        let outcome = self.packing.read(pack);
        assert_eq!(outcome.given.len(), whole);
        for (given, chunk) in outcome.given.iter().zip(&self.chunks) {
            assert_eq!(given.chunk, *chunk);
            let expected = &self.data[chunk.offset as usize..][..chunk.len as usize];
            assert!(given.bytes.as_ref().is_none_or(|bytes| bytes == expected));
        }
        if pack.len() == self.clean.bytes.len() {
            assert_eq!(outcome.ended.map(|totals| totals.records), Ok(whole as u64));
        } else {
            let (record, offset) = (whole as u64, pack.len() as u64);
            assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::Truncated, record, offset }));
        }
    }

    /// Events up to a failure: those of a clean run, up to the point where something failed to be stored.
    fn assert_events_of_failure(&self, packed: &Packed, acknowledged: &[Entry]) {
        let (last, before) = packed.events.split_last().unwrap();
        assert_eq!(*last, Event::Failed);
        assert_eq!(before, &self.clean.events[..before.len()]);
        assert!(
            matches!(self.clean.events[before.len()], Event::Stored(_) | Event::Referred(_) | Event::Finished),
            "what failed would have been done next"
        );
        let done = before.iter().filter(|event| matches!(event, Event::Stored(_) | Event::Referred(_))).count();
        assert_eq!(done, acknowledged.len(), "each record was acknowledged once");
    }

    /// The device was flushed behind each stored record that was acknowledged, and the index was told of just these.
    fn assert_flushed(&self, packed: &Packed, acknowledged: &[Entry]) {
        assert_eq!(packed.flushed_at, stored_ends(acknowledged));
        let inserted = packed.events.iter().filter_map(|event| match event {
            Event::Inserted(id) => Some(*id.as_bytes()),
            _ => None,
        });
        let stored = acknowledged.iter().filter(|entry| entry.fields.kind != REFERENCE);
        assert!(inserted.eq(stored.map(|entry| entry.fields.id)), "the index knows what was flushed, and nothing else");
    }

    fn is_flush(&self, call: usize) -> bool {
        self.clean.flush_calls.contains(&call)
    }

    /// A run in which the last call of the writer broke or took nothing.
    fn assert_write_failed(&self, packed: &Packed, error: impl Fn(u64) -> WriteError<DeviceError>) {
        let len = packed.bytes.len();
        let whole = whole_records(&self.entries, len);
        let mut acknowledged = whole;
        if packed.flush_calls.contains(&(packed.writes - 1)) && len < self.clean.bytes.len() {
            // The record is whole in the bytes, but the device has not said that they are safe.
            let (unflushed, before) = whole.split_last().expect("a flush comes after a record");
            assert!(unflushed.fields.kind != REFERENCE && end_of(unflushed) == len);
            acknowledged = before;
        }
        let error = IngestError::Sink(error(len as u64));
        assert_eq!(packed.result, Err(Stopped { summary: summary_of(acknowledged), error }));
        assert!(packed.bytes == self.clean.bytes[..len], "what was written is the pack as far as it goes");
        self.assert_flushed(packed, acknowledged);
        self.assert_events_of_failure(packed, acknowledged);
        self.assert_readable(&packed.bytes, whole.len());
    }
}

#[test]
fn the_stream_has_records_of_all_kinds() {
    for case in Case::all() {
        assert_eq!(case.clean.events, expected_events(&case.chunks, KNOWN));
        for kind in 1..=3 {
            let count = case.entries.iter().filter(|entry| entry.fields.kind == kind).count();
            assert!(count > 1 || (kind == LZ4 && case.packing.block.is_none()), "kind {kind}");
        }
        assert!(case.clean.read.0 > 12 && case.clean.writes > 20);
        case.assert_clean(&case.clean);
        assert_eq!(case.clean.flush_calls.len(), case.clean.flushed_at.len());
        assert_eq!(case.clean.flush_calls.last(), Some(&(case.clean.writes - 1)), "the last call is a flush");
    }
    // A stored record takes two writes and a flush. A payload that wraps in the ring takes one write more.
    let plain = &Case::all()[0];
    let of_records = plain.entries.iter().map(|entry| if entry.fields.kind == RAW { 3 } else { 1 }).sum::<usize>();
    assert!(plain.clean.writes > 3 + of_records + 3, "chunks that wrap are among them");
}

#[test]
fn every_read_fails_for_good_once() {
    for case in Case::all() {
        let gear = case.packing.setup.gear();
        let mut stopped_after = Vec::new();
        for call in 0..case.clean.read.0 {
            for fault in [Fault::Broken, Fault::Overrun] {
                let packed = case.run(&case.with_reads(call, fault));
                let (calls, given) = packed.read;
                assert_eq!(calls, call + 1, "the reader is left alone afterwards");
                let mut ended = Vec::new();
                drive::scan_all(&mut case.packing.setup.cutter(&gear), &case.data[..given], &mut ended);
                let whole = &case.entries[..ended.len()];

                let offset = given as u64;
                let error = IngestError::Read(match fault {
                    Fault::Broken => ReadError::Failed { offset, source: DeviceError::Broken { call } },
                    _ => ReadError::Overrun { offset },
                });
                assert_eq!(packed.result, Err(Stopped { summary: summary_of(whole), error }));
                // Nothing is written before there is a record to write.
                let len = whole.last().map_or(0, end_of);
                assert!(packed.bytes == case.clean.bytes[..len]);
                case.assert_flushed(&packed, whole);
                assert_eq!(packed.events, case.clean.events[..packed.events.len()]);
                case.assert_readable(&packed.bytes, whole.len());
                stopped_after.push(whole.len());
            }
        }
        stopped_after.dedup();
        assert!(stopped_after.len() > 5 && stopped_after[0] == 0, "{stopped_after:?}");
    }
}

#[test]
fn every_read_is_disturbed_once() {
    for case in Case::all() {
        for call in 0..case.clean.read.0 {
            for fault in HARMLESS {
                case.assert_clean(&case.run(&case.with_reads(call, fault)));
            }
        }
    }
}

/// Then the stream was that short, as far as anyone can tell.
#[test]
fn every_read_is_the_end_once() {
    for case in Case::all() {
        for call in 0..case.clean.read.0 {
            let packed = case.run(&case.with_reads(call, Fault::Nothing));
            assert_eq!(packed.read.0, call + 1, "after the end there is no other read");
            let shorter = case.packing.run(&case.data[..packed.read.1], &mut *index_of(KNOWN));
            assert_eq!(packed.result, shorter.result);
            assert!(packed.result.is_ok() && packed.bytes == shorter.bytes && packed.events == shorter.events);
        }
    }
}

#[test]
fn every_write_fails_for_good_once() {
    for case in Case::all() {
        let mut last_len = 0;
        for call in 0..case.clean.writes {
            let packed = case.run(&case.with_writes(call, Fault::Broken));
            let source = DeviceError::Broken { call };
            case.assert_write_failed(&packed, |offset| WriteError::Failed { offset, source });
            assert_eq!(packed.writes, call + 1, "the writer is left alone afterwards");

            let taken = packed.bytes.len() - last_len;
            let follows_write = call > 0 && !case.is_flush(call - 1);
            assert_eq!(follows_write, taken > 0, "each write takes something, and no flush does");
            assert_eq!(packed.flush_calls.contains(&call), case.is_flush(call));
            let is_last = call + 1 == case.clean.writes;
            assert_eq!(is_last, packed.bytes.len() == case.clean.bytes.len(), "a flush is the last call");
            last_len = packed.bytes.len();
        }
    }
}

#[test]
fn every_write_takes_nothing_once() {
    for case in Case::all() {
        for call in 0..case.clean.writes {
            let packed = case.run(&case.with_writes(call, Fault::Nothing));
            if case.is_flush(call) {
                // A flush moves no bytes of its own, so there is nothing to take too few of.
                case.assert_clean(&packed);
                continue;
            }
            case.assert_write_failed(&packed, |offset| WriteError::Full { offset });
            assert_eq!(packed.writes, call + 1);
        }
    }
}

#[test]
fn every_write_is_disturbed_once() {
    for case in Case::all() {
        for call in 0..case.clean.writes {
            for fault in HARMLESS {
                case.assert_clean(&case.run(&case.with_writes(call, fault)));
            }
        }
    }
}

/// The device breaks after every byte of the pack in turn, as at a loss of power.
#[test]
fn writing_breaks_after_every_byte() {
    for case in Case::all() {
        for len in 0..case.clean.bytes.len() {
            let writes = case.packing.writes.clone().breaking_after(len);
            let packed = case.run(&Packing { writes, ..case.packing.clone() });
            assert_eq!(packed.bytes.len(), len);
            let source = DeviceError::Broken { call: packed.writes - 1 };
            case.assert_write_failed(&packed, |offset| WriteError::Failed { offset, source });
        }
    }
}

/// An empty stream has a header, a trailer and a flush: each can fail.
#[test]
fn faults_of_an_empty_stream() {
    let packing = Packing::new(Setup::smallest(0));
    let clean = packing.run(b"", &mut *index_of(KNOWN));
    assert_eq!((clean.bytes.len(), clean.writes, clean.read), (76 + 68, 3, (1, 0)));
    for (call, offset) in [0, 76, 144].into_iter().enumerate() {
        let writes = Script::new(Sizes::All).with(call, Fault::Broken);
        let packed = Packing { writes, ..packing.clone() }.run(b"", &mut *index_of(KNOWN));
        let error = IngestError::Sink(WriteError::Failed { offset, source: DeviceError::Broken { call } });
        assert_eq!(packed.result, Err(Stopped { summary: summary_of(&[]), error }));
        assert_eq!(packed.events, [Event::Failed]);
    }
    let reads = Script::new(Sizes::All).with(0, Fault::Broken);
    let packed = Packing { reads, ..packing }.run(b"", &mut *index_of(KNOWN));
    assert!(packed.result.is_err() && packed.bytes.is_empty() && packed.events.is_empty());
}

/// Whoever gets an error can follow it to the device's own.
#[test]
fn errors_lead_to_their_source() {
    let case = &Case::all()[0];
    for (packing, call) in [(case.with_reads(2, Fault::Broken), 2), (case.with_writes(5, Fault::Broken), 5)] {
        let stopped = case.run(&packing).result.unwrap_err();
        let mut error: &dyn Error = &stopped;
        assert!(error.to_string().contains(&format!("(after {} chunks", stopped.summary.chunks)));
        while let Some(source) = error.source() {
            error = source;
        }
        assert_eq!(error.downcast_ref(), Some(&DeviceError::Broken { call }));
    }
}

/// Claims a byte more than it was given.
struct Boaster;

impl embedded_io::ErrorType for Boaster {
    type Error = core::convert::Infallible;
}

impl embedded_io::Write for Boaster {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        Ok(bytes.len() + 1)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[test]
fn a_writer_that_claims_too_much_is_not_believed() {
    let key = IdKey::from_bytes([7; 32]);
    let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
    let mut sink = PackSink::new(Packer::new(params, GearTable::published(), [9; 16], &key), Boaster);
    assert_eq!(sink.finish(), Err(WriteError::Overrun { offset: 0 }));
    assert_eq!((sink.finish(), sink.offset()), (Err(WriteError::Closed), 0));
}
