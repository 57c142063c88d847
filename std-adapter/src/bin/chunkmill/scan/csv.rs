//! `--format csv`: a header and a row for each chunk.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use chunkmill::core::Chunk;

use super::{Listing, Summary};

pub(super) struct Csv<W: Write> {
    rows: csv::Writer<W>,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(out);
        rows.write_record(["path", "offset", "length", "id"]).map_err(plain)?;
        Ok(Self { rows })
    }
}

impl<W: Write> Listing for Csv<W> {
    /// Paths go out as their bytes, quoted where a comma, a quote or a line end asks for it.
    fn chunk(&mut self, path: &Path, chunk: &Chunk) -> io::Result<()> {
        let (offset, length, id) = (chunk.offset.to_string(), chunk.len.to_string(), chunk.id.to_string());
        let row = [path.as_os_str().as_bytes(), offset.as_bytes(), length.as_bytes(), id.as_bytes()];
        self.rows.write_record(row).map_err(plain)
    }

    fn summary(&mut self, _: &Summary<'_>) -> io::Result<()> {
        self.rows.flush()
    }
}

/// The I/O error itself, of which callers ask the kind: a reader that has gone is no failure.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
