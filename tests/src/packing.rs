//! Streams through the drivers into packs and back, over devices that follow scripts. What must hold of every run, whatever
//! goes wrong in it, is checked here.

use chunkmill_core::drive::{self, IngestError, PackSink, RestoreError, Stopped, Summary, WriteError};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer, Reader};
use chunkmill_core::{Chunk, ChunkIndex, ChunkSink, GearTable, NoIndex, RecentIndex, Retained};

use crate::data::Data;
use crate::devices::{DeviceError, Script, ScriptedReader, ScriptedWriter, Sizes};
use crate::ledger::{Event, Ledger, Shelf, ShelfBroken};
use crate::oracle;
use crate::pack_reading::{Outcome, Reading};
use crate::plain_pack::{self, Entry, RECORD, REFERENCE};
use crate::retained::with_chunker;
use crate::setup::{KEY, Setup, id_key};

/// Stream id of every pack made here.
pub const STREAM_ID: [u8; 16] = *b"not random today";

/// Everything that goes into the making of a pack, but for the stream and the index.
#[derive(Clone, Debug)]
pub struct Packing {
    /// Where the stream is cut.
    pub setup: Setup,
    /// Block length of compression, if there is any.
    pub block: Option<BlockLen>,
    /// Bytes of the compressor's scratch memory.
    pub scratch: usize,
    /// Bytes of the ring.
    pub ring: usize,
    /// How the stream is read.
    pub reads: Script,
    /// How the pack is written.
    pub writes: Script,
}

/// A pack, whole or not, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// What the driver said.
    pub result: IngestResult,
    /// What the device took of the pack.
    pub bytes: Vec<u8>,
    /// The lengths of `bytes` at each flush.
    pub flushed_at: Vec<usize>,
    /// The numbers of the writer's calls that were flushes, whether they went well or not.
    pub flush_calls: Vec<usize>,
    /// What was asked of index and sink.
    pub events: Vec<Event>,
    /// Calls of the reader, and bytes it gave.
    pub read: (usize, usize),
    /// Calls of the writer.
    pub writes: usize,
}

/// Everything that goes into restoring a pack, but for the pack and the source.
#[derive(Clone, Debug)]
pub struct Restoring {
    /// Bytes of the memory for a chunk.
    pub chunk_len: usize,
    /// Bytes of the memory for a block.
    pub block_len: usize,
    /// How the pack is read.
    pub reads: Script,
    /// How the stream is written.
    pub writes: Script,
}

/// A stream that was restored, as far as it was, and how that came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// What the driver said.
    pub result: RestoreResult,
    /// What went out.
    pub bytes: Vec<u8>,
    /// The lengths of `bytes` at each flush.
    pub flushed_at: Vec<usize>,
    /// Calls of the reader, and bytes it gave.
    pub read: (usize, usize),
    /// Calls of the writer.
    pub writes: usize,
}

/// What the ingesting driver says.
pub type IngestResult = Result<Summary, Stopped<IngestError<DeviceError, WriteError<DeviceError>>>>;

/// What the restoring driver says.
pub type RestoreResult = Result<Summary, Stopped<RestoreError<DeviceError, ShelfBroken, DeviceError>>>;

/// An index that knows the last `known` chunks that were stored.
pub fn index_of(known: usize) -> Box<dyn ChunkIndex> {
    match known {
        0 => Box::new(NoIndex),
        1 => Box::new(RecentIndex::<1>::new()),
        2 => Box::new(RecentIndex::<2>::new()),
        3 => Box::new(RecentIndex::<3>::new()),
        5 => Box::new(RecentIndex::<5>::new()),
        64 => Box::new(RecentIndex::<64>::new()),
        _ => panic!("no test has an index of {known}"),
    }
}

