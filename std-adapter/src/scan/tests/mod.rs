mod holes;
mod lock_step;

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::io;
use std::panic;
use std::sync::mpsc;
use std::thread;

use chunkmill_core::StreamingChunker;

use super::*;

static JOBS: AtomicU64 = AtomicU64::new(1);

/// Every test runs with threads that are late now and then.
pub(super) fn before_job() {
    let job = JOBS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match job >> 60 {
        0 => thread::sleep(Duration::from_micros(job >> 32 & 255)),
        1 => thread::yield_now(),
        _ => {}
    }
}

/// Fails, rather than hangs, when `test` does.
fn within_a_minute(test: impl FnOnce() + Send + 'static) {
    let (done, end) = mpsc::channel();
    let thread = thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    match end.recv_timeout(Duration::from_secs(60)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still running"),
        _ => thread.join().unwrap(),
    }
}

fn key() -> IdKey {
    IdKey::from_bytes([3; 32])
}

fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// What the core's own chunker says, which knows neither batches nor threads.
fn expected(params: ChunkParams, bytes: &[u8]) -> Vec<Chunk> {
    let key = key();
    let mut chunker = StreamingChunker::new(params, GearTable::published(), &key);
    let mut chunks = Vec::new();
    let mut input = bytes;
    while let Some(span) = chunker.push(&mut input) {
        chunks.extend(span.ended);
    }
    chunks.extend(chunker.finish().and_then(|span| span.ended));
    chunks
}

fn params(min: u32, avg: u32, max: u32) -> ChunkParams {
    ChunkParams::new(min, avg, max, 1).unwrap()
}

/// The default with large chunks, one whose chunks straddle batches, one with thousands of chunks a batch.
fn sets() -> [ChunkParams; 3] {
    [ChunkParams::DEFAULT, params(16 << 10, 64 << 10, 256 << 10), params(64, 256, 1024)]
}

/// Splits what it has into reads of odd lengths, fails or panics at its end if it is told to.
struct Double {
    bytes: VecDeque<u8>,
    step: usize,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Fails,
    Ends,
    Panics,
}

impl Double {
    fn new(bytes: &[u8], step: usize, end: End) -> Self {
        Self { bytes: bytes.to_vec().into(), step, end }
    }
}

impl Read for Double {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.step = self.step * 7 % 100_003 + 1;
        let len = buffer.len().min(self.step).min(self.bytes.len());
        for (to, from) in buffer.iter_mut().zip(self.bytes.drain(..len)) {
            *to = from;
        }
        match self.end {
            _ if len > 0 => Ok(len),
            End::Ends => Ok(0),
            End::Fails => Err(io::Error::other("broken")),
            End::Panics => panic!("reader"),
        }
    }
}

impl Stream for Double {
    type End = ();

    fn end(self) {}
}

/// What a run over many streams saw.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    chunks: Vec<(usize, Chunk)>,
    ends: Vec<(usize, Result<u64, u64>)>,
    notes: Vec<usize>,
}

fn scan_many(pool: &Pool<'_, '_>, scanner: &Scanner<'_>, streams: Vec<Next<usize, Double>>) -> Seen {
    let mut seen = Seen::default();
    scanner
        .scan_all(pool, streams.into_iter(), |event| {
            match event {
                Event::Chunk(&label, chunk) => seen.chunks.push((label, chunk)),
                Event::End(label, _, result) => seen.ends.push((label, result.map_err(|error| error.offset))),
                Event::Note(label) => seen.notes.push(label),
            }
            Ok::<(), Infallible>(())
        })
        .unwrap();
    seen
}

const ALWAYS: Gate = Gate::new(Objective::Wall).with_threshold(0);

#[test]
fn every_number_of_threads_gives_the_chunks_of_the_core() {
    within_a_minute(|| {
        let (key, bytes) = (key(), noise(1, 9_000_001));
        for params in sets() {
            let expected = expected(params, &bytes);
            for threads in [1, 2, 3, 4, 8] {
                for (step, memory) in [(50_000, 64 << 20), (99, 1)] {
                    let scanner =
                        Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS).with_memory(memory);
                    let mut chunks = Vec::new();
                    let read = Pool::scope(threads, |pool| {
                        scanner.scan(pool, Double::new(&bytes, step, End::Ends), |chunk| {
                            chunks.push(chunk);
                            Ok::<(), Infallible>(())
                        })
                    });
                    assert_eq!(read.unwrap(), bytes.len() as u64);
                    assert!(chunks == expected, "{params:?}, {threads} threads");
                }
            }
        }
    });
}

