//! Packs: written, verified, listed, unpacked.

use core::ffi::{c_int, c_void};
use core::ptr;
use std::fs::File;
use std::os::fd::BorrowedFd;

use chunkmill_core::drive::{self, Stopped};

use super::engine::{Engine, Parts};
use super::error::{Error, Failure, Status, guarded};
use super::io::{Input, Output};
use super::pool::{Threads, on};
use super::scan::Chunk;
use super::{array, shared, tell};
use crate::pack::{self, Listed, PackSetup, ReadSetup, Whole};

/// What a pack holds, or what was done of it before an error: that stands.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Summary {
    /// Bytes of the chunks, each as often as it occurs.
    pub bytes: u64,
    /// Chunks, references among them.
    pub chunks: u64,
    /// Chunks that had occurred before and are not stored again.
    pub references: u64,
    /// Of a pack that is written, the bytes of its payloads; of one that is read, all bytes read of it.
    pub stored_bytes: u64,
    /// Of a pack that was read to its end, whether more bytes follow it in the stream, which are not part of it.
    pub more_follows: bool,
}

/// A chunk in a pack.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Record {
    /// The chunk.
    pub chunk: Chunk,
    /// Bytes that it takes in the pack beside its record of 68 bytes: as many as the chunk has if it is not compressed, 0 if it
    /// occurred before.
    pub stored: u32,
}

/// Is given a record. Gives 0 to go on, anything else to stop. It is called by one thread at a time, but not always by the same one.
pub type RecordFn = Option<unsafe extern "C" fn(user: *mut c_void, record: *const Record) -> c_int>;

/// For `place`: nowhere; a chunk that occurs again is an error.
pub const EARLIER_NOWHERE: u32 = 0;
/// For `place`: in the pack, whose first byte is at `start` of the file.
pub const EARLIER_IN_PACK: u32 = 1;
/// For `place`: in the file that the stream is written to, which must be empty before and open for reading, too.
pub const EARLIER_IN_RESTORED: u32 = 2;

/// Where chunks that occur again are read from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Earlier {
    /// CHUNKMILL_EARLIER_NOWHERE, CHUNKMILL_EARLIER_IN_PACK or CHUNKMILL_EARLIER_IN_RESTORED.
    pub place: u32,
    /// A descriptor of that file. It stays the caller's; its position is neither used nor moved.
    pub fd: c_int,
    /// Where the pack begins in it, in bytes.
    pub start: u64,
}

impl Earlier {
    fn open(self) -> Result<pack::Earlier, Failure> {
        let file = || {
            if self.fd < 0 {
                return Err(Failure::argument(format!("{} is no file descriptor", self.fd)));
            }
            // SAFETY: the caller's word: it is open, and stays so for the call.
            let fd = unsafe { BorrowedFd::borrow_raw(self.fd) };
            fd.try_clone_to_owned().map(File::from).map_err(|error| Failure::io(&error, 0))
        };
        match self.place {
            EARLIER_NOWHERE => Ok(pack::Earlier::nowhere()),
            EARLIER_IN_PACK => Ok(pack::Earlier::in_pack(file()?, self.start)),
            EARLIER_IN_RESTORED => Ok(pack::Earlier::in_restored(file()?)),
            place => Err(Failure::argument(format!("there is no place {place} for earlier chunks"))),
        }
    }
}

impl Summary {
    const fn new(summary: &drive::Summary, more_follows: bool) -> Self {
        let drive::Summary { bytes, chunks, references, stored_bytes } = *summary;
        Self { bytes, chunks, references, stored_bytes, more_follows }
    }
}

impl Parts {
    const fn read_setup(&self, waits: bool) -> ReadSetup<'_> {
        ReadSetup { key: &self.key, memory: self.memory, waits, gate: self.gate }
    }
}

/// Tells the caller what was done, whether it went well or not.
///
/// # Safety
///
/// `place` is `NULL` or may be written.
unsafe fn tell_done<E: Into<Failure>>(place: *mut Summary, done: Result<Whole, Stopped<E>>) -> Result<(), Failure> {
    let (summary, result) = match done {
        Ok(whole) => (Summary::new(&whole.summary, whole.more_follows), Ok(())),
        Err(stopped) => (Summary::new(&stopped.summary, false), Err(stopped.error.into())),
    };
    // SAFETY: the caller's word.
    unsafe { tell(place, summary) };
    result
}

