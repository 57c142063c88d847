//! The doubles of devices: files of the PC, through semihosting.

use core::error::Error;
use core::ffi::CStr;
use core::fmt;

use embedded_io::{ErrorKind, ErrorType, Read, Seek, SeekFrom, Write};
use semihosting::fs;
use semihosting::io::{self, Read as _, Seek as _, Write as _};

/// A file as a device.
pub struct File(fs::File);

/// The PC's error number; 0 if it gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, defmt::Format)]
pub struct DeviceError(i32);

impl File {
    /// To be read.
    pub fn open(path: &str) -> Result<Self, DeviceError> {
        with_path(path, |path| fs::File::open(path))
    }

    /// To be written, empty at first.
    pub fn create(path: &str) -> Result<Self, DeviceError> {
        with_path(path, |path| fs::File::create(path))
    }
}

fn with_path(path: &str, open: impl FnOnce(&CStr) -> io::Result<fs::File>) -> Result<File, DeviceError> {
    const NAME_TOO_LONG: DeviceError = DeviceError(36);
    let mut bytes = [0; 256];
    bytes.get_mut(..path.len()).ok_or(NAME_TOO_LONG)?.copy_from_slice(path.as_bytes());
    let path = CStr::from_bytes_until_nul(&bytes).map_err(|_| NAME_TOO_LONG)?;
    Ok(File(open(path)?))
}

impl ErrorType for File {
    type Error = DeviceError;
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, DeviceError> {
        Ok(self.0.read(into)?)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, DeviceError> {
        Ok(self.0.write(bytes)?)
    }

    fn flush(&mut self) -> Result<(), DeviceError> {
        Ok(self.0.flush()?)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, DeviceError> {
        const INVALID: DeviceError = DeviceError(22);
        Ok(self.0.seek(match to {
            SeekFrom::Start(offset) => io::SeekFrom::Start(offset),
            SeekFrom::End(offset) => io::SeekFrom::End(offset),
            // Semihosting has no such call.
            SeekFrom::Current(_) => return Err(INVALID),
        })?)
    }
}

impl From<io::Error> for DeviceError {
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or_default())
    }
}

impl embedded_io::Error for DeviceError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}", self.0)
    }
}

impl Error for DeviceError {}
