//! The core and a second implementation, written from the format's description alone, read each other's packs.

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

use std::io::{Read, Write};

use chunkmill_core::pack::{BlockLen, Compression};
use chunkmill_core::{ChunkParams, GearKind, GearTable, IdKey};
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::pack_writing::{Put, Recipe, every_kind, given};
use chunkmill_tests::plain_pack::{self, Block, Fields, HEADER, Head, LZ4, RAW, RECORD, REFERENCE, Scribe, TRAILER};
use lz4_flex::frame::{BlockMode, BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

/// Headers of every kind of gear table, every compression and every level.
fn recipes() -> Vec<Recipe> {
    let sizes = [(64, 256, 1024), (128, 1500, 6000), (1 << 10, 4 << 10, 16 << 10), (512 << 10, 2 << 20, 8 << 20)];
    let mut recipes = Vec::new();
    for (index, block_log2) in
        [None, Some(10), Some(11), Some(12), Some(13), Some(14), Some(15), Some(16)].into_iter().enumerate()
    {
        let (min, avg, max) = sizes[index % 4];
        let params = ChunkParams::new(min, avg, max, index as u8 % 4).unwrap();
        let mut rng = Rng::new(index as u64);
        let key: [u8; 32] = Data::Random { seed: rng.next() }.bytes(32).try_into().unwrap();
        let stream_id = Data::Random { seed: rng.next() }.bytes(16).try_into().unwrap();
        let gear = match index % 3 {
            0 => GearTable::published().clone(),
            1 => GearTable::seeded(0x0123_4567_89ab_cdef),
            _ => GearTable::keyed(&IdKey::from_bytes(key), &params),
        };
        recipes.push(Recipe { params, gear, block_log2, stream_id, key });
    }
    recipes
}

/// Random records: some stored, some referred to, of random, word-like, mixed and constant content.
fn random_puts(recipe: &Recipe, seed: u64) -> Vec<Put> {
    let mut rng = Rng::new(seed);
    let max = (recipe.params.max() as usize).min(200_000);
    (0..rng.below(12))
        .map(|_| {
            let bits = rng.below(18);
            let len = 1 + rng.below(1 << bits).min(max - 1);
            let kind = Data::KINDS[rng.below(Data::KINDS.len())];
            match rng.below(4) {
                0 => Put::Refer(kind.bytes(len)),
                _ => Put::Store(kind.bytes(len)),
            }
        })
        .collect()
}

fn head_of(recipe: &Recipe) -> Head {
    let (gear, gear_value) = match recipe.gear.kind() {
        GearKind::Published => (0, 0),
        GearKind::Seeded(seed) => (1, seed),
        GearKind::Keyed { counter } => (2, u64::from(counter)),
        other => panic!("{other:?} is new"),
    };
    Head {
        version: 1,
        chunker: 1,
        min: recipe.params.min(),
        avg: recipe.params.avg(),
        max: recipe.params.max(),
        level: recipe.params.level(),
        gear,
        compression: u8::from(recipe.block_log2.is_some()),
        block_log2: recipe.block_log2.unwrap_or(0),
        gear_value,
        stream_id: recipe.stream_id,
    }
}

fn reading_for(recipe: &Recipe) -> Reading {
    let block_len = recipe.block_log2.map_or(0, |log2| 1 << log2);
    Reading { chunk_len: recipe.params.max() as usize, block_len, ..Reading::new(recipe.key) }
}

fn unframed(frame: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    FrameDecoder::new(frame).read_to_end(&mut bytes).expect("the payload is an LZ4 frame");
    bytes
}

/// Each block by itself, so that none refers to another, and in its form: how long it is, and how long it must be stored.
fn assert_blocks(frame: &[u8], chunk: &[u8], block_len: usize) {
    let blocks = plain_pack::blocks(frame).expect("start, blocks and end");
    assert_eq!(blocks.len(), chunk.len().div_ceil(block_len));
    for (block, expected) in blocks.iter().zip(chunk.chunks(block_len)) {
        match block {
            Block::Plain(bytes) => assert_eq!(bytes, expected),
            Block::Compressed(bytes) => {
                assert!(bytes.len() < expected.len());
                assert_eq!(lz4_flex::block::decompress(bytes, expected.len()).unwrap(), expected);
            }
        }
    }
}

fn assert_as_described(recipe: &Recipe, puts: &[Put]) {
    let bytes = recipe.pack(puts);
    let pack = plain_pack::parse(&bytes, &recipe.key).unwrap();
    assert_eq!(pack.head, head_of(recipe));
    assert_eq!(pack.entries.len(), puts.len());
    let mut at = HEADER;
    for (sequence, (entry, put)) in pack.entries.iter().zip(puts).enumerate() {
        let chunk = put.bytes();
        let kind = match (put, recipe.block_log2) {
            (Put::Refer(_), _) => REFERENCE,
            (Put::Store(_), Some(_)) if entry.fields.kind == LZ4 => LZ4,
            (Put::Store(_), _) => RAW,
        };
        let fields = Fields {
            kind,
            zeros: [0; 3],
            raw_len: chunk.len() as u32,
            stored_len: entry.payload.len() as u32,
            sequence: sequence as u64,
            id: plain_pack::id(&recipe.key, chunk),
        };
        assert_eq!((entry.at, entry.fields), (at, fields));
        at += RECORD + entry.payload.len();
        match kind {
            RAW => assert_eq!(entry.payload, chunk),
            REFERENCE => assert!(entry.payload.is_empty()),
            _ => {
                assert_eq!(unframed(&entry.payload), chunk);
                assert_blocks(&entry.payload, chunk, 1 << recipe.block_log2.unwrap());
                assert!(16 * (chunk.len() - entry.payload.len()) >= chunk.len(), "shorter by at least a sixteenth");
            }
        }
    }
    assert_eq!((pack.trailer.at, pack.trailer.fields.kind), (at, TRAILER));
    assert_eq!(pack.trailer.fields.sequence, puts.len() as u64);
}

#[test]
fn packs_of_the_core_are_as_described() {
    for recipe in recipes() {
        assert_as_described(&recipe, &[]);
        for seed in 0..6 {
            assert_as_described(&recipe, &random_puts(&recipe, seed));
        }
    }
    assert_as_described(&Recipe::small(), &every_kind());
}

/// The sample that other tests damage has what it is said to have, or they would show less than they claim.
#[test]
fn sample_has_records_of_every_kind() {
    let pack = plain_pack::parse(&Recipe::small().pack(&every_kind()), &Recipe::small().key).unwrap();
    let kinds: Vec<u8> = pack.entries.iter().map(|entry| entry.fields.kind).collect();
    assert_eq!(kinds, [RAW, LZ4, LZ4, REFERENCE, RAW, REFERENCE, LZ4, RAW]);
    let blocks = |index: usize| plain_pack::blocks(&pack.entries[index].payload).unwrap();
    assert!(matches!(blocks(1)[..], [Block::Compressed(_)]));
    assert!(matches!(blocks(2)[..], [Block::Compressed(_), Block::Plain(_), Block::Compressed(_)]));
}

/// A frame whose blocks are compressed by `lz4_flex`'s own choice of table, every third one left as it is.
fn frame_of(chunk: &[u8], block_len: usize) -> Vec<u8> {
    let blocks: Vec<Block> = chunk
        .chunks(block_len)
        .enumerate()
        .map(|(index, block)| {
            let compressed = lz4_flex::block::compress(block);
            let plain = index % 3 == 2 || compressed.len() >= block.len();
            if plain { Block::Plain(block.to_vec()) } else { Block::Compressed(compressed) }
        })
        .collect();
    plain_pack::frame(&blocks)
}

/// The same records by hand; with compression, whatever gets shorter at all is stored as a frame.
fn pack_by_hand(recipe: &Recipe, puts: &[Put]) -> Vec<u8> {
    let mut scribe = Scribe::new(&head_of(recipe), &recipe.key);
    for put in puts {
        match put {
            Put::Refer(chunk) => scribe.reference(chunk),
            Put::Store(chunk) => {
                let frame = recipe.block_log2.map(|log2| frame_of(chunk, 1 << log2));
                match frame.filter(|frame| frame.len() < chunk.len()) {
                    Some(frame) => scribe.lz4(chunk, &frame),
                    None => scribe.raw(chunk),
                }
            }
        }
    }
    scribe.end()
}

fn assert_core_reads(recipe: &Recipe, puts: &[Put], at_most: usize) {
    let pack = pack_by_hand(recipe, puts);
    let outcome = Reading { at_most, ..reading_for(recipe) }.read(&pack);
    let header = outcome.header.expect("a header");
    assert_eq!(header.params, recipe.params);
    assert_eq!(header.gear, recipe.gear.kind());
    assert_eq!(header.stream_id, recipe.stream_id);
    let compression = match recipe.block_log2 {
        None => Compression::None,
        Some(log2) => Compression::Lz4(BlockLen::from_log2(log2).unwrap()),
    };
    assert_eq!(header.compression, compression);
    assert_eq!(outcome.given, given(puts, &recipe.key));
    let totals = outcome.ended.unwrap();
    assert_eq!(totals.records, puts.len() as u64);
    assert_eq!(totals.references, puts.iter().filter(|put| matches!(put, Put::Refer(_))).count() as u64);
    assert_eq!(totals.bytes, puts.iter().map(|put| put.bytes().len() as u64).sum::<u64>());
    assert_eq!(outcome.taken, pack.len());
}

#[test]
fn packs_as_described_are_read_by_the_core() {
    for recipe in recipes() {
        assert_core_reads(&recipe, &[], usize::MAX);
        for seed in 0..6 {
            assert_core_reads(&recipe, &random_puts(&recipe, seed), usize::MAX);
        }
        assert_core_reads(&recipe, &random_puts(&recipe, 6), 977);
    }
    for at_most in [1, 2, 67, 68, 69] {
        assert_core_reads(&Recipe::small(), &every_kind(), at_most);
    }
}

/// Without compression a stream has no choice left, so the two write the same bytes.
#[test]
fn both_write_the_same_bytes() {
    for mut recipe in recipes() {
        recipe.block_log2 = None;
        for seed in 10..14 {
            let puts = random_puts(&recipe, seed);
            assert!(recipe.pack(&puts) == pack_by_hand(&recipe, &puts), "seed {seed}");
        }
    }
}

/// A payload may be any LZ4 frame with independent blocks of 64 KiB and no checksums, here of another encoder.
#[test]
fn frames_of_another_encoder_are_read() {
    let recipe = Recipe { block_log2: Some(16), params: ChunkParams::DEFAULT, ..Recipe::small() };
    let content = [Data::Words { seed: 51 }.bytes(150_000), Data::Random { seed: 52 }.bytes(70_000), vec![0; 90_000]];
    for chunk in [content.concat(), content[0].clone(), content[0][..1000].to_vec(), content[0][..65_536].to_vec()] {
        let info = FrameInfo::new().block_size(BlockSize::Max64KB).block_mode(BlockMode::Independent);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(&chunk).unwrap();
        let mut scribe = Scribe::new(&head_of(&recipe), &recipe.key);
        scribe.lz4(&chunk, &encoder.finish().unwrap());
        let outcome = reading_for(&recipe).read(&scribe.end());
        assert_eq!(outcome.ended.map(|totals| totals.records), Ok(1));
        assert!(outcome.given == given(&[Put::Store(chunk)], &recipe.key));
    }
}

/// The parser of the tests is as strict as it looks: no changed byte gets past it, but for those inside LZ4 blocks, which
/// it does not decompress.
#[test]
fn second_parser_is_strict() {
    let recipe = Recipe::small();
    let pack = recipe.pack(&every_kind());
    let entries = plain_pack::parse(&pack, &recipe.key).unwrap().entries;
    let mut let_through = 0;
    for at in 0..pack.len() {
        let mut changed = pack.clone();
        changed[at] ^= 0x10;
        let in_frame = entries.iter().any(|entry| {
            entry.fields.kind == LZ4 && (entry.at + RECORD..entry.at + RECORD + entry.payload.len()).contains(&at)
        });
        let refused = plain_pack::parse(&changed, &recipe.key).is_err();
        assert!(refused || in_frame, "byte {at}");
        let_through += usize::from(!refused);
        assert!(plain_pack::parse(&pack[..at], &recipe.key).is_err(), "{at} bytes");
    }
    assert!(let_through > 0);
    assert!(plain_pack::parse(&[&pack[..], &[0]].concat(), &recipe.key).is_err());
    assert!(plain_pack::parse(&pack, &[0; 32]).is_err());
}
