//! LZ4 of text and of random bytes in memory.

use core::error::Error;
use core::fmt;

use chunkmill::core::pack::{BlockLen, CompressTable, Compressor};
use chunkmill_measure::data::Data;
use chunkmill_measure::harness::Subject;

use super::Setup;
use super::report::{Report, Row};
use crate::failure::Failure;

/// LZ4 looks back 64 KiB: longer buffers change nothing.
const BUFFER: usize = 256 << 10;

/// Text takes far longer to compress than to cut, so there is less of it.
const SHARE: usize = 8;

/// Bytes that came out: all work of a kind must agree on them.
#[derive(Clone, Copy, PartialEq)]
struct Len(usize);

impl fmt::Display for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

pub(super) fn rows(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let part = setup.part.checked_div(SHARE).unwrap_or(0);
    for data in [Data::Text, Data::Random] {
        let bytes = data.bytes(1, part);
        let packed: Vec<Vec<u8>> = bytes.chunks(BUFFER).map(lz4_flex::compress).collect();
        let row = |what: &str, stored: Option<usize>| {
            let share = stored.and_then(|stored| stored.saturating_mul(100).checked_div(part));
            Row {
                section: "compressing",
                what: what.to_owned(),
                parameters: share.map_or(data.to_string(), |share| format!("{data}, {share} %")),
                buffer_bytes: BUFFER,
                threads: 1,
                part,
            }
        };
        let stored: usize = packed.iter().map(Vec::len).sum();
        let ours = frames(&bytes)?.0;
        let rows = vec![
            (row("LZ4 blocks, lz4_flex", Some(stored)), Subject::new("LZ4 blocks", || Ok(blocks(&bytes)))),
            (
                row("chunkmill, LZ4 frames or raw", Some(ours)),
                Subject::new("LZ4 frames", || Ok(frames(&bytes).map_err(|error| error.to_string())?)).with_own_result(),
            ),
        ];
        setup.measure(report, rows)?;
        let rows = vec![(row("LZ4 decompress, lz4_flex", None), Subject::new("decompress", || decompressed(&packed)))];
        setup.measure(report, rows)?;
    }
    Ok(())
}

fn blocks(bytes: &[u8]) -> Len {
    Len(bytes.chunks(BUFFER).map(|chunk| lz4_flex::compress(chunk).len()).sum())
}

/// As `pack` does it: what does not gain is given up early, and stored as it is.
fn frames(bytes: &[u8]) -> Result<Len, Failure> {
    let mut table = CompressTable::large();
    let mut room = vec![0; Compressor::room_for(BlockLen::MAX, BUFFER)];
    let mut stored = 0usize;
    for chunk in bytes.chunks(BUFFER) {
        let frame = Compressor::compress_into(BlockLen::MAX, &mut table, chunk, &mut room);
        let frame = frame.map_err(|error| Failure::Io(format!("cannot compress: {error}")))?;
        stored = stored.saturating_add(frame.unwrap_or(chunk.len()));
    }
    Ok(Len(stored))
}

fn decompressed(packed: &[Vec<u8>]) -> Result<Len, Box<dyn Error>> {
    let mut len = 0usize;
    for block in packed {
        len = len.saturating_add(lz4_flex::decompress(block, BUFFER)?.len());
    }
    Ok(Len(len))
}
