//! Reading a stream front to back.

mod stages;

use core::fmt;

use super::error::{PackError, PackErrorKind};
use super::layout::{BLOCK_HEAD, Compression, FRAME_START, HEADER_LEN, MAGIC, RECORD_LEN, StreamHeader};
use super::tags::Tags;
use crate::{Chunk, ChunkId, IdKey};

/// Reads a pack stream through memory that the caller lends, and lends back chunks whose ids were checked.
///
/// Takes 392 bytes of RAM on 64-bit targets, besides the memory lent: one chunk of the largest size that is to be read, and
/// one LZ4 block (no more than the largest chunk), if anything is compressed. Both are checked against the stream's header before any record is read.
///
/// ```
/// use chunkmill_core::pack::{ReadStep, Reader};
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
/// let (mut chunk, mut block) = ([0; 1024], [0; 0]);
/// let mut reader = Reader::new(&key, &mut chunk, &mut block);
/// let mut restored = Vec::<u8>::new();
/// loop {
///     match reader.step()? {
///         ReadStep::NeedInput => {
///             let window = reader.window();
///             let len = window.len().min(input.len());
///             window[..len].copy_from_slice(&input[..len]);
///             input = &input[len..];
///             match len {
///                 0 => reader.end_input(),
///                 len => reader.commit(len),
///             }
///         }
///         ReadStep::Header(header) => assert_eq!(header.params, params),
///         ReadStep::Chunk(verified) => restored.extend(verified.bytes()),
///         ReadStep::Reference(_) => reader.skip_reference(),
///         ReadStep::End(totals) => break assert_eq!(totals.records, 1),
///     }
/// }
/// assert_eq!(restored, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader<'m> {
    key: IdKey,
    /// Known once the header is.
    tags: Option<Tags>,
    compression: Compression,
    max: u32,
    chunk: &'m mut [u8],
    block: &'m mut [u8],
    /// Headers, records and the parts of a frame that are neither block nor chunk.
    staging: [u8; HEADER_LEN],
    /// What the bytes that come next are.
    stage: Stage,
    /// How many of them are there.
    filled: usize,
    /// Offset in the stream of the header or record that is being read.
    place: u64,
    /// Offset in the stream of the next byte.
    offset: u64,
    totals: Totals,
    current: Current,
    input_ended: bool,
}

/// The record that is being read.
#[derive(Clone, Copy, Debug)]
struct Current {
    chunk: Chunk,
    stored: u32,
    /// Bytes of an LZ4 payload read so far.
    consumed: usize,
    /// Bytes of the chunk that these gave.
    given: usize,
}

/// What comes next in the stream, or that nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Record,
    Raw,
    FrameStart,
    /// The length of a block, or the end of the frame.
    BlockHead,
    /// A compressed block.
    Block(usize),
    /// A block that is not compressed: it goes straight into the chunk.
    PlainBlock(usize),
    /// The content of a reference, which the caller brings from elsewhere.
    Referred,
    Ended,
    Failed(PackError),
}

/// What a [`Reader`] has to say next.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum ReadStep<'r> {
    /// The next chunk. Its id was checked.
    Chunk(VerifiedChunk<'r>),
    /// The stream ended with a good trailer.
    End(Totals),
    /// The stream's header, once, before anything else. The key is the right one.
    Header(StreamHeader),
    /// Fill the window, which has room, and commit; or end the input.
    NeedInput,
    /// A chunk that was stored before. The window is now where its bytes belong: fill it, commit, and the next step checks
    /// them; or call [`Reader::skip_reference`].
    Reference(Reference),
}

/// A chunk whose bytes give its id. Only a [`Reader`] can make one.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct VerifiedChunk<'r> {
    chunk: Chunk,
    bytes: &'r [u8],
}

/// A chunk that stands elsewhere: earlier in the stream, or where the writer's index knew it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reference {
    /// Place in the restored stream, length and id.
    pub chunk: Chunk,
}

/// Counts of a stream, which its trailer confirms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Totals {
    /// Records, references among them.
    pub records: u64,
    /// References.
    pub references: u64,
    /// Bytes of all chunks, each as often as it occurs.
    pub bytes: u64,
}

impl<'m> Reader<'m> {
    /// A reader at the start of a stream. `chunk` must hold the stream's largest chunk and `block` one block of its
    /// compression, which [`PackErrorKind::Buffer`] says if it turns out otherwise.
    pub fn new(key: &IdKey, chunk: &'m mut [u8], block: &'m mut [u8]) -> Self {
        let nothing = Chunk { offset: 0, len: 0, id: ChunkId::from_bytes([0; 32]) };
        Self {
            key: key.clone(),
            tags: None,
            compression: Compression::None,
            max: 0,
            chunk,
            block,
            staging: [0; HEADER_LEN],
            stage: Stage::Header,
            filled: 0,
            place: 0,
            offset: 0,
            totals: Totals::default(),
            current: Current { chunk: nothing, stored: 0, consumed: 0, given: 0 },
            input_ended: false,
        }
    }

