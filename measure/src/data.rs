//! The data that is measured: seeded, so every run and every machine sees the same bytes.

use core::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use clap::ValueEnum;

use crate::rng::SplitMix;
use crate::text::Soup;

/// What the bytes look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Data {
    /// Random bytes: what compressed or encrypted files look like.
    Random,
    /// Text of made-up words with the lengths, letters and frequencies of English prose.
    Text,
    /// Nothing but zeros: never a trigger, so every chunk is as long as it may be.
    Zeros,
    /// 0 to 250 over and over. The period is a prime, so no power of two lines up with it.
    Periodic,
}

/// Data is made in blocks of this size, each from its own number, so that a file is written without holding it.
const BLOCK_LEN: usize = 1 << 20;

const PERIOD: u64 = 251;

impl Data {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Random, Self::Text, Self::Zeros, Self::Periodic];

    /// The first `len` bytes of the stream of this kind and seed. Zeros and periodic data have no seed.
    pub fn bytes(self, seed: u64, len: usize) -> Vec<u8> {
        let source = Source::new(self, seed);
        let mut bytes = vec![0; len];
        for (number, block) in bytes.chunks_mut(BLOCK_LEN).enumerate() {
            source.fill(number as u64, block);
        }
        bytes
    }

    /// Writes the same stream as [`Data::bytes`].
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn write_to(self, seed: u64, len: u64, mut writer: impl Write) -> io::Result<()> {
        let source = Source::new(self, seed);
        let mut block = vec![0; BLOCK_LEN];
        let mut left = len;
        for number in 0.. {
            let part = &mut block[..left.min(BLOCK_LEN as u64) as usize];
            if part.is_empty() {
                break;
            }
            source.fill(number, part);
            writer.write_all(part)?;
            left -= part.len() as u64;
        }
        writer.flush()
    }
}

/// A file without a name in `dir`, filled with `data` and read once, so that it lies in the page cache if there is room.
/// It is gone when dropped, however the process ends.
///
/// # Errors
///
/// The file cannot be made, written or read.
pub fn warm_file(dir: &Path, data: Data, seed: u64, len: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(dir)?;
    data.write_to(seed, len, &file)?;
    // Otherwise the kernel would write it back while others are measured.
    file.sync_all()?;
    file.rewind()?;
    let mut sink = io::sink();
    io::copy(&mut &file, &mut sink)?;
    sink.flush()?;
    Ok(file)
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Random => "random",
            Self::Text => "text",
            Self::Zeros => "zeros",
            Self::Periodic => "periodic",
        })
    }
}

enum Source {
    Random { seed: u64 },
    Text(Soup),
    Zeros,
    Periodic,
}

impl Source {
    fn new(data: Data, seed: u64) -> Self {
        match data {
            Data::Random => Self::Random { seed },
            Data::Text => Self::Text(Soup::new(seed)),
            Data::Zeros => Self::Zeros,
            Data::Periodic => Self::Periodic,
        }
    }

    fn fill(&self, number: u64, out: &mut [u8]) {
        match self {
            Self::Random { seed } => SplitMix::part(*seed, number).fill(out),
            Self::Text(soup) => soup.fill(number, out),
            Self::Zeros => out.fill(0),
            Self::Periodic => {
                let start = number * BLOCK_LEN as u64 % PERIOD;
                for (byte, value) in out.iter_mut().zip((0..PERIOD as u8).cycle().skip(start as usize)) {
                    *byte = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of two versions can be compared only if both saw the same bytes.
    #[test]
    fn streams_never_change() {
        let digests = Data::ALL.map(|data| {
            let hash = blake3::hash(&data.bytes(1, 3 * BLOCK_LEN / 2));
            hash.to_hex()[..16].to_owned()
        });
        assert_eq!(digests, ["fece86f6c48a81b1", "2833ab3f8cfed540", "6d40b4b4b434760e", "c72bbcb34ed10468"]);
    }

    #[test]
    fn written_and_held_streams_are_the_same() {
        for data in Data::ALL {
            for len in [0, 1, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 2 * BLOCK_LEN + 7] {
                let mut written = Vec::new();
                data.write_to(3, len as u64, &mut written).unwrap();
                assert!(written == data.bytes(3, len), "{data}, {len} bytes");
            }
        }
    }

    #[test]
    fn a_longer_stream_starts_with_the_shorter_one() {
        for data in Data::ALL {
            let long = data.bytes(4, BLOCK_LEN + 1000);
            assert!(long.starts_with(&data.bytes(4, 1000)), "{data}");
            assert!(long.starts_with(&data.bytes(4, BLOCK_LEN + 1)), "{data}");
        }
    }

    #[test]
    fn seeds_and_blocks_differ() {
        for data in [Data::Random, Data::Text] {
            let bytes = data.bytes(1, 2 * BLOCK_LEN);
            assert!(bytes[..BLOCK_LEN] != data.bytes(2, BLOCK_LEN), "{data}");
            assert!(bytes[..BLOCK_LEN] != bytes[BLOCK_LEN..], "{data}");
        }
    }

    #[test]
    fn the_period_runs_on_across_blocks() {
        let bytes = Data::Periodic.bytes(0, 2 * BLOCK_LEN);
        assert!(bytes.iter().enumerate().all(|(index, &byte)| byte == (index % 251) as u8));
    }
}
