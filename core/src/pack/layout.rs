//! The bytes of headers and records, and what they say.

use crate::{ChunkParams, ChunkerId, GearKind};

/// Bytes of a stream's header.
pub const HEADER_LEN: usize = 76;

/// Bytes of a record without its payload, and of the trailer.
pub const RECORD_LEN: usize = 68;

/// The part of a header or a record that the tag is about.
pub(super) const TAGGED_LEN: usize = 52;
pub(super) const TAG_LEN: usize = 16;
/// The part of a header that the plain sum is about.
pub(super) const SUMMED_LEN: usize = TAGGED_LEN + TAG_LEN;

pub(super) const MAGIC: [u8; 8] = [0x8e, b'C', b'M', b'I', b'L', b'L', 0x0a, 0x1a];
pub(super) const VERSION: u16 = 1;

/// The start of every LZ4 payload: the magic number, then flags (version 1, independent blocks), a largest block of
/// 64 KiB, and the checksum of these two, which is the same for all.
pub(super) const FRAME_START: [u8; 7] = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
pub(super) const FRAME_END: [u8; 4] = [0; 4];
/// Bytes that tell the length of a block of an LZ4 frame.
pub(super) const BLOCK_HEAD: usize = 4;
/// In the length of a block of an LZ4 frame: the block is not compressed.
pub(super) const NOT_COMPRESSED: u32 = 1 << 31;

/// What a pack stream says about itself before its first record.
///
/// Takes 56 bytes of RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StreamHeader {
    /// Sizes and level of the chunker.
    pub params: ChunkParams,
    /// The chunker's gear table.
    pub gear: GearKind,
    /// How payloads may be compressed.
    pub compression: Compression,
    /// 16 random bytes, so that no two streams have the same. A record cannot be moved between streams of different ids.
    pub stream_id: [u8; 16],
}

/// How payloads may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Compression {
    /// As LZ4 frames, in blocks of this length.
    Lz4(BlockLen),
    /// Not at all.
    None,
}

/// Length of the blocks that a chunk is compressed in: a power of two from 1 KiB to 64 KiB. Longer blocks compress better,
/// shorter ones need less memory for writing and reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BlockLen(u8);

impl BlockLen {
    /// 64 KiB, the longest.
    pub const MAX: Self = Self(16);

    /// A block of 2^`log2` bytes; `None` unless `log2` is 10 to 16.
    pub const fn from_log2(log2: u8) -> Option<Self> {
        match log2 {
            10..=16 => Some(Self(log2)),
            _ => None,
        }
    }

    /// The length in bytes.
    pub const fn bytes(self) -> usize {
        1 << self.0
    }
}

impl StreamHeader {
    /// The first [`TAGGED_LEN`] bytes of the header.
    pub(super) fn encode(&self) -> [u8; TAGGED_LEN] {
        let mut bytes = [0; TAGGED_LEN];
        let mut out = Out(&mut bytes);
        out.put(MAGIC);
        out.put(VERSION.to_le_bytes());
        out.put(ChunkerId::FASTCDC_V2020.as_u16().to_le_bytes());
        out.put(self.params.min().to_le_bytes());
        out.put(self.params.avg().to_le_bytes());
        out.put(self.params.max().to_le_bytes());
        let (gear, value) = match self.gear {
            GearKind::Published | GearKind::Seeded(0) => (0, 0),
            GearKind::Seeded(seed) => (1, seed),
            GearKind::Keyed { counter } => (2, u64::from(counter)),
        };
        let (compression, block) = match self.compression {
            Compression::None => (0, 0),
            Compression::Lz4(BlockLen(log2)) => (1, log2),
        };
        out.put([self.params.level(), gear, compression, block]);
        out.put(value.to_le_bytes());
        out.put(self.stream_id);
        bytes
    }

    /// Reads what [`encode`](Self::encode) wrote. `None` if any field has a value that this version does not know, which
    /// a header whose tag holds can only have if a later version wrote it.
    pub(super) fn decode(bytes: &[u8; TAGGED_LEN]) -> Option<Self> {
        let mut fields = In(bytes);
        if fields.take::<8>()? != MAGIC || u16::from_le_bytes(fields.take()?) != VERSION {
            return None;
        }
        if u16::from_le_bytes(fields.take()?) != ChunkerId::FASTCDC_V2020.as_u16() {
            return None;
        }
        let sizes = [(); 3].map(|()| fields.take().map(u32::from_le_bytes));
        let [Some(min), Some(avg), Some(max)] = sizes else { return None };
        let [level, gear, compression, block] = fields.take()?;
        let params = ChunkParams::new(min, avg, max, level).ok()?;
        let value = u64::from_le_bytes(fields.take()?);
        let gear = match (gear, value) {
            (0, 0) => GearKind::Published,
            (1, 1..) => GearKind::Seeded(value),
            (2, _) => GearKind::Keyed { counter: u32::try_from(value).ok()? },
            _ => return None,
        };
        let compression = match (compression, block) {
            (0, 0) => Compression::None,
            (1, log2) => Compression::Lz4(BlockLen::from_log2(log2)?),
            _ => return None,
        };
        Some(Self { params, gear, compression, stream_id: fields.take()? })
    }
}

