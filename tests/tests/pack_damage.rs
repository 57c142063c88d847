//! A pack that was cut off or changed anywhere: the error is of the right kind, at the right record and offset, and what
//! came out before it is the beginning of what was packed.

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
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::pack_reading::{Given, Outcome, Reading};
use chunkmill_tests::pack_writing::{Put, Recipe, every_kind, given};
use chunkmill_tests::plain_pack::{self, Entry, HEADER, LZ4, RECORD};

/// What a byte of a pack belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Magic,
    Header,
    /// A record's fields and tag; the trailer's index is the count of records.
    Record(usize),
    RawPayload(usize),
    Lz4Payload(usize),
}

/// A pack, what it gives when it is whole, and where its parts lie.
struct Sample {
    reading: Reading,
    bytes: Vec<u8>,
    given: Vec<Given>,
    /// The trailer is the last.
    entries: Vec<Entry>,
}

impl Sample {
    fn new(recipe: &Recipe, puts: &[Put]) -> Self {
        let bytes = recipe.pack(puts);
        let pack = plain_pack::parse(&bytes, &recipe.key).unwrap();
        let entries = pack.entries.into_iter().chain([pack.trailer]).collect();
        Self { reading: Reading::new(recipe.key), bytes, given: given(puts, &recipe.key), entries }
    }

    fn of_every_kind() -> Self {
        Self::new(&Recipe::small(), &every_kind())
    }

    fn part(&self, at: usize) -> Part {
        if at < HEADER {
            return if at < 8 { Part::Magic } else { Part::Header };
        }
        let index = self.entries.iter().rposition(|entry| entry.at <= at).unwrap();
        let entry = &self.entries[index];
        match at - entry.at {
            ..RECORD => Part::Record(index),
            _ if entry.fields.kind == LZ4 => Part::Lz4Payload(index),
            _ => Part::RawPayload(index),
        }
    }

    /// The error that a change of this part must give.
    fn error_for(&self, part: Part) -> PackError {
        let (kind, index) = match part {
            Part::Magic => return PackError { kind: PackErrorKind::NotAPack, record: 0, offset: 0 },
            Part::Header => return PackError { kind: PackErrorKind::Header, record: 0, offset: 0 },
            Part::Record(index) => (PackErrorKind::HeaderTag, index),
            Part::RawPayload(index) | Part::Lz4Payload(index) => (PackErrorKind::Payload, index),
        };
        PackError { kind, record: index as u64, offset: self.entries[index].at as u64 }
    }

    /// The error stands, and all that came out before is good.
    fn assert_stopped(&self, outcome: &Outcome, expected: PackError, about: impl Fn() -> String) {
        assert_eq!(outcome.ended, Err(expected), "{}", about());
        assert_eq!(outcome.header.is_some(), outcome.taken > HEADER, "{}", about());
        assert_eq!(outcome.given, self.given[..expected.record as usize], "{}", about());
    }

    fn assert_whole(&self, outcome: &Outcome) {
        assert_eq!(outcome.given, self.given);
        assert_eq!(outcome.taken, self.bytes.len());
        assert_eq!(outcome.ended.unwrap().records, self.given.len() as u64);
    }
}

#[test]
fn whole_sample_is_read() {
    let sample = Sample::of_every_kind();
    sample.assert_whole(&sample.reading.read(&sample.bytes));
}

/// In large pieces, and in pieces so short that no part comes whole.
#[test]
fn cut_off_at_every_byte() {
    let sample = Sample::of_every_kind();
    for len in 0..sample.bytes.len() {
        let whole = sample.entries.iter().skip(1).filter(|next| next.at <= len).count();
        let expected = PackError { kind: PackErrorKind::Truncated, record: whole as u64, offset: len as u64 };
        for at_most in [usize::MAX, 13] {
            let outcome = Reading { at_most, ..sample.reading.clone() }.read(&sample.bytes[..len]);
            assert_eq!(outcome.ended, Err(expected), "{len} bytes");
            assert_eq!(outcome.taken, len);
            assert_eq!(outcome.header.is_some(), len >= HEADER, "{len} bytes");
            assert_eq!(outcome.given, sample.given[..whole], "{len} bytes");
        }
    }
}

/// Each single bit, all bits, and one more than it was.
fn changes(byte: u8) -> impl Iterator<Item = u8> {
    (0..8).map(move |bit| byte ^ (1 << bit)).chain([byte ^ 0xff, byte.wrapping_add(1)])
}

/// The description allows one change to go unnoticed: another LZ4 payload that gives the same chunk.
#[test]
fn every_byte_changed() {
    let sample = Sample::of_every_kind();
    let (mut in_lz4, mut unnoticed) = (0, 0);
    for at in 0..sample.bytes.len() {
        let part = sample.part(at);
        let expected = sample.error_for(part);
        let mut changed = sample.bytes.clone();
        for byte in changes(sample.bytes[at]) {
            changed[at] = byte;
            let outcome = sample.reading.read(&changed);
            if matches!(part, Part::Lz4Payload(_)) {
                in_lz4 += 1;
                if outcome.ended.is_ok() {
                    unnoticed += 1;
                    sample.assert_whole(&outcome);
                    continue;
                }
            }
            sample.assert_stopped(&outcome, expected, || format!("byte {at} made {byte:#04x}"));
        }
    }
    assert!(in_lz4 > 5000, "{in_lz4} changes of LZ4 payloads");
    // The offset of a match in a run of zeros may be any other that still lies in the run.
    assert!((1..in_lz4 / 200).contains(&unnoticed), "{unnoticed} of {in_lz4} changes of LZ4 payloads went unnoticed");
}

