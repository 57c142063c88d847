//! Sizes as people write them: `4096`, `64KiB`, `2MiB`, `1GiB`.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

/// A number of bytes above 0. Shown with the largest binary unit that divides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];

impl Size {
    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// Why a text is no size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SizeError {
    /// Not a number with one of the units.
    #[error("expected a number of bytes such as 4096, 64KiB, 2MiB or 1GiB; units are binary")]
    Form,
    /// More than 2^64 - 1 bytes.
    #[error("more bytes than a 64-bit number holds")]
    TooLarge,
    /// No bytes.
    #[error("a size of 0 leaves nothing to measure")]
    Zero,
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let (digits, shift) =
            UNITS.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift))).unwrap_or((text, 0));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SizeError::Form);
        }
        let number: u64 = digits.parse().map_err(|_| SizeError::TooLarge)?;
        match number.checked_mul(1 << shift) {
            None => Err(SizeError::TooLarge),
            Some(0) => Err(SizeError::Zero),
            Some(bytes) => Ok(Self(bytes)),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, shift) in UNITS {
            if self.0.is_multiple_of(1 << shift) {
                return write!(f, "{} {unit}", self.0 >> shift);
            }
        }
        write!(f, "{} bytes", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_shows() {
        for (text, bytes, shown) in [
            ("4097", 4097, "4097 bytes"),
            ("4096", 4096, "4 KiB"),
            ("64KiB", 65_536, "64 KiB"),
            ("2MiB", 2 << 20, "2 MiB"),
            ("1GiB", 1 << 30, "1 GiB"),
            ("1536KiB", 1536 << 10, "1536 KiB"),
        ] {
            let size: Size = text.parse().unwrap();
            assert_eq!((size.bytes(), &*size.to_string()), (bytes, shown));
        }
    }

    #[test]
    fn refuses_the_rest() {
        for (text, error) in [
            ("", SizeError::Form),
            ("MiB", SizeError::Form),
            ("64KB", SizeError::Form),
            ("1.5GiB", SizeError::Form),
            ("+1", SizeError::Form),
            ("0", SizeError::Zero),
            ("0KiB", SizeError::Zero),
            ("99999999999999999999", SizeError::TooLarge),
            ("99999999999GiB", SizeError::TooLarge),
        ] {
            assert_eq!(text.parse::<Size>(), Err(error), "{text}");
        }
    }
}
