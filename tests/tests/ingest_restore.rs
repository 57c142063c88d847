//! Streams become packs, and packs become the same streams again: every kind of data, with and without an index, with and
//! without compression.

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

use chunkmill_core::drive::Summary;
use chunkmill_tests::data::Data;
use chunkmill_tests::ledger::{Shelf, expected_events};
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{Packed, Packing, index_of, stored_ends};
use chunkmill_tests::plain_pack::{LZ4, RAW, REFERENCE};
use chunkmill_tests::setup::Setup;

/// Packs, compares the pack with its description, restores and verifies. Gives the counts of raw, compressed and referred
/// chunks.
fn round_trip(packing: &Packing, known: usize, data: &[u8]) -> [usize; 3] {
    let packed = packing.run(data, &mut *index_of(known));
    let Packed { bytes: pack, .. } = &packed;
    let (parsed, expected) = packing.expected(pack, data);
    assert_eq!(packed.result, Ok(expected));
    assert_eq!(packed.events, expected_events(&oracle::chunks(&packing.setup, data), known));
    let flushes = [stored_ends(&parsed.entries), vec![pack.len()]].concat();
    assert_eq!(packed.flushed_at, flushes, "the device is flushed after each stored chunk and at the end");
    assert_eq!(packed.read.1, data.len());
    assert_eq!(pack.len() as u64, 76 + 68 * (expected.chunks + 1) + expected.stored_bytes);

    let mut shelf = Shelf::of(&packing.setup, data);
    let restored = packing.restoring().run(pack, &mut shelf);
    let of_pack = Summary { stored_bytes: pack.len() as u64, ..expected };
    assert_eq!(restored.result, Ok(of_pack));
    assert!(restored.bytes == data, "what was packed comes back");
    assert_eq!(restored.flushed_at, [data.len()]);
    assert_eq!(shelf.asked.len() as u64, expected.references);
    let verified = packing.restoring().verify(pack);
    assert_eq!((verified.result, verified.read), (Ok(of_pack), restored.read));

    [RAW, LZ4, REFERENCE].map(|kind| parsed.entries.iter().filter(|entry| entry.fields.kind == kind).count())
}

#[test]
fn every_kind_of_data_with_every_index_and_compression() {
    let small = (Setup::smallest(1), 12_000);
    let large = (Setup::new((1024, 4096, 16_384), 1, 666), 90_000);
    let mut totals = [0; 3];
    for (setup, len) in [small, large] {
        let plain = Packing::new(setup);
        let packings =
            [plain.clone(), plain.clone().compressing(10), plain.clone().compressing(12), plain.compressing(16)];
        for kind in Data::KINDS {
            let data = kind.bytes(len);
            for packing in &packings {
                for known in [0, 2, 64] {
                    let counts = round_trip(packing, known, &data);
                    assert!(known > 0 || counts[2] == 0, "without an index there are no references");
                    assert!(packing.block.is_some() || counts[1] == 0);
                    totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
                }
            }
        }
    }
    assert!(totals.iter().all(|&total| total > 500), "every kind of record was there: {totals:?}");
}

#[test]
fn streams_of_no_chunk_one_chunk_and_at_every_edge() {
    for setup in [Setup::smallest(0), Setup::new((1024, 1024, 1024), 1, 0)] {
        for kind in [Data::Random { seed: 81 }, Data::Constant { byte: 0 }] {
            for len in setup.edge_lens(3) {
                for packing in [Packing::new(setup), Packing::new(setup).compressing(10)] {
                    for known in [0, 5] {
                        let counts = round_trip(&packing, known, &kind.bytes(len));
                        assert_eq!(counts == [0; 3], len == 0, "an empty stream has no chunk, and no other has none");
                    }
                }
            }
        }
    }
}

/// A pack may be followed by anything: not a byte behind its trailer is read.
#[test]
fn nothing_behind_the_trailer_is_read() {
    let packing = Packing::new(Setup::smallest(1)).compressing(11);
    for len in [0, 1, 5000] {
        let data = Data::Words { seed: 82 }.bytes(len);
        let mut pack = packing.run(&data, &mut *index_of(5)).bytes;
        let pack_len = pack.len();
        pack.extend(b"something else");
        let restored = packing.restoring().run(&pack, &mut Shelf::of(&packing.setup, &data));
        assert!(restored.result.is_ok() && restored.bytes == data);
        assert_eq!(restored.read.1, pack_len);
        assert_eq!(packing.restoring().verify(&pack).read.1, pack_len);
    }
}

/// An index that lives on makes the second pack of a stream references alone, and a source has its chunks.
#[test]
fn an_index_that_lives_on_refers_to_an_earlier_pack() {
    let packing = Packing::new(Setup::smallest(1)).compressing(10);
    let data = Data::Words { seed: 83 }.bytes(9000);
    let mut index = index_of(64);
    let first = packing.run(&data, &mut *index).result.unwrap();
    assert!(first.chunks > 20 && first.references == 0);
    let again = packing.run(&data, &mut *index);
    let expected = Summary { bytes: first.bytes, chunks: first.chunks, references: first.chunks, stored_bytes: 0 };
    assert_eq!(again.result, Ok(expected));
    let mut shelf = Shelf::of(&packing.setup, &data);
    let restored = packing.restoring().run(&again.bytes, &mut shelf);
    assert!(restored.result.is_ok() && restored.bytes == data);
    assert!(shelf.asked.iter().copied().eq(oracle::chunks(&packing.setup, &data).iter().map(|chunk| chunk.id)));
}
