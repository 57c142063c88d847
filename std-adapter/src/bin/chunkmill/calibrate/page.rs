//! The figures as a picture, and as a page that needs nothing else.

use core::fmt::Write;

use chunkmill_measure::chart::{Chart, Line, draw};

use super::profile::{Profile, Swept};
use super::threshold::Point;
use super::verdicts;

/// Speed and CPU time by length, for each number of threads. Without a figure there is no picture.
pub(super) fn svg(profile: &Profile) -> Option<String> {
    let charts: Vec<Chart> = profile.sweeps.iter().filter(|swept| !swept.points.is_empty()).flat_map(charts).collect();
    if charts.is_empty() { None } else { Some(draw(&charts)) }
}

fn charts(swept: &Swept) -> [Chart; 2] {
    // Whole lengths and those with a tail lie close together: a line for each.
    let series = |figure: fn(&Point) -> f64, tail: bool| {
        let of_kind = swept.points.iter().filter(move |point| point.bytes.is_multiple_of(1024) != tail);
        of_kind.map(|point| (kib(point.bytes), figure(point))).collect()
    };
    let chart = |title: &str, figure: fn(&Point) -> f64| Chart {
        title: format!("{title}, {} threads", swept.threads),
        x: "length in KiB (logarithmic)".to_owned(),
        y: "against one thread".to_owned(),
        lines: vec![
            Line { name: "whole KiB".to_owned(), points: series(figure, false) },
            Line { name: "with an odd tail".to_owned(), points: series(figure, true) },
        ],
    };
    [chart("Speed: higher is better", |point| point.speed), chart("CPU time: lower is better", |point| point.cpu)]
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a place in a picture")]
fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

const HEAD: &str = "<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta name=viewport content='width=device-width, initial-scale=1'>
<meta name=color-scheme content='light dark'>
<title>chunkmill calibrate</title>
<style>
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
table { border-collapse: collapse; }
th, td { padding: .15rem .8rem; text-align: right; border-bottom: 1px solid #8884; }
th:last-child, td:last-child { text-align: left; }
.figures td:last-child, .figures th:last-child { text-align: right; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { svg { filter: invert(1) hue-rotate(180deg); } }
</style>
";

/// One page, light or dark as the reader's screen is.
pub(super) fn html(profile: &Profile) -> String {
    let mut page = HEAD.to_owned();
    // Writing to a string does not fail.
    let _ = write_body(&mut page, profile);
    page
}

fn write_body(page: &mut String, profile: &Profile) -> core::fmt::Result {
    writeln!(page, "<h1>When more threads pay</h1>")?;
    writeln!(page, "<p>{}", escaped(&profile.machine))?;
    if profile.sweeps.is_empty() {
        writeln!(page, "<p>One thread: nothing to split.")?;
    }
    for swept in &profile.sweeps {
        writeln!(page, "<h2>{} threads against one</h2>", swept.threads)?;
        writeln!(page, "<table><tr><th>objective<th>threshold<th>why")?;
        for (objective, threshold, why) in verdicts(&profile.rules, &swept.threshold_bytes) {
            writeln!(page, "<tr><td>{objective}<td>{threshold}<td>{why}")?;
        }
        writeln!(page, "</table>")?;
    }
    page.push_str(&svg(profile).unwrap_or_default());
    for swept in &profile.sweeps {
        writeln!(page, "<h2>{} threads, all figures</h2>", swept.threads)?;
        writeln!(page, "<table class=figures><tr><th>bytes<th>speed<th>CPU<th>runs")?;
        for Point { bytes, speed, cpu, runs } in &swept.points {
            writeln!(page, "<tr><td>{bytes}<td>{speed:.2}x<td>{cpu:.2}x<td>{runs}")?;
        }
        writeln!(page, "</table>")?;
    }
    writeln!(page, "</html>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
