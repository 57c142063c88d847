//! Write, damage, read: whatever happens to a pack on its way, what comes out of it is the beginning of what went in.

use arbitrary::Unstructured;
use chunkmill::Pool;
use chunkmill::pack::{PackSetup, pack};
use chunkmill_core::IdKey;
use chunkmill_tests::data::Data;
use chunkmill_tests::pack_reading::{Outcome, Reading};
use chunkmill_tests::packing::{Packing, index_of};
use chunkmill_tests::plain_pack::{self, REFERENCE};
use chunkmill_tests::setup::{KEY, Setup};

use crate::library;

/// How the pack is written and what happens to it comes first; the rest is the stream.
pub fn run(input: &[u8]) {
    let _ = damage(&mut Unstructured::new(input));
}

fn damage(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (by_library, compressed, threads): (bool, bool, u8) = input.arbitrary()?;
    let (shape, seed, at_most): (u8, u32, u8) = input.arbitrary()?;
    let edits: [(u8, u16, u16); 5] = input.arbitrary()?;
    let stream = stretch(shape / 4, seed.into(), input.bytes(input.len())?);
    let setup = Setup::smallest(shape % 4);
    let written = |stream: &[u8], stream_id| {
        if by_library {
            let setup = PackSetup {
                params: setup.params,
                gear: &setup.gear(),
                key: &IdKey::from_bytes(KEY),
                stream_id,
                compressed,
                memory: 1 << 20,
                gate: library::ALWAYS,
            };
            let mut out = Vec::new();
            Pool::scope(usize::from(threads % 3) + 1, |pool| pack(pool, stream, &mut out, &setup))
                .expect("memory takes all");
            out
        } else {
            let packing = Packing::new(setup);
            let packing = if compressed { packing.compressing(10) } else { packing };
            packing.run(stream, &mut *index_of(64)).bytes
        }
    };
    let good = written(&stream, *b"a stream's own..");
    let parse = |pack: &[u8]| plain_pack::parse(pack, &KEY).expect("the pack is as described");
    // The core's packs here all have the same stream id, which no two packs may have.
    let other_stream = if by_library { &stream[stream.len() / 2..] } else { &stream };
    let other = written(other_stream, *b"and another's id");
    let mut damaged = good.clone();
    for edit in edits {
        hurt(&mut damaged, &other, edit);
    }

    let reading = Reading { chunk_len: 1024, block_len: 1024, at_most: 1 + usize::from(at_most), ..Reading::new(KEY) };
    let outcome = reading.read(&damaged);
    if damaged == good {
        assert!(outcome.ended.is_ok(), "{:?}", outcome.ended);
    }
    // With the other's header it is a damaged copy of the other.
    if damaged.starts_with(&other[..plain_pack::HEADER]) {
        assert_beginning(&outcome, &parse(&other), other_stream);
    } else {
        assert_beginning(&outcome, &parse(&good), &stream);
    }
    library::assert_reads_the_same(&damaged, KEY, threads, 1 << 20, &outcome);
    Ok(())
}

/// Streams of some chunks: the input is a few KiB at most.
fn stretch(how: u8, seed: u64, bytes: &[u8]) -> Vec<u8> {
    match how % 8 {
        0 => bytes.repeat(6),
        1 => [bytes, &[0; 5000], bytes].concat(),
        2 => [bytes, &Data::Random { seed }.bytes(3000), bytes].concat(),
        3 => [bytes, &Data::Words { seed }.bytes(6000)].concat(),
        4 => [bytes, &Data::Mixed { seed }.bytes(8000)].concat(),
        _ => bytes.to_vec(),
    }
}

/// One thing that happens to a pack.
fn hurt(pack: &mut Vec<u8>, other: &[u8], (what, at, more): (u8, u16, u16)) {
    if pack.is_empty() {
        return;
    }
    let at = usize::from(at) % pack.len();
    let len = usize::from(more) % 600;
    let end = pack.len().min(at + len);
    match what % 16 {
        0 => pack[at] ^= 1 << (more % 8),
        1 => pack[at] = more as u8,
        2 => pack.truncate(at),
        3 => drop(pack.drain(at..end)),
        4 => {
            let again = pack[at..end].to_vec();
            drop(pack.splice(end..end, again));
        }
        5 => drop(pack.splice(at..at, more.to_le_bytes())),
        6 => pack[at..end].reverse(),
        7 => pack[at..end].fill(more as u8),
        8 => pack.extend(more.to_le_bytes()),
        9 => {
            let from = usize::from(more) % other.len();
            drop(pack.splice(at..end, other[from..other.len().min(from + len)].iter().copied()));
        }
        10 => {
            // Two of its records change places, or a record goes.
            let mut parts = plain_parts(pack);
            if parts.len() > 3 {
                let index = 1 + usize::from(more) % (parts.len() - 2);
                if more % 2 == 0 { parts.swap(index, index - 1) } else { drop(parts.remove(index)) }
            }
            *pack = parts.concat();
        }
        11 => {
            // A record of the other stream takes the place of one here.
            let (mut parts, others) = (plain_parts(pack), plain_parts(other));
            let index = usize::from(more) % parts.len().min(others.len());
            parts[index].clone_from(&others[index]);
            *pack = parts.concat();
        }
        _ => {}
    }
}

/// Header and records, each with its payload, as far as the lengths go.
fn plain_parts(pack: &[u8]) -> Vec<Vec<u8>> {
    let (head, mut rest) = pack.split_at(pack.len().min(plain_pack::HEADER));
    let mut parts = vec![head.to_vec()];
    while let Some(stored) = rest.get(8..12) {
        let stored = u32::from_le_bytes(stored.try_into().expect("4 bytes")) as usize;
        let payload = if rest[0] == plain_pack::TRAILER { 0 } else { stored };
        let (part, tail) = rest.split_at(rest.len().min(plain_pack::RECORD.saturating_add(payload)));
        parts.push(part.to_vec());
        rest = tail;
    }
    parts.push(rest.to_vec());
    parts
}

fn assert_beginning(outcome: &Outcome, truth: &plain_pack::Pack, stream: &[u8]) {
    assert!(outcome.given.len() <= truth.entries.len());
    let mut offset = 0;
    for (given, entry) in outcome.given.iter().zip(&truth.entries) {
        let chunk = &stream[offset..][..entry.fields.raw_len as usize];
        assert_eq!((given.chunk.offset, given.chunk.len), (offset as u64, entry.fields.raw_len));
        assert_eq!(*given.chunk.id.as_bytes(), entry.fields.id);
        assert_eq!(given.bytes.is_none(), entry.fields.kind == REFERENCE);
        assert!(given.bytes.as_ref().is_none_or(|bytes| bytes == chunk));
        offset += chunk.len();
    }
    if outcome.ended.is_ok() {
        assert_eq!(offset, stream.len(), "a pack with a good trailer is whole");
    }
}
