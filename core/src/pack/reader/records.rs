//! Headers and records, read front to back. What follows a record is left to others.

use core::fmt;

use super::Totals;
use crate::pack::error::{PackError, PackErrorKind};
use crate::pack::layout::{Compression, HEADER_LEN, Kind, MAGIC, RECORD_LEN, Record, StreamHeader, split_lens};
use crate::pack::tags::{HeaderCheck, Tags};
use crate::pack::writer::Stored;
use crate::{Chunk, ChunkId, IdKey};

/// Reads the records of a pack stream, without their payloads: the caller takes those from the stream himself, and may have
/// them opened on other threads, see [`Opener`](super::Opener). What needs no more than one thread is a
/// [`Reader`](super::Reader).
///
/// Takes 288 bytes of RAM on 64-bit targets. Tags, order, lengths and the trailer are checked here; a payload is good only
/// when it has been opened.
///
/// ```
/// use chunkmill_core::pack::{Opener, RecordReader, RecordStep};
/// # use chunkmill_core::pack::{Compression, Stored, StreamHeader, Writer};
/// # use chunkmill_core::{Chunk, ChunkParams, GearKind, IdKey};
/// # let key = IdKey::from_bytes([7; 32]);
/// # let params = ChunkParams::new(64, 256, 1024, 1)?;
/// # let compression = Compression::None;
/// # let header = StreamHeader { params, gear: GearKind::Published, compression, stream_id: [9; 16] };
/// # let (mut writer, start) = Writer::new(&header, &key);
/// # let chunk = Chunk { offset: 0, len: 5, id: key.id_of(b"hello") };
/// # let record = writer.record(&chunk, Stored::Raw);
/// # let pack = [&start[..], &record, b"hello", &writer.trailer()].concat();
/// let mut input = &pack[..];
/// let mut take = |len| input.split_off(..len).unwrap_or_default();
/// let mut reader = RecordReader::new(&key);
/// let mut opener = None;
/// loop {
///     match reader.step()? {
///         RecordStep::NeedInput => {
///             let window = reader.window();
///             let bytes = take(window.len());
///             window.copy_from_slice(bytes);
///             reader.commit(bytes.len());
///         }
///         RecordStep::Header(header) => opener = Some(Opener::new(&key, &header)),
///         RecordStep::Record(record) => {
///             let payload = take(record.payload_len() as usize);
///             reader.take_payload(record.payload_len());
///             // On another thread, perhaps.
///             let opened = opener.as_ref().ok_or("no header")?.open(&record, payload, &mut [0; 1024])?.bytes() == b"hello";
///             assert!(opened);
///         }
///         RecordStep::End(totals) => break assert_eq!(totals.records, 1),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecordReader {
    key: IdKey,
    /// Known once the header is.
    tags: Option<Tags>,
    compression: Compression,
    max: u32,
    /// What is there of the header or record at hand.
    staging: [u8; HEADER_LEN],
    filled: usize,
    stage: Stage,
    /// Offset in the stream of the header or record at hand.
    place: u64,
    /// Offset in the stream of the next byte.
    offset: u64,
    totals: Totals,
    input_ended: bool,
}

/// What comes next in the stream, or that nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Record,
    /// So many bytes of a payload.
    Payload(u32),
    Ended,
    Failed(PackError),
}

/// What a [`RecordReader`] has to say next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum RecordStep {
    /// The stream ended with a good trailer.
    End(Totals),
    /// The stream's header, once, before anything else. The key is the right one.
    Header(StreamHeader),
    /// Fill the window and commit; if it is empty, take what is left of the payload; or end the input.
    NeedInput,
    /// The next record. If it has a payload, that comes next in the stream.
    Record(SealedChunk),
}

/// A chunk as its record promises it, with a good tag: its payload has yet to be opened.
///
/// Takes 72 bytes of RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SealedChunk {
    chunk: Chunk,
    stored: Stored,
    /// Whole records before it.
    record: u64,
    /// Offset in the stream of its record.
    place: u64,
}

