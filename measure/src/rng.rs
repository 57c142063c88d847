//! A small generator of random numbers, the same on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014): one addition and two multiplications a word, and any seed will do.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator for part `number` of something that is seeded as a whole. Parts do not overlap in practice: their
    /// starting points are mixed, since plain neighbours would give the same sequence one step apart.
    pub fn part(seed: u64, number: u64) -> Self {
        Self(Self(seed).word() ^ Self(!number).word())
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be 0. Uniform to within `bound` / 2^64.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// Fills `out` with random bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        let (words, rest) = out.as_chunks_mut::<8>();
        for word in words {
            *word = self.word().to_le_bytes();
        }
        let last = self.word().to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vector() {
        let mut rng = SplitMix::new(1_234_567);
        let words = [rng.word(), rng.word(), rng.word()];
        assert_eq!(words, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn fill_takes_bytes_in_order() {
        let mut expected = SplitMix::new(5);
        let (first, second) = (expected.word().to_le_bytes(), expected.word().to_le_bytes());
        let mut out = [0; 11];
        SplitMix::new(5).fill(&mut out);
        assert_eq!(out[..8], first);
        assert_eq!(out[8..], second[..3]);
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut rng = SplitMix::new(1);
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[rng.below(7)] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }

    #[test]
    fn parts_differ() {
        let words: Vec<u64> = (0..100).map(|number| SplitMix::part(1, number).word()).collect();
        let mut unique = words.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), words.len());
        assert_ne!(SplitMix::part(2, 0).word(), words[0]);
    }
}
