//! How much RAM each public type takes on 64-bit targets. A type that grows shows here before it shows on a device.

#![cfg(target_pointer_width = "64")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use core::mem::size_of;

use chunkmill_core::drive::{IngestError, PackSink, ReadError, RestoreError, Stopped, Summary, WriteError};
use chunkmill_core::pack::{
    BlockLen, Compression, Compressor, CompressorError, PackError, PackErrorKind, Packer, Pieces, ReadStep, Reader,
    Reference, Stored, StreamHeader, Totals, VerifiedChunk, Writer,
};
use chunkmill_core::{
    Chunk, ChunkHasher, ChunkId, ChunkParams, ChunkerId, Cutter, GearKind, GearTable, IdKey, NoIndex, NoSource,
    ParamError, ParseHexError, RecentIndex, Retained, RetainingChunker, RingBuffer, RingError, RingTooSmall, Scanned,
    Size, Span, Step, StreamingChunker,
};

/// Says of every type at once what it takes instead of what it should.
macro_rules! assert_sizes {
    ($($type:ty: $expected:expr,)*) => {
        let found = [$((stringify!($type), size_of::<$type>())),*];
        let expected = [$((stringify!($type), $expected)),*];
        assert_eq!(found, expected);
    };
}

/// Four shifts of each word on x86-64, one elsewhere.
const GEAR_TABLE: usize = if cfg!(target_arch = "x86_64") { 8208 } else { 2064 };

/// Besides the memory lent to them.
#[test]
fn of_what_lives_as_long_as_a_stream() {
    assert_sizes! {
        ChunkHasher: 1920,
        Compressor<'_>: 48,
        Cutter<'_>: 56,
        GearTable: GEAR_TABLE,
        IdKey: 32,
        NoIndex: 0,
        NoSource: 0,
        PackSink<'_, ()>: 328,
        PackSink<'_, &mut ()>: 336,
        Packer<'_>: 312,
        Reader<'_>: 440,
        RecentIndex<1>: 48,
        RecentIndex<16>: 528,
        RecentIndex<256>: 8208,
        RetainingChunker<'_, '_>: 2048,
        RingBuffer<'_>: 32,
        StreamingChunker<'_>: 1992,
        Writer: 96,
    }
}

#[test]
fn of_values() {
    assert_sizes! {
        BlockLen: 1,
        Chunk: 48,
        ChunkId: 32,
        ChunkParams: 16,
        ChunkerId: 2,
        Compression: 2,
        GearKind: 16,
        Pieces<'_>: 112,
        ReadStep<'_>: 72,
        Reference: 48,
        Retained<'_>: 80,
        Scanned: 16,
        Size: 1,
        Span<'_>: 72,
        Step<'_>: 88,
        Stored: 8,
        StreamHeader: 56,
        Summary: 32,
        Totals: 24,
        VerifiedChunk<'_>: 64,
    }
}

/// With devices whose errors take no memory.
#[test]
fn of_errors() {
    assert_sizes! {
        CompressorError: 24,
        IngestError<(), WriteError<()>>: 24,
        PackError: 40,
        PackErrorKind: 24,
        ParamError: 12,
        ParseHexError: 16,
        ReadError<()>: 16,
        RestoreError<(), (), ()>: 40,
        RingError: 24,
        RingTooSmall: 16,
        Stopped<IngestError<(), WriteError<()>>>: 56,
        Stopped<RestoreError<(), (), ()>>: 72,
        WriteError<()>: 16,
    }
}

/// The types that hold a stream's state say in their docs what they take. Here is what they say, word for word.
#[test]
fn docs_say_so() {
    let documented = [
        (include_str!("../../core/src/chunk.rs"), "Chunk", size_of::<Chunk>()),
        (include_str!("../../core/src/cutter.rs"), "Cutter", size_of::<Cutter<'_>>()),
        (include_str!("../../core/src/gear/mod.rs"), "GearTable", 8208),
        (include_str!("../../core/src/hasher.rs"), "ChunkHasher", size_of::<ChunkHasher>()),
        (include_str!("../../core/src/id.rs"), "ChunkId", size_of::<ChunkId>()),
        (include_str!("../../core/src/id.rs"), "IdKey", size_of::<IdKey>()),
        (include_str!("../../core/src/pack/layout.rs"), "StreamHeader", size_of::<StreamHeader>()),
        (include_str!("../../core/src/pack/lz4.rs"), "Compressor", size_of::<Compressor<'_>>()),
        (include_str!("../../core/src/pack/packer.rs"), "Packer", size_of::<Packer<'_>>()),
        (include_str!("../../core/src/pack/reader/mod.rs"), "Reader", size_of::<Reader<'_>>()),
        (include_str!("../../core/src/pack/writer.rs"), "Writer", size_of::<Writer>()),
        (include_str!("../../core/src/params.rs"), "ChunkParams", size_of::<ChunkParams>()),
        (include_str!("../../core/src/retaining.rs"), "RetainingChunker", size_of::<RetainingChunker<'_, '_>>()),
        (include_str!("../../core/src/ring.rs"), "RingBuffer", size_of::<RingBuffer<'_>>()),
        (include_str!("../../core/src/streaming.rs"), "StreamingChunker", size_of::<StreamingChunker<'_>>()),
    ];
    for (source, name, size) in documented {
        let said = format!("Takes {} bytes", with_commas(size));
        assert!(docs_of(source, name).contains(&said), "the docs of {name} should say: {said}");
    }
    let table = include_str!("../../core/src/lib.rs");
    for (name, size) in [
        ("ChunkHasher", size_of::<ChunkHasher>()),
        ("Cutter", size_of::<Cutter<'_>>()),
        ("GearTable", 8208),
        ("StreamingChunker", size_of::<StreamingChunker<'_>>()),
    ] {
        let row = table.lines().find(|line| line.starts_with(&format!("//! | [`{name}`]"))).unwrap();
        assert!(row.contains(&format!("| {} ", with_commas(size))), "{row}");
    }
}

/// The comment above a struct, attributes among it.
fn docs_of(source: &str, name: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let is_start = |line: &&str| {
        line.strip_prefix("pub struct ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with(['<', ' ', '(', ';']))
    };
    let at = lines.iter().position(is_start).unwrap_or_else(|| panic!("no struct {name}"));
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
    above.copied().collect::<Vec<_>>().join("\n")
}

fn with_commas(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}
