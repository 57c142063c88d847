//! Streams over [`embedded_io`]: a device's bytes into a pack, a pack back into bytes, a pack checked.
//!
//! Drivers are loops over the state machines of this crate and hold no memory of their own. They repeat calls that say
//! `Interrupted`, take a reader's `Ok(0)` for the end of its stream, and a writer's `Ok(0)` for an error. An error tells the
//! offset, and comes with a [`Summary`] of what was done before it.
//!
//! ```
//! use chunkmill_core::drive::{PackSink, ingest, restore};
//! use chunkmill_core::pack::{Packer, Reader};
//! use chunkmill_core::{ChunkParams, GearTable, IdKey, NoIndex, NoSource, RetainingChunker};
//!
//! let params = ChunkParams::new(64, 256, 1024, 1)?;
//! let key = IdKey::from_bytes([7; 32]);
//! let mut ring = [0; 1026];
//! let mut chunker = RetainingChunker::new(params, GearTable::published(), &key, &mut ring)?;
//! let packer = Packer::new(params, GearTable::published(), *b"random, in truth", &key);
//!
//! let mut flash = [0u8; 8192];
//! let mut sink = PackSink::new(packer, &mut flash[..]);
//! let done = ingest(&mut &[42u8; 5000][..], &mut chunker, &mut NoIndex, &mut sink)?;
//! assert_eq!((done.bytes, done.chunks), (5000, 5));
//!
//! let (mut chunk, mut block) = ([0; 1024], [0; 0]);
//! let reader = Reader::new(&key, &mut chunk, &mut block);
//! let mut restored = [0u8; 5000];
//! restore(&mut &flash[..], reader, &mut NoSource, &mut &mut restored[..])?;
//! assert_eq!(restored, [42; 5000]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "embedded-io-async")]
pub mod asynchronous;

mod error;
mod ingest;
mod read_pack;
mod sink;
mod summary;
mod transfer;

pub use error::{IngestError, ReadError, RestoreError, WriteError};
pub use ingest::ingest;
pub use read_pack::{restore, verify};
pub use sink::PackSink;
pub use summary::{Stopped, Summary};
