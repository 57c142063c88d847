//! What a chunk's frame depends on, and when there is none: the rules of gain and of giving up, to the byte, against frames
//! made of whole blocks without any rule.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, CompressorError, Packer};
use chunkmill_core::{ChunkParams, IdKey, Retained};
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::pack_reading::Reading;
use chunkmill_tests::pack_writing::{Put, Recipe, given, lines};
use chunkmill_tests::plain_pack::{self, Block, LZ4, RAW};
use lz4_flex::block::{compress_into_with_table, get_maximum_output_size};

const START_AND_END: usize = 11;
const START: usize = 7;

fn block_of(log2: u8) -> BlockLen {
    BlockLen::from_log2(log2).unwrap()
}

/// Runs `with` with a compressor that has all the memory it can use.
fn with_compressor<T>(log2: u8, with: impl FnOnce(&mut Compressor<'_>) -> T) -> T {
    let params = ChunkParams::new(64, 65_536, 1 << 20, 1).unwrap();
    let mut table = CompressTable::large();
    let mut scratch = vec![0; Compressor::scratch_for(block_of(log2), &params)];
    with(&mut Compressor::new(block_of(log2), &mut table, &mut scratch).unwrap())
}

/// The frame of a chunk with every block compressed if that makes it shorter, whatever is gained; each block with a table
/// of its own.
fn frame_without_rules(chunk: &[u8], block_len: usize) -> Vec<u8> {
    let blocks: Vec<Block> = chunk
        .chunks(block_len)
        .map(|block| {
            let mut room = vec![0; get_maximum_output_size(block.len())];
            let len = compress_into_with_table(block, &mut room, &mut CompressTable::large()).unwrap();
            if len < block.len() { Block::Compressed(room[..len].to_vec()) } else { Block::Plain(block.to_vec()) }
        })
        .collect();
    plain_pack::frame(&blocks)
}

/// Random bytes in front, zeros behind.
fn random_then_zeros(random_len: usize, len: usize) -> Vec<u8> {
    let mut bytes = Data::Random { seed: len as u64 }.bytes(random_len);
    bytes.resize(len, 0);
    bytes
}

/// Where a ring wraps is chance: it must not show in a pack.
#[test]
fn frame_does_not_depend_on_where_the_slices_meet() {
    let chunk = [lines(1, 1100), Data::Random { seed: 2 }.bytes(1000), lines(3, 900)].concat();
    with_compressor(10, |compressor| {
        let frame = compressor.compress(&chunk, &[]).unwrap().to_vec();
        assert_eq!(frame, frame_without_rules(&chunk, 1024));
        for at in 0..=chunk.len() {
            let (first, second) = chunk.split_at(at);
            assert_eq!(compressor.compress(first, second), Some(&frame[..]), "split at {at}");
        }
    });
}

/// Around the borders of blocks, for every block length; and where there is no frame, there is none at any split.
#[test]
fn frame_does_not_depend_on_slices_for_any_block_length() {
    for log2 in 10..=16 {
        let block_len = block_of(log2).bytes();
        assert_eq!(block_len, 1 << log2);
        let len = 2 * block_len + block_len / 3;
        let mut rng = Rng::new(u64::from(log2));
        for chunk in [lines(4, len), random_then_zeros(block_len + 100, len), Data::Random { seed: 5 }.bytes(len)] {
            with_compressor(log2, |compressor| {
                let frame = compressor.compress(&chunk, &[]).map(<[u8]>::to_vec);
                let borders = [0, block_len, 2 * block_len, len];
                let around = borders.into_iter().flat_map(|at| [at.saturating_sub(1), at, (at + 1).min(len)]);
                for at in around.chain((0..4).map(|_| rng.below(len))) {
                    let (first, second) = chunk.split_at(at);
                    assert_eq!(compressor.compress(first, second), frame.as_deref(), "{block_len}: split at {at}");
                }
            });
        }
    }
}

/// Nothing of one chunk is left in the compressor for the next.
#[test]
fn frame_does_not_depend_on_chunks_before() {
    let chunks = [lines(1, 5000), vec![0; 3000], Data::Random { seed: 6 }.bytes(2000), lines(7, 1), lines(1, 2500)];
    with_compressor(10, |used| {
        for first in &chunks {
            for second in &chunks {
                let fresh = with_compressor(10, |fresh| fresh.compress(second, &[]).map(<[u8]>::to_vec));
                let _ = used.compress(first, &[]);
                assert_eq!(used.compress(second, &[]), fresh.as_deref());
            }
        }
    });
}

/// A frame is worth it from exactly a sixteenth on. Of one block and of several, lengths that are multiples of 16 and not.
#[test]
fn gain_of_a_sixteenth_and_a_byte_less() {
    let (mut just_worth, mut just_not) = (0, 0);
    with_compressor(10, |compressor| {
        for len in [333, 1000, 1008, 1023, 1024, 1500] {
            for random_len in 0..=len {
                let chunk = random_then_zeros(random_len, len);
                let frame = frame_without_rules(&chunk, 1024);
                let worth_it = 16 * frame.len() <= 15 * len;
                let expected = worth_it.then_some(&frame[..]);
                assert_eq!(compressor.compress(&chunk, &[]), expected, "{random_len} random of {len} bytes");
                just_worth += u32::from(frame.len() == len - len.div_ceil(16));
                just_not += u32::from(frame.len() == len - len.div_ceil(16) + 1);
            }
        }
    });
    assert!(just_worth >= 6 && just_not >= 6, "{just_worth} times just worth it, {just_not} times just not");
}

/// The smallest chunks: a frame takes 11 bytes for itself, so these are never worth one.
#[test]
fn smallest_chunks_are_not_compressed() {
    with_compressor(10, |compressor| {
        for len in 0..=START_AND_END + 5 {
            assert_eq!(compressor.compress(&vec![0; len], &[]), None, "{len} zeros");
        }
        assert!(compressor.compress(&[0; 64], &[]).is_some());
    });
}

/// Two random blocks are enough to give a chunk up, whatever would follow; one is not.
#[test]
fn two_random_blocks_are_enough() {
    for log2 in 10..=16 {
        let block_len = block_of(log2).bytes();
        let chunk = |random_len| random_then_zeros(random_len, 16 * block_len);
        with_compressor(log2, |compressor| {
            assert_eq!(compressor.compress(&chunk(2 * block_len), &[]), None);
            assert!(
                16 * frame_without_rules(&chunk(2 * block_len), block_len).len() <= 15 * 16 * block_len,
                "worth it"
            );
            let frame = frame_without_rules(&chunk(block_len), block_len);
            assert_eq!(compressor.compress(&chunk(block_len), &[]), Some(&frame[..]));
            // Random blocks that come later do not matter.
            let mut late = vec![0; 16 * block_len];
            late[2 * block_len..8 * block_len].copy_from_slice(&Data::Random { seed: 8 }.bytes(6 * block_len));
            let frame = frame_without_rules(&late, block_len);
            assert_eq!(compressor.compress(&late, &[]), Some(&frame[..]));
        });
    }
}

/// Given up means: not even a sixty-fourth of the first two blocks was gained, the frame's own bytes counted.
#[test]
fn given_up_below_a_sixty_fourth() {
    let (mut just_kept, mut just_given_up) = (0, 0);
    with_compressor(10, |compressor| {
        for random_len in 1800..=2048 {
            let chunk = random_then_zeros(random_len, 8192);
            let so_far = frame_without_rules(&chunk[..2048], 1024).len() - (START_AND_END - START);
            let frame = frame_without_rules(&chunk, 1024);
            let expected = (so_far <= 2048 - 32).then_some(&frame[..]);
            assert_eq!(compressor.compress(&chunk, &[]), expected, "{random_len} random bytes");
            just_kept += u32::from(so_far == 2048 - 32);
            just_given_up += u32::from(so_far == 2048 - 32 + 1);
        }
    });
    assert!(just_kept > 0 && just_given_up > 0, "{just_kept} times just kept, {just_given_up} times just given up");
}

/// A block that LZ4 makes longer, or leaves as long as it was, stands in the frame as it is: a reader takes no other.
#[test]
fn blocks_that_do_not_get_shorter_are_left_as_they_are() {
    let (mut as_long, mut shorter) = (0, 0);
    with_compressor(10, |compressor| {
        for seed in 0..20 {
            // Random bytes of which a few come twice: one short match, which pays or does not.
            for twice in 0..20 {
                let mut block = Data::Random { seed }.bytes(1024);
                block.copy_within(20..20 + twice, 300);
                let mut room = vec![0; get_maximum_output_size(1024)];
                let len = compress_into_with_table(&block, &mut room, &mut CompressTable::large()).unwrap();
                as_long += u32::from(len == 1024);
                shorter += u32::from(len < 1024);
                let chunk = [&[0; 2048][..], &block, &[0; 500]].concat();
                let blocks = plain_pack::blocks(compressor.compress(&chunk, &[]).unwrap()).unwrap();
                let expected = if len < 1024 { Block::Compressed(room[..len].to_vec()) } else { Block::Plain(block) };
                assert_eq!(blocks[2], expected, "seed {seed}, {twice} bytes twice");
            }
        }
    });
    assert!(as_long > 0 && shorter > 0, "{as_long} as long as before, {shorter} shorter");
}

/// Less scratch memory than the chunk's frame needs: no frame, or the same one. More never makes it worse.
#[test]
fn any_scratch_gives_the_frame_or_none() {
    let params = ChunkParams::new(64, 1024, 8192, 1).unwrap();
    let chunks =
        [lines(1, 8192), lines(2, 1024), lines(3, 1025), vec![0; 8192], random_then_zeros(1500, 8192), lines(4, 200)];
    let frames = chunks.clone().map(|chunk| frame_without_rules(&chunk, 1024));
    let (least, enough) = (Compressor::scratch_least(block_of(10)), Compressor::scratch_for(block_of(10), &params));
    let mut compressed = [0; 6];
    let mut table = CompressTable::large();
    for scratch_len in (least..enough).step_by(7).chain([least + 1, enough - 1, enough, enough + 1]) {
        let mut scratch = vec![0xee; scratch_len];
        let mut compressor = Compressor::new(block_of(10), &mut table, &mut scratch).unwrap();
        for (index, (chunk, frame)) in chunks.iter().zip(&frames).enumerate() {
            let found = compressor.compress(&chunk[..chunk.len() / 3], &chunk[chunk.len() / 3..]);
            if let Some(found) = found {
                assert_eq!(found, frame);
                compressed[index] += 1;
            }
            let promised = chunk.len() <= 1024 || scratch_len >= enough;
            assert!(found.is_some() || !promised, "chunk {index}, {scratch_len} bytes of scratch");
        }
    }
    assert!(compressed[3] > compressed[0] && compressed[0] > 2, "{compressed:?}: scratch memory has made a difference");
}

/// With the scratch memory asked for, the longest chunks are compressed down to the least gain that is worth it.
#[test]
fn enough_scratch_is_enough_for_the_least_gain() {
    let params = ChunkParams::new(64, 1024, 8192, 1).unwrap();
    let (mut table, mut scratch) = (CompressTable::large(), vec![0; Compressor::scratch_for(block_of(10), &params)]);
    let mut compressor = Compressor::new(block_of(10), &mut table, &mut scratch).unwrap();
    let mut longest = 0;
    for zeros in 500..700 {
        let mut chunk = Data::Random { seed: 9 }.bytes(8192);
        chunk[..zeros].fill(0);
        let frame = frame_without_rules(&chunk, 1024);
        let worth_it = 16 * frame.len() <= 15 * 8192;
        assert_eq!(compressor.compress(&chunk, &[]), worth_it.then_some(&frame[..]), "{zeros} zeros");
        longest = longest.max(if worth_it { frame.len() } else { 0 });
    }
    assert_eq!(longest, 8192 - 512);
}

/// Chunks that found no room are raw in the pack, which is read back as any other.
#[test]
fn packs_with_little_scratch_are_good() {
    let recipe = Recipe::small();
    let key = IdKey::from_bytes(recipe.key);
    let puts = [Put::Store(lines(1, 4096)), Put::Store(lines(2, 1000)), Put::Store(vec![0; 4096])];
    let least = Compressor::scratch_least(block_of(10));
    let mut kinds: Vec<Vec<u8>> = Vec::new();
    for scratch_len in [least, least + 700, least + 4000] {
        let (mut table, mut scratch) = (CompressTable::large(), vec![0; scratch_len]);
        let compressor = Compressor::new(block_of(10), &mut table, &mut scratch).unwrap();
        let mut packer = Packer::compressing(recipe.params, &recipe.gear, recipe.stream_id, &key, compressor);
        let mut pack = packer.header().to_vec();
        for (put, given) in puts.iter().zip(given(&puts, &recipe.key)) {
            let retained = Retained { chunk: given.chunk, first: put.bytes(), second: &[] };
            pack.extend(packer.store(&retained).parts().concat());
        }
        pack.extend(packer.trailer());
        let outcome = Reading::new(recipe.key).read(&pack);
        assert!(outcome.ended.is_ok());
        assert_eq!(outcome.given, given(&puts, &recipe.key));
        kinds.push(
            plain_pack::parse(&pack, &recipe.key).unwrap().entries.iter().map(|entry| entry.fields.kind).collect(),
        );
    }
    assert_eq!(kinds, [vec![RAW, LZ4, RAW], vec![RAW, LZ4, LZ4], vec![LZ4, LZ4, LZ4]]);
}

#[test]
fn too_little_scratch_is_refused() {
    for log2 in 10..=16 {
        let needed = Compressor::scratch_least(block_of(log2));
        let mut table = CompressTable::large();
        for found in [0, 1, block_of(log2).bytes() - 1, block_of(log2).bytes(), needed / 2, needed - 1] {
            let refused = Compressor::new(block_of(log2), &mut table, &mut vec![0; found]).err();
            assert_eq!(refused, Some(CompressorError::Scratch { needed, found }));
        }
        assert!(Compressor::new(block_of(log2), &mut table, &mut vec![0; needed]).is_ok());
    }
}

#[test]
fn small_table_is_refused() {
    let mut scratch = vec![0; 1 << 20];
    for log2 in 10..=16 {
        for mut table in [CompressTable::small(), CompressTable::default()] {
            let refused = Compressor::new(block_of(log2), &mut table, &mut scratch).err();
            assert_eq!(refused, Some(CompressorError::SmallTable));
        }
    }
    // Whatever else is wrong, too.
    let refused = Compressor::new(block_of(10), &mut CompressTable::small(), &mut []).err();
    assert_eq!(refused, Some(CompressorError::SmallTable));
}

#[test]
fn block_lengths_are_powers_of_two() {
    for log2 in 0..=u8::MAX {
        let expected = (10..=16).contains(&log2).then(|| 1usize << log2);
        assert_eq!(BlockLen::from_log2(log2).map(BlockLen::bytes), expected);
    }
    assert_eq!(BlockLen::MAX.bytes(), 65_536);
}

/// Made in place, in exactly the room that is asked for: the same frame, or none. A byte less of room may lose one.
#[test]
fn a_frame_made_in_place_is_the_same() {
    for log2 in [10, 12, 16] {
        let block_len = block_of(log2).bytes();
        let lens = [1, 60, block_len - 1, block_len, block_len + 1, 3 * block_len + 100];
        for chunk in lens.into_iter().flat_map(|len| {
            let noise = Data::Random { seed: len as u64 }.bytes(len);
            [lines(6, len), random_then_zeros(len / 2, len), noise, vec![0; len]]
        }) {
            let expected = with_compressor(log2, |compressor| compressor.compress(&chunk, &[]).map(<[u8]>::to_vec));
            let mut table = CompressTable::large();
            let mut room = vec![0xaa; Compressor::room_for(block_of(log2), chunk.len())];
            let made = Compressor::compress_into(block_of(log2), &mut table, &chunk, &mut room).unwrap();
            assert_eq!(
                made.map(|len| room[..len].to_vec()),
                expected,
                "{} bytes in blocks of {block_len}",
                chunk.len()
            );
            for len in [0, 3, 8, room.len() / 2] {
                let made = Compressor::compress_into(block_of(log2), &mut table, &chunk, &mut room[..len]).unwrap();
                assert!(made.is_none_or(|made| Some(&room[..made]) == expected.as_deref()), "{len} bytes of room");
            }
        }
    }
    let small = &mut CompressTable::small();
    assert_eq!(Compressor::compress_into(BlockLen::MAX, small, b"abc", &mut [0; 99]), Err(CompressorError::SmallTable));
}
