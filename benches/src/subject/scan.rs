//! A file scanned: read, cut, and a keyed id for every chunk.

use core::convert::Infallible;
use core::error::Error;
use std::fs::File;
use std::io::Seek;
use std::os::fd::AsRawFd;
use std::thread;

use chunkmill::{Pool, Scanner};
use chunkmill_core::{ChunkParams, GearTable, IdKey};
use chunkmill_measure::peers::KEY;

use crate::tally::Tally;

/// Our [`Scanner`] on so many threads. Starting them and making the buffers is part of the work, as its peer's buffer is part
/// of that one's.
///
/// # Errors
///
/// The file cannot be read.
pub fn scanner(params: ChunkParams, mut file: &File, threads: usize) -> Result<Tally, Box<dyn Error>> {
    file.rewind()?;
    let key = IdKey::from_bytes(KEY);
    let scanner = Scanner::new(params, GearTable::published(), &key);
    let mut tally = Tally::default();
    Pool::scope(threads, |pool| {
        scanner.scan(pool, file, |chunk| {
            tally.add_chunk(chunk.offset, chunk.len as usize, chunk.id.as_bytes());
            Ok::<(), Infallible>(())
        })
    })?;
    Ok(tally)
}

/// Two of our scans of the same file at once, each on one thread: what both CPUs at work do to one another, whoever uses them.
/// On many machines a CPU gets slower when its neighbour works. The tally is that of one.
///
/// # Errors
///
/// The file cannot be read.
///
/// # Panics
///
/// If the second scan fails alone.
pub fn two_scanners(params: ChunkParams, file: &File) -> Result<Tally, Box<dyn Error>> {
    // Each with a place of its own in the file.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let (one, two) = (File::open(&path)?, File::open(&path)?);
    thread::scope(|scope| {
        let other = scope.spawn(|| scanner(params, &two, 1).map_err(|error| error.to_string()));
        let tally = scanner(params, &one, 1)?;
        other.join().expect("a scan that works once works twice")?;
        Ok(tally)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, warm_file};
    use chunkmill_measure::peers::hash::blake3_keyed;
    use chunkmill_measure::peers::scan::scan;
    use std::env;

    #[test]
    fn all_see_the_same_chunks() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 32 << 10, 1).unwrap();
        for len in [0, 1, 3_000_001] {
            let file = warm_file(&env::temp_dir(), Data::Random, 1, len).unwrap();
            let expected = scan(params, &file, blake3_keyed).unwrap();
            assert_eq!(two_scanners(params, &file).unwrap(), expected);
            for threads in 1..=3 {
                assert_eq!(scanner(params, &file, threads).unwrap(), expected);
            }
            assert_eq!(expected.bytes, len);
        }
    }
}