    /// The next bytes to be filled. Never longer than what the stage needs, so a reader takes nothing from behind the
    /// trailer.
    pub fn window(&mut self) -> &mut [u8] {
        let given = self.current.given;
        let raw_len = usize::try_from(self.current.chunk.len).unwrap_or(usize::MAX);
        let target = match self.stage {
            Stage::Header => self.staging.get_mut(..HEADER_LEN),
            Stage::Record => self.staging.get_mut(..RECORD_LEN),
            Stage::FrameStart => self.staging.get_mut(..FRAME_START.len()),
            Stage::BlockHead => self.staging.get_mut(..BLOCK_HEAD),
            Stage::Raw | Stage::Referred => self.chunk.get_mut(..raw_len),
            Stage::Block(len) => self.block.get_mut(..len),
            Stage::PlainBlock(len) => self.chunk.get_mut(given..given.saturating_add(len)),
            Stage::Ended | Stage::Failed(_) => None,
        };
        target.unwrap_or_default().get_mut(self.filled..).unwrap_or_default()
    }

    /// Takes in the first `filled` bytes of the window; no more than it has.
    pub fn commit(&mut self, filled: usize) {
        let filled = filled.min(self.window().len());
        self.filled = self.filled.saturating_add(filled);
        if self.stage != Stage::Referred {
            self.offset = self.offset.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
        }
    }

    /// Says that no byte will follow.
    pub const fn end_input(&mut self) {
        self.input_ended = true;
    }

    /// Goes on without the content of the reference that the last step gave.
    pub fn skip_reference(&mut self) {
        if self.stage == Stage::Referred {
            self.enter(Stage::Record);
        }
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
    /// What is wrong with the stream, and from then on the same again. The chunks given before were good.
    pub fn step(&mut self) -> Result<ReadStep<'_>, PackError> {
        loop {
            let filled = self.window().is_empty();
            match self.stage {
                Stage::Ended => return Ok(ReadStep::End(self.totals)),
                Stage::Failed(error) => return Err(error),
                _ if filled => {}
                Stage::Referred => return self.fail(PackErrorKind::Reference),
                Stage::Header if self.input_ended && !self.begins_like_a_pack() => {
                    return self.fail(PackErrorKind::NotAPack);
                }
                _ if self.input_ended => {
                    self.place = self.offset;
                    return self.fail(PackErrorKind::Truncated);
                }
                _ => return Ok(ReadStep::NeedInput),
            }
            match self.advance() {
                Ok(None) => {}
                Ok(Some(Seen::Header(header))) => return Ok(ReadStep::Header(header)),
                Ok(Some(Seen::Reference)) => {
                    return Ok(ReadStep::Reference(Reference { chunk: self.current.chunk }));
                }
                Ok(Some(Seen::Chunk)) => {
                    let chunk = self.current.chunk;
                    let len = usize::try_from(chunk.len).unwrap_or(usize::MAX);
                    return Ok(ReadStep::Chunk(VerifiedChunk {
                        chunk,
                        bytes: self.chunk.get(..len).unwrap_or_default(),
                    }));
                }
                Err(kind) => return self.fail(kind),
            }
        }
    }

    /// Whether the bytes of the header that are there, none perhaps, could be those of a pack.
    fn begins_like_a_pack(&self) -> bool {
        self.staging.iter().take(self.filled).zip(&MAGIC).all(|(byte, magic)| byte == magic)
    }

    fn fail<T>(&mut self, kind: PackErrorKind) -> Result<T, PackError> {
        // A record counts from its header on; the one that failed is not whole.
        let whole = match self.stage {
            Stage::Header | Stage::Record => self.totals.records,
            _ => self.totals.records.saturating_sub(1),
        };
        let error = PackError { kind, record: whole, offset: self.place };
        self.stage = Stage::Failed(error);
        trace!("pack refused: {}", error);
        Err(error)
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.filled = 0;
        if stage == Stage::Record {
            self.place = self.offset;
        }
    }
}

/// What there is to tell the caller about.
enum Seen {
    Chunk,
    Header(StreamHeader),
    Reference,
}

impl<'r> VerifiedChunk<'r> {
    /// Place in the restored stream, length and id.
    pub const fn chunk(&self) -> Chunk {
        self.chunk
    }

    /// The chunk's bytes.
    pub const fn bytes(&self) -> &'r [u8] {
        self.bytes
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("stage", &self.stage)
            .field("offset", &self.offset)
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<Reader<'_>>(), 392);
    }
}
