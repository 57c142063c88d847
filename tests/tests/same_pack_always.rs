//! A pack depends on the stream, the key, the parameters and the index, and on nothing else: not on the ring, nor on how
//! devices read and write, nor on what the compressor's memory was used for before. The same goes for what comes back.

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

use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer};
use chunkmill_core::{Chunk, Retained};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::{Fault, Script, Sizes};
use chunkmill_tests::ledger::Shelf;
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{Packed, Packing, STREAM_ID, index_of};
use chunkmill_tests::plain_pack::{self, LZ4};
use chunkmill_tests::setup::{KEY, Setup, id_key};

/// Text, noise and repetitions: chunks that are stored raw, compressed and referred to.
fn mixture(len: usize) -> Vec<u8> {
    let third = len / 3;
    let words = Data::Words { seed: 91 }.bytes(third);
    [&words[..], &Data::Mixed { seed: 92 }.bytes(third), &words].concat()
}

fn packings() -> Vec<(Packing, Vec<u8>)> {
    let small = Packing::new(Setup::smallest(1));
    let large = Packing::new(Setup::new((1024, 4096, 16_384), 1, 0));
    vec![
        (small.clone(), mixture(9000)),
        (small.compressing(10), mixture(9000)),
        (large.clone().compressing(10), mixture(150_000)),
        (large.compressing(14), mixture(150_000)),
    ]
}

/// Calls that were interrupted or short, here and there.
fn disturbed(sizes: Sizes) -> Script {
    let odd = [Fault::Interrupted, Fault::Interrupted, Fault::OneByte, Fault::Interrupted, Fault::OneLess];
    odd.into_iter().enumerate().fold(Script::new(sizes), |script, (at, fault)| script.with(at * at, fault))
}

#[test]
fn packs_do_not_depend_on_rings_and_devices() {
    for (packing, data) in packings() {
        let max = packing.setup.params.max() as usize;
        let Packed { result, bytes, events, .. } = packing.run(&data, &mut *index_of(64));
        let stored = result.unwrap();
        assert!(stored.references > 3 && stored.chunks - stored.references > 3);
        for ring in [max + 2, max + 3, max + 61, 2 * max, 3 * max + 1, 8 * max] {
            for reads in Sizes::several() {
                let packing = Packing { ring, reads: Script::new(reads), ..packing.clone() };
                let again = packing.run(&data, &mut *index_of(64));
                assert!((again.result, &again.bytes, &again.events) == (result, &bytes, &events), "{packing:?}");
            }
        }
        for sizes in Sizes::several() {
            let packing = Packing { reads: disturbed(sizes.clone()), writes: disturbed(sizes), ..packing.clone() };
            let again = packing.run(&data, &mut *index_of(64));
            assert!((again.result, &again.bytes, &again.events) == (result, &bytes, &events), "{packing:?}");
        }
    }
}

#[test]
fn restored_streams_do_not_depend_on_devices_and_memory() {
    for (packing, data) in packings() {
        let pack = packing.run(&data, &mut *index_of(64)).bytes;
        let restoring = packing.restoring();
        let first = restoring.run(&pack, &mut Shelf::of(&packing.setup, &data));
        assert!(first.result.is_ok() && first.bytes == data);
        for (sizes, more) in Sizes::several().into_iter().zip([0, 1, 7, 1000, 100_000]) {
            for script in [Script::new(sizes.clone()), disturbed(sizes)] {
                let mut restoring = restoring.clone();
                restoring.chunk_len += more;
                restoring.block_len += more;
                restoring.reads = script.clone();
                restoring.writes = script;
                let again = restoring.run(&pack, &mut Shelf::of(&packing.setup, &data));
                assert!(again.result == first.result && again.bytes == data, "{restoring:?}");
                assert_eq!(restoring.verify(&pack).result, first.result, "{restoring:?}");
            }
        }
    }
}

/// With less scratch memory fewer chunks are compressed, and always the same ones; from what is recommended on, none more.
#[test]
fn scratch_memory_decides_alone_what_is_compressed() {
    let plain = Packing::new(Setup::new((1024, 4096, 16_384), 1, 0));
    // Every line twice, so that all of it is worth compressing, in short blocks too.
    let data: Vec<u8> =
        Data::Words { seed: 93 }.bytes(40_000).chunks(80).flat_map(|line| [line, line].concat()).collect();
    let mut counts = Vec::new();
    for log2 in [10, 12, 14] {
        let recommended = plain.clone().compressing(log2);
        let least = Compressor::scratch_least(recommended.block.unwrap());
        let enough = recommended.scratch;
        let mut last = 0;
        for scratch in [least, least + 1, least + 900, least + 4000, enough - 1, enough, enough + 1, enough + 100_000] {
            let packing = Packing { scratch, ..recommended.clone() };
            let pack = packing.run(&data, &mut *index_of(0)).bytes;
            for (ring, reads) in [16_386, 16_500, 20_011, 60_000].into_iter().zip(Sizes::several()) {
                let packing = Packing { ring, reads: Script::new(reads), ..packing.clone() };
                assert!(packing.run(&data, &mut *index_of(0)).bytes == pack, "{packing:?}");
            }
            assert!(packing.restoring().run(&pack, &mut Shelf::of(&packing.setup, &data)).bytes == data);
            let parsed = plain_pack::parse(&pack, &KEY).unwrap();
            let compressed = parsed.entries.iter().filter(|entry| entry.fields.kind == LZ4).count();
            assert!(compressed >= last, "more memory does not compress less");
            assert!(scratch <= enough || compressed == last, "more than enough is of no use");
            let all = parsed.entries.len();
            assert!(scratch < enough || compressed == all, "all of it is compressed: {compressed} of {all}, 2^{log2}");
            counts.push(compressed);
            last = compressed;
        }
    }
    assert!(counts[0] < counts[7], "the least memory is not always enough: {counts:?}");
}

/// The table and the scratch memory are full of what another stream left there.
#[test]
fn compressors_do_not_remember() {
    let packing = Packing::new(Setup::new((1024, 4096, 16_384), 1, 0)).compressing(12);
    let streams = [mixture(40_000), Data::Words { seed: 94 }.bytes(30_000), mixture(50_000)];
    let mut table = CompressTable::large();
    let mut scratch = vec![0; packing.scratch];
    for data in &streams {
        let compressor = Compressor::new(BlockLen::from_log2(12).unwrap(), &mut table, &mut scratch).unwrap();
        let gear = packing.setup.gear();
        let mut packer = Packer::compressing(packing.setup.params, &gear, STREAM_ID, &id_key(), compressor);
        let mut pack = packer.header().to_vec();
        for chunk in oracle::chunks(&packing.setup, data) {
            let Chunk { offset, len, .. } = chunk;
            let (first, second) = data[offset as usize..][..len as usize].split_at(len as usize * 2 / 3);
            pack.extend(packer.store(&Retained { chunk, first, second }).parts().concat());
        }
        pack.extend(packer.trailer());
        assert!(pack == packing.run(data, &mut *index_of(0)).bytes, "as with memory never used before");
    }
}
