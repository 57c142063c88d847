use std::io::Read;

use chunkmill_core::{ChunkHasher, ChunkId, IdKey};

use crate::read::{ReadError, read_some};

/// Keyed BLAKE3 of a whole stream, read to its end through one buffer of 256 KiB: what `b3sum --keyed` prints.
///
/// ```
/// use chunkmill::core::IdKey;
///
/// let key = IdKey::from_bytes([7; 32]);
/// assert_eq!(chunkmill::hash_stream(&b"abc"[..], &key)?, key.id_of(b"abc"));
/// # Ok::<(), chunkmill::ReadError>(())
/// ```
///
/// # Errors
///
/// What the reader says; [`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) is retried.
pub fn hash_stream<R: Read>(mut reader: R, key: &IdKey) -> Result<ChunkId, ReadError> {
    let mut hasher = ChunkHasher::new(key);
    let mut buffer = vec![0; 256 << 10];
    let mut offset = 0;
    loop {
        match read_some(&mut reader, &mut buffer, &mut offset)? {
            [] => return Ok(hasher.finish()),
            bytes => hasher.update(bytes),
        }
    }
}
