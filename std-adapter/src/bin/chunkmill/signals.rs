//! Ends that come from outside.

use core::sync::atomic::AtomicBool;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// On SIGINT and SIGTERM removes a file that is not whole, and ends as the signal would have it. A file that grows past the
/// limit becomes an error of the write instead of an end.
pub(crate) fn remove_when_interrupted(unfinished: PathBuf) -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = fs::remove_file(&unfinished);
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}
