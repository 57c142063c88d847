//! Ingests a stream into a pack, verifies and restores it, with static memory alone. If anything in here needed an
//! allocator, the library would not link: there is none.

#![no_std]

pub mod parts;
#[cfg(panic_places)]
mod rest;
#[cfg(target_pointer_width = "32")]
mod sizes;

use core::sync::atomic::{AtomicBool, Ordering};

use chunkmill_core::drive::{PackSink, asynchronous, ingest, restore, verify};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer, Reader};
use chunkmill_core::{
    ChunkId, ChunkParams, ChunkSource, GearTable, IdKey, NoIndex, RecentIndex, RetainingChunker, StreamingChunker,
};

/// 2/8/32 KiB chunks; blocks of 4 KiB.
const MAX: u32 = 32 << 10;

struct Memory {
    stream: [u8; 200_000],
    ring: [u8; 34 << 10],
    table: CompressTable,
    scratch: [u8; 40 << 10],
    pack: [u8; 260_000],
    chunk: [u8; 32 << 10],
    block: [u8; 4 << 10],
    restored: [u8; 200_000],
}

/// Memory of a program, lent once.
struct Lent(core::cell::UnsafeCell<Memory>, AtomicBool);

// SAFETY: `take` gives the memory to one caller only.
unsafe impl Sync for Lent {}

static MEMORY: Lent = Lent(
    core::cell::UnsafeCell::new(Memory {
        stream: [0; 200_000],
        ring: [0; 34 << 10],
        table: CompressTable::large(),
        scratch: [0; 40 << 10],
        pack: [0; 260_000],
        chunk: [0; 32 << 10],
        block: [0; 4 << 10],
        restored: [0; 200_000],
    }),
    AtomicBool::new(false),
);

impl Lent {
    fn take(&'static self) -> Option<&'static mut Memory> {
        let taken = self.1.swap(true, Ordering::AcqRel);
        // SAFETY: the flag goes from false to true once, so this is the only reference.
        (!taken).then(|| unsafe { &mut *self.0.get() })
    }
}

/// Chunks that a reference may stand for are those of the stream itself.
struct Stream<'s>(&'s [u8], &'s IdKey, ChunkParams);

impl ChunkSource for Stream<'_> {
    type Error = core::convert::Infallible;

    fn fetch(&mut self, id: &ChunkId, into: &mut [u8]) -> Result<bool, Self::Error> {
        let Self(stream, key, params) = self;
        let mut input = *stream;
        let mut chunker = StreamingChunker::new(*params, GearTable::published(), key);
        while let Some(span) = chunker.push(&mut input) {
            let Some(chunk) = span.ended.filter(|chunk| chunk.id == *id) else { continue };
            let Ok(offset) = usize::try_from(chunk.offset) else { return Ok(false) };
            let Some(bytes) = stream.get(offset..offset.saturating_add(into.len())) else { return Ok(false) };
            into.copy_from_slice(bytes);
            return Ok(true);
        }
        Ok(false)
    }
}

/// 0 if all went well, else the step that did not.
#[unsafe(no_mangle)]
pub extern "C" fn chunkmill_no_alloc() -> i32 {
    match run() {
        Ok(()) => 0,
        Err(step) => step,
    }
}

fn run() -> Result<(), i32> {
    let memory = MEMORY.take().ok_or(1)?;
    // Half noise, half text, and the first half of it all once more.
    let mut state = 1u32;
    let (front, back) = memory.stream.split_at_mut(120_000);
    for (index, byte) in front.iter_mut().enumerate() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = if index < 60_000 { (state >> 24) as u8 } else { b"chunkmill "[index % 10] };
    }
    back.copy_from_slice(&front[..80_000]);

    let params = ChunkParams::new(2 << 10, 8 << 10, MAX, 1).map_err(|_| 2)?;
    let key = IdKey::from_bytes([7; 32]);
    let gear = GearTable::published();
    let mut chunker = RetainingChunker::new(params, gear, &key, &mut memory.ring).map_err(|_| 3)?;
    let block = BlockLen::from_log2(12).ok_or(4)?;
    let compressor = Compressor::new(block, &mut memory.table, &mut memory.scratch).map_err(|_| 5)?;
    let packer = Packer::compressing(params, gear, [9; 16], &key, compressor);
    let mut sink = PackSink::new(packer, &mut memory.pack[..]);
    let mut index = RecentIndex::<64>::new();
    let done = ingest(&mut &memory.stream[..], &mut chunker, &mut index, &mut sink).map_err(|_| 6)?;
    if done.bytes != 200_000 || done.references == 0 || done.stored_bytes > 150_000 {
        return Err(7);
    }
    let len = usize::try_from(sink.offset()).map_err(|_| 8)?;
    let pack = &memory.pack[..len];

    let reader = Reader::new(&key, &mut memory.chunk, &mut memory.block);
    let verified = verify(&mut &pack[..], reader).map_err(|_| 9)?;
    if verified.chunks != done.chunks {
        return Err(10);
    }
    let reader = Reader::new(&key, &mut memory.chunk, &mut memory.block);
    let mut source = Stream(&memory.stream, &key, params);
    let mut out = &mut memory.restored[..];
    restore(&mut &pack[..], reader, &mut source, &mut out).map_err(|_| 11)?;
    if memory.restored != memory.stream {
        return Err(12);
    }

    let keyed = GearTable::keyed(&key, &params);
    let mut chunker = RetainingChunker::new(params, &keyed, &key, &mut memory.ring).map_err(|_| 13)?;
    let packer = Packer::new(params, &keyed, [8; 16], &key);
    let (mut stream, mut index, mut pack) = (&memory.stream[..], NoIndex, &mut memory.pack[..]);
    let future = asynchronous::ingest(&mut stream, &mut chunker, &mut index, packer, &mut pack);
    let mut context = core::task::Context::from_waker(core::task::Waker::noop());
    match core::pin::pin!(future).poll(&mut context) {
        core::task::Poll::Ready(Ok(done)) if done.bytes == 200_000 => Ok(()),
        _ => Err(14),
    }
}

/// For `panics.sh`, whatever may panic leaves the place where in the library.
#[panic_handler]
fn panicked(info: &core::panic::PanicInfo<'_>) -> ! {
    if cfg!(panic_places) {
        core::hint::black_box(info.location());
    }
    loop {}
}
