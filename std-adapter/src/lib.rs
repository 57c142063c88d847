//! Chunks and keyed ids for backup agents on NAS boxes: FastCDC and BLAKE3 over any [`Read`](std::io::Read), with the
//! CPU-seconds counted.
//!
//! This crate adds files, directories, clocks and the `chunkmill` program to [`chunkmill_core`], which does the cutting and
//! hashing and is exported here as [`core`].
//!
//! ```
//! use chunkmill::core::{ChunkParams, GearTable, IdKey};
//! use chunkmill::{Pool, ScanError, Scanner};
//!
//! let params = ChunkParams::new(2048, 8192, 65536, 1)?;
//! let key = IdKey::from_bytes([7; 32]);
//! let scanner = Scanner::new(params, GearTable::published(), &key);
//!
//! let mut chunks = Vec::new();
//! let bytes = Pool::scope(2, |pool| {
//!     scanner.scan(pool, &[42; 200_000][..], |chunk| {
//!         chunks.push(chunk);
//!         Ok::<(), ScanError>(())
//!     })
//! })?;
//! assert_eq!(bytes, 200_000);
//! assert_eq!(chunks.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `cli`, on by default | the program, and nothing to the library: link with `default-features = false` |
//! | `capi` | `capi`, the C interface that `include/chunkmill.h` declares |
//! | `blake3-neon` | BLAKE3 with NEON on 32-bit ARM, for CPUs that all have it; only speed changes |
//! | `blake3-sse41` | for measuring: BLAKE3 without AVX2 and AVX-512; only speed changes |

#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        reason = "a test that overflows fails, as it should"
    )
)]

#[cfg(feature = "capi")]
pub mod capi;
pub mod key;
pub mod pack;
pub mod usage;

mod background;
mod gate;
mod kernel;
mod pace;
mod pool;
mod read;
mod scan;
mod source;
mod sparse;
mod split;
mod stream;
mod syscalls;
mod totals;
mod walk;

pub use background::enter_background;
pub use chunkmill_core as core;
pub use gate::{GATE_VARIABLE, Gate, GateError, Objective, Split};
pub use kernel::{KERNEL_VARIABLE, UnknownKernel, kernel_from_environment};
pub use pace::Pace;
pub use pool::Pool;
pub use read::ReadError;
pub use scan::{Event, HashEvent, ScanError, Scanner, StreamHasher};
pub use source::{SizeChanged, Source};
pub use sparse::SparseWriter;
pub use split::hash_slice;
pub use stream::{Next, Plain, Stream};
pub use totals::Totals;
pub use walk::{Entry, WalkError, walk};

/// The README's example of this crate is a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
