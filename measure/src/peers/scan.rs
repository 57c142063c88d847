//! A file read, cut, and an id for every chunk.

use core::error::Error;
use std::fs::File;
use std::io::{Read, Seek};

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
    let mut tally = Tally::default();
    add_chunks(&mut tally, params, file, id_of)?;
    Ok(tally)
}

/// The same over any reader, added to what was counted before.
///
/// # Errors
///
/// The reader's.
pub fn add_chunks(
    tally: &mut Tally,
    params: ChunkParams,
    reader: impl Read,
    id_of: IdOf,
) -> Result<(), Box<dyn Error>> {
    let (min, avg, max, level) = fastcdc_params(params);
    for chunk in StreamCDC::with_level(reader, min, avg, max, level) {
        let chunk = chunk?;
        tally.add_chunk(chunk.offset, chunk.length, &id_of(&chunk.data));
    }
    Ok(())
}
