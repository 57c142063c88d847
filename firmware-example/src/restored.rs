//! What references stand for: chunks that were restored before, read back from where they went.

use core::fmt;
use core::ops::Range;

use chunkmill_core::{Chunk, ChunkId, ChunkSource};
use embedded_io::{Read, ReadExactError, Seek, SeekFrom};
use heapless::HistoryBuf;

/// Chunks that a reference may go back to. The pack's writer here goes back to 64; packs from elsewhere may go further.
const PLACES: usize = 256;

/// Remembers where the last 256 chunks were restored to.
pub struct Restored<'m, D> {
    device: D,
    places: &'m mut Places,
}

/// The memory for that: 4 KiB.
pub type Places = HistoryBuf<Place, PLACES>;

/// Where a chunk is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The id's start is enough to find it: the pack's reader checks the bytes against the whole.
    id: [u8; 8],
    offset: u64,
}

impl<'m, D> Restored<'m, D> {
    /// Nothing was restored yet. `device` is what the restored stream is written to, opened once more for reading.
    pub fn new(device: D, places: &'m mut Places) -> Self {
        places.clear();
        Self { device, places }
    }
}

impl<D: Read + Seek> ChunkSource for Restored<'_, D> {
    type Error = D::Error;

    fn fetch(&mut self, id: &ChunkId, into: &mut [u8]) -> Result<bool, D::Error> {
        let start = start_of(id);
        let Some(place) = self.places.as_slice().iter().find(|place| place.id == start) else { return Ok(false) };
        self.device.seek(SeekFrom::Start(place.offset))?;
        match self.device.read_exact(into) {
            Ok(()) => Ok(true),
            Err(ReadExactError::UnexpectedEof) => Ok(false),
            Err(ReadExactError::Other(error)) => Err(error),
        }
    }

    fn seen(&mut self, chunk: &Chunk, _: Range<u64>) {
        self.places.write(Place { id: start_of(&chunk.id), offset: chunk.offset });
    }
}

fn start_of(id: &ChunkId) -> [u8; 8] {
    id.as_bytes().first_chunk().copied().unwrap_or_default()
}

impl<D> fmt::Debug for Restored<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restored").field("places", &self.places.len()).finish_non_exhaustive()
    }
}
