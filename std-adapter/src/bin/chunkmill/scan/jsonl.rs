//! `--format jsonl`: an object for each chunk, then one with the totals. The order of fields is part of the contract.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use chunkmill::core::Chunk;
use serde::Serialize;

use super::{Listing, Summary};

pub(super) struct Jsonl<W> {
    out: W,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// The bytes of a path that is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    offset: u64,
    length: u32,
    id: String,
}

#[derive(Serialize)]
struct LastLine {
    summary: Fields,
}

#[derive(Serialize)]
struct Fields {
    files: u64,
    bytes: u64,
    chunks: u64,
    unique_chunks: u64,
    unique_bytes: u64,
    wall_s: f64,
    cpu_s: f64,
    cpu_s_per_gib: f64,
    threads: usize,
    peak_rss_bytes: u64,
    errors: u64,
}

impl<W: Write> Jsonl<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out }
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

impl<W: Write> Listing for Jsonl<W> {
    fn chunk(&mut self, path: &Path, chunk: &Chunk) -> io::Result<()> {
        let text = path.to_str();
        let hex = text.is_none().then(|| hex(path.as_os_str().as_bytes()));
        self.line(&Line {
            path: text,
            path_hex: hex,
            offset: chunk.offset,
            length: chunk.len,
            id: chunk.id.to_string(),
        })
    }

    fn summary(&mut self, summary: &Summary<'_>) -> io::Result<()> {
        let totals = summary.totals;
        self.line(&LastLine {
            summary: Fields {
                files: summary.files,
                bytes: totals.bytes(),
                chunks: totals.chunks(),
                unique_chunks: totals.unique_chunks(),
                unique_bytes: totals.unique_bytes(),
                wall_s: summary.used.wall.as_secs_f64(),
                cpu_s: summary.used.cpu.as_secs_f64(),
                cpu_s_per_gib: summary.used.cpu_s_per_gib(totals.bytes()),
                threads: summary.threads,
                peak_rss_bytes: summary.peak_rss,
                errors: summary.errors,
            },
        })?;
        self.out.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write;
    let mut hex = String::new();
    for byte in bytes {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
