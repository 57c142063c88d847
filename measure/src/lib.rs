//! How chunkmill measures itself and its peers: in turn, in one run, by wall time and by CPU time.
//!
//! Shared by the benches and by the program's own commands that measure: the data, the peers, the clocks, the statistics.

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
    reason = "measuring: a wrong figure of its own is best met by a panic"
)]

pub mod chart;
pub mod clock;
pub mod cutting;
pub mod data;
pub mod harness;
pub mod machine;
pub mod params;
pub mod peers;
pub mod repeat;
pub mod rng;
pub mod stats;
pub mod tally;
mod text;
