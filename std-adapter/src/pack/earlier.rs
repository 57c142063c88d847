//! Where the chunks of references are had from.

use core::hash::BuildHasherDefault;
use core::ops::Range;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use chunkmill_core::{Chunk, ChunkId, ChunkSource};
use lz4_flex::frame::FrameDecoder;

use super::seen::Uniform;

/// Brings back chunks that stood earlier in the stream, from a file that can be read anywhere: the pack itself, or what has
/// been restored of it. What it brings is checked against the id before it goes out.
///
/// Takes 70 to 140 bytes of heap for each chunk stored in the pack.
#[derive(Debug)]
pub struct Earlier {
    places: HashMap<[u8; 32], Place, BuildHasherDefault<Uniform>>,
    from: From,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// In the restored stream.
    offset: u64,
    /// In the pack.
    payload: u64,
    payload_len: u32,
}

#[derive(Debug)]
enum From {
    Nowhere,
    /// The pack, which begins at an offset of the file.
    Pack(File, u64),
    Restored(File),
}

impl Earlier {
    /// Reads chunks again from the pack, which begins at byte `start` of this file.
    pub fn in_pack(file: File, start: u64) -> Self {
        Self::new(From::Pack(file, start))
    }

    /// Reads chunks from the file that the stream is restored to, from its first byte on.
    pub fn in_restored(file: File) -> Self {
        Self::new(From::Restored(file))
    }

    /// Has no chunk, and says so if one is wanted: for pipes.
    pub fn nowhere() -> Self {
        Self::new(From::Nowhere)
    }

    fn new(from: From) -> Self {
        Self { places: HashMap::default(), from }
    }
}

impl ChunkSource for Earlier {
    type Error = io::Error;

    fn fetch(&mut self, id: &ChunkId, into: &mut [u8]) -> io::Result<bool> {
        if matches!(self.from, From::Nowhere) {
            let why = "a chunk repeats, and there is no file in which it could be read again: give the pack or the output as one";
            return Err(io::Error::other(why));
        }
        let Some(place) = self.places.get(id.as_bytes()) else { return Ok(false) };
        match &self.from {
            From::Nowhere => return Ok(false),
            From::Restored(file) => return found(file.read_exact_at(into, place.offset)),
            From::Pack(file, start) => {
                let at = start.saturating_add(place.payload);
                let stored = usize::try_from(place.payload_len).unwrap_or(usize::MAX);
                if stored == into.len() {
                    return found(file.read_exact_at(into, at));
                } else {
                    let part = Part { file, at, left: place.payload_len.into() };
                    match FrameDecoder::new(part).read_exact(into) {
                        // What is there is not a frame any more: then the chunk is not there.
                        Err(error) if error.raw_os_error().is_none() => return Ok(false),
                        read => read?,
                    }
                }
            }
        }
        Ok(true)
    }

    fn seen(&mut self, chunk: &Chunk, payload: Range<u64>) {
        // A payload is no longer than its chunk.
        let payload_len = u32::try_from(payload.end.saturating_sub(payload.start)).unwrap_or(u32::MAX);
        let place = Place { offset: chunk.offset, payload: payload.start, payload_len };
        self.places.entry(*chunk.id.as_bytes()).or_insert(place);
    }
}

/// A file that is shorter than it was has the chunk no more.
fn found(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// A part of a file as a reader, which leaves the file's own position alone.
struct Part<'f> {
    file: &'f File,
    at: u64,
    left: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let len = self.file.read_at(buffer.get_mut(..len).unwrap_or_default(), self.at)?;
        let read = u64::try_from(len).unwrap_or(0);
        self.at = self.at.saturating_add(read);
        self.left = self.left.saturating_sub(read);
        Ok(len)
    }
}
