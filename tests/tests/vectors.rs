//! The committed vectors are what this code computes, byte for byte, and what the oracles compute.

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

use chunkmill_core::{Chunk, ChunkHasher, IdKey};
use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::setup::Setup;
use chunkmill_tests::{oracle, vectors};
use serde::Deserialize;

const CUT_POINTS: &str = include_str!("../vectors/cut_points.json");
const KEYED_IDS: &str = include_str!("../vectors/keyed_ids.json");
const BLAKE3_KEYED: &str = include_str!("../vectors/blake3_keyed.json");

#[test]
fn cut_points_are_the_committed_ones() {
    assert_committed(&vectors::cut_points(vectors::chunks_of_core), CUT_POINTS, "cut_points.json");
}

#[test]
fn cut_points_do_not_depend_on_pushes() {
    let in_pieces = |setup: &Setup, data: &[u8]| -> Vec<Chunk> {
        drive::chunk(&mut setup.chunker(&setup.gear()), data, &Pushes::Of(1021))
    };
    assert_committed(&vectors::cut_points(in_pieces), CUT_POINTS, "cut_points.json");
}

#[test]
fn cut_points_are_those_of_the_oracle() {
    assert_committed(&vectors::cut_points(oracle::chunks), CUT_POINTS, "cut_points.json");
}

#[test]
fn keyed_ids_are_the_committed_ones() {
    assert_committed(&vectors::keyed_ids(|key, bytes| key.id_of(bytes)), KEYED_IDS, "keyed_ids.json");
}

/// The incremental hasher, fed in spans that are aligned to nothing.
#[test]
fn keyed_ids_do_not_depend_on_spans() {
    for pushes in [Pushes::Of(1), Pushes::Of(1023), Pushes::Of(4096), Pushes::Random(90)] {
        let in_spans = |key: &IdKey, bytes: &[u8]| {
            let mut hasher = ChunkHasher::new(key);
            pushes.split(bytes, |span| hasher.update(span));
            hasher.finish()
        };
        assert_committed(&vectors::keyed_ids(in_spans), KEYED_IDS, "keyed_ids.json");
    }
}

/// The vectors that BLAKE3's authors publish. No code of this project writes that file.
#[test]
fn ids_are_those_blake3_publishes() {
    #[derive(Deserialize)]
    struct Published {
        key: String,
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        input_len: usize,
        keyed_hash: String,
    }

    let published: Published = serde_json::from_str(BLAKE3_KEYED).unwrap();
    let key = IdKey::from_bytes(published.key.as_bytes().try_into().unwrap());
    assert_eq!(published.cases.len(), 22);
    let mut hasher = ChunkHasher::new(&key);
    for case in published.cases {
        let input = Data::Painted.bytes(case.input_len);
        assert_eq!(key.id_of(&input).to_string(), case.keyed_hash, "{} bytes", case.input_len);
        Pushes::Random(91).split(&input, |span| hasher.update(span));
        assert_eq!(hasher.finish().to_string(), case.keyed_hash, "{} bytes in spans", case.input_len);
    }
}

fn assert_committed(text: &str, committed: &str, name: &str) {
    let Some(line) = first_difference(text, committed) else { return };
    panic!(
        "tests/vectors/{name} differs from what was computed, first in line {}:\n  committed: {}\n  computed:  {}\n\
         A changed cut point or id means that stored chunks are no longer found again. If it is meant to change, write the \
         file anew with\n  cargo run -p chunkmill-tests --example vectors\nand say why in the commit.",
        line + 1,
        committed.lines().nth(line).unwrap_or("(no such line)"),
        text.lines().nth(line).unwrap_or("(no such line)"),
    );
}

fn first_difference(text: &str, committed: &str) -> Option<usize> {
    if text == committed {
        return None;
    }
    let same = text.lines().zip(committed.lines()).take_while(|(computed, committed)| computed == committed);
    Some(same.count())
}
