//! The records of a pack, one by one.

use core::convert::Infallible;
use std::io::{self, BufReader, Read};

use chunkmill_core::drive::{ReadError, RestoreError};
use chunkmill_core::pack::{RECORD_LEN, ReadStep, Reader, StreamHeader, Totals};
use chunkmill_core::{Chunk, IdKey};

use super::read::{STEP, buffers};
use crate::read::read_some;

/// What a pack says of itself, verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// The trailer, last.
    End(Totals),
    /// The header, first.
    Header(StreamHeader),
    /// A chunk, and how many bytes its payload takes in the pack: as many as the chunk if it is not compressed, none if it
    /// stands earlier.
    Record(Chunk, u64),
}

/// Reads a pack to its trailer, checks it, and gives what it finds to `visit`, in order. Takes the memory of the largest chunk.
///
/// # Errors
///
/// The visitor's own, and what is wrong with the pack or with reading it.
pub fn list<E: From<RestoreError<io::Error, Infallible, Infallible>>>(
    pack: impl Read,
    key: &IdKey,
    mut visit: impl FnMut(Listed) -> Result<(), E>,
) -> Result<(), E> {
    let (mut chunk, mut block) = buffers();
    let mut reader = Reader::new(key, &mut chunk, &mut block);
    let mut input = BufReader::with_capacity(STEP, pack);
    let record_len = u64::try_from(RECORD_LEN).unwrap_or(0);
    // Where the record at hand begins.
    let mut record = 0u64;
    loop {
        let listed = match reader.step().map_err(RestoreError::Pack)? {
            ReadStep::NeedInput => {
                feed(&mut input, &mut reader).map_err(RestoreError::Read)?;
                continue;
            }
            ReadStep::Header(header) => Listed::Header(header),
            ReadStep::Chunk(verified) => {
                let chunk = verified.chunk();
                Listed::Record(chunk, reader.offset().saturating_sub(record).saturating_sub(record_len))
            }
            ReadStep::Reference(reference) => {
                reader.skip_reference();
                Listed::Record(reference.chunk, 0)
            }
            ReadStep::End(totals) => Listed::End(totals),
        };
        record = reader.offset();
        visit(listed)?;
        if let Listed::End(_) = listed {
            return Ok(());
        }
    }
}

fn feed(input: &mut impl Read, reader: &mut Reader<'_>) -> Result<(), ReadError<io::Error>> {
    let mut offset = reader.offset();
    match read_some(input, reader.window(), &mut offset).map(<[u8]>::len) {
        Ok(0) => reader.end_input(),
        Ok(len) => reader.commit(len),
        Err(error) => return Err(ReadError::Failed { offset: error.offset, source: error.source }),
    }
    Ok(())
}
