//! The asynchronous drivers do what the others do, call by call, whether devices make them wait or not.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

mod buffered;
mod devices;
mod dropped;
mod faults;
mod misplaced;
mod round_trips;
