//! Packs that the core writes, for tests that read, damage and forge them.

use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer};
use chunkmill_core::{Chunk, ChunkId, ChunkParams, GearTable, IdKey, Retained};

use crate::data::{Data, Rng};
use crate::pack_reading::Given;
use crate::setup::KEY;

/// What a pack's header says, and the key.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Sizes and level.
    pub params: ChunkParams,
    /// The gear table, of which only the kind is stored.
    pub gear: GearTable,
    /// log2 of the block length of compression, if there is any.
    pub block_log2: Option<u8>,
    /// The stream id.
    pub stream_id: [u8; 16],
    /// The id key.
    pub key: [u8; 32],
}

/// What becomes of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// It is referred to.
    Refer(Vec<u8>),
    /// It is stored.
    Store(Vec<u8>),
}

impl Recipe {
    /// Chunks of up to 4 KiB, the published table, blocks of 1 KiB, under [`KEY`].
    pub fn small() -> Self {
        Self {
            params: ChunkParams::new(64, 1024, 4096, 1).expect("sizes and level are valid"),
            gear: GearTable::published().clone(),
            block_log2: Some(10),
            stream_id: *b"a stream's own..",
            key: KEY,
        }
    }

    /// The pack of these chunks, whose lengths need not be those that the chunker would cut.
    pub fn pack(&self, puts: &[Put]) -> Vec<u8> {
        let key = IdKey::from_bytes(self.key);
        let mut table = CompressTable::large();
        let mut scratch = Vec::new();
        let mut packer = match self.block_log2 {
            None => Packer::new(self.params, &self.gear, self.stream_id, &key),
            Some(log2) => {
                let block = BlockLen::from_log2(log2).expect("a block length");
                scratch.resize(Compressor::scratch_for(block, &self.params), 0);
                let compressor = Compressor::new(block, &mut table, &mut scratch).expect("memory as asked for");
                Packer::compressing(self.params, &self.gear, self.stream_id, &key, compressor)
            }
        };
        let mut pack = packer.header().to_vec();
        for (put, Given { chunk, .. }) in puts.iter().zip(given(puts, &self.key)) {
            match put {
                Put::Refer(_) => pack.extend(packer.refer(&chunk)),
                Put::Store(bytes) => {
                    let (first, second) = bytes.split_at(bytes.len() / 3);
                    let pieces = packer.store(&Retained { chunk, first, second });
                    pack.extend(pieces.parts().concat());
                }
            }
        }
        pack.extend(packer.trailer());
        pack
    }
}

impl Put {
    /// The chunk's bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Refer(bytes) | Self::Store(bytes) => bytes,
        }
    }
}

/// What a reader gives of a pack of these chunks if it skips references.
pub fn given(puts: &[Put], key: &[u8; 32]) -> Vec<Given> {
    let mut offset = 0;
    puts.iter()
        .map(|put| {
            let bytes = put.bytes();
            let id = ChunkId::from_bytes(*blake3::keyed_hash(key, bytes).as_bytes());
            let chunk = Chunk { offset, len: bytes.len() as u32, id };
            offset += bytes.len() as u64;
            Given { chunk, bytes: matches!(put, Put::Store(_)).then(|| bytes.to_vec()) }
        })
        .collect()
}

/// Records of every kind for [`Recipe::small`]: raw ones, down to a byte; LZ4 ones of one block and of several, with a
/// block in the middle that is not compressed, and one of zeros; references to a chunk before and to one elsewhere.
pub fn every_kind() -> Vec<Put> {
    let random = |seed, len| Data::Random { seed }.bytes(len);
    vec![
        Put::Store(random(42, 150)),
        Put::Store(lines(41, 500)),
        Put::Store([lines(42, 1024), random(43, 1024), lines(43, 300)].concat()),
        Put::Refer(lines(41, 500)),
        Put::Store(random(44, 1)),
        Put::Refer(random(45, 4096)),
        Put::Store(vec![0; 2100]),
        Put::Store(random(46, 64)),
    ]
}

/// Lines that differ in four digits: data of which LZ4 makes many short matches, at these few bytes already.
pub fn lines(seed: u64, len: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut text = Vec::with_capacity(len + 32);
    while text.len() < len {
        text.extend(format!("record {:04} is whole\n", rng.below(10_000)).into_bytes());
    }
    text.truncate(len);
    text
}
