//! Records that were swapped, repeated, dropped, moved or taken from another pack, by someone without the key: each is
//! found at the first record that is not in its place, and nothing of it comes out.

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

use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_tests::data::Data;
use chunkmill_tests::pack_reading::{Given, Reading};
use chunkmill_tests::pack_writing::{Put, Recipe, every_kind, given};
use chunkmill_tests::plain_pack::{HEADER, Parts};

/// A pack in its parts, and what it gives when it is whole.
struct Sample {
    reading: Reading,
    parts: Parts,
    given: Vec<Given>,
}

impl Sample {
    fn new(recipe: &Recipe, puts: &[Put]) -> Self {
        let parts = Parts::of(&recipe.pack(puts));
        Self { reading: Reading::new(recipe.key), parts, given: given(puts, &recipe.key) }
    }

    fn of_every_kind() -> Self {
        Self::new(&Recipe::small(), &every_kind())
    }

    /// The records, and the trailer as the last of them.
    fn units(&self) -> Vec<Vec<u8>> {
        self.parts.records.iter().chain([&self.parts.trailer]).cloned().collect()
    }

    /// These units behind the header stop the reader at unit `index`, which is not what belongs there.
    fn assert_found(&self, units: &[Vec<u8>], index: usize, kind: PackErrorKind) {
        self.assert_found_in(&self.parts.header, units, index, kind);
    }

    fn assert_found_in(&self, header: &[u8], units: &[Vec<u8>], index: usize, kind: PackErrorKind) {
        let offset = header.len() + units[..index].concat().len();
        let outcome = self.reading.read(&[header, &units.concat()].concat());
        assert_eq!(outcome.ended, Err(PackError { kind, record: index as u64, offset: offset as u64 }));
        assert_eq!(outcome.given, self.given[..index]);
    }
}

fn order(expected: usize, found: usize) -> PackErrorKind {
    PackErrorKind::Order { expected: expected as u64, found: found as u64 }
}

/// The same chunks in a pack that differs in its stream id alone.
fn with_stream_id(stream_id: [u8; 16]) -> Sample {
    Sample::new(&Recipe { stream_id, ..Recipe::small() }, &every_kind())
}

/// The same chunks in a pack that differs in its key alone.
fn with_key(key: [u8; 32]) -> Sample {
    Sample::new(&Recipe { key, ..Recipe::small() }, &every_kind())
}

#[test]
fn parts_put_together_are_the_pack() {
    let sample = Sample::of_every_kind();
    assert_eq!(sample.parts.join(), Recipe::small().pack(&every_kind()));
    let outcome = sample.reading.read(&sample.parts.join());
    assert_eq!(outcome.given, sample.given);
    assert!(outcome.ended.is_ok());
}

#[test]
fn any_two_swapped() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    for first in 0..units.len() {
        for second in first + 1..units.len() {
            let mut swapped = units.clone();
            swapped.swap(first, second);
            sample.assert_found(&swapped, first, order(first, second));
        }
    }
}

/// A trailer that was moved earlier is one of these.
#[test]
fn any_moved_anywhere() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    for from in 0..units.len() {
        for to in (0..units.len()).filter(|&to| to != from) {
            let mut moved = units.clone();
            let unit = moved.remove(from);
            moved.insert(to, unit);
            let first = from.min(to);
            sample.assert_found(&moved, first, order(first, if from < to { from + 1 } else { from }));
        }
    }
}

#[test]
fn any_repeated_anywhere() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    for from in 0..units.len() {
        for to in (0..units.len()).filter(|&to| to != from) {
            let mut repeated = units.clone();
            repeated.insert(to, units[from].clone());
            sample.assert_found(&repeated, to, order(to, from));
        }
    }
}

#[test]
fn any_dropped() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    for index in 0..units.len() - 1 {
        let mut fewer = units.clone();
        fewer.remove(index);
        sample.assert_found(&fewer, index, order(index, index + 1));
    }
    let outcome = sample.reading.read(&[&sample.parts.header[..], &units[..units.len() - 1].concat()].concat());
    assert_eq!(outcome.error().kind, PackErrorKind::Truncated);
    assert_eq!(outcome.given, sample.given);
}

/// Two packs of the same chunks under one key: only the stream id tells their records apart.
#[test]
fn spliced_from_another_stream() {
    let (sample, other) = (Sample::of_every_kind(), with_stream_id(*b"another stream's"));
    let units = sample.units();
    for (index, foreign) in other.units().into_iter().enumerate() {
        assert_ne!(units[index], foreign);
        let mut replaced = units.clone();
        replaced[index] = foreign.clone();
        sample.assert_found(&replaced, index, PackErrorKind::HeaderTag);
        let mut inserted = units.clone();
        inserted.insert(index, foreign);
        sample.assert_found(&inserted, index, PackErrorKind::HeaderTag);
    }
}

