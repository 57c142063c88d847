//! Nothing that lay in the memory lent to a reader comes out of it: packs are read twice, with memory filled in two ways,
//! and give the same. LZ4 blocks are made by hand to reach for bytes that are not theirs, and the ids in their records are
//! those of what a careless decoder would give, so that it would be found out.

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
use chunkmill_tests::pack_reading::{Outcome, Reading};
use chunkmill_tests::pack_writing::{Recipe, every_kind};
use chunkmill_tests::plain_pack::{self, Block, HEADER, Head, Scribe};

const KEY: [u8; 32] = [5; 32];
const FILLS: [u8; 2] = [0x00, 0xaa];
/// Each made-up block stands behind a block of so many zeros. Without it a frame would often be no shorter than its chunk,
/// which is refused before any block is looked at; and there would be no block before to reach for.
const PADDING: usize = 1024;

const HEAD: Head = Head {
    version: 1,
    chunker: 1,
    min: 64,
    avg: 1024,
    max: 4096,
    level: 1,
    gear: 0,
    compression: 1,
    block_log2: 10,
    gear_value: 0,
    stream_id: [6; 16],
};

/// Literals, and a match behind them.
#[derive(Clone, Debug)]
struct Sequence {
    literals: Vec<u8>,
    offset: u16,
    match_len: usize,
}

/// An LZ4 block of these sequences, and literals at its end.
fn block_of(sequences: &[Sequence], last: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for Sequence { literals, offset, match_len } in sequences {
        token(&mut block, literals, match_len - 4);
        block.extend(offset.to_le_bytes());
        more(&mut block, match_len - 4);
    }
    token(&mut block, last, 0);
    block
}

fn token(block: &mut Vec<u8>, literals: &[u8], match_code: usize) {
    block.push((literals.len().min(15) << 4 | match_code.min(15)) as u8);
    more(block, literals.len());
    block.extend(literals);
}

/// What a length has beyond the 15 that the token tells.
fn more(block: &mut Vec<u8>, len: usize) {
    if let Some(mut rest) = len.checked_sub(15) {
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(rest as u8);
    }
}

/// What a decoder without checks would give in memory full of `fill`, and whether it stayed within what it had decoded.
fn careless(sequences: &[Sequence], last: &[u8], fill: u8) -> (Vec<u8>, bool) {
    let mut output = Vec::new();
    let mut valid = true;
    for Sequence { literals, offset, match_len } in sequences {
        output.extend(literals);
        let offset = usize::from(*offset);
        valid &= offset > 0 && offset <= output.len();
        for _ in 0..*match_len {
            let from = output.len().checked_sub(offset).and_then(|from| output.get(from));
            output.push(from.copied().unwrap_or(fill));
        }
    }
    output.extend(last);
    (output, valid)
}

/// Reads with both fillings and gives what both gave.
fn read_twice(pack: &[u8]) -> Outcome {
    let [one, other] = FILLS.map(|fill| Reading { fill, ..Reading::new(KEY) }.read(pack));
    assert_eq!(one, other);
    one
}

/// A pack of one chunk: a block of zeros, and `block`, which claims to give `content`.
fn pack_of(block: Vec<u8>, content: &[u8]) -> Vec<u8> {
    let chunk = [&[0; PADDING][..], content].concat();
    let padding = Block::Compressed(lz4_flex::block::compress(&[0; PADDING]));
    let mut scribe = Scribe::new(&HEAD, &KEY);
    scribe.lz4(&chunk, &plain_pack::frame(&[padding, Block::Compressed(block)]));
    scribe.end()
}

fn assert_refused(block: &[u8], content: &[u8]) {
    let outcome = read_twice(&pack_of(block.to_vec(), content));
    let expected = PackError { kind: PackErrorKind::Payload, record: 0, offset: HEADER as u64 };
    assert_eq!(outcome.ended, Err(expected));
    assert!(outcome.given.is_empty());
}

#[test]
fn whole_packs_give_the_same() {
    let recipe = Recipe::small();
    let pack = recipe.pack(&every_kind());
    for at_most in [usize::MAX, 100] {
        let [one, other] = FILLS.map(|fill| Reading { fill, at_most, ..Reading::new(recipe.key) }.read(&pack));
        assert_eq!(one, other);
        assert!(one.ended.is_ok());
    }
}

