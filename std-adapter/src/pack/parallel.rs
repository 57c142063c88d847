//! A pack written in order while helpers compress.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use chunkmill_core::drive::WriteError;
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer};
use chunkmill_core::{Chunk, ChunkParams, ChunkSink, Retained};

type Failed = WriteError<io::Error>;

/// The chunks between the caller, who finds and writes them, and the helpers, who compress them.
///
/// Each chunk has a place in the order of the stream. The caller fills places at the back, anyone compresses, the caller writes
/// from the front. When there is no room for another chunk, the caller compresses, too, and waits only for a chunk that a
/// helper has in hand: so no order of events can lock up.
pub(super) struct Bench {
    state: Mutex<State>,
    for_helpers: Condvar,
    for_caller: Condvar,
    params: ChunkParams,
}

#[derive(Default)]
struct State {
    /// Places of chunks that wait to be compressed, in order.
    waiting: VecDeque<u64>,
    places: VecDeque<Place>,
    /// Number of the place at the front.
    first: u64,
    /// Memory of chunks that are written.
    spare: Vec<Stored>,
    caller_waits: bool,
    over: bool,
    /// A helper panicked; what it had in hand will not come back.
    lost: bool,
}

enum Place {
    Compressed(Stored),
    InHand,
    Refer(Chunk),
    Waiting(Stored),
}

/// A chunk, its bytes, and its frame if it is worth one.
struct Stored {
    chunk: Chunk,
    bytes: Vec<u8>,
    frame: Vec<u8>,
}

/// What one thread compresses with.
struct Tools {
    table: CompressTable,
    scratch: Vec<u8>,
}

impl Bench {
    pub(super) fn new(params: ChunkParams) -> Self {
        Self { state: Mutex::default(), for_helpers: Condvar::new(), for_caller: Condvar::new(), params }
    }

    /// Compresses until it is over.
    pub(super) fn help(&self) {
        let _losing = Losing(self);
        let mut tools = Tools::new(&self.params);
        let mut state = self.lock();
        while !state.over {
            if let Some((number, mut stored)) = state.take_waiting() {
                drop(state);
                tools.compress(&mut stored);
                state = self.lock();
                state.put_compressed(number, stored);
                if state.caller_waits {
                    self.for_caller.notify_one();
                }
            } else {
                state = self.for_helpers.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Sends the helpers away.
    pub(super) fn close(&self) {
        self.lock().over = true;
        self.for_helpers.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_waiting(&mut self) -> Option<(u64, Stored)> {
        let number = self.waiting.pop_front()?;
        let place = self.place(number)?;
        match core::mem::replace(place, Place::InHand) {
            Place::Waiting(stored) => Some((number, stored)),
            other => {
                *place = other;
                None
            }
        }
    }

    fn put_compressed(&mut self, number: u64, stored: Stored) {
        if let Some(place) = self.place(number) {
            *place = Place::Compressed(stored);
        }
    }

    fn place(&mut self, number: u64) -> Option<&mut Place> {
        self.places.get_mut(usize::try_from(number.wrapping_sub(self.first)).ok()?)
    }
}

impl Tools {
    fn new(params: &ChunkParams) -> Self {
        Self { table: CompressTable::large(), scratch: vec![0; Compressor::scratch_for(BlockLen::MAX, params)] }
    }

    /// Leaves the frame empty if the chunk is to be stored raw.
    fn compress(&mut self, stored: &mut Stored) {
        stored.frame.clear();
        // The scratch memory was made for it.
        if let Ok(mut compressor) = Compressor::new(BlockLen::MAX, &mut self.table, &mut self.scratch)
            && let Some(frame) = compressor.compress(&stored.bytes, &[])
        {
            stored.frame.extend_from_slice(frame);
        }
    }
}

/// A helper that panics says so.
struct Losing<'b>(&'b Bench);

impl Drop for Losing<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().lost = true;
            self.0.for_caller.notify_one();
        }
    }
}

/// The caller's end of a [`Bench`]: takes chunks in order, and writes records in order.
pub(super) struct ParallelSink<'b, W> {
    bench: &'b Bench,
    tools: Tools,
    packer: Packer<'static>,
    device: W,
    offset: u64,
    /// Bytes of chunks between their coming and their being written, and how many there may be.
    in_flight: usize,
    budget: usize,
}

impl<'b, W: Write> ParallelSink<'b, W> {
    /// Writes the header. `budget` bytes of chunks may be in flight, but one chunk always may.
    pub(super) fn new(bench: &'b Bench, packer: Packer<'static>, device: W, budget: usize) -> Result<Self, Failed> {
        let tools = Tools::new(&bench.params);
        let mut sink = Self { bench, tools, packer, device, offset: 0, in_flight: 0, budget };
        let header = sink.packer.header();
        sink.write(&header)?;
        Ok(sink)
    }

