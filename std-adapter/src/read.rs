use std::io::{self, Read};

/// Reads once into `window` and gives the bytes read, none at the end of the stream. Interrupted calls are repeated.
pub(crate) fn read_some<'w>(reader: &mut impl Read, window: &'w mut [u8]) -> io::Result<&'w [u8]> {
    loop {
        match reader.read(window) {
            Ok(len) => {
                let bytes = window.get(..len);
                return bytes
                    .ok_or_else(|| io::Error::other("the reader claims more bytes than it was given room for"));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
