//! `calibrate`: what it writes, what it keeps, and who uses it. What it decides is tested where it does.

#![cfg(feature = "cli")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

mod common;

use std::fs;

use common::{Finished, Place, noise, run};
use serde_json::Value;

fn calibrated(place: &Place) -> Finished {
    place.run(["calibrate", "--quick", "--runs", "1", "--threads", "2", "--json", "found.json"]).exits(0)
}

fn json(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(name)).unwrap()).unwrap()
}

#[test]
fn every_length_is_measured_and_each_objective_has_its_line() {
    let place = Place::new();
    let finished = calibrated(&place);
    let out = finished.out();
    for objective in ["wall", "balanced", "cpu"] {
        assert_eq!(
            out.lines().filter(|line| line.starts_with(&format!("--threads 2 --objective {objective} "))).count(),
            1,
            "{out}"
        );
    }
    let found = json(&place, "found.json");
    let points = found["sweeps"][0]["points"].as_array().unwrap();
    assert!(points.len() >= 34, "{}", points.len());
    for bytes in [16 << 10, (16 << 10) + 777, 1 << 20, 4 << 20] {
        assert!(points.iter().any(|point| point["bytes"] == bytes), "{bytes}");
    }
    assert!(points.iter().all(|point| point["speed"].as_f64().unwrap() > 0.0 && point["cpu"].as_f64().unwrap() > 0.0));
    assert!(finished.err().contains("measured again"), "{}", finished.err());
}

/// A file that was written gives the same page, and the same file, as often as it is read.
#[test]
fn figures_can_be_shown_again() {
    let place = Place::new();
    let first = calibrated(&place);
    for _ in 0..2 {
        let again = place.run(["calibrate", "--from-json", "found.json", "--json", "copy.json"]).exits(0);
        assert_eq!(again.out(), first.out());
        assert_eq!(fs::read(place.path("copy.json")).unwrap(), fs::read(place.path("found.json")).unwrap());
    }
}

/// The same picture and page from the same figures, well-formed, with every figure in it and nothing from elsewhere.
#[test]
fn pictures_and_pages_are_made_of_the_figures() {
    let place = Place::new();
    calibrated(&place);
    let made = |name: &str| {
        let (svg, html) = (format!("{name}.svg"), format!("{name}.html"));
        place.run(["calibrate", "--from-json", "found.json", "--svg", &svg, "--html", &html]).exits(0);
        [svg, html].map(|name| fs::read_to_string(place.path(name)).unwrap())
    };
    let [svg, html] = made("one");
    assert_eq!(made("two"), [svg.clone(), html.clone()]);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let words: Vec<&str> = document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for word in
        ["Speed: higher is better, 2 threads", "CPU time: lower is better, 2 threads", "whole KiB", "with an odd tail"]
    {
        assert!(words.contains(&word), "{word}");
    }
    assert!(html.contains(&svg) && html.contains("prefers-color-scheme: dark"));
    for point in json(&place, "found.json")["sweeps"][0]["points"].as_array().unwrap() {
        let row = format!(
            "<tr><td>{}<td>{:.2}x<td>{:.2}x",
            point["bytes"],
            point["speed"].as_f64().unwrap(),
            point["cpu"].as_f64().unwrap()
        );
        assert!(html.contains(&row), "{row}");
    }
    assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"));
    // Nothing was measured, so there is nothing to draw.
    let refused = place.run(["calibrate", "--threads", "1", "--svg", "none.svg"]).exits(2);
    assert!(refused.err().contains("--svg"), "{}", refused.err());
}

#[test]
fn what_is_no_calibration_is_refused() {
    let place = Place::new();
    calibrated(&place);
    let mut later = json(&place, "found.json");
    later["version"] = 1.into();
    place.file("later.json", later.to_string());
    place.file("other.json", "{\"version\":2}");
    place.file("text.json", "text");
    for (name, word) in [("later.json", "version 2"), ("other.json", "missing field"), ("text.json", "expected ident")]
    {
        place.run(["calibrate", "--from-json", name]).exits(2).says(1, &[name, word]);
    }
    place.run(["calibrate", "--from-json", "missing"]).exits(3).says(1, &["missing", "No such file"]);
}

/// From two threads to as many as are asked for, each with lines, pictures and figures of its own.
#[test]
fn every_number_of_threads_is_measured() {
    let place = Place::new();
    let options =
        ["calibrate", "--quick", "--runs", "1", "--threads", "3", "--json", "found.json", "--html", "page.html"];
    let finished = place.run(options).exits(0);
    let found = json(&place, "found.json");
    let sweeps = found["sweeps"].as_array().unwrap();
    let threads: Vec<u64> = sweeps.iter().map(|swept| swept["threads"].as_u64().unwrap()).collect();
    assert_eq!(threads, [2, 3]);
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    for threads in [2, 3] {
        assert!(finished.out().contains(&format!("--threads {threads} --objective wall")), "{}", finished.out());
        assert!(page.contains(&format!("<h2>{threads} threads against one</h2>")));
        assert_eq!(page.matches(&format!("is better, {threads} threads")).count(), 2);
    }
}

#[test]
fn one_thread_has_nothing_to_split() {
    let place = Place::new();
    let finished = place.run(["calibrate", "--quick", "--threads", "1"]).exits(0);
    assert!(finished.err().contains("nothing to split"));
    assert!(finished.out().contains("nothing to split"), "{}", finished.out());
    assert!(!finished.out().contains("--objective"), "{}", finished.out());
}

/// The threads of a scan show whether a saved threshold is used: one if splitting never pays.
#[test]
fn what_is_saved_is_used_on_this_machine_alone() {
    let place = Place::new();
    place.file("f", noise(1, 1 << 20));
    calibrated(&place);
    let mut found = json(&place, "found.json");
    let scan = |options: &[&str], variable: Option<&str>| {
        let mut program = place.program([&["scan", "f", "--threads", "2", "--format", "jsonl"], options].concat());
        program.env_remove("CHUNKMILL_PROFILE").env("XDG_CONFIG_HOME", place.path("config"));
        if let Some(kib) = variable {
            program.env("CHUNKMILL_MT_THRESHOLD", kib);
        }
        run(&mut program)
    };
    let threads = |finished: Finished| finished.exits(0).summary()["threads"].as_u64().unwrap();
    assert_eq!(threads(scan(&[], None)), 2);

    found["sweeps"][0]["threshold_bytes"]["balanced"] = Value::Null;
    found["sweeps"][0]["threshold_bytes"]["wall"] = 65536.into();
    place.file("found.json", found.to_string());
    let mut save = place.program(["calibrate", "--from-json", "found.json", "--save"]);
    save.env_remove("CHUNKMILL_PROFILE").env("XDG_CONFIG_HOME", place.path("config"));
    let saved = run(&mut save).exits(0);
    assert!(saved.err().contains("config/chunkmill/gate.json"), "{}", saved.err());
    assert_eq!(threads(scan(&[], None)), 1);
    assert_eq!(threads(scan(&["--objective", "wall"], None)), 2);
    assert_eq!(threads(scan(&["--gate", "64"], None)), 2, "the option stands above the profile");
    assert_eq!(threads(scan(&[], Some("64"))), 2, "so does the variable");

    found["machine"] = "another".into();
    place.file("config/chunkmill/gate.json", found.to_string());
    scan(&[], None).exits(2).says(1, &["gate.json", "this machine", "another"]);
    assert_eq!(threads(scan(&["--gate", "64"], None)), 2);
}