impl RecordReader {
    /// A reader at the start of a stream.
    pub fn new(key: &IdKey) -> Self {
        Self {
            key: key.clone(),
            tags: None,
            compression: Compression::None,
            max: 0,
            staging: [0; HEADER_LEN],
            filled: 0,
            stage: Stage::Header,
            place: 0,
            offset: 0,
            totals: Totals::default(),
            input_ended: false,
        }
    }

    /// The next bytes to be filled: the rest of a header or a record, and none while a payload comes. So nothing is taken from
    /// behind the trailer.
    pub fn window(&mut self) -> &mut [u8] {
        let target = match self.stage {
            Stage::Header => self.staging.get_mut(..HEADER_LEN),
            Stage::Record => self.staging.get_mut(..RECORD_LEN),
            Stage::Payload(_) | Stage::Ended | Stage::Failed(_) => None,
        };
        target.unwrap_or_default().get_mut(self.filled..).unwrap_or_default()
    }

    /// Takes in the first `filled` bytes of the window; no more than it has.
    pub fn commit(&mut self, filled: usize) {
        let filled = filled.min(self.window().len());
        self.filled = self.filled.saturating_add(filled);
        self.offset = self.offset.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
    }

    /// Bytes of the payload at hand that are still in the stream.
    pub const fn payload_left(&self) -> u32 {
        match self.stage {
            Stage::Payload(left) => left,
            _ => 0,
        }
    }

    /// Says that so many bytes of the payload at hand were taken from the stream; no more than are left.
    pub fn take_payload(&mut self, len: u32) {
        if let Stage::Payload(left) = self.stage {
            let len = len.min(left);
            self.offset = self.offset.saturating_add(len.into());
            match left.saturating_sub(len) {
                0 => self.next_record(),
                left => self.stage = Stage::Payload(left),
            }
        }
    }

    /// Says that no byte will follow.
    pub const fn end_input(&mut self) {
        self.input_ended = true;
    }

    /// What was read so far, a record that turned out to be wrong included.
    pub const fn totals(&self) -> Totals {
        self.totals
    }

    /// Bytes of the stream taken so far.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes on to the next thing in the stream.
    ///
    /// # Errors
    ///
    /// What is wrong with the stream, and from then on the same again.
    pub fn step(&mut self) -> Result<RecordStep, PackError> {
        let filled = self.window().is_empty();
        let advanced = match self.stage {
            Stage::Ended => return Ok(RecordStep::End(self.totals)),
            Stage::Failed(error) => return Err(error),
            Stage::Header if filled => self.header(),
            Stage::Record if filled => self.record(),
            Stage::Header if self.input_ended && !self.begins_like_a_pack() => Err(PackErrorKind::NotAPack),
            _ if self.input_ended => return Err(self.cut_off()),
            _ => return Ok(RecordStep::NeedInput),
        };
        advanced.map_err(|kind| self.refuse(kind))
    }

    /// The stream's compression, once the header is read.
    pub(super) const fn compression(&self) -> Compression {
        self.compression
    }

    pub(super) const fn key(&self) -> &IdKey {
        &self.key
    }

    pub(super) const fn input_ended(&self) -> bool {
        self.input_ended
    }

    /// The input ended where more was to come.
    pub(super) fn cut_off(&mut self) -> PackError {
        self.place = self.offset;
        self.refuse(PackErrorKind::Truncated)
    }

    /// Fails, from now on.
    pub(super) fn refuse(&mut self, kind: PackErrorKind) -> PackError {
        // A record counts from its header on; one whose payload is not there is not whole.
        let whole = match self.stage {
            Stage::Payload(_) => self.totals.records.saturating_sub(1),
            _ => self.totals.records,
        };
        self.fail(PackError { kind, record: whole, offset: self.place })
    }

    /// Fails with this error, from now on.
    pub(super) fn fail(&mut self, error: PackError) -> PackError {
        self.stage = Stage::Failed(error);
        trace!("pack refused: {}", error);
        error
    }

    /// Whether the bytes of the header that are there, none perhaps, could be those of a pack.
    fn begins_like_a_pack(&self) -> bool {
        self.staging.iter().take(self.filled).zip(&MAGIC).all(|(byte, magic)| byte == magic)
    }