/// Reads a stream to its end and writes a pack of it: a chunk that occurs again is stored once. `stream_id` is 16 random bytes, never
/// the same for two packs. The pack is whole if this ends with CHUNKMILL_STATUS_OK; else it has no trailer, which those who read it will
/// see. `threads` and `summary` may be NULL; the bytes are the same for any number of threads.
///
/// cbindgen:ptrs-as-arrays=[[stream_id;16]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_pack(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    stream_id: *const u8,
    input: Input,
    output: Output,
    summary: *mut Summary,
    error: *mut Error,
) -> Status {
    let work = || {
        // SAFETY: the caller's word, see the module.
        let (engine, &stream_id) = unsafe { (&shared(engine, "engine")?.0, array(stream_id, "stream_id")?) };
        let (reader, writer) = (input.reader()?, output.writer()?);
        let setup = PackSetup {
            params: engine.params,
            gear: engine.gear(),
            key: &engine.key,
            stream_id,
            compressed: engine.compress,
            memory: engine.memory,
            gate: engine.gate,
        };
        // SAFETY: as above.
        let done = unsafe { on(threads, |pool| Ok(pack::pack(pool, reader, writer, &setup))) }?;
        // SAFETY: as above.
        unsafe { tell_done(summary, done.map(|summary| Whole { summary, more_follows: false })) }
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, work) }
}

/// Reads a pack to its end and checks all of it, under the engine's key; its other options do not matter. `threads` and `summary` may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_verify(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    input: Input,
    summary: *mut Summary,
    error: *mut Error,
) -> Status {
    let work = || {
        // SAFETY: the caller's word, see the module.
        let engine = &unsafe { shared(engine, "engine")? }.0;
        let reader = input.reader()?;
        // SAFETY: as above.
        let done = unsafe { on(threads, |pool| Ok(pack::verify(pool, reader, &engine.read_setup(input.waits)))) }?;
        // SAFETY: as above.
        unsafe { tell_done(summary, done) }
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, work) }
}

/// Reads a pack to its end, checks all of it as chunkmill_verify does, and has `visit` look at its records, in order. `threads` may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_list(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    input: Input,
    visit: RecordFn,
    user: *mut c_void,
    error: *mut Error,
) -> Status {
    let work = || {
        // SAFETY: the caller's word, see the module.
        let engine = &unsafe { shared(engine, "engine")? }.0;
        let visit = Visitor { visit: visit.ok_or_else(|| Failure::null("visit"))?, user };
        let reader = input.reader()?;
        let visit = |listed| visit.call(listed);
        // SAFETY: as above.
        unsafe { on(threads, |pool| pack::list(pool, reader, &engine.read_setup(input.waits), visit)) }.map(|_| ())
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, work) }
}

struct Visitor {
    visit: unsafe extern "C" fn(*mut c_void, *const Record) -> c_int,
    user: *mut c_void,
}

// SAFETY: that the function may be called by any thread, one at a time, is what `RecordFn` asks for.
unsafe impl Send for Visitor {}
// SAFETY: as above: the only one who has it calls it from one thread at a time.
unsafe impl Sync for Visitor {}

impl Visitor {
    fn call(&self, listed: Listed) -> Result<(), Failure> {
        let Listed::Record(chunk, stored) = listed else { return Ok(()) };
        let record = Record { chunk: chunk.into(), stored };
        // SAFETY: the caller's word. The record lives as long as the call.
        match unsafe { (self.visit)(self.user, ptr::from_ref(&record)) } {
            0 => Ok(()),
            answer => Err(Failure::stopped(answer)),
        }
    }
}

/// Reads a pack to its end and writes the stream that it was made of. Not a byte is written that was not verified, and none behind
/// one that was not. `threads` and `summary` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_unpack(
    threads: *const Threads<'_, '_, '_>,
    engine: *const Engine,
    input: Input,
    output: Output,
    earlier: Earlier,
    summary: *mut Summary,
    error: *mut Error,
) -> Status {
    let work = || {
        // SAFETY: the caller's word, see the module.
        let engine = &unsafe { shared(engine, "engine")? }.0;
        let (reader, writer, mut earlier) = (input.reader()?, output.writer()?, earlier.open()?);
        let setup = engine.read_setup(input.waits);
        // SAFETY: as above.
        let done = unsafe { on(threads, |pool| Ok(pack::unpack(pool, reader, &mut earlier, writer, &setup))) }?;
        // SAFETY: as above.
        unsafe { tell_done(summary, done) }
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, work) }
}
