//! References whose content the caller brings: it is checked as a payload is, and errors are those of the reference.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use chunkmill_core::IdKey;
use chunkmill_core::pack::{PackError, PackErrorKind, ReadStep, Reader};
use chunkmill_tests::pack_reading::{Given, Reading};
use chunkmill_tests::pack_writing::{Put, Recipe, every_kind, given};
use chunkmill_tests::plain_pack::Parts;

fn contents() -> Vec<Vec<u8>> {
    let referred = |put: &Put| matches!(put, Put::Refer(_)).then(|| put.bytes().to_vec());
    every_kind().iter().filter_map(referred).collect()
}

fn read(source: Option<Vec<Vec<u8>>>, at_most: usize) -> (Vec<Given>, Result<u64, PackError>) {
    let pack = Recipe::small().pack(&every_kind());
    let outcome = Reading { source, at_most, ..Reading::new(Recipe::small().key) }.read(&pack);
    (outcome.given, outcome.ended.map(|totals| totals.records))
}

/// Each reference, and then the chunk that it stands for, at its place in the restored stream.
#[test]
fn content_comes_out_as_a_chunk() {
    let mut expected = Vec::new();
    for (put, given) in every_kind().iter().zip(given(&every_kind(), &Recipe::small().key)) {
        let chunk = given.chunk;
        let is_reference = given.bytes.is_none();
        expected.push(given);
        if is_reference {
            expected.push(Given { chunk, bytes: Some(put.bytes().to_vec()) });
        }
    }
    for at_most in [usize::MAX, 5] {
        assert_eq!(read(Some(contents()), at_most), (expected.clone(), Ok(every_kind().len() as u64)));
    }
}

/// Not to be had, or other bytes of the same length.
#[test]
fn content_that_is_not_there_or_another() {
    let offset = Parts::of(&Recipe::small().pack(&every_kind())).offset(3);
    let error = PackError { kind: PackErrorKind::Reference, record: 3, offset: offset as u64 };
    let mut sources = vec![vec![]];
    for at in [0, 250, 499] {
        let mut wrong = contents();
        wrong[0][at] ^= 1;
        sources.push(wrong);
    }
    for source in sources {
        let (chunks, ended) = read(Some(source), usize::MAX);
        assert_eq!(ended, Err(error));
        assert_eq!(
            chunks,
            given(&every_kind(), &Recipe::small().key)[..4],
            "the reference is the last that is told of"
        );
    }
}

/// Content that was brought in part only is none, even if the bytes that were there before are the right ones.
#[test]
fn content_brought_in_part() {
    let recipe = Recipe::small();
    let chunk = b"the same chunk twice".to_vec();
    let pack = recipe.pack(&[Put::Store(chunk.clone()), Put::Refer(chunk.clone())]);
    for brought in 0..=chunk.len() {
        let (mut memory, mut block) = ([0; 4096], [0; 1024]);
        let mut reader = Reader::new(&IdKey::from_bytes(recipe.key), &mut memory, &mut block);
        let mut input = &pack[..];
        let ended = loop {
            match reader.step() {
                Ok(ReadStep::NeedInput) => {
                    let window = reader.window();
                    let (piece, rest) = input.split_at(window.len());
                    window.copy_from_slice(piece);
                    input = rest;
                    reader.commit(piece.len());
                }
                Ok(ReadStep::Header(_) | ReadStep::Chunk(_)) => {}
                Ok(ReadStep::Reference(reference)) => {
                    assert_eq!((reference.chunk.offset, reference.chunk.len), (20, 20));
                    // The chunk stored before still lies in this memory.
                    assert_eq!(reader.window(), chunk);
                    let offset = reader.offset();
                    reader.commit(brought);
                    assert_eq!(reader.window().len(), chunk.len() - brought);
                    assert_eq!(reader.offset(), offset, "content is no part of the stream");
                }
                Ok(ReadStep::End(totals)) => break Ok(totals.records),
                Err(error) => break Err((error.kind, error.record)),
            }
        };
        let expected = if brought == chunk.len() { Ok(2) } else { Err((PackErrorKind::Reference, 1)) };
        assert_eq!(ended, expected, "{brought} bytes");
    }
}
