//! The id key.

use core::ffi::{CStr, c_char};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use chunkmill_core::IdKey;

use super::error::{Error, Failure, Status, guarded};
use super::{array, hand_out, take_back};
use crate::key::{KEY_VARIABLE, KeyError, key_from_environment, read_key_file};

/// The key of ids and packs. It is wiped when it is freed. Any number of threads may use it at once.
#[derive(Debug)]
pub struct Key(pub(super) IdKey);

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match &error {
            KeyError::Read(_) => Self::io(&error, 0),
            _ => Self::argument(error.to_string()),
        }
    }
}

/// A key of 32 bytes, which are copied: wipe yours.
///
/// cbindgen:ptrs-as-arrays=[[bytes;32]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_key_new(bytes: *const u8, key: *mut *mut Key, error: *mut Error) -> Status {
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(key, || Ok(Key(IdKey::from_bytes(*array(bytes, "bytes")?))))) }
}

/// The fixed public key: ids that anyone can compute, and packs that anyone can forge.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_key_public(key: *mut *mut Key, error: *mut Error) -> Status {
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(key, || Ok(Key(IdKey::public())))) }
}

/// Reads a key file: 32 raw bytes, or 64 hex digits and an optional line end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_key_read_file(path: *const c_char, key: *mut *mut Key, error: *mut Error) -> Status {
    let read = || {
        if path.is_null() {
            return Err(Failure::null("path"));
        }
        // SAFETY: the caller's word, see the module.
        let path = unsafe { CStr::from_ptr(path) };
        Ok(Key(read_key_file(Path::new(OsStr::from_bytes(path.to_bytes())))?))
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(key, read)) }
}

/// Reads the key from the variable CHUNKMILL_KEY, as 64 hex digits. CHUNKMILL_STATUS_ARGUMENT if it is not set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_key_read_environment(key: *mut *mut Key, error: *mut Error) -> Status {
    let read = || match key_from_environment()? {
        Some(key) => Ok(Key(key)),
        None => Err(Failure::argument(format!("{KEY_VARIABLE} is not set"))),
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(key, read)) }
}

/// Wipes and frees a key. Engines that were made with it keep their own. NULL is taken, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_key_free(key: *mut Key) {
    // SAFETY: the caller's word, see the module.
    unsafe { take_back(key) };
}
