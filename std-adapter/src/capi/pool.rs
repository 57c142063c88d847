//! Threads, and slices hashed by them.

use core::ffi::c_void;
use std::thread::{self, ThreadId};

use super::engine::Engine;
use super::error::{Error, Failure, Status, guarded};
use super::{bytes, shared, tell};
use crate::{Pool, enter_background, hash_slice};

/// The calling thread and helpers beside it. It lives as long as the call that it was given to, and may only be used by the thread
/// of that call.
#[derive(Debug)]
pub struct Threads<'p, 'scope, 'env> {
    pool: &'p Pool<'scope, 'env>,
    thread: ThreadId,
}

/// What is done with threads at hand.
pub type BodyFn = Option<unsafe extern "C" fn(threads: *const Threads<'_, '_, '_>, user: *mut c_void)>;

/// Runs `work` with these threads, or with the calling one alone if there are none.
///
/// # Safety
///
/// `threads` is `NULL` or was given to a body that has not returned.
pub(super) unsafe fn on<T>(
    threads: *const Threads<'_, '_, '_>,
    work: impl FnOnce(&Pool<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // SAFETY: the caller's word.
    match unsafe { threads.as_ref() } {
        None => Pool::scope(1, work),
        Some(threads) if threads.thread == thread::current().id() => work(threads.pool),
        Some(_) => {
            Err(Failure::argument("threads are used by another thread than the one they were given to".to_owned()))
        }
    }
}

/// How many threads are worth having without knowing more: as many as the CPU runs at once, at most 4.
#[unsafe(no_mangle)]
pub extern "C" fn chunkmill_default_threads() -> u32 {
    u32::try_from(Pool::default_threads()).unwrap_or(1)
}

/// Calls `body` with the calling thread and `count - 1` helpers at hand; 1 to 64, or 0 for chunkmill_default_threads(). Helpers are
/// started when first needed, use no CPU while there is nothing to do, and have ended when this function returns: so call it once,
/// around as much work as you can.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_with_threads(
    count: u32,
    body: BodyFn,
    user: *mut c_void,
    error: *mut Error,
) -> Status {
    let run = || {
        let body = body.ok_or_else(|| Failure::null("body"))?;
        let count = match usize::try_from(count).unwrap_or(usize::MAX) {
            0 => Pool::default_threads(),
            count @ 1..=Pool::MAX_THREADS => count,
            count => return Err(Failure::argument(format!("{count} threads are more than {}", Pool::MAX_THREADS))),
        };
        Pool::scope(count, |pool| {
            let threads = Threads { pool, thread: thread::current().id() };
            // SAFETY: the caller's word, see the module.
            unsafe { body(&raw const threads, user) };
        });
        Ok(())
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, run) }
}

/// Lets the calling thread, and those it starts from then on, run only when nobody else wants the CPU or the disk: nice 19 and the
/// idle I/O class. Call it before chunkmill_with_threads. There is no way back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_enter_background(error: *mut Error) -> Status {
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || enter_background().map_err(|error| Failure::io(&error, 0))) }
}

/// Keyed BLAKE3 of `len` bytes, into `id`, by all threads if the engine's threshold says so. `threads` may be NULL.
///
/// cbindgen:ptrs-as-arrays=[[id;32]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_hash(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    input: *const u8,
    len: usize,
    id: *mut u8,
    error: *mut Error,
) -> Status {
    let hash = || {
        if id.is_null() {
            return Err(Failure::null("id"));
        }
        // SAFETY: the caller's word, see the module.
        let (engine, input) = unsafe { (&shared(engine, "engine")?.0, bytes(input, len)?) };
        // SAFETY: as above.
        let found = unsafe { on(threads, |pool| Ok(hash_slice(pool, engine.gate, &engine.key, input))) }?;
        // SAFETY: as above.
        unsafe { tell(id.cast(), *found.as_bytes()) };
        Ok(())
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, hash) }
}
