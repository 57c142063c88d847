//! Cut points: every chunker and every kernel, pushed anyhow, against the crate `fastcdc` and the plain definition.

use arbitrary::Unstructured;
use chunkmill_core::{Chunk, Cutter, Kernel, StreamingChunker};
use chunkmill_tests::data::Data;
use chunkmill_tests::devices::Sizes;
use chunkmill_tests::drive::{self, Pushes};
use chunkmill_tests::naive::Naive;
use chunkmill_tests::setup::{Setup, id_key};
use chunkmill_tests::{oracle, retained};

/// Sizes, level, seed, kernel and pushes come first; the rest is the stream.
pub fn run(input: &[u8]) {
    let _ = cut(&mut Unstructured::new(input));
}

fn cut(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let setup = setup(input)?;
    let kernel = Kernel::ALL[input.int_in_range(0..=Kernel::ALL.len() - 1)?];
    let splits: [u16; 4] = input.arbitrary()?;
    let (shape, sizes_seed) = (input.arbitrary::<u8>()?, input.arbitrary::<u32>()?.into());
    let ring_extra = usize::from(input.arbitrary::<u8>()?);
    let stream = stretch(shape >> 4, sizes_seed, input.bytes(input.len())?);
    let pushes = match shape % 4 {
        0 => Pushes::Whole,
        1 => Pushes::Of(1 + usize::from(splits[0] % 300)),
        2 => Pushes::Random(sizes_seed),
        _ => at(&splits, stream.len()),
    };

    let way = Way { setup, kernel, pushes, reads: reads(shape, splits[1], sizes_seed), ring_extra };
    let lens = way.assert_cut(&stream);
    // A stream that ends at a trigger or beside it is where the rule about pairs shows, and chance hardly makes one.
    if !lens.is_empty() {
        let cuts = 1 + usize::from(splits[2]) % lens.len();
        let end = lens[..cuts].iter().sum::<u32>() as usize + usize::from(splits[3] % 3);
        let way = Way { pushes: Pushes::Of(1 + usize::from(splits[0] % 300)), ..way };
        way.assert_cut(&stream[..end.min(stream.len())]);
    }
    Ok(())
}

fn reads(shape: u8, len: u16, seed: u64) -> Sizes {
    match shape / 4 % 4 {
        0 => Sizes::All,
        1 => Sizes::Of(1 + usize::from(len % 700)),
        _ => Sizes::random(seed),
    }
}

/// How a stream is cut.
struct Way {
    setup: Setup,
    kernel: Kernel,
    pushes: Pushes,
    reads: Sizes,
    ring_extra: usize,
}

impl Way {
    /// Lengths of the chunks, which all agree on.
    fn assert_cut(&self, stream: &[u8]) -> Vec<u32> {
        let Self { setup, kernel, pushes, .. } = self;
        let lens = oracle::lens(setup, stream);
        assert_eq!(Naive::new(setup).lens(stream), lens, "the two oracles");
        let gear = setup.gear();
        let mut cutter = Cutter::new(setup.params, &gear).with_kernel(*kernel);
        // The second stream shows what the first one left behind.
        for _ in 0..2 {
            assert_eq!(drive::cut(&mut cutter, stream, pushes), lens);
        }
        let mut chunker = StreamingChunker::new(setup.params, &gear, &id_key()).with_kernel(*kernel);
        let chunks = drive::chunk(&mut chunker, stream, pushes);
        assert!(chunks.iter().map(|chunk| &chunk.len).eq(&lens));
        assert_ids(&chunks, stream);
        let ring = setup.params.max() as usize + 2 + self.ring_extra;
        assert_eq!(retained::chunks(setup, ring, stream, &self.reads), chunks);
        lens
    }
}

fn setup(input: &mut Unstructured<'_>) -> arbitrary::Result<Setup> {
    let (min, avg, max): (u16, u16, u16) = input.arbitrary()?;
    let level = input.arbitrary::<u8>()? % 4;
    let seed = input.arbitrary()?;
    // A few KiB of stream are to be cut more than once.
    let even = |number: u16, low: u32, high: u32| low + u32::from(number) % ((high - low) / 2 + 1) * 2;
    let max = even(max, 1024, 4096);
    let avg = even(avg, 256, max.min(2048));
    let min = even(min, 64, avg.min(1024));
    Ok(Setup::new((min, avg, max), level, seed))
}

/// What libFuzzer gives is a few KiB. Some streams are made longer: by bytes of their own again, by zeros, by noise.
fn stretch(how: u8, seed: u64, bytes: &[u8]) -> Vec<u8> {
    match how {
        1 => bytes.repeat(5),
        2 => [bytes, &[0; 3000], bytes].concat(),
        3 => [bytes, &Data::Random { seed }.bytes(4000)].concat(),
        4 => [&Data::Random { seed }.bytes(4000)[..], bytes].concat(),
        _ => bytes.to_vec(),
    }
}

fn at(splits: &[u16], len: usize) -> Pushes {
    let mut at: Vec<usize> = splits.iter().map(|&split| usize::from(split) % (len + 1)).collect();
    at.sort_unstable();
    Pushes::At(at)
}

fn assert_ids(chunks: &[Chunk], stream: &[u8]) {
    for chunk in chunks {
        assert_eq!(chunk.id, oracle::id(&stream[chunk.offset as usize..][..chunk.len as usize]));
    }
}