/// A stream of a few KiB whose pack under the smallest sizes has records of all kinds, if its index knows 64 chunks and it
/// compresses.
pub fn mixture() -> Vec<u8> {
    let words = Data::Words { seed: 101 }.bytes(1500);
    let periodic = Data::Periodic { period: 48, seed: 102 }.bytes(1500);
    [&words[..], &Data::Random { seed: 103 }.bytes(700), &[0; 2500], &words, &periodic].concat()
}

impl Packing {
    /// No compression, the smallest ring, and devices that do all at once.
    pub const fn new(setup: Setup) -> Self {
        let ring = setup.params.max() as usize + 2;
        Self { setup, block: None, scratch: 0, ring, reads: Script::new(Sizes::All), writes: Script::new(Sizes::All) }
    }

    /// The same with blocks of 2^`log2` bytes, and memory enough for them.
    #[must_use]
    pub fn compressing(mut self, log2: u8) -> Self {
        let block = BlockLen::from_log2(log2).expect("a block length");
        self.scratch = Compressor::scratch_for(block, &self.setup.params);
        self.block = Some(block);
        self
    }

    /// Restores what this packs.
    pub const fn restoring(&self) -> Restoring {
        Restoring {
            chunk_len: self.setup.params.max() as usize,
            block_len: match self.block {
                Some(block) => block.bytes(),
                None => 0,
            },
            reads: Script::new(Sizes::All),
            writes: Script::new(Sizes::All),
        }
    }

    /// Packs `data`.
    pub fn run(&self, data: &[u8], mut index: &mut dyn ChunkIndex) -> Packed {
        let ledger = Ledger::default();
        let gear = self.setup.gear();
        let mut reader = ScriptedReader::new(data, self.reads.clone());
        let (result, device) = self.with_packer(&gear, |packer| {
            let mut sink = PackSink::new(packer, ScriptedWriter::new(self.writes.clone()));
            let result = with_chunker(&self.setup, &gear, self.ring, |chunker| {
                drive::ingest(&mut reader, chunker, &mut ledger.index(&mut index), &mut ledger.sink(&mut sink))
            });
            let stopped_reading = matches!(&result, Err(stopped) if matches!(stopped.error, IngestError::Read(_)));
            if !stopped_reading {
                assert_closed(&mut sink);
            }
            let offset = sink.offset();
            let device = sink.into_device();
            assert_eq!(offset, device.bytes.len() as u64, "the sink counts what the device took");
            (result, device)
        });
        Packed {
            result,
            writes: device.calls(),
            bytes: device.bytes,
            flushed_at: device.flushed_at,
            flush_calls: device.flush_calls,
            events: ledger.events(),
            read: (reader.calls(), reader.given()),
        }
    }

