//! What is measured: ours, and the peers, each as a function of its input that gives a [`Tally`](crate::tally::Tally).

pub mod cut;
pub mod files;
pub mod pack;
pub mod scan;

use chunkmill_core::ChunkParams;
use fastcdc::v2020::Normalization;

/// The same parameters as `fastcdc` wants them: min, avg, max, level.
fn peer_params(params: ChunkParams) -> (usize, usize, usize, Normalization) {
    let level = match params.level() {
        0 => Normalization::Level0,
        1 => Normalization::Level1,
        2 => Normalization::Level2,
        _ => Normalization::Level3,
    };
    (params.min() as usize, params.avg() as usize, params.max() as usize, level)
}