/// Offset 0 would copy what lies where the copy goes.
#[test]
fn matches_of_offset_0() {
    for literals in [&b""[..], b"a", b"some literals, more than fifteen of them"] {
        for match_len in [4, 18, 19, 300, 700] {
            for last in [&b""[..], b"the end of the block"] {
                let sequences = [Sequence { literals: literals.to_vec(), offset: 0, match_len }];
                for fill in FILLS {
                    let (content, _) = careless(&sequences, last, fill);
                    assert_refused(&block_of(&sequences, last), &content);
                }
            }
        }
    }
}

/// The block before in the same chunk is not theirs either, though it lies right there: blocks do not refer to one another.
#[test]
fn matches_that_start_before_the_block() {
    for literals in [0, 1, 14, 15, 40] {
        let literals = Data::Random { seed: 1 }.bytes(literals);
        for beyond in [1, 2, 7, 8, 15, 16, 17, 500, 1024, 1025, 60_000] {
            let sequences =
                [Sequence { literals: literals.clone(), offset: (literals.len() + beyond) as u16, match_len: 100 }];
            for fill in FILLS {
                // With zeros, this is what the block before has there.
                let (content, valid) = careless(&sequences, b"the end", fill);
                assert!(!valid);
                assert_refused(&block_of(&sequences, b"the end"), &content);
            }
        }
    }
}

/// A block that gives less than its part of the chunk leaves the rest as it was.
#[test]
fn blocks_that_give_too_little_or_too_much() {
    let sequences = [Sequence { literals: b"abcdefgh".to_vec(), offset: 8, match_len: 600 }];
    let (content, valid) = careless(&sequences, b"the end", 0);
    let block = block_of(&sequences, b"the end");
    assert!(valid);
    let outcome = read_twice(&pack_of(block.clone(), &content));
    assert_eq!(outcome.given[0].bytes.as_deref(), Some(&[&[0; PADDING][..], &content].concat()[..]));
    for missing in [1, 2, 8, 100, 400] {
        for fill in FILLS {
            assert_refused(&block, &[&content[..], &vec![fill; missing]].concat());
        }
        assert_refused(&block, &content[..content.len() - missing]);
    }
}

/// Blocks that end in the middle of something.
#[test]
fn blocks_cut_short() {
    let sequences = [
        Sequence { literals: b"sixteen literals".to_vec(), offset: 16, match_len: 400 },
        Sequence { literals: b"more".to_vec(), offset: 3, match_len: 30 },
    ];
    let (content, _) = careless(&sequences, b"the end", 0);
    let block = block_of(&sequences, b"the end");
    for len in 1..block.len() {
        assert_refused(&block[..len], &content);
    }
}

/// Lengths that go on for ever, and past what any memory has.
#[test]
fn lengths_that_overflow() {
    for token in [0xf0, 0x1f, 0xff, 0x0f] {
        for literals in [&b""[..], b"a"] {
            let mut block = vec![token];
            block.extend(literals);
            block.extend([1, 0]);
            block.resize(900, 255);
            assert_refused(&block, &[b'a'; 1000]);
            block.extend([0, 0]);
            assert_refused(&block, &[b'a'; 1000]);
        }
    }
}

/// Sequences at random, valid ones among them: those are read, and all others refused.
#[test]
fn random_sequences() {
    let mut rng = Rng::new(95);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let mut len = 0;
        let mut sequences = Vec::new();
        for _ in 0..1 + rng.below(4) {
            let literals = Data::Random { seed: rng.next() }.bytes(rng.below(20));
            len += literals.len();
            let offset = match rng.below(12) {
                0 => 0,
                1 => len + 1 + rng.below(2000),
                2 => len + 1,
                _ => 1 + rng.below(len.max(1)),
            };
            let match_len = 4 + rng.below(200);
            len += match_len;
            sequences.push(Sequence { literals, offset: offset as u16, match_len });
        }
        let last = Data::Random { seed: rng.next() }.bytes(1 + rng.below(20));
        let fill = FILLS[rng.below(2)];
        let (mut content, valid) = careless(&sequences, &last, fill);
        let exact = rng.below(4) > 0;
        if !exact {
            content.push(fill);
        }
        let block = block_of(&sequences, &last);
        let fits = content.len() <= 1024 && block.len() < content.len();
        let outcome = read_twice(&pack_of(block, &content));
        assert_eq!(outcome.ended.is_ok(), valid && exact && fits, "{sequences:?}");
        read += usize::from(outcome.ended.is_ok());
        refused += usize::from(!valid);
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
