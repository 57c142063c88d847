//! Chunk sizes and the normalization level, checked once; and the masks that follow from them.

use core::error::Error;
use core::fmt;

/// The sizes and the normalization level of a chunker. A value of this type is always valid.
///
/// Takes 16 bytes of RAM.
///
/// | | from | to |
/// |---|---|---|
/// | `min` | 64 bytes | 1 MiB |
/// | `avg` | 256 bytes | 4 MiB |
/// | `max` | 1 KiB | 16 MiB |
///
/// All even, and `min <= avg <= max`. Those are the limits of `fastcdc` 5; it tests bytes in pairs, so an odd size would
/// shift its cut points.
///
/// ```
/// use chunkmill_core::{ChunkParams, ParamError, Size};
///
/// let params = ChunkParams::new(16 << 10, 64 << 10, 256 << 10, 1)?;
/// assert_eq!(params.avg(), 65536);
///
/// let odd = ChunkParams::new(65, 256, 1024, 1);
/// assert_eq!(odd, Err(ParamError::Odd { size: Size::Min, found: 65 }));
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ChunkParams {
    min: u32,
    avg: u32,
    max: u32,
    level: u8,
}

impl ChunkParams {
    /// What the program uses: 512 KiB, 2 MiB, 8 MiB, level 1.
    pub const DEFAULT: Self = Self { min: 512 << 10, avg: 2 << 20, max: 8 << 20, level: 1 };

    /// The highest normalization level.
    pub const LEVEL_MAX: u8 = 3;

    /// Checks sizes in bytes and a normalization level of 0 to 3. Level 0 lets lengths spread widely around `avg`; each
    /// level more makes a cut before `avg` half as likely and one after it twice as likely.
    ///
    /// # Errors
    ///
    /// The first rule that does not hold, with the value found.
    pub const fn new(min: u32, avg: u32, max: u32, level: u8) -> Result<Self, ParamError> {
        if let Err(error) = check(Size::Min, min) {
            return Err(error);
        }
        if let Err(error) = check(Size::Avg, avg) {
            return Err(error);
        }
        if let Err(error) = check(Size::Max, max) {
            return Err(error);
        }
        if min > avg {
            return Err(ParamError::MinAboveAvg { min, avg });
        }
        if avg > max {
            return Err(ParamError::AvgAboveMax { avg, max });
        }
        if level > Self::LEVEL_MAX {
            return Err(ParamError::Level { found: level });
        }
        Ok(Self { min, avg, max, level })
    }

    /// Smallest length of a chunk in bytes; only the last chunk of a stream may be shorter.
    pub const fn min(&self) -> u32 {
        self.min
    }

    /// The length, in bytes, from which on a cut becomes likelier. The mean length of random data lies near
    /// `min + avg / 2`.
    pub const fn avg(&self) -> u32 {
        self.avg
    }

    /// Largest length of a chunk in bytes.
    pub const fn max(&self) -> u32 {
        self.max
    }

    /// Normalization level, 0 to 3.
    pub const fn level(&self) -> u8 {
        self.level
    }

    /// A cut needs `hash & mask == 0`: the mask for positions before `avg`, and the one for positions from it on.
    pub(crate) fn masks(&self) -> (u64, u64) {
        let bits = rounded_log2(self.avg);
        let level = u32::from(self.level);
        (mask(bits.saturating_add(level)), mask(bits.saturating_sub(level)))
    }
}

impl Default for ChunkParams {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The number of a chunking algorithm, stored with chunks and their parameters, so that a later algorithm is never taken
/// for this one. 0 is no algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ChunkerId(u16);

impl ChunkerId {
    /// FastCDC in the form of 2020 with the published masks, cutting before the byte that triggers.
    pub const FASTCDC_V2020: Self = Self(1);

    /// The number as it is stored.
    pub const fn as_u16(self) -> u16 {
        self.0
    }
}

/// One of the three sizes of [`ChunkParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Size {
    /// The minimum.
    Min,
    /// The average.
    Avg,
    /// The maximum.
    Max,
}

impl Size {
    /// The smallest and the largest value allowed, in bytes.
    pub const fn limits(self) -> (u32, u32) {
        match self {
            Self::Min => (64, 1 << 20),
            Self::Avg => (256, 4 << 20),
            Self::Max => (1 << 10, 16 << 20),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Min => "minimum",
            Self::Avg => "average",
            Self::Max => "maximum",
        })
    }
}

/// Why sizes or a level are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParamError {
    /// The average is above the maximum.
    AvgAboveMax {
        /// The average given, in bytes.
        avg: u32,
        /// The maximum given, in bytes.
        max: u32,
    },
    /// The normalization level is above 3.
    Level {
        /// The level given.
        found: u8,
    },
    /// The minimum is above the average.
    MinAboveAvg {
        /// The minimum given, in bytes.
        min: u32,
        /// The average given, in bytes.
        avg: u32,
    },
    /// A size is odd.
    Odd {
        /// Which size.
        size: Size,
        /// The value given, in bytes.
        found: u32,
    },
    /// A size is too small or too large.
    OutOfRange {
        /// Which size.
        size: Size,
        /// The value given, in bytes.
        found: u32,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AvgAboveMax { avg, max } => {
                write!(f, "average chunk size {avg} is above the maximum {max}")
            }
            Self::Level { found } => {
                write!(f, "normalization level {found} is not one of 0 to {}", ChunkParams::LEVEL_MAX)
            }
            Self::MinAboveAvg { min, avg } => {
                write!(f, "minimum chunk size {min} is above the average {avg}")
            }
            Self::Odd { size, found } => {
                write!(f, "{size} chunk size {found} is odd, must be even")
            }
            Self::OutOfRange { size, found } => {
                let (low, high) = size.limits();
                write!(f, "{size} chunk size {found} is not within {low} to {high} bytes")
            }
        }
    }
}

