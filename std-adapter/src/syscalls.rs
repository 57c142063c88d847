//! System calls of Linux that neither std nor rustix has, or not as we need them.

#![allow(unsafe_code, reason = "system calls; what each may touch is said beside it")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `ioprio_set(2)`: this thread's I/O comes after everybody else's.
#[cfg(target_os = "linux")]
pub(crate) fn idle_io() -> io::Result<()> {
    const WHO_PROCESS: libc::c_int = 1;
    const THIS_THREAD: libc::c_int = 0;
    const CLASS_IDLE: libc::c_int = 3 << 13;
    // SAFETY: the call takes three numbers and touches no memory of ours.
    let result = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, THIS_THREAD, CLASS_IDLE) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// `sched_getcpu(3)`: the CPU that this thread is on. Rustix has it, too, by a way of its own to the kernel's page of functions,
/// which ends the process under valgrind.
#[cfg(target_os = "linux")]
pub(crate) fn current_cpu() -> Option<usize> {
    // SAFETY: the call takes nothing and touches no memory of ours.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// `cachestat(2)`, since Linux 6.5: how many pages of a file are in the page cache.
#[cfg(target_os = "linux")]
pub(crate) fn cached_pages(file: &File) -> io::Result<u64> {
    /// The same wherever Linux numbers its calls afresh, as on x86, ARM, RISC-V and POWER; elsewhere the call is not known.
    const CACHESTAT: libc::c_long = 451;
    const NO_FLAGS: libc::c_uint = 0;
    /// From a place on, for so many bytes; 0 is to the end.
    #[repr(C)]
    struct Range {
        from: u64,
        len: u64,
    }
    #[repr(C)]
    #[derive(Default)]
    struct Counts {
        cached: u64,
        dirty: u64,
        writeback: u64,
        evicted: u64,
        recently_evicted: u64,
    }
    let range = Range { from: 0, len: 0 };
    let mut counts = Counts::default();
    // SAFETY: the kernel reads one range of two u64 and writes one record of five, laid out as linux/mman.h says; both live
    // for the call.
    let result = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, NO_FLAGS) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(counts.cached) }
}