/// Sizes around a batch, a hash group and their seams, with data that is cut at max as well.
#[test]
fn streams_that_end_anywhere() {
    within_a_minute(|| {
        let key = key();
        let batch = 256 << 10;
        let group = 16 << 10;
        for source in [noise(2, 2 * batch + 2 * group), vec![0; 2 * batch + 2 * group]] {
            for params in sets() {
                let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
                let edges = [0, 1, group, batch - group, batch, batch + 1024, 2 * batch, 2 * batch + group];
                let lens: Vec<usize> =
                    edges.iter().flat_map(|&edge| (0..3).map(move |more| (edge + more).saturating_sub(1))).collect();
                let streams = |end| {
                    lens.iter()
                        .map(move |&len| Next::Stream(len, (len, end)))
                        .collect::<Vec<Next<usize, (usize, End)>>>()
                };
                let doubles = |end| {
                    let double = |next| match next {
                        Next::Stream(label, (len, end)) => {
                            Next::Stream(label, Double::new(&source[..len], usize::MAX / 8, end))
                        }
                        Next::Note(label) => Next::Note(label),
                    };
                    streams(end).into_iter().map(double).collect()
                };
                for threads in [1, 2] {
                    let seen = Pool::scope(threads, |pool| scan_many(pool, &scanner, doubles(End::Ends)));
                    let chunks: Vec<_> = lens
                        .iter()
                        .flat_map(|&len| expected(params, &source[..len]).into_iter().map(move |chunk| (len, chunk)))
                        .collect();
                    assert!(seen.chunks == chunks, "{params:?}, {threads} threads");
                    assert_eq!(seen.ends, lens.iter().map(|&len| (len, Ok(len as u64))).collect::<Vec<_>>());
                }
            }
        }
    });
}

#[test]
fn whole_streams_have_the_ids_of_their_bytes() {
    within_a_minute(|| {
        let (key, bytes) = (key(), noise(3, 3_000_000));
        for threads in [1, 2, 4] {
            let lens = [0, 1, 1024, 16 << 10, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 1 << 20, 3_000_000];
            let streams = lens.map(|len| Next::Stream(len, Double::new(&bytes[..len], 7777, End::Ends)));
            let mut ids = Vec::new();
            Pool::scope(threads, |pool| {
                StreamHasher::new(&key).with_gate(ALWAYS).hash_all(pool, streams.into_iter(), |event| {
                    if let HashEvent::End(len, _, id) = event {
                        ids.push((len, id.unwrap()));
                    }
                    Ok::<(), Infallible>(())
                })
            })
            .unwrap();
            assert_eq!(ids, lens.map(|len| (len, key.id_of(&bytes[..len]))));
        }
    });
}

#[test]
fn one_huge_stream_first_and_many_small_ones_after() {
    within_a_minute(|| {
        let (key, params) = (key(), ChunkParams::DEFAULT);
        let huge = vec![0; 20 << 20];
        let small = noise(4, 700);
        for (threads, memory) in [(1, 1), (2, 1), (4, 1), (2, 2 << 20), (4, 64 << 20)] {
            let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS).with_memory(memory);
            let streams = core::iter::once(Next::Stream(0, Double::new(&huge, 99_999, End::Ends)))
                .chain(
                    (1..3000).map(|label| Next::Stream(label, Double::new(&small[..label % 700], 99_999, End::Ends))),
                )
                .chain([Next::Note(3000)])
                .collect();
            let seen = Pool::scope(threads, |pool| scan_many(pool, &scanner, streams));
            assert_eq!(seen.notes, [3000]);
            assert_eq!(seen.ends.len(), 3000);
            let empty = (1..3000).filter(|label| label % 700 == 0).count();
            assert_eq!(seen.chunks.len(), expected(params, &huge).len() + 2999 - empty);
            assert!(seen.chunks.iter().skip(3).all(|(label, chunk)| chunk.id == key.id_of(&small[..label % 700])));
        }
    });
}

