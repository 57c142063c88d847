//! Writes the golden vectors as a firmware takes them, which has no JSON and no memory for whole streams:
//! `cargo run -p chunkmill-tests --example vector_list -- FOLDER` makes `FOLDER/list` and the files that it names.
//! The expectations are those that are committed; nothing is computed here but the streams' bytes.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a program for tests: a panic tells all there is to tell"
)]

use core::fmt::Write;
use std::fs;
use std::path::Path;

use chunkmill_tests::data::Data;
use chunkmill_tests::golden_packs;
use serde_json::Value;

fn main() {
    let folder = std::env::args_os().nth(1).expect("usage: vector_list FOLDER");
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).unwrap();
    let mut list = String::new();
    keyed_ids(&mut list);
    blake3_vectors(&mut list);
    cut_points(&mut list, folder);
    packs(&mut list, folder);
    list.push_str("end\n");
    fs::write(folder.join("list"), list).unwrap();
}

fn keyed_ids(list: &mut String) {
    let vectors = parsed(include_str!("../vectors/keyed_ids.json"));
    key(list, &vectors);
    for case in vectors["cases"].as_array().unwrap() {
        writeln!(list, "id {} {}", case["input_len"], text(&case["id"])).unwrap();
    }
}

fn blake3_vectors(list: &mut String) {
    let vectors = parsed(include_str!("../vectors/blake3_keyed.json"));
    key(list, &vectors);
    for case in vectors["cases"].as_array().unwrap() {
        writeln!(list, "id {} {}", case["input_len"], text(&case["keyed_hash"])).unwrap();
    }
}

fn cut_points(list: &mut String, folder: &Path) {
    let vectors = parsed(include_str!("../vectors/cut_points.json"));
    key(list, &vectors);
    for (index, stream) in vectors["streams"].as_array().unwrap().iter().enumerate() {
        let file = format!("stream{index}");
        let len = usize::try_from(stream["len"].as_u64().unwrap()).unwrap();
        fs::write(folder.join(&file), data(&stream["data"]).bytes(len)).unwrap();
        let seed = u64::from_str_radix(text(&stream["gear_seed"]).trim_start_matches("0x"), 16).unwrap();
        let [min, avg, max, level] = ["min", "avg", "max", "level"].map(|name| stream[name].as_u64().unwrap());
        writeln!(list, "cut {min} {avg} {max} {level} {seed} {file}").unwrap();
        let (lens, ids) = (stream["lens"].as_array().unwrap(), stream["ids"].as_array().unwrap());
        assert_eq!(lens.len(), ids.len());
        for (len, id) in lens.iter().zip(ids) {
            writeln!(list, "chunk {len} {}", text(id)).unwrap();
        }
        list.push_str("ended\n");
    }
}

fn packs(list: &mut String, folder: &Path) {
    let listing = parsed(include_str!("../vectors/packs.json"));
    key(list, &listing);
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/packs");
    for golden in golden_packs::all() {
        let stream = format!("{}.stream", golden.file);
        fs::copy(committed.join(golden.file), folder.join(golden.file)).unwrap();
        fs::write(folder.join(&stream), golden.stream()).unwrap();
        writeln!(list, "pack {} {stream}", golden.file).unwrap();
    }
}

fn key(list: &mut String, vectors: &Value) {
    writeln!(list, "key {}", golden_packs::hex(text(&vectors["key"]).as_bytes())).unwrap();
}

fn data(value: &Value) -> Data {
    let number = |name: &str| value[name].as_u64().unwrap();
    match text(&value["kind"]) {
        "constant" => Data::Constant { byte: u8::try_from(number("byte")).unwrap() },
        "mixed" => Data::Mixed { seed: number("seed") },
        "painted" => Data::Painted,
        "periodic" => Data::Periodic { period: usize::try_from(number("period")).unwrap(), seed: number("seed") },
        "random" => Data::Random { seed: number("seed") },
        "words" => Data::Words { seed: number("seed") },
        other => panic!("{other} is new"),
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