/// The kinds of records, as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Raw,
    Lz4,
    Reference,
    Trailer,
}

/// A record without payload and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) kind: Kind,
    /// Raw length in the lower half and stored length in the upper; of a trailer, the total of all raw lengths.
    pub(super) lens: u64,
    pub(super) sequence: u64,
    /// The id; of a trailer, the chain.
    pub(super) id: [u8; 32],
}

impl Record {
    pub(super) fn encode(&self) -> [u8; TAGGED_LEN] {
        let mut bytes = [0; TAGGED_LEN];
        let mut out = Out(&mut bytes);
        let kind = match self.kind {
            Kind::Raw => 1,
            Kind::Lz4 => 2,
            Kind::Reference => 3,
            Kind::Trailer => 4,
        };
        out.put([kind, 0, 0, 0]);
        out.put(self.lens.to_le_bytes());
        out.put(self.sequence.to_le_bytes());
        out.put(self.id);
        bytes
    }

    pub(super) fn decode(bytes: &[u8; TAGGED_LEN]) -> Option<Self> {
        let mut fields = In(bytes);
        let kind = match fields.take()? {
            [1, 0, 0, 0] => Kind::Raw,
            [2, 0, 0, 0] => Kind::Lz4,
            [3, 0, 0, 0] => Kind::Reference,
            [4, 0, 0, 0] => Kind::Trailer,
            _ => return None,
        };
        let lens = u64::from_le_bytes(fields.take()?);
        let sequence = u64::from_le_bytes(fields.take()?);
        Some(Self { kind, lens, sequence, id: fields.take()? })
    }
}

/// Raw and stored length as they lie side by side in a record.
pub(super) fn join_lens(raw: u32, stored: u32) -> u64 {
    u64::from(raw) | u64::from(stored) << 32
}

/// The inverse of [`join_lens`].
pub(super) const fn split_lens(lens: u64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = lens.to_le_bytes();
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// Fields are put one behind the other; what does not fit is left out, which no caller lets happen.
pub(super) struct Out<'b>(pub(super) &'b mut [u8]);

impl Out<'_> {
    pub(super) fn put<const N: usize>(&mut self, field: [u8; N]) {
        if let Some((place, rest)) = core::mem::take(&mut self.0).split_first_chunk_mut() {
            *place = field;
            self.0 = rest;
        }
    }
}

/// Fields are taken one behind the other.
pub(super) struct In<'b>(pub(super) &'b [u8]);

impl In<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> impl Iterator<Item = StreamHeader> {
        let gears = [GearKind::Published, GearKind::Seeded(7), GearKind::Keyed { counter: 3 }];
        let compressions = [Compression::None, Compression::Lz4(BlockLen::MAX), Compression::Lz4(BlockLen(10))];
        gears.into_iter().flat_map(move |gear| {
            compressions.into_iter().map(move |compression| StreamHeader {
                params: ChunkParams::DEFAULT,
                gear,
                compression,
                stream_id: *b"0123456789abcdef",
            })
        })
    }

    #[test]
    fn headers_are_read_as_written() {
        for header in headers() {
            assert_eq!(StreamHeader::decode(&header.encode()), Some(header));
        }
    }

    #[test]
    fn unknown_values_are_refused() {
        let good = headers().next().unwrap().encode();
        for (at, value) in [(0, 0), (8, 2), (10, 2), (12, 1), (24, 4), (25, 3), (25, 1), (26, 2), (27, 1), (28, 1)] {
            let mut bytes = good;
            bytes[at] = value;
            assert_eq!(StreamHeader::decode(&bytes), None, "{at}");
        }
    }

    #[test]
    fn records_are_read_as_written() {
        for (kind, stored) in [(Kind::Raw, 1), (Kind::Lz4, 2), (Kind::Reference, 3), (Kind::Trailer, 4)] {
            let record = Record { kind, lens: join_lens(1 << 20, 3), sequence: 1 << 40, id: [5; 32] };
            let mut bytes = record.encode();
            assert_eq!(Record::decode(&bytes), Some(record));
            assert_eq!(bytes[0], stored);
            assert_eq!(split_lens(record.lens), (1 << 20, 3));
            bytes[2] = 1;
            assert_eq!(Record::decode(&bytes), None);
        }
    }
}
