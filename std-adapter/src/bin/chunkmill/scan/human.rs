//! `--format human`: what a person running a backup wants to know.

use std::io::{self, Write};
use std::path::Path;

use chunkmill::core::Chunk;
use indicatif::BinaryBytes;

use super::{Listing, Summary};
use crate::names::printable;

pub(super) struct Human<W> {
    out: W,
    lists_chunks: bool,
}

impl<W: Write> Human<W> {
    pub(super) const fn new(out: W, lists_chunks: bool) -> Self {
        Self { out, lists_chunks }
    }

    fn row(&mut self, what: &str, value: &str) -> io::Result<()> {
        writeln!(self.out, "{what:<15} {value}")
    }

    fn bytes(&mut self, what: &str, bytes: u64) -> io::Result<()> {
        self.row(what, &format!("{bytes} ({})", BinaryBytes(bytes)))
    }
}

impl<W: Write> Listing for Human<W> {
    fn chunk(&mut self, path: &Path, chunk: &Chunk) -> io::Result<()> {
        if !self.lists_chunks {
            return Ok(());
        }
        writeln!(self.out, "{:>14} {:>9} {}  {}", chunk.offset, chunk.len, chunk.id, printable(path))
    }

    fn summary(&mut self, summary: &Summary<'_>) -> io::Result<()> {
        let (totals, used) = (summary.totals, summary.used);
        if self.lists_chunks && totals.chunks() > 0 {
            writeln!(self.out)?;
        }
        self.row("files", &summary.files.to_string())?;
        if summary.skipped > 0 {
            self.row("skipped", &format!("{} (links, pipes, sockets, devices)", summary.skipped))?;
        }
        if summary.errors > 0 {
            self.row("errors", &format!("{} (see above)", summary.errors))?;
        }
        self.bytes("bytes", totals.bytes())?;
        self.row("chunks", &totals.chunks().to_string())?;
        self.row("unique chunks", &totals.unique_chunks().to_string())?;
        self.bytes("unique bytes", totals.unique_bytes())?;
        self.row("dedup saving", &format!("{:.1} %", totals.saving() * 100.0))?;
        if let (Some(shortest), Some(longest)) = (totals.shortest(), totals.longest()) {
            self.row("chunk size", &format!("min {shortest}, mean {:.0}, max {longest}", totals.mean()))?;
        }
        self.row("wall", &format!("{:.3} s", used.wall.as_secs_f64()))?;
        self.row("CPU", &format!("{:.3} CPU-s", used.cpu.as_secs_f64()))?;
        self.row("CPU per GiB", &format!("{:.3} CPU-s/GiB", used.cpu_s_per_gib(totals.bytes())))?;
        self.row("speed", &format!("{:.0} MB/s", used.mb_per_s(totals.bytes())))?;
        self.row("threads", &summary.threads.to_string())?;
        self.bytes("peak RSS", summary.peak_rss)?;
        self.out.flush()
    }
}
