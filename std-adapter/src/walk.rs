use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// What a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// A regular file.
    File(PathBuf),
    /// A symbolic link, a pipe, a socket or a device. It is not opened.
    Other(PathBuf),
}

/// A place that could not be walked.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct WalkError {
    /// The directory or file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Walks a directory: all files below it, each directory's entries in byte order of their names, so that two walks over
/// the same tree give the same order on every machine. Symbolic links are not followed, except `root` itself.
///
/// Keeps one directory's names in memory for each level.
pub fn walk(root: &Path) -> impl Iterator<Item = Result<Entry, WalkError>> {
    let root = root.to_path_buf();
    WalkDir::new(&root).sort_by_file_name().into_iter().filter_map(move |item| match item {
        Ok(entry) if entry.file_type().is_dir() => None,
        // A root that is a link was followed.
        Ok(entry) if entry.depth() == 0 && entry.path().is_dir() => None,
        Ok(entry) if entry.file_type().is_file() => Some(Ok(Entry::File(entry.into_path()))),
        Ok(entry) => Some(Ok(Entry::Other(entry.into_path()))),
        Err(error) => {
            let path = error.path().unwrap_or(&root).to_path_buf();
            // The system's own words, without the path that walkdir adds to them.
            let source = error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of links"));
            Some(Err(WalkError { path, source }))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn order_is_by_bytes_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for name in ["b", "a.b", "B", "é", "a/z", "a/b/c", "_"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("loop")).unwrap();
        let found: Vec<_> = walk(root).map(Result::unwrap).collect();
        let expected: Vec<_> = ["B", "_", "a/b/c", "a/z", "a.b", "b", "loop", "é"]
            .into_iter()
            .map(|name| match name {
                "loop" => Entry::Other(root.join(name)),
                _ => Entry::File(root.join(name)),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_root_that_is_a_link_is_followed_and_is_no_entry() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("tree")).unwrap();
        fs::write(dir.path().join("tree/file"), "").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("tree", &link).unwrap();
        let found: Vec<_> = walk(&link).map(Result::unwrap).collect();
        assert_eq!(found, [Entry::File(link.join("file"))]);
    }

    #[test]
    fn a_missing_root_is_named() {
        let mut walk = walk(Path::new("/no/such/place"));
        let error = walk.next().unwrap().unwrap_err();
        assert_eq!(error.path, Path::new("/no/such/place"));
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
        assert!(walk.next().is_none());
    }
}
