//! An index, a sink and a source that write down what is asked of them.

use core::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use chunkmill_core::{Chunk, ChunkId, ChunkIndex, ChunkSink, ChunkSource, Retained};

use crate::oracle;
use crate::setup::Setup;

/// Something that was asked, and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The index was asked for a chunk, and knew it or not.
    Contains(ChunkId, bool),
    /// The sink took a chunk.
    Stored(ChunkId),
    /// The index took note of a chunk.
    Inserted(ChunkId),
    /// The sink took note of a chunk known already.
    Referred(ChunkId),
    /// The sink finished.
    Finished,
    /// The sink failed at whatever it was to do.
    Failed,
}

/// Events in the order in which they came to pass, shared by those who write them.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Rc<RefCell<Vec<Event>>>);

/// An index that writes down what it is asked.
#[derive(Debug)]
pub struct LoggedIndex<'i, I> {
    index: &'i mut I,
    ledger: Ledger,
}

/// A sink that writes down what it is told, and what became of it.
#[derive(Debug)]
pub struct LoggedSink<'s, S> {
    sink: &'s mut S,
    ledger: Ledger,
}

/// Chunks to be had by their ids, and what is odd about one request for them.
#[derive(Clone, Debug)]
pub struct Shelf {
    chunks: HashMap<[u8; 32], Vec<u8>>,
    odd: Option<(usize, Oddity)>,
    /// The ids that were asked for.
    pub asked: Vec<ChunkId>,
}

/// What a [`Shelf`] does instead of giving a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// It fails.
    Broken,
    /// It has scribbled into the window before it found that it lacks the chunk.
    Lacks,
    /// One bit is wrong.
    Wrong,
}

/// The error of a [`Shelf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShelfBroken;

impl Ledger {
    /// An index whose events go here.
    pub fn index<'i, I: ChunkIndex>(&self, index: &'i mut I) -> LoggedIndex<'i, I> {
        LoggedIndex { index, ledger: self.clone() }
    }

    /// A sink whose events go here.
    pub fn sink<'s, S: ChunkSink>(&self, sink: &'s mut S) -> LoggedSink<'s, S> {
        LoggedSink { sink, ledger: self.clone() }
    }

    /// All events so far.
    pub fn events(&self) -> Vec<Event> {
        self.0.borrow().clone()
    }

    fn note(&self, event: Event) {
        self.0.borrow_mut().push(event);
    }

    fn outcome<T, E>(&self, result: Result<T, E>, done: Event) -> Result<T, E> {
        self.note(if result.is_ok() { done } else { Event::Failed });
        result
    }
}

/// What must come to pass when these chunks go through an index that knows the last `known` of those stored.
pub fn expected_events(chunks: &[Chunk], known: usize) -> Vec<Event> {
    let mut index = VecDeque::new();
    let mut events = Vec::new();
    for &Chunk { id, .. } in chunks {
        let found = index.contains(&id);
        events.push(Event::Contains(id, found));
        if found {
            events.push(Event::Referred(id));
            continue;
        }
        events.extend([Event::Stored(id), Event::Inserted(id)]);
        index.push_back(id);
        if index.len() > known {
            index.pop_front();
        }
    }
    events.push(Event::Finished);
    events
}

impl<I: ChunkIndex> ChunkIndex for LoggedIndex<'_, I> {
    fn contains(&mut self, id: &ChunkId) -> bool {
        let found = self.index.contains(id);
        self.ledger.note(Event::Contains(*id, found));
        found
    }

    fn insert(&mut self, chunk: &Chunk) {
        self.ledger.note(Event::Inserted(chunk.id));
        self.index.insert(chunk);
    }
}

impl<S: ChunkSink> ChunkSink for LoggedSink<'_, S> {
    type Error = S::Error;

    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, S::Error> {
        let stored = self.sink.store(retained);
        self.ledger.outcome(stored, Event::Stored(retained.chunk.id))
    }

    fn refer(&mut self, chunk: &Chunk) -> Result<(), S::Error> {
        let referred = self.sink.refer(chunk);
        self.ledger.outcome(referred, Event::Referred(chunk.id))
    }

    fn finish(&mut self) -> Result<(), S::Error> {
        let finished = self.sink.finish();
        self.ledger.outcome(finished, Event::Finished)
    }
}

impl Shelf {
    /// With the chunks that the oracle finds in `data`.
    pub fn of(setup: &Setup, data: &[u8]) -> Self {
        let chunks = oracle::chunks(setup, data).into_iter().map(|Chunk { offset, len, id }| {
            let bytes = &data[offset as usize..][..len as usize];
            (*id.as_bytes(), bytes.to_vec())
        });
        Self { chunks: chunks.collect(), odd: None, asked: Vec::new() }
    }

    /// The request of this number, counted from 0, is odd.
    #[must_use]
    pub const fn with(mut self, request: usize, oddity: Oddity) -> Self {
        self.odd = Some((request, oddity));
        self
    }
}

impl ChunkSource for Shelf {
    type Error = ShelfBroken;

    fn fetch(&mut self, id: &ChunkId, into: &mut [u8]) -> Result<bool, ShelfBroken> {
        let request = self.asked.len();
        self.asked.push(*id);
        into.fill(0x5c);
        let Some(bytes) = self.chunks.get(id.as_bytes()) else { return Ok(false) };
        match self.odd {
            Some((odd, Oddity::Broken)) if odd == request => return Err(ShelfBroken),
            Some((odd, Oddity::Lacks)) if odd == request => return Ok(false),
            _ => into.copy_from_slice(bytes),
        }
        if self.odd == Some((request, Oddity::Wrong)) {
            into[0] ^= 1;
        }
        Ok(true)
    }
}
