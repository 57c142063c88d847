//! A stream that is read, on all threads.

use core::ffi::{c_char, c_int, c_void};
use core::ptr;

use chunkmill_core::ChunkId;

use super::engine::Engine;
use super::error::{Error, Failure, Status, copy_text, guarded};
use super::io::Input;
use super::pool::{Threads, on};
use super::{shared, tell};
use crate::{ScanError, Scanner};

/// A chunk of a stream.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Chunk {
    /// Where it begins in the stream, in bytes.
    pub offset: u64,
    /// Its length in bytes, never 0.
    pub len: u32,
    /// Keyed BLAKE3 of its bytes.
    pub id: [u8; 32],
}

/// Is given a chunk. Gives 0 to go on, anything else to stop.
pub type ChunkFn = Option<unsafe extern "C" fn(user: *mut c_void, chunk: *const Chunk) -> c_int>;

impl From<chunkmill_core::Chunk> for Chunk {
    fn from(chunk: chunkmill_core::Chunk) -> Self {
        Self { offset: chunk.offset, len: chunk.len, id: *chunk.id.as_bytes() }
    }
}

/// Reads a stream to its end and has `visit` look at its chunks, in order, on the calling thread. `threads` may be NULL; chunks are
/// the same for any number of them. `bytes` is given the length of the stream, unless it is NULL. After an error the chunks that
/// were visited stand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_scan(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    input: Input,
    visit: ChunkFn,
    user: *mut c_void,
    bytes: *mut u64,
    error: *mut Error,
) -> Status {
    let scan = || {
        // SAFETY: the caller's word, see the module.
        let engine = &unsafe { shared(engine, "engine")? }.0;
        let visit = visit.ok_or_else(|| Failure::null("visit"))?;
        let reader = input.reader()?;
        let scanner =
            Scanner::new(engine.params, engine.gear(), &engine.key).with_gate(engine.gate).with_memory(engine.memory);
        let visit = |chunk| {
            // SAFETY: the caller's word. The chunk lives as long as the call.
            match unsafe { visit(user, ptr::from_ref(&Chunk::from(chunk))) } {
                0 => Ok(()),
                answer => Err(answer),
            }
        };
        let work = |pool: &crate::Pool<'_, '_>| {
            scanner.scan(pool, reader, visit).map_err(|error| match error {
                ScanError::Read(error) => error.into(),
                ScanError::Visit(answer) => Failure::stopped(answer),
            })
        };
        // SAFETY: as above.
        let len = unsafe { on(threads, work) }?;
        // SAFETY: as above.
        unsafe { tell(bytes, len) };
        Ok(())
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, scan) }
}

/// Writes an id as 64 hex digits and a NUL.
///
/// cbindgen:ptrs-as-arrays=[[id;32], [hex;65]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_id_hex(id: *const u8, hex: *mut c_char) {
    // SAFETY: the caller's word, see the module.
    let (Some(id), Some(hex)) =
        (unsafe { id.cast::<[u8; 32]>().as_ref() }, unsafe { hex.cast::<[c_char; 65]>().as_mut() })
    else {
        return;
    };
    copy_text(&ChunkId::from_bytes(*id).to_string(), hex);
}
