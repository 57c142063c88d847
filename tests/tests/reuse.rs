//! Nothing of a stream is left over for the next: however the first ended, the second gives the chunks of a fresh chunker.

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

use chunkmill_tests::data::Data;
use chunkmill_tests::drive::{self, Pushes, Watch};
use chunkmill_tests::naive::{LastByte, Naive};
use chunkmill_tests::oracle;
use chunkmill_tests::setup::Setup;

/// First streams that end in every state there is, under what name.
fn first_streams(setup: &Setup) -> Vec<(&'static str, Vec<u8>)> {
    let random = Data::Random { seed: 80 }.bytes(5000);
    let ends = Naive::new(setup).last_bytes(&random);
    let ending_in = |wanted: LastByte| {
        let at = ends.iter().rposition(|&end| end == wanted).expect("random data has triggers of both kinds");
        random[..=at].to_vec()
    };
    vec![
        ("empty", vec![]),
        ("one byte", vec![7]),
        ("below the minimum", random[..63].to_vec()),
        ("at the minimum", random[..64].to_vec()),
        ("with a byte held back", ending_in(LastByte::EvenTrigger)),
        ("with a chunk of one byte", ending_in(LastByte::OddTrigger)),
        ("between triggers", random[..4000].to_vec()),
        ("right behind a cut at the maximum", vec![0; 2048]),
        ("one byte behind a cut at the maximum", vec![0; 2049]),
        ("before a cut at the maximum", vec![0; 1023]),
    ]
}

#[test]
fn second_stream_equals_a_fresh_one() {
    for level in [0, 1, 3] {
        let setup = Setup::smallest(level);
        let gear = setup.gear();
        let streams = first_streams(&setup);
        for (first_name, first) in &streams {
            for (second_name, second) in &streams {
                for pushes in [Pushes::Whole, Pushes::Of(1), Pushes::Of(64)] {
                    let about = format!("{second_name} after {first_name}, level {level}, {pushes:?}");
                    let mut chunker = setup.chunker(&gear);
                    let mut cutter = setup.cutter(&gear);
                    for stream in [first, second] {
                        let expected = oracle::chunks(&setup, stream);
                        assert_eq!(drive::chunk(&mut chunker, stream, &pushes), expected, "{about}");
                        assert_eq!(drive::cut(&mut cutter, stream, &pushes), oracle::lens(&setup, stream), "{about}");
                    }
                }
            }
        }
    }
}

/// Every prefix through one and the same chunker.
#[test]
fn thousands_of_streams_through_one_chunker() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let mut chunker = setup.chunker(&gear);
    let data = Data::Random { seed: 81 }.bytes(3000);
    for len in 0..=data.len() {
        let chunks = drive::chunk(&mut chunker, &data[..len], &Pushes::Of(97));
        assert_eq!(chunks, oracle::chunks(&setup, &data[..len]), "prefix of {len} bytes");
    }
}

/// A clone made in the middle of a stream ends it, and the original goes on as if there had been no clone.
#[test]
fn clones_go_their_own_way() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let data = Data::Random { seed: 82 }.bytes(2500);
    let mut going = setup.chunker(&gear);
    let mut watch = Watch::new(&going, &data);
    for at in 0..data.len() {
        watch.push(&mut going, &data[at..=at]);
        let mut clone = going.clone();
        assert_eq!(watch.clone().finish(&mut clone), oracle::chunks(&setup, &data[..=at]), "after byte {at}");
    }
    assert_eq!(watch.finish(&mut going), oracle::chunks(&setup, &data));
}

/// `finish` in the middle of what a push lends: what was handed over so far is a stream, the rest of the input is not.
#[test]
fn finish_right_after_a_cut() {
    let setup = Setup::smallest(0);
    let gear = setup.gear();
    let data = Data::Random { seed: 83 }.bytes(5000);
    let ends = Naive::new(&setup).last_bytes(&data);
    let mut seen = 0;
    for (at, end) in ends.into_iter().enumerate().filter(|&(_, end)| end == LastByte::EvenTrigger) {
        let mut chunker = setup.chunker(&gear);
        let mut input = &data[..=at];
        while chunker.push(&mut input).is_some() {}
        // One byte more decides about the byte held back: a cut before it. Then the stream ends, with that byte in no
        // span yet and the byte pushed not taken.
        let mut more = &data[at + 1..][..1];
        let cut = chunker.push(&mut more).and_then(|span| span.ended).expect("the trigger counts now");
        assert_eq!(more.len(), 1);
        assert_eq!(cut.offset + u64::from(cut.len), at as u64);
        let last = chunker.finish().expect("the byte held back is a chunk");
        assert_eq!(last.bytes, [data[at]], "{end:?} at {at}");
        assert_eq!(
            last.ended.map(|chunk| (chunk.offset, chunk.len, chunk.id)),
            Some((at as u64, 1, oracle::id(&[data[at]])))
        );
        assert_eq!(drive::chunk(&mut chunker, &data, &Pushes::Whole), oracle::chunks(&setup, &data));
        seen += 1;
    }
    assert!(seen > 3, "{seen} bytes held back");
}
