//! What the other parts leave out, for `panics.sh` alone: all of the core is to be looked at.

use core::fmt::{self, Write};
use core::hint::black_box;

use chunkmill_core::pack::{
    BlockLen, CompressTable, Compressor, Opener, PackError, Packer, RecordReader, RecordStep, Stored, Writer,
};
use chunkmill_core::{
    Chunk, ChunkHasher, ChunkId, ChunkIndex, ChunkParams, ChunkTree, Cutter, GearTable, IdKey, Kernel, Piece,
    PieceHasher, RecentIndex, Retained, RetainingChunker, RingBuffer,
};

/// Throws away what is written.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        black_box(text);
        Ok(())
    }
}

fn show(value: impl fmt::Display + fmt::Debug) {
    black_box(write!(Nowhere, "{value} {value:?}").is_ok());
}

/// Anything at all may lie behind the two pointers.
///
/// # Safety
///
/// `bytes` points to `len` bytes and `into` to as many, which nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rest(bytes: *mut u8, into: *mut u8, len: usize, number: u32, table: &mut CompressTable) {
    // SAFETY: the caller's promise.
    let (bytes, into) =
        unsafe { (core::slice::from_raw_parts_mut(bytes, len), core::slice::from_raw_parts_mut(into, len)) };
    let params = match ChunkParams::new(number, number / 3, number / 7, number.to_le_bytes()[0]) {
        Ok(params) => params,
        Err(error) => return show(error),
    };
    let text = str::from_utf8(bytes).unwrap_or_default();
    let key: IdKey = match text.parse() {
        Ok(key) => key,
        Err(error) => return show(error),
    };
    let id: ChunkId = text.parse().unwrap_or(key.id_of(bytes));
    show(id);
    let gear = if number == 5 { GearTable::keyed(&key, &params) } else { GearTable::seeded(number.into()) };
    cut(bytes, into, params, &gear, &key);
    tree(bytes, number.into(), &key);
    pack(bytes, into, params, &gear, &key, table);
    if let Err(error) = read(bytes, into, &key) {
        show(error);
    }
}

fn cut(bytes: &[u8], into: &mut [u8], params: ChunkParams, gear: &GearTable, key: &IdKey) {
    for kernel in Kernel::ALL {
        let mut cutter = Cutter::new(params, gear).with_kernel(kernel);
        black_box((cutter.scan(bytes).cut, cutter.finish(), cutter.holds_byte()));
    }
    let mut ring = RingBuffer::new(into);
    black_box(ring.window().len());
    if let Err(error) = ring.commit(bytes.len()).and_then(|()| ring.release(bytes.len() / 2)) {
        show(error);
    }
    black_box(ring.slices(bytes.len(), bytes.len() / 3));
    let mut hasher = ChunkHasher::new(key);
    hasher.update(bytes);
    let mut index = RecentIndex::<7>::new();
    let chunk = Chunk { offset: 3, len: 4, id: hasher.finish() };
    index.insert(&chunk);
    black_box(index.contains(&chunk.id));
    match RetainingChunker::new(params, gear, key, into) {
        Ok(mut chunker) => {
            black_box(chunker.window().len());
            let _ = chunker.commit(bytes.len());
            let _ = black_box(chunker.step());
            chunker.restart();
        }
        Err(error) => show(error),
    }
}

fn tree(bytes: &[u8], from: u64, key: &IdKey) {
    let (mut hasher, mut tree) = (PieceHasher::new(key), ChunkTree::new(key));
    black_box(hasher.whole(bytes));
    for piece in [Piece::inner(from, bytes), Piece::last(from, bytes)].into_iter().flatten() {
        hasher.subtrees(piece, |subtree| {
            if let Err(error) = tree.push(subtree) {
                show(error);
            }
        });
    }
    black_box(tree.finish().is_ok());
    tree.clear();
}

fn pack(bytes: &[u8], into: &mut [u8], params: ChunkParams, gear: &GearTable, key: &IdKey, table: &mut CompressTable) {
    let Some(block) = bytes.first().and_then(|&log2| BlockLen::from_log2(log2)) else { return };
    black_box(Compressor::room_for(block, bytes.len()));
    black_box(Compressor::compress_into(block, table, bytes, into).is_ok());
    let mut packer = Packer::precompressed(params, gear, [1; 16], key, block);
    let chunk = Chunk { offset: 7, len: 9, id: key.id_of(bytes) };
    black_box(packer.store_frame(&chunk, bytes).parts());
    let (mut writer, _) = Writer::new(&packer.stream_header(), key);
    black_box((writer.record(&chunk, Stored::Lz4(7)), writer.trailer()));
    match Compressor::new(block, table, into) {
        Ok(compressor) => {
            let mut packer = Packer::compressing(params, gear, [1; 16], key, compressor);
            let (first, second) = bytes.split_at_checked(7).unwrap_or_default();
            let retained = Retained { chunk, first, second };
            black_box((packer.accepts_bytes(&retained), packer.store(&retained).payload_len(), packer.trailer()));
        }
        Err(error) => show(error),
    }
}

fn read(bytes: &[u8], into: &mut [u8], key: &IdKey) -> Result<(), PackError> {
    let mut records = RecordReader::new(key);
    let mut opener = None;
    loop {
        match records.step()? {
            RecordStep::NeedInput => records.end_input(),
            RecordStep::Header(header) => opener = Some(Opener::new(key, &header)),
            RecordStep::Record(sealed) => {
                records.take_payload(sealed.payload_len());
                if let Some(opener) = &opener {
                    opener.check(&sealed, bytes, into)?;
                    black_box(opener.open(&sealed, bytes, into)?.bytes());
                }
            }
            RecordStep::End(totals) => {
                black_box((records.window().len(), totals));
                records.commit(into.len());
                return Ok(());
            }
        }
    }
}
