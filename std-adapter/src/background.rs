//! Work that gives way to all other work.

use std::io;

/// Puts this thread behind all others: nice 19, and the idle class of I/O. Threads started from here on take both over, so
/// call it before [`Pool::scope`](crate::Pool::scope). Linux keeps both for each thread, and only root can take the
/// nice value back.
///
/// ```
/// std::thread::spawn(chunkmill::enter_background).join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// What the system says.
pub fn enter_background() -> io::Result<()> {
    // On Linux, no process id means this thread.
    rustix::process::setpriority_process(None, 19)?;
    #[cfg(target_os = "linux")]
    crate::syscalls::idle_io()?;
    Ok(())
}
