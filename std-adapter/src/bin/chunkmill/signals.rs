//! Ends that come from outside.

use core::sync::atomic::AtomicBool;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::failure::Failure;

/// A file that grows past the limit becomes an error of the write instead of the program's end.
pub(crate) fn survive_size_limits() -> Result<(), Failure> {
    let done = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    done.map(|_| ()).map_err(|error| Failure::Io(format!("cannot wait for signals: {error}")))
}

/// On SIGHUP, SIGINT and SIGTERM removes a file that is not whole, and ends as the signal would have it. What was ignored when the
/// program began, as by `nohup`, stays ignored.
pub(crate) fn remove_when_interrupted(unfinished: PathBuf) -> io::Result<()> {
    let ignored = ignored();
    let wanted =
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored & 1u64.rotate_left(mask_bit(*signal)) == 0);
    let mut signals = Signals::new(wanted)?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = fs::remove_file(&unfinished);
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// The signals that are ignored, signal 1 in the lowest bit. None if the system does not tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn mask_bit(signal: i32) -> u32 {
    u32::try_from(signal).unwrap_or(1).saturating_sub(1)
}
