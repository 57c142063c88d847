//! The drivers over [`embedded_io_async`]: the same state machines, with `await` where bytes move.
//!
//! A future that is dropped in the middle leaves the pack stream given up, as an error would.
//!
//! ```
//! use chunkmill_core::drive::asynchronous::{ingest, verify};
//! use chunkmill_core::pack::{Packer, Reader};
//! use chunkmill_core::{ChunkParams, GearTable, IdKey, NoIndex, RetainingChunker};
//! # fn block_on<F: Future>(future: F) -> F::Output {
//! #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! #     let mut future = std::pin::pin!(future);
//! #     loop { if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) { break output; } }
//! # }
//!
//! let params = ChunkParams::new(64, 256, 1024, 1)?;
//! let key = IdKey::from_bytes([7; 32]);
//! let mut ring = [0; 1026];
//! let mut chunker = RetainingChunker::new(params, GearTable::published(), &key, &mut ring)?;
//! let packer = Packer::new(params, GearTable::published(), *b"random, in truth", &key);
//!
//! let mut flash = [0u8; 8192];
//! let mut device = &mut flash[..];
//! let done = block_on(ingest(&mut &[42u8; 5000][..], &mut chunker, &mut NoIndex, packer, &mut device))?;
//! assert_eq!((done.bytes, done.chunks), (5000, 5));
//!
//! let (mut chunk, mut block) = ([0; 1024], [0; 0]);
//! let reader = Reader::new(&key, &mut chunk, &mut block);
//! assert_eq!(block_on(verify(&mut &flash[..], reader))?.chunks, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::convert::Infallible;

use embedded_io_async::{Error, ErrorKind, Read, Write};

use super::read_pack::RECORD_BYTES;
use super::sink::check;
use super::{IngestError, ReadError, RestoreError, Stopped, Summary, WriteError};
use crate::pack::{Packer, ReadStep, Reader};
use crate::{ChunkIndex, ChunkSource, RetainingChunker, Step};

/// As [`drive::ingest`](super::ingest), with a whole pack stream written to `out`. A packer makes one stream: to try again
/// takes another.
///
/// # Errors
///
/// [`IngestError`], with the summary of what was written before.
pub async fn ingest<R: Read, I: ChunkIndex, W: Write>(
    reader: &mut R,
    chunker: &mut RetainingChunker<'_, '_>,
    index: &mut I,
    mut packer: Packer<'_>,
    out: &mut W,
) -> Result<Summary, Stopped<IngestError<R::Error, WriteError<W::Error>>>> {
    let mut summary = Summary::default();
    let ingested = ingest_into(&mut summary, reader, chunker, index, &mut packer, out).await;
    summary.ended(ingested)
}

async fn ingest_into<R: Read, I: ChunkIndex, W: Write>(
    summary: &mut Summary,
    reader: &mut R,
    chunker: &mut RetainingChunker<'_, '_>,
    index: &mut I,
    packer: &mut Packer<'_>,
    out: &mut W,
) -> Result<(), IngestError<R::Error, WriteError<W::Error>>> {
    let (mut taken, mut written) = (0u64, 0u64);
    chunker.restart();
    write(out, &packer.header(), &mut written).await.map_err(IngestError::Sink)?;
    loop {
        match chunker.step() {
            Step::NeedInput => {
                let len = read(reader, chunker.window(), taken).await.map_err(IngestError::Read)?;
                taken = taken.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
                if len == 0 {
                    chunker.end_input();
                }
                // No more than the window was read, so this cannot fail.
                let _ = chunker.commit(len);
            }
            Step::Chunk(retained) => {
                let chunk = retained.chunk;
                let known = index.contains(&chunk.id);
                if known {
                    check(packer.accepts(&chunk), &chunk).map_err(IngestError::Sink)?;
                    write(out, &packer.refer(&chunk), &mut written).await.map_err(IngestError::Sink)?;
                } else {
                    check(packer.accepts_bytes(&retained), &chunk).map_err(IngestError::Sink)?;
                    let pieces = packer.store(&retained);
                    for part in pieces.parts() {
                        write(out, part, &mut written).await.map_err(IngestError::Sink)?;
                    }
                    let stored = u64::try_from(pieces.payload_len()).unwrap_or(u64::MAX);
                    // Only what the device has for certain may be referred to.
                    flush(out, written).await.map_err(IngestError::Sink)?;
                    summary.stored_bytes = summary.stored_bytes.saturating_add(stored);
                    index.insert(&chunk);
                }
                summary.count(chunk.len, known);
            }
            Step::Done => break,
        }
    }
    write(out, &packer.trailer(), &mut written).await.map_err(IngestError::Sink)?;
    flush(out, written).await.map_err(IngestError::Sink)
}

