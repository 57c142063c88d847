//! Devices in memory that do as they are told: short reads and writes, interruptions, errors at any call or after any byte.
//!
//! They are strict about how they are called: a read into an empty window or a write of nothing fails the test, and so does
//! any call after an error or after the end.

use core::fmt;
use std::collections::BTreeMap;

use embedded_io::{Error, ErrorKind, ErrorType, Read, Write};

use crate::data::Rng;

/// No test writes nearly as much, so a driver that goes round in circles fails its test and does not fill the memory.
const WRITER_MOST: usize = 8 << 20;

/// How many bytes a device moves in one call, if that many are there and fit.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// As many as it can.
    All,
    /// So many.
    Of(usize),
    /// From 1 up to 2 KiB, short ones as often as long ones.
    Random(Rng),
}

/// What is odd about one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails for good.
    Broken,
    /// It was interrupted: nothing was moved, and the caller may try again.
    Interrupted,
    /// It moves nothing and does not call that an error. For a reader that is the end.
    Nothing,
    /// It moves one byte.
    OneByte,
    /// It moves one byte fewer than it could, if that leaves any.
    OneLess,
    /// A reader's alone: it claims to have read one byte more than there was room for.
    Overrun,
}

/// What a device does at each call.
#[derive(Clone, Debug)]
pub struct Script {
    sizes: Sizes,
    faults: BTreeMap<usize, Fault>,
    /// It breaks once it would move the byte at this offset.
    byte_limit: usize,
    calls: usize,
    moved: usize,
    over: bool,
}

/// The error of every device here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// For good.
    Broken {
        /// Number of the call, from 0.
        call: usize,
    },
    /// For now.
    Interrupted,
}

/// Gives the bytes of a slice.
#[derive(Clone, Debug)]
pub struct ScriptedReader<'d> {
    data: &'d [u8],
    script: Script,
}

/// Keeps what is written.
#[derive(Clone, Debug)]
pub struct ScriptedWriter {
    /// Everything it took.
    pub bytes: Vec<u8>,
    /// The lengths of `bytes` at each flush that went well.
    pub flushed_at: Vec<usize>,
    /// The numbers of the calls that were flushes, whether they went well or not.
    pub flush_calls: Vec<usize>,
    script: Script,
}

impl Sizes {
    /// Random sizes from this seed.
    pub const fn random(seed: u64) -> Self {
        Self::Random(Rng::new(seed))
    }

    /// All there is, single bytes, two primes, and random sizes.
    pub fn several() -> Vec<Self> {
        vec![Self::All, Self::Of(1), Self::Of(7), Self::Of(1021), Self::random(21)]
    }

    /// The next size, at least 1.
    pub fn draw(&mut self) -> usize {
        match self {
            Self::All => usize::MAX,
            Self::Of(len) => *len,
            Self::Random(rng) => {
                let bits = rng.below(12);
                1 + rng.below(1 << bits)
            }
        }
    }
}

impl Script {
    /// Nothing goes wrong.
    pub const fn new(sizes: Sizes) -> Self {
        Self { sizes, faults: BTreeMap::new(), byte_limit: usize::MAX, calls: 0, moved: 0, over: false }
    }

    /// The call of this number, counted from 0, is odd. A flush counts as a call.
    #[must_use]
    pub fn with(mut self, call: usize, fault: Fault) -> Self {
        self.faults.insert(call, fault);
        self
    }

    /// So many bytes are moved, and the call after that breaks.
    #[must_use]
    pub const fn breaking_after(mut self, bytes: usize) -> Self {
        self.byte_limit = bytes;
        self
    }

    fn begin(&mut self) -> Option<Fault> {
        assert!(!self.over, "a device is left alone after an error and after the end");
        self.calls += 1;
        self.faults.get(&(self.calls - 1)).copied()
    }

    fn broken<T>(&mut self) -> Result<T, DeviceError> {
        self.over = true;
        Err(DeviceError::Broken { call: self.calls - 1 })
    }

    /// How many of `most` bytes the next call moves.
    fn moves(&mut self, most: usize) -> Result<usize, DeviceError> {
        let fault = self.begin();
        if self.moved == self.byte_limit {
            return self.broken();
        }
        let most = most.min(self.byte_limit - self.moved);
        let len = match fault {
            None => self.sizes.draw().min(most),
            Some(Fault::OneByte) => most.min(1),
            Some(Fault::OneLess) => (most.saturating_sub(1)).max(most.min(1)),
            Some(Fault::Nothing) => 0,
            Some(Fault::Interrupted) => return Err(DeviceError::Interrupted),
            Some(Fault::Broken) => return self.broken(),
            Some(Fault::Overrun) => panic!("an overrun is not a move"),
        };
        self.over = len == 0;
        self.moved += len;
        Ok(len)
    }
}

