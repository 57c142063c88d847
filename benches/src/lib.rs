//! What the benchmarks of chunkmill share: seeded data, an interleaved measuring harness, and the subjects measured.
//!
//! Two kinds of benchmark are built on it:
//!
//! - `ratio`, a program for figures that compare: it runs ours and the peer in turn within one process, so that both see
//!   the same machine, and reports wall time and CPU time with the ratio of each. It ends with an error if the outputs
//!   differ, never because of a speed.
//! - criterion benches, for following one subject from change to change.
//!
//! ```text
//! cargo run --release -p chunkmill-benches --bin ratio -- cut
//! cargo run --release -p chunkmill-benches --bin ratio -- scan --size 1GiB --avg 64KiB,2MiB
//! cargo bench -p chunkmill-benches
//! ```
//!
//! With the feature `blake3-sse41` BLAKE3 uses neither AVX2 nor AVX-512, in ours and in the peers.

#![forbid(unsafe_code)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "benchmarks: a wrong figure of their own is best met by a panic"
)]

pub mod params;
pub mod size;
pub mod subject;
pub mod table;

pub use chunkmill_measure::{chart, data, harness, machine, repeat, stats, tally};
