use core::convert::Infallible;
use std::io::{self, Read};

use chunkmill_core::Chunk;
use chunkmill_core::drive::RestoreError;
use chunkmill_core::pack::{Opener, StreamHeader, Totals};

use super::{Consumer, Entry, Failed, Parcel, ReadSetup, Whole, read};
use crate::Pool;

/// What a pack says of itself, verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// The trailer, last.
    End(Totals),
    /// The header, first.
    Header(StreamHeader),
    /// A chunk, and how many bytes its payload takes in the pack: as many as the chunk if it is not compressed, none if it
    /// stands earlier.
    Record(Chunk, u32),
}

/// Reads a pack to its trailer, checks it on all threads of the pool, and gives what it finds to `visit`, in order.
///
/// # Errors
///
/// The visitor's own, and what is wrong with the pack or with reading it.
///
/// # Panics
///
/// If `pack` or `visit` does.
pub fn list<E: From<RestoreError<io::Error, Infallible, Infallible>> + Send>(
    pool: &Pool<'_, '_>,
    pack: impl Read + Send,
    setup: &ReadSetup<'_>,
    visit: impl FnMut(Listed) -> Result<(), E> + Send,
) -> Result<Whole, E> {
    read(pool, pack, setup, Listing(visit)).map_err(|stopped| stopped.error)
}

struct Listing<V>(V);

type Wrong = RestoreError<io::Error, Infallible, Infallible>;

impl<E: From<Wrong> + Send, V: FnMut(Listed) -> Result<(), E> + Send> Consumer for Listing<V> {
    type Error = E;

    fn failed(failed: Failed) -> E {
        Wrong::from(failed).into()
    }

    fn header(&mut self, header: &StreamHeader) -> Result<(), E> {
        (self.0)(Listed::Header(*header))
    }

    fn record(&mut self, _: &Parcel, entry: &Entry, _: &Opener) -> Result<(), E> {
        (self.0)(Listed::Record(entry.sealed.chunk(), entry.sealed.payload_len()))
    }

    fn end(&mut self, totals: Option<Totals>) -> Result<(), E> {
        totals.map_or(Ok(()), |totals| (self.0)(Listed::End(totals)))
    }
}
