//! The parts of the engine, each behind a function of its own, so that a linker can tell what each takes in flash.

use core::slice;

use chunkmill_core::drive::{PackSink, ingest, verify};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer, Reader};
use chunkmill_core::{ChunkHasher, ChunkParams, Cutter, GearTable, IdKey, NoIndex, RetainingChunker, StreamingChunker};

fn params() -> Option<ChunkParams> {
    ChunkParams::new(2 << 10, 8 << 10, 32 << 10, 1).ok()
}

/// # Safety
///
/// `bytes` points to `len` bytes that nobody else uses meanwhile.
unsafe fn borrow<'b>(bytes: *mut u8, len: usize) -> &'b mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(bytes, len) }
}

/// Cut points alone.
///
/// # Safety
///
/// As [`borrow`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn part_cut(bytes: *mut u8, len: usize) -> u32 {
    let Some(params) = params() else { return 0 };
    let mut cutter = Cutter::new(params, GearTable::published());
    // SAFETY: the caller's promise.
    let mut input = unsafe { &*borrow(bytes, len) };
    let mut sum = 0u32;
    while !input.is_empty() {
        let scanned = cutter.scan(input);
        input = input.get(scanned.taken..).unwrap_or_default();
        sum = sum.wrapping_add(scanned.cut.unwrap_or(0));
    }
    sum.wrapping_add(cutter.finish().unwrap_or(0))
}

/// The id of a chunk alone.
///
/// # Safety
///
/// As [`borrow`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn part_hash(bytes: *mut u8, len: usize) -> u8 {
    let mut hasher = ChunkHasher::new(&IdKey::public());
    // SAFETY: the caller's promise.
    hasher.update(unsafe { borrow(bytes, len) });
    let [first, ..] = *hasher.finish().as_bytes();
    first
}

/// Chunks and ids of bytes that are pushed.
///
/// # Safety
///
/// As [`borrow`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn part_stream(bytes: *mut u8, len: usize) -> u32 {
    let Some(params) = params() else { return 0 };
    let mut chunker = StreamingChunker::new(params, GearTable::published(), &IdKey::public());
    // SAFETY: the caller's promise.
    let mut input = unsafe { &*borrow(bytes, len) };
    let mut sum = 0u32;
    while let Some(span) = chunker.push(&mut input) {
        sum = sum.wrapping_add(span.ended.map_or(0, |chunk| chunk.len));
    }
    sum.wrapping_add(chunker.finish().and_then(|span| span.ended).map_or(0, |chunk| chunk.len))
}

/// A pack with LZ4.
///
/// # Safety
///
/// As [`borrow`], for all; `table` is made and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn part_ingest(
    bytes: *mut u8,
    len: usize,
    ring: *mut u8,
    ring_len: usize,
    table: &mut CompressTable,
    scratch: *mut u8,
    scratch_len: usize,
) -> u64 {
    let (Some(params), Some(block)) = (params(), BlockLen::from_log2(12)) else { return 0 };
    let key = IdKey::public();
    // SAFETY: the caller's promise.
    let scratch = unsafe { borrow(scratch, scratch_len) };
    let Ok(compressor) = Compressor::new(block, table, scratch) else { return 0 };
    let packer = Packer::compressing(params, GearTable::published(), [9; 16], &key, compressor);
    // SAFETY: the caller's promise.
    unsafe { run(borrow(bytes, len), borrow(ring, ring_len), params, &key, packer) }
}

#[inline(never)]
fn run(bytes: &mut [u8], ring: &mut [u8], params: ChunkParams, key: &IdKey, packer: Packer<'_>) -> u64 {
    let Ok(mut chunker) = RetainingChunker::new(params, GearTable::published(), key, ring) else { return 0 };
    let (input, out) = bytes.split_at_mut(bytes.len() / 2);
    let mut sink = PackSink::new(packer, out);
    ingest(&mut &*input, &mut chunker, &mut NoIndex, &mut sink).map_or(0, |done| done.bytes)
}

/// Checks a pack.
///
/// # Safety
///
/// As [`borrow`], for all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn part_verify(bytes: *mut u8, len: usize, chunk: *mut u8, block: *mut u8) -> u64 {
    // SAFETY: the caller's promise.
    let (bytes, chunk, block) = unsafe { (borrow(bytes, len), borrow(chunk, 32 << 10), borrow(block, 4 << 10)) };
    let reader = Reader::new(&IdKey::public(), chunk, block);
    verify(&mut &*bytes, reader).map_or(0, |done| done.bytes)
}
