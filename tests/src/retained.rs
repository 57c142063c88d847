//! Drives a [`RetainingChunker`]: a stream goes in through its windows, and each chunk's bytes are compared with the stream.

use chunkmill_core::{Chunk, GearTable, RetainingChunker, Step};

use crate::devices::Sizes;
use crate::setup::{Setup, id_key, kernel};

/// A chunk as it was lent, and where in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    /// The chunk.
    pub chunk: Chunk,
    /// Index of its first byte in the ring's memory.
    pub place: usize,
    /// Whether it was lent in two pieces.
    pub wraps: bool,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// A chunk was lent.
    Chunk(Lent),
    /// All is done.
    Done,
    /// Input was needed, and given.
    Fed,
}

/// The stream on its way through a chunker.
#[derive(Debug)]
pub struct Course<'d> {
    data: &'d [u8],
    sizes: Sizes,
    /// Bytes committed.
    given: usize,
    /// Bytes of the chunks lent.
    taken: usize,
    ended: bool,
    base: usize,
}

/// All chunks of `data`, through a ring of `capacity` bytes that was filled in reads of these sizes.
pub fn run(setup: &Setup, capacity: usize, data: &[u8], sizes: &Sizes) -> Vec<Lent> {
    let gear = setup.gear();
    with_chunker(setup, &gear, capacity, |chunker| Course::new(chunker, data, sizes).finish(chunker))
}

/// The same without the places.
pub fn chunks(setup: &Setup, capacity: usize, data: &[u8], sizes: &Sizes) -> Vec<Chunk> {
    run(setup, capacity, data, sizes).into_iter().map(|lent| lent.chunk).collect()
}

/// Lends a fresh chunker over a ring of `capacity` bytes.
pub fn with_chunker<T>(
    setup: &Setup,
    gear: &GearTable,
    capacity: usize,
    use_it: impl FnOnce(&mut RetainingChunker<'_, '_>) -> T,
) -> T {
    let mut memory = vec![0xa5; capacity];
    let chunker = RetainingChunker::new(setup.params, gear, &id_key(), &mut memory).expect("the ring is large enough");
    use_it(&mut chunker.with_kernel(kernel()))
}

impl<'d> Course<'d> {
    /// Begins with a chunker whose ring is empty, so that its window starts where the ring's memory does.
    pub fn new(chunker: &mut RetainingChunker<'_, '_>, data: &'d [u8], sizes: &Sizes) -> Self {
        let base = chunker.window().as_ptr().addr();
        Self { data, sizes: sizes.clone(), given: 0, taken: 0, ended: false, base }
    }

    /// Bytes of the stream that the chunker was given.
    pub const fn given(&self) -> usize {
        self.given
    }

    /// Reads once into the window; at the end of the stream, says so. Some bytes behind those read are scribbled over, as a
    /// device may do. Does nothing if there is no window.
    pub fn fill(&mut self, chunker: &mut RetainingChunker<'_, '_>) {
        let rest = &self.data[self.given..];
        let window = chunker.window();
        if window.is_empty() {
            return;
        }
        let len = self.sizes.draw().min(window.len()).min(rest.len());
        window[len..].iter_mut().take(16).for_each(|byte| *byte = 0xdb);
        window[..len].copy_from_slice(&rest[..len]);
        chunker.commit(len).expect("no more than the window is committed");
        self.given += len;
        if len == 0 {
            chunker.end_input();
            self.ended = true;
        }
    }

    /// One step. Fills the window if that is asked for.
    pub fn step(&mut self, chunker: &mut RetainingChunker<'_, '_>) -> Went {
        match chunker.step() {
            Step::NeedInput => {
                assert!(!self.ended, "a stream that has ended has no more input");
                assert!(!chunker.window().is_empty(), "a chunker that needs input has room for it");
                self.fill(chunker);
                Went::Fed
            }
            Step::Chunk(retained) => {
                let chunk = retained.chunk;
                let (first, second) = (retained.first, retained.second);
                let expected = &self.data[self.taken..self.given];
                assert_eq!(chunk.offset, self.taken as u64, "a chunk starts where one ended");
                assert_eq!(chunk.len as usize, first.len() + second.len(), "all of the chunk is lent");
                assert!(expected.starts_with(first), "the bytes of the chunk at {}", self.taken);
                assert!(
                    expected[first.len()..].starts_with(second),
                    "the wrapped bytes of the chunk at {}",
                    self.taken
                );
                assert!(!first.is_empty(), "only a chunk that wraps has a second slice");
                assert!(second.is_empty() || second.as_ptr().addr() == self.base, "a chunk wraps to the ring's start");
                let lent = Lent { chunk, place: first.as_ptr().addr() - self.base, wraps: !second.is_empty() };
                self.taken += chunk.len as usize;
                assert_eq!(chunker.chunk_offset(), self.taken as u64);
                Went::Chunk(lent)
            }
            Step::Done => {
                assert!(self.ended, "no stream is done before its end");
                assert_eq!(self.taken, self.data.len(), "the chunks are the stream");
                Went::Done
            }
        }
    }

    /// Goes on to the end and gives the chunks lent on the way.
    pub fn finish(mut self, chunker: &mut RetainingChunker<'_, '_>) -> Vec<Lent> {
        let mut all = Vec::new();
        loop {
            match self.step(chunker) {
                Went::Chunk(lent) => all.push(lent),
                Went::Done => break,
                Went::Fed => {}
            }
        }
        for _ in 0..2 {
            assert_eq!(chunker.step(), Step::Done, "what is done stays done");
        }
        all
    }
}
