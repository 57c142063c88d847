//! Every read of a pack, every write of what is restored, and every request for a chunk that lies elsewhere fails once. The
//! error says where, and what went out by then is the stream as far as it goes: not a byte of a chunk that was not verified.

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

use chunkmill_core::NoSource;
use chunkmill_core::drive::{ReadError, RestoreError, Stopped, Summary, WriteError, restore};
use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_tests::devices::{DeviceError, Fault, Script, ScriptedWriter, Sizes};
use chunkmill_tests::ledger::{Oddity, Shelf, ShelfBroken};
use chunkmill_tests::packing::{Packing, Restored, Restoring, index_of, mixture, summary_of, whole_records};
use chunkmill_tests::plain_pack::{Entry, LZ4, REFERENCE};
use chunkmill_tests::setup::Setup;

/// Faults that change nothing: the caller goes on where the device left off.
const HARMLESS: [Fault; 3] = [Fault::Interrupted, Fault::OneByte, Fault::OneLess];

/// A pack with records of all kinds, and what comes of it when nothing goes wrong.
struct Case {
    setup: Setup,
    restoring: Restoring,
    data: Vec<u8>,
    pack: Vec<u8>,
    entries: Vec<Entry>,
    clean: Restored,
}

impl Case {
    fn new(packing: &Packing, reads: Sizes, writes: Sizes) -> Self {
        let data = mixture();
        let pack = packing.run(&data, &mut *index_of(64)).bytes;
        let entries = packing.expected(&pack, &data).0.entries;
        let restoring = Restoring { reads: Script::new(reads), writes: Script::new(writes), ..packing.restoring() };
        let setup = packing.setup;
        let clean = restoring.run(&pack, &mut Shelf::of(&setup, &data));
        assert!(clean.result.is_ok() && clean.bytes == data);
        for kind in 1..=3 {
            let count = entries.iter().filter(|entry| entry.fields.kind == kind).count();
            assert!(count > 1 || (kind == LZ4 && packing.block.is_none()), "records of kind {kind}");
        }
        Self { setup, restoring, data, pack, entries, clean }
    }

    fn all() -> [Self; 2] {
        let packing = Packing::new(Setup::smallest(0));
        [
            Self::new(&packing.clone().compressing(10), Sizes::All, Sizes::All),
            Self::new(&packing, Sizes::Of(90), Sizes::Of(80)),
        ]
    }

    fn with_reads(&self, call: usize, fault: Fault) -> Restoring {
        Restoring { reads: self.restoring.reads.clone().with(call, fault), ..self.restoring.clone() }
    }

    fn with_writes(&self, call: usize, fault: Fault) -> Restoring {
        Restoring { writes: self.restoring.writes.clone().with(call, fault), ..self.restoring.clone() }
    }

    fn run(&self, restoring: &Restoring) -> Restored {
        restoring.run(&self.pack, &mut Shelf::of(&self.setup, &self.data))
    }

    fn assert_clean(&self, restored: &Restored) {
        assert_eq!(restored.result, self.clean.result);
        assert!(restored.bytes == self.data);
        assert_eq!(restored.flushed_at, [self.data.len()]);
    }

    /// What is counted after the first `whole` records of which `read` bytes were read, with some of the next perhaps.
    fn summary(&self, whole: usize, read: usize) -> Summary {
        Summary { stored_bytes: read as u64, ..summary_of(&self.entries[..whole]) }
    }

    /// How many of the chunks are whole in the first `len` bytes of the stream.
    fn whole_chunks(&self, len: usize) -> usize {
        let ends = (1..=self.entries.len()).map(|count| summary_of(&self.entries[..count]).bytes);
        ends.take_while(|&end| end <= len as u64).count()
    }

    fn references(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(_, entry)| entry.fields.kind == REFERENCE).map(|(index, _)| index).collect()
    }

    fn assert_write_failed(&self, restored: &Restored, error: impl Fn(u64) -> WriteError<DeviceError>) {
        let len = restored.bytes.len();
        assert!(restored.bytes == self.data[..len], "what went out is the stream as far as it goes");
        assert!(restored.flushed_at.is_empty());
        let summary = self.summary(self.whole_chunks(len), restored.read.1);
        let error = RestoreError::Write(error(len as u64));
        assert_eq!(restored.result, Err(Stopped { summary, error }));
    }
}

#[test]
fn every_read_fails_for_good_once() {
    for case in Case::all() {
        for call in 0..case.clean.read.0 {
            for fault in [Fault::Broken, Fault::Overrun, Fault::Nothing] {
                let restoring = case.with_reads(call, fault);
                let restored = case.run(&restoring);
                let (calls, given) = restored.read;
                assert_eq!(calls, call + 1, "the reader is left alone afterwards");
                let whole = whole_records(&case.entries, given).len();
                let summary = case.summary(whole, given);

                let (record, offset) = (whole as u64, given as u64);
                let error = match fault {
                    Fault::Broken => {
                        RestoreError::Read(ReadError::Failed { offset, source: DeviceError::Broken { call } })
                    }
                    Fault::Overrun => RestoreError::Read(ReadError::Overrun { offset }),
                    _ => RestoreError::Pack(PackError { kind: PackErrorKind::Truncated, record, offset }),
                };
                assert_eq!(restored.result, Err(Stopped { summary, error }));
                assert!(restored.bytes == case.data[..summary.bytes as usize], "what was whole went out");
                assert!(restored.flushed_at.is_empty());

                let verified = restoring.verify(&case.pack);
                assert_eq!((verified.result, verified.read), (restored.result, restored.read));
            }
        }
    }
}

