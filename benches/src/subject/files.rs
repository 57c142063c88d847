//! A folder of many small files scanned: opened, read, cut, and a keyed id for every chunk.

use core::error::Error;
use core::iter::from_fn;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chunkmill::{Event, Next, Pool, Scanner, Source};
use chunkmill_core::{ChunkParams, GearTable, IdKey};
use tempfile::TempDir;

use chunkmill_measure::peers::KEY;
use chunkmill_measure::peers::hash::blake3_keyed;
use chunkmill_measure::peers::scan::add_chunks;
use chunkmill_measure::rng::SplitMix;

use crate::data::Data;
use crate::tally::Tally;

/// A folder of small files, which is gone when dropped, and their names in order.
#[derive(Debug)]
pub struct SmallFiles {
    _dir: TempDir,
    paths: Vec<PathBuf>,
}

impl SmallFiles {
    /// So many files of random bytes with lengths from `shortest` to `longest`, in folders of a hundred, read once.
    ///
    /// # Errors
    ///
    /// They cannot be made or read.
    pub fn new(dir: &Path, count: usize, shortest: usize, longest: usize, seed: u64) -> io::Result<Self> {
        let dir = tempfile::tempdir_in(dir)?;
        let mut rng = SplitMix::new(seed);
        let mut paths = Vec::new();
        for index in 0..count {
            let folder = dir.path().join(format!("{:04}", index / 100));
            if index % 100 == 0 {
                fs::create_dir(&folder)?;
            }
            let path = folder.join(format!("{:02}", index % 100));
            let len = shortest + rng.below(longest - shortest + 1);
            fs::write(&path, Data::Random.bytes(rng.word(), len))?;
            fs::read(&path)?;
            paths.push(path);
        }
        Ok(Self { _dir: dir, paths })
    }
}

/// `fastcdc`'s stream mode over each file, and `blake3::keyed_hash` of each chunk.
///
/// # Errors
///
/// A file cannot be read.
pub fn naive(params: ChunkParams, files: &SmallFiles) -> Result<Tally, Box<dyn Error>> {
    let mut tally = Tally::default();
    for path in &files.paths {
        add_chunks(&mut tally, params, File::open(path)?, blake3_keyed)?;
    }
    Ok(tally)
}

/// Our [`Scanner`] over all of them in one run.
///
/// # Errors
///
/// A file cannot be read.
pub fn scanner(params: ChunkParams, files: &SmallFiles, threads: usize) -> Result<Tally, Box<dyn Error>> {
    let key = IdKey::from_bytes(KEY);
    let scanner = Scanner::new(params, GearTable::published(), &key);
    let mut tally = Tally::default();
    let mut paths = files.paths.iter();
    let mut refused = None;
    let streams = from_fn(|| {
        let opened = Source::open_regular(paths.next()?);
        opened.map(|source| Next::Stream((), source)).map_err(|error| refused = Some(error)).ok()
    });
    Pool::scope(threads, |pool| {
        scanner.scan_all(pool, streams, |event| {
            match event {
                Event::Chunk((), chunk) => tally.add_chunk(chunk.offset, chunk.len as usize, chunk.id.as_bytes()),
                Event::End((), _, result) => _ = result?,
                _ => {}
            }
            Ok::<(), Box<dyn Error>>(())
        })
    })?;
    refused.map_or(Ok(tally), |error| Err(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn all_see_the_same_chunks() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 32 << 10, 1).unwrap();
        let files = SmallFiles::new(&env::temp_dir(), 150, 1, 64 << 10, 1).unwrap();
        let expected = naive(params, &files).unwrap();
        assert!(expected.chunks > 300);
        for threads in 1..=3 {
            assert_eq!(scanner(params, &files, threads).unwrap(), expected);
        }
    }
}
