//! A file packed: read, cut, keyed ids, each chunk once, compressed, written; and what was written, checked.

use core::error::Error;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use chunkmill_core::ChunkParams;
use fastcdc::v2020::StreamCDC;

use super::{IdOf, fastcdc_params};
use crate::tally::Tally;

/// The loop a developer would write first: `fastcdc`'s stream mode, a keyed hash, a set of ids, `lz4_flex::compress` of what is
/// new, and a buffered write. The tally is of chunks and bytes alone.
///
/// What `to` held before is written over and not cut off first: making room in the file system again would be measured.
///
/// # Errors
///
/// Reading or writing fails.
pub fn pack(params: ChunkParams, mut from: &File, mut to: &File, id_of: IdOf) -> Result<Tally, Box<dyn Error>> {
    from.rewind()?;
    to.rewind()?;
    let (min, avg, max, level) = fastcdc_params(params);
    let mut out = BufWriter::with_capacity(64 << 10, &mut to);
    let mut seen = HashSet::new();
    let mut tally = Tally::default();
    for chunk in StreamCDC::with_level(from, min, avg, max, level) {
        let chunk = chunk?;
        let id = id_of(&chunk.data);
        tally.count(chunk.length);
        out.write_all(&id)?;
        let payload = if seen.insert(id) { lz4_flex::compress(&chunk.data) } else { Vec::new() };
        for len in [chunk.length, payload.len()] {
            out.write_all(&u32::try_from(len)?.to_le_bytes())?;
        }
        out.write_all(&payload)?;
    }
    out.flush()?;
    Ok(tally)
}

/// The loop that checks what [`pack`] wrote: reads, decompresses, and hashes again.
///
/// # Errors
///
/// Reading fails, or what is read is not what was written.
pub fn verify(mut from: &File, id_of: IdOf) -> Result<Tally, Box<dyn Error>> {
    from.rewind()?;
    let mut input = BufReader::with_capacity(64 << 10, from);
    let mut tally = Tally::default();
    loop {
        let mut id = [0; 32];
        match input.read_exact(&mut id) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(tally),
            read => read?,
        }
        let mut lens = [[0; 4]; 2];
        for len in &mut lens {
            input.read_exact(len)?;
        }
        let [len, stored] = lens.map(|len| u32::from_le_bytes(len) as usize);
        tally.count(len);
        if stored > 0 {
            let mut payload = vec![0; stored];
            input.read_exact(&mut payload)?;
            if id_of(&lz4_flex::decompress(&payload, len)?) != id {
                return Err("a chunk has another id".into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, warm_file};
    use crate::peers::hash::{blake2b_256, blake3_keyed};
    use std::env;

    #[test]
    fn what_was_packed_is_good_and_damage_is_found() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 32 << 10, 1).unwrap();
        let from = warm_file(&env::temp_dir(), Data::Text, 1, 1 << 20).unwrap();
        for id_of in [blake2b_256 as IdOf, blake3_keyed] {
            let mut to = tempfile::tempfile().unwrap();
            let packed = pack(params, &from, &to, id_of).unwrap();
            assert_eq!(packed.bytes, 1 << 20);
            assert_eq!(verify(&to, id_of).unwrap(), packed);
            to.rewind().unwrap();
            to.write_all(&[0]).unwrap();
            assert!(verify(&to, id_of).is_err());
        }
    }
}
