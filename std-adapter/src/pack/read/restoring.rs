use std::io::{self, BufWriter, Read, Write};

use chunkmill_core::drive::{RestoreError, Stopped, WriteError};
use chunkmill_core::pack::{Opener, StreamHeader, Totals};
use chunkmill_core::{ChunkSource, IdKey};

use super::{Consumer, Entry, Failed, Parcel, ReadSetup, State, Whole, read};
use crate::Pool;
use crate::pack::Earlier;

type RestoreFailed = RestoreError<io::Error, io::Error, io::Error>;

/// Why a pack could not be unpacked, with what was done before.
pub type UnpackError = Stopped<RestoreError<io::Error, io::Error, io::Error>>;

/// Bytes gathered for one write.
const WRITE_LEN: usize = 64 << 10;

/// Reads a pack to its trailer and writes the stream it was made of to `out`. All threads of the pool read, decompress, check
/// and write; not a byte goes out that was not verified, and none behind one that was not.
///
/// # Errors
///
/// [`UnpackError`]; all that was verified before is written.
///
/// # Panics
///
/// If `pack` or `out` does.
pub fn unpack(
    pool: &Pool<'_, '_>,
    pack: impl Read + Send,
    earlier: &mut Earlier,
    out: impl Write + Send,
    setup: &ReadSetup<'_>,
) -> Result<Whole, UnpackError> {
    let out = BufWriter::with_capacity(WRITE_LEN, out);
    read(pool, pack, setup, Restoring { key: setup.key, opener: None, earlier, out, written: 0, fetched: Vec::new() })
}

struct Restoring<'r, W: Write> {
    key: &'r IdKey,
    /// For the content of references. Known once the header is.
    opener: Option<Opener>,
    earlier: &'r mut Earlier,
    out: BufWriter<W>,
    written: u64,
    /// A chunk that stood earlier.
    fetched: Vec<u8>,
}

impl<W: Write + Send> Consumer for Restoring<'_, W> {
    type Error = RestoreFailed;
    const KEEPING: bool = true;

    fn failed(failed: Failed) -> RestoreFailed {
        failed.into()
    }

    fn header(&mut self, header: &StreamHeader) -> Result<(), RestoreFailed> {
        self.opener = Some(Opener::new(self.key, header));
        Ok(())
    }

    fn record(&mut self, parcel: &Parcel, entry: &Entry) -> Result<(), RestoreFailed> {
        if entry.state == State::Nothing {
            return self.refer(entry);
        }
        let bytes = parcel.chunk(entry);
        write(&mut self.out, &mut self.written, bytes)?;
        let payload_end = entry.payload_offset.saturating_add(entry.sealed.payload_len().into());
        self.earlier.seen(&entry.sealed.chunk(), entry.payload_offset..payload_end);
        Ok(())
    }

    fn end(&mut self, _: Option<Totals>) -> Result<(), RestoreFailed> {
        self.flush()
    }
}

impl<W: Write> Restoring<'_, W> {
    fn refer(&mut self, entry: &Entry) -> Result<(), RestoreFailed> {
        // It may be read again from what was written.
        self.flush()?;
        let chunk = entry.sealed.chunk();
        self.fetched.resize(usize::try_from(chunk.len).unwrap_or(0), 0);
        if !self.earlier.fetch(&chunk.id, &mut self.fetched).map_err(RestoreError::Source)? {
            // Then nothing is checked, and the error says what is missing.
            self.fetched.clear();
        }
        let Some(opener) = &self.opener else { return Ok(()) };
        let verified = opener.open(&entry.sealed, &self.fetched, &mut []).map_err(RestoreError::Pack)?;
        write(&mut self.out, &mut self.written, verified.bytes())
    }

    fn flush(&mut self) -> Result<(), RestoreFailed> {
        self.out.flush().map_err(|source| RestoreError::Write(WriteError::Failed { offset: self.written, source }))
    }
}

fn write(out: &mut impl Write, written: &mut u64, bytes: &[u8]) -> Result<(), RestoreFailed> {
    out.write_all(bytes).map_err(|source| RestoreError::Write(WriteError::Failed { offset: *written, source }))?;
    *written = written.saturating_add(u64::try_from(bytes.len()).unwrap_or(0));
    Ok(())
}