impl<'d> ScriptedReader<'d> {
    /// A reader of `data`.
    pub const fn new(data: &'d [u8], script: Script) -> Self {
        Self { data, script }
    }

    /// Calls so far.
    pub const fn calls(&self) -> usize {
        self.script.calls
    }

    /// Bytes given so far.
    pub const fn given(&self) -> usize {
        self.script.moved
    }
}

impl ScriptedWriter {
    /// A writer that has taken nothing yet.
    pub const fn new(script: Script) -> Self {
        Self { bytes: Vec::new(), flushed_at: Vec::new(), flush_calls: Vec::new(), script }
    }

    /// Calls so far, flushes among them.
    pub const fn calls(&self) -> usize {
        self.script.calls
    }
}

impl ErrorType for ScriptedReader<'_> {
    type Error = DeviceError;
}

impl Read for ScriptedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, DeviceError> {
        assert!(!buffer.is_empty(), "any read into an empty window looks like the end");
        // A device may leave anything in the part of the window that it does not count.
        buffer.fill(0xdb);
        if self.script.faults.get(&self.script.calls) == Some(&Fault::Overrun) {
            self.script.begin();
            self.script.over = true;
            return Ok(buffer.len() + 1);
        }
        let rest = &self.data[self.script.moved..];
        let len = self.script.moves(rest.len().min(buffer.len()))?;
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

impl ErrorType for ScriptedWriter {
    type Error = DeviceError;
}

impl Write for ScriptedWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, DeviceError> {
        assert!(!bytes.is_empty(), "there is no use in writing nothing");
        assert!(self.bytes.len() < WRITER_MOST, "whoever writes that much does not come to an end");
        let len = self.script.moves(bytes.len())?;
        self.bytes.extend(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> Result<(), DeviceError> {
        self.flush_calls.push(self.script.calls);
        match self.script.begin() {
            Some(Fault::Interrupted) => return Err(DeviceError::Interrupted),
            Some(Fault::Broken) => return self.script.broken(),
            _ => {}
        }
        self.flushed_at.push(self.bytes.len());
        Ok(())
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { call } => write!(f, "the device broke at call {call}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl core::error::Error for DeviceError {}

impl Error for DeviceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Broken { .. } => ErrorKind::Other,
            Self::Interrupted => ErrorKind::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gives_what_its_script_says() {
        let script = Script::new(Sizes::Of(3)).with(1, Fault::Interrupted).with(2, Fault::OneByte);
        let mut reader = ScriptedReader::new(b"abcdefgh", script.with(4, Fault::OneLess));
        let mut buffer = [0; 5];
        let mut read = || reader.read(&mut buffer).map(|len| buffer[..len].to_vec());
        assert_eq!(read(), Ok(b"abc".to_vec()));
        assert_eq!(read(), Err(DeviceError::Interrupted));
        assert_eq!(read(), Ok(b"d".to_vec()));
        assert_eq!(read(), Ok(b"efg".to_vec()));
        assert_eq!(read(), Ok(b"h".to_vec()));
        assert_eq!(read(), Ok(vec![]));
        assert_eq!((reader.calls(), reader.given()), (6, 8));
    }

    #[test]
    fn a_writer_breaks_after_the_bytes_its_script_says() {
        let mut writer = ScriptedWriter::new(Script::new(Sizes::Of(3)).breaking_after(4));
        assert_eq!(writer.write(b"abcdef"), Ok(3));
        assert_eq!(writer.flush(), Ok(()));
        assert_eq!(writer.write(b"def"), Ok(1));
        assert_eq!(writer.write(b"ef"), Err(DeviceError::Broken { call: 3 }));
        assert_eq!((&writer.bytes[..], &writer.flushed_at[..]), (&b"abcd"[..], &[3][..]));
    }

    #[test]
    #[should_panic(expected = "left alone")]
    fn a_broken_device_must_be_left_alone() {
        let mut writer = ScriptedWriter::new(Script::new(Sizes::All).with(0, Fault::Broken));
        assert_eq!(writer.write(b"a"), Err(DeviceError::Broken { call: 0 }));
        let _ = writer.write(b"a");
    }
}
