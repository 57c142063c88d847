//! A payload that comes in parts, into memory that holds one chunk and one block of it.

use super::frame::{Block, block_expected, decompress};
use super::has_id;
use super::records::SealedChunk;
use crate::IdKey;
use crate::pack::error::PackErrorKind;
use crate::pack::layout::{BLOCK_HEAD, Compression, FRAME_END, FRAME_START, StreamHeader};
use crate::pack::writer::Stored;

/// The memory lent to a reader.
pub(super) struct Memory<'m> {
    pub(super) chunk: &'m mut [u8],
    pub(super) block: &'m mut [u8],
}

impl Memory<'_> {
    /// Whether it holds the chunks and blocks of a stream.
    pub(super) fn has_room(&self, header: &StreamHeader) -> Result<(), PackErrorKind> {
        let longest = usize::try_from(header.params.max()).unwrap_or(usize::MAX);
        let block = match header.compression {
            Compression::Lz4(block) => block.bytes().min(longest),
            Compression::None => 0,
        };
        for (found, needed) in [(self.chunk.len(), longest), (self.block.len(), block)] {
            if found < needed {
                return Err(PackErrorKind::Buffer { needed, found });
            }
        }
        Ok(())
    }
}

/// A payload on its way in.
pub(super) struct Payload {
    pub(super) sealed: SealedChunk,
    stage: Stage,
    /// Bytes of the stage at hand that are there.
    filled: usize,
    /// The parts of a frame that are neither block nor chunk.
    staging: [u8; FRAME_START.len()],
    /// Bytes of the frame that are there or were announced.
    consumed: usize,
    /// Bytes of the chunk that these gave.
    given: usize,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    FrameStart,
    /// The length of a block, or the end of the frame.
    BlockHead,
    Block(Block),
    /// The chunk as it is, from the stream or, for a reference, from elsewhere.
    Whole,
}

impl Payload {
    /// Refuses what is too short to be a frame.
    pub(super) fn new(sealed: SealedChunk) -> Result<Self, PackErrorKind> {
        let mut payload =
            Self { sealed, stage: Stage::Whole, filled: 0, staging: [0; FRAME_START.len()], consumed: 0, given: 0 };
        if matches!(sealed.stored(), Stored::Lz4(_)) {
            payload.enter(Stage::FrameStart, FRAME_START.len())?;
        }
        Ok(payload)
    }

    /// The next bytes to be filled.
    pub(super) fn window<'w>(&'w mut self, memory: &'w mut Memory<'_>) -> &'w mut [u8] {
        let target = match self.stage {
            Stage::FrameStart => self.staging.get_mut(..),
            Stage::BlockHead => self.staging.get_mut(..BLOCK_HEAD),
            Stage::Block(Block::Compressed(len)) => memory.block.get_mut(..len),
            Stage::Block(Block::Plain(len)) => memory.chunk.get_mut(self.given..self.given.saturating_add(len)),
            Stage::Whole => memory.chunk.get_mut(..self.chunk_len()),
        };
        target.unwrap_or_default().get_mut(self.filled..).unwrap_or_default()
    }

    /// Takes in bytes of the window.
    pub(super) fn commit(&mut self, filled: usize) {
        self.filled = self.filled.saturating_add(filled);
    }

    /// Deals with what the window was filled with. Whether the chunk is whole, and the one that was promised.
    pub(super) fn advance(
        &mut self,
        memory: &mut Memory<'_>,
        compression: Compression,
        key: &IdKey,
    ) -> Result<bool, PackErrorKind> {
        match self.stage {
            Stage::FrameStart => {
                if self.staging != FRAME_START {
                    return Err(PackErrorKind::Payload);
                }
                self.enter(Stage::BlockHead, BLOCK_HEAD)?;
            }
            Stage::BlockHead => {
                let head = *self.staging.first_chunk().ok_or(PackErrorKind::Payload)?;
                let expected = block_expected(compression, self.chunk_len(), self.given);
                if expected == 0 {
                    let whole = head == FRAME_END && self.consumed == self.stored_len();
                    return if whole { self.verify(memory, key) } else { Err(PackErrorKind::Payload) };
                }
                let block = Block::read(head, expected)?;
                let (Block::Compressed(len) | Block::Plain(len)) = block;
                self.enter(Stage::Block(block), len)?;
            }
            Stage::Block(block) => {
                let expected = block_expected(compression, self.chunk_len(), self.given);
                let end = self.given.saturating_add(expected);
                if let Block::Compressed(len) = block {
                    let from = memory.block.get(..len).ok_or(PackErrorKind::Payload)?;
                    let into = memory.chunk.get_mut(self.given..end).ok_or(PackErrorKind::Payload)?;
                    decompress(from, into)?;
                }
                self.given = end;
                self.enter(Stage::BlockHead, BLOCK_HEAD)?;
            }
            Stage::Whole => return self.verify(memory, key),
        }
        Ok(false)
    }

    /// The chunk is whole. Is it the one that was promised?
    fn verify(&self, memory: &Memory<'_>, key: &IdKey) -> Result<bool, PackErrorKind> {
        let otherwise = self.sealed.wrong().kind;
        let bytes = memory.chunk.get(..self.chunk_len()).ok_or(otherwise)?;
        if has_id(key, bytes, &self.sealed.chunk()) { Ok(true) } else { Err(otherwise) }
    }

    /// Counts bytes of a frame before they are read: not one more than the record promised is taken from the stream.
    fn enter(&mut self, stage: Stage, len: usize) -> Result<(), PackErrorKind> {
        self.stage = stage;
        self.filled = 0;
        self.consumed = self.consumed.saturating_add(len);
        if self.consumed > self.stored_len() { Err(PackErrorKind::Payload) } else { Ok(()) }
    }

    fn chunk_len(&self) -> usize {
        usize::try_from(self.sealed.chunk().len).unwrap_or(usize::MAX)
    }

    fn stored_len(&self) -> usize {
        usize::try_from(self.sealed.payload_len()).unwrap_or(usize::MAX)
    }
}
