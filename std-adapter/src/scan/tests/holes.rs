use std::collections::VecDeque;

use super::*;

/// Zeros between data: a stream that says where its holes are gives the chunks of one that does not.
struct Sparse {
    extents: VecDeque<(bool, Vec<u8>)>,
    skipped: u64,
    tells: bool,
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((_, bytes)) = self.extents.front_mut() else { return Ok(0) };
        let len = buffer.len().min(bytes.len()).min(200_000);
        buffer[..len].copy_from_slice(&bytes[..len]);
        bytes.drain(..len);
        if bytes.is_empty() {
            self.extents.pop_front();
        }
        Ok(len)
    }
}

impl Stream for Sparse {
    /// Bytes passed over.
    type End = u64;

    fn end(self) -> u64 {
        self.skipped
    }

    fn hole(&mut self) -> u64 {
        match self.extents.front() {
            Some((true, zeros)) if self.tells => zeros.len() as u64,
            _ => 0,
        }
    }

    fn skip(&mut self, len: u64) {
        let (_, zeros) = self.extents.front_mut().unwrap();
        zeros.truncate(zeros.len() - len as usize);
        if zeros.is_empty() {
            self.extents.pop_front();
        }
        self.skipped += len;
    }
}

#[test]
fn holes_give_the_chunks_of_their_zeros() {
    within_a_minute(|| {
        let key = key();
        // At average 256, level 0, zeros are cut below max.
        let odd = ChunkParams::new(64, 256, 1024, 0).unwrap();
        for params in [params(64, 256, 1024), odd, params(16 << 10, 64 << 10, 256 << 10)] {
            let max = params.max() as usize;
            let holes = [0, 1, max - 1, max, 2 * max, 3 * max + 7, 40 * max + 1, 40 * max + 2, 41 * max - 1];
            for (index, &hole) in holes.iter().enumerate() {
                for (before, after) in [(0, 0), (1, 1), (70_001, 0), (0, 70_001), (300_000, 300_000)] {
                    let extents = || -> VecDeque<_> {
                        let all = [
                            (false, noise(8, before)),
                            (true, vec![0; hole]),
                            (false, noise(9, after)),
                            (true, vec![0; holes[holes.len() - 1 - index]]),
                        ];
                        all.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect()
                    };
                    let bytes: Vec<u8> = extents().into_iter().flat_map(|(_, bytes)| bytes).collect();
                    let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
                    let sparse = Sparse { extents: extents(), skipped: 0, tells: true };
                    let mut chunks = Vec::new();
                    let mut skipped = 0;
                    let streams = core::iter::once(Next::Stream((), sparse));
                    Pool::scope(2, |pool| {
                        scanner.scan_all(pool, streams, |event| {
                            match event {
                                Event::Chunk((), chunk) => chunks.push(chunk),
                                Event::End((), passed_over, read) => {
                                    assert_eq!(read.unwrap(), bytes.len() as u64);
                                    skipped = passed_over;
                                }
                                Event::Note(()) => {}
                            }
                            Ok::<(), Infallible>(())
                        })
                    })
                    .unwrap();
                    assert!(chunks == expected(params, &bytes), "{params:?}, {before}, {hole}, {after}");
                    let most = holes[holes.len() - 1 - index].max(hole);
                    assert!(if most >= 3 * max { skipped > 0 } else { most >= max || skipped == 0 }, "{hole}");
                }
            }
        }
    });
}
