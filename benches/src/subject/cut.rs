//! Cut points only, of bytes in memory, on the caller's thread.

use core::hint::black_box;

use chunkmill::kernel_from_environment;
use chunkmill_core::{ChunkParams, Cutter, GearTable, Kernel};
use chunkmill_measure::cutting::each_chunk;
use chunkmill_measure::peers::fastcdc_params;
use fastcdc::v2020::{get_gear_with_seed, select_masks};

use crate::tally::Tally;

/// Our [`Cutter`] over one slice.
pub fn cutter_slice(params: ChunkParams, data: &[u8]) -> Tally {
    cutter_pushes(params, data, data.len())
}

/// The same with a kernel of choice.
pub fn cutter_with_kernel(kernel: Kernel, params: ChunkParams, data: &[u8]) -> Tally {
    cutter_pushes_with_kernel(kernel, params, data, data.len())
}

/// Our [`Cutter`] with pushes of `push_len` bytes, as a stream gives them. `push_len` must not be 0 unless there is no data.
pub fn cutter_pushes(params: ChunkParams, data: &[u8], push_len: usize) -> Tally {
    cutter_pushes_with_kernel(kernel(), params, data, push_len)
}

/// The kernel that `CHUNKMILL_KERNEL` demands, or the default.
fn kernel() -> Kernel {
    kernel_from_environment().expect("the kernel asked for is there")
}

fn cutter_pushes_with_kernel(kernel: Kernel, params: ChunkParams, data: &[u8], push_len: usize) -> Tally {
    let cutter = Cutter::new(params, GearTable::published()).with_kernel(kernel);
    let mut tally = Tally::default();
    each_chunk(cutter, black_box(data), push_len, |len| tally.add_len(len));
    tally
}

/// The `gearhash` crate, `next_match` with the mask that holds before the average: a raw scan of every byte with the same
/// table. It skips no minimum and knows no maximum, so its matches are not chunks; what compares is bytes a second.
pub fn gearhash_scan(params: ChunkParams, data: &[u8]) -> Tally {
    let (_, avg, _, level) = fastcdc_params(params);
    let (strict, _) = select_masks(avg, level);
    let (table, _) = get_gear_with_seed(0);
    let table: &gearhash::Table = table.as_ref().try_into().expect("a gear table has 256 words");
    let mut hasher = gearhash::Hasher::new(table);
    let mut tally = Tally::default();
    let mut rest = black_box(data);
    while let Some(len) = hasher.next_match(rest, strict) {
        tally.add_len(len);
        rest = &rest[len..];
    }
    if !rest.is_empty() {
        tally.add_len(rest.len());
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use chunkmill_measure::peers::cut::{fastcdc_slice, fastcdc_stream};

    #[test]
    fn all_cutters_agree() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 64 << 10, 1).unwrap();
        for data in Data::ALL {
            for len in [0, 1, 1 << 20] {
                let bytes = data.bytes(1, len);
                let expected = fastcdc_slice(params, &bytes);
                assert_eq!(fastcdc_stream(params, &*bytes).unwrap(), expected, "{data}");
                assert_eq!(cutter_slice(params, &bytes), expected, "{data}");
                assert_eq!(cutter_pushes(params, &bytes, 1000), expected, "{data}");
                for kernel in Kernel::ALL {
                    assert_eq!(cutter_with_kernel(kernel, params, &bytes), expected, "{data}, {kernel:?}");
                }
                assert_eq!(expected.bytes, len as u64);
            }
        }
    }

    #[test]
    fn gearhash_sees_every_byte_and_matches_at_the_rate_of_the_mask() {
        let params = ChunkParams::new(2 << 10, 8 << 10, 64 << 10, 1).unwrap();
        let tally = gearhash_scan(params, &Data::Random.bytes(1, 4 << 20));
        assert_eq!(tally.bytes, 4 << 20);
        // The strict mask at level 1 is met once in twice the average.
        assert!((200..320).contains(&tally.chunks), "{tally:?}");
    }
}