/// The first of two changes is the one that is found, unless it is one of those that may go unnoticed.
#[test]
fn two_bytes_changed() {
    let sample = Sample::of_every_kind();
    let mut rng = Rng::new(61);
    let mut unnoticed = 0;
    for round in 0..20_000 {
        let mut places = [rng.below(sample.bytes.len()), rng.below(sample.bytes.len())];
        // Every fourth time close to one another.
        if round % 4 == 0 {
            places[1] = (places[0] + 1 + rng.below(8)).min(sample.bytes.len() - 1);
        }
        places.sort_unstable();
        if places[0] == places[1] {
            continue;
        }
        let mut changed = sample.bytes.clone();
        for at in places {
            changed[at] ^= 1 + rng.below(255) as u8;
        }
        let outcome = sample.reading.read(&changed);
        let [first, second] = places.map(|at| sample.part(at));
        let expected = [first, second].map(|part| sample.error_for(part));
        let skipped = matches!(first, Part::Lz4Payload(_)) && outcome.ended != Err(expected[0]);
        unnoticed += u32::from(skipped);
        if skipped && matches!(second, Part::Lz4Payload(_)) && outcome.ended.is_ok() {
            sample.assert_whole(&outcome);
        } else {
            sample.assert_stopped(&outcome, expected[usize::from(skipped)], || {
                format!("{places:?} {first:?} {second:?}")
            });
        }
    }
    assert!(unnoticed < 100, "{unnoticed} first changes went unnoticed");
}

/// Bytes taken out or put in anywhere: what follows is in the wrong place, and is found there.
#[test]
fn a_byte_lost_or_gained() {
    let sample = Sample::of_every_kind();
    for at in 0..sample.bytes.len() {
        let (before, behind) = sample.bytes.split_at(at);
        for changed in [[before, &behind[1..]].concat(), [before, &[0x5a], behind].concat()] {
            let outcome = sample.reading.read(&changed);
            let error = outcome.error();
            let good = error.record as usize;
            assert!(outcome.taken <= changed.len());
            assert_eq!(outcome.given, sample.given[..good], "byte {at}: {error}");
            // A byte like its neighbour leaves the pack as it was up to where they differ, so the place is that or later.
            let first = changed.iter().zip(&sample.bytes).take_while(|(changed, byte)| changed == byte).count();
            let index = sample.entries.iter().rposition(|entry| entry.at <= first);
            assert_eq!(good, index.unwrap_or(0), "byte {at}: {error}");
        }
    }
}

#[test]
fn garbage_of_every_length() {
    let reading = Reading::new([3; 32]);
    for len in 0..300 {
        for (seed, data) in
            [Data::Random { seed: 70 }, Data::Random { seed: 71 }, Data::Constant { byte: 0 }, Data::Painted]
                .into_iter()
                .enumerate()
        {
            let outcome = reading.read(&data.bytes(len));
            // Nothing at all could still have become a pack; a single wrong byte could not.
            let kind = if len == 0 { PackErrorKind::Truncated } else { PackErrorKind::NotAPack };
            let expected = PackError { kind, record: 0, offset: 0 };
            assert_eq!(outcome.ended, Err(expected), "{len} bytes, {seed}");
            assert_eq!((outcome.header, outcome.given.len(), outcome.taken), (None, 0, len.min(HEADER)));
        }
    }
}

#[test]
fn garbage_behind_a_good_header() {
    let recipe = Recipe::small();
    let sample = Sample::new(&recipe, &[]);
    for len in 0..300 {
        for data in [Data::Random { seed: 72 }, Data::Constant { byte: 0 }, Data::Constant { byte: 4 }] {
            let outcome = sample.reading.read(&[&sample.bytes[..HEADER], &data.bytes(len)].concat());
            let expected = if len < RECORD {
                PackError { kind: PackErrorKind::Truncated, record: 0, offset: (HEADER + len) as u64 }
            } else {
                PackError { kind: PackErrorKind::HeaderTag, record: 0, offset: HEADER as u64 }
            };
            assert_eq!(outcome.ended, Err(expected), "{len} bytes");
            assert!(outcome.header.is_some() && outcome.given.is_empty());
        }
    }
}

/// Payloads of garbage under records with good tags, raw and LZ4: nothing of them comes out.
#[test]
fn garbage_as_a_payload() {
    let sample = Sample::of_every_kind();
    let mut rng = Rng::new(73);
    for (index, entry) in sample.entries.iter().enumerate().filter(|(_, entry)| !entry.payload.is_empty()) {
        let payload = entry.at + RECORD..entry.at + RECORD + entry.payload.len();
        for _ in 0..500 {
            let mut changed = sample.bytes.clone();
            let from = if entry.fields.kind == LZ4 { rng.below(12).min(payload.len()) } else { 0 };
            let garbage = Data::Random { seed: rng.next() }.bytes(payload.len() - from);
            changed[payload.clone()][from..].copy_from_slice(&garbage);
            if changed == sample.bytes {
                continue;
            }
            let part = sample.part(payload.start);
            sample.assert_stopped(&sample.reading.read(&changed), sample.error_for(part), || format!("record {index}"));
        }
    }
}
