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
//! If the plain sum holds and the keyed check does not, the key is wrong and the header is not damaged. A seed of 0 is the
//! published table; counters have 32 bits. Later versions keep the 76 bytes, the keyed check and the plain sum.
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
//! Blocks do not refer to one another, and there is no content checksum: the id is one.
//!
//! Raw lengths are 1 to the maximum. A raw record's stored length is its raw length, an LZ4 record's is less, and there is
//! none without the compression that the header announces. A block is compressed only if that makes it shorter. A writer
//! stores a chunk raw unless its frame is shorter by at least a sixteenth, and may give up earlier: the one here does after
//! two blocks that, with the frame's start, have gained less than 1/64.
//!
//! The trailer is a record without payload: bytes 4 to 11 hold the total of all raw lengths, the sequence number is the
//! count of records, and the id field holds the chain. The chain starts as 32 zero bytes; each record makes it the keyed
//! hash of the chain and the record's id, references included. Nothing behind the trailer belongs to the stream.
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
//!   0  8e434d494c4c0a1a                  magic
//!   8  0100                              format version 1
//!  10  0100                              chunker id 1
//!  12  40000000                          minimum 64
//!  16  00010000                          average 256
//!  20  00040000                          maximum 1024
//!  24  01                                level 1
//!  25  00                                gear table: published
//!  26  00                                compression: none
//!  27  00                                no block length
//!  28  0000000000000000                  no seed
//!  36  09090909090909090909090909090909  stream id
//!  52  de1d37867e6973a14d878ac4900434c8  keyed check
//!  68  a47f37c2c97f2420                  plain sum
//!  76  01                                kind: raw
//!  77  000000                            zeros
//!  80  06000000                          raw length 6
//!  84  06000000                          stored length 6
//!  88  0000000000000000                  sequence number 0
//!  96  4afc565a1d65a7416d733ee6ef8019c501d89b82d892b36e24562e9c0237b0d4  id
//! 128  bcf10e0ce5a6a0e96c145632dd1aea8e  tag
//! 144  616263616263                      payload: abcabc
//! 150  04                                kind: trailer
//! 151  000000                            zeros
//! 154  0600000000000000                  total 6
//! 162  0100000000000000                  records 1
//! 170  eb5831d44a135b5eb5bf13144fb5dabb4918e002d077eebd4d19660efe85b3f9  chain
//! 202  83d6ed1b922654a03249ff5d9c4bc852  tag
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
pub use reader::{Opener, ReadStep, Reader, RecordReader, RecordStep, Reference, SealedChunk, Totals, VerifiedChunk};
pub use writer::{Stored, Writer};
