//! `bench`: which rows there are, and that their figures belong together. How fast anything is, is no matter here.

#![cfg(feature = "cli")]
#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::float_cmp,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

mod common;

use common::Place;
use serde_json::Value;

const SIZE: u64 = 8 << 20;

fn rows(options: &[&str]) -> Vec<Value> {
    let place = Place::new();
    let options = [&["bench", "--quick", "--size", "8MiB", "--threads", "2", "--json"], options].concat();
    let report: Value = serde_json::from_str(place.run(options).exits(0).out()).unwrap();
    assert_eq!(report["rounds"], 4);
    assert_eq!(report["threads"], 2);
    for said in ["machine", "system", "version"] {
        assert!(report[said].as_str().is_some_and(|text| !text.is_empty()), "{said}");
    }
    assert!(report["instruction_sets"].is_array());
    report["rows"].as_array().unwrap().clone()
}

fn named<'r>(rows: &'r [Value], what: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["what"] == what).collect()
}

#[test]
fn every_row_has_exact_bytes_and_figures_that_belong_together() {
    let rows = rows(&[]);
    for row in &rows {
        let figure = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"));
        let (bytes, wall, cpu) = (figure("bytes"), figure("wall_s"), figure("cpu_s"));
        let expected = match row["section"].as_str().unwrap() {
            "compressing" => SIZE / 8,
            "pipeline" if !row["what"].as_str().unwrap().contains("scan") => SIZE / 4,
            _ => SIZE,
        };
        assert_eq!(bytes, expected as f64, "{row}");
        assert!(wall > 0.0 && cpu > 0.0);
        assert!((figure("mb_per_s") - bytes / 1e6 / wall).abs() < 1e-6 * figure("mb_per_s"), "{row}");
        assert!((figure("cpu_s_per_gib") - cpu / (bytes / f64::from(1 << 30))).abs() < 1e-6 * cpu * 1024.0, "{row}");
        let buffer = row["buffer_bytes"].as_u64().unwrap();
        assert!(buffer > 0 && expected.is_multiple_of(buffer), "{row}");
        if let Some(against) = row.get("against") {
            let base = named(&rows, against["what"].as_str().unwrap());
            assert!(!base.is_empty() || row["section"] == "compressing", "{row}");
            for ratio in ["wall", "cpu"] {
                let ratio = |name: &str| against[ratio][name].as_f64().unwrap();
                assert!(0.0 < ratio("least") && ratio("least") <= ratio("median"));
                assert!(ratio("median") <= ratio("greatest"));
            }
        }
    }
}

#[test]
fn the_peers_stand_beside_ours() {
    let rows = rows(&[]);
    for (what, count) in [
        ("fastcdc, slice", 2),
        ("fastcdc, stream", 2),
        ("chunkmill, slice", 2),
        ("BLAKE3 keyed", 4),
        ("BLAKE3 update_rayon", 4),
        ("BLAKE2b-256 keyed", 4),
        ("HMAC-SHA-256", 4),
        ("LZ4 blocks, lz4_flex", 2),
        ("LZ4 decompress, lz4_flex", 2),
        ("scan: StreamCDC, BLAKE3", 2),
        ("scan: StreamCDC, BLAKE2b-256", 2),
        ("chunkmill scan", 4),
        ("chunkmill pack", 2),
        ("chunkmill verify", 2),
    ] {
        assert_eq!(named(&rows, what).len(), count, "{what}");
    }
    // As the program itself would do it: helpers from the gate on, and none below.
    let threads: Vec<u64> =
        named(&rows, "chunkmill, behind its gate").iter().map(|row| row["threads"].as_u64().unwrap()).collect();
    assert_eq!(threads, [2, 2, 2, 1]);
}

#[test]
fn sections_can_be_chosen() {
    for (option, section) in [("--chunking", "chunking"), ("--hashing", "hashing"), ("--compressing", "compressing")] {
        let rows = rows(&[option]);
        assert!(!rows.is_empty() && rows.iter().all(|row| row["section"] == section), "{option}");
    }
    let two = rows(&["--chunking", "--compressing"]);
    assert!(
        two.iter().any(|row| row["section"] == "chunking") && two.iter().any(|row| row["section"] == "compressing")
    );
}

#[test]
fn people_get_a_table() {
    let place = Place::new();
    let finished = place.run(["bench", "--quick", "--size", "8MiB", "--chunking"]).exits(0);
    let out = finished.out();
    assert!(out.contains("CPU-s/GiB") && out.contains("4 rounds"), "{out}");
    let row = out.lines().find(|line| line.starts_with("chunkmill, slice")).unwrap();
    assert!(row.contains(" 8388608 ") && row.ends_with('x'), "{row}");
    assert!(out.lines().all(|line| line.chars().count() <= 132), "{out}");
}

#[test]
fn sizes_that_do_not_divide_are_refused() {
    let place = Place::new();
    for size in ["0", "1MiB", "9MiB"] {
        place.run(["bench", "--quick", "--size", size]).exits(2).says(1, &["--size", "multiple of 8MiB"]);
    }
    place.run(["bench", "--size", "8MiB"]).exits(2).says(1, &["multiple of 16MiB"]);
}

#[test]
fn a_folder_for_files_that_is_not_there_is_named() {
    let place = Place::new();
    let mut program = place.program(["bench", "--quick", "--size", "8MiB", "--pipeline"]);
    program.env("TMPDIR", place.path("missing"));
    // Without optimisation it says that first.
    let messages = 1 + usize::from(cfg!(debug_assertions));
    common::run(&mut program).exits(3).says(messages, &["missing", "No such file"]);
}
