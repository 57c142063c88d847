//! Where a pack or a restored stream is written.

use std::io::{self, BufWriter, Write};

use chunkmill_core::drive::WriteError;

/// A writer that gathers small writes, and tells how far it was when one fails.
pub(super) struct Device<W: Write> {
    writer: BufWriter<Counting<W>>,
}

/// Counts what has gone out, which is not what was handed over: a buffer lies between.
struct Counting<W> {
    writer: W,
    written: u64,
}

/// Bytes gathered for one write.
const WRITE_LEN: usize = 64 << 10;

impl<W: Write> Device<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer: BufWriter::with_capacity(WRITE_LEN, Counting { writer, written: 0 }) }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError<io::Error>> {
        self.writer.write_all(bytes).map_err(|source| self.failed(source))
    }

    pub(super) fn flush(&mut self) -> Result<(), WriteError<io::Error>> {
        self.writer.flush().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> WriteError<io::Error> {
        let offset = self.writer.get_ref().written;
        match source.kind() {
            io::ErrorKind::WriteZero => WriteError::Full { offset },
            _ => WriteError::Failed { offset, source },
        }
    }
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.writer.write(bytes)?;
        self.written = self.written.saturating_add(u64::try_from(len).unwrap_or(0));
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes some bytes at once, and then fails.
    struct Short {
        room: usize,
        answer: fn() -> io::Result<usize>,
    }

    impl Write for Short {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.room.min(bytes.len()).min(1000) {
                0 => (self.answer)(),
                len => {
                    self.room -= len;
                    Ok(len)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn errors_tell_how_much_has_gone_out() {
        for room in [0, 1, 999, 65_536, 70_001, 199_999] {
            for len in [10, 4096, 100_000] {
                let mut device = Device::new(Short { room, answer: || Ok(0) });
                let mut write = || (0..200_000usize.div_ceil(len)).try_for_each(|_| device.write(&vec![0; len]));
                let result = write().and_then(|()| device.flush());
                assert!(matches!(result, Err(WriteError::Full { offset }) if offset == room as u64), "{room} {len}");
                let mut device = Device::new(Short { room, answer: || Err(io::Error::other("no")) });
                let mut write = || (0..200_000usize.div_ceil(len)).try_for_each(|_| device.write(&vec![0; len]));
                let result = write().and_then(|()| device.flush());
                assert!(
                    matches!(result, Err(WriteError::Failed { offset, .. }) if offset == room as u64),
                    "{room} {len}"
                );
            }
        }
    }
}