impl Error for ParamError {}

const fn check(size: Size, found: u32) -> Result<(), ParamError> {
    let (low, high) = size.limits();
    if found < low || found > high {
        return Err(ParamError::OutOfRange { size, found });
    }
    if found % 2 == 1 {
        return Err(ParamError::Odd { size, found });
    }
    Ok(())
}

/// log2 rounded to the nearest integer, without floating point: v lies above 2^(k + 1/2) exactly if v * v lies above
/// 2^(2k + 1), and no integer lies on the border.
const fn rounded_log2(value: u32) -> u32 {
    let square = u64::pow(widen(value), 2);
    match square.checked_ilog2() {
        Some(twice) => twice.div_ceil(2),
        None => 0,
    }
}

#[expect(clippy::as_conversions, reason = "u64::from is not const, and this widens")]
const fn widen(value: u32) -> u64 {
    value as u64
}

fn mask(bits: u32) -> u64 {
    usize::try_from(bits).ok().and_then(|bits| MASKS.get(bits)).copied().unwrap_or(0)
}

/// The published masks; entry `n` is met by about one position in 2^n, with the bits spread out as the paper advises.
/// Entries 5 to 17 come from destor (Xia et al.), the others from restic-FastCDC. The averages allowed use 5 to 25.
const MASKS: [u64; 26] = [
    0,
    0,
    0,
    0,
    0,
    0x0000_0000_0180_4110,
    0x0000_0000_0180_3110,
    0x0000_0000_1803_5100,
    0x0000_0018_0003_5300,
    0x0000_0190_0035_3000,
    0x0000_5900_0353_0000,
    0x0000_d900_0353_0000,
    0x0000_d901_0353_0000,
    0x0000_d903_0353_0000,
    0x0000_d903_1353_0000,
    0x0000_d90f_0353_0000,
    0x0000_d903_0353_7000,
    0x0000_d907_0353_7000,
    0x0000_d907_0753_7000,
    0x0000_d917_0753_7000,
    0x0000_d917_4753_7000,
    0x0000_d917_6753_7000,
    0x0000_d937_6753_7000,
    0x0000_d937_7753_7000,
    0x0000_d937_7757_7000,
    0x0000_db37_7757_7000,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_is_rounded_at_every_border() {
        for bits in 8..=22u32 {
            assert_eq!(rounded_log2(1 << bits), bits);
            // floor(2^bits * sqrt(2)) is the last value that rounds down.
            let last = (1u64 << (2 * bits + 1)).isqrt() as u32;
            assert_eq!(rounded_log2(last), bits);
            assert_eq!(rounded_log2(last + 1), bits + 1);
        }
        assert_eq!(rounded_log2(23_170), 14);
        assert_eq!(rounded_log2(23_171), 15);
    }

    #[test]
    fn no_valid_average_has_an_empty_mask() {
        for avg in [256, 1500, 12_288, 24_576, 4 << 20] {
            for level in 0..=3 {
                let params = ChunkParams::new(64, avg, 16 << 20, level).unwrap();
                let (strict, loose) = params.masks();
                assert_ne!(strict, 0);
                assert_ne!(loose, 0);
                assert!(strict.count_ones() >= loose.count_ones());
            }
        }
    }

    #[test]
    fn limits_are_inclusive_and_errors_name_the_value() {
        assert!(ChunkParams::new(64, 256, 1024, 0).is_ok());
        assert!(ChunkParams::new(1 << 20, 4 << 20, 16 << 20, 3).is_ok());
        let cases = [
            ((62, 256, 1024, 0), ParamError::OutOfRange { size: Size::Min, found: 62 }),
            ((0, 256, 1024, 0), ParamError::OutOfRange { size: Size::Min, found: 0 }),
            (((1 << 20) + 2, 2 << 20, 4 << 20, 0), ParamError::OutOfRange { size: Size::Min, found: (1 << 20) + 2 }),
            ((64, 254, 1024, 0), ParamError::OutOfRange { size: Size::Avg, found: 254 }),
            ((64, (4 << 20) + 2, 16 << 20, 0), ParamError::OutOfRange { size: Size::Avg, found: (4 << 20) + 2 }),
            ((64, 256, 1022, 0), ParamError::OutOfRange { size: Size::Max, found: 1022 }),
            ((64, 256, u32::MAX, 0), ParamError::OutOfRange { size: Size::Max, found: u32::MAX }),
            ((65, 256, 1024, 0), ParamError::Odd { size: Size::Min, found: 65 }),
            ((64, 257, 1024, 0), ParamError::Odd { size: Size::Avg, found: 257 }),
            ((64, 256, 1025, 0), ParamError::Odd { size: Size::Max, found: 1025 }),
            ((1024, 512, 1024, 0), ParamError::MinAboveAvg { min: 1024, avg: 512 }),
            ((64, 2048, 1024, 0), ParamError::AvgAboveMax { avg: 2048, max: 1024 }),
            ((64, 256, 1024, 4), ParamError::Level { found: 4 }),
        ];
        for ((min, avg, max, level), expected) in cases {
            assert_eq!(ChunkParams::new(min, avg, max, level), Err(expected));
        }
    }

    #[test]
    fn equal_sizes_are_allowed() {
        assert!(ChunkParams::new(1024, 1024, 1024, 1).is_ok());
    }
}