#[test]
fn a_reader_that_fails_stops_nobody_else() {
    within_a_minute(|| {
        let key = key();
        let bytes = noise(5, 1_500_000);
        for params in sets() {
            let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
            let whole = expected(params, &bytes);
            for threads in [1, 2, 4] {
                for len in [0, 1, 300_000, 1_500_000] {
                    let streams = [(0, len, End::Fails), (1, bytes.len(), End::Ends), (2, len, End::Fails)]
                        .map(|(label, len, end)| Next::Stream(label, Double::new(&bytes[..len], 60_000, end)));
                    let seen = Pool::scope(threads, |pool| scan_many(pool, &scanner, streams.into()));
                    let fails = Err(len as u64);
                    assert_eq!(seen.ends, [(0, fails), (1, Ok(1_500_000)), (2, fails)]);
                    // Chunks that end before the place of the error, but not a last one that might have gone on.
                    let before: Vec<_> = expected(params, &bytes[..len]);
                    let of = |label| seen.chunks.iter().filter(move |chunk| chunk.0 == label).map(|chunk| chunk.1);
                    for label in [0, 2] {
                        assert!(of(label).eq(before[..before.len().saturating_sub(1)].iter().copied()), "{len}");
                    }
                    assert!(of(1).eq(whole.iter().copied()), "{params:?} {threads} {len}");
                }
            }
        }
    });
}

#[test]
fn a_visitor_may_stop_at_any_chunk() {
    within_a_minute(|| {
        let (key, params) = (key(), params(16 << 10, 64 << 10, 256 << 10));
        let bytes = noise(6, 3_000_000);
        let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
        let expected = expected(params, &bytes);
        for threads in [1, 2, 4] {
            Pool::scope(threads, |pool| {
                for stop in 0..expected.len() {
                    let mut left = stop;
                    let stopped = scanner.scan(pool, &bytes[..], |chunk| {
                        assert_eq!(chunk, expected[stop - left]);
                        left = left.checked_sub(1).ok_or("enough")?;
                        Ok::<(), &str>(())
                    });
                    assert!(matches!(stopped, Err(ScanError::Visit("enough"))));
                }
                // The pool is still good.
                assert_eq!(scanner.scan(pool, &bytes[..], |_| Ok::<(), Infallible>(())).unwrap(), 3_000_000);
            });
        }
    });
}

#[test]
fn a_panic_of_reader_or_visitor_ends_the_run_with_it() {
    within_a_minute(|| {
        let (key, params) = (key(), params(16 << 10, 64 << 10, 256 << 10));
        let bytes = noise(7, 2_000_000);
        let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
        for threads in [1, 2, 4] {
            Pool::scope(threads, |pool| {
                for len in [0, 100_000, 300_000, 2_000_000] {
                    let double = Double::new(&bytes[..len], 50_000, End::Panics);
                    let run = AssertUnwindSafe(|| scanner.scan(pool, double, |_| Ok::<(), Infallible>(())));
                    let panic = panic::catch_unwind(run).unwrap_err();
                    assert_eq!(panic.downcast_ref(), Some(&"reader"), "{threads} {len}");
                }
                let run =
                    AssertUnwindSafe(|| scanner.scan(pool, &bytes[..], |_| -> Result<(), ()> { panic!("visitor") }));
                let panic = panic::catch_unwind(run).unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&"visitor"));
                assert_eq!(scanner.scan(pool, &bytes[..], |_| Ok::<(), Infallible>(())).unwrap(), 2_000_000);
            });
        }
    });
}

/// A reader that claims more bytes than there was room for is an error at its place.
#[test]
fn a_reader_that_lies_is_an_error() {
    struct Liar;
    impl Read for Liar {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
    }
    let key = key();
    let scanner = Scanner::new(ChunkParams::DEFAULT, GearTable::published(), &key);
    let result = Pool::scope(2, |pool| scanner.scan(pool, Liar, |_| Ok::<(), Infallible>(())));
    assert!(matches!(result, Err(ScanError::Read(ReadError { offset: 0, .. }))));
}
