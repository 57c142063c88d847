//! LZ4 frames as the pack format describes them: the second implementation's part that knows them, without what lies in
//! compressed blocks.

const FRAME_START: [u8; 7] = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];

/// A block of an LZ4 frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Compressed bytes.
    Compressed(Vec<u8>),
    /// Bytes as they are.
    Plain(Vec<u8>),
}

/// A frame of these blocks.
pub fn frame(blocks: &[Block]) -> Vec<u8> {
    let mut frame = FRAME_START.to_vec();
    for block in blocks {
        let (bytes, not_compressed) = match block {
            Block::Compressed(bytes) => (bytes, 0),
            Block::Plain(bytes) => (bytes, 1 << 31),
        };
        frame.extend((bytes.len() as u32 | not_compressed).to_le_bytes());
        frame.extend(bytes);
    }
    frame.extend([0; 4]);
    frame
}

/// The blocks of a frame; `None` if it is not one from its first byte to its last.
pub fn blocks(frame: &[u8]) -> Option<Vec<Block>> {
    let mut rest = frame.strip_prefix(&FRAME_START)?;
    let mut blocks = Vec::new();
    loop {
        let (head, behind) = rest.split_first_chunk()?;
        let head = u32::from_le_bytes(*head);
        if head == 0 {
            return behind.is_empty().then_some(blocks);
        }
        let (bytes, tail) = behind.split_at_checked((head & !(1 << 31)) as usize)?;
        let plain = head >> 31 == 1;
        blocks.push(if plain { Block::Plain(bytes.to_vec()) } else { Block::Compressed(bytes.to_vec()) });
        rest = tail;
    }
}
