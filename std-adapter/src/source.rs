use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// A stream to scan: a file as it was when it was opened, or a pipe, a device, standard input.
///
/// Of a regular file no more is read than its size at the start, so that a log that grows as fast as it is read comes to
/// an end; [`Source::check`] then tells whether the size changed meanwhile. Files whose size says nothing, such as those
/// in `/proc` and `/sys`, are read to their end.
#[derive(Debug)]
pub struct Source {
    file: File,
    /// Size of a regular file at the start; 0 also if it has none to tell, as in `/proc`.
    size: Option<u64>,
    read: u64,
}

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
        Ok(Self { file, size: None, read: 0 })
    }

    fn from_file(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let size = metadata.is_file().then_some(metadata.size());
        Ok(Self { file, size, read: 0 })
    }

    /// To be called at the end of the stream: did the file keep its size?
    ///
    /// # Errors
    ///
    /// [`SizeChanged`] with the numbers, or the error of asking for the size.
    pub fn check(&self) -> io::Result<Result<(), SizeChanged>> {
        let Some(size_before) = self.size else { return Ok(Ok(())) };
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
        let limit = self.size.filter(|&size| size > 0).unwrap_or(u64::MAX);
        let left = limit.saturating_sub(self.read);
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let len = self.file.read(buffer.get_mut(..wanted).unwrap_or_default())?;
        self.read = self.read.saturating_add(u64::try_from(len).unwrap_or(0));
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    fn read_all(source: &mut Source) -> Vec<u8> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn growth_is_reported_and_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        fs::write(&path, b"before").unwrap();
        let mut source = Source::open(&path).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b" and after").unwrap();
        assert_eq!(read_all(&mut source), b"before");
        let changed = SizeChanged { size_before: 6, size_after: 16, read: 6 };
        assert_eq!(source.check().unwrap(), Err(changed));
    }

    #[test]
    fn an_empty_file_that_gets_content_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new");
        fs::write(&path, b"").unwrap();
        let mut source = Source::open(&path).unwrap();
        fs::write(&path, b"content").unwrap();
        assert_eq!(read_all(&mut source), b"content");
        let changed = SizeChanged { size_before: 0, size_after: 7, read: 7 };
        assert_eq!(source.check().unwrap(), Err(changed));
    }

    #[test]
    fn shrinking_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cut");
        fs::write(&path, [1; 9000]).unwrap();
        let mut source = Source::open_regular(&path).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        assert_eq!(read_all(&mut source).len(), 100);
        let changed = SizeChanged { size_before: 9000, size_after: 100, read: 100 };
        assert_eq!(source.check().unwrap(), Err(changed));
    }

    #[test]
    fn a_file_that_kept_its_size_is_fine() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("same");
        for content in [&b""[..], b"x", &[7; 70_000]] {
            fs::write(&path, content).unwrap();
            let mut source = Source::open(&path).unwrap();
            assert_eq!(read_all(&mut source), content);
            assert_eq!(source.check().unwrap(), Ok(()));
        }
    }

    #[test]
    fn a_hole_is_read_as_zeros() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(100_000).unwrap();
        let mut source = Source::open(&path).unwrap();
        assert_eq!(read_all(&mut source), vec![0; 100_000]);
        assert_eq!(source.check().unwrap(), Ok(()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_without_a_true_size_are_read_to_their_end() {
        for path in ["/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/version"] {
            if let Ok(expected) = fs::read(path) {
                let mut source = Source::open(Path::new(path)).unwrap();
                assert_eq!(read_all(&mut source).is_empty(), expected.is_empty(), "{path}");
                assert_eq!(source.check().unwrap(), Ok(()), "{path}");
            }
        }
    }

    #[test]
    fn what_is_not_regular_is_refused_in_a_walk() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(Source::open_regular(&pipe).is_err());
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/proc/version", &link).unwrap();
        assert!(Source::open_regular(&link).is_err());
        assert!(Source::open_regular(dir.path()).is_err());
        assert_eq!(Source::open(dir.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
