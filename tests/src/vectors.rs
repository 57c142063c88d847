//! Golden vectors: what is in `tests/vectors/`, and the text of it as code computes it now.
//!
//! `cargo run -p chunkmill-tests --example vectors` writes the files. No test does.

use chunkmill_core::{Chunk, ChunkId, IdKey};
use serde::Serialize;

use crate::data::Data;
use crate::drive::{self, Pushes};
use crate::setup::{KEY, Setup, id_key};

const ABOUT_CUT_POINTS: &str = "Chunks of made-up streams: FastCDC v2020 (chunker 1) and keyed BLAKE3. tests/src/data.rs \
                                says how the bytes of each kind of data are made; gear_seed is XORed into every word of \
                                the published gear table.";
const ABOUT_KEYED_IDS: &str =
    "Keyed BLAKE3 of input_len bytes 0, 1, ..., 250, 0, 1, ... under the key, which is given as text.";

/// What ids are pinned for: around BLAKE3's own blocks, whole trees and their neighbours, and chunks of usual length.
const KEYED_ID_LENS: [usize; 26] = [
    0, 1, 63, 64, 65, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 4096, 8191, 8192, 8193, 16_384, 16_385, 31_744, 65_535,
    65_536, 65_537, 102_400, 524_288, 1_048_577, 2_097_152,
];

#[derive(Serialize)]
struct CutPoints {
    about: &'static str,
    key: &'static str,
    streams: Vec<Stream>,
}

#[derive(Serialize)]
struct Stream {
    data: Data,
    len: usize,
    min: u32,
    avg: u32,
    max: u32,
    level: u8,
    /// As text, since JSON's numbers end at 2^53.
    gear_seed: String,
    lens: Vec<u32>,
    ids: Vec<String>,
}

#[derive(Serialize)]
struct KeyedIds {
    about: &'static str,
    key: &'static str,
    cases: Vec<KeyedId>,
}

#[derive(Serialize)]
struct KeyedId {
    input_len: usize,
    id: String,
}

/// The text of `cut_points.json`, with chunks as `chunks` finds them.
pub fn cut_points(chunks: impl Fn(&Setup, &[u8]) -> Vec<Chunk>) -> String {
    let streams = streams()
        .into_iter()
        .map(|(setup, data, len)| {
            let chunks = chunks(&setup, &data.bytes(len));
            Stream {
                data,
                len,
                min: setup.params.min(),
                avg: setup.params.avg(),
                max: setup.params.max(),
                level: setup.params.level(),
                gear_seed: format!("{:#018x}", setup.seed),
                lens: chunks.iter().map(|chunk| chunk.len).collect(),
                ids: chunks.iter().map(|chunk| chunk.id.to_string()).collect(),
            }
        })
        .collect();
    to_text(&CutPoints { about: ABOUT_CUT_POINTS, key: key_text(), streams })
}

/// The text of `keyed_ids.json`, with ids as `id` makes them.
pub fn keyed_ids(id: impl Fn(&IdKey, &[u8]) -> ChunkId) -> String {
    let cases = KEYED_ID_LENS
        .into_iter()
        .map(|input_len| {
            let id = id(&id_key(), &Data::Painted.bytes(input_len)).to_string();
            KeyedId { input_len, id }
        })
        .collect();
    to_text(&KeyedIds { about: ABOUT_KEYED_IDS, key: key_text(), cases })
}

/// The chunks of `data` as chunkmill's core finds them.
pub fn chunks_of_core(setup: &Setup, data: &[u8]) -> Vec<Chunk> {
    drive::chunk(&mut setup.chunker(&setup.gear()), data, &Pushes::Whole)
}

/// Few chunks each: every kind of data, level and kind of seed is there once, and each end a stream can have.
fn streams() -> Vec<(Setup, Data, usize)> {
    let smallest = (64, 256, 1024);
    let default = (512 << 10, 2 << 20, 8 << 20);
    let random = |seed| Data::Random { seed };
    vec![
        (Setup::new(smallest, 0, 0), random(1), 4000),
        (Setup::new(smallest, 1, 0), random(1), 4000),
        (Setup::new(smallest, 2, 666), random(1), 4000),
        (Setup::new(smallest, 3, u64::MAX), random(1), 4000),
        (Setup::new(smallest, 1, 0), Data::Constant { byte: 0 }, 0),
        (Setup::new(smallest, 1, 0), Data::Constant { byte: 0 }, 1),
        (Setup::new(smallest, 1, 0), Data::Constant { byte: 0 }, 2049),
        (Setup::new((1024, 1024, 1024), 1, 0), random(2), 4097),
        (Setup::new((128, 1500, 6000), 1, 0), Data::Painted, 15_000),
        (Setup::new((64, 1448, 6000), 1, 0), random(2), 15_000),
        (Setup::new((64, 1450, 6000), 1, 0), random(2), 15_000),
        (Setup::new((1024, 4096, 16_384), 1, 0), Data::Words { seed: 3 }, 60_000),
        (Setup::new((1024, 4096, 16_384), 2, 0x0123_4567_89ab_cdef), Data::Mixed { seed: 4 }, 60_000),
        (Setup::new((4096, 12_288, 49_152), 1, 0), Data::Periodic { period: 20_011, seed: 5 }, 150_000),
        (Setup::new((8192, 24_576, 98_304), 1, 0), random(6), 300_000),
        (Setup::new((16 << 10, 64 << 10, 256 << 10), 1, 0), random(7), 1_000_000),
        (Setup::new(default, 1, 0), random(8), 12_000_001),
        (Setup::new((1 << 20, 4 << 20, 16 << 20), 3, 1 << 63), random(9), 20_000_000),
    ]
}

fn key_text() -> &'static str {
    str::from_utf8(&KEY).expect("the key of the tests is text")
}

fn to_text(vectors: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(vectors).expect("no map with odd keys is in the vectors");
    text.push('\n');
    text
}
