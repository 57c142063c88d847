//! A device that keeps what is written in a buffer until it is flushed, and what must hold when a flush fails: the index
//! knows no chunk that did not reach the medium.

use std::collections::HashMap;

use chunkmill_core::drive::{IngestError, Stopped, WriteError};
use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_core::{ChunkIndex, RecentIndex};
use embedded_io::{ErrorType, Write};

use crate::devices::DeviceError;
use crate::oracle;
use crate::packing::{IngestResult, Packing, end_of, index_of, mixture, stored_ends, summary_of, whole_records};
use crate::plain_pack::{Entry, REFERENCE};

/// How many chunks the index knows: all that are stored.
const KNOWN: usize = 64;

/// What a flush that fails has brought to the medium before it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// All of the buffer: only the good news was lost.
    All,
    /// The first half of the buffer.
    Half,
    /// Nothing: the buffer is gone.
    Nothing,
}

/// Brings what is written to its medium at a flush, and not before. One flush may fail.
///
/// It fails the test if it is called after that: whoever goes on writing leaves a hole in the pack.
#[derive(Clone, Debug)]
pub struct BufferedWriter {
    /// What will be there after a loss of power.
    pub medium: Vec<u8>,
    buffer: Vec<u8>,
    flushes: usize,
    fails: Option<(usize, Delivered)>,
    over: bool,
}

impl BufferedWriter {
    /// A writer whose flushes all go well.
    pub const fn new() -> Self {
        Self { medium: Vec::new(), buffer: Vec::new(), flushes: 0, fails: None, over: false }
    }

    /// The flush of this number, counted from 0, fails.
    #[must_use]
    pub const fn failing(mut self, flush: usize, delivered: Delivered) -> Self {
        self.fails = Some((flush, delivered));
        self
    }

    /// Flushes so far, one that failed among them.
    pub const fn flushes(&self) -> usize {
        self.flushes
    }
}

impl Default for BufferedWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ErrorType for BufferedWriter {
    type Error = DeviceError;
}

impl Write for BufferedWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, DeviceError> {
        assert!(!self.over, "a device is left alone after an error");
        self.buffer.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), DeviceError> {
        assert!(!self.over, "a device is left alone after an error");
        let flush = self.flushes;
        self.flushes += 1;
        let delivered = match self.fails {
            Some((fails, delivered)) if fails == flush => {
                self.over = true;
                delivered
            }
            _ => Delivered::All,
        };
        let len = match delivered {
            Delivered::All => self.buffer.len(),
            Delivered::Half => self.buffer.len() / 2,
            Delivered::Nothing => 0,
        };
        self.medium.extend(&self.buffer[..len]);
        self.buffer.clear();
        if self.over { Err(DeviceError::Broken { call: flush }) } else { Ok(()) }
    }
}

/// Packs [`mixture`] with `ingest`, once for each flush that may fail and each way it may do so, and checks what the index
/// knows of the medium afterwards. Then it packs the stream once more with the same index, and checks that the two packs
/// have all of it.
pub fn assert_index_knows_the_medium(
    packing: &Packing,
    mut ingest: impl FnMut(&Packing, &[u8], &mut RecentIndex<KNOWN>, &mut BufferedWriter) -> IngestResult,
) {
    let data = mixture();
    let clean = packing.run(&data, &mut *index_of(KNOWN));
    let entries = packing.expected(&clean.bytes, &data).0.entries;
    let ends = stored_ends(&entries);
    assert!(ends.len() > 10 && ends.len() < entries.len(), "chunks are stored and referred to");

    for flush in 0..=ends.len() {
        for delivered in [Delivered::Nothing, Delivered::Half, Delivered::All] {
            let mut index = RecentIndex::new();
            let mut device = BufferedWriter::new().failing(flush, delivered);
            let result = ingest(packing, &data, &mut index, &mut device);
            assert_eq!(device.flushes(), flush + 1);

            let written = ends.get(flush).copied().unwrap_or(clean.bytes.len());
            let acknowledged = if flush < ends.len() { before_record_ending(&entries, written) } else { &entries };
            let source = DeviceError::Broken { call: flush };
            let error = IngestError::Sink(WriteError::Failed { offset: written as u64, source });
            assert_eq!(result, Err(Stopped { summary: summary_of(acknowledged), error }), "{flush} {delivered:?}");
            assert_eq!(index.len(), flush, "a chunk for each flush that went well");

            assert_known_is_readable(packing, &data, &entries, &mut index, &device.medium);
            let mut second = BufferedWriter::new();
            assert!(ingest(packing, &data, &mut index, &mut second).is_ok());
            assert!(restored_from(packing, &[&device.medium, &second.medium]) == data, "{flush} {delivered:?}");
        }
    }
}

fn before_record_ending(entries: &[Entry], end: usize) -> &[Entry] {
    let at = entries.iter().position(|entry| end_of(entry) == end).expect("a record ends there");
    &entries[..at]
}

/// What the reader of packs finds on the medium has every chunk that the index knows.
fn assert_known_is_readable(
    packing: &Packing,
    data: &[u8],
    entries: &[Entry],
    index: &mut RecentIndex<KNOWN>,
    medium: &[u8],
) {
    let outcome = packing.read(medium);
    let whole = whole_records(entries, medium.len());
    assert_eq!(outcome.given.len(), whole.len());
    match outcome.ended {
        Ok(totals) => assert_eq!(totals.records, entries.len() as u64),
        Err(error) => {
            let (record, offset) = (whole.len() as u64, medium.len() as u64);
            assert_eq!(error, PackError { kind: PackErrorKind::Truncated, record, offset });
        }
    }
    let mut known = 0;
    for (entry, chunk) in entries.iter().zip(oracle::chunks(&packing.setup, data)) {
        if entry.fields.kind == REFERENCE || !index.contains(&chunk.id) {
            continue;
        }
        known += 1;
        let bytes = &data[chunk.offset as usize..][..chunk.len as usize];
        let is_there = outcome.given.iter().any(|given| given.chunk == chunk && given.bytes.as_deref() == Some(bytes));
        assert!(is_there, "the index knows {chunk:?}, and the medium does not have it");
    }
    assert_eq!(known, index.len(), "what the index knows is of this stream");
}

/// The stream of the last of these packs, whose references are to chunks that came before them.
fn restored_from(packing: &Packing, packs: &[&[u8]]) -> Vec<u8> {
    let mut had = HashMap::new();
    let mut stream = Vec::new();
    for pack in packs {
        stream.clear();
        for given in packing.read(pack).given {
            let id = *given.chunk.id.as_bytes();
            if let Some(bytes) = given.bytes {
                had.insert(id, bytes);
            }
            stream.extend(had.get(&id).expect("a reference is to a chunk on one of the media"));
        }
    }
    stream
}