#[test]
fn spliced_from_another_key() {
    let (sample, other) = (Sample::of_every_kind(), with_key([8; 32]));
    let units = sample.units();
    for (index, foreign) in other.units().into_iter().enumerate() {
        let mut replaced = units.clone();
        replaced[index] = foreign;
        sample.assert_found(&replaced, index, PackErrorKind::HeaderTag);
    }
}

/// The payload of another record, or the fields of one under the tag of another.
#[test]
fn parts_of_records_exchanged() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    for first in 0..units.len() {
        for second in (0..units.len()).filter(|&second| second != first) {
            let mut tag_of_another = units.clone();
            tag_of_another[first][52..68].copy_from_slice(&units[second][52..68]);
            sample.assert_found(&tag_of_another, first, PackErrorKind::HeaderTag);
            let mut id_of_another = units.clone();
            id_of_another[first][20..52].copy_from_slice(&units[second][20..52]);
            if id_of_another != units {
                sample.assert_found(&id_of_another, first, PackErrorKind::HeaderTag);
            }
            let (payload, other) = (&units[first][68..], &units[second][68..]);
            if payload.len() == other.len() && !payload.is_empty() {
                let mut payload_of_another = units.clone();
                payload_of_another[first][68..].copy_from_slice(other);
                sample.assert_found(&payload_of_another, first, PackErrorKind::Payload);
            }
        }
    }
}

#[test]
fn header_of_another_pack() {
    let sample = Sample::of_every_kind();
    let units = sample.units();
    let other = with_stream_id(*b"another stream's");
    sample.assert_found_in(&other.parts.header, &units, 0, PackErrorKind::HeaderTag);
    let other = with_key([8; 32]);
    let outcome = sample.reading.read(&[&other.parts.header[..], &units.concat()].concat());
    assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::WrongKey, record: 0, offset: 0 }));
}

/// A reader with another key says so, whichever bit of the key differs; once the header is damaged it cannot tell, and says
/// that.
#[test]
fn wrong_key_is_told_from_damage() {
    let sample = Sample::of_every_kind();
    let pack = sample.parts.join();
    for bit in 0..256 {
        let mut reading = sample.reading.clone();
        reading.key[bit / 8] ^= 1 << (bit % 8);
        let outcome = reading.read(&pack);
        assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::WrongKey, record: 0, offset: 0 }));
        assert_eq!((outcome.header, outcome.given.len(), outcome.taken), (None, 0, HEADER));
    }
    let wrong = Reading::new([8; 32]);
    for at in 0..HEADER {
        let mut damaged = pack.clone();
        damaged[at] ^= 1;
        let kind = if at < 8 { PackErrorKind::NotAPack } else { PackErrorKind::Header };
        assert_eq!(wrong.read(&damaged).error().kind, kind, "byte {at}");
        assert_eq!(sample.reading.read(&damaged).error().kind, kind, "byte {at}");
    }
}

/// A stream id used twice under one key lets records of one pack stand in the other, tags and all. The chain in the trailer
/// finds that.
#[test]
fn spliced_from_a_pack_with_the_same_stream_id() {
    let sample = Sample::of_every_kind();
    let mut others = every_kind();
    others[4] = Put::Store(vec![7]);
    let other = Sample::new(&Recipe::small(), &others);
    assert_ne!(sample.parts.records[4], other.parts.records[4]);
    let mut spliced = sample.units();
    spliced[4] = other.parts.records[4].clone();
    let pack = [&sample.parts.header[..], &spliced.concat()].concat();
    let outcome = sample.reading.read(&pack);
    let trailer = pack.len() - sample.parts.trailer.len();
    let records = sample.given.len() as u64;
    let expected = PackError { kind: PackErrorKind::Trailer, record: records, offset: trailer as u64 };
    assert_eq!(outcome.ended, Err(expected));
    assert_eq!(outcome.given[..4], sample.given[..4]);
    assert_eq!(outcome.given[4], other.given[4]);
}

/// Whatever stands behind the trailer belongs to someone else.
#[test]
fn bytes_behind_the_trailer_are_not_read() {
    let sample = Sample::of_every_kind();
    let pack = sample.parts.join();
    for behind in [vec![0], Data::Random { seed: 81 }.bytes(500), pack.clone(), sample.parts.trailer.clone()] {
        for at_most in [usize::MAX, 7] {
            let reading = Reading { at_most, ..sample.reading.clone() };
            let outcome = reading.read(&[&pack[..], &behind].concat());
            assert_eq!(outcome.taken, pack.len());
            assert_eq!(outcome.ended.map(|totals| totals.records), Ok(sample.given.len() as u64));
            assert_eq!(outcome.given, sample.given);
        }
    }
}
