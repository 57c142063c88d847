//! The gear table: one random 64-bit word for each byte value.

mod keyed;
mod published;
mod words;

use core::fmt;

pub(crate) use words::{SHIFTS, Words, turn};

/// The 256 words that the gear hash `h = 2h + table[byte]` adds, and where they came from.
///
/// Takes 8,208 bytes of RAM on x86-64, where the words are kept in four shifts for speed, and 2,064 elsewhere; except for
/// [`GearTable::published`], which lies in read-only memory.
#[derive(Clone, PartialEq, Eq)]
pub struct GearTable {
    words: Words,
    kind: GearKind,
}

/// Where the words of a [`GearTable`] come from. It is stored wherever chunks are, since another table cuts elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum GearKind {
    /// Words derived from the id key, see [`GearTable::keyed`].
    Keyed {
        /// The table's number among those of the key; mostly 0.
        counter: u32,
    },
    /// The published table, the same for everyone.
    Published,
    /// The published table, each word XORed with the seed.
    Seeded(u64),
}

static PUBLISHED: GearTable = GearTable { words: Words::new(published::PUBLISHED), kind: GearKind::Published };

impl GearTable {
    /// The published table: two users of it cut the same content at the same places.
    pub const fn published() -> &'static Self {
        &PUBLISHED
    }

    /// The published table with every word XORed with `seed`, as `fastcdc` does it; a seed of 0 is the published table.
    ///
    /// Seeds are no secret keys. The masks stop at bit 47 and the hash only shifts left, so seeds that differ in the
    /// upper 16 bits alone cut alike.
    ///
    /// ```
    /// use chunkmill_core::{GearKind, GearTable};
    ///
    /// assert_eq!(GearTable::seeded(666).kind(), GearKind::Seeded(666));
    /// assert_eq!(&GearTable::seeded(0), GearTable::published());
    /// ```
    pub const fn seeded(seed: u64) -> Self {
        if seed == 0 {
            return Self { words: Words::new(published::PUBLISHED), kind: GearKind::Published };
        }
        let mut words = published::PUBLISHED;
        let mut rest: &mut [u64] = &mut words;
        while let Some((word, tail)) = rest.split_first_mut() {
            *word ^= seed;
            rest = tail;
        }
        Self { words: Words::new(words), kind: GearKind::Seeded(seed) }
    }

    /// Where the words come from.
    pub const fn kind(&self) -> GearKind {
        self.kind
    }

    pub(crate) const fn words(&self) -> &Words {
        &self.words
    }
}

impl Drop for GearTable {
    fn drop(&mut self) {
        if matches!(self.kind, GearKind::Keyed { .. }) {
            self.words.wipe();
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for GearTable {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "GearTable({})", self.kind);
    }
}

/// Shows where the words come from, and none of them: they may be secret.
impl fmt::Debug for GearTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GearTable").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn seed_changes_every_word() {
        let seeded = GearTable::seeded(0x0123_4567_89ab_cdef);
        for (byte, published) in (0..=255).zip(published::PUBLISHED) {
            assert_eq!(seeded.words().of(byte), published ^ 0x0123_4567_89ab_cdef);
        }
    }

    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<GearTable>(), 16 + 2048 * SHIFTS);
    }
}
