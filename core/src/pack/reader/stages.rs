//! What each part of a stream means once it is read: headers, records, and the blocks of an LZ4 frame.

use super::{Current, Reader, Seen, Stage};
use crate::pack::error::PackErrorKind;
use crate::pack::layout::{
    BLOCK_HEAD, Compression, FRAME_END, FRAME_START, Kind, MAGIC, NOT_COMPRESSED, RECORD_LEN, Record, StreamHeader,
    split_lens,
};
use crate::pack::tags::{HeaderCheck, Tags};
use crate::{Chunk, ChunkId};

impl Reader<'_> {
    /// Deals with what the window was filled with.
    pub(super) fn advance(&mut self) -> Result<Option<Seen>, PackErrorKind> {
        match self.stage {
            Stage::Header => self.header().map(Some),
            Stage::Record => self.record(),
            Stage::Raw => self.verify(PackErrorKind::Payload).map(Some),
            Stage::Referred => self.verify(PackErrorKind::Reference).map(Some),
            Stage::FrameStart => self.frame_start(),
            Stage::BlockHead => self.block_head(),
            Stage::Block(len) => self.compressed_block(len),
            Stage::PlainBlock(len) => self.block_done(len, len),
            Stage::Ended | Stage::Failed(_) => Ok(None),
        }
    }

    fn header(&mut self) -> Result<Seen, PackErrorKind> {
        if self.staging.first_chunk() != Some(&MAGIC) {
            return Err(PackErrorKind::NotAPack);
        }
        let fields = Tags::check_header(&self.key, &self.staging).map_err(|check| match check {
            HeaderCheck::Damaged => PackErrorKind::Header,
            HeaderCheck::WrongKey => PackErrorKind::WrongKey,
        })?;
        let header = StreamHeader::decode(&fields).ok_or(PackErrorKind::Unsupported)?;
        room(self.chunk, usize::try_from(header.params.max()).unwrap_or(usize::MAX))?;
        if let Compression::Lz4(block) = header.compression {
            if cfg!(not(feature = "lz4")) {
                return Err(PackErrorKind::Unsupported);
            }
            room(self.block, block.bytes().min(usize::try_from(header.params.max()).unwrap_or(usize::MAX)))?;
        }
        self.tags = Some(Tags::new(&self.key, header.stream_id));
        self.compression = header.compression;
        self.max = header.params.max();
        self.enter(Stage::Record);
        Ok(Seen::Header(header))
    }

    fn record(&mut self) -> Result<Option<Seen>, PackErrorKind> {
        let tags = self.tags.as_mut().ok_or(PackErrorKind::HeaderTag)?;
        let bytes = self.staging.first_chunk::<RECORD_LEN>().ok_or(PackErrorKind::HeaderTag)?;
        let fields = tags.check_record(bytes).ok_or(PackErrorKind::HeaderTag)?;
        let record = Record::decode(&fields).ok_or(PackErrorKind::Unsupported)?;
        let expected = self.totals.records;
        if record.sequence != expected {
            return Err(PackErrorKind::Order { expected, found: record.sequence });
        }
        if record.kind == Kind::Trailer {
            if record.lens != self.totals.bytes || record.id != tags.chain() {
                return Err(PackErrorKind::Trailer);
            }
            self.enter(Stage::Ended);
            return Ok(None);
        }
        let (raw, stored) = split_lens(record.lens);
        let allowed = match record.kind {
            Kind::Raw => stored == raw,
            Kind::Lz4 => stored < raw && self.compression != Compression::None,
            Kind::Reference => stored == 0,
            Kind::Trailer => false,
        };
        if !allowed || raw == 0 || raw > self.max {
            return Err(PackErrorKind::Lengths);
        }
        tags.extend_chain(&record);
        trace!("record {=u64}: {=u32} bytes in {=u32}", expected, raw, stored);
        let chunk = Chunk { offset: self.totals.bytes, len: raw, id: ChunkId::from_bytes(record.id) };
        self.current = Current { chunk, stored, consumed: 0, given: 0 };
        self.totals.records = self.totals.records.saturating_add(1);
        self.totals.bytes = self.totals.bytes.saturating_add(u64::from(raw));
        let stage = match record.kind {
            Kind::Lz4 => Stage::FrameStart,
            Kind::Reference => Stage::Referred,
            Kind::Raw | Kind::Trailer => Stage::Raw,
        };
        self.enter(stage);
        if stage == Stage::FrameStart {
            self.consume(FRAME_START.len())?;
        }
        if stage == Stage::Referred {
            self.totals.references = self.totals.references.saturating_add(1);
            return Ok(Some(Seen::Reference));
        }
        Ok(None)
    }

    /// The chunk is whole. Is it the one that was promised?
    fn verify(&mut self, otherwise: PackErrorKind) -> Result<Seen, PackErrorKind> {
        let chunk = self.current.chunk;
        let len = usize::try_from(chunk.len).unwrap_or(usize::MAX);
        let bytes = self.chunk.get(..len).ok_or(otherwise)?;
        if self.key.id_of(bytes) != chunk.id {
            return Err(otherwise);
        }
        self.enter(Stage::Record);
        Ok(Seen::Chunk)
    }

    fn frame_start(&mut self) -> Result<Option<Seen>, PackErrorKind> {
        if self.staging.first_chunk() != Some(&FRAME_START) {
            return Err(PackErrorKind::Payload);
        }
        self.enter_block_head()
    }

    fn block_head(&mut self) -> Result<Option<Seen>, PackErrorKind> {
        let head = *self.staging.first_chunk::<BLOCK_HEAD>().ok_or(PackErrorKind::Payload)?;
        let expected = self.block_expected();
        if expected == 0 {
            let whole = head == FRAME_END && u32::try_from(self.current.consumed) == Ok(self.current.stored);
            return if whole { self.verify(PackErrorKind::Payload).map(Some) } else { Err(PackErrorKind::Payload) };
        }
        let head = u32::from_le_bytes(head);
        let len = usize::try_from(head & !NOT_COMPRESSED).unwrap_or(usize::MAX);
        let stage = match head & NOT_COMPRESSED {
            0 if len > 0 && len < expected => Stage::Block(len),
            NOT_COMPRESSED if len == expected => Stage::PlainBlock(len),
            _ => return Err(PackErrorKind::Payload),
        };
        self.consume(len)?;
        self.enter(stage);
        Ok(None)
    }

    fn compressed_block(&mut self, len: usize) -> Result<Option<Seen>, PackErrorKind> {
        let expected = self.block_expected();
        let given = self.current.given;
        let from = self.block.get(..len).ok_or(PackErrorKind::Payload)?;
        let into = self.chunk.get_mut(given..given.saturating_add(expected)).ok_or(PackErrorKind::Payload)?;
        let decompressed = decompress(from, into).ok_or(PackErrorKind::Payload)?;
        self.block_done(decompressed, expected)
    }

    fn block_done(&mut self, len: usize, expected: usize) -> Result<Option<Seen>, PackErrorKind> {
        if len != expected {
            return Err(PackErrorKind::Payload);
        }
        self.current.given = self.current.given.saturating_add(len);
        self.enter_block_head()
    }

    fn enter_block_head(&mut self) -> Result<Option<Seen>, PackErrorKind> {
        self.consume(BLOCK_HEAD)?;
        self.enter(Stage::BlockHead);
        Ok(None)
    }

    /// Bytes of the chunk that the next block must give; 0 when none is left.
    fn block_expected(&self) -> usize {
        let raw = usize::try_from(self.current.chunk.len).unwrap_or(usize::MAX);
        let left = raw.saturating_sub(self.current.given);
        match self.compression {
            Compression::Lz4(block) => left.min(block.bytes()),
            Compression::None => left,
        }
    }

    /// Counts payload bytes before they are read: not one more than the record promised is taken from the stream.
    fn consume(&mut self, len: usize) -> Result<(), PackErrorKind> {
        self.current.consumed = self.current.consumed.saturating_add(len);
        let stored = usize::try_from(self.current.stored).unwrap_or(usize::MAX);
        if self.current.consumed > stored { Err(PackErrorKind::Payload) } else { Ok(()) }
    }
}

fn room(memory: &[u8], needed: usize) -> Result<(), PackErrorKind> {
    let found = memory.len();
    if found < needed { Err(PackErrorKind::Buffer { needed, found }) } else { Ok(()) }
}

#[cfg(feature = "lz4")]
fn decompress(from: &[u8], into: &mut [u8]) -> Option<usize> {
    lz4_flex::block::decompress_into(from, into).ok()
}

/// Without the feature a header that announces LZ4 is refused, so this is never reached.
#[cfg(not(feature = "lz4"))]
const fn decompress(_: &[u8], _: &mut [u8]) -> Option<usize> {
    None
}
