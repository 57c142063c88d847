//! `--histogram`: how many chunks have which size.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use chunkmill::core::ChunkParams;
use indicatif::BinaryBytes;
use plotters::prelude::*;

use crate::failure::Failure;
use crate::names::{is_dash, printable};
use crate::output::{Output, PLAIN};

/// Counts of chunks by size, in bins of an eighth of an octave.
#[derive(Debug)]
pub(super) struct Histogram {
    bins: [u32; BINS],
}

const BINS_PER_OCTAVE: f64 = 8.0;
/// Sizes end at 16 MiB, 2^24, which has a bin too.
const BINS: usize = 24 * 8 + 1;

impl Histogram {
    pub(super) const fn new() -> Self {
        Self { bins: [0; BINS] }
    }

    pub(super) fn add(&mut self, len: u32) {
        if let Some(bin) = self.bins.get_mut(bin_of(len)) {
            *bin = bin.saturating_add(1);
        }
    }

    /// Draws the picture and puts it at `path`.
    pub(super) fn write(&self, path: &Path, params: &ChunkParams) -> Result<(), Failure> {
        let svg = self.draw(params).map_err(|error| Failure::Io(format!("cannot draw the histogram: {error}")))?;
        let mut output = Output::create(path, PLAIN)?;
        output.write_all(svg.as_bytes()).map_err(|error| Failure::io("cannot write", path, &error))?;
        output.replace()
    }

    fn draw(&self, params: &ChunkParams) -> Result<String, Box<dyn core::error::Error>> {
        let most = self.bins.iter().copied().max().unwrap_or(0).max(1);
        // One octave of room on both sides: the last chunks of files may be shorter than the minimum.
        let low = (0..BINS).find(|&bin| self.bins.get(bin).is_some_and(|&count| count > 0));
        let first = low.map_or_else(|| octave(params.min()), |bin| start_of(bin).min(octave(params.min()))).floor();
        let last = octave(params.max()).ceil() + 0.5;

        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (900, 420)).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&root)
                .caption("Chunk sizes", ("sans-serif", 20))
                .margin(16)
                .x_label_area_size(44)
                .y_label_area_size(64)
                .build_cartesian_2d(first..last, 0u32..most.saturating_add(most / 8).saturating_add(1))?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(12)
                .x_label_formatter(&|octave| label(size_at(*octave)))
                .x_desc("size (logarithmic)")
                .y_desc("chunks")
                .draw()?;
            chart.draw_series(self.bins.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, &count)| {
                Rectangle::new(
                    [(start_of(bin), 0), (start_of(bin.saturating_add(1)), count)],
                    RGBColor(46, 111, 160).filled(),
                )
            }))?;
            let top = most.saturating_add(most / 12);
            for (name, size) in [("min", params.min()), ("avg", params.avg()), ("max", params.max())] {
                let x = octave(size);
                chart.draw_series([PathElement::new([(x, 0), (x, top)], RGBColor(176, 58, 46))])?;
                chart.draw_series([Text::new(name, (x, most.saturating_add(most / 9)), ("sans-serif", 14))])?;
            }
            root.present()?;
        }
        Ok(svg)
    }
}

/// Finds out before the work is done whether there can be a picture at `path`: its folder is there and can be written to,
/// and what stands in its place, if anything, is a picture too.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if is_dash(path) {
        return Err(Failure::Usage("the histogram needs a file: standard output has the results".to_owned()));
    }
    // Dropped at once: a scan of the same folder must not find it.
    Output::create(path, PLAIN)?;
    let mut start = [0; 4];
    let len = match File::open(path).and_then(|mut file| file.read(&mut start)) {
        Ok(len) => len,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::io("cannot read", path, &error)),
    };
    match start.get(..len) {
        Some(b"" | b"<svg") => Ok(()),
        _ => Err(Failure::Usage(format!("{} is there and is not an SVG picture", printable(path)))),
    }
}

fn octave(len: u32) -> f64 {
    f64::from(len).log2()
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 192")]
fn bin_of(len: u32) -> usize {
    (octave(len.max(1)) * BINS_PER_OCTAVE) as usize
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 193")]
fn start_of(bin: usize) -> f64 {
    bin as f64 / BINS_PER_OCTAVE
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 2^25")]
fn size_at(octave: f64) -> u64 {
    octave.exp2().round() as u64
}

/// `64 KiB`, and `22.6 KiB` where it must be.
fn label(size: u64) -> String {
    BinaryBytes(size).to_string().replace(".00 ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_bin_that_holds_it() {
        for len in (0..=24).flat_map(|octave| [(1u32 << octave) - 1, 1 << octave, (1 << octave) + 1]) {
            let len = len.clamp(1, 16 << 20);
            let bin = bin_of(len);
            assert!(bin < BINS);
            assert!(start_of(bin) <= octave(len) && octave(len) < start_of(bin + 1), "{len}");
        }
    }

    #[test]
    fn the_picture_has_a_bar_for_each_bin_in_use() {
        let mut histogram = Histogram::new();
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let empty = histogram.draw(&params).unwrap();
        for len in [100, 100, 300, 900] {
            histogram.add(len);
        }
        let bars = |svg: &str| svg.matches("fill=\"#2E6FA0\"").count();
        assert_eq!(bars(&empty), 0);
        assert_eq!(bars(&histogram.draw(&params).unwrap()), 3);
    }
}
