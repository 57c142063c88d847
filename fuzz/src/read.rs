//! Any bytes as a pack: nobody without the key gets further than that something is wrong.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use chunkmill_core::pack::PackErrorKind;
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::pack_writing::{Recipe, every_kind, given};

use crate::library;

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| Recipe::small().pack(&every_kind()));

/// Memory and habits of the reader come first; then, by choice, a whole good pack that the rest is laid over or put behind; the
/// rest is the pack.
pub fn run(input: &[u8]) {
    let _ = read(&mut Unstructured::new(input));
}

fn read(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let mut reading = Reading::new(Recipe::small().key);
    let (chunk_len, block_len): (u16, u16) = input.arbitrary()?;
    let (memory_enough, fill, at_most): (bool, u8, u8) = input.arbitrary()?;
    let (place, at, threads): (u8, u16, u8) = input.arbitrary()?;
    if !memory_enough {
        (reading.chunk_len, reading.block_len) = (usize::from(chunk_len % 5000), usize::from(block_len % 1500));
    }
    reading.fill = fill;
    reading.at_most = usize::from(at_most) + 1;
    let rest = input.bytes(input.len())?.to_vec();
    let good = &GOOD[..];
    let at = usize::from(at) % (good.len() + 1);
    let pack = match place % 4 {
        0 => rest,
        1 => [&good[..at], &rest].concat(),
        2 => [&good[..at], &rest, good.get(at + rest.len()..).unwrap_or_default()].concat(),
        _ => [&good[..at], &rest, &good[at..]].concat(),
    };

    let outcome = reading.read(&pack);
    let truth = given(&every_kind(), &reading.key);
    assert!(truth.starts_with(&outcome.given), "nothing is given that was not packed");
    if outcome.ended.is_ok() {
        // An LZ4 payload may have changed into another that gives the same chunk.
        assert!(outcome.given == truth);
    }
    if memory_enough {
        assert!(!matches!(outcome.ended.map_err(|error| error.kind), Err(PackErrorKind::Buffer { .. })));
        library::assert_reads_the_same(&pack, reading.key, threads, 1 << 20, &outcome);
    }
    Ok(())
}
