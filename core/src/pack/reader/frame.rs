//! What the parts of an LZ4 frame say.

use crate::pack::error::PackErrorKind;
use crate::pack::layout::{BLOCK_HEAD, Compression, NOT_COMPRESSED};

/// A block of a frame, of so many stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Compressed(usize),
    Plain(usize),
}

impl Block {
    /// Reads the head of a block that must give `expected` bytes.
    pub(super) fn read(head: [u8; BLOCK_HEAD], expected: usize) -> Result<Self, PackErrorKind> {
        let head = u32::from_le_bytes(head);
        let len = usize::try_from(head & !NOT_COMPRESSED).unwrap_or(usize::MAX);
        match head & NOT_COMPRESSED {
            0 if len > 0 && len < expected => Ok(Self::Compressed(len)),
            NOT_COMPRESSED if len == expected => Ok(Self::Plain(len)),
            _ => Err(PackErrorKind::Payload),
        }
    }
}

/// Bytes that the next block must give of a chunk of `len` bytes of which `given` are there; 0 when none is left.
pub(super) fn block_expected(compression: Compression, len: usize, given: usize) -> usize {
    let left = len.saturating_sub(given);
    match compression {
        Compression::Lz4(block) => left.min(block.bytes()),
        Compression::None => left,
    }
}

/// Decompresses a block, which must fill `into`.
#[cfg(feature = "lz4")]
pub(super) fn decompress(from: &[u8], into: &mut [u8]) -> Result<(), PackErrorKind> {
    match lz4_flex::block::decompress_into(from, into) {
        Ok(len) if len == into.len() => Ok(()),
        _ => Err(PackErrorKind::Payload),
    }
}

/// Without the feature a header that announces LZ4 is refused, so this is never reached.
#[cfg(not(feature = "lz4"))]
pub(super) const fn decompress(_: &[u8], _: &mut [u8]) -> Result<(), PackErrorKind> {
    Err(PackErrorKind::Payload)
}
