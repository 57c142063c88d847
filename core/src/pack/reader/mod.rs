//! Reading a stream front to back.

mod frame;
mod opener;
mod payload;
mod records;

use core::fmt;

use self::payload::{Memory, Payload};
use super::error::{PackError, PackErrorKind};
use super::layout::StreamHeader;
use super::writer::Stored;
use crate::{Chunk, IdKey};

pub use self::opener::Opener;
pub use self::records::{RecordReader, RecordStep, SealedChunk};

/// Reads a pack stream through memory that the caller lends, and lends back chunks whose ids were checked.
///
/// Takes 440 bytes of RAM on 64-bit targets, besides the memory lent: one chunk of the largest size that is to be read, and
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
    records: RecordReader,
    memory: Memory<'m>,
    /// What follows the record at hand.
    payload: Option<Payload>,
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

/// A chunk whose bytes give its id. Only a [`Reader`] or an [`Opener`] can make one.
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
        Self { records: RecordReader::new(key), memory: Memory { chunk, block }, payload: None }
    }

    /// The next bytes to be filled. Never longer than what the stage needs, so a reader takes nothing from behind the
    /// trailer.
    pub fn window(&mut self) -> &mut [u8] {
        match &mut self.payload {
            Some(payload) => payload.window(&mut self.memory),
            None => self.records.window(),
        }
    }

    /// Takes in the first `filled` bytes of the window; no more than it has.
    pub fn commit(&mut self, filled: usize) {
        let Some(payload) = &mut self.payload else { return self.records.commit(filled) };
        let filled = filled.min(payload.window(&mut self.memory).len());
        payload.commit(filled);
        if payload.sealed.stored() != Stored::Reference {
            self.records.take_payload(u32::try_from(filled).unwrap_or(u32::MAX));
        }
    }

    /// Says that no byte will follow.
    pub const fn end_input(&mut self) {
        self.records.end_input();
    }

    /// Goes on without the content of the reference that the last step gave.
    pub fn skip_reference(&mut self) {
        self.payload.take_if(|payload| payload.sealed.stored() == Stored::Reference);
    }

    /// What was read so far, a record that turned out to be wrong included.
    pub const fn totals(&self) -> Totals {
        self.records.totals()
    }

    /// Bytes of the stream taken so far.
    pub const fn offset(&self) -> u64 {
        self.records.offset()
    }

    /// Goes on to the next thing in the stream.
    ///
    /// # Errors
    ///
    /// What is wrong with the stream, and from then on the same again. The chunks given before were good.
    pub fn step(&mut self) -> Result<ReadStep<'_>, PackError> {
        if let Some(mut payload) = self.payload.take() {
            let Self { records, memory, .. } = self;
            loop {
                let reference = payload.sealed.stored() == Stored::Reference;
                if !payload.window(memory).is_empty() {
                    if reference {
                        return Err(records.fail(payload.sealed.error(PackErrorKind::Reference)));
                    }
                    if records.input_ended() {
                        return Err(records.cut_off());
                    }
                    self.payload = Some(payload);
                    return Ok(ReadStep::NeedInput);
                }
                match payload.advance(memory, records.compression(), records.key()) {
                    Ok(false) => {}
                    Ok(true) => return Ok(ReadStep::Chunk(self.verified(payload.sealed.chunk()))),
                    Err(kind) => return Err(records.fail(payload.sealed.error(kind))),
                }
            }
        }
        match self.records.step()? {
            RecordStep::NeedInput => Ok(ReadStep::NeedInput),
            RecordStep::End(totals) => Ok(ReadStep::End(totals)),
            RecordStep::Header(header) => match self.memory.has_room(&header) {
                Ok(()) => Ok(ReadStep::Header(header)),
                Err(kind) => Err(self.records.fail(PackError { kind, record: 0, offset: 0 })),
            },
            RecordStep::Record(sealed) => {
                let payload = Payload::new(sealed).map_err(|kind| self.records.fail(sealed.error(kind)))?;
                self.payload = Some(payload);
                match sealed.stored() {
                    Stored::Reference => Ok(ReadStep::Reference(Reference { chunk: sealed.chunk() })),
                    Stored::Lz4(_) | Stored::Raw => self.step(),
                }
            }
        }
    }

    /// What the chunk memory holds, which was checked.
    fn verified(&self, chunk: Chunk) -> VerifiedChunk<'_> {
        let len = usize::try_from(chunk.len).unwrap_or(usize::MAX);
        VerifiedChunk { chunk, bytes: self.memory.chunk.get(..len).unwrap_or_default() }
    }
}

/// Whether these are the bytes of the chunk.
fn has_id(key: &IdKey, bytes: &[u8], chunk: &Chunk) -> bool {
    key.id_of(bytes) == chunk.id
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
        f.debug_struct("Reader").field("offset", &self.offset()).field("totals", &self.totals()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<Reader<'_>>(), 440);
    }
}