#[test]
fn every_read_is_disturbed_once() {
    for case in Case::all() {
        for call in 0..case.clean.read.0 {
            for fault in HARMLESS {
                let restoring = case.with_reads(call, fault);
                case.assert_clean(&case.run(&restoring));
                assert_eq!(restoring.verify(&case.pack).result, case.clean.result);
            }
        }
    }
}

#[test]
fn every_write_fails_for_good_once() {
    for case in Case::all() {
        for call in 0..case.clean.writes {
            let restored = case.run(&case.with_writes(call, Fault::Broken));
            let source = DeviceError::Broken { call };
            case.assert_write_failed(&restored, |offset| WriteError::Failed { offset, source });
            assert_eq!(restored.writes, call + 1, "the writer is left alone afterwards");
            assert_eq!(call + 1 == case.clean.writes, restored.bytes.len() == case.data.len(), "the last is the flush");
        }
    }
}

#[test]
fn every_write_takes_nothing_once() {
    for case in Case::all() {
        for call in 0..case.clean.writes - 1 {
            let restored = case.run(&case.with_writes(call, Fault::Nothing));
            case.assert_write_failed(&restored, |offset| WriteError::Full { offset });
            assert_eq!(restored.writes, call + 1);
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

#[test]
fn writing_breaks_after_every_byte() {
    for case in Case::all() {
        for len in 0..case.data.len() {
            let writes = case.restoring.writes.clone().breaking_after(len);
            let restored = case.run(&Restoring { writes, ..case.restoring.clone() });
            assert_eq!(restored.bytes.len(), len);
            let source = DeviceError::Broken { call: restored.writes - 1 };
            case.assert_write_failed(&restored, |offset| WriteError::Failed { offset, source });
        }
    }
}

/// The source fails, or lacks a chunk, or gives other bytes under its id: at each reference in turn.
#[test]
fn every_request_fails_once() {
    for case in Case::all() {
        let references = case.references();
        assert!(references.len() > 3);
        for (request, &index) in references.iter().enumerate() {
            for oddity in [Oddity::Broken, Oddity::Lacks, Oddity::Wrong] {
                let mut shelf = Shelf::of(&case.setup, &case.data).with(request, oddity);
                let restored = case.restoring.run(&case.pack, &mut shelf);
                let at = case.entries[index].at;
                let summary = case.summary(index, at + 68);
                let (record, offset) = (index as u64, at as u64);
                let error = match oddity {
                    Oddity::Broken => RestoreError::Source(ShelfBroken),
                    _ => RestoreError::Pack(PackError { kind: PackErrorKind::Reference, record, offset }),
                };
                assert_eq!(restored.result, Err(Stopped { summary, error }), "{oddity:?}");
                assert!(restored.bytes == case.data[..summary.bytes as usize], "nothing goes out that is not verified");
                assert!(restored.flushed_at.is_empty());
                assert_eq!(shelf.asked.len(), request + 1);
            }
        }
    }
}

/// A source that has nothing at all stops a pack at its first reference, and verifying needs none.
#[test]
fn without_a_source_the_first_reference_is_the_end() {
    for case in Case::all() {
        let index = case.references()[0];
        let mut empty = Shelf::of(&case.setup, b"");
        let restored = case.restoring.run(&case.pack, &mut empty);
        let (record, offset) = (index as u64, case.entries[index].at as u64);
        let error = RestoreError::Pack(PackError { kind: PackErrorKind::Reference, record, offset });
        assert_eq!(restored.result.map_err(|stopped| stopped.error), Err(error));
        assert_eq!(case.restoring.verify(&case.pack).result, case.clean.result);
    }
}

/// What the memory for chunks still holds is not what the source gave, even if it is the very chunk that is wanted.
#[test]
fn a_chunk_that_happens_to_be_in_memory_is_not_taken_for_the_source_s() {
    let packing = Packing::new(Setup::new((1024, 1024, 1024), 1, 0));
    let pack = packing.run(&[7; 2048], &mut *index_of(1)).bytes;
    let mut out = ScriptedWriter::new(Script::new(Sizes::All));
    let stopped = packing
        .restoring()
        .with_reader(|reader| restore(&mut &pack[..], reader, &mut NoSource, &mut out))
        .expect_err("there is no source");
    let at = 76 + 68 + 1024;
    let error = PackError { kind: PackErrorKind::Reference, record: 1, offset: at };
    let summary = Summary { bytes: 1024, chunks: 1, references: 0, stored_bytes: at + 68 };
    assert_eq!(stopped, Stopped { summary, error: RestoreError::Pack(error) });
    assert_eq!(out.bytes, [7; 1024]);
}

/// Too little memory is found at the header, before any record is read.
#[test]
fn memory_that_is_too_small_is_refused_at_the_header() {
    let case = &Case::all()[0];
    let Restoring { chunk_len, block_len, .. } = case.restoring;
    for (less_chunk, less_block) in [(1, 0), (chunk_len, 0), (0, 1), (0, block_len)] {
        let restoring = Restoring {
            chunk_len: chunk_len - less_chunk,
            block_len: block_len - less_block,
            ..case.restoring.clone()
        };
        let restored = case.run(&restoring);
        let (needed, less) = if less_chunk > 0 { (chunk_len, less_chunk) } else { (block_len, less_block) };
        let kind = PackErrorKind::Buffer { needed, found: needed - less };
        let error = RestoreError::Pack(PackError { kind, record: 0, offset: 0 });
        assert_eq!(restored.result, Err(Stopped { summary: case.summary(0, 76), error }));
        assert_eq!((restored.writes, restored.read.1), (0, 76));
    }
}
