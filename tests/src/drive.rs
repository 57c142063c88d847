//! Drivers: a stream goes in piece by piece, and every promise about spans and lengths is checked on the way.

use chunkmill_core::{Chunk, Cutter, StreamingChunker};

use crate::data::Rng;

/// How a stream is split into pushes.
#[derive(Clone, Debug)]
pub enum Pushes {
    /// At these indices, in rising order; an index twice makes an empty push.
    At(Vec<usize>),
    /// So many bytes a push, as long as there are any.
    Of(usize),
    /// Seeded sizes from 0 up, small ones as often as large ones.
    Random(u64),
    /// All at once.
    Whole,
}

impl Pushes {
    /// The ways of splitting that suit streams of a few KiB: whole, bytes, pairs, primes, random.
    pub fn small() -> Vec<Self> {
        let mut all = vec![Self::Whole];
        all.extend([1, 2, 3, 7, 61, 251, 1021].map(Self::Of));
        all.extend([11, 12].map(Self::Random));
        all
    }

    /// Calls `push` with one piece after the other.
    pub fn split<'d>(&self, data: &'d [u8], mut push: impl FnMut(&'d [u8])) {
        match self {
            Self::At(indices) => {
                let mut start = 0;
                for &end in indices {
                    push(&data[start..end]);
                    start = end;
                }
                push(&data[start..]);
            }
            Self::Of(len) => data.chunks(*len).for_each(push),
            Self::Random(seed) => {
                let mut rng = Rng::new(*seed);
                let mut rest = data;
                while !rest.is_empty() {
                    let bits = rng.below(2 + data.len().ilog2() as usize);
                    let (piece, tail) = rest.split_at(rng.below(1 << bits).min(rest.len()));
                    push(piece);
                    rest = tail;
                }
            }
            Self::Whole => push(data),
        }
    }
}

/// Lengths of the chunks that `cutter` cuts a whole stream into; `cutter` must be at the start of one.
pub fn cut(cutter: &mut Cutter<'_>, data: &[u8], pushes: &Pushes) -> Vec<u32> {
    let mut lens = Vec::new();
    pushes.split(data, |piece| scan_all(cutter, piece, &mut lens));
    lens.extend(cutter.finish());
    assert_eq!(cutter.finish(), None, "a finished stream has no chunk left");
    assert_whole(&lens, data);
    lens
}

/// Lets `cutter` take all of `piece`, and appends the lengths of the chunks that end.
pub fn scan_all(cutter: &mut Cutter<'_>, piece: &[u8], lens: &mut Vec<u32>) {
    let mut rest = piece;
    loop {
        let scanned = cutter.scan(rest);
        rest = &rest[scanned.taken..];
        assert!(cutter.chunk_len() < cutter.params().max(), "a chunk of the maximum length ends at once");
        let Some(len) = scanned.cut else { break };
        // Also what keeps a cutter that cuts without end from running for ever.
        assert!(len > 0, "no chunk is empty");
        lens.push(len);
    }
    assert!(rest.is_empty(), "without a cut, all bytes are taken");
}

/// The chunks that `chunker` makes of a whole stream; `chunker` must be at the start of one, wherever that lies.
pub fn chunk(chunker: &mut StreamingChunker<'_>, data: &[u8], pushes: &Pushes) -> Vec<Chunk> {
    let mut watch = Watch::new(chunker, data);
    pushes.split(data, |piece| watch.push(chunker, piece));
    watch.finish(chunker)
}

/// Follows a stream through a [`StreamingChunker`] and fails the test as soon as a span is not the next bytes of the
/// stream, or a chunk is not exactly its spans.
#[derive(Clone, Debug)]
pub struct Watch<'d> {
    data: &'d [u8],
    start: u64,
    pushed: usize,
    lent: usize,
    chunk_start: usize,
    chunks: Vec<Chunk>,
}

impl<'d> Watch<'d> {
    /// Follows `data`, whose first byte `chunker` places at the offset it stands at.
    pub fn new(chunker: &StreamingChunker<'_>, data: &'d [u8]) -> Self {
        let start = chunker.chunk_offset();
        Self { data, start, pushed: 0, lent: 0, chunk_start: 0, chunks: Vec::new() }
    }

    /// Pushes the next bytes of the stream.
    pub fn push(&mut self, chunker: &mut StreamingChunker<'_>, piece: &[u8]) {
        self.pushed += piece.len();
        let mut input = piece;
        while let Some(span) = chunker.push(&mut input) {
            self.span(span.bytes, span.ended);
        }
        assert!(input.is_empty(), "a push that lends nothing has used up its input");
        let unknown = self.pushed - self.chunk_start;
        assert_eq!(chunker.chunk_len() as usize, unknown, "all bytes since the last cut are counted");
        assert_eq!(chunker.chunk_offset(), self.start.wrapping_add(self.chunk_start as u64));
        assert!(self.pushed - self.lent <= 1, "at most one byte is held back");
    }

    /// Ends the stream where it stands and gives its chunks.
    pub fn finish(mut self, chunker: &mut StreamingChunker<'_>) -> Vec<Chunk> {
        if let Some(span) = chunker.finish() {
            assert!(span.ended.is_some(), "the last span ends the last chunk");
            self.span(span.bytes, span.ended);
        }
        assert_eq!(self.lent, self.pushed, "the spans are the stream");
        assert_eq!(self.chunk_start, self.pushed, "the chunks are the stream");
        assert_eq!(chunker.finish(), None, "a finished stream has no chunk left");
        assert_eq!((chunker.chunk_offset(), chunker.chunk_len()), (0, 0));
        self.chunks
    }

    fn span(&mut self, bytes: &[u8], ended: Option<Chunk>) {
        let next = &self.data[self.lent..][..bytes.len()];
        assert!(bytes == next, "the span is not what comes at index {} of the stream", self.lent);
        self.lent += bytes.len();
        let Some(chunk) = ended else { return };
        assert_eq!(chunk.offset, self.start.wrapping_add(self.chunk_start as u64), "a chunk starts where one ended");
        assert_eq!(chunk.len as usize, self.lent - self.chunk_start, "a chunk is as long as its spans");
        assert!(chunk.len > 0, "no chunk is empty");
        self.chunk_start = self.lent;
        self.chunks.push(chunk);
    }
}

fn assert_whole(lens: &[u32], data: &[u8]) {
    let total: u64 = lens.iter().map(|&len| u64::from(len)).sum();
    assert_eq!(total, data.len() as u64, "the chunks are the stream");
    assert!(!lens.contains(&0), "no chunk is empty");
}
