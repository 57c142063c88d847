//! Ends that come from outside.

use core::sync::atomic::AtomicBool;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// The file that is not whole, while there is one.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Where the path of a file goes that is removed when SIGHUP, SIGINT or SIGTERM end the program, which they then do as ever. As long
/// as the place is held, they wait: so a file and its path in here appear at once. What was ignored when the program began, as by
/// `nohup`, stays ignored.
pub(crate) fn removed_when_interrupted() -> io::Result<MutexGuard<'static, Option<PathBuf>>> {
    static WATCHED: Mutex<bool> = Mutex::new(false);
    let mut watched = held(&WATCHED);
    if !*watched {
        watch()?;
        *watched = true;
    }
    Ok(held(&UNFINISHED))
}

fn watch() -> io::Result<()> {
    let ignored = ignored();
    let wanted =
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored & 1u64.rotate_left(mask_bit(*signal)) == 0);
    let mut signals = Signals::new(wanted)?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Held to the end, so that nothing appears any more.
            let unfinished = held(&UNFINISHED);
            if let Some(path) = &*unfinished {
                let _ = fs::remove_file(path);
            }
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

fn held<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
