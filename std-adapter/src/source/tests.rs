use std::fs;
use std::io::Write;

use super::*;

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
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .unwrap();
    assert!(Source::open_regular(&pipe).is_err());
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("/proc/version", &link).unwrap();
    assert!(Source::open_regular(&link).is_err());
    assert!(Source::open_regular(dir.path()).is_err());
    assert_eq!(Source::open(dir.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
}

/// A file of `size` bytes with data at some places and holes elsewhere; and its content.
fn sparse(path: &Path, size: u64, data: &[(u64, usize)]) -> Vec<u8> {
    let file = File::create(path).unwrap();
    file.set_len(size).unwrap();
    let mut content = vec![0; size as usize];
    for &(offset, len) in data {
        let bytes = vec![0x5a; len];
        file.write_all_at(&bytes, offset).unwrap();
        content[offset as usize..][..len].copy_from_slice(&bytes);
    }
    content
}

#[test]
fn sparse_files_read_as_dense_ones() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let mib = 1 << 20;
    for data in [&[][..], &[(0, 5000)], &[(3 * mib, 5000)], &[(mib, 5000), (2 * mib, 1), (4 * mib - 7, 7)]] {
        let content = sparse(&path, 4 * mib, data);
        let mut source = Source::open(&path).unwrap();
        assert!(read_all(&mut source) == content, "{data:?}");
        assert_eq!(source.check().unwrap(), Ok(()));
    }
}

#[test]
fn holes_are_told_and_can_be_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let mib = 1 << 20;
    sparse(&path, 64 * mib, &[(8 * mib, 4096), (32 * mib, 4096)]);
    let mut source = Source::open(&path).unwrap();
    if source.hole() == 0 {
        eprintln!("the file system of {} knows no holes", dir.path().display());
        return;
    }
    assert_eq!(source.hole(), 8 * mib);
    source.skip(8 * mib - 3);
    assert_eq!(source.hole(), 3);
    let mut buffer = [1; 100];
    assert_eq!(source.read(&mut buffer).unwrap(), 3);
    assert_eq!(source.hole(), 0);
    let mut data = vec![0; 4096];
    source.read_exact(&mut data).unwrap();
    assert_eq!(data, [0x5a; 4096]);
    assert_eq!(source.hole(), 24 * mib - 4096);
    source.skip(24 * mib - 4096);
    source.read_exact(&mut data).unwrap();
    assert_eq!(source.hole(), 32 * mib - 4096);
    source.skip(32 * mib - 4096);
    assert_eq!((source.hole(), source.read(&mut buffer).unwrap()), (0, 0));
    assert_eq!(source.check().unwrap(), Ok(()));
}

#[test]
fn only_what_has_a_writer_waits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"content").unwrap();
    assert!(!Source::open(&path).unwrap().waits());
    assert!(Source::open(Path::new("/dev/null")).unwrap().waits());
}
