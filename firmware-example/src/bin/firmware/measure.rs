//! Loops whose instructions are counted from outside: what `data` costs alone is to be taken off the rest.

use core::hint::black_box;

use chunkmill_core::pack::CompressTable;
use chunkmill_core::{ChunkHasher, Cutter, GearTable, IdKey};
use chunkmill_firmware::memory::{KEY, Memory, PARAMS};

use crate::failure::Failure;

/// What `measure.sh` divides by: so many rounds of 8 KiB.
const ROUNDS: u32 = 64;
const CHUNK: usize = 4 << 10;

/// Makes 512 KiB of random bytes or text, and cuts, hashes or compresses them in chunks of 4 KiB, or does nothing with them.
pub fn run(memory: &mut Memory, table: &mut CompressTable, what: &str, kind: &str) -> Result<(), Failure> {
    let (data, mut compressor) = memory.parts(table).map_err(Failure::Compressor)?;
    let mut cutter = Cutter::new(PARAMS, GearTable::published());
    let mut hasher = ChunkHasher::new(&IdKey::from_bytes(KEY));
    let mut random = 1u32;
    for _ in 0..ROUNDS {
        match kind {
            "random" => data.iter_mut().for_each(|byte| *byte = next(&mut random)),
            "text" => write_text(data, &mut random),
            _ => return Err(Failure::Usage),
        }
        match what {
            "data" => {}
            "cut" => {
                let mut rest = data.as_slice();
                while !rest.is_empty() {
                    let scanned = cutter.scan(rest);
                    black_box(scanned.cut);
                    rest = rest.get(scanned.taken..).unwrap_or_default();
                }
            }
            "hash" => {
                for chunk in data.chunks(CHUNK) {
                    hasher.update(chunk);
                    black_box(hasher.finish());
                }
            }
            "lz4" => {
                for chunk in data.chunks(CHUNK) {
                    black_box(compressor.compress(chunk, &[]).map(<[u8]>::len));
                }
            }
            _ => return Err(Failure::Usage),
        }
        black_box(&*data);
    }
    Ok(())
}

/// A byte of a linear congruential generator (Numerical Recipes).
fn next(state: &mut u32) -> u8 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    state.to_be_bytes()[0]
}

/// Lines as a logger of temperatures writes them.
fn write_text(data: &mut [u8], random: &mut u32) {
    const LINE: &[u8] = b"2026-01-01 00:00:00 sensor 0 temperature 00.00 humidity 00 ok\n";
    for line in data.chunks_mut(LINE.len()) {
        for (byte, &pattern) in line.iter_mut().zip(LINE) {
            *byte = if pattern == b'0' { b'0'.wrapping_add(next(random) % 10) } else { pattern };
        }
    }
}
