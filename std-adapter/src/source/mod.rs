//! Files and pipes to be scanned.

mod cache;
mod holes;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use self::cache::Cache;
use self::holes::Holes;
use crate::Stream;

/// A stream to scan: a file as it was when it was opened, or a pipe, a device, standard input.
///
/// Of a regular file no more is read than its size at the start, so that a log that grows as fast as it is read comes to
/// an end; [`Source::check`] then tells whether the size changed meanwhile. Files whose size says nothing, such as those
/// in `/proc` and `/sys`, are read to their end.
///
/// Holes of sparse files are not read but given as zeros. A file that was not in the page cache is not left there.
#[derive(Debug)]
pub struct Source {
    file: File,
    kind: Kind,
    read: u64,
}

#[derive(Debug)]
enum Kind {
    /// A regular file and its size at the start; 0 also if it has none to tell, as in `/proc`.
    Regular { size: u64, holes: Holes, cache: Cache },
    /// Read from where it stands to its end.
    Other,
}

/// What `st_blocks` counts in, on every file system.
const BLOCK: u64 = 512;

/// A file did not keep its size while it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("file changed while it was read: it had {size_before} bytes, then {size_after}; read {read}")]
pub struct SizeChanged {
    /// Size when it was opened, in bytes.
    pub size_before: u64,
    /// Size after it was read, in bytes.
    pub size_after: u64,
    /// Bytes read.
    pub read: u64,
}

impl Source {
    /// Opens what the user named: symbolic links are followed, and of pipes and devices all is read. Opening a pipe waits
    /// for its writer.
    ///
    /// # Errors
    ///
    /// As [`File::open`], and for a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Self::from_file(file)
    }

    /// Opens a regular file found in a walk. Should another kind of file, such as a pipe or a link, have taken its place
    /// meanwhile, that is an error and nothing waits.
    ///
    /// # Errors
    ///
    /// As [`File::open`], and if it is not a regular file any more.
    pub fn open_regular(path: &Path) -> io::Result<Self> {
        let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).unwrap_or(0);
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("no longer a regular file"));
        }
        Self::from_file(file)
    }

    /// Standard input, from where it stands.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be duplicated.
    pub fn stdin() -> io::Result<Self> {
        use std::os::fd::AsFd;
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Self { file, kind: Kind::Other, read: 0 })
    }

    /// The file and the offset at which this stream begins in it, to be read in other places while the stream goes on. `None` if
    /// it is a pipe or a device. Of standard input, to be asked before anything is read.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be duplicated or asked.
    pub fn to_read_again(&self) -> io::Result<Option<(File, u64)>> {
        if !self.file.metadata()?.is_file() {
            return Ok(None);
        }
        let start = match self.kind {
            Kind::Regular { .. } => 0,
            Kind::Other => io::Seek::stream_position(&mut &self.file)?,
        };
        Ok(Some((self.file.try_clone()?, start)))
    }

    fn from_file(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let kind = if metadata.is_file() {
            let size = metadata.size();
            let holes = Holes::new(size, metadata.blocks().saturating_mul(BLOCK));
            // Holes have no pages that could be in the cache.
            let allocated = metadata.blocks().saturating_mul(BLOCK).min(size);
            Kind::Regular { size, holes, cache: Cache::new(&file, size, allocated) }
        } else {
            Kind::Other
        };
        Ok(Self { file, kind, read: 0 })
    }

    /// To be called at the end of the stream: did the file keep its size?
    ///
    /// # Errors
    ///
    /// [`SizeChanged`] with the numbers, or the error of asking for the size.
    pub fn check(&self) -> io::Result<Result<(), SizeChanged>> {
        let Kind::Regular { size: size_before, .. } = self.kind else { return Ok(Ok(())) };
        let metadata = self.file.metadata()?;
        let size_after = metadata.size();
        // In /sys every file claims a page and has no blocks; it ends where it ends.
        let nominal = metadata.blocks() == 0 && size_after == size_before;
        let kept = size_after == size_before && (self.read == size_before || nominal);
        Ok(if kept { Ok(()) } else { Err(SizeChanged { size_before, size_after, read: self.read }) })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let hole = usize::try_from(self.hole()).unwrap_or(usize::MAX);
        let len = match &mut self.kind {
            Kind::Regular { size: 1.., .. } if hole > 0 => {
                let len = buffer.len().min(hole);
                buffer.get_mut(..len).unwrap_or_default().fill(0);
                len
            }
            Kind::Regular { size: size @ 1.., cache, .. } => {
                let left = usize::try_from(size.saturating_sub(self.read)).unwrap_or(usize::MAX);
                let len = buffer.len().min(left);
                if len == 0 {
                    return Ok(0);
                }
                let len = self.file.read_at(buffer.get_mut(..len).unwrap_or_default(), self.read)?;
                cache.has_read(&self.file, self.read);
                len
            }
            Kind::Regular { .. } | Kind::Other => self.file.read(buffer)?,
        };
        self.skip(u64::try_from(len).unwrap_or(0));
        Ok(len)
    }
}

impl Stream for Source {
    /// What [`check`](Source::check) says.
    type End = io::Result<Result<(), SizeChanged>>;

    fn end(self) -> Self::End {
        self.check()
    }

    fn hole(&mut self) -> u64 {
        match &mut self.kind {
            Kind::Regular { holes, .. } => holes.at(&self.file, self.read),
            Kind::Other => 0,
        }
    }

    fn skip(&mut self, len: u64) {
        self.read = self.read.saturating_add(len);
    }

    fn waits(&self) -> bool {
        matches!(self.kind, Kind::Other)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Kind::Regular { cache, .. } = &mut self.kind {
            cache.end(&self.file);
        }
    }
}
