//! What is measured: ours, each as a function of its input that gives a [`Tally`](crate::tally::Tally), beside the
//! [peers](chunkmill_measure::peers).

pub mod chunks;
pub mod cut;
pub mod device;
pub mod files;
pub mod pack;
pub mod scan;