    /// Does what brings the front closer to being written: writes it, or compresses the next chunk, or waits for a helper.
    fn advance(&mut self) -> Result<(), Failed> {
        let mut state = self.bench.lock();
        match state.places.front() {
            Some(Place::Compressed(_) | Place::Refer(_)) => {
                let place = state.places.pop_front();
                state.first = state.first.wrapping_add(1);
                drop(state);
                return place.map_or(Ok(()), |place| self.write_place(place));
            }
            None => return Ok(()),
            Some(Place::InHand | Place::Waiting(_)) => {}
        }
        if let Some((number, mut stored)) = state.take_waiting() {
            drop(state);
            self.tools.compress(&mut stored);
            self.bench.lock().put_compressed(number, stored);
        } else if state.lost {
            return Err(WriteError::Closed);
        } else {
            state.caller_waits = true;
            let mut state = self.bench.for_caller.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.caller_waits = false;
        }
        Ok(())
    }

    /// Writes what is ready at the front.
    fn write_ready(&mut self) -> Result<(), Failed> {
        let ready = |bench: &Bench| matches!(bench.lock().places.front(), Some(Place::Compressed(_) | Place::Refer(_)));
        while ready(self.bench) {
            self.advance()?;
        }
        Ok(())
    }

    fn write_place(&mut self, place: Place) -> Result<(), Failed> {
        match place {
            Place::Refer(chunk) => {
                self.check(self.packer.accepts(&chunk), &chunk)?;
                let record = self.packer.refer(&chunk);
                self.write(&record)
            }
            Place::Compressed(stored) => {
                let Stored { chunk, ref bytes, ref frame } = stored;
                let raw = Retained { chunk, first: bytes, second: &[] };
                self.check(self.packer.accepts_bytes(&raw), &chunk)?;
                let pieces =
                    if frame.is_empty() { self.packer.store(&raw) } else { self.packer.store_frame(&chunk, frame) };
                for part in pieces.parts() {
                    write(&mut self.device, &mut self.offset, part)?;
                }
                self.in_flight = self.in_flight.saturating_sub(bytes.len());
                self.bench.lock().spare.push(stored);
                Ok(())
            }
            Place::InHand | Place::Waiting(_) => Ok(()),
        }
    }

    fn check(&self, accepted: bool, chunk: &Chunk) -> Result<(), Failed> {
        if accepted { Ok(()) } else { Err(WriteError::Misplaced { offset: chunk.offset }) }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        write(&mut self.device, &mut self.offset, bytes)
    }
}

fn write(device: &mut impl Write, offset: &mut u64, bytes: &[u8]) -> Result<(), Failed> {
    device.write_all(bytes).map_err(|source| WriteError::Failed { offset: *offset, source })?;
    *offset = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(0));
    Ok(())
}

impl<W: Write> ChunkSink for ParallelSink<'_, W> {
    type Error = Failed;

    /// The length of the chunk: how short its frame is will be known later.
    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, Failed> {
        let Retained { chunk, first, second } = *retained;
        let len = first.len().saturating_add(second.len());
        while self.in_flight > 0 && self.in_flight.saturating_add(len) > self.budget {
            self.advance()?;
        }
        let spare = self.bench.lock().spare.pop();
        let mut stored = spare.unwrap_or_else(|| Stored { chunk, bytes: Vec::new(), frame: Vec::new() });
        stored.chunk = chunk;
        stored.bytes.clear();
        stored.bytes.extend_from_slice(first);
        stored.bytes.extend_from_slice(second);
        self.in_flight = self.in_flight.saturating_add(len);
        let mut state = self.bench.lock();
        let number = state.first.wrapping_add(u64::try_from(state.places.len()).unwrap_or(0));
        state.places.push_back(Place::Waiting(stored));
        state.waiting.push_back(number);
        drop(state);
        self.bench.for_helpers.notify_one();
        self.write_ready()?;
        Ok(u64::from(chunk.len))
    }

    fn refer(&mut self, chunk: &Chunk) -> Result<(), Failed> {
        self.bench.lock().places.push_back(Place::Refer(*chunk));
        self.write_ready()
    }

    fn finish(&mut self) -> Result<(), Failed> {
        while !self.bench.lock().places.is_empty() {
            self.advance()?;
        }
        let trailer = self.packer.trailer();
        self.write(&trailer)?;
        self.device.flush().map_err(|source| WriteError::Failed { offset: self.offset, source })
    }
}
