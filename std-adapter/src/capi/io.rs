//! Streams that C reads and writes.

use core::ffi::c_void;
use std::io::{self, Read, Write};

use super::error::Failure;

/// Reads up to `len` bytes into `buffer` and gives how many, 0 at the end of the stream, or an errno as a negative number.
/// `-EINTR` has it called again.
pub type ReadFn = Option<unsafe extern "C" fn(user: *mut c_void, buffer: *mut u8, len: usize) -> isize>;

/// Writes up to `len` bytes and gives how many, or an errno as a negative number. `-EINTR` has it called again; 0 means that there is
/// no more room.
pub type WriteFn = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, len: usize) -> isize>;

/// A stream to read from. Its function is called by one thread at a time, but not always by the same one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Input {
    /// What reads.
    pub read: ReadFn,
    /// What it is given.
    pub user: *mut c_void,
    /// Whether a read may wait for somebody to write, as that of a pipe or a socket does. It is then not called again once a pack
    /// has ended, and bytes behind the pack are only seen if they came with it.
    pub waits: bool,
}

/// A stream to write to. Its function is called by one thread at a time, but not always by the same one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Output {
    /// What writes.
    pub write: WriteFn,
    /// What it is given.
    pub user: *mut c_void,
}

pub(super) struct Reader {
    read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
    user: *mut c_void,
}

pub(super) struct Writer {
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> isize,
    user: *mut c_void,
}

// SAFETY: that the function may be called by any thread, one at a time, is what `Input` asks for.
unsafe impl Send for Reader {}

// SAFETY: as above, what `Output` asks for.
unsafe impl Send for Writer {}

impl Input {
    pub(super) fn reader(self) -> Result<Reader, Failure> {
        let read = self.read.ok_or_else(|| Failure::null("the input's read"))?;
        Ok(Reader { read, user: self.user })
    }
}

impl Output {
    pub(super) fn writer(self) -> Result<Writer, Failure> {
        let write = self.write.ok_or_else(|| Failure::null("the output's write"))?;
        Ok(Writer { write, user: self.user })
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the caller's word. The buffer has that many bytes.
        answer(unsafe { (self.read)(self.user, buffer.as_mut_ptr(), buffer.len()) }, buffer.len())
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the caller's word. There are that many bytes.
        answer(unsafe { (self.write)(self.user, bytes.as_ptr(), bytes.len()) }, bytes.len())
    }

    /// Whatever C keeps back, it knows when it is called for the last time.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn answer(answer: isize, most: usize) -> io::Result<usize> {
    match usize::try_from(answer) {
        Ok(len) if len <= most => Ok(len),
        Ok(len) => Err(io::Error::other(format!("the callback claims {len} bytes where {most} were asked for"))),
        Err(_) => Err(match i32::try_from(answer.unsigned_abs()) {
            Ok(errno) => io::Error::from_raw_os_error(errno),
            Err(_) => io::Error::other(format!("the callback gave {answer}, which is no errno")),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lengths_or_errnos() {
        assert_eq!(answer(0, 0).unwrap(), 0);
        assert_eq!(answer(5, 5).unwrap(), 5);
        assert_eq!(answer(6, 5).unwrap_err().raw_os_error(), None);
        assert_eq!(answer(-5, 5).unwrap_err().raw_os_error(), Some(5));
        assert_eq!(answer(-4, 5).unwrap_err().kind(), io::ErrorKind::Interrupted);
        assert_eq!(answer(isize::MIN, 5).unwrap_err().raw_os_error(), None);
        assert_eq!(answer(isize::MAX, 5).unwrap_err().raw_os_error(), None);
    }
}
