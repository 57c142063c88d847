//! A stream that is pushed, on one thread, without a copy.

use core::ffi::{c_int, c_void};
use core::ptr;
use std::sync::Arc;

use chunkmill_core::{GearTable, Span, StreamingChunker};

use super::engine::{Engine, Parts};
use super::error::{Error, Failure, Status, guarded};
use super::scan::Chunk;
use super::{bytes, exclusive, hand_out, shared, take_back};

/// Cuts a stream that is pushed in slices of any size, and gives chunks their ids, on the thread that pushes. Takes 2 KiB; keeps no
/// bytes. One thread at a time may use it.
#[derive(Debug)]
pub struct Chunker {
    chunker: StreamingChunker<'static>,
    /// What the chunker borrows the gear table of.
    parts: Arc<Parts>,
}

/// Is given the next `len` bytes of the current chunk, and the chunk if it ends with them, else NULL. `len` may be 0. The bytes are
/// the caller's own where they were pushed. Gives 0 to go on; anything else gives the stream up.
pub type SpanFn =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, len: usize, ended: *const Chunk) -> c_int>;

impl Chunker {
    fn new(parts: Arc<Parts>) -> Self {
        Self { chunker: Self::begin(&parts), parts }
    }

    /// A chunker at the start of a stream, which must not outlive the parts.
    fn begin(parts: &Arc<Parts>) -> StreamingChunker<'static> {
        let gear: *const GearTable = parts.gear();
        // SAFETY: the table is in the parts, which are on the heap and are not changed, or it is static. Whoever calls this keeps
        // the parts as long as the chunker.
        let gear: &'static GearTable = unsafe { &*gear };
        StreamingChunker::new(parts.params, gear, &parts.key)
    }

    /// Lets `visit` look at a span. If it wants no more, the stream is given up.
    fn give(span: Span<'_>, visit: &impl Fn(Span<'_>) -> c_int) -> Result<(), Failure> {
        match visit(span) {
            0 => Ok(()),
            answer => Err(Failure::stopped(answer)),
        }
    }

    fn begin_anew(&mut self) {
        self.chunker = Self::begin(&self.parts);
    }

    fn push(&mut self, mut input: &[u8], visit: &impl Fn(Span<'_>) -> c_int) -> Result<(), Failure> {
        while let Some(span) = self.chunker.push(&mut input) {
            if let Err(stopped) = Self::give(span, visit) {
                self.begin_anew();
                return Err(stopped);
            }
        }
        Ok(())
    }

    fn finish(&mut self, visit: &impl Fn(Span<'_>) -> c_int) -> Result<(), Failure> {
        self.chunker.finish().map_or(Ok(()), |span| Self::give(span, visit))
    }
}

/// Calls back into C.
fn visiting(visit: SpanFn, user: *mut c_void) -> Result<impl Fn(Span<'_>) -> c_int, Failure> {
    let visit = visit.ok_or_else(|| Failure::null("visit"))?;
    Ok(move |span: Span<'_>| {
        let ended = span.ended.map(Chunk::from);
        let ended = ended.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the caller's word, see the module. What it is given lives as long as the call.
        unsafe { visit(user, span.bytes.as_ptr(), span.bytes.len(), ended) }
    })
}

/// A chunker at the start of a stream. The engine may be freed before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_chunker_new(
    engine: *const Engine,
    chunker: *mut *mut Chunker,
    error: *mut Error,
) -> Status {
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(chunker, || Ok(Chunker::new(Arc::clone(&shared(engine, "engine")?.0))))) }
}

/// Takes the next `len` bytes of the stream, and has `visit` look at what they are: spans of chunks, in order, none of them copied.
/// CHUNKMILL_STATUS_STOPPED if `visit` wanted no more; then the chunker is at the start of a new stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_chunker_push(
    chunker: *mut Chunker,
    input: *const u8,
    len: usize,
    visit: SpanFn,
    user: *mut c_void,
    error: *mut Error,
) -> Status {
    let push = || {
        // SAFETY: the caller's word, see the module.
        let (chunker, input) = unsafe { (exclusive(chunker, "chunker")?, bytes(input, len)?) };
        chunker.push(input, &visiting(visit, user)?)
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, push) }
}

/// Ends the stream: `visit` is given the last span with the last chunk, unless the stream is empty. The chunker is then at the start
/// of a new stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_chunker_finish(
    chunker: *mut Chunker,
    visit: SpanFn,
    user: *mut c_void,
    error: *mut Error,
) -> Status {
    let finish = || {
        // SAFETY: the caller's word, see the module.
        let chunker = unsafe { exclusive(chunker, "chunker")? };
        chunker.finish(&visiting(visit, user)?)
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, finish) }
}

/// Gives the stream up: the chunker is at the start of a new one. Call it after a failed read, when the file that was pushed is let go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_chunker_reset(chunker: *mut Chunker) {
    // SAFETY: the caller's word, see the module.
    if let Some(chunker) = unsafe { chunker.as_mut() } {
        chunker.begin_anew();
    }
}

/// Frees a chunker. NULL is taken, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_chunker_free(chunker: *mut Chunker) {
    // SAFETY: the caller's word, see the module.
    unsafe { take_back(chunker) };
}
