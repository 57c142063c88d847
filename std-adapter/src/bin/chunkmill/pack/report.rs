//! What was done and what it cost, as a table or as JSON.

use std::io::{self, Write};

use chunkmill::core::drive::Summary;
use chunkmill::usage::{Used, peak_rss};
use indicatif::BinaryBytes;
use serde::Serialize;

use crate::args::SummaryFormat;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Chunks of the stream, references among them.
    records: u64,
    references: u64,
    /// Of the stream.
    bytes: u64,
    pack_bytes: u64,
    wall_s: f64,
    cpu_s: f64,
    cpu_s_per_gib: f64,
    threads: usize,
    peak_rss_bytes: u64,
}

#[derive(Serialize)]
struct Line<'r> {
    summary: &'r Report,
}

impl Report {
    pub(super) fn new(summary: &Summary, pack_bytes: u64, used: Used, threads: usize) -> Self {
        Self {
            records: summary.chunks,
            references: summary.references,
            bytes: summary.bytes,
            pack_bytes,
            wall_s: used.wall.as_secs_f64(),
            cpu_s: used.cpu.as_secs_f64(),
            cpu_s_per_gib: used.cpu_s_per_gib(summary.bytes),
            threads,
            peak_rss_bytes: peak_rss().unwrap_or(0),
        }
    }

    pub(super) fn write(&self, out: &mut impl Write, format: SummaryFormat, used: Used) -> io::Result<()> {
        if format == SummaryFormat::Json {
            serde_json::to_writer(&mut *out, &Line { summary: self })?;
            out.write_all(b"\n")?;
            return out.flush();
        }
        let bytes = |bytes| format!("{bytes} ({})", BinaryBytes(bytes));
        for (what, value) in [
            ("records", self.records.to_string()),
            ("references", self.references.to_string()),
            ("bytes", bytes(self.bytes)),
            ("pack bytes", bytes(self.pack_bytes)),
            ("pack / bytes", self.share()),
            ("wall", format!("{:.3} s", self.wall_s)),
            ("CPU", format!("{:.3} CPU-s", self.cpu_s)),
            ("CPU per GiB", format!("{:.3} CPU-s/GiB", self.cpu_s_per_gib)),
            ("speed", format!("{:.0} MB/s", used.mb_per_s(self.bytes))),
            ("threads", self.threads.to_string()),
            ("peak RSS", bytes(self.peak_rss_bytes)),
        ] {
            writeln!(out, "{what:<15} {value}")?;
        }
        out.flush()
    }

    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a share with one digit")]
    fn share(&self) -> String {
        if self.bytes == 0 {
            return "-".to_owned();
        }
        format!("{:.1} %", self.pack_bytes as f64 / self.bytes as f64 * 100.0)
    }
}
