use std::io::{self, BufWriter, Read, Write};

use chunkmill_core::drive::{IngestError, PackSink, Stopped, Summary, WriteError, ingest};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer};
use chunkmill_core::{ChunkParams, GearTable, IdKey, RetainingChunker};
use embedded_io_adapters::std::FromStd;

use super::SeenChunks;

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
    /// Bytes that ring, compressor and index may take. Ring and compressor take about twice the largest chunk, and do so
    /// whatever is said here; the index takes the rest.
    pub memory: usize,
}

/// Why a pack could not be written, with what was done before.
pub type PackWriteError = Stopped<IngestError<io::Error, WriteError<io::Error>>>;

/// Bytes gathered for one write.
const WRITE_LEN: usize = 64 << 10;

/// Reads `reader` to its end and writes a pack of it to `writer`: a chunk that occurs again becomes a reference. On one thread.
///
/// # Errors
///
/// [`PackWriteError`] if reading or writing fails. The pack then has no trailer, and readers will say so.
pub fn pack(reader: impl Read, writer: impl Write, setup: &PackSetup<'_>) -> Result<Summary, PackWriteError> {
    let PackSetup { params, gear, key, stream_id, .. } = *setup;
    let max = usize::try_from(params.max()).unwrap_or(usize::MAX);
    // Room to read on beside the largest chunk and the byte that may be held back.
    let mut ring = vec![0; max.saturating_add(WRITE_LEN)];
    let (mut table, mut scratch);
    let packer = if setup.compressed {
        table = CompressTable::large();
        scratch = vec![0; Compressor::scratch_for(BlockLen::MAX, &params)];
        match Compressor::new(BlockLen::MAX, &mut table, &mut scratch) {
            Ok(compressor) => Packer::compressing(params, gear, stream_id, key, compressor),
            Err(_) => Packer::new(params, gear, stream_id, key),
        }
    } else {
        Packer::new(params, gear, stream_id, key)
    };
    let mut index = SeenChunks::new(setup.memory.saturating_sub(max.saturating_mul(2)));
    let mut sink = PackSink::new(packer, FromStd::new(BufWriter::with_capacity(WRITE_LEN, writer)));
    let mut reader = FromStd::new(reader);
    match RetainingChunker::new(params, gear, key, &mut ring) {
        Ok(mut chunker) => ingest(&mut reader, &mut chunker, &mut index, &mut sink),
        // The ring was made for it.
        Err(error) => {
            let source = io::Error::other(error);
            let error = IngestError::Sink(WriteError::Failed { offset: 0, source });
            Err(Stopped { summary: Summary::default(), error })
        }
    }
}
