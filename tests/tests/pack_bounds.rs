//! A pack by a writer who has the key and lies takes no more memory than was allowed, no more reads than it has bytes, and not a
//! byte outside of what was lent for it. What allocates is counted, so this is a program of its own.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::alloc::System;
use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chunkmill::pack::{Earlier, Listed, ReadSetup, list, unpack, verify};
use chunkmill::{Gate, Objective, Pool};
use chunkmill_core::IdKey;
use chunkmill_core::pack::{Opener, ReadStep, Reader, RecordReader, RecordStep};
use chunkmill_tests::data::Data;
use chunkmill_tests::plain_pack::{self, Block, Fields, Head, LZ4, RAW, RECORD, Scribe};

const KEY: [u8; 32] = [5; 32];
/// The longest chunk that any pack may have.
const MAX: usize = 16 << 20;

/// Bytes that are allocated now, and the most there were.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Allocations of this thread.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Each test is alone: what the others allocate would count.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that were allocated at most while `work` ran, beyond what there was before.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

const fn head(max: usize, block_log2: u8) -> Head {
    Head {
        version: 1,
        chunker: 1,
        min: 64,
        avg: 1024,
        max: max as u32,
        level: 1,
        gear: 0,
        compression: (block_log2 > 0) as u8,
        block_log2,
        gear_value: 0,
        stream_id: [6; 16],
    }
}

/// A chunk of zeros, and a frame a 250th as long.
fn zeros(len: usize) -> (Vec<u8>, Vec<u8>) {
    let chunk = vec![0; len];
    let blocks = chunk.chunks(1 << 16).map(|block| Block::Compressed(lz4_flex::block::compress(block)));
    let frame = plain_pack::frame(&blocks.collect::<Vec<_>>());
    (chunk, frame)
}

/// Packs that claim much and hold little.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let mut packs = Vec::new();
    packs.push(("a header alone", Scribe::new(&head(MAX, 16), &KEY).end()));
    for (what, kind, raw_len, stored_len) in [
        ("the longest chunk, raw, cut off", RAW, MAX as u32, MAX as u32),
        ("the longest chunk, compressed, cut off", LZ4, MAX as u32, MAX as u32 - 1),
        ("a chunk that is too long", RAW, u32::MAX, u32::MAX),
        ("a frame that is too long", LZ4, u32::MAX, u32::MAX - 1),
        ("a chunk that is hardly too long", RAW, MAX as u32 + 1, MAX as u32 + 1),
    ] {
        let mut scribe = Scribe::new(&head(MAX, 16), &KEY);
        scribe.raw(b"good");
        let fields = Fields { raw_len, stored_len, ..scribe.honest(kind, b"", 0) };
        scribe.put(&fields, &[7; 1000]);
        packs.push((what, scribe.end()));
    }
    let (chunk, frame) = zeros(MAX);
    let mut scribe = Scribe::new(&head(MAX, 16), &KEY);
    for _ in 0..5 {
        scribe.lz4(&chunk, &frame);
    }
    packs.push(("a little that becomes much", scribe.end()));
    let mut scribe = Scribe::new(&head(4096, 10), &KEY);
    let chunk = Data::Random { seed: 1 }.bytes(4096);
    scribe.raw(&chunk);
    for _ in 0..5000 {
        scribe.reference(&chunk);
    }
    packs.push(("one chunk, over and over", scribe.end()));
    packs
}

fn setup(key: &IdKey, memory: usize) -> ReadSetup<'_> {
    ReadSetup { key, memory, waits: false, gate: Gate::new(Objective::Wall).with_threshold(0) }
}

/// Gives a byte at a time, or all that fits, and counts how often it is asked.
struct Counted<'b> {
    bytes: &'b [u8],
    at_most: usize,
    reads: usize,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        let len = buffer.len().min(self.at_most);
        self.bytes.read(&mut buffer[..len])
    }
}

/// What all threads have together beside parcels: buffers of readers and writers, a block each, lists of records, and stacks'
/// worth of small things.
const SMALL: usize = 3 << 20;

/// Bytes of payloads that a parcel has room for beside one chunk.
const PARCEL: usize = 256 << 10;

#[test]
fn the_library_keeps_to_its_memory() {
    let _alone = alone();
    let key = IdKey::from_bytes(KEY);
    let parcel = PARCEL + MAX;
    for (what, pack) in hostile() {
        for (threads, memory) in [(1, 0), (3, 0), (1, 40 << 20), (3, 40 << 20)] {
            // One parcel there is whatever the memory.
            let allowed = |each: usize| memory.max(each) + SMALL;
            let mut ended = (false, false, false);
            let checked = peak_of(|| {
                Pool::scope(threads, |pool| {
                    ended.0 = verify(pool, &pack[..], &setup(&key, memory)).is_ok();
                    let visit = |_: Listed| Ok::<(), Box<dyn core::error::Error + Send + Sync>>(());
                    ended.1 = list(pool, &pack[..], &setup(&key, memory), visit).is_ok();
                });
            });
            assert!(checked <= allowed(parcel), "{what}: {checked} bytes to check, {threads} threads, {memory}");
            let file = tempfile_in_target();
            let mut earlier = Earlier::in_restored(file.try_clone().unwrap());
            let restored = peak_of(|| {
                Pool::scope(threads, |pool| {
                    ended.2 = unpack(pool, &pack[..], &mut earlier, &file, &setup(&key, memory)).is_ok();
                });
            });
            // And a chunk that repeats.
            assert!(
                restored <= allowed(2 * parcel) + MAX,
                "{what}: {restored} bytes to unpack, {threads} threads, {memory}"
            );
            assert!(ended.0 == ended.1 && ended.1 == ended.2, "{what}: {ended:?}");
        }
    }
}

