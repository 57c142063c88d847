use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// Writes a new file from its start, and leaves holes where whole blocks are zero: they take no room on the disk, and read as
/// zeros.
///
/// The file has its full length only after [`flush`](Write::flush). What is written is never read again, and never written twice.
///
/// ```
/// use std::io::Write;
/// use std::os::unix::fs::MetadataExt;
/// use chunkmill::SparseWriter;
///
/// let file = tempfile::tempfile()?;
/// let mut writer = SparseWriter::new(&file);
/// writer.write_all(&[1; 5000])?;
/// writer.write_all(&[0; 1_000_000])?;
/// writer.flush()?;
/// let metadata = file.metadata()?;
/// assert_eq!(metadata.len(), 1_005_000);
/// assert!(metadata.blocks() * 512 < 100_000);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SparseWriter<'f> {
    file: &'f File,
    at: u64,
}

/// What file systems allocate at least.
const BLOCK: u64 = 4096;

impl<'f> SparseWriter<'f> {
    /// Writes to a file that is empty.
    pub const fn new(file: &'f File) -> Self {
        Self { file, at: 0 }
    }
}

impl Write for SparseWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Up to the next border of a block, so that all others are whole.
        let to_border = usize::try_from(BLOCK.saturating_sub(self.at % BLOCK)).unwrap_or(0);
        let head = bytes.get(..to_border).unwrap_or(bytes);
        let zeros = is_zero(head);
        let mut len = head.len();
        let block = usize::try_from(BLOCK).unwrap_or(0);
        for next in bytes.get(len..).unwrap_or_default().chunks(block) {
            if is_zero(next) != zeros {
                break;
            }
            len = len.saturating_add(next.len());
        }
        let run = bytes.get(..len).unwrap_or_default();
        let written = if zeros { run.len() } else { self.file.write_at(run, self.at)? };
        self.at = self.at.saturating_add(u64::try_from(written).unwrap_or(0));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A hole at the end is not there yet.
        if self.file.metadata()?.len() < self.at { self.file.set_len(self.at) } else { Ok(()) }
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    /// Whatever the pieces, the content is what was written.
    #[test]
    fn content_is_what_was_written() {
        let mut content = vec![0; 300_000];
        for (start, len) in [(0, 1), (4095, 2), (20_000, 5000), (100_352, 4096), (290_000, 1)] {
            content[start..start + len].fill(7);
        }
        for step in [1, 511, 4095, 4096, 4097, 65_536, 300_000] {
            let file = tempfile::tempfile().unwrap();
            let mut writer = SparseWriter::new(&file);
            for piece in content.chunks(step) {
                writer.write_all(piece).unwrap();
            }
            writer.flush().unwrap();
            let mut found = vec![9; content.len()];
            assert_eq!(file.read_at(&mut found, 0).unwrap(), content.len(), "in steps of {step}");
            assert!(found == content, "in steps of {step}");
            assert_eq!(file.metadata().unwrap().len(), content.len() as u64);
            assert!(file.metadata().unwrap().blocks() * 512 < 60_000, "in steps of {step}");
        }
    }

    /// A reader of the file sees what was flushed so far.
    #[test]
    fn a_flush_in_between_is_not_the_end() {
        let file = tempfile::tempfile().unwrap();
        let mut writer = SparseWriter::new(&file);
        for len in [10_000, 20_000, 5] {
            writer.write_all(&vec![0; len]).unwrap();
            writer.flush().unwrap();
        }
        writer.write_all(b"end").unwrap();
        let mut found = Vec::new();
        io::Read::read_to_end(&mut &file, &mut found).unwrap();
        assert!(found.len() == 30_008 && found.ends_with(b"\0\0end") && is_zero(&found[..30_005]));
    }
}
