//! What a run puts out, small enough to be kept and compared.

use core::fmt;

/// Chunks, bytes and a checksum over both in order. Two runs with the same tally gave the same chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many chunks.
    pub chunks: u64,
    /// How many bytes they hold.
    pub bytes: u64,
    /// Changes with every place, length and id, and with their order.
    pub checksum: u64,
}

impl Tally {
    /// Counts a chunk and its bytes, and leaves the checksum as it is.
    pub fn count(&mut self, len: usize) {
        self.chunks += 1;
        self.bytes += len as u64;
    }

    /// Counts a chunk of which only the length is known.
    pub fn add_len(&mut self, len: usize) {
        self.count(len);
        self.mix(len as u64);
    }

    /// Counts a chunk with its place and its id.
    pub fn add_chunk(&mut self, offset: u64, len: usize, id: &[u8; 32]) {
        self.add_len(len);
        self.mix(offset);
        let (words, _) = id.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
    }

    /// A rotation, so that order counts, and an odd factor, so that no step loses information.
    fn mix(&mut self, word: u64) {
        self.checksum = (self.checksum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunks, bytes, checksum } = self;
        write!(f, "{chunks} chunks of {bytes} bytes in all with checksum {checksum:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lens(lens: &[usize]) -> Tally {
        let mut tally = Tally::default();
        for &len in lens {
            tally.add_len(len);
        }
        tally
    }

    #[test]
    fn counts_and_tells_order() {
        let tally = of_lens(&[3, 5]);
        assert_eq!((tally.chunks, tally.bytes), (2, 8));
        assert_eq!(tally, of_lens(&[3, 5]));
        assert_ne!(tally, of_lens(&[5, 3]));
        assert_ne!(tally, of_lens(&[4, 4]));
    }

    #[test]
    fn every_byte_of_an_id_counts() {
        let mut plain = Tally::default();
        plain.add_chunk(4, 9, &[0; 32]);
        for at in 0..32 {
            let mut id = [0; 32];
            id[at] = 1;
            let mut tally = Tally::default();
            tally.add_chunk(4, 9, &id);
            assert_ne!(tally, plain);
        }
    }
}