/// As [`drive::restore`](super::restore).
///
/// # Errors
///
/// [`RestoreError`], with the summary of what went out before.
pub async fn restore<R: Read, S: ChunkSource, W: Write>(
    reader: &mut R,
    mut pack: Reader<'_>,
    source: &mut S,
    out: &mut W,
) -> Result<Summary, Stopped<RestoreError<R::Error, S::Error, W::Error>>> {
    let mut summary = Summary::default();
    let restored = restore_into(&mut summary, reader, &mut pack, source, out).await;
    summary.of_pack(&pack).ended(restored)
}

async fn restore_into<R: Read, S: ChunkSource, W: Write>(
    summary: &mut Summary,
    reader: &mut R,
    pack: &mut Reader<'_>,
    source: &mut S,
    out: &mut W,
) -> Result<(), RestoreError<R::Error, S::Error, W::Error>> {
    let mut written = 0;
    let mut referred = false;
    // Where the record at hand begins.
    let mut record = pack.offset();
    loop {
        match pack.step().map_err(RestoreError::Pack)? {
            ReadStep::NeedInput => feed(reader, pack).await.map_err(RestoreError::Read)?,
            ReadStep::Header(_) => record = pack.offset(),
            ReadStep::Chunk(verified) => {
                write(out, verified.bytes(), &mut written).await.map_err(RestoreError::Write)?;
                let chunk = verified.chunk();
                let referred = core::mem::take(&mut referred);
                summary.count(chunk.len, referred);
                if !referred {
                    source.seen(&chunk, record.saturating_add(RECORD_BYTES)..pack.offset());
                }
                record = pack.offset();
            }
            ReadStep::Reference(reference) => {
                referred = true;
                if source.fetch(&reference.chunk.id, pack.window()).map_err(RestoreError::Source)? {
                    pack.commit(usize::MAX);
                }
            }
            ReadStep::End(_) => return flush(out, written).await.map_err(RestoreError::Write),
        }
    }
}

/// As [`drive::verify`](super::verify).
///
/// # Errors
///
/// [`RestoreError::Pack`] or [`RestoreError::Read`], with the summary of what was good before.
pub async fn verify<R: Read>(
    reader: &mut R,
    mut pack: Reader<'_>,
) -> Result<Summary, Stopped<RestoreError<R::Error, Infallible, Infallible>>> {
    let mut summary = Summary::default();
    let verified = verify_into(&mut summary, reader, &mut pack).await;
    summary.of_pack(&pack).ended(verified)
}

async fn verify_into<R: Read>(
    summary: &mut Summary,
    reader: &mut R,
    pack: &mut Reader<'_>,
) -> Result<(), RestoreError<R::Error, Infallible, Infallible>> {
    loop {
        match pack.step().map_err(RestoreError::Pack)? {
            ReadStep::NeedInput => feed(reader, pack).await.map_err(RestoreError::Read)?,
            ReadStep::Header(_) => {}
            ReadStep::Chunk(verified) => summary.count(verified.chunk().len, false),
            ReadStep::Reference(reference) => {
                pack.skip_reference();
                summary.count(reference.chunk.len, true);
            }
            ReadStep::End(_) => return Ok(()),
        }
    }
}

async fn feed<R: Read>(reader: &mut R, pack: &mut Reader<'_>) -> Result<(), ReadError<R::Error>> {
    let offset = pack.offset();
    match read(reader, pack.window(), offset).await? {
        0 => pack.end_input(),
        len => pack.commit(len),
    }
    Ok(())
}

async fn read<R: Read>(reader: &mut R, window: &mut [u8], offset: u64) -> Result<usize, ReadError<R::Error>> {
    loop {
        match reader.read(window).await {
            Ok(len) if len > window.len() => return Err(ReadError::Overrun { offset }),
            Ok(len) => return Ok(len),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(ReadError::Failed { offset, source }),
        }
    }
}

async fn write<W: Write>(out: &mut W, mut bytes: &[u8], offset: &mut u64) -> Result<(), WriteError<W::Error>> {
    while !bytes.is_empty() {
        match out.write(bytes).await {
            Ok(0) => return Err(WriteError::Full { offset: *offset }),
            Ok(len) if len > bytes.len() => return Err(WriteError::Overrun { offset: *offset }),
            Ok(len) => {
                bytes = bytes.get(len..).unwrap_or_default();
                *offset = offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(WriteError::Failed { offset: *offset, source }),
        }
    }
    Ok(())
}

async fn flush<W: Write>(out: &mut W, offset: u64) -> Result<(), WriteError<W::Error>> {
    loop {
        match out.flush().await {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(WriteError::Failed { offset, source }),
        }
    }
}
