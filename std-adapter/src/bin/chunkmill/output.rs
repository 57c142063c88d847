//! Output files: written beside their place and moved there when whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::names::printable;
use crate::signals::{removed_when_interrupted, survive_size_limits};

/// The mode of keys.
pub(crate) const SECRET: u32 = 0o600;
/// The mode of everything else.
pub(crate) const PLAIN: u32 = 0o666;

/// A file that appears under its name only when it is whole and on the disk. Dropped before that, or when a signal ends the program,
/// it leaves nothing. The program makes one at a time.
#[derive(Debug)]
pub(crate) struct Output {
    file: NamedTempFile,
    path: PathBuf,
    /// Open from the start: once the file has its name, nothing must be wanting.
    folder: File,
    replaces: bool,
}

impl Output {
    /// As [`create`](Self::create), for a file that [`finish`](Self::finish) puts over one that is there only if `force` says
    /// so: without it the user is told before the work begins.
    pub(crate) fn new(path: &Path, mode: u32, force: bool) -> Result<Self, Failure> {
        if !force && path.symlink_metadata().is_ok() {
            return Err(Failure::Usage(format!("{}; --force does it", already_there(path))));
        }
        Ok(Self { replaces: force, ..Self::create(path, mode)? })
    }

    /// Starts a file in the folder of `path`, of this mode as far as the umask allows.
    pub(crate) fn create(path: &Path, mode: u32) -> Result<Self, Failure> {
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Failure::Usage(format!("{} is there and is not a regular file", printable(path))));
        }
        if [&b"/"[..], b"/.", b"/.."].iter().any(|end| path.as_os_str().as_bytes().ends_with(end)) {
            return Err(Failure::Usage(format!("{} names a folder, not a file", printable(path))));
        }
        // Asked first, so that the error is about this folder and not about a temporary name in it.
        let failed = |error: io::Error| Failure::io("cannot create", path, &error);
        let opened = File::open(folder(path)).map_err(failed)?;
        survive_size_limits()?;
        let unfinished = removed_when_interrupted();
        let mut unfinished = unfinished.map_err(|error| Failure::Io(format!("cannot wait for signals: {error}")))?;
        // Not by `tempfile_in`, which would put the temporary name into the error.
        let make = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path);
        let file = tempfile::Builder::new().prefix(".chunkmill-").make_in(folder(path), make).map_err(failed)?;
        *unfinished = Some(file.path().to_path_buf());
        Ok(Self { file, path: path.to_path_buf(), folder: opened, replaces: false })
    }

    /// Where it is while it is not finished.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.file.path().to_path_buf()
    }

    /// The same file, to be read.
    pub(crate) fn again(&self) -> io::Result<File> {
        self.file.as_file().try_clone()
    }

    /// Moves the file to its place, as was wished for when it was made. Gives its length.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let len = self.file.as_file().metadata().map(|metadata| metadata.len());
        let len = len.map_err(|error| Failure::io("cannot write", &self.path, &error))?;
        if self.replaces { self.replace() } else { self.create_new() }.map(|()| len)
    }

    /// Moves the file to its place, over one that is there.
    pub(crate) fn replace(self) -> Result<(), Failure> {
        let Self { file, path, folder, .. } = self;
        let done = sync(&file).and_then(|()| file.persist(&path).map_err(|error| error.error));
        done.and_then(|_| folder.sync_all()).map_err(|error| Failure::io("cannot write", &path, &error))
    }

    /// Moves the file to its place, unless one is there.
    pub(crate) fn create_new(self) -> Result<(), Failure> {
        let Self { file, path, folder, .. } = self;
        let done = sync(&file).and_then(|()| file.persist_noclobber(&path).map_err(|error| error.error));
        // The new name itself is on the disk only when the folder is.
        done.and_then(|_| folder.sync_all()).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::Usage(already_there(&path)),
            _ => Failure::io("cannot write", &path, &error),
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not through the temporary file, which would put its name into the error.
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// The refusal to write over a file.
pub(crate) fn already_there(path: &Path) -> String {
    format!("{} is already there and is not overwritten", printable(path))
}

fn sync(file: &NamedTempFile) -> io::Result<()> {
    file.as_file().sync_all()
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
