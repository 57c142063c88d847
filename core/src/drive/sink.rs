use embedded_io::Write;

use super::WriteError;
use super::transfer::{flush, write};
use crate::pack::Packer;
use crate::{Chunk, ChunkSink, Retained};

/// Writes a pack stream to a device. Takes 328 bytes of RAM on 64-bit targets, besides the device.
///
/// The header goes out before the first record, the trailer with [`finish`](ChunkSink::finish). The device is flushed after
/// each chunk that is stored, before that is acknowledged, and at the end. After an error the stream is given up: it ends
/// with a record that is not whole, and readers will say so. The packer must have the key, the sizes and the gear table of
/// the chunker: a chunk that does not follow the one before, breaks the sizes or has an id of another key is an error, but
/// the table is only noted in the header.
#[derive(Debug)]
pub struct PackSink<'m, W> {
    packer: Packer<'m>,
    device: W,
    offset: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    Closed,
}

impl<'m, W: Write> PackSink<'m, W> {
    /// A sink that has written nothing yet.
    pub const fn new(packer: Packer<'m>, device: W) -> Self {
        Self { packer, device, offset: 0, state: State::New }
    }

    /// Bytes of the pack stream that the device has taken.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Gives the device back.
    pub fn into_device(self) -> W {
        self.device
    }

    /// Runs one step of writing. It leaves the sink closed unless it comes to its end.
    fn step<T>(
        &mut self,
        write_step: impl FnOnce(&mut Packer<'m>, &mut W, &mut u64) -> Result<T, WriteError<W::Error>>,
    ) -> Result<T, WriteError<W::Error>> {
        let state = core::mem::replace(&mut self.state, State::Closed);
        match state {
            State::New => write(&mut self.device, &self.packer.header(), &mut self.offset)?,
            State::Open => {}
            State::Closed => return Err(WriteError::Closed),
        }
        let done = write_step(&mut self.packer, &mut self.device, &mut self.offset)?;
        self.state = State::Open;
        Ok(done)
    }
}

impl<W: Write> ChunkSink for PackSink<'_, W> {
    type Error = WriteError<W::Error>;

    fn store(&mut self, retained: &Retained<'_>) -> Result<u64, Self::Error> {
        self.step(|packer, device, offset| {
            check(packer.accepts_bytes(retained), &retained.chunk)?;
            let pieces = packer.store(retained);
            for part in pieces.parts() {
                write(device, part, offset)?;
            }
            flush(device, *offset)?;
            Ok(u64::try_from(pieces.payload_len()).unwrap_or(u64::MAX))
        })
    }

    fn refer(&mut self, chunk: &Chunk) -> Result<(), Self::Error> {
        self.step(|packer, device, offset| {
            check(packer.accepts(chunk), chunk)?;
            write(device, &packer.refer(chunk), offset)
        })
    }

    fn finish(&mut self) -> Result<(), Self::Error> {
        self.step(|packer, device, offset| {
            write(device, &packer.trailer(), offset)?;
            flush(device, *offset)
        })?;
        self.state = State::Closed;
        Ok(())
    }
}

/// What the packer does not accept never reaches the device.
pub(super) fn check<E>(accepted: bool, chunk: &Chunk) -> Result<(), WriteError<E>> {
    if accepted { Ok(()) } else { Err(WriteError::Misplaced { offset: chunk.offset }) }
}
