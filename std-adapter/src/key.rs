//! Reading the id key from a file or from the environment.

use std::env::{self, VarError};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use chunkmill_core::{IdKey, ParseHexError};
use zeroize::Zeroizing;

/// The variable that may hold the key as 64 hex digits.
pub const KEY_VARIABLE: &str = "CHUNKMILL_KEY";

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The content is neither 32 raw bytes nor 64 hex digits.
    #[error("expected a key of 32 raw bytes or 64 hex digits, found {found} bytes")]
    Len {
        /// Bytes found; 4096 stands for that or more.
        found: usize,
    },
    /// There are as many characters as there should be, but not all are hex digits.
    #[error("not a key: {0}")]
    Hex(#[from] ParseHexError),
    /// The file could not be read.
    #[error("the key file cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// Reads a key file: 32 raw bytes, or 64 hex digits and an optional line end.
///
/// # Errors
///
/// If the file cannot be read or holds something else. No error tells the content.
pub fn read_key_file(path: &Path) -> Result<IdKey, KeyError> {
    read_key(File::open(path)?)
}

/// Reads a key as [`read_key_file`] does, from any reader: 32 raw bytes, or 64 hex digits and an optional line end, and
/// nothing behind it.
///
/// # Errors
///
/// As [`read_key_file`].
pub fn read_key(reader: impl Read) -> Result<IdKey, KeyError> {
    const LIMIT: u64 = 4096;
    // Sized once, so that no copy of the key is left behind by growing.
    let mut content = Zeroizing::new(Vec::with_capacity(4096 + 1));
    reader.take(LIMIT).read_to_end(&mut content)?;
    parse_key(&content)
}

/// The key in [`KEY_VARIABLE`], if that is set.
///
/// # Errors
///
/// If the variable is set to something else than 64 hex digits.
pub fn key_from_environment() -> Result<Option<IdKey>, KeyError> {
    match env::var(KEY_VARIABLE).map(Zeroizing::new) {
        Ok(hex) => Ok(Some(hex.parse()?)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(text)) => Err(ParseHexError::Len { found: text.len() }.into()),
    }
}

fn parse_key(content: &[u8]) -> Result<IdKey, KeyError> {
    if let Ok(raw) = <&[u8; 32]>::try_from(content) {
        return Ok(IdKey::from_bytes(*raw));
    }
    let line = content.strip_suffix(b"\n").unwrap_or(content);
    let hex = line.strip_suffix(b"\r").unwrap_or(line);
    if hex.len() != 64 {
        return Err(KeyError::Len { found: content.len() });
    }
    // Every digit is ASCII, so cut short before the first byte that is not, to have its place named.
    let ascii = hex.split(|byte| !byte.is_ascii()).next().unwrap_or_default();
    let text = str::from_utf8(ascii).unwrap_or_default();
    if text.len() < hex.len() {
        return Err(ParseHexError::Digit { at: text.len() }.into());
    }
    Ok(text.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &[u8; 64] = b"2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2A2A";

    #[test]
    fn raw_and_hex_give_the_same_key() {
        let id = IdKey::from_bytes([0x2a; 32]).id_of(b"x");
        assert_eq!(parse_key(&[0x2a; 32]).unwrap().id_of(b"x"), id);
        for end in [&b""[..], b"\n", b"\r\n"] {
            assert_eq!(parse_key(&[HEX, end].concat()).unwrap().id_of(b"x"), id);
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for len in (0..200).filter(|len| ![32, 64, 65].contains(len)) {
            assert!(matches!(parse_key(&vec![b'a'; len]), Err(KeyError::Len { found }) if found == len), "{len}");
        }
        assert!(matches!(parse_key(&[HEX, &b"\n\n"[..]].concat()), Err(KeyError::Len { found: 66 })));
        assert!(matches!(parse_key(&[b'a'; 65]), Err(KeyError::Len { found: 65 })));
    }

    #[test]
    fn a_bad_digit_is_named_by_place() {
        for (at, bad) in [(0, b'x'), (63, b' '), (7, 0xff), (8, 0)] {
            let mut hex = *HEX;
            hex[at] = bad;
            let error = parse_key(&hex).unwrap_err();
            assert!(matches!(error, KeyError::Hex(ParseHexError::Digit { at: found }) if found == at), "{error}");
        }
    }
}
