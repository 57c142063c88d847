//! The definition of the cut points, one byte after the other, in as few lines as it takes.

use fastcdc::v2020::{get_gear_with_seed, select_masks};

use crate::oracle::normalization;
use crate::setup::Setup;

/// A scan that needs a whole chunk at hand and knows nothing of pushes.
#[derive(Clone, Debug)]
pub struct Naive {
    /// The gear table.
    pub words: [u64; 256],
    /// Mask before the average size.
    pub strict: u64,
    /// Mask from the average size on.
    pub loose: u64,
    min: usize,
    avg: usize,
    max: usize,
}

/// What the last byte of a stream is to the chunk it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastByte {
    /// It triggers as the first byte of a pair: too late to count, but with one more byte it would have.
    EvenTrigger,
    /// It triggers as the second byte of a pair, so it is a chunk of its own.
    OddTrigger,
    /// It triggers nothing.
    Plain,
}

impl Naive {
    /// With the masks and the table that `fastcdc` makes public.
    pub fn new(setup: &Setup) -> Self {
        let (min, avg, max) = setup.sizes();
        let (strict, loose) = select_masks(avg, normalization(setup.params.level()));
        let (words, _) = get_gear_with_seed(setup.seed);
        Self { words: words.as_ref().try_into().expect("256 words"), strict, loose, min, avg, max }
    }

    /// Index of the first byte that triggers in a chunk that starts with `bytes`, wherever in its pair it lies.
    pub fn first_trigger(&self, bytes: &[u8]) -> Option<usize> {
        let mut hash = 0u64;
        (self.min..bytes.len().min(self.max)).find(|&at| {
            hash = (hash << 1).wrapping_add(self.words[usize::from(bytes[at])]);
            let mask = if at < self.avg { self.strict } else { self.loose };
            hash & mask == 0
        })
    }

    /// Length of the chunk that `rest`, all that is left of a stream, starts with.
    pub fn chunk_len(&self, rest: &[u8]) -> usize {
        match self.first_trigger(rest) {
            Some(at) if is_first_of_pair(at) && at + 1 == rest.len() => rest.len(),
            Some(at) => at,
            None => rest.len().min(self.max),
        }
    }

    /// Lengths of the chunks of a stream.
    pub fn lens(&self, stream: &[u8]) -> Vec<u32> {
        let mut rest = stream;
        let mut lens = Vec::new();
        while !rest.is_empty() {
            let len = self.chunk_len(rest);
            lens.push(len as u32);
            rest = &rest[len..];
        }
        lens
    }

    /// For every prefix of a stream, the empty one left out: what its last byte is.
    pub fn last_bytes(&self, stream: &[u8]) -> Vec<LastByte> {
        let mut ends = vec![LastByte::Plain; stream.len()];
        let mut start = 0;
        while start < stream.len() {
            let rest = &stream[start..];
            let trigger = self.first_trigger(rest);
            if let Some(at) = trigger {
                ends[start + at] = if is_first_of_pair(at) { LastByte::EvenTrigger } else { LastByte::OddTrigger };
            }
            // In the stream itself, unlike in its prefixes, the trigger counts unless it is the very last byte.
            start += trigger.unwrap_or(self.max);
        }
        ends
    }
}

const fn is_first_of_pair(at: usize) -> bool {
    at.is_multiple_of(2)
}
