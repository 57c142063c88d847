//! Made-up data, the same on every machine and for ever: golden vectors name it by kind, seed and length.

use serde::Serialize;

/// A small generator of random numbers (splitmix64). Its own few lines keep the vectors free of any crate's choices.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that gives the same numbers for the same seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, near enough to even for tests.
    pub const fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A kind of data. A shorter stream of a kind is always a prefix of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Data {
    /// One byte over and over.
    Constant {
        /// That byte.
        byte: u8,
    },
    /// Runs of up to 4 KiB of the other kinds, as in disk images.
    Mixed {
        /// Seed of the runs.
        seed: u64,
    },
    /// 0 to 250 and again from 0: 251 is prime, so blocks that were swapped do not go unseen.
    Painted,
    /// Random bytes that repeat.
    Periodic {
        /// After how many bytes they repeat.
        period: usize,
        /// Seed of the bytes.
        seed: u64,
    },
    /// Random bytes: the little-endian words of [`Rng`].
    Random {
        /// Seed of the bytes.
        seed: u64,
    },
    /// Lines of made-up lower-case words.
    Words {
        /// Seed of the words.
        seed: u64,
    },
}

impl Data {
    /// One of each kind, constants among them that bytes of files often are.
    pub const KINDS: [Self; 9] = [
        Self::Random { seed: 1 },
        Self::Words { seed: 2 },
        Self::Mixed { seed: 3 },
        Self::Painted,
        Self::Periodic { period: 48, seed: 4 },
        Self::Periodic { period: 1021, seed: 5 },
        Self::Constant { byte: 0x00 },
        Self::Constant { byte: 0xff },
        Self::Constant { byte: 0x20 },
    ];

    /// The first `len` bytes of this kind.
    pub fn bytes(self, len: usize) -> Vec<u8> {
        match self {
            Self::Constant { byte } => vec![byte; len],
            Self::Mixed { seed } => mixed(seed, len),
            Self::Painted => (0..=250).cycle().take(len).collect(),
            Self::Periodic { period, seed } => repeated(&random(seed, period), len),
            Self::Random { seed } => random(seed, len),
            Self::Words { seed } => words(seed, len),
        }
    }
}

fn random(seed: u64, len: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut bytes = vec![0; len];
    for word in bytes.chunks_mut(8) {
        word.copy_from_slice(&rng.next().to_le_bytes()[..word.len()]);
    }
    bytes
}

fn repeated(pattern: &[u8], len: usize) -> Vec<u8> {
    pattern.iter().copied().cycle().take(len).collect()
}

fn words(seed: u64, len: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let vocabulary: Vec<Vec<u8>> = (0..500)
        .map(|_| {
            let letters = 1 + rng.below(9);
            (0..letters).map(|_| b"etaoinshrdlucmfwypvbgkjqxz"[rng.below(26).min(rng.below(26))]).collect()
        })
        .collect();
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        text.extend_from_slice(&vocabulary[rng.below(500).min(rng.below(500))]);
        text.push(if rng.below(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(len);
    text
}

fn mixed(seed: u64, len: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut bytes = Vec::with_capacity(len + 4096);
    while bytes.len() < len {
        let run = 1 + rng.below(4096);
        let seed = rng.next();
        let kind = match rng.below(6) {
            0 => Data::Constant { byte: 0 },
            1 => Data::Constant { byte: seed as u8 },
            2 => Data::Painted,
            3 => Data::Periodic { period: 1 + rng.below(300), seed },
            _ => Data::Random { seed },
        };
        bytes.extend(kind.bytes(run));
    }
    bytes.truncate(len);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_is_a_prefix_of_longer() {
        for kind in Data::KINDS {
            let long = kind.bytes(20_000);
            for len in [0, 1, 7, 8, 9, 4095, 19_999] {
                assert_eq!(kind.bytes(len), long[..len], "{kind:?}");
            }
        }
    }

    /// The vectors depend on every one of these generators: a change would show there too, but less plainly.
    #[test]
    fn generators_are_what_they_were() {
        assert_eq!(Data::Random { seed: 1 }.bytes(8), 0x910a_2dec_8902_5cc1_u64.to_le_bytes());
        assert_eq!(Data::Painted.bytes(252)[249..], [249, 250, 0]);
        let text = String::from_utf8(Data::Words { seed: 2 }.bytes(2000)).unwrap();
        assert!(text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ' || byte == b'\n'));
        assert!(text.split_whitespace().count() > 200);
    }
}
