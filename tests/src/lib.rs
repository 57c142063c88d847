//! What the tests across chunkmill's crates share: made-up data, the oracle, a naive scan, and drivers that push a stream
//! in pieces and check every span on the way.
//!
//! Three views of the same cut points are compared: chunkmill's own, those of the `fastcdc` crate ([`oracle`]), and those
//! of a scan so plain that it can be read against the definition ([`naive`]).

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests: a panic fails the test, which is what they are for"
)]

/// The code in the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

pub mod buffered;
pub mod data;
pub mod devices;
pub mod drive;
pub mod golden_packs;
pub mod ledger;
pub mod naive;
pub mod oracle;
pub mod pack_example;
pub mod pack_reading;
pub mod pack_writing;
pub mod packing;
pub mod plain_frame;
pub mod plain_pack;
pub mod retained;
pub mod ring_model;
pub mod setup;
pub mod vectors;
