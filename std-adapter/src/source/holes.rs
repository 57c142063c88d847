//! Where a sparse file has data and where it has none.

use std::fs::File;

use rustix::fs::{SeekFrom, seek};

/// Remembers the extent at hand, so that the system is asked once for each.
#[derive(Debug)]
pub(super) struct Holes {
    /// Size of the file; 0 if it is not sparse.
    size: u64,
    is_hole: bool,
    /// Where the extent at hand ends.
    end: u64,
}

impl Holes {
    /// For a file of `size` bytes that takes `allocated` on the disk.
    pub(super) const fn new(size: u64, allocated: u64) -> Self {
        let sparse = allocated < size;
        Self { size: if sparse { size } else { 0 }, is_hole: false, end: 0 }
    }

    /// How many bytes of a hole there are from `offset` on: 0 if there is data. Moves the file's own position.
    pub(super) fn at(&mut self, file: &File, offset: u64) -> u64 {
        if offset >= self.size {
            return 0;
        }
        if offset >= self.end {
            self.ask(file, offset);
        }
        if self.is_hole { self.end.saturating_sub(offset) } else { 0 }
    }

    fn ask(&mut self, file: &File, offset: u64) {
        let data = match seek(file, SeekFrom::Data(offset)) {
            Ok(data) => data.min(self.size),
            // No data behind it.
            Err(rustix::io::Errno::NXIO) => self.size,
            // The file system knows no holes: all is data.
            Err(_) => {
                self.size = 0;
                return;
            }
        };
        self.is_hole = data > offset;
        self.end = if self.is_hole { data } else { seek(file, SeekFrom::Hole(offset)).unwrap_or(self.size) };
    }
}
