//! The peers: what a developer would take or write without chunkmill. Each is a function of its input that gives what is compared.

pub mod cut;
pub mod hash;
pub mod pack;
pub mod scan;

use chunkmill_core::ChunkParams;
use fastcdc::v2020::Normalization;

/// The id key of all that is measured. What it is does not matter to the speed.
pub const KEY: [u8; 32] = [7; 32];

/// A keyed hash of a chunk, under [`KEY`].
pub type IdOf = fn(&[u8]) -> [u8; 32];

/// The same parameters as `fastcdc` wants them: min, avg, max, level.
pub fn fastcdc_params(params: ChunkParams) -> (usize, usize, usize, Normalization) {
    let level = match params.level() {
        0 => Normalization::Level0,
        1 => Normalization::Level1,
        2 => Normalization::Level2,
        _ => Normalization::Level3,
    };
    (params.min() as usize, params.avg() as usize, params.max() as usize, level)
}
