use core::error::Error;
use core::fmt;

/// What is wrong with a pack stream, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PackError {
    /// What is wrong.
    pub kind: PackErrorKind,
    /// Whole records before the place. Their tags were good, and their payloads, if they were opened.
    pub record: u64,
    /// Offset in the stream, in bytes, of the header or record that is wrong; of a stream that is cut off, its length.
    pub offset: u64,
}

/// What is wrong with a pack stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PackErrorKind {
    /// The memory lent to the reader is too small for this stream's chunks or blocks.
    Buffer {
        /// Bytes needed.
        needed: usize,
        /// Bytes lent.
        found: usize,
    },
    /// The stream's header was changed.
    Header,
    /// A record's tag does not hold: it was changed, or it comes from another stream.
    HeaderTag,
    /// A record has good tags and lengths that the stream's parameters do not allow.
    Lengths,
    /// This is no pack stream.
    NotAPack,
    /// A record of this stream lies in another's place.
    Order {
        /// Sequence number that belongs here.
        expected: u64,
        /// Sequence number found.
        found: u64,
    },
    /// A payload does not give the chunk that its record promises.
    Payload,
    /// A reference's chunk was not to be had, or has another id.
    Reference,
    /// The trailer does not count what came before it.
    Trailer,
    /// The input ended before the trailer.
    Truncated,
    /// The header is good and asks for something that this version, as it was built, cannot do.
    Unsupported,
    /// The key is not the one that the stream was written with.
    WrongKey,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PackErrorKind::Truncated => {
                write!(f, "truncated after {} whole records, at offset {}", self.record, self.offset)
            }
            kind => write!(f, "{kind} (record {}, offset {})", self.record, self.offset),
        }
    }
}

impl fmt::Display for PackErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer { needed, found } => write!(f, "buffer of {found} bytes is too small, {needed} are needed"),
            Self::Header => f.write_str("header: the stream's header is damaged"),
            Self::HeaderTag => f.write_str("header tag: a record is damaged or from another stream"),
            Self::Lengths => f.write_str("lengths: a record's lengths break the stream's own limits"),
            Self::NotAPack => f.write_str("not a chunkmill pack: the first bytes are others"),
            Self::Order { expected, found } => write!(f, "order: expected record {expected}, found record {found}"),
            Self::Payload => f.write_str("payload: the bytes are not those of the chunk's id"),
            Self::Reference => f.write_str("reference: the chunk it stands for is not to be had"),
            Self::Trailer => f.write_str("trailer: the totals do not match the records"),
            Self::Truncated => f.write_str("truncated: the trailer is missing"),
            Self::Unsupported => f.write_str("unsupported: the stream was written by a later or fuller version"),
            Self::WrongKey => f.write_str("wrong key: the stream was written with another"),
        }
    }
}

impl Error for PackError {}
