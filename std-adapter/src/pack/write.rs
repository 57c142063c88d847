use core::ops::ControlFlow;
use std::io::{self, Read, Write};

use chunkmill_core::drive::{self, IngestError, Stopped, Summary, WriteError};
use chunkmill_core::pack::{BlockLen, CompressTable, Packer};
use chunkmill_core::{ChunkParams, Cutter, GearTable, IdKey, Retained};

use super::SeenChunks;
use super::cutting::Cutting;
use super::device::Device;
use super::line::{Line, Output, items_alone, items_within};
use super::span::{Cut, Fate, Span, Tools};
use crate::{Gate, Pool, ReadError};

/// What a pack is made with.
#[derive(Clone, Copy, Debug)]
pub struct PackSetup<'s> {
    /// Chunk sizes.
    pub params: ChunkParams,
    /// The gear table.
    pub gear: &'s GearTable,
    /// The id key.
    pub key: &'s IdKey,
    /// 16 random bytes, never used for two packs.
    pub stream_id: [u8; 16],
    /// Whether to compress with LZ4, in blocks of 64 KiB.
    pub compressed: bool,
    /// Bytes of memory: up to an eighth for the index of chunks, 57 to 114 bytes for each, the rest for spans of chunks on their way.
    /// A span takes up to twice the largest chunk and 1 MiB. One there is whatever is said here, and no more than one for
    /// each thread and one. At the default sizes 64 MiB are enough for two threads, and 100 MiB for four.
    pub memory: usize,
    /// From how many bytes on helpers are called, if more are to come.
    pub gate: Gate,
}

/// Why a pack could not be written, with what was done before.
pub type PackWriteError = Stopped<IngestError<io::Error, WriteError<io::Error>>>;

/// The part of the memory that the index may take.
const INDEX_SHARE: usize = 8;

/// Reads `reader` to its end and writes a pack of it to `writer`: a chunk that occurs again becomes a reference. All threads of
/// the pool read, cut, hash, compress and write; the bytes are the same for every number of them.
///
/// # Errors
///
/// [`PackWriteError`] if reading or writing fails. The pack then has no trailer, and readers will say so. All chunks that were
/// whole before a reading error are written.
///
/// # Panics
///
/// If `reader` or `writer` does.
pub fn pack(
    pool: &Pool<'_, '_>,
    reader: impl Read + Send,
    writer: impl Write + Send,
    setup: &PackSetup<'_>,
) -> Result<Summary, PackWriteError> {
    let PackSetup { params, gear, key, stream_id, compressed, memory, gate } = *setup;
    let packer = if compressed {
        Packer::precompressed(params, gear, stream_id, key, BlockLen::MAX)
    } else {
        Packer::new(params, gear, stream_id, key)
    };
    let mut index = SeenChunks::new(memory / INDEX_SHARE);
    let settle = move |span: &mut Span| span.decide(&mut index, compressed);
    let tools = || Tools { key, table: CompressTable::large() };
    let mut cutting = Cutting::new(reader, Cutter::new(params, gear));
    let mut writing = Writing::new(packer, writer);
    if writing.result.is_ok() {
        let max = usize::try_from(params.max()).unwrap_or(usize::MAX);
        let room = memory.saturating_sub(memory / INDEX_SHARE);
        match items_within(room, Span::most_memory(max), pool.threads(), || Span::with_room(max)) {
            Ok(spans) => {
                let line = Line::new(&mut cutting, settle, &mut writing, spans);
                line.run(pool, items_alone(gate, Span::LEN), tools, |tools, span| span.work(tools));
            }
            Err(source) => cutting.error = Some(ReadError { offset: 0, source }),
        }
    }
    let (summary, written) = writing.end(cutting.error.is_none());
    let result = match (written, cutting.error) {
        (Err(error), _) => Err(IngestError::Sink(error)),
        (Ok(()), Some(ReadError { offset, source })) => {
            Err(IngestError::Read(drive::ReadError::Failed { offset, source }))
        }
        (Ok(()), None) => Ok(summary),
    };
    result.map_err(|error| Stopped { summary, error })
}

/// The line's output.
struct Writing<W: Write> {
    packer: Packer<'static>,
    device: Device<W>,
    summary: Summary,
    result: Result<(), Failed>,
}

type Failed = WriteError<io::Error>;

impl<W: Write> Writing<W> {
    /// The header goes out first.
    fn new(packer: Packer<'static>, writer: W) -> Self {
        let mut device = Device::new(writer);
        let result = device.write(&packer.header());
        Self { packer, device, summary: Summary::default(), result }
    }

    fn write_chunk(&mut self, span: &Span, cut: &Cut) -> Result<(), Failed> {
        let Cut { chunk, ref fate, .. } = *cut;
        let pieces = match fate {
            Fate::Framed(range) => self.packer.store_frame(&chunk, span.frame(range.clone())),
            Fate::New => self.packer.store(&Retained { chunk, first: span.raw(cut), second: &[] }),
            Fate::Repeated => {
                self.device.write(&self.packer.refer(&chunk))?;
                self.summary.count(chunk.len, true);
                return Ok(());
            }
        };
        for part in pieces.parts() {
            self.device.write(part)?;
        }
        let stored = u64::try_from(pieces.payload_len()).unwrap_or(0);
        self.summary.stored_bytes = self.summary.stored_bytes.saturating_add(stored);
        self.summary.count(chunk.len, false);
        Ok(())
    }

    /// What was written, and whether it all was. The trailer is, if the stream is whole.
    fn end(self, whole: bool) -> (Summary, Result<(), Failed>) {
        let Self { packer, mut device, summary, result } = self;
        let result = result.and_then(|()| {
            if whole {
                device.write(&packer.trailer())?;
            }
            device.flush()
        });
        (summary, result)
    }
}

impl<W: Write + Send> Output<Span> for Writing<W> {
    fn put(&mut self, span: &mut Span) -> ControlFlow<()> {
        self.result = span.cuts.iter().try_for_each(|cut| self.write_chunk(span, cut));
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
