use core::convert::Infallible;

use embedded_io::{Read, Write};

use super::transfer::{flush, read, write};
use super::{ReadError, RestoreError, Stopped, Summary};
use crate::ChunkSource;
use crate::pack::{RECORD_LEN, ReadStep, Reader};

/// Reads a pack to its trailer and writes the stream it was made of to `out`. References are had from `source`. Not a byte
/// goes out that was not verified, and no byte behind the trailer is read. `pack` should be new: it reads one stream, and
/// what it has given before is not given again.
///
/// # Errors
///
/// [`RestoreError`], with the summary of what went out before.
pub fn restore<R: Read, S: ChunkSource, W: Write>(
    reader: &mut R,
    mut pack: Reader<'_>,
    source: &mut S,
    out: &mut W,
) -> Result<Summary, Stopped<RestoreError<R::Error, S::Error, W::Error>>> {
    let mut summary = Summary::default();
    let restored = restore_into(&mut summary, reader, &mut pack, source, out);
    summary.of_pack(&pack).ended(restored)
}

fn restore_into<R: Read, S: ChunkSource, W: Write>(
    summary: &mut Summary,
    reader: &mut R,
    pack: &mut Reader<'_>,
    source: &mut S,
    out: &mut W,
) -> Result<(), RestoreError<R::Error, S::Error, W::Error>> {
    let mut written = 0;
    let mut referred = false;
    // Where the record at hand begins.
    let mut record = pack.offset();
    loop {
        match pack.step().map_err(RestoreError::Pack)? {
            ReadStep::NeedInput => feed(reader, pack).map_err(RestoreError::Read)?,
            ReadStep::Header(_) => record = pack.offset(),
            ReadStep::Chunk(verified) => {
                write(out, verified.bytes(), &mut written).map_err(RestoreError::Write)?;
                let chunk = verified.chunk();
                let referred = core::mem::take(&mut referred);
                summary.count(chunk.len, referred);
                if !referred {
                    source.seen(&chunk, record.saturating_add(RECORD_BYTES)..pack.offset());
                }
                record = pack.offset();
            }
            ReadStep::Reference(reference) => {
                referred = true;
                // If the chunk is not there, the window stays open, and the next step says so.
                if source.fetch(&reference.chunk.id, pack.window()).map_err(RestoreError::Source)? {
                    pack.commit(usize::MAX);
                }
            }
            ReadStep::End(_) => return flush(out, written).map_err(RestoreError::Write),
        }
    }
}

/// Reads a pack to its trailer and checks all of it. References are only checked to be the writer's: their chunks may lie
/// elsewhere.
///
/// # Errors
///
/// [`RestoreError::Pack`] or [`RestoreError::Read`], with the summary of what was good before.
pub fn verify<R: Read>(
    reader: &mut R,
    mut pack: Reader<'_>,
) -> Result<Summary, Stopped<RestoreError<R::Error, Infallible, Infallible>>> {
    let mut summary = Summary::default();
    let verified = verify_into(&mut summary, reader, &mut pack);
    summary.of_pack(&pack).ended(verified)
}

fn verify_into<R: Read>(
    summary: &mut Summary,
    reader: &mut R,
    pack: &mut Reader<'_>,
) -> Result<(), RestoreError<R::Error, Infallible, Infallible>> {
    loop {
        match pack.step().map_err(RestoreError::Pack)? {
            ReadStep::NeedInput => feed(reader, pack).map_err(RestoreError::Read)?,
            ReadStep::Header(_) => {}
            ReadStep::Chunk(verified) => summary.count(verified.chunk().len, false),
            ReadStep::Reference(reference) => {
                pack.skip_reference();
                summary.count(reference.chunk.len, true);
            }
            ReadStep::End(_) => return Ok(()),
        }
    }
}

/// Bytes of a record before its payload.
#[expect(clippy::as_conversions, reason = "no other way in a constant")]
pub(super) const RECORD_BYTES: u64 = RECORD_LEN as u64;

fn feed<R: Read>(reader: &mut R, pack: &mut Reader<'_>) -> Result<(), ReadError<R::Error>> {
    let offset = pack.offset();
    match read(reader, pack.window(), offset)? {
        0 => pack.end_input(),
        len => pack.commit(len),
    }
    Ok(())
}
