//! The second stage: cut points are found, one batch after the other.

use chunkmill_core::{Cutter, Piece};

use super::batch::{Batch, Hashed, Item, Part, Span};

/// Where chunks end.
pub(super) enum Cuts<'g> {
    /// Where content says so.
    ByContent(Cutter<'g>),
    /// Only where streams do. The length of the stream so far.
    Never(u64),
}

pub(super) struct Cutting<'g> {
    cuts: Cuts<'g>,
    /// Bytes of the chunk at hand that wait for the next batch.
    carried: Vec<u8>,
    /// Place of the first of them in the chunk.
    from: u64,
}

/// The span at hand: it starts at an index of the buffer, which is a place in a chunk.
struct Hand {
    at: usize,
    from: u64,
}

impl<'g> Cutting<'g> {
    pub(super) const fn new(cuts: Cuts<'g>) -> Self {
        Self { cuts, carried: Vec::new(), from: 0 }
    }

    pub(super) fn cut<T, R>(&mut self, batch: &mut Batch<T, R>) {
        let mut hand = Hand { at: batch.prepend(&self.carried), from: self.from };
        let mut end = Batch::<T, R>::HEAD;
        let mut parts = core::mem::take(&mut batch.parts);
        for part in parts.drain(..) {
            let item = match part {
                Part::Bytes(len) => {
                    self.cut_bytes(batch, &mut hand, end, len);
                    end = end.saturating_add(len);
                    continue;
                }
                Part::End(stream, result) => {
                    let last = self.cuts.finish().filter(|_| result.is_ok());
                    if let Some(span) = last.map(|len| hand.take(len, true)) {
                        batch.items.push(Item::Span(span));
                    }
                    hand = Hand { at: end, from: 0 };
                    Item::End(stream, result)
                }
                Part::Note(note) => Item::Note(note),
                Part::Start(label) => Item::Start(label),
                Part::Zeros(chunks) => Item::Zeros(chunks),
            };
            batch.items.push(item);
        }
        // Its memory is used again.
        batch.parts = parts;
        self.carry(batch, hand, end);
    }

    fn cut_bytes<T, R>(&mut self, batch: &mut Batch<T, R>, hand: &mut Hand, at: usize, len: usize) {
        let (mut at, mut left) = (at, len);
        while left > 0 {
            let (taken, cut) = self.cuts.scan(batch.bytes(at, left));
            at = at.saturating_add(taken);
            left = left.saturating_sub(taken);
            let Some(len) = cut else { return };
            batch.items.push(Item::Span(hand.take(len, true)));
        }
    }

    /// Of the chunk that goes on, hands out whole groups and keeps the rest: at least one byte that is certainly its own, for
    /// its last piece must not be empty.
    fn carry<T, R>(&mut self, batch: &mut Batch<T, R>, mut hand: Hand, end: usize) {
        let groups = self.cuts.certain().saturating_sub(1).div_euclid(GROUP);
        let upto = groups.saturating_mul(GROUP);
        if upto > hand.from {
            batch.items.push(Item::Span(hand.take(upto, false)));
            // What is behind belongs to the same chunk.
            hand.from = upto;
        }
        self.from = hand.from;
        self.carried.clear();
        self.carried.extend_from_slice(batch.bytes(hand.at, end.saturating_sub(hand.at)));
    }
}

const GROUP: u64 = {
    #[expect(clippy::as_conversions, reason = "no other way in a constant")]
    let group = Piece::ALIGNMENT as u64;
    group
};

impl Hand {
    /// The span up to `upto` bytes into the chunk. What is behind it is at hand then: the start of a chunk.
    fn take(&mut self, upto: u64, last: bool) -> Span {
        let len = usize::try_from(upto.saturating_sub(self.from)).unwrap_or(0);
        let span = Span { at: self.at, len, from: self.from, last, hashed: Hashed::NotYet };
        self.at = self.at.saturating_add(len);
        self.from = 0;
        span
    }
}

impl Cuts<'_> {
    /// Bytes taken, and the length of the chunk that ends after them, if one does.
    fn scan(&mut self, bytes: &[u8]) -> (usize, Option<u64>) {
        match self {
            Self::ByContent(cutter) => {
                let scanned = cutter.scan(bytes);
                (scanned.taken, scanned.cut.map(u64::from))
            }
            Self::Never(len) => {
                *len = len.saturating_add(u64::try_from(bytes.len()).unwrap_or(0));
                (bytes.len(), None)
            }
        }
    }

    /// Ends the stream: the length of its last chunk, if it has one.
    fn finish(&mut self) -> Option<u64> {
        match self {
            Self::ByContent(cutter) => cutter.finish().map(u64::from),
            Self::Never(len) => Some(core::mem::take(len)).filter(|&len| len > 0),
        }
    }

    /// Bytes that belong to the chunk at hand, whatever follows.
    fn certain(&self) -> u64 {
        match self {
            Self::ByContent(cutter) => cutter.chunk_len().saturating_sub(cutter.holds_byte().into()).into(),
            Self::Never(len) => *len,
        }
    }
}
