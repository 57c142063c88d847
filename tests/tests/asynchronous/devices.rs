//! The scripted devices over the asynchronous traits: each call may say `Pending` first, and is polled by hand.

use core::future::poll_fn;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use chunkmill_core::ChunkIndex;
use chunkmill_core::drive::asynchronous::{ingest, restore, verify};
use chunkmill_core::drive::{Stopped, Summary};
use chunkmill_core::pack::Packer;
use chunkmill_tests::devices::{ScriptedReader, ScriptedWriter};
use chunkmill_tests::ledger::{Ledger, Shelf};
use chunkmill_tests::packing::{IngestResult, Packed, Packing, Restored, Restoring, widened};
use chunkmill_tests::retained::with_chunker;
use embedded_io_async::{ErrorType, Read, Write};

/// A device that makes its caller wait `waits` times at each call.
pub(crate) struct Slow<D> {
    pub(crate) device: D,
    pub(crate) waits: usize,
}

impl<D> Slow<D> {
    async fn wait(&self) {
        let mut left = self.waits;
        poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

impl<D: ErrorType> ErrorType for Slow<D> {
    type Error = D::Error;
}

impl Read for Slow<ScriptedReader<'_>> {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Self::Error> {
        self.wait().await;
        embedded_io::Read::read(&mut self.device, buffer)
    }
}

impl<D: embedded_io::Write> Write for Slow<D> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        self.wait().await;
        embedded_io::Write::write(&mut self.device, bytes)
    }

    async fn flush(&mut self) -> Result<(), Self::Error> {
        self.wait().await;
        embedded_io::Write::flush(&mut self.device)
    }
}

/// Polls up to `polls` times; `None` if that was not enough, and the future is dropped. Gives the count of polls as well.
pub(crate) fn poll_times<F: Future>(future: F, polls: usize) -> (Option<F::Output>, usize) {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    for count in 1..=polls {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return (Some(output), count);
        }
    }
    (None, polls)
}

/// As [`Packing::run`], with the asynchronous driver. Of the sink it knows nothing: of the events, those of the index are
/// there.
pub(crate) fn pack(packing: &Packing, waits: usize, data: &[u8], index: &mut dyn ChunkIndex) -> Packed {
    let (result, packed) = pack_polled(packing, waits, usize::MAX, data, index);
    assert!(result.is_some());
    packed
}

/// The same, dropped after so many polls if it is not done by then.
pub(crate) fn pack_polled(
    packing: &Packing,
    waits: usize,
    polls: usize,
    data: &[u8],
    mut index: &mut dyn ChunkIndex,
) -> (Option<IngestResult>, Packed) {
    let ledger = Ledger::default();
    let gear = packing.setup.gear();
    let mut reader = Slow { device: ScriptedReader::new(data, packing.reads.clone()), waits };
    let mut writer = Slow { device: ScriptedWriter::new(packing.writes.clone()), waits };
    let result = packing.with_packer(&gear, |packer: Packer<'_>| {
        with_chunker(&packing.setup, &gear, packing.ring, |chunker| {
            let mut logged = ledger.index(&mut index);
            let future = ingest(&mut reader, chunker, &mut logged, packer, &mut writer);
            poll_times(future, polls).0
        })
    });
    let packed = Packed {
        result: result.unwrap_or(Ok(Summary::default())),
        writes: writer.device.calls(),
        bytes: writer.device.bytes,
        flushed_at: writer.device.flushed_at,
        flush_calls: writer.device.flush_calls,
        events: ledger.events(),
        read: (reader.device.calls(), reader.device.given()),
    };
    (result, packed)
}

/// As [`Restoring::run`], with the asynchronous driver.
pub(crate) fn unpack(restoring: &Restoring, waits: usize, pack: &[u8], source: &mut Shelf) -> Restored {
    let mut reader = Slow { device: ScriptedReader::new(pack, restoring.reads.clone()), waits };
    let mut writer = Slow { device: ScriptedWriter::new(restoring.writes.clone()), waits };
    let restored = restoring
        .with_reader(|unpacker| poll_times(restore(&mut reader, unpacker, source, &mut writer), usize::MAX).0)
        .unwrap();
    Restored {
        result: restored,
        writes: writer.device.calls(),
        bytes: writer.device.bytes,
        flushed_at: writer.device.flushed_at,
        read: (reader.device.calls(), reader.device.given()),
    }
}

/// As [`Restoring::verify`], with the asynchronous driver.
pub(crate) fn check(restoring: &Restoring, waits: usize, pack: &[u8]) -> Restored {
    let mut reader = Slow { device: ScriptedReader::new(pack, restoring.reads.clone()), waits };
    let verified = restoring.with_reader(|unpacker| poll_times(verify(&mut reader, unpacker), usize::MAX).0).unwrap();
    let result = verified.map_err(|Stopped { summary, error }| Stopped { summary, error: widened(error) });
    let read = (reader.device.calls(), reader.device.given());
    Restored { result, bytes: Vec::new(), flushed_at: Vec::new(), read, writes: 0 }
}
