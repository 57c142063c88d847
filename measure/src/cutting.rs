//! Our cutter over bytes in memory.

use chunkmill_core::Cutter;

/// Calls `found` with the length of each chunk of `bytes`, which come in pushes of `push_len` bytes, as a stream gives them.
/// `push_len` must not be 0 unless there are no bytes.
pub fn each_chunk(mut cutter: Cutter<'_>, bytes: &[u8], push_len: usize, mut found: impl FnMut(usize)) {
    for mut rest in bytes.chunks(push_len.max(1)) {
        loop {
            let scanned = cutter.scan(rest);
            rest = &rest[scanned.taken..];
            match scanned.cut {
                Some(len) => found(len as usize),
                None => break,
            }
        }
    }
    if let Some(len) = cutter.finish() {
        found(len as usize);
    }
}
