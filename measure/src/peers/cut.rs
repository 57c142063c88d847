//! Cut points only.

use core::error::Error;
use core::hint::black_box;
use std::io::Read;

use chunkmill_core::ChunkParams;
use fastcdc::v2020::{FastCDC, StreamCDC};

use super::fastcdc_params;
use crate::tally::Tally;

/// The `fastcdc` crate over one slice.
pub fn fastcdc_slice(params: ChunkParams, data: &[u8]) -> Tally {
    let (min, avg, max, level) = fastcdc_params(params);
    let mut tally = Tally::default();
    for chunk in FastCDC::with_level(black_box(data), min, avg, max, level) {
        tally.add_len(chunk.length);
    }
    tally
}

/// The `fastcdc` crate over a reader. It copies each chunk into memory of its own.
///
/// # Errors
///
/// The reader's.
pub fn fastcdc_stream(params: ChunkParams, reader: impl Read) -> Result<Tally, Box<dyn Error>> {
    let (min, avg, max, level) = fastcdc_params(params);
    let mut tally = Tally::default();
    for chunk in StreamCDC::with_level(reader, min, avg, max, level) {
        tally.add_len(black_box(chunk?.data).len());
    }
    Ok(tally)
}
