//! Payloads that lie in one piece, opened on any thread.

use core::fmt;

use super::frame::{Block, block_expected, decompress};
use super::records::SealedChunk;
use super::{VerifiedChunk, has_id};
use crate::IdKey;
use crate::pack::error::{PackError, PackErrorKind};
use crate::pack::layout::{Compression, FRAME_END, FRAME_START, StreamHeader};
use crate::pack::writer::Stored;

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
        let otherwise = match sealed.stored() {
            Stored::Reference => PackErrorKind::Reference,
            Stored::Lz4(_) | Stored::Raw => PackErrorKind::Payload,
        };
        let chunk = sealed.chunk();
        let len = usize::try_from(chunk.len).unwrap_or(usize::MAX);
        let found = into.len();
        let bytes: &[u8] = match sealed.stored() {
            Stored::Lz4(stored) if usize::try_from(stored) == Ok(payload.len()) => {
                let room = PackErrorKind::Buffer { needed: len, found };
                let into = into.get_mut(..len).ok_or_else(|| sealed.error(room))?;
                self.open_frame(payload, into).map_err(|kind| sealed.error(kind))?;
                into
            }
            Stored::Lz4(_) => &[],
            Stored::Raw | Stored::Reference => payload,
        };
        if bytes.len() == len && has_id(&self.key, bytes, &chunk) {
            Ok(VerifiedChunk { chunk, bytes })
        } else {
            Err(sealed.error(otherwise))
        }
    }

    fn open_frame(&self, frame: &[u8], into: &mut [u8]) -> Result<(), PackErrorKind> {
        let mut rest = frame.strip_prefix(&FRAME_START).ok_or(PackErrorKind::Payload)?;
        let mut given = 0;
        loop {
            let (head, after) = rest.split_first_chunk().ok_or(PackErrorKind::Payload)?;
            let expected = block_expected(self.compression, into.len(), given);
            if expected == 0 {
                return if *head == FRAME_END && after.is_empty() { Ok(()) } else { Err(PackErrorKind::Payload) };
            }
            let end = given.saturating_add(expected);
            let to = into.get_mut(given..end).ok_or(PackErrorKind::Payload)?;
            let block = Block::read(*head, expected)?;
            let (Block::Compressed(len) | Block::Plain(len)) = block;
            let (from, after) = after.split_at_checked(len).ok_or(PackErrorKind::Payload)?;
            match block {
                Block::Compressed(_) => decompress(from, to)?,
                // As long as expected.
                Block::Plain(_) => to.copy_from_slice(from),
            }
            (rest, given) = (after, end);
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
