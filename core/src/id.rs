//! The key, and the ids made under it.

use core::error::Error;
use core::fmt;
use core::ops::{Deref, DerefMut};
use core::str::FromStr;

use zeroize::Zeroize;

/// The secret 32-byte key under which chunks get their ids. Wiped from memory when dropped, never shown by `Debug`. A value
/// that is moved may leave a copy where it was, which nothing wipes.
///
/// Takes 32 bytes of RAM.
///
/// ```
/// use chunkmill_core::IdKey;
///
/// let key = IdKey::from_bytes([7; 32]);
/// assert_eq!(key.id_of(b"chunk").to_string().len(), 64);
/// assert_eq!(format!("{key:?}"), "IdKey(..)");
/// ```
#[derive(Clone)]
pub struct IdKey([u8; 32]);

impl IdKey {
    /// A key of 32 bytes, which should come from a source of randomness.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The fixed key for work without a secret, such as benchmarks: everyone can compute the ids of known content.
    ///
    /// BLAKE3 `derive_key` with the context `chunkmill public id key v1` and no key material.
    pub fn public() -> Self {
        Self(blake3::derive_key("chunkmill public id key v1", b""))
    }

    /// The id of a whole chunk at hand: keyed BLAKE3 of its bytes.
    pub fn id_of(&self, bytes: &[u8]) -> ChunkId {
        ChunkId(self.hash(bytes))
    }

    /// Keyed BLAKE3 of bytes at hand.
    pub(crate) fn hash(&self, bytes: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, bytes)
    }

    /// A key for another purpose: BLAKE3 `derive_key` of this one with a context string of its own.
    pub(crate) fn derive(&self, context: &str) -> Self {
        Self(blake3::derive_key(context, &self.0))
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn hasher(&self) -> KeyedHasher {
        KeyedHasher(blake3::Hasher::new_keyed(&self.0))
    }
}

/// A hasher that wipes its key and state when dropped.
#[derive(Clone)]
pub(crate) struct KeyedHasher(blake3::Hasher);

impl Deref for KeyedHasher {
    type Target = blake3::Hasher;

    fn deref(&self) -> &blake3::Hasher {
        &self.0
    }
}

impl DerefMut for KeyedHasher {
    fn deref_mut(&mut self) -> &mut blake3::Hasher {
        &mut self.0
    }
}

impl Drop for KeyedHasher {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for IdKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdKey(..)")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for IdKey {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "IdKey(..)");
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for ChunkId {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "ChunkId({=[u8; 32]:02x})", *self.as_bytes());
    }
}

/// Reads 64 hex digits of either case.
impl FromStr for IdKey {
    type Err = ParseHexError;

    fn from_str(hex: &str) -> Result<Self, ParseHexError> {
        parse_hex(hex).map(Self)
    }
}

/// The id of a chunk: keyed BLAKE3, 32 bytes, what `b3sum --keyed` prints. Shown as 64 lower-case hex digits.
///
/// Equality takes the same time wherever two ids differ. Takes 32 bytes of RAM.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkId(blake3::Hash);

impl ChunkId {
    /// An id that was stored before.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(blake3::Hash::from_bytes(bytes))
    }

    /// The 32 bytes of the id.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub(crate) const fn from_hash(hash: blake3::Hash) -> Self {
        Self(hash)
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkId({self})")
    }
}

/// Reads 64 hex digits of either case.
impl FromStr for ChunkId {
    type Err = ParseHexError;

    fn from_str(hex: &str) -> Result<Self, ParseHexError> {
        parse_hex(hex).map(Self::from_bytes)
    }
}

/// Why a text is not 64 hex digits. Holds nothing of the text, which may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParseHexError {
    /// The byte at this index is no hex digit.
    Digit {
        /// Index in the text, from 0.
        at: usize,
    },
    /// The text is not 64 bytes long.
    Len {
        /// Its length in bytes.
        found: usize,
    },
}

impl fmt::Display for ParseHexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digit { at } => {
                write!(f, "expected 64 hex digits, found another character at index {at}")
            }
            Self::Len { found } => write!(f, "expected 64 hex digits, found {found} bytes"),
        }
    }
}

impl Error for ParseHexError {}

fn parse_hex(hex: &str) -> Result<[u8; 32], ParseHexError> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else {
        return Err(ParseHexError::Len { found: hex.len() });
    };
    if pairs.len() != 32 {
        return Err(ParseHexError::Len { found: hex.len() });
    }
    let mut bytes = [0; 32];
    for (index, (byte, [high, low])) in bytes.iter_mut().zip(pairs).enumerate() {
        let at = index.saturating_mul(2);
        let high = digit(*high).ok_or(ParseHexError::Digit { at })?;
        let low = digit(*low).ok_or(ParseHexError::Digit { at: at.saturating_add(1) })?;
        *byte = high << 4 | low;
    }
    Ok(bytes)
}

fn digit(ascii: u8) -> Option<u8> {
    char::from(ascii).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{needs_drop, size_of};

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFf";

    #[test]
    fn hex_is_read_in_either_case() {
        let id: ChunkId = HEX.parse().unwrap();
        assert_eq!(id.as_bytes()[..3], [0, 1, 2]);
        assert_eq!(id.as_bytes()[31], 0xff);
    }

    #[test]
    fn bad_hex_is_named_by_place() {
        assert_eq!("".parse::<ChunkId>(), Err(ParseHexError::Len { found: 0 }));
        assert_eq!(HEX[1..].parse::<ChunkId>(), Err(ParseHexError::Len { found: 63 }));
        assert_eq!(HEX[2..].parse::<ChunkId>(), Err(ParseHexError::Len { found: 62 }));
        for at in 0..64 {
            let mut text = [0; 64];
            text.copy_from_slice(HEX.as_bytes());
            text[at] = b'g';
            let text = str::from_utf8(&text).unwrap();
            assert_eq!(text.parse::<ChunkId>(), Err(ParseHexError::Digit { at }));
        }
    }

    #[test]
    fn keys_are_wiped_and_small() {
        assert!(needs_drop::<IdKey>());
        assert_eq!(size_of::<IdKey>(), 32);
        assert_eq!(size_of::<ChunkId>(), 32);
    }
}
