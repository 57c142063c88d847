//! The C interface (feature `capi`): what `include/chunkmill.h` declares, which is made of this module.
//!
//! `cargo rustc --release -p chunkmill --lib --no-default-features --features capi --crate-type staticlib,cdylib` builds the
//! libraries, and `examples/c/` shows how to link them. From Rust there is no reason to use this module.
//!
//! The rules, for all of it:
//!
//! - No function keeps state outside what it is given, but for the system's own (`chunkmill_enter_background`).
//! - No panic leaves a function: it ends with [`Status::Internal`].
//! - A pointer that is `NULL` where something is needed gives [`Status::Argument`]. Any other wrong pointer is undefined behaviour,
//!   as it is in C.
//! - What a `new` or `read` function gives belongs to the caller, who gives it back to the `free` function of its type. What a
//!   callback is given belongs to the library and ends with the call.

#![allow(unsafe_code, reason = "pointers of a C program are taken at their word")]
#![allow(clippy::missing_safety_doc, reason = "the rules are the same for all functions, and stand above")]
#![allow(rustdoc::broken_intra_doc_links, reason = "notes for cbindgen look like links")]

mod chunker;
mod engine;
mod error;
mod io;
mod key;
mod packs;
mod pool;
mod scan;

pub use self::chunker::{
    Chunker, SpanFn, chunkmill_chunker_finish, chunkmill_chunker_free, chunkmill_chunker_new, chunkmill_chunker_push,
    chunkmill_chunker_reset,
};
pub use self::engine::{
    BALANCED, CPU, Engine, GEAR_KEYED, GEAR_PUBLISHED, Options, WALL, chunkmill_engine_free, chunkmill_engine_new,
    chunkmill_options_default, chunkmill_version,
};
pub use self::error::{Error, MESSAGE_LEN, Status};
pub use self::io::{Input, Output, ReadFn, WriteFn};
pub use self::key::{
    Key, chunkmill_key_free, chunkmill_key_new, chunkmill_key_public, chunkmill_key_read_environment,
    chunkmill_key_read_file,
};
pub use self::packs::{
    EARLIER_IN_PACK, EARLIER_IN_RESTORED, EARLIER_NOWHERE, Earlier, Record, RecordFn, Summary, chunkmill_list,
    chunkmill_pack, chunkmill_unpack, chunkmill_verify,
};
pub use self::pool::{
    BodyFn, Threads, chunkmill_default_threads, chunkmill_enter_background, chunkmill_hash, chunkmill_with_threads,
};
pub use self::scan::{Chunk, ChunkFn, chunkmill_id_hex, chunkmill_scan};

use self::error::Failure;

/// What `pointer` points to.
///
/// # Safety
///
/// It is `NULL`, or points to a `T` that lives and is not written to for `'a`.
unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's word.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::null(name))
}

/// What `pointer` points to, to be written.
///
/// # Safety
///
/// It is `NULL`, or points to a `T` that lives and is used by nobody else for `'a`.
unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's word.
    unsafe { pointer.as_mut() }.ok_or_else(|| Failure::null(name))
}

/// Writes what a caller wants to know, if he does.
///
/// # Safety
///
/// `place` is `NULL` or may be written.
unsafe fn tell<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's word. What is there may not have a value yet, so it is not dropped.
        unsafe { place.write(value) };
    }
}

/// `len` bytes from `pointer` on, which may be `NULL` if there are none.
///
/// # Safety
///
/// They can be read and are not written to for `'a`.
unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> Result<&'a [u8], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::null("bytes"));
    }
    if isize::try_from(len).is_err() {
        return Err(Failure::argument(format!("{len} bytes are more than a program can have in one piece")));
    }
    // SAFETY: the caller's word; the length was checked.
    Ok(unsafe { core::slice::from_raw_parts(pointer, len) })
}

/// As [`shared`], of an array that C sees as a pointer to its first byte.
///
/// # Safety
///
/// `pointer` is `NULL`, or `N` bytes can be read from it on and are not written to for `'a`.
unsafe fn array<'a, const N: usize>(pointer: *const u8, name: &str) -> Result<&'a [u8; N], Failure> {
    // SAFETY: the caller's word.
    unsafe { shared(pointer.cast(), name) }
}

/// Hands an object to the caller, through the place he named for it.
///
/// # Safety
///
/// `place` is `NULL` or may be written.
unsafe fn hand_out<T>(place: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::null("the place for the result"));
    }
    // SAFETY: the caller's word. No stale pointer is left in it if there is nothing to give.
    unsafe { place.write(core::ptr::null_mut()) };
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: as above.
    unsafe { place.write(made) };
    Ok(())
}

/// Takes back what [`hand_out`] gave.
///
/// # Safety
///
/// `pointer` is `NULL` or was given by [`hand_out`], and is not used again.
unsafe fn take_back<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the caller's word.
        drop(unsafe { Box::from_raw(pointer) });
    }
}
