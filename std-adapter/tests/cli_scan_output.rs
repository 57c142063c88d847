//! What `scan` prints: each format to the byte, and the numbers of the summary.

#![cfg(feature = "cli")]
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

mod common;

use std::fs::File;

use chunkmill::core::{Chunk, ChunkParams, IdKey};

use common::{Place, SMALL, chunks, json_lines, noise, small_chunks};

fn scan<'w>(format: &'w str, more: &[&'w str]) -> Vec<&'w str> {
    [&["scan", "--format", format], &SMALL[..], more].concat()
}

#[test]
fn jsonl_to_the_byte() {
    let place = Place::new();
    let content = noise(1, 40_000);
    place.file("a/b", &content);
    let found = small_chunks(&content);
    let finished = place.run(scan("jsonl", &["a/b", "--threads", "3"])).exits(0);

    let (lines, last) = finished.out().trim_end_matches('\n').rsplit_once('\n').unwrap();
    assert_eq!(format!("{lines}\n"), json_lines("a/b", &found));
    let count = found.len();
    let known = format!(
        "{{\"summary\":{{\"files\":1,\"bytes\":40000,\"chunks\":{count},\"unique_chunks\":{count},\
         \"unique_bytes\":40000,\"wall_s\":"
    );
    assert!(last.starts_with(&known), "{last}");
    assert!(last.contains(",\"threads\":3,\"peak_rss_bytes\":"), "{last}");
    assert!(last.ends_with(",\"errors\":0}}"), "{last}");
    assert!(finished.out().ends_with("}}\n"));
}

#[test]
fn the_fields_of_the_summary_keep_their_order() {
    let place = Place::new();
    place.file("f", noise(2, 10_000));
    let finished = place.run(scan("jsonl", &["f"])).exits(0);
    let last = finished.out().lines().last().unwrap();
    // No value is a text, so every other text between quotes is a name.
    let names: Vec<_> = last.split('"').skip(1).step_by(2).collect();
    let expected = "summary files bytes chunks unique_chunks unique_bytes wall_s cpu_s cpu_s_per_gib threads \
                    peak_rss_bytes errors";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn the_numbers_of_the_summary_agree() {
    let place = Place::new();
    place.file("f", noise(3, 3 << 20));
    let summary = place.run(["scan", "--format", "jsonl", "f"]).exits(0).summary();
    let number = |name: &str| summary[name].as_f64().unwrap();
    assert!(number("wall_s") > 0.0);
    assert!(number("cpu_s") > 0.0);
    let per_gib = number("cpu_s") * f64::from(1 << 30) / f64::from(3 << 20);
    assert!((number("cpu_s_per_gib") / per_gib - 1.0).abs() < 1e-6, "{summary}");
    assert!(summary["peak_rss_bytes"].as_u64().unwrap() > 256 << 10);
    for whole in ["files", "bytes", "chunks", "unique_chunks", "unique_bytes", "threads", "peak_rss_bytes", "errors"] {
        assert!(summary[whole].is_u64(), "{whole}");
    }
}

#[test]
fn csv_to_the_byte() {
    let place = Place::new();
    let content = noise(4, 20_000);
    place.file("a/b", &content);
    let finished = place.run(scan("csv", &["a/b"])).exits(0);
    let row = |chunk: &Chunk| format!("a/b,{},{},{}\n", chunk.offset, chunk.len, chunk.id);
    let rows: String = small_chunks(&content).iter().map(row).collect();
    assert_eq!(finished.out(), format!("path,offset,length,id\n{rows}"));
}

#[test]
fn csv_without_a_chunk_is_the_header() {
    let place = Place::new();
    place.file("empty", "");
    assert_eq!(place.run(["scan", "--format", "csv", "empty"]).exits(0).out(), "path,offset,length,id\n");
}

/// The label and the value of each row of the table.
fn rows(table: &str) -> Vec<(&str, &str)> {
    table.lines().map(|line| (line[..15].trim_end(), &line[16..])).collect()
}

#[test]
fn the_table_has_all_totals() {
    let place = Place::new();
    let content = noise(5, 30_000);
    let found = small_chunks(&content);
    place.file("one", &content);
    place.file("two", &content);
    let finished = place.run([&["scan"], &SMALL[..], &["one", "two", "--threads", "3"]].concat()).exits(0);
    let rows = rows(finished.out());

    let labels: Vec<_> = rows.iter().map(|(label, _)| *label).collect();
    let expected = [
        "files",
        "bytes",
        "chunks",
        "unique chunks",
        "unique bytes",
        "dedup saving",
        "chunk size",
        "wall",
        "CPU",
        "CPU per GiB",
        "speed",
        "threads",
        "peak RSS",
    ];
    assert_eq!(labels, expected);
    let value = |label: &str| rows.iter().find(|(found, _)| *found == label).unwrap().1;
    assert_eq!(value("files"), "2");
    assert!(value("bytes").starts_with("60000 ("));
    assert_eq!(value("chunks"), (found.len() * 2).to_string());
    assert_eq!(value("unique chunks"), found.len().to_string());
    assert!(value("unique bytes").starts_with("30000 ("));
    assert_eq!(value("dedup saving"), "50.0 %");
    let lens = || found.iter().map(|chunk| chunk.len);
    let mean = 30_000.0 / found.len() as f64;
    let sizes = format!("min {}, mean {mean:.0}, max {}", lens().min().unwrap(), lens().max().unwrap());
    assert_eq!(value("chunk size"), sizes);
    assert!(value("wall").ends_with(" s"));
    assert!(value("CPU").ends_with(" CPU-s"));
    assert!(value("CPU per GiB").ends_with(" CPU-s/GiB"));
    assert!(value("speed").ends_with(" MB/s"));
    assert_eq!(value("threads"), "3");
}

#[test]
fn the_table_of_nothing_divides_by_nothing() {
    let place = Place::new();
    place.file("empty", "");
    let finished = place.run(["scan", "empty"]).exits(0);
    assert!(!finished.out().contains("NaN") && !finished.out().contains("inf"), "{}", finished.out());
    assert!(rows(finished.out()).contains(&("dedup saving", "0.0 %")));
    assert!(rows(finished.out()).iter().all(|(label, _)| *label != "chunk size"));
}

#[test]
fn human_is_the_default() {
    let place = Place::new();
    place.file("f", "content");
    let labels = |words: &[&str]| {
        let finished = place.run(words).exits(0);
        rows(finished.out()).iter().map(|(label, _)| (*label).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(labels(&["scan", "f"]), labels(&["scan", "f", "--format", "human"]));
}

#[test]
fn chunks_are_listed_before_the_table_on_demand() {
    let place = Place::new();
    let content = noise(6, 5_000);
    let found = small_chunks(&content);
    place.file("f", &content);
    let finished = place.run([&["scan", "--chunks", "f"], &SMALL[..]].concat()).exits(0);
    let lines: Vec<_> = finished.out().lines().collect();
    for (line, chunk) in lines.iter().zip(&found) {
        let columns: Vec<_> = line.split_whitespace().collect();
        assert_eq!(columns, [&chunk.offset.to_string(), &chunk.len.to_string(), &chunk.id.to_string(), "f"]);
    }
    assert_eq!(lines[found.len()], "");
    assert!(lines[found.len() + 1].starts_with("files "));
    assert_eq!(lines.len(), found.len() + 1 + 13);
}

#[test]
fn listing_chunks_is_what_csv_does_anyway() {
    let place = Place::new();
    place.file("f", noise(7, 5_000));
    let (plain, chunks) = (place.run(scan("csv", &["f"])), place.run(scan("csv", &["f", "--chunks"])));
    assert_eq!(plain.exits(0).out(), chunks.exits(0).out());
}

#[test]
fn repeats_are_found_within_and_across_files() {
    let place = Place::new();
    let content = noise(8, 20_000);
    // Ones alone never meet a mask, so these are 10 chunks of the largest size.
    place.file("a", vec![1; 10 * 1024]);
    place.file("b", &content);
    place.file("c", &content);
    let summary = place.run(scan("jsonl", &["a", "b", "c"])).exits(0).summary();
    let found = small_chunks(&content).len();
    assert_eq!(summary["chunks"], 10 + 2 * found);
    assert_eq!(summary["unique_chunks"], 1 + found);
    assert_eq!(summary["bytes"], 10 * 1024 + 40_000);
    assert_eq!(summary["unique_bytes"], 1024 + 20_000);
    assert_eq!(summary["files"], 3);
}

#[test]
fn the_default_sizes_are_those_of_the_library() {
    let place = Place::new();
    let content = noise(9, 20 << 20);
    place.file("f", &content);
    let finished = place.run(["scan", "--format", "jsonl", "f"]).exits(0);
    let found = chunks(&content, ChunkParams::DEFAULT, 0, &IdKey::public());
    assert!(found.len() > 5);
    assert!(finished.out().starts_with(&json_lines("f", &found)));
    assert_eq!(finished.summary()["chunks"], found.len());
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let place = Place::new();
    File::create(place.path("sparse")).unwrap().set_len(64 << 20).unwrap();
    let summary = place.run(["scan", "--format", "jsonl", "sparse"]).exits(0).summary();
    assert_eq!(summary["bytes"], 64 << 20);
    assert_eq!((&summary["chunks"], &summary["unique_chunks"]), (&8.into(), &1.into()));
    let peak = summary["peak_rss_bytes"].as_u64().unwrap();
    assert!(peak <= 16 << 20, "{peak}");
}
