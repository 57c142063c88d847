//! Where chunks go, and where they are had from.

use core::ops::Range;

use crate::{Chunk, ChunkId, Retained};

/// Takes chunks in stream order.
pub trait ChunkSink {
    /// Why a chunk could not be taken.
    type Error;

    /// Stores a chunk that is not known, and says how many bytes it takes there. Once this returns `Ok` the chunk can be
    /// read back as far as the sink is concerned.
    ///
    /// # Errors
    ///
    /// The sink's own. It then takes no further chunk.
    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, Self::Error>;

    /// Takes note that a chunk known already comes next in the stream.
    ///
    /// # Errors
    ///
    /// The sink's own. It then takes no further chunk.
    fn refer(&mut self, chunk: &Chunk) -> Result<(), Self::Error>;

    /// The stream is whole.
    ///
    /// # Errors
    ///
    /// The sink's own. The stream is then not whole.
    fn finish(&mut self) -> Result<(), Self::Error>;
}

/// Gives chunks that are not in the stream at hand.
pub trait ChunkSource {
    /// Why a chunk could not be had.
    type Error;

    /// Fills `into`, which has the chunk's length, with its bytes. `false` if the chunk is not here. The bytes are checked
    /// against the id afterwards.
    ///
    /// # Errors
    ///
    /// The source's own.
    fn fetch(&mut self, id: &ChunkId, into: &mut [u8]) -> Result<bool, Self::Error>;

    /// Takes note of a chunk that was in the pack and has been restored: from now on references may stand for it. Its payload,
    /// raw or compressed, lies at these bytes of the pack.
    fn seen(&mut self, chunk: &Chunk, payload: Range<u64>) {
        let _ = (chunk, payload);
    }
}

/// Has no chunk.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NoSource;

impl ChunkSource for NoSource {
    type Error = core::convert::Infallible;

    fn fetch(&mut self, _: &ChunkId, _: &mut [u8]) -> Result<bool, Self::Error> {
        Ok(false)
    }
}
