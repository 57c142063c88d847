use super::layout::{HEADER_LEN, Kind, RECORD_LEN, Record, StreamHeader, join_lens};
use super::tags::Tags;
use crate::{Chunk, IdKey};

/// Makes the bytes of a pack stream: its header, what stands before each payload, and the trailer. The payloads themselves
/// go from the caller straight to the device.
///
/// Takes 96 bytes of RAM. See the [module](super) for the format.
///
/// ```
/// use chunkmill_core::pack::{Compression, Stored, StreamHeader, Writer};
/// use chunkmill_core::{Chunk, ChunkParams, GearKind, IdKey};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let header = StreamHeader {
///     params: ChunkParams::DEFAULT,
///     gear: GearKind::Published,
///     compression: Compression::None,
///     stream_id: *b"random, in truth",
/// };
/// let mut device = Vec::new();
/// let (mut writer, start) = Writer::new(&header, &key);
/// device.extend(start);
/// let bytes = b"all there is";
/// let chunk = Chunk { offset: 0, len: 12, id: key.id_of(bytes) };
/// device.extend(writer.record(&chunk, Stored::Raw));
/// device.extend(bytes);
/// device.extend(writer.trailer());
/// assert_eq!(device.len(), 76 + 68 + 12 + 68);
/// ```
#[derive(Debug)]
pub struct Writer {
    tags: Tags,
    records: u64,
    bytes: u64,
}

/// The payload that follows a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Stored {
    /// An LZ4 frame of so many bytes.
    Lz4(u32),
    /// The chunk's bytes.
    Raw,
    /// None: the chunk was stored before.
    Reference,
}

impl Stored {
    /// Bytes of the payload for a chunk of `len` bytes.
    pub const fn payload_len(self, len: u32) -> u32 {
        match self {
            Self::Lz4(stored) => stored,
            Self::Raw => len,
            Self::Reference => 0,
        }
    }
}

impl Writer {
    /// A writer, and the header to write first.
    pub fn new(header: &StreamHeader, key: &IdKey) -> (Self, [u8; HEADER_LEN]) {
        let tags = Tags::new(key, header.stream_id);
        let bytes = tags.seal_header(header);
        (Self { tags, records: 0, bytes: 0 }, bytes)
    }

    /// The bytes that stand before the payload of a chunk. The caller writes them and the payload, or gives the stream up:
    /// the record counts from now on.
    pub fn record(&mut self, chunk: &Chunk, stored: Stored) -> [u8; RECORD_LEN] {
        let kind = match stored {
            Stored::Lz4(_) => Kind::Lz4,
            Stored::Raw => Kind::Raw,
            Stored::Reference => Kind::Reference,
        };
        let lens = join_lens(chunk.len, stored.payload_len(chunk.len));
        let record = Record { kind, lens, sequence: self.records, id: *chunk.id.as_bytes() };
        self.records = self.records.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(u64::from(chunk.len));
        self.tags.extend_chain(&record);
        self.tags.seal(&record)
    }

    /// Records so far.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Bytes of the chunks so far.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The trailer after the records so far, to be written last: without it the stream counts as cut off.
    pub fn trailer(&self) -> [u8; RECORD_LEN] {
        let id = self.tags.chain();
        self.tags.seal(&Record { kind: Kind::Trailer, lens: self.bytes, sequence: self.records, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<Writer>(), 96);
    }
}
