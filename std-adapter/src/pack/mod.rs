//! Packs: one stream chunked, deduplicated, compressed and written front to back, and read again.
//!
//! The format and all that decides about bytes is the core's, see [`chunkmill_core::pack`]; this module brings files,
//! an index of all chunks, and a way back to chunks that stand earlier in a stream.
//!
//! ```
//! use chunkmill::core::{ChunkParams, GearTable, IdKey};
//! use chunkmill::{Gate, Pool};
//! use chunkmill::pack::{Earlier, PackSetup, ReadSetup, pack, unpack};
//!
//! let key = IdKey::from_bytes([7; 32]);
//! let setup = PackSetup {
//!     params: ChunkParams::new(2048, 8192, 65536, 1)?,
//!     gear: GearTable::published(),
//!     key: &key,
//!     stream_id: *b"random, in truth",
//!     compressed: true,
//!     memory: 64 << 20,
//!     gate: Gate::default(),
//! };
//! let mut packed = Vec::new();
//! let done = Pool::scope(2, |pool| pack(pool, &[42; 500_000][..], &mut packed, &setup))?;
//! assert_eq!((done.bytes, done.chunks, done.references), (500_000, 8, 6));
//! assert!(packed.len() < 4000);
//!
//! let file = tempfile::tempfile()?;
//! let mut earlier = Earlier::in_restored(file.try_clone()?);
//! let setup = ReadSetup { key: &key, memory: 64 << 20, waits: false, gate: Gate::default() };
//! let restored = Pool::scope(2, |pool| unpack(pool, &packed[..], &mut earlier, &file, &setup))?;
//! assert_eq!((restored.summary.bytes, restored.more_follows), (500_000, false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cutting;
mod device;
mod earlier;
mod line;
mod parcel;
mod read;
mod records;
mod seen;
mod span;
#[cfg(test)]
mod tests;
mod write;

pub use earlier::Earlier;
pub use read::{Listed, ReadSetup, UnpackError, VerifyError, Whole, list, unpack, verify};
pub use seen::SeenChunks;
pub use write::{PackSetup, PackWriteError, pack};
