//! The pack stream, format version 1: chunks and references to chunks, written and read front to back.
//!
//! [`Writer`] and [`Reader`] are state machines over the caller's memory. A device with neither a heap nor a way to seek
//! can write such a stream and read it back; nothing that was not verified leaves the reader.
//!
//! # Byte by byte
//!
//! Numbers are little-endian. A stream is a header, records, and a trailer.
//!
//! The header has 76 bytes:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic: `8e 43 4d 49 4c 4c 0a 1a` (0x8e, `CMILL`, line feed, control-Z: text transfers damage it) |
//! | 8 | 2 | format version, 1 |
//! | 10 | 2 | chunker id, 1 = FastCDC v2020 ([`ChunkerId`](crate::ChunkerId)) |
//! | 12 | 4 | minimum chunk size |
//! | 16 | 4 | average chunk size |
//! | 20 | 4 | maximum chunk size |
//! | 24 | 1 | normalization level, 0 to 3 |
//! | 25 | 1 | gear table: 0 published, 1 seeded, 2 keyed |
//! | 26 | 1 | compression: 0 none, 1 LZ4 |
//! | 27 | 1 | log2 of the LZ4 block length, 10 to 16; 0 without compression |
//! | 28 | 8 | the seed, or the counter of the keyed table; else 0 |
//! | 36 | 16 | stream id, random |
//! | 52 | 16 | keyed check: tag of bytes 0 to 51 |
//! | 68 | 8 | plain sum: the first 8 bytes of unkeyed BLAKE3 of bytes 0 to 67 |
//!
//! If the plain sum holds and the keyed check does not, the key is wrong and the header is not damaged.
//!
//! A record is 68 bytes and its payload:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 1 | kind: 1 raw, 2 LZ4, 3 reference, 4 trailer |
//! | 1 | 3 | 0 |
//! | 4 | 4 | raw length: bytes of the chunk |
//! | 8 | 4 | stored length: bytes of the payload |
//! | 12 | 8 | sequence number, from 0 |
//! | 20 | 32 | id of the chunk |
//! | 52 | 16 | tag of the stream id and bytes 0 to 51 |
//! | 68 | stored length | payload |
//!
//! The payload of a raw record is the chunk. A reference has none: the chunk was in an earlier record of this stream, or
//! lies where the writer's index knew it to be. The payload of an LZ4 record is a standard LZ4 frame, so that `lz4 -d`
//! reads it when it is cut out: `04 22 4d 18 60 40 82`, then for each block of the block length (the last may be shorter)
//! its stored length in 4 bytes, with the top bit set if the block is not compressed, and its bytes; then `00 00 00 00`.
//! Blocks do not refer to one another, and there is no content checksum: the id is one. A chunk is stored raw unless its
//! frame is shorter by at least a sixteenth.
//!
//! The trailer is a record without payload: bytes 4 to 11 hold the total of all raw lengths, the sequence number is the
//! count of records, and the id field holds the chain. The chain starts as 32 zero bytes; each record makes it the keyed
//! hash of the chain and the record's id.
//!
//! The key of checks, tags and chain is BLAKE3 `derive_key` of the id key with the context `chunkmill pack tag key v1`. A
//! tag is the first 16 bytes of a keyed hash.
//!
//! # What is found, and where
//!
//! Tags make a record that was moved, dropped, repeated or taken from another stream an error at that record, before any
//! byte of it goes out. The id makes any change of a chunk an error. A stream without a trailer is reported as cut off,
//! with the count of whole records. An LZ4 payload that was changed in such a way that it still gives the same chunk is
//! not noticed.
//!
//! # A worked example
//!
//! The key is 32 bytes of 7, the stream id 16 bytes of 9, sizes are 64, 256 and 1024 at level 1, and the stream is the six
//! bytes `abcabc`, which make one chunk. A test reproduces it from this text.
//!
//! ```text
//! HEX
//! ```

mod error;
mod layout;
mod packer;
mod reader;
mod tags;
mod writer;

#[cfg(feature = "lz4")]
mod lz4;

pub use error::{PackError, PackErrorKind};
pub use layout::{BlockLen, Compression, HEADER_LEN, RECORD_LEN, StreamHeader};
#[cfg(feature = "lz4")]
pub use lz4::{CompressTable, Compressor, CompressorError};
pub use packer::{Packer, Pieces};
pub use reader::{ReadStep, Reader, Reference, Totals, VerifiedChunk};
pub use writer::{Stored, Writer};
