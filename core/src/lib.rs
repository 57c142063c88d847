//! FastCDC chunking and keyed BLAKE3 ids, without `std` and without an allocator.
//!
//! Backup agents cut a byte stream into chunks whose borders depend on the content alone, give each chunk an id under a
//! secret key, and store what they have not seen before. This crate is that engine as a set of state machines over the
//! caller's memory: nothing in here allocates, spawns or keeps time, and only [`drive`](#features) reads and writes.
//!
//! ```text
//! bytes ─▶ Cutter (FastCDC) ─▶ ChunkHasher (keyed BLAKE3) ─▶ Chunk { offset, len, id }
//!                                                             │
//!     pack stream ◀── ChunkSink ◀── reference if known, else raw or LZ4 ◀── ChunkIndex
//!         │
//!         └─▶ pack::Reader ─▶ decompressed, hashed again, id compared ─▶ VerifiedChunk
//! ```
//!
//! Two chunkers join the first two. [`StreamingChunker`]: push any slice of the stream, get back the spans that belong to
//! the current chunk, and each chunk as it ends; the window the caller reads through may be far smaller than a chunk.
//! [`RetainingChunker`]: a ring keeps the current chunk until its id is known, so that a chunk known already is neither
//! compressed nor stored.
//!
//! ```
//! use chunkmill_core::{ChunkParams, GearTable, IdKey, StreamingChunker};
//!
//! let params = ChunkParams::new(2048, 8192, 65536, 1)?;
//! let key = IdKey::from_bytes([7; 32]);
//! let mut chunker = StreamingChunker::new(params, GearTable::published(), &key);
//!
//! let stream = [42u8; 100_000];
//! let mut total = 0;
//! for read in stream.chunks(1000) {
//!     let mut input = read;
//!     while let Some(span) = chunker.push(&mut input) {
//!         // `span.bytes` belong to the current chunk; `span.ended` is that chunk, once it is whole.
//!         if let Some(chunk) = span.ended {
//!             total += u64::from(chunk.len);
//!         }
//!     }
//! }
//! if let Some(span) = chunker.finish() {
//!     total += u64::from(span.ended.map_or(0, |chunk| chunk.len));
//! }
//! assert_eq!(total, 100_000);
//! # Ok::<(), chunkmill_core::ParamError>(())
//! ```
//!
//! # Cut points
//!
//! They equal those of the `fastcdc` crate, version 5, module `v2020`, for every input, every valid set of parameters and
//! every way of splitting the input into pushes. The algorithm is Xia et al., "The Design of Fast Content-Defined Chunking
//! for Data Deduplication Based Storage Systems", IEEE TPDS 2020; its stable number is [`ChunkerId::FASTCDC_V2020`].
//!
//! # Features
//!
//! None is on by default; each adds API and changes nothing else, but for `blake3-neon`, which changes speed alone.
//!
//! | feature | adds |
//! |---|---|
//! | `embedded-io` | `drive`: ingest, restore and verify over `embedded_io` |
//! | `embedded-io-async` | `drive::asynchronous`: the same over `embedded_io_async` |
//! | `lz4` | `pack::Compressor`, and reading compressed packs |
//! | `heapless` | `RecentIndex` |
//! | `defmt` | `defmt::Format` on values and errors, and trace messages; needs a `defmt` logger to link |
//! | `blake3-neon` | BLAKE3 with NEON on 32-bit ARM, where not every CPU has it; aarch64 has it anyway |
//!
//! # RAM
//!
//! | type | bytes on 64-bit targets |
//! |---|---|
//! | [`Cutter`] | 56 |
//! | [`ChunkHasher`] | 1,920 |
//! | [`StreamingChunker`] | 1,992 |
//! | [`RetainingChunker`], besides its ring | 2,048 |
//! | [`pack::Reader`], besides its memory | 440 |
//! | [`pack::Packer`], besides its compressor's memory | 312 |
//! | [`GearTable`], only if seeded or keyed | 8,208 on x86-64, else 2,064 (the published one is in read-only memory) |
//!
//! # Panics
//!
//! None is reachable from input bytes: constructors answer with errors, and the lints of the workspace forbid indexing,
//! unwrapping and unchecked arithmetic.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        reason = "a test that overflows fails, as it should"
    )
)]

#[cfg(target_pointer_width = "16")]
compile_error!("chunk lengths reach 16 MiB: usize must have at least 32 bits");

#[macro_use]
mod trace;

mod chunk;
mod cutter;
#[cfg(feature = "embedded-io")]
pub mod drive;
mod gear;
mod hasher;
mod id;
mod index;
pub mod pack;
mod params;
mod retaining;
mod ring;
mod scan;
mod store;
mod streaming;
mod tree;

pub use chunk::Chunk;
pub use cutter::{Cutter, Scanned};
pub use gear::{GearKind, GearTable};
pub use hasher::ChunkHasher;
pub use id::{ChunkId, IdKey, ParseHexError};
#[cfg(feature = "heapless")]
pub use index::RecentIndex;
pub use index::{ChunkIndex, NoIndex};
pub use params::{ChunkParams, ChunkerId, ParamError, Size};
pub use retaining::{Retained, RetainingChunker, RingTooSmall, Step};
pub use ring::{RingBuffer, RingError};
pub use scan::Kernel;
pub use store::{ChunkSink, ChunkSource, NoSource};
pub use streaming::{Span, StreamingChunker};
pub use tree::{ChunkTree, Piece, PieceHasher, Subtree, TreeError};