    /// Lends a fresh packer.
    pub fn with_packer<T>(&self, gear: &GearTable, use_it: impl FnOnce(Packer<'_>) -> T) -> T {
        let params = self.setup.params;
        let Some(block) = self.block else { return use_it(Packer::new(params, gear, STREAM_ID, &id_key())) };
        let mut table = CompressTable::large();
        let mut scratch = vec![0xa5; self.scratch];
        let compressor = Compressor::new(block, &mut table, &mut scratch).expect("memory enough");
        use_it(Packer::compressing(params, gear, STREAM_ID, &id_key(), compressor))
    }

    /// Reads a pack, whole or not, as far as it goes, and leaves references out.
    pub fn read(&self, pack: &[u8]) -> Outcome {
        let Restoring { chunk_len, block_len, .. } = self.restoring();
        Reading { chunk_len, block_len, ..Reading::new(KEY) }.read(pack)
    }

    /// What the driver must say of this pack: its parts are counted as the format's description has them, and its chunks
    /// are those of the oracle.
    pub fn expected(&self, pack: &[u8], data: &[u8]) -> (plain_pack::Pack, Summary) {
        let parsed = plain_pack::parse(pack, &KEY).expect("the pack is as described");
        let found = parsed.entries.iter().map(|entry| (entry.fields.id, entry.fields.raw_len));
        let chunks = oracle::chunks(&self.setup, data);
        assert!(found.eq(chunks.iter().map(|chunk| (*chunk.id.as_bytes(), chunk.len))), "the chunks of the oracle");
        let summary = summary_of(&parsed.entries);
        (parsed, summary)
    }
}

/// What is counted of these records.
pub fn summary_of(entries: &[Entry]) -> Summary {
    let mut summary = Summary::default();
    for Entry { fields, payload, .. } in entries {
        summary.bytes += u64::from(fields.raw_len);
        summary.chunks += 1;
        summary.references += u64::from(fields.kind == REFERENCE);
        summary.stored_bytes += payload.len() as u64;
    }
    summary
}

/// Those records that are whole in the first `len` bytes of their pack.
pub fn whole_records(entries: &[Entry], len: usize) -> &[Entry] {
    let whole = entries.iter().take_while(|entry| end_of(entry) <= len).count();
    &entries[..whole]
}

/// Offset behind a record and its payload.
pub const fn end_of(entry: &Entry) -> usize {
    entry.at + RECORD + entry.payload.len()
}

/// Offsets behind the records that are stored and not referred to: the device must be flushed at each of these, so that the
/// index is never told of a chunk that a device only has in its buffer.
pub fn stored_ends(entries: &[Entry]) -> Vec<usize> {
    entries.iter().filter(|entry| entry.fields.kind != REFERENCE).map(end_of).collect()
}

/// A sink that has finished or failed takes nothing more, whatever is asked. Its device fails the test if it is called.
fn assert_closed(sink: &mut PackSink<'_, ScriptedWriter>) {
    let offset = sink.offset();
    let chunk = Chunk { offset: 0, len: 5, id: oracle::id(b"later") };
    for _ in 0..2 {
        assert_eq!(sink.store(&Retained { chunk, first: b"late", second: b"r" }), Err(WriteError::Closed));
        assert_eq!(sink.refer(&chunk), Err(WriteError::Closed));
        assert_eq!(sink.finish(), Err(WriteError::Closed));
    }
    assert_eq!(sink.offset(), offset);
}

impl Restoring {
    /// Restores `pack`.
    pub fn run(&self, pack: &[u8], source: &mut Shelf) -> Restored {
        let mut out = ScriptedWriter::new(self.writes.clone());
        let mut reader = ScriptedReader::new(pack, self.reads.clone());
        let result = self.with_reader(|unpacker| drive::restore(&mut reader, unpacker, source, &mut out));
        Restored {
            result,
            writes: out.calls(),
            bytes: out.bytes,
            flushed_at: out.flushed_at,
            read: (reader.calls(), reader.given()),
        }
    }

    /// Verifies `pack`. What goes out is nothing.
    pub fn verify(&self, pack: &[u8]) -> Restored {
        let mut reader = ScriptedReader::new(pack, self.reads.clone());
        let verified = self.with_reader(|unpacker| drive::verify(&mut reader, unpacker));
        let result = verified.map_err(|Stopped { summary, error }| Stopped { summary, error: widened(error) });
        let read = (reader.calls(), reader.given());
        Restored { result, bytes: Vec::new(), flushed_at: Vec::new(), read, writes: 0 }
    }

    /// Lends a fresh reader of packs.
    pub fn with_reader<T>(&self, use_it: impl FnOnce(Reader<'_>) -> T) -> T {
        let (mut chunk, mut block) = (vec![0xa5; self.chunk_len], vec![0xa5; self.block_len]);
        use_it(Reader::new(&id_key(), &mut chunk, &mut block))
    }
}

/// The error of a driver that has neither source nor output, as if it had.
pub fn widened<R, S, W>(
    error: RestoreError<R, core::convert::Infallible, core::convert::Infallible>,
) -> RestoreError<R, S, W> {
    match error {
        RestoreError::Pack(error) => RestoreError::Pack(error),
        RestoreError::Read(error) => RestoreError::Read(error),
        other => panic!("{}", if matches!(other, RestoreError::Source(_)) { "no source" } else { "no output" }),
    }
}
