//! How a function ended, and what it has to say.

use core::error;
use core::ffi::{c_char, c_int};
use core::iter;
use core::panic::AssertUnwindSafe;
use std::io;
use std::panic::catch_unwind;

use chunkmill_core::drive::{IngestError, ReadError, RestoreError, WriteError};
use chunkmill_core::pack::{PackError, PackErrorKind};

/// How a function ended. 0 is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// All is done.
    Ok = 0,
    /// An argument makes no sense: NULL, a size out of range, threads where they must not be used.
    Argument = 1,
    /// A callback gave something else than 0 and so asked to stop.
    Stopped = 2,
    /// Reading or writing failed.
    Io = 3,
    /// The pack is damaged, cut off, or none.
    Data = 4,
    /// The pack was made with another key.
    WrongKey = 5,
    /// A fault of this library.
    Internal = 6,
}

/// Bytes of a message, its NUL among them.
pub const MESSAGE_LEN: usize = 256;

/// What a function has to say when it does not end with CHUNKMILL_STATUS_OK. It belongs to the caller and holds nothing that has to be
/// freed; every function that is given one sets all of it.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(missing_debug_implementations, reason = "it is for C")]
pub struct Error {
    /// The same that the function returned.
    pub status: Status,
    /// errno of the system call or callback that failed, or 0.
    pub os_error: c_int,
    /// Where, in bytes from the start of the input or, if writing failed, of the output; 0 if there is no such place.
    pub offset: u64,
    /// One line in English, in UTF-8, ended by NUL. Empty if all is done.
    pub message: [c_char; MESSAGE_LEN],
}

/// Why a function did not do its work.
pub(super) struct Failure {
    status: Status,
    os_error: Option<c_int>,
    offset: u64,
    message: String,
}

impl Failure {
    const fn new(status: Status, message: String) -> Self {
        Self { status, os_error: None, offset: 0, message }
    }

    pub(super) const fn argument(message: String) -> Self {
        Self::new(Status::Argument, message)
    }

    pub(super) fn null(name: &str) -> Self {
        Self::argument(format!("{name} is NULL"))
    }

    pub(super) fn stopped(answer: c_int) -> Self {
        Self::new(Status::Stopped, format!("a callback gave {answer}"))
    }

    /// A failure of a system call or a callback that `error` tells of, or an error behind it.
    pub(super) fn io(error: &(dyn error::Error + 'static), offset: u64) -> Self {
        let mut causes = iter::successors(Some(error), |error| error.source());
        let os_error = causes.find_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error());
        Self { os_error, offset, ..Self::new(Status::Io, error.to_string()) }
    }
}

impl From<crate::ReadError> for Failure {
    fn from(error: crate::ReadError) -> Self {
        Self::io(&error, error.offset)
    }
}

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        let status = if error.kind == PackErrorKind::WrongKey { Status::WrongKey } else { Status::Data };
        Self { offset: error.offset, ..Self::new(status, error.to_string()) }
    }
}

impl From<IngestError<io::Error, WriteError<io::Error>>> for Failure {
    fn from(error: IngestError<io::Error, WriteError<io::Error>>) -> Self {
        let offset = match &error {
            IngestError::Read(error) => read_to(error),
            IngestError::Sink(error) => written_to(error),
            _ => 0,
        };
        Self::io(&error, offset)
    }
}

/// What a pack's source of earlier chunks fails with, and its output.
impl<S, W> From<RestoreError<io::Error, S, W>> for Failure
where
    S: error::Error + 'static,
    W: error::Error + 'static,
{
    fn from(error: RestoreError<io::Error, S, W>) -> Self {
        let offset = match &error {
            RestoreError::Pack(error) => return (*error).into(),
            RestoreError::Read(error) => read_to(error),
            RestoreError::Write(error) => written_to(error),
            _ => 0,
        };
        Self::io(&error, offset)
    }
}

const fn read_to<E>(error: &ReadError<E>) -> u64 {
    match *error {
        ReadError::Failed { offset, .. } | ReadError::Overrun { offset } => offset,
        _ => 0,
    }
}

const fn written_to<E>(error: &WriteError<E>) -> u64 {
    match *error {
        WriteError::Failed { offset, .. }
        | WriteError::Full { offset }
        | WriteError::Misplaced { offset }
        | WriteError::Overrun { offset } => offset,
        _ => 0,
    }
}

/// Does the work of a function that C calls, and says how it ended.
///
/// # Safety
///
/// `error` is `NULL` or may be written.
pub(super) unsafe fn guarded(error: *mut Error, work: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What the work borrows is the caller's, who is told that it is not done.
    let result = catch_unwind(AssertUnwindSafe(work));
    let failure = match result {
        Ok(Ok(())) => Failure::new(Status::Ok, String::new()),
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(Status::Internal, "a fault of the library: please report it".to_owned()),
    };
    let Failure { status, os_error, offset, message } = failure;
    let mut told = Error { status, os_error: os_error.unwrap_or(0), offset, message: [0; MESSAGE_LEN] };
    copy_text(&message, &mut told.message);
    // SAFETY: the caller's word.
    unsafe { super::tell(error, told) };
    status
}

/// Copies as much of a text as there is room for, in whole characters, and ends it with NUL.
pub(super) fn copy_text(text: &str, into: &mut [c_char]) {
    let Some((end, room)) = into.split_last_mut() else { return };
    let len = (0..=room.len()).rev().find(|&len| text.is_char_boundary(len)).unwrap_or(0);
    let bytes = text.bytes().take(len).chain(iter::repeat(0));
    for (place, byte) in room.iter_mut().zip(bytes) {
        *place = c_char::from_ne_bytes([byte]);
    }
    *end = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_with_whole_characters() {
        for (text, expected) in [("", ""), ("ab", "ab"), ("abcd", "abc"), ("ab\u{e9}", "ab"), ("a\u{e9}", "a\u{e9}")] {
            let mut place = [1; 4];
            copy_text(text, &mut place);
            let bytes = place.map(|byte| byte.to_ne_bytes()[0]);
            let len = bytes.iter().position(|&byte| byte == 0).expect("a NUL");
            assert_eq!(&bytes[..len], expected.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_panic_does_not_leave() {
        let mut error = Error { status: Status::Ok, os_error: 1, offset: 1, message: [1; MESSAGE_LEN] };
        // SAFETY: it may be written.
        let status = unsafe { guarded(&raw mut error, || panic!("on purpose")) };
        assert_eq!((status, error.status, error.os_error, error.offset), (Status::Internal, Status::Internal, 0, 0));
    }
}
