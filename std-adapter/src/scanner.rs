use core::convert::Infallible;
use core::fmt;
use std::io::Read;

use chunkmill_core::{Chunk, ChunkHasher, ChunkParams, GearTable, IdKey, Kernel, StreamingChunker};

use crate::read::{ReadError, read_some};

/// Cuts and ids streams, one after the other, through one fixed buffer.
///
/// Takes [`Scanner::BUFFER_LEN`] bytes of heap and 2,008 bytes itself, whatever the length of chunks and streams: a chunk
/// is hashed while its bytes are in the L2 cache and never kept whole.
pub struct Scanner<'g> {
    chunker: StreamingChunker<'g>,
    buffer: Box<[u8]>,
}

/// Why a scan stopped. `E` is the visitor's own error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError<E = Infallible> {
    /// The reader failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The visitor wanted to stop.
    #[error(transparent)]
    Visit(E),
}

impl<'g> Scanner<'g> {
    /// Bytes of the buffer: half of the smallest L2 cache per core that is common on NAS boxes.
    pub const BUFFER_LEN: usize = 256 << 10;

    /// A scanner with its buffer. The gear table is borrowed, the key copied.
    pub fn new(params: ChunkParams, gear: &'g GearTable, key: &IdKey) -> Self {
        Self { chunker: StreamingChunker::new(params, gear, key), buffer: vec![0; Self::BUFFER_LEN].into() }
    }

    /// Scans with this kernel from now on. Cut points stay the same.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.chunker = self.chunker.with_kernel(kernel);
        self
    }

    /// Reads `reader` to its end and gives each chunk, in stream order, to `visit`. Returns the bytes read.
    ///
    /// [`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) is retried. A stream without a byte has no chunk. The scanner can be used again
    /// afterwards, also after an error.
    ///
    /// # Errors
    ///
    /// [`ScanError::Read`] if the reader fails; the chunks that ended before were visited, the bytes after them are not
    /// reported. [`ScanError::Visit`] with the visitor's own error, as soon as it gives one.
    pub fn scan<R: Read, E>(
        &mut self,
        mut reader: R,
        mut visit: impl FnMut(Chunk) -> Result<(), E>,
    ) -> Result<u64, ScanError<E>> {
        let read = self.scan_to_end(&mut reader, &mut visit);
        let last = self.chunker.finish().and_then(|span| span.ended);
        if let (Ok(_), Some(chunk)) = (&read, last) {
            visit(chunk).map_err(ScanError::Visit)?;
        }
        read
    }

    fn scan_to_end<E>(
        &mut self,
        reader: &mut impl Read,
        visit: &mut impl FnMut(Chunk) -> Result<(), E>,
    ) -> Result<u64, ScanError<E>> {
        let mut offset = 0u64;
        loop {
            // Let the read end a whole number of hash groups after the start of the chunk: if the chunk goes on, the next
            // span then starts aligned, and no SIMD width is lost between the two.
            let hashed = usize::try_from(self.chunker.chunk_len()).unwrap_or(0);
            let wanted = Self::BUFFER_LEN.saturating_sub(hashed % ChunkHasher::GROUP_LEN);
            let window = self.buffer.get_mut(..wanted).unwrap_or_default();
            let mut input = read_some(reader, window, &mut offset)?;
            if input.is_empty() {
                return Ok(offset);
            }
            while let Some(span) = self.chunker.push(&mut input) {
                if let Some(chunk) = span.ended {
                    visit(chunk).map_err(ScanError::Visit)?;
                }
            }
        }
    }
}

impl fmt::Debug for Scanner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner").field("chunker", &self.chunker).finish_non_exhaustive()
    }
}
