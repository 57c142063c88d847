//! What types take on 32-bit targets, checked when this is built for one. The 64-bit sizes are in `tests/tests/sizes.rs`.

use core::mem::size_of;

use chunkmill_core::drive::PackSink;
use chunkmill_core::pack::{CompressTable, Compressor, Packer, Reader, Writer};
use chunkmill_core::{
    Chunk, ChunkHasher, ChunkParams, Cutter, GearTable, IdKey, RecentIndex, RetainingChunker, RingBuffer,
    StreamingChunker,
};

const _: () = {
    assert!(size_of::<Chunk>() == 48);
    assert!(size_of::<ChunkHasher>() == 1920);
    assert!(size_of::<ChunkParams>() == 16);
    assert!(size_of::<CompressTable>() == 16_448);
    assert!(size_of::<Compressor<'_>>() == 24);
    assert!(size_of::<Cutter<'_>>() == 56);
    assert!(size_of::<GearTable>() == 2064);
    assert!(size_of::<IdKey>() == 32);
    assert!(size_of::<PackSink<'_, ()>>() == 304);
    assert!(size_of::<Packer<'_>>() == 288);
    assert!(size_of::<Reader<'_>>() == 400);
    assert!(size_of::<RecentIndex<64>>() == 2056);
    assert!(size_of::<RetainingChunker<'_, '_>>() == 2016);
    assert!(size_of::<RingBuffer<'_>>() == 16);
    assert!(size_of::<StreamingChunker<'_>>() == 1992);
    assert!(size_of::<Writer>() == 96);
};
