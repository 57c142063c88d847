//! The streaming chunker for firmware in C: cut points and keyed ids, in memory of the caller's, without an allocator and without
//! anything of an operating system. `include/chunkmill_core.h` declares it.

#![no_std]
#![allow(clippy::missing_safety_doc, reason = "the header says once for all what pointers have to be")]

use core::ffi::{c_int, c_void};
use core::mem::{align_of, size_of};
use core::ptr;

use chunkmill_core::{ChunkParams, GearTable, IdKey, Span, StreamingChunker};

/// All is done.
pub const OK: c_int = 0;
/// A pointer is NULL, and must not be.
pub const NULL_POINTER: c_int = -1;
/// The sizes or the level are none that a chunker can have.
pub const SIZES: c_int = -2;

/// Words of 64 bits that a stream takes.
pub const WORDS: usize = 250;

/// A stream: 2,000 bytes of the caller's memory, static or on the stack. It may not be moved or copied while it is used.
#[repr(C)]
pub struct Stream {
    /// The library's own.
    pub state: [u64; WORDS],
}

type State = StreamingChunker<'static>;
const _: () = assert!(size_of::<State>() <= size_of::<Stream>() && align_of::<State>() <= align_of::<Stream>());

/// A chunk of a stream.
#[repr(C)]
pub struct Chunk {
    /// Where it begins in the stream, in bytes.
    pub offset: u64,
    /// Its length in bytes, never 0.
    pub len: u32,
    /// Keyed BLAKE3 of its bytes.
    pub id: [u8; 32],
}

/// Is given the next `len` bytes of the current chunk, and the chunk if it ends with them, else NULL. `len` may be 0. The bytes are those
/// that were pushed, where they were pushed, but for one that was held back. Gives 0 to go on, or a number above 0 to give the
/// stream up.
pub type SpanFn =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, len: usize, ended: *const Chunk) -> c_int>;

/// Begins a stream, with the published gear table and a key of 32 bytes. Sizes are in bytes and even, level is 0 to 3: see
/// chunkmill's `ChunkParams`. A stream that was begun is forgotten; wipe it first if its key matters.
///
/// cbindgen:ptrs-as-arrays=[[key;32]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_stream_begin(
    stream: *mut Stream,
    min: u32,
    avg: u32,
    max: u32,
    level: u32,
    key: *const u8,
) -> c_int {
    // SAFETY: `key` is NULL or has 32 bytes, says the header.
    let (false, Some(key)) = (stream.is_null(), unsafe { key.cast::<[u8; 32]>().as_ref() }) else {
        return NULL_POINTER;
    };
    let level = u8::try_from(level).unwrap_or(u8::MAX);
    let Ok(params) = ChunkParams::new(min, avg, max, level) else { return SIZES };
    let chunker = State::new(params, GearTable::published(), &IdKey::from_bytes(*key));
    // SAFETY: `stream` is memory of the caller's that is large enough and aligned, as was asserted above.
    unsafe { stream.cast::<State>().write(chunker) };
    OK
}

/// Takes the next `len` bytes of a stream that was begun, and has `visit` look at what they are: spans of chunks, in order, none of them
/// copied. Gives 0, or what `visit` gave if that was not 0; then begin a new stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_stream_push(
    stream: *mut Stream,
    bytes: *const u8,
    len: usize,
    visit: SpanFn,
    user: *mut c_void,
) -> c_int {
    // SAFETY: it was begun, or it is NULL.
    let (Some(chunker), Some(visit)) = (unsafe { stream.cast::<State>().as_mut() }, visit) else { return NULL_POINTER };
    let mut input = match (bytes.is_null(), len) {
        (_, 0) => &[],
        (true, _) => return NULL_POINTER,
        // SAFETY: there are that many bytes, says the caller.
        (false, len) => unsafe { core::slice::from_raw_parts(bytes, len) },
    };
    while let Some(span) = chunker.push(&mut input) {
        // SAFETY: the caller's function, with what it may expect.
        let answer = unsafe { give(visit, user, span) };
        if answer != OK {
            return answer;
        }
    }
    OK
}

/// Ends a stream: `visit` is given the last span with the last chunk, unless the stream is empty. The next push begins a new stream of
/// the same kind. Gives 0, or what `visit` gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_stream_finish(stream: *mut Stream, visit: SpanFn, user: *mut c_void) -> c_int {
    // SAFETY: it was begun, or it is NULL.
    let (Some(chunker), Some(visit)) = (unsafe { stream.cast::<State>().as_mut() }, visit) else { return NULL_POINTER };
    match chunker.finish() {
        // SAFETY: the caller's function, with what it may expect.
        Some(span) => unsafe { give(visit, user, span) },
        None => OK,
    }
}

/// Wipes a stream that was begun, and with it the key. It can then be begun again. NULL is taken, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_stream_wipe(stream: *mut Stream) {
    if stream.is_null() {
        return;
    }
    // SAFETY: it was begun; what is dropped is not used again before it is begun anew.
    unsafe { ptr::drop_in_place(stream.cast::<State>()) };
    for word in 0..WORDS {
        // SAFETY: within the stream. Volatile, so that nobody takes it for useless.
        unsafe { (&raw mut (*stream).state).cast::<u64>().add(word).write_volatile(0) };
    }
}

/// Calls back into C.
///
/// # Safety
///
/// `visit` may be called with `user` and a span.
unsafe fn give(
    visit: unsafe extern "C" fn(*mut c_void, *const u8, usize, *const Chunk) -> c_int,
    user: *mut c_void,
    span: Span<'_>,
) -> c_int {
    let chunk = span.ended.map(|chunk| Chunk { offset: chunk.offset, len: chunk.len, id: *chunk.id.as_bytes() });
    let ended = chunk.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the caller's word. Bytes and chunk live as long as the call.
    unsafe { visit(user, span.bytes.as_ptr(), span.bytes.len(), ended) }
}

/// None is reachable from sizes or bytes: the core has no panic of its own, see `docs/testing.md`.
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
