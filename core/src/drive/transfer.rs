//! Single reads and whole writes, with the habits of devices dealt with.

use embedded_io::{Error, ErrorKind, Read, Write};

use super::{ReadError, WriteError};

/// Reads once into `window`, which is not empty. 0 is the end of the stream.
pub(super) fn read<R: Read>(reader: &mut R, window: &mut [u8], offset: u64) -> Result<usize, ReadError<R::Error>> {
    loop {
        match reader.read(window) {
            Ok(len) if len > window.len() => return Err(ReadError::Overrun { offset }),
            Ok(len) => return Ok(len),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(ReadError::Failed { offset, source }),
        }
    }
}

/// Writes all of `bytes` and adds them to `offset`.
pub(super) fn write<W: Write>(writer: &mut W, mut bytes: &[u8], offset: &mut u64) -> Result<(), WriteError<W::Error>> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(WriteError::Full { offset: *offset }),
            Ok(len) if len > bytes.len() => return Err(WriteError::Overrun { offset: *offset }),
            Ok(len) => {
                bytes = bytes.get(len..).unwrap_or_default();
                *offset = offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(WriteError::Failed { offset: *offset, source }),
        }
    }
    Ok(())
}

pub(super) fn flush<W: Write>(writer: &mut W, offset: u64) -> Result<(), WriteError<W::Error>> {
    loop {
        match writer.flush() {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(WriteError::Failed { offset, source }),
        }
    }
}
