//! Payloads that lie in one piece, opened on any thread.

use core::fmt;

use super::frame::Blocks;
use super::records::SealedChunk;
use super::{VerifiedChunk, has_id};
use crate::pack::error::{PackError, PackErrorKind};
use crate::pack::layout::{Compression, StreamHeader};
use crate::pack::writer::Stored;
use crate::{ChunkHasher, IdKey};

/// Opens the payloads of a stream: decompresses them and checks the ids. Each thread may have its own.
///
/// Takes 34 bytes of RAM. See [`RecordReader`](super::RecordReader) for an example.
#[derive(Clone)]
pub struct Opener {
    key: IdKey,
    compression: Compression,
}

impl Opener {
    /// An opener for the stream with this header.
    pub fn new(key: &IdKey, header: &StreamHeader) -> Self {
        Self { key: key.clone(), compression: header.compression }
    }

    /// Opens the payload of a chunk. What is compressed is decompressed to the start of `into`, which then must be as long as
    /// the chunk; else the chunk is the payload. The content of a reference, wherever it was found, is checked as a payload.
    ///
    /// # Errors
    ///
    /// The payload does not give the chunk, or `into` has no room for it.
    pub fn open<'b>(
        &self,
        sealed: &SealedChunk,
        payload: &'b [u8],
        into: &'b mut [u8],
    ) -> Result<VerifiedChunk<'b>, PackError> {
        let chunk = sealed.chunk();
        if let Stored::Lz4(stored) = sealed.stored() {
            let (needed, found) = (usize::try_from(chunk.len).unwrap_or(usize::MAX), into.len());
            let too_small = sealed.error(PackErrorKind::Buffer { needed, found });
            let into = into.get_mut(..needed).ok_or(too_small)?;
            self.check_frame(sealed, stored, payload, Room::Chunk(&mut *into))?;
            return Ok(VerifiedChunk { chunk, bytes: into });
        }
        self.check_plain(sealed, payload)?;
        Ok(VerifiedChunk { chunk, bytes: payload })
    }

    /// Checks the payload of a chunk as [`open`](Self::open) does, and keeps nothing: `block` need only hold one block of the
    /// stream's compression.
    ///
    /// # Errors
    ///
    /// The payload does not give the chunk, or `block` is too small.
    pub fn check(&self, sealed: &SealedChunk, payload: &[u8], block: &mut [u8]) -> Result<(), PackError> {
        match sealed.stored() {
            Stored::Lz4(stored) => self.check_frame(sealed, stored, payload, Room::Block(block)),
            Stored::Raw | Stored::Reference => self.check_plain(sealed, payload),
        }
    }

    fn check_plain(&self, sealed: &SealedChunk, bytes: &[u8]) -> Result<(), PackError> {
        let chunk = sealed.chunk();
        let good = u32::try_from(bytes.len()) == Ok(chunk.len) && has_id(&self.key, bytes, &chunk);
        if good { Ok(()) } else { Err(sealed.wrong()) }
    }

    /// Hashes each block as soon as it is decompressed: then it is still in the cache.
    fn check_frame(
        &self,
        sealed: &SealedChunk,
        stored: u32,
        frame: &[u8],
        mut room: Room<'_>,
    ) -> Result<(), PackError> {
        if u32::try_from(frame.len()) != Ok(stored) {
            return Err(sealed.wrong());
        }
        let refuse = |kind| sealed.error(kind);
        let mut hasher = ChunkHasher::new(&self.key);
        let mut blocks = Blocks::new(frame, self.compression, sealed.chunk().len).map_err(refuse)?;
        while let Some(block) = blocks.next().map_err(refuse)? {
            let into = room.next(block.len).map_err(refuse)?;
            block.decompress(into).map_err(refuse)?;
            hasher.update(into);
        }
        if hasher.finish() == sealed.chunk().id { Ok(()) } else { Err(sealed.wrong()) }
    }
}

/// Where a frame is decompressed to.
enum Room<'r> {
    /// Each block over the one before.
    Block(&'r mut [u8]),
    /// The blocks one behind the other, from here on.
    Chunk(&'r mut [u8]),
}

impl<'r> Room<'r> {
    fn next(&mut self, needed: usize) -> Result<&mut [u8], PackErrorKind> {
        match self {
            Self::Block(block) => {
                let found = block.len();
                block.get_mut(..needed).ok_or(PackErrorKind::Buffer { needed, found })
            }
            Self::Chunk(rest) => {
                let found = rest.len();
                rest.split_off_mut(..needed).ok_or(PackErrorKind::Buffer { needed, found })
            }
        }
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("compression", &self.compression).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<Opener>(), 34);
    }
}
