//! A pack read front to back, payloads unopened.

use std::io::{self, BufRead, BufReader, Read};

use chunkmill_core::IdKey;
use chunkmill_core::drive::{ReadError, RestoreError};
use chunkmill_core::pack::{PackError, RecordReader, RecordStep, StreamHeader, Totals};

use super::line::Input;
use super::parcel::Parcel;
use crate::read::read_some;

/// The line's input: fills parcels with records, one behind the other.
pub(super) struct Records<R> {
    input: BufReader<R>,
    reader: RecordReader,
    /// Whether chunks are to be kept once they are opened.
    keeping: bool,
    /// How the pack ended, once it has.
    ended: Option<Result<Totals, Failed>>,
}

/// A pack is wrong, or cannot be read.
#[derive(Debug)]
pub(super) enum Failed {
    Pack(PackError),
    Read(ReadError<io::Error>),
}

impl<S, W> From<Failed> for RestoreError<io::Error, S, W> {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Pack(error) => Self::Pack(error),
            Failed::Read(error) => Self::Read(error),
        }
    }
}

/// Bytes read at once where no more are wanted.
const STEP: usize = 64 << 10;

impl<R: Read> Records<R> {
    pub(super) fn new(pack: R, key: &IdKey, keeping: bool) -> Self {
        Self { input: BufReader::with_capacity(STEP, pack), reader: RecordReader::new(key), keeping, ended: None }
    }

    /// Reads the header. Without a good one there is nothing to be read.
    pub(super) fn header(&mut self) -> Result<StreamHeader, Failed> {
        loop {
            // It comes before anything else.
            if let RecordStep::Header(header) = self.step()? {
                return Ok(header);
            }
        }
    }

    /// Bytes of the pack that were read.
    pub(super) const fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// How the pack ended.
    pub(super) fn ended(&mut self) -> Result<Totals, Failed> {
        self.ended.take().unwrap_or_else(|| {
            let source = io::Error::other("the pack was not read to its end");
            Err(Failed::Read(ReadError::Failed { offset: self.offset(), source }))
        })
    }

    /// Whether bytes follow behind the trailer; of a reader that may wait, whether they have come already. An error here is
    /// none of the pack's.
    pub(super) fn more_follows(&mut self, waits: bool) -> bool {
        let waiting = !self.input.buffer().is_empty();
        waiting || !waits && self.input.fill_buf().is_ok_and(|more| !more.is_empty())
    }

    /// The next step that is not about input.
    fn step(&mut self) -> Result<RecordStep, Failed> {
        loop {
            match self.reader.step().map_err(Failed::Pack)? {
                RecordStep::NeedInput => {
                    let mut offset = self.reader.offset();
                    match read(&mut self.input, self.reader.window(), &mut offset)? {
                        0 => self.reader.end_input(),
                        len => self.reader.commit(len),
                    }
                }
                step => return Ok(step),
            }
        }
    }

    fn fill_parcel(&mut self, parcel: &mut Parcel) -> Result<Option<Totals>, Failed> {
        while !parcel.is_full() {
            match self.step()? {
                RecordStep::Record(sealed) => {
                    let window = parcel.push(sealed, self.reader.offset(), self.keeping);
                    if let Err(error) = read_payload(&mut self.input, &mut self.reader, window) {
                        parcel.pop();
                        return Err(error);
                    }
                }
                RecordStep::End(totals) => return Ok(Some(totals)),
                RecordStep::Header(_) | RecordStep::NeedInput => {}
            }
        }
        Ok(None)
    }
}

impl<R: Read + Send> Input<Parcel> for Records<R> {
    fn fill(&mut self, parcel: &mut Parcel) -> bool {
        parcel.clear();
        if self.ended.is_none() {
            self.ended = self.fill_parcel(parcel).transpose();
        }
        !parcel.entries.is_empty()
    }
}

fn read_payload(input: &mut impl Read, reader: &mut RecordReader, mut window: &mut [u8]) -> Result<(), Failed> {
    while !window.is_empty() {
        let mut offset = reader.offset();
        let len = read(input, window, &mut offset)?;
        if len == 0 {
            reader.end_input();
            return reader.step().map(|_| ()).map_err(Failed::Pack);
        }
        reader.take_payload(u32::try_from(len).unwrap_or(u32::MAX));
        window = window.get_mut(len..).unwrap_or_default();
    }
    Ok(())
}

fn read(input: &mut impl Read, window: &mut [u8], offset: &mut u64) -> Result<usize, Failed> {
    let failed = |error: crate::ReadError| ReadError::Failed { offset: error.offset, source: error.source };
    read_some(input, window, offset).map(<[u8]>::len).map_err(|error| Failed::Read(failed(error)))
}
