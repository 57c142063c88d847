//! Leaving the page cache as it was found.

use core::num::NonZeroU64;
use std::fs::File;
use std::io::IoSliceMut;

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

#[cfg(target_os = "linux")]
use crate::syscalls::cached_pages;

/// Drops what reading has pulled into the page cache, if most of the file was not there before.
///
/// Whether it was is asked before anything is read. Later the answer would be wrong: the system reads ahead.
#[derive(Debug)]
pub(super) struct Cache {
    /// Bytes dropped so far; `None` if nothing is to be dropped.
    dropped: Option<u64>,
}

/// Dropped at a time: a few times what the system reads ahead.
const WINDOW: u64 = 8 << 20;

/// A shorter file is asked for at its start alone.
const SHORT: u64 = 1 << 20;

/// `RWF_NOWAIT`, since Linux 4.14: reads what is in memory, or nothing. Not named by rustix.
const NOWAIT: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x8);

impl Cache {
    /// For a file of `size` bytes, of which so many are not in holes.
    pub(super) fn new(file: &File, size: u64, allocated: u64) -> Self {
        let was_absent = size > 0 && is_absent(file, size, allocated).unwrap_or(false);
        Self { dropped: was_absent.then_some(0) }
    }

    /// Says that all has been read up to `offset`.
    pub(super) fn has_read(&mut self, file: &File, offset: u64) {
        if let Some(dropped) = self.dropped
            && offset.saturating_sub(dropped) >= WINDOW
        {
            drop_range(file, dropped, NonZeroU64::new(offset.saturating_sub(dropped)));
            self.dropped = Some(offset);
        }
    }

    /// Drops all of it, with what the system has read ahead.
    pub(super) fn end(&mut self, file: &File) {
        if self.dropped.take().is_some() {
            drop_range(file, 0, None);
        }
    }
}

/// Whether most of a file is absent from the page cache. `None` if the system does not say, to whom the file is not ours to ask
/// about, say.
fn is_absent(file: &File, size: u64, allocated: u64) -> Option<bool> {
    #[cfg(target_os = "linux")]
    match cached_pages(file) {
        Ok(pages) => {
            let page = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
            return Some(pages.saturating_mul(page) < allocated / 2);
        }
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {}
        Err(_) => return None,
    }
    if allocated < size {
        // Any place may be a hole.
        return None;
    }
    let places = [0, size / 2, size.saturating_sub(1)];
    let places = places.get(..if size < SHORT { 1 } else { 3 })?;
    let absent = places.iter().filter(|&&place| is_absent_at(file, place)).count();
    Some(absent.saturating_mul(2) > places.len())
}

/// The way of older systems: a read that gives what is in memory, or nothing. It may start a read of its own.
fn is_absent_at(file: &File, offset: u64) -> bool {
    preadv2(file, &mut [IoSliceMut::new(&mut [0])], offset, NOWAIT) == Err(Errno::AGAIN)
}

fn drop_range(file: &File, from: u64, len: Option<NonZeroU64>) {
    // Advice: if it is not taken, the pages stay until the memory is wanted.
    let _ = fadvise(file, from, len, Advice::DontNeed);
}
