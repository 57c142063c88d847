//! Chunks into LZ4 frames.

use core::error::Error;
use core::fmt;

pub use lz4_flex::block::CompressTable;
use lz4_flex::block::{compress_into_with_table, get_maximum_output_size};

use super::layout::{BLOCK_HEAD, BlockLen, FRAME_END, FRAME_START, NOT_COMPRESSED};
use crate::ChunkParams;

/// Compresses chunks into memory that the caller lends: a table of `lz4_flex` and room for a frame.
///
/// Takes 48 bytes of RAM on 64-bit targets, besides the 16,448 bytes of the table and the scratch memory. With the `alloc`
/// feature of `lz4_flex` the table lies on the heap.
///
/// ```
/// use chunkmill_core::ChunkParams;
/// use chunkmill_core::pack::{BlockLen, CompressTable, Compressor};
///
/// let params = ChunkParams::new(2048, 8192, 16384, 1)?;
/// let block = BlockLen::from_log2(12).ok_or("4 KiB")?;
/// let mut table = CompressTable::large();
/// let mut scratch = vec![0; Compressor::scratch_for(block, &params)];
/// let mut compressor = Compressor::new(block, &mut table, &mut scratch)?;
///
/// assert!(compressor.compress(&[b'a'; 5000], &[b'b'; 3000]).is_some_and(|frame| frame.len() < 200));
/// assert_eq!(compressor.compress(b"nothing to gain", b""), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Compressor<'m> {
    block: BlockLen,
    table: &'m mut CompressTable,
    /// Where a block that wraps in the ring is put together.
    joined: &'m mut [u8],
    frame: &'m mut [u8],
}

/// What is wrong with the memory lent to a [`Compressor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CompressorError {
    /// The scratch memory has no room for even one block.
    Scratch {
        /// Bytes needed at least.
        needed: usize,
        /// Bytes lent.
        found: usize,
    },
    /// The table is `CompressTable::small()`: packs would have other bytes than those of everyone else. Without an
    /// allocator it takes no less memory than `CompressTable::large()`.
    SmallTable,
}

impl<'m> Compressor<'m> {
    /// A compressor for blocks of this length. How much `scratch` there is changes what is compressed and how well: a chunk
    /// whose frame finds no room in it is stored raw. With [`scratch_for`](Self::scratch_for) bytes that never happens.
    ///
    /// # Errors
    ///
    /// [`CompressorError`] if the table or the scratch memory will not do.
    pub fn new(block: BlockLen, table: &'m mut CompressTable, scratch: &'m mut [u8]) -> Result<Self, CompressorError> {
        if matches!(table, CompressTable::Small(_)) {
            return Err(CompressorError::SmallTable);
        }
        let (needed, found) = (Self::scratch_least(block), scratch.len());
        match scratch.split_at_mut_checked(block.bytes()) {
            Some((joined, frame)) if found >= needed => Ok(Self { block, table, joined, frame }),
            _ => Err(CompressorError::Scratch { needed, found }),
        }
    }

    /// The least scratch memory, in bytes: one block, and the room that compressing one takes.
    pub const fn scratch_least(block: BlockLen) -> usize {
        block
            .bytes()
            .saturating_add(get_maximum_output_size(block.bytes()))
            .saturating_add(FRAME_START.len())
            .saturating_add(BLOCK_HEAD)
            .saturating_add(FRAME_END.len())
    }

    /// The scratch memory, in bytes, that compresses every chunk of these sizes that is worth it.
    pub fn scratch_for(block: BlockLen, params: &ChunkParams) -> usize {
        let max = usize::try_from(params.max()).unwrap_or(usize::MAX);
        Self::room_for(block, max).saturating_add(block.bytes())
    }

    /// The block length.
    pub const fn block(&self) -> BlockLen {
        self.block
    }

    /// The LZ4 frame of a chunk that lies in two slices, `second` behind `first`; or `None` if the chunk is to be stored
    /// raw, because the frame would not be shorter by a sixteenth or finds no room.
    ///
    /// After two blocks a chunk that has gained next to nothing (less than 1/64) is given up. Where the two slices meet does
    /// not change the frame.
    pub fn compress(&mut self, first: &[u8], second: &[u8]) -> Option<&[u8]> {
        let len = make_frame(self.block, self.table, self.joined, [first, second], self.frame)?;
        self.frame.get(..len)
    }

