//! Why the firmware did not do what it was told to.

use chunkmill_core::RingTooSmall;
use chunkmill_core::drive::{ReadError, RestoreError, Stopped};
use chunkmill_core::pack::{CompressorError, PackError};
use chunkmill_firmware::pack::PackFailure;

use crate::device::DeviceError;

/// Restoring from a file to a file.
type Restoring = Stopped<RestoreError<DeviceError, DeviceError, DeviceError>>;

#[derive(Debug, defmt::Format)]
pub enum Failure {
    /// The memory is too small for the compressor.
    Compressor(CompressorError),
    /// A file could not be opened, read or written.
    Device(DeviceError),
    /// What was restored is not what was packed.
    Differs {
        /// In the 256 bytes from this offset on.
        at: u64,
    },
    /// The pack is not good.
    Pack(PackError),
    /// The stream could not be packed.
    Packing(PackFailure<DeviceError, DeviceError>),
    /// No random bytes for the stream id.
    Random,
    /// A pack could not be read.
    Reading(ReadError<DeviceError>),
    /// The ring is too small for the chunks.
    Ring(RingTooSmall),
    /// The pack could not be restored.
    Restoring(Restoring),
    /// No command of this firmware: `pack IN PACK OUT`, `verify PACK`, `restore PACK OUT`, `vectors LIST`, `measure WHAT DATA`.
    Usage,
    /// A line of the list of vectors is not as the code has it, or cannot be understood.
    Vector {
        /// Line in the list, from 1.
        line: u32,
    },
}

impl Failure {
    /// The exit code for it.
    pub const fn code(&self) -> i32 {
        match self {
            Self::Differs { .. } | Self::Pack(_) | Self::Vector { .. } => 1,
            Self::Restoring(Stopped { error: RestoreError::Pack(_), .. }) => 1,
            Self::Usage => 2,
            _ => 3,
        }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<PackFailure<DeviceError, DeviceError>> for Failure {
    fn from(failure: PackFailure<DeviceError, DeviceError>) -> Self {
        Self::Packing(failure)
    }
}

impl From<Restoring> for Failure {
    fn from(stopped: Restoring) -> Self {
        Self::Restoring(stopped)
    }
}
