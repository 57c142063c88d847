use core::convert::Infallible;
use core::time::Duration;
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::thread;

use chunkmill_core::drive::{IngestError, PackSink, RestoreError, WriteError, ingest};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer};
use chunkmill_core::{ChunkParams, GearTable, IdKey, RetainingChunker};
use embedded_io_adapters::std::FromStd;

use super::*;
use crate::{Gate, Objective, Pool};

const ALWAYS: Gate = Gate::new(Objective::Wall).with_threshold(0);

fn params() -> ChunkParams {
    ChunkParams::new(2048, 8192, 65536, 1).unwrap()
}

fn setup(key: &IdKey, memory: usize) -> PackSetup<'_> {
    PackSetup {
        params: params(),
        gear: GearTable::published(),
        key,
        stream_id: [5; 16],
        compressed: true,
        memory,
        gate: ALWAYS,
    }
}

/// Text, noise, zeros, and all again.
fn stream() -> Vec<u8> {
    let text: Vec<u8> = (0..20_000).flat_map(|line| format!("line {line} says little\n").into_bytes()).collect();
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..300_000).map(|_| noise()).collect();
    let once = [text, noise, vec![0; 300_000]].concat();
    [&once[..], b"between", &once].concat()
}

/// What the core's own driver writes, on one thread and without this crate.
fn by_the_core(key: &IdKey, stream: &[u8]) -> Vec<u8> {
    let (params, gear) = (params(), GearTable::published());
    let (mut table, mut scratch) = (CompressTable::large(), vec![0; Compressor::scratch_for(BlockLen::MAX, &params)]);
    let compressor = Compressor::new(BlockLen::MAX, &mut table, &mut scratch).unwrap();
    let packer = Packer::compressing(params, gear, [5; 16], key, compressor);
    let mut ring = vec![0; 100_000];
    let mut chunker = RetainingChunker::new(params, gear, key, &mut ring).unwrap();
    let mut index = SeenChunks::new(1 << 20);
    let mut sink = PackSink::new(packer, FromStd::new(Vec::new()));
    ingest(&mut FromStd::new(stream), &mut chunker, &mut index, &mut sink).unwrap();
    sink.into_device().into_inner()
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

#[test]
fn every_number_of_threads_writes_the_bytes_of_the_core() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = stream();
        let expected = by_the_core(&key, &stream);
        for threads in [1, 2, 3, 4, 8] {
            for memory in [1 << 20, 64 << 20] {
                let mut packed = Vec::new();
                let done = Pool::scope(threads, |pool| pack(pool, &stream[..], &mut packed, &setup(&key, memory)));
                assert_eq!(done.unwrap().bytes, stream.len() as u64);
                assert!(packed == expected, "{threads} threads, {memory} bytes");
            }
        }
    });
}

fn reading(key: &IdKey) -> ReadSetup<'_> {
    ReadSetup { key, memory: 1 << 20, waits: false, gate: ALWAYS }
}

/// The records that come out, each on a line, and how it ended.
fn listed(threads: usize, packed: &[u8], key: &IdKey) -> String {
    use core::fmt::Write;
    let mut text = String::new();
    let visit = |listed| {
        writeln!(text, "{listed:?}").unwrap();
        Ok::<(), RestoreError<io::Error, Infallible, Infallible>>(())
    };
    let ended = Pool::scope(threads, |pool| list(pool, packed, &reading(key), visit));
    format!("{text}{ended:?}")
}

#[test]
fn every_number_of_threads_reads_the_same() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = stream();
        let packed = by_the_core(&key, &stream);
        let expected = listed(1, &packed, &key);
        assert_eq!(expected.matches("Record").count(), expected.lines().count() - 3);
        for threads in [2, 3, 4, 8] {
            for memory in [0, 1 << 20, 64 << 20] {
                let setup = ReadSetup { key: &key, memory, waits: false, gate: ALWAYS };
                let mut restored = tempfile::tempfile().unwrap();
                let mut earlier = Earlier::in_restored(restored.try_clone().unwrap());
                Pool::scope(threads, |pool| {
                    let whole = verify(pool, &packed[..], &setup).unwrap();
                    assert_eq!(whole.summary.bytes, stream.len() as u64);
                    assert_eq!(unpack(pool, &packed[..], &mut earlier, &restored, &setup).unwrap(), whole);
                });
                let mut content = Vec::new();
                io::Seek::rewind(&mut restored).unwrap();
                restored.read_to_end(&mut content).unwrap();
                assert!(content == stream, "{threads} threads, {memory} bytes");
            }
            assert!(listed(threads, &packed, &key) == expected, "{threads} threads");
        }
    });
}

/// Damage is found at the same place, and the same is given before it, whoever finds it.
#[test]
fn every_number_of_threads_finds_the_same_damage() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let packed = by_the_core(&key, &stream());
        for at in (0..packed.len()).step_by(packed.len() / 60) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            for pack in [&damaged[..], &packed[..at], &damaged[..damaged.len().min(at + 50_000)]] {
                let expected = listed(1, pack, &key);
                assert!(expected.contains("Err("), "byte {at}");
                for threads in [2, 4] {
                    assert_eq!(listed(threads, pack, &key), expected, "byte {at}, {threads} threads");
                }
            }
        }
    });
}