    /// As [`compress`](Self::compress), for a chunk that lies in one slice, with the frame made where the caller wants it:
    /// at the start of `into`, which must be [`room_for`](Self::room_for) the chunk's length, or a frame that is worth it may
    /// find no room. Gives the frame's length.
    ///
    /// # Errors
    ///
    /// [`CompressorError::SmallTable`].
    pub fn compress_into(
        block: BlockLen,
        table: &mut CompressTable,
        chunk: &[u8],
        into: &mut [u8],
    ) -> Result<Option<usize>, CompressorError> {
        if matches!(table, CompressTable::Small(_)) {
            return Err(CompressorError::SmallTable);
        }
        Ok(make_frame(block, table, &mut [], [chunk, &[]], into))
    }

    /// Bytes that [`compress_into`](Self::compress_into) needs to make the frame of every chunk of this length that is worth it.
    pub const fn room_for(block: BlockLen, chunk_len: usize) -> usize {
        worth(chunk_len).saturating_add(Self::scratch_least(block)).saturating_sub(block.bytes())
    }
}

/// The length of the frame, which is made at the start of `into`. Where a block lies in both slices it is put together in
/// `joined`.
fn make_frame(
    block: BlockLen,
    table: &mut CompressTable,
    joined: &mut [u8],
    [first, second]: [&[u8]; 2],
    into: &mut [u8],
) -> Option<usize> {
    let len = first.len().saturating_add(second.len());
    let limit = worth(len);
    let mut frame_len = 0;
    append(into, &mut frame_len, &FRAME_START)?;
    let block_len = block.bytes();
    let mut done = 0;
    while done < len {
        let bytes = block_at(first, second, done, block_len, joined)?;
        append_block(into, &mut frame_len, bytes, table)?;
        done = done.saturating_add(bytes.len());
        let two_blocks = block_len.saturating_mul(2);
        let hopeless = done == two_blocks && frame_len > two_blocks.saturating_sub(two_blocks / 64);
        if frame_len > limit || hopeless {
            trace!("not compressed: {=usize} of {=usize} bytes make {=usize}", done, len, frame_len);
            return None;
        }
    }
    append(into, &mut frame_len, &FRAME_END)?;
    (frame_len <= limit).then_some(frame_len)
}

/// The longest frame that is worth it for a chunk of `len` bytes.
const fn worth(len: usize) -> usize {
    len.saturating_sub(len.div_ceil(16))
}

/// The block that starts at `at`; put together in `joined` if it lies on both sides.
fn block_at<'b>(
    first: &'b [u8],
    second: &'b [u8],
    at: usize,
    block_len: usize,
    joined: &'b mut [u8],
) -> Option<&'b [u8]> {
    let Some(head) = first.get(at..).filter(|head| !head.is_empty()) else {
        let tail = second.get(at.saturating_sub(first.len())..)?;
        return tail.get(..block_len.min(tail.len()));
    };
    if head.len() >= block_len || second.is_empty() {
        return head.get(..block_len.min(head.len()));
    }
    let missing = block_len.saturating_sub(head.len()).min(second.len());
    let (front, back) = joined.split_at_mut_checked(head.len())?;
    front.copy_from_slice(head);
    back.get_mut(..missing)?.copy_from_slice(second.get(..missing)?);
    joined.get(..head.len().saturating_add(missing))
}

/// `None` if there is no room.
fn append_block(frame: &mut [u8], frame_len: &mut usize, block: &[u8], table: &mut CompressTable) -> Option<()> {
    let (head, body) = frame.get_mut(*frame_len..)?.split_first_chunk_mut::<BLOCK_HEAD>()?;
    // Asking for the full bound at every block keeps the outcome free of what lz4_flex would do with less.
    let room = body.get_mut(..get_maximum_output_size(block.len()))?;
    let stored = match compress_into_with_table(block, room, table) {
        Ok(len) if len < block.len() => {
            *head = u32::try_from(len).ok()?.to_le_bytes();
            len
        }
        _ => {
            *head = (u32::try_from(block.len()).ok()? | NOT_COMPRESSED).to_le_bytes();
            room.get_mut(..block.len())?.copy_from_slice(block);
            block.len()
        }
    };
    *frame_len = frame_len.saturating_add(BLOCK_HEAD).saturating_add(stored);
    Some(())
}

fn append(frame: &mut [u8], frame_len: &mut usize, bytes: &[u8]) -> Option<()> {
    // In two steps, so that the optimiser sees both lengths to be the same, and leaves no panic.
    frame.get_mut(*frame_len..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
    *frame_len = frame_len.saturating_add(bytes.len());
    Some(())
}

impl fmt::Debug for Compressor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor")
            .field("block", &self.block)
            .field("frame_room", &self.frame.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for CompressorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scratch { needed, found } => {
                write!(f, "scratch memory of {found} bytes is too small, {needed} are needed")
            }
            Self::SmallTable => f.write_str("the compression table is a small one, a large one is needed"),
        }
    }
}

impl Error for CompressorError {}
