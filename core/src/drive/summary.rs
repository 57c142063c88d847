use core::error::Error;
use core::fmt;

use crate::pack::Reader;

/// What a driver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Summary {
    /// Bytes of the chunks that are done, each chunk as often as it occurs.
    pub bytes: u64,
    /// Chunks that are done, references among them.
    pub chunks: u64,
    /// Chunks that were stored before.
    pub references: u64,
    /// Of an ingest, the bytes of the payloads that were stored, as the sink counts them. Of a pack that is read, all bytes
    /// read of it.
    pub stored_bytes: u64,
}

impl Summary {
    /// Counts a chunk that is done, `reference` if it was stored before.
    pub fn count(&mut self, len: u32, reference: bool) {
        self.bytes = self.bytes.saturating_add(u64::from(len));
        self.chunks = self.chunks.saturating_add(1);
        self.references = self.references.saturating_add(u64::from(reference));
    }

    /// Of a pack that is read, what is stored is how much of it there is.
    pub(super) const fn of_pack(mut self, pack: &Reader<'_>) -> Self {
        self.stored_bytes = pack.offset();
        self
    }

    pub(super) fn ended<E>(self, result: Result<(), E>) -> Result<Self, Stopped<E>> {
        match result {
            Ok(()) => Ok(self),
            Err(error) => Err(Stopped { summary: self, error }),
        }
    }
}

/// A driver that stopped early: what it had done by then, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stopped<E> {
    /// What was done before. It stands.
    pub summary: Summary,
    /// Why it stopped.
    pub error: E,
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { bytes, chunks, .. } = self.summary;
        write!(f, "{} (after {chunks} chunks, {bytes} bytes)", self.error)
    }
}

impl<E: Error + 'static> Error for Stopped<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // What the error itself has to say is in this one's text.
        self.error.source()
    }
}
