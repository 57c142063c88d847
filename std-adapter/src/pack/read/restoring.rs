use std::io::{self, Read, Write};

use chunkmill_core::ChunkSource;
use chunkmill_core::drive::{RestoreError, Stopped};
use chunkmill_core::pack::{Opener, Totals};

use super::{Consumer, Entry, Failed, Parcel, ReadSetup, State, Whole, read};
use crate::Pool;
use crate::pack::Earlier;
use crate::pack::device::Device;

type RestoreFailed = RestoreError<io::Error, io::Error, io::Error>;

/// Why a pack could not be unpacked, with what was done before.
pub type UnpackError = Stopped<RestoreError<io::Error, io::Error, io::Error>>;

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
    read(pool, pack, setup, Restoring { earlier, out: Device::new(out), fetched: Vec::new() })
}

struct Restoring<'r, W: Write> {
    earlier: &'r mut Earlier,
    out: Device<W>,
    /// A chunk that stood earlier.
    fetched: Vec<u8>,
}

impl<W: Write + Send> Consumer for Restoring<'_, W> {
    type Error = RestoreFailed;
    const KEEPING: bool = true;

    fn failed(failed: Failed) -> RestoreFailed {
        failed.into()
    }

    fn record(&mut self, parcel: &Parcel, entry: &Entry, opener: &Opener) -> Result<(), RestoreFailed> {
        if entry.state == State::Nothing {
            return self.refer(entry, opener);
        }
        self.out.write(parcel.chunk(entry)).map_err(RestoreError::Write)?;
        let payload_end = entry.payload_offset.saturating_add(entry.sealed.payload_len().into());
        self.earlier.seen(&entry.sealed.chunk(), entry.payload_offset..payload_end);
        Ok(())
    }

    fn end(&mut self, _: Option<Totals>) -> Result<(), RestoreFailed> {
        self.out.flush().map_err(RestoreError::Write)
    }
}

impl<W: Write> Restoring<'_, W> {
    fn refer(&mut self, entry: &Entry, opener: &Opener) -> Result<(), RestoreFailed> {
        // It may be read again from what was written.
        self.out.flush().map_err(RestoreError::Write)?;
        let chunk = entry.sealed.chunk();
        let len = usize::try_from(chunk.len).unwrap_or(0);
        let reserved = self.fetched.try_reserve(len.saturating_sub(self.fetched.len()));
        reserved.map_err(|error| RestoreError::Source(error.into()))?;
        self.fetched.resize(len, 0);
        if !self.earlier.fetch(&chunk.id, &mut self.fetched).map_err(RestoreError::Source)? {
            // Then nothing is checked, and the error says what is missing.
            self.fetched.clear();
        }
        let verified = opener.open(&entry.sealed, &self.fetched, &mut []).map_err(RestoreError::Pack)?;
        self.out.write(verified.bytes()).map_err(RestoreError::Write)
    }
}
