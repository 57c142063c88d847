use crate::ChunkId;

/// A whole chunk: where it lies in the stream, how long it is, and its id.
///
/// Takes 48 bytes of RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Chunk {
    /// Offset of the first byte in the stream, in bytes.
    pub offset: u64,
    /// Length in bytes; at least 1, at most the maximum of the parameters.
    pub len: u32,
    /// Keyed BLAKE3 of the chunk's bytes.
    pub id: ChunkId,
}
