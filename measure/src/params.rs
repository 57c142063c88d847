//! The chunk sizes that are measured.

use chunkmill_core::{ChunkParams, ParamError};

/// A quarter of the average, the average, and four times it, at level 1.
///
/// # Errors
///
/// A size is out of range.
pub fn around(avg: u32) -> Result<ChunkParams, ParamError> {
    ChunkParams::new(avg / 4, avg, avg.saturating_mul(4), 1)
}
