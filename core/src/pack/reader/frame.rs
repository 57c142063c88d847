//! What the parts of an LZ4 frame say.

use crate::pack::error::PackErrorKind;
use crate::pack::layout::{BLOCK_HEAD, Compression, FRAME_END, FRAME_START, NOT_COMPRESSED};

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

/// The blocks of a frame that lies in one piece.
pub(super) struct Blocks<'f> {
    rest: &'f [u8],
    compression: Compression,
    /// Bytes of the chunk, and how many of them were given.
    len: usize,
    given: usize,
}

/// A block and its bytes.
pub(super) struct BlockBytes<'f> {
    block: Block,
    bytes: &'f [u8],
    /// Bytes of the chunk that it gives.
    pub(super) len: usize,
}

impl<'f> Blocks<'f> {
    pub(super) fn new(frame: &'f [u8], compression: Compression, chunk_len: u32) -> Result<Self, PackErrorKind> {
        let rest = frame.strip_prefix(&FRAME_START).ok_or(PackErrorKind::Payload)?;
        Ok(Self { rest, compression, len: usize::try_from(chunk_len).unwrap_or(usize::MAX), given: 0 })
    }

    /// The next block; `None` when the chunk is whole and the frame ends there.
    pub(super) fn next(&mut self) -> Result<Option<BlockBytes<'f>>, PackErrorKind> {
        let (&head, rest) = self.rest.split_first_chunk().ok_or(PackErrorKind::Payload)?;
        let len = block_expected(self.compression, self.len, self.given);
        if len == 0 {
            return if head == FRAME_END && rest.is_empty() { Ok(None) } else { Err(PackErrorKind::Payload) };
        }
        let block = Block::read(head, len)?;
        let (Block::Compressed(stored) | Block::Plain(stored)) = block;
        let (bytes, rest) = rest.split_at_checked(stored).ok_or(PackErrorKind::Payload)?;
        self.rest = rest;
        self.given = self.given.saturating_add(len);
        Ok(Some(BlockBytes { block, bytes, len }))
    }
}

impl BlockBytes<'_> {
    /// Gives the block's part of the chunk, for which `into` is as long as it must be.
    pub(super) fn decompress(&self, into: &mut [u8]) -> Result<(), PackErrorKind> {
        match self.block {
            Block::Compressed(_) => decompress(self.bytes, into),
            Block::Plain(_) if self.bytes.len() == into.len() => {
                into.copy_from_slice(self.bytes);
                Ok(())
            }
            Block::Plain(_) => Err(PackErrorKind::Payload),
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
