//! A file read, cut, and an id for every chunk.

use core::error::Error;
use std::fs::File;
use std::io::Seek;

use chunkmill_core::ChunkParams;
use fastcdc::v2020::StreamCDC;

use super::{IdOf, fastcdc_params};
use crate::tally::Tally;

/// The loop a developer would write first: `fastcdc`'s stream mode over the file, and a keyed hash of each chunk.
///
/// # Errors
///
/// The file cannot be read.
pub fn scan(params: ChunkParams, mut file: &File, id_of: IdOf) -> Result<Tally, Box<dyn Error>> {
    file.rewind()?;
    let (min, avg, max, level) = fastcdc_params(params);
    let mut tally = Tally::default();
    for chunk in StreamCDC::with_level(file, min, avg, max, level) {
        let chunk = chunk?;
        tally.add_chunk(chunk.offset, chunk.length, &id_of(&chunk.data));
    }
    Ok(tally)
}
