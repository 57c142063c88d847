use std::io::{self, BufWriter, Read, Write};

use chunkmill_core::drive::{IngestError, PackSink, Stopped, Summary, WriteError, ingest};
use chunkmill_core::pack::{BlockLen, Packer};
use chunkmill_core::{ChunkParams, GearTable, IdKey, RetainingChunker};
use embedded_io_adapters::std::FromStd;

use super::SeenChunks;
use super::parallel::{Bench, ParallelSink};
use crate::Pool;
use crate::pool::Job;

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
    /// Bytes of memory: up to a quarter for the index, three sixteenths for chunks that are being compressed, and as much for
    /// their frames.
    /// The ring takes the largest chunk, and each thread that compresses as much again, whatever is said here.
    pub memory: usize,
}

/// Why a pack could not be written, with what was done before.
pub type PackWriteError = Stopped<IngestError<io::Error, WriteError<io::Error>>>;

/// Bytes gathered for one write.
const WRITE_LEN: usize = 64 << 10;

/// Reads `reader` to its end and writes a pack of it to `writer`: a chunk that occurs again becomes a reference. Helpers of the
/// pool compress; the bytes are the same for every number of threads.
///
/// # Errors
///
/// [`PackWriteError`] if reading or writing fails. The pack then has no trailer, and readers will say so.
///
/// # Panics
///
/// If `reader` or `writer` does.
pub fn pack(
    pool: &Pool<'_, '_>,
    reader: impl Read,
    writer: impl Write,
    setup: &PackSetup<'_>,
) -> Result<Summary, PackWriteError> {
    let PackSetup { params, gear, key, stream_id, memory, .. } = *setup;
    let max = usize::try_from(params.max()).unwrap_or(usize::MAX);
    // Room to read on beside the largest chunk and the byte that may be held back.
    let mut ring = vec![0; max.saturating_add(WRITE_LEN)];
    let mut chunker = RetainingChunker::new(params, gear, key, &mut ring).map_err(|error| {
        // The ring was made for it.
        stopped(WriteError::Failed { offset: 0, source: io::Error::other(error) })
    })?;
    let mut index = SeenChunks::new(memory / 4);
    let mut reader = FromStd::new(reader);
    let writer = BufWriter::with_capacity(WRITE_LEN, writer);

    if !setup.compressed {
        let packer = Packer::new(params, gear, stream_id, key);
        let mut sink = PackSink::new(packer, FromStd::new(writer));
        return ingest(&mut reader, &mut chunker, &mut index, &mut sink);
    }
    let helpers = pool.threads().saturating_sub(1);
    // A chunk in flight has its bytes and its frame. Alone there is no use for more than one.
    let budget = if helpers == 0 { 0 } else { (memory / 16).saturating_mul(3) };
    let bench = Bench::new(params);
    pool.run(Job::Long, helpers, &|| bench.help(), || {
        let _closing = Closing(&bench);
        let packer = Packer::precompressed(params, gear, stream_id, key, BlockLen::MAX);
        let mut sink = ParallelSink::new(&bench, packer, writer, budget).map_err(stopped)?;
        ingest(&mut reader, &mut chunker, &mut index, &mut sink)
    })
}

fn stopped(error: WriteError<io::Error>) -> PackWriteError {
    Stopped { summary: Summary::default(), error: IngestError::Sink(error) }
}

/// However the caller's part ends, the helpers leave.
struct Closing<'b>(&'b Bench);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
