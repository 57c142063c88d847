//! What an index of the last `N` chunks is asked, in which order, and what it forgets when. Streams are made of blocks of
//! 1 KiB named by letters, and sizes are such that each block is a chunk.

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

use chunkmill_core::{Chunk, ChunkId, ChunkIndex, NoIndex, RecentIndex};
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::ledger::{Event, Shelf, expected_events};
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{Packed, Packing, index_of};
use chunkmill_tests::plain_pack::{self, RAW, REFERENCE};
use chunkmill_tests::setup::{KEY, Setup};

fn packing() -> Packing {
    Packing::new(Setup::new((1024, 1024, 1024), 1, 0))
}

fn block(letter: char) -> Vec<u8> {
    Data::Random { seed: u64::from(letter) }.bytes(1024)
}

fn stream(letters: &str) -> Vec<u8> {
    letters.chars().flat_map(block).collect()
}

fn id(letter: char) -> ChunkId {
    oracle::id(&block(letter))
}

/// Packs these blocks and tells, in letters, how each was stored: as it is in upper case, referred to in lower case.
fn stored(letters: &str, known: usize) -> String {
    let pack = packing().run(&stream(letters), &mut *index_of(known)).bytes;
    let parsed = plain_pack::parse(&pack, &KEY).unwrap();
    assert_eq!(parsed.entries.len(), letters.len());
    let entries = parsed.entries.iter().zip(letters.chars());
    entries
        .map(|(entry, letter)| match entry.fields.kind {
            RAW => letter,
            REFERENCE => letter.to_ascii_lowercase(),
            kind => panic!("a record of kind {kind}"),
        })
        .collect()
}

#[test]
fn calls_of_a_known_stream_in_their_order() {
    use Event::{Contains, Finished, Inserted, Referred, Stored};
    let [a, b] = ['A', 'B'].map(id);
    let Packed { events, .. } = packing().run(&stream("ABAB"), &mut *index_of(1));
    let news = |id| [Contains(id, false), Stored(id), Inserted(id)];
    assert_eq!(events, [&news(a)[..], &news(b), &news(a), &news(b), &[Finished]].concat());

    let Packed { events, .. } = packing().run(&stream("ABBA"), &mut *index_of(2));
    let known = |id| [Contains(id, true), Referred(id)];
    assert_eq!(events, [&news(a)[..], &news(b), &known(b), &known(a), &[Finished]].concat());
}

#[test]
fn a_chunk_is_stored_again_once_enough_others_came_between() {
    assert_eq!(stored("AAAA", 0), "AAAA");
    assert_eq!(stored("AAAA", 1), "Aaaa");
    assert_eq!(stored("ABA", 1), "ABA");
    assert_eq!(stored("ABA", 2), "ABa");
    assert_eq!(stored("ABCA", 2), "ABCA");
    assert_eq!(stored("ABCA", 3), "ABCa");
    assert_eq!(stored("ABCDA", 3), "ABCDA");
    // Chunks met again do not come between, nor does meeting a chunk again keep it known.
    assert_eq!(stored("ABBBBBA", 2), "ABbbbba");
    assert_eq!(stored("ABAAACA", 2), "ABaaaCA");
    // A chunk stored again is as new as any.
    assert_eq!(stored("ABCACDAB", 2), "ABCAcDaB");
}

#[test]
fn any_stream_through_an_index_of_any_length() {
    let mut rng = Rng::new(121);
    let mut found = 0;
    for _ in 0..150 {
        let kinds = 2 + rng.below(6) as u8;
        let letters: String =
            (0..1 + rng.below(25)).map(|_| char::from(b'A' + rng.below(kinds.into()) as u8)).collect();
        let data = stream(&letters);
        let chunks = oracle::chunks(&packing().setup, &data);
        for known in [0, 1, 2, 3, 5, 64] {
            let packed = packing().run(&data, &mut *index_of(known));
            assert_eq!(packed.events, expected_events(&chunks, known), "{letters}, {known}");
            found += packed.result.unwrap().references;
            let restored = packing().restoring().run(&packed.bytes, &mut Shelf::of(&packing().setup, &data));
            assert!(restored.result.is_ok() && restored.bytes == data);
        }
    }
    assert!(found > 1000, "{found}");
}

/// How many chunks it knows, for every count of insertions around its length.
fn assert_knows_the_last<const N: usize>() {
    let mut index = RecentIndex::<N>::new();
    let chunk = |n: usize| Chunk { offset: 0, len: 1, id: oracle::id(&n.to_le_bytes()) };
    assert!(index.is_empty() && RecentIndex::<N>::default().is_empty());
    for count in 0..3 * N + 2 {
        assert_eq!((index.len(), index.is_empty()), (count.min(N), count == 0));
        for n in 0..3 * N + 2 {
            assert_eq!(index.contains(&chunk(n).id), n < count && n + N >= count, "{n} of {count}, {N}");
        }
        index.insert(&chunk(count));
    }
}

#[test]
fn exactly_the_last_are_known() {
    assert_knows_the_last::<1>();
    assert_knows_the_last::<2>();
    assert_knows_the_last::<3>();
    assert_knows_the_last::<7>();
    assert_knows_the_last::<64>();
}

/// The same id twice takes two of the places: drivers never do that, since they ask first.
#[test]
fn an_id_inserted_twice_counts_twice() {
    let mut index = RecentIndex::<2>::new();
    let chunk = |letter| Chunk { offset: 0, len: 1024, id: id(letter) };
    for letter in ['A', 'B', 'B'] {
        index.insert(&chunk(letter));
    }
    assert!(!index.contains(&id('A')) && index.contains(&id('B')));
    assert_eq!(index.len(), 2);
}

/// Ids are compared whole: any one bit apart is another chunk.
#[test]
fn ids_that_differ_in_one_bit_are_others() {
    let mut index = RecentIndex::<4>::new();
    index.insert(&Chunk { offset: 0, len: 1, id: ChunkId::from_bytes([0x5a; 32]) });
    for bit in 0..256 {
        let mut bytes = [0x5a; 32];
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!index.contains(&ChunkId::from_bytes(bytes)), "bit {bit}");
    }
    assert!(!NoIndex.contains(&ChunkId::from_bytes([0x5a; 32])));
}