    fn next_record(&mut self) {
        self.stage = Stage::Record;
        self.filled = 0;
        self.place = self.offset;
    }

    fn header(&mut self) -> Result<RecordStep, PackErrorKind> {
        if self.staging.first_chunk() != Some(&MAGIC) {
            return Err(PackErrorKind::NotAPack);
        }
        let fields = Tags::check_header(&self.key, &self.staging).map_err(|check| match check {
            HeaderCheck::Damaged => PackErrorKind::Header,
            HeaderCheck::WrongKey => PackErrorKind::WrongKey,
        })?;
        let header = StreamHeader::decode(&fields).ok_or(PackErrorKind::Unsupported)?;
        if cfg!(not(feature = "lz4")) && header.compression != Compression::None {
            return Err(PackErrorKind::Unsupported);
        }
        self.tags = Some(Tags::new(&self.key, header.stream_id));
        self.compression = header.compression;
        self.max = header.params.max();
        self.next_record();
        Ok(RecordStep::Header(header))
    }

    fn record(&mut self) -> Result<RecordStep, PackErrorKind> {
        let tags = self.tags.as_mut().ok_or(PackErrorKind::HeaderTag)?;
        let bytes = self.staging.first_chunk::<RECORD_LEN>().ok_or(PackErrorKind::HeaderTag)?;
        let fields = tags.check_record(bytes).ok_or(PackErrorKind::HeaderTag)?;
        let record = Record::decode(&fields).ok_or(PackErrorKind::Unsupported)?;
        let expected = self.totals.records;
        if record.sequence != expected {
            return Err(PackErrorKind::Order { expected, found: record.sequence });
        }
        let (raw, stored) = split_lens(record.lens);
        let (stored, allowed) = match record.kind {
            Kind::Trailer => {
                if record.lens != self.totals.bytes || record.id != tags.chain() {
                    return Err(PackErrorKind::Trailer);
                }
                self.stage = Stage::Ended;
                return Ok(RecordStep::End(self.totals));
            }
            Kind::Raw => (Stored::Raw, stored == raw),
            Kind::Lz4 => (Stored::Lz4(stored), stored < raw && self.compression != Compression::None),
            Kind::Reference => (Stored::Reference, stored == 0),
        };
        if !allowed || raw == 0 || raw > self.max {
            return Err(PackErrorKind::Lengths);
        }
        tags.extend_chain(&record);
        trace!("record {=u64}: {=u32} bytes in {=u32}", expected, raw, stored.payload_len(raw));
        let chunk = Chunk { offset: self.totals.bytes, len: raw, id: ChunkId::from_bytes(record.id) };
        let sealed = SealedChunk { chunk, stored, record: expected, place: self.place };
        self.totals.records = self.totals.records.saturating_add(1);
        self.totals.bytes = self.totals.bytes.saturating_add(u64::from(raw));
        self.totals.references = self.totals.references.saturating_add(u64::from(stored == Stored::Reference));
        match sealed.payload_len() {
            0 => self.next_record(),
            len => self.stage = Stage::Payload(len),
        }
        Ok(RecordStep::Record(sealed))
    }
}

impl fmt::Debug for RecordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordReader")
            .field("stage", &self.stage)
            .field("offset", &self.offset)
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

impl SealedChunk {
    /// Place in the restored stream, length and id. The bytes may turn out to be others.
    pub const fn chunk(&self) -> Chunk {
        self.chunk
    }

    /// How it is stored.
    pub const fn stored(&self) -> Stored {
        self.stored
    }

    /// Bytes of its payload, which follows the record in the stream.
    pub const fn payload_len(&self) -> u32 {
        self.stored.payload_len(self.chunk.len)
    }

    pub(super) const fn error(&self, kind: PackErrorKind) -> PackError {
        PackError { kind, record: self.record, offset: self.place }
    }

    /// What is wrong if the bytes are not those of the chunk.
    pub(super) const fn wrong(&self) -> PackError {
        self.error(match self.stored {
            Stored::Reference => PackErrorKind::Reference,
            Stored::Lz4(_) | Stored::Raw => PackErrorKind::Payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!((size_of::<RecordReader>(), size_of::<SealedChunk>()), (288, 72));
    }
}
