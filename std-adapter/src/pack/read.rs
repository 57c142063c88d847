use core::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};

use chunkmill_core::drive::{self, RestoreError, Stopped, Summary};
use chunkmill_core::pack::{BlockLen, Reader};
use chunkmill_core::{IdKey, Size};
use embedded_io_adapters::std::FromStd;

use super::Earlier;

/// What was read of a pack that is good to its trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// What it holds.
    pub summary: Summary,
    /// Whether bytes follow behind the trailer, which are not part of it.
    pub more_follows: bool,
}

/// Why a pack could not be unpacked, with what was done before.
pub type UnpackError = Stopped<RestoreError<io::Error, io::Error, io::Error>>;

/// Why a pack is not good, with what was good before.
pub type VerifyError = Stopped<RestoreError<io::Error, Infallible, Infallible>>;

/// Bytes read at once.
pub(super) const STEP: usize = 64 << 10;

/// Reads a pack to its trailer and writes the stream it was made of to `out`. Not a byte goes out that was not verified. On
/// one thread; takes the memory of the largest chunk of the pack.
///
/// # Errors
///
/// [`UnpackError`]; all that was verified before is written.
pub fn unpack(pack: impl Read, earlier: &mut Earlier, out: impl Write, key: &IdKey) -> Result<Whole, UnpackError> {
    let (mut chunk, mut block) = buffers();
    let reader = Reader::new(key, &mut chunk, &mut block);
    let mut input = FromStd::new(BufReader::with_capacity(STEP, pack));
    // Not buffered: what has been restored must be there to be read again, and chunks are long.
    let summary = drive::restore(&mut input, reader, earlier, &mut FromStd::new(out))?;
    Ok(Whole { summary, more_follows: more_follows(input) })
}

/// Reads a pack to its trailer and checks all of it.
///
/// # Errors
///
/// [`VerifyError`].
pub fn verify(pack: impl Read, key: &IdKey) -> Result<Whole, VerifyError> {
    let (mut chunk, mut block) = buffers();
    let reader = Reader::new(key, &mut chunk, &mut block);
    let mut input = FromStd::new(BufReader::with_capacity(STEP, pack));
    let summary = drive::verify(&mut input, reader)?;
    Ok(Whole { summary, more_follows: more_follows(input) })
}

/// An error here is none of the pack's.
fn more_follows(input: FromStd<BufReader<impl Read>>) -> bool {
    input.into_inner().fill_buf().is_ok_and(|more| !more.is_empty())
}

/// Memory for a reader, enough for every pack. The system gives pages of it only as they are used.
pub(super) fn buffers() -> (Vec<u8>, Vec<u8>) {
    let longest = usize::try_from(Size::Max.limits().1).unwrap_or(usize::MAX);
    (vec![0; longest], vec![0; BlockLen::MAX.bytes()])
}
