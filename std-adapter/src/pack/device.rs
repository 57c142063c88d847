//! Where a pack or a restored stream is written.

use std::io::{self, BufWriter, Write};

use chunkmill_core::drive::WriteError;

/// A writer that gathers small writes, and tells how far it was when one fails.
pub(super) struct Device<W: Write> {
    writer: BufWriter<W>,
    /// Bytes written.
    written: u64,
}

/// Bytes gathered for one write.
const WRITE_LEN: usize = 64 << 10;

impl<W: Write> Device<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer: BufWriter::with_capacity(WRITE_LEN, writer), written: 0 }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError<io::Error>> {
        self.writer.write_all(bytes).map_err(|source| WriteError::Failed { offset: self.written, source })?;
        self.written = self.written.saturating_add(u64::try_from(bytes.len()).unwrap_or(0));
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), WriteError<io::Error>> {
        self.writer.flush().map_err(|source| WriteError::Failed { offset: self.written, source })
    }
}
