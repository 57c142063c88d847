//! A stream into a pack.

use core::error::Error;
use core::fmt;

use chunkmill_core::drive::{IngestError, PackSink, Stopped, Summary, WriteError, ingest};
use chunkmill_core::pack::{CompressTable, Compressor, CompressorError, Packer};
use chunkmill_core::{Chunk, ChunkSink, GearTable, IdKey, RecentIndex, Retained, RetainingChunker};
use embedded_io::{Read, Write};

use crate::memory::{BLOCK, Memory, PARAMS};

/// Why a stream was not packed. `R` and `W` are the devices' errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "board", derive(defmt::Format))]
pub enum PackFailure<R, W> {
    /// The memory is too small for the compressor.
    Compressor(CompressorError),
    /// A device failed.
    Stopped(Stopped<IngestError<R, WriteError<W>>>),
}

/// What packing takes.
pub struct Packing<'p, 'm> {
    /// Of this key.
    pub chunker: &'p mut RetainingChunker<'static, 'm>,
    /// The key.
    pub key: &'p IdKey,
    /// The compressor's table.
    pub table: &'p mut CompressTable,
    /// The rest.
    pub memory: &'p mut Memory,
}

impl Packing<'_, '_> {
    /// Packs all that `reader` gives, and calls `packed` with each chunk: how many bytes of payload were stored for it, or
    /// `None` if the pack has it already.
    ///
    /// # Errors
    ///
    /// [`PackFailure`]. The pack is then cut off.
    pub fn pack<R: Read, W: Write>(
        self,
        stream_id: [u8; 16],
        reader: &mut R,
        device: W,
        packed: impl FnMut(&Chunk, Option<u64>),
    ) -> Result<Summary, PackFailure<R::Error, W::Error>> {
        let Self { chunker, key, table, memory } = self;
        let Memory { scratch, index, .. } = memory;
        // References must not go to chunks of another pack.
        *index = RecentIndex::new();
        let compressor = Compressor::new(BLOCK, table, scratch).map_err(PackFailure::Compressor)?;
        let packer = Packer::compressing(PARAMS, GearTable::published(), stream_id, key, compressor);
        let mut sink = Told { sink: PackSink::new(packer, device), packed };
        ingest(reader, chunker, index, &mut sink).map_err(PackFailure::Stopped)
    }
}

impl fmt::Debug for Packing<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packing").field("chunker", &self.chunker).finish_non_exhaustive()
    }
}

/// Tells of each chunk that the sink has taken.
struct Told<S, F> {
    sink: S,
    packed: F,
}

impl<S: ChunkSink, F: FnMut(&Chunk, Option<u64>)> ChunkSink for Told<S, F> {
    type Error = S::Error;

    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, S::Error> {
        let stored = self.sink.store(retained)?;
        (self.packed)(&retained.chunk, Some(stored));
        Ok(stored)
    }

    fn refer(&mut self, chunk: &Chunk) -> Result<(), S::Error> {
        self.sink.refer(chunk)?;
        (self.packed)(chunk, None);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), S::Error> {
        self.sink.finish()
    }
}

impl<R: fmt::Display, W: fmt::Display> fmt::Display for PackFailure<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compressor(error) => error.fmt(f),
            Self::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

impl<R: Error + 'static, W: Error + 'static> Error for PackFailure<R, W> {}