/// What comes before damage is written, and nothing else.
#[test]
fn all_that_is_good_before_damage_is_written() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = stream();
        let mut packed = by_the_core(&key, &stream);
        let middle = packed.len() / 2;
        packed[middle] ^= 1;
        for threads in [1, 2, 4] {
            let mut out = Vec::new();
            let mut earlier = Earlier::nowhere();
            let stopped =
                Pool::scope(threads, |pool| unpack(pool, &packed[..], &mut earlier, &mut out, &reading(&key)));
            let stopped = stopped.unwrap_err();
            assert!(matches!(stopped.error, RestoreError::Pack(_)), "{stopped}");
            assert_eq!(stopped.summary.bytes, out.len() as u64);
            assert!(out.len() > stream.len() / 4 && stream.starts_with(&out));
        }
    });
}

#[test]
fn what_is_restored_to_a_full_writer_ends_the_work() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = &stream()[..900_000];
        let packed = by_the_core(&key, stream);
        for threads in [1, 2, 4] {
            for room in (0..stream.len()).step_by(stream.len() / 20) {
                let mut earlier = Earlier::nowhere();
                let stopped = Pool::scope(threads, |pool| {
                    unpack(pool, &packed[..], &mut earlier, Short(room), &reading(&key)).unwrap_err()
                });
                let RestoreError::Write(WriteError::Failed { source, .. }) = stopped.error else { panic!("{stopped}") };
                assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{threads} threads, {room} bytes");
            }
        }
    });
}

/// An index without room stores repeats again; the pack is good all the same.
#[test]
fn a_full_index_costs_space_alone() {
    let key = IdKey::from_bytes([9; 32]);
    let stream = stream();
    let size = |memory| {
        let mut packed = Vec::new();
        Pool::scope(2, |pool| pack(pool, &stream[..], &mut packed, &setup(&key, memory))).unwrap();
        let mut restored = tempfile::tempfile().unwrap();
        let mut earlier = Earlier::in_restored(restored.try_clone().unwrap());
        Pool::scope(2, |pool| unpack(pool, &packed[..], &mut earlier, &restored, &reading(&key))).unwrap();
        let mut content = Vec::new();
        io::Seek::rewind(&mut restored).unwrap();
        restored.read_to_end(&mut content).unwrap();
        assert!(content == stream);
        packed.len()
    };
    assert!(size(0) > size(1 << 20) * 3 / 2);
}

/// Takes so many bytes and no more.
struct Short(usize);

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(self.0);
        self.0 -= len;
        if len == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(len) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_is_full_ends_the_work() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = stream();
        let whole = by_the_core(&key, &stream).len();
        for threads in [1, 2, 4] {
            Pool::scope(threads, |pool| {
                for room in (0..whole).step_by(whole / 40).chain([whole - 1]) {
                    let stopped = pack(pool, &stream[..], Short(room), &setup(&key, 1 << 20)).unwrap_err();
                    let IngestError::Sink(WriteError::Failed { source, .. }) = stopped.error else {
                        panic!("{stopped}")
                    };
                    assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{threads} threads, {room} of {whole}");
                }
                pack(pool, &stream[..], Short(whole), &setup(&key, 1 << 20)).unwrap();
            });
        }
    });
}

/// Gives its bytes, then an error.
struct Broken<'b>(&'b [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("broken")),
            len => Ok(len),
        }
    }
}

/// Like a terminal, which goes on after an end.
struct Reviving<'b>(&'b [u8], bool);

impl Read for Reviving<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(!self.1, "read again after the end");
        let len = self.0.read(buffer)?;
        self.1 = len == 0;
        Ok(len)
    }
}

#[test]
fn the_end_is_the_end() {
    let key = IdKey::from_bytes([9; 32]);
    for len in [0, 1, 100_000] {
        for threads in [1, 2] {
            let reader = Reviving(&stream()[..len], false);
            let done = Pool::scope(threads, |pool| pack(pool, reader, io::sink(), &setup(&key, 1 << 20))).unwrap();
            assert_eq!(done.bytes, len as u64);
        }
    }
}

#[test]
fn a_reader_that_fails_leaves_a_pack_that_says_so() {
    within_a_minute(|| {
        let key = IdKey::from_bytes([9; 32]);
        let stream = stream();
        for threads in [1, 2, 4] {
            for len in [0, 1, 100_000, 700_000] {
                let mut packed = Vec::new();
                let reader = Broken(&stream[..len]);
                let stopped = Pool::scope(threads, |pool| pack(pool, reader, &mut packed, &setup(&key, 1 << 20)));
                assert!(matches!(stopped.unwrap_err().error, IngestError::Read(_)));
                let verified = Pool::scope(threads, |pool| verify(pool, &packed[..], &reading(&key)));
                assert!(verified.unwrap_err().to_string().contains("truncated"));
            }
        }
    });
}
