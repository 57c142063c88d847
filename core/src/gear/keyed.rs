//! Gear tables under a key, and the vetting that keeps files of one byte value from being cut to pieces.

use zeroize::Zeroize;

use super::{GearKind, GearTable, Words};
use crate::{ChunkParams, IdKey, Kernel};

/// Byte values that long runs in real files are made of: zeros, erased flash, spaces.
const RUNS: [u8; 3] = [0x00, 0xff, 0x20];

impl GearTable {
    /// A table of 256 words from a BLAKE3 output stream under a key derived from the id key: without the key nobody can
    /// tell where content would be cut. The same key and parameters always give the same table.
    ///
    /// The table is vetted for `params`: runs of 0x00, 0xFF and 0x20 must give chunks of the largest size. An unlucky table
    /// would cut them at the smallest, many times the chunks; then the next of the stream's tables is tried, and
    /// [`GearKind::Keyed`] tells which it became. The words are wiped from memory when the table is dropped.
    ///
    /// # What it gives, and what not
    ///
    /// It hides cut points, and with them chunk sizes, from someone who only watches the sizes of stored chunks and would
    /// like to recognise known files. It is no defence against an attacker who knows or chooses what is in some of the
    /// files: the gear hash is linear in its key, and the key can be computed from such sizes (Alexeev, Percival and
    /// Zhang, eprint 2025/532; Truong et al., eprint 2025/558).
    ///
    /// ```
    /// use chunkmill_core::{ChunkParams, GearKind, GearTable, IdKey};
    ///
    /// let table = GearTable::keyed(&IdKey::from_bytes([7; 32]), &ChunkParams::DEFAULT);
    /// assert_eq!(table.kind(), GearKind::Keyed { counter: 0 });
    /// ```
    pub fn keyed(key: &IdKey, params: &ChunkParams) -> Self {
        let gear_key = key.derive("chunkmill gear table key v1");
        let mut counter = 0u32;
        loop {
            let table = Self { words: Words::new(words(&gear_key, counter)), kind: GearKind::Keyed { counter } };
            // With the smallest sizes, whose masks have few bits, more than half of all tables fail; with sizes from 4 KiB up
            // next to none does. Tables are independent of one another, so this ends.
            if table.survives_runs(params) {
                return table;
            }
            counter = counter.wrapping_add(1);
        }
    }

    /// Whether runs of each of [`RUNS`] are cut at the largest size only.
    fn survives_runs(&self, params: &ChunkParams) -> bool {
        RUNS.iter().all(|&byte| self.survives_run(byte, params))
    }

    /// Over a run of one byte the hash stops changing after 64 steps, since each step shifts one bit out: so 64 positions
    /// behind the minimum and the value after them say it all.
    fn survives_run(&self, byte: u8, params: &ChunkParams) -> bool {
        let (strict, loose) = params.masks();
        let run = [byte; 64];
        let mut hash = 0;
        let settled = params.min().saturating_add(64);
        for (position, step) in (params.min()..params.max()).zip(run.chunks(1)) {
            let mask = if position < params.avg() { strict } else { loose };
            if Kernel::Portable.first_match(step, &mut hash, mask, &self.words).is_some() {
                return false;
            }
        }
        let strict_trigger = settled < params.avg() && hash & strict == 0;
        let loose_trigger = settled < params.max() && hash & loose == 0;
        !strict_trigger && !loose_trigger
    }
}

fn words(gear_key: &IdKey, counter: u32) -> [u64; 256] {
    let mut stream = gear_key.hasher();
    stream.update(&counter.to_le_bytes());
    let mut output = stream.finalize_xof();
    let words = core::array::from_fn(|_| {
        let mut bytes = [0; 8];
        output.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    });
    output.zeroize();
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cutter;

    fn survives_in_full(table: &GearTable, params: &ChunkParams) -> bool {
        RUNS.iter().all(|&byte| {
            let mut cutter = Cutter::new(*params, table);
            let run = [byte; 4096];
            let mut left = params.max();
            while left > 0 {
                let push = &run[..left.min(4096) as usize];
                let scanned = cutter.scan(push);
                if let Some(cut) = scanned.cut {
                    return cut == params.max();
                }
                left -= push.len() as u32;
            }
            false
        })
    }

    /// A trigger on the first byte of a pair is one even if it is the last byte before `max`, so vetting agrees with cuts.
    #[test]
    fn vetting_agrees_with_the_cutter() {
        let mut failed = 0;
        let sets =
            [(64, 256, 1024, 3), (64, 256, 1024, 0), (100, 300, 1024, 3), (256, 256, 1024, 3), (1024, 1024, 1024, 1)];
        for (min, avg, max, level) in sets {
            let params = ChunkParams::new(min, avg, max, level).unwrap();
            let key = IdKey::from_bytes([9; 32]);
            for counter in 0..400 {
                let table = GearTable { words: Words::new(words(&key, counter)), kind: GearKind::Keyed { counter } };
                let survives = table.survives_runs(&params);
                assert_eq!(survives, survives_in_full(&table, &params), "{params:?} {counter}");
                failed += u32::from(!survives);
            }
        }
        assert!(failed > 100, "only {failed} tables failed: the test shows little");
    }

    #[test]
    fn an_unlucky_table_is_passed_over() {
        let params = ChunkParams::new(64, 256, 1024, 3).unwrap();
        let mut passed_over = 0;
        for seed in 0..60 {
            let table = GearTable::keyed(&IdKey::from_bytes([seed; 32]), &params);
            assert!(survives_in_full(&table, &params));
            let GearKind::Keyed { counter } = table.kind() else { panic!("not keyed") };
            passed_over += counter;
        }
        assert!(passed_over > 0);
    }

    #[test]
    fn another_key_gives_another_table() {
        let table = |byte| GearTable::keyed(&IdKey::from_bytes([byte; 32]), &ChunkParams::DEFAULT);
        assert_eq!(table(1), table(1));
        let (one, two) = (table(1), table(2));
        let published = GearTable::published();
        for byte in 0..=255 {
            assert_ne!(one.words.of(byte), two.words.of(byte));
            assert_ne!(one.words.of(byte), published.words.of(byte));
        }
    }
}
