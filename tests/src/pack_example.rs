//! The worked example of the pack format: its bytes as the core writes them, and the dump of them that the format's
//! description shows.

use chunkmill_core::pack::Packer;
use chunkmill_core::{ChunkParams, GearTable, IdKey, RetainingChunker, Step};

/// The pack of the six bytes `abcabc`, as the description says it is made.
pub fn pack() -> Vec<u8> {
    let params = ChunkParams::new(64, 256, 1024, 1).expect("sizes and level are valid");
    let key = IdKey::from_bytes([7; 32]);
    let mut memory = [0; 1026];
    let mut chunker = RetainingChunker::new(params, GearTable::published(), &key, &mut memory).expect("enough memory");
    chunker.window()[..6].copy_from_slice(b"abcabc");
    chunker.commit(6).expect("six bytes have room");
    chunker.end_input();
    let mut packer = Packer::new(params, GearTable::published(), [9; 16], &key);
    let mut pack = packer.header().to_vec();
    while let Step::Chunk(retained) = chunker.step() {
        pack.extend(packer.store(&retained).parts().concat());
    }
    pack.extend(packer.trailer());
    pack
}

/// Lengths of the fields in order, and what each is.
const FIELDS: [(usize, &str); 28] = [
    (8, "magic"),
    (2, "format version 1"),
    (2, "chunker id 1"),
    (4, "minimum 64"),
    (4, "average 256"),
    (4, "maximum 1024"),
    (1, "level 1"),
    (1, "gear table: published"),
    (1, "compression: none"),
    (1, "no block length"),
    (8, "no seed"),
    (16, "stream id"),
    (16, "keyed check"),
    (8, "plain sum"),
    (1, "kind: raw"),
    (3, "zeros"),
    (4, "raw length 6"),
    (4, "stored length 6"),
    (8, "sequence number 0"),
    (32, "id"),
    (16, "tag"),
    (6, "payload: abcabc"),
    (1, "kind: trailer"),
    (3, "zeros"),
    (8, "total 6"),
    (8, "records 1"),
    (32, "chain"),
    (16, "tag"),
];

/// The bytes of [`pack`], a field a line: its offset, its bytes, what it is.
pub fn dump(pack: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = pack;
    for (len, name) in FIELDS {
        let at = pack.len() - rest.len();
        let (field, tail) = rest.split_at(len);
        let hex: String = field.iter().map(|byte| format!("{byte:02x}")).collect();
        text.push_str(&format!("{at:>3}  {hex:<32}  {name}\n"));
        rest = tail;
    }
    assert!(rest.is_empty(), "every byte is in a field");
    text
}
