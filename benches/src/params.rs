//! The sets of chunk parameters that are measured.

use chunkmill_core::{ChunkParams, ParamError};

use crate::size::Size;

/// A quarter of the average, the average, and four times it, at level 1.
///
/// # Errors
///
/// A size is out of range.
pub fn around(avg: Size) -> Result<ChunkParams, ParamError> {
    // Chunk sizes have 32 bits. What does not fit is out of range anyway.
    chunkmill_measure::params::around(u32::try_from(avg.bytes()).unwrap_or(u32::MAX))
}

/// As [`around`], but eight times the average at 8 KiB: 2, 8 and 64 KiB are the sizes of the FastCDC papers.
///
/// # Errors
///
/// A size is out of range.
pub fn published(avg: Size) -> Result<ChunkParams, ParamError> {
    let params = around(avg)?;
    if params.avg() == 8 << 10 { ChunkParams::new(params.min(), params.avg(), 64 << 10, 1) } else { Ok(params) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(params: ChunkParams) -> [u32; 3] {
        [params.min() >> 10, params.avg() >> 10, params.max() >> 10]
    }

    #[test]
    fn the_sets_of_the_tables() {
        let published = |avg: &str| sizes(published(avg.parse().unwrap()).unwrap());
        assert_eq!(published("8KiB"), [2, 8, 64]);
        assert_eq!(published("64KiB"), [16, 64, 256]);
        assert_eq!(published("2MiB"), [512, 2048, 8192]);
        assert_eq!(sizes(around("8KiB".parse().unwrap()).unwrap()), [2, 8, 32]);
    }

    #[test]
    fn too_large_is_an_error_not_another_size() {
        assert!(around("8GiB".parse().unwrap()).is_err());
        assert!(around("8MiB".parse().unwrap()).is_err());
        assert!(around("100".parse().unwrap()).is_err());
    }
}
