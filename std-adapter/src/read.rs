use std::io::{self, Read};

/// A reader failed.
#[derive(Debug, thiserror::Error)]
#[error("reading failed at offset {offset}: {source}")]
pub struct ReadError {
    /// Bytes of the stream that were read before.
    pub offset: u64,
    /// What the reader said.
    pub source: io::Error,
}

/// Reads once into `window` and gives the bytes read, which it adds to `offset`; none at the end of the stream. Interrupted
/// calls are repeated.
pub(crate) fn read_some<'w>(
    reader: &mut impl Read,
    window: &'w mut [u8],
    offset: &mut u64,
) -> Result<&'w [u8], ReadError> {
    let failed = |source| ReadError { offset: *offset, source };
    let len = loop {
        match reader.read(window) {
            Ok(len) => break len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    };
    let overrun = || failed(io::Error::other("the reader claims more bytes than it was given room for"));
    let bytes = window.get(..len).ok_or_else(overrun)?;
    *offset = offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
    Ok(bytes)
}
