//! The chunks as the crates `fastcdc` and `blake3` see them.

use chunkmill_core::{Chunk, ChunkId};
use fastcdc::v2020::{FastCDC, Normalization, StreamCDC};

use crate::setup::{KEY, Setup};

/// `fastcdc`'s name for a level.
pub fn normalization(level: u8) -> Normalization {
    match level {
        0 => Normalization::Level0,
        1 => Normalization::Level1,
        2 => Normalization::Level2,
        3 => Normalization::Level3,
        _ => panic!("level {level} is not one of 0 to 3"),
    }
}

/// The id of a chunk under [`KEY`].
pub fn id(bytes: &[u8]) -> ChunkId {
    ChunkId::from_bytes(*blake3::keyed_hash(&KEY, bytes).as_bytes())
}

/// Lengths of the chunks of `data`, found by `fastcdc` over the whole slice.
pub fn lens(setup: &Setup, data: &[u8]) -> Vec<u32> {
    slice_chunker(setup, data).map(|chunk| chunk.length as u32).collect()
}

/// The chunks of `data`, found by `fastcdc` over the whole slice.
pub fn chunks(setup: &Setup, data: &[u8]) -> Vec<Chunk> {
    slice_chunker(setup, data)
        .map(|chunk| Chunk {
            offset: chunk.offset as u64,
            len: chunk.length as u32,
            id: id(&data[chunk.offset..][..chunk.length]),
        })
        .collect()
}

/// The chunks of `data`, found by `fastcdc` over a reader.
pub fn stream_chunks(setup: &Setup, data: &[u8]) -> Vec<Chunk> {
    let (min, avg, max) = setup.sizes();
    StreamCDC::with_level_and_seed(data, min, avg, max, normalization(setup.params.level()), setup.seed)
        .map(|chunk| {
            let chunk = chunk.expect("reading from a slice does not fail");
            Chunk { offset: chunk.offset, len: chunk.length as u32, id: id(&chunk.data) }
        })
        .collect()
}

fn slice_chunker<'d>(setup: &Setup, data: &'d [u8]) -> FastCDC<'d> {
    let (min, avg, max) = setup.sizes();
    FastCDC::with_level_and_seed(data, min, avg, max, normalization(setup.params.level()), setup.seed)
}
