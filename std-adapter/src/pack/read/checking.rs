use core::convert::Infallible;
use std::io::{self, Read};

use chunkmill_core::drive::{RestoreError, Stopped};
use chunkmill_core::pack::Opener;

use super::{Consumer, Entry, Failed, Parcel, ReadSetup, Whole, read};
use crate::Pool;

type Wrong = RestoreError<io::Error, Infallible, Infallible>;

/// Why a pack is not good, with what was good before.
pub type VerifyError = Stopped<RestoreError<io::Error, Infallible, Infallible>>;

/// Reads a pack to its trailer and checks all of it, on all threads of the pool. References are only checked to be the
/// writer's: their chunks may lie elsewhere.
///
/// # Errors
///
/// [`VerifyError`].
///
/// # Panics
///
/// If `pack` does.
pub fn verify(pool: &Pool<'_, '_>, pack: impl Read + Send, setup: &ReadSetup<'_>) -> Result<Whole, VerifyError> {
    read(pool, pack, setup, Checking)
}

/// Does nothing: all that there is to check has been.
struct Checking;

impl Consumer for Checking {
    type Error = Wrong;

    fn failed(failed: Failed) -> Wrong {
        failed.into()
    }

    fn record(&mut self, _: &Parcel, _: &Entry, _: &Opener) -> Result<(), Wrong> {
        Ok(())
    }
}
