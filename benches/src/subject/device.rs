//! The core alone, as firmware runs it: one thread, a ring, no allocator in the way of the data.

use core::error::Error;

use chunkmill_core::drive::{self, PackSink};
use chunkmill_core::pack::{BlockLen, CompressTable, Compressor, Packer, Reader};
use chunkmill_core::{ChunkParams, GearTable, IdKey, NoIndex, RetainingChunker};
use chunkmill_measure::peers::KEY;

const BLOCK: BlockLen = BlockLen::MAX;

type Result<T> = core::result::Result<T, Box<dyn Error>>;

/// The core's memory, and a device for the pack.
#[derive(Debug)]
pub struct Device {
    params: ChunkParams,
    ring: Vec<u8>,
    scratch: Vec<u8>,
    chunk: Vec<u8>,
    block: Vec<u8>,
    pack: Vec<u8>,
}

impl Device {
    /// With room for the pack of `len` bytes.
    pub fn new(params: ChunkParams, len: usize) -> Self {
        let max = params.max() as usize;
        let records = 4096 + len / params.min() as usize * 128;
        Self {
            params,
            ring: vec![0; max + 2],
            scratch: vec![0; Compressor::scratch_for(BLOCK, &params)],
            chunk: vec![0; max],
            block: vec![0; BLOCK.bytes()],
            pack: vec![0; len + records],
        }
    }

    /// Cuts, ids, compresses and packs `bytes`. Gives the number of chunks.
    ///
    /// # Errors
    ///
    /// There is no room for the pack.
    pub fn ingest(&mut self, mut bytes: &[u8]) -> Result<u64> {
        let key = IdKey::from_bytes(KEY);
        let mut table = CompressTable::large();
        let compressor = Compressor::new(BLOCK, &mut table, &mut self.scratch).map_err(|error| error.to_string())?;
        let mut chunker = RetainingChunker::new(self.params, GearTable::published(), &key, &mut self.ring)?;
        let packer = Packer::compressing(self.params, GearTable::published(), [3; 16], &key, compressor);
        let mut sink = PackSink::new(packer, &mut self.pack[..]);
        match drive::ingest(&mut bytes, &mut chunker, &mut NoIndex, &mut sink) {
            Ok(done) => Ok(done.chunks),
            Err(stopped) => Err(format!("{:?}", stopped.error).into()),
        }
    }

    /// Checks the pack. Gives the number of chunks.
    ///
    /// # Errors
    ///
    /// It is not good.
    pub fn verify(&mut self) -> Result<u64> {
        let key = IdKey::from_bytes(KEY);
        let reader = Reader::new(&key, &mut self.chunk, &mut self.block);
        match drive::verify(&mut &self.pack[..], reader) {
            Ok(done) => Ok(done.chunks),
            Err(stopped) => Err(format!("{:?}", stopped.error).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;

    #[test]
    fn what_it_packs_is_good_and_damage_is_found() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 32 << 10, 1).unwrap();
        for data in [Data::Text, Data::Random] {
            let bytes = data.bytes(1, 1 << 20);
            let mut device = Device::new(params, bytes.len());
            let chunks = device.ingest(&bytes).unwrap();
            assert_eq!(device.verify().unwrap(), chunks, "{data}");
            device.pack[5000] ^= 1;
            assert!(device.verify().is_err(), "{data}");
        }
    }
}