/// A file without a name.
fn tempfile_in_target() -> std::fs::File {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bounds-{}", std::process::id()));
    let open = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    open
}

/// To remember where each chunk lies takes memory for each, but no more than three times what its record does: also while the
/// table grows, which it does at 57,345 chunks.
#[test]
fn what_is_remembered_is_bounded_by_the_pack() {
    let _alone = alone();
    let key = IdKey::from_bytes(KEY);
    let mut scribe = Scribe::new(&head(1024, 0), &KEY);
    for number in 0..57_400u32 {
        scribe.raw(&number.to_le_bytes());
    }
    let pack = scribe.end();
    let file = tempfile_in_target();
    let mut earlier = Earlier::in_restored(file.try_clone().unwrap());
    let peak = peak_of(|| {
        Pool::scope(2, |pool| unpack(pool, &pack[..], &mut earlier, &file, &setup(&key, 0))).unwrap();
    });
    assert!(peak <= 3 * pack.len() + 2 * (PARCEL + 1024) + SMALL / 2, "{peak} bytes for a pack of {}", pack.len());
}

#[test]
fn the_library_reads_no_more_often_than_there_are_bytes() {
    let _alone = alone();
    let key = IdKey::from_bytes(KEY);
    for (what, pack) in hostile().into_iter().filter(|(_, pack)| pack.len() < 500_000) {
        for threads in [1, 3] {
            for (at_most, most) in
                [(1, pack.len() + 4), (usize::MAX, pack.len() / (64 << 10) + 4 + pack.len() / RECORD)]
            {
                let mut reader = Counted { bytes: &pack, at_most, reads: 0 };
                let _ = Pool::scope(threads, |pool| verify(pool, &mut reader, &setup(&key, 0)));
                assert!(reader.reads <= most, "{what}: {} reads of {} bytes", reader.reads, pack.len());
            }
        }
    }
}

/// The core has no allocator to begin with; here also nothing that it calls allocates, in a build where `lz4_flex` could.
#[test]
fn the_core_allocates_nothing_and_stays_within_what_it_was_lent() {
    let _alone = alone();
    const GUARD: usize = 64;
    for (what, pack) in hostile() {
        let (mut chunk, mut block) = (vec![0xa5; GUARD + MAX + GUARD], vec![0xa5; GUARD + (1 << 16) + GUARD]);
        let before = ALLOCATIONS.get();
        let (lent, room) = (&mut chunk[GUARD..][..MAX], &mut block[GUARD..][..1 << 16]);
        let mut reader = Reader::new(&IdKey::from_bytes(KEY), lent, room);
        let mut rest = &pack[..];
        loop {
            match reader.step() {
                Ok(ReadStep::NeedInput) => {
                    let window = reader.window();
                    let len = window.len().min(rest.len());
                    window[..len].copy_from_slice(&rest[..len]);
                    rest = &rest[len..];
                    if len == 0 { reader.end_input() } else { reader.commit(len) }
                }
                Ok(ReadStep::Reference(_)) => reader.skip_reference(),
                Ok(ReadStep::End(_)) | Err(_) => break,
                Ok(ReadStep::Chunk(_) | ReadStep::Header(_)) => {}
            }
        }
        assert_eq!(ALLOCATIONS.get(), before, "{what}");
        for memory in [&chunk, &block] {
            let (front, back) = (&memory[..GUARD], &memory[memory.len() - GUARD..]);
            assert!(front.iter().chain(back).all(|&byte| byte == 0xa5), "{what}");
        }
    }
}

/// An opener that is lent more than the chunk takes leaves the rest alone, whatever the frame holds.
#[test]
fn an_opener_writes_to_the_chunk_alone() {
    let _alone = alone();
    let (chunk, frame) = zeros(5000);
    let too_long = zeros(5001).1;
    let key = IdKey::from_bytes(KEY);
    for (frame, good) in [(&frame, true), (&too_long, false)] {
        let mut scribe = Scribe::new(&head(1 << 16, 16), &KEY);
        scribe.lz4(&chunk, frame);
        let pack = scribe.end();
        let mut records = RecordReader::new(&key);
        let mut rest = &pack[..];
        let mut opener = None;
        let sealed = loop {
            match records.step().unwrap() {
                RecordStep::NeedInput => {
                    let window = records.window();
                    let len = window.len();
                    window.copy_from_slice(&rest[..len]);
                    rest = &rest[len..];
                    records.commit(len);
                }
                RecordStep::Header(header) => opener = Some(Opener::new(&key, &header)),
                RecordStep::Record(sealed) => break sealed,
                RecordStep::End(totals) => panic!("{totals:?}"),
            }
        };
        let (opener, mut into) = (opener.unwrap(), vec![0xa5; 1 << 16]);
        // A caller that hands over less or more of the pack than the payload.
        for len in [0, frame.len() - 1, frame.len() + 1, rest.len()] {
            assert!(opener.open(&sealed, &rest[..len], &mut into).is_err());
            assert!(opener.check(&sealed, &rest[..len], &mut vec![0; 1 << 16]).is_err());
        }
        let opened = opener.open(&sealed, &rest[..frame.len()], &mut into);
        assert_eq!(opened.is_ok(), good);
        assert!(into[chunk.len()..].iter().all(|&byte| byte == 0xa5));
    }
}
