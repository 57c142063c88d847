//! Measuring one length: one thread and a split in turn, by wall time and CPU time.

use core::hint::black_box;
use core::num::NonZeroU32;
use core::time::Duration;

use chunkmill::core::IdKey;
use chunkmill::{Gate, Objective, Pool, hash_slice};
use chunkmill_measure::harness::interleave;
use chunkmill_measure::repeat::{repeated, times_within};

use super::threshold::{Point, TAIL};
use crate::failure::Failure;

/// Each figure is of so much hashing: short, so that a bad moment of the machine is over soon.
const WINDOW: Duration = Duration::from_millis(2);

/// Lengths from 16 KiB to 4 MiB, 2 to the power of `doublings` to each doubling, each also with an odd tail.
pub(super) fn ladder(doublings: u32) -> Vec<u64> {
    let whole = (14..22).flat_map(|log| {
        let step = 1usize << log >> doublings;
        (1u64 << log..2 << log).step_by(step)
    });
    whole.chain([4 << 20]).flat_map(|len| [len, len.saturating_add(TAIL)]).collect()
}

/// Measures slices on so many threads.
pub(super) struct Sweep<'p, 'scope, 'env> {
    pool: &'p Pool<'scope, 'env>,
    key: IdKey,
    data: Vec<u8>,
    /// How much one thread's own figures spread, in the worst case seen: the greatest over the median.
    pub(super) unrest: f64,
}

impl<'p, 'scope, 'env> Sweep<'p, 'scope, 'env> {
    pub(super) fn new(pool: &'p Pool<'scope, 'env>, longest: u64) -> Self {
        let longest = usize::try_from(longest).unwrap_or(0);
        // BLAKE3 takes the same time for all bytes.
        let data = (0u8..=250).cycle().take(longest).collect();
        Self { pool, key: IdKey::public(), data, unrest: 1.0 }
    }

    pub(super) fn measure(&mut self, bytes: u64, runs: u32) -> Result<Point, Failure> {
        let len = usize::try_from(bytes).unwrap_or(usize::MAX);
        let slice = self.data.get(..len).unwrap_or(&self.data);
        let (pool, key) = (self.pool, &self.key);
        let always = Gate::new(Objective::Wall).with_threshold(0);
        let hashes = times_within(WINDOW, || key.id_of(black_box(slice)));
        let subjects = vec![
            repeated("one thread", hashes, || key.id_of(black_box(slice))),
            repeated("split", hashes, || hash_slice(pool, always, key, black_box(slice))),
        ];
        let rounds = NonZeroU32::new(runs).unwrap_or(NonZeroU32::MIN);
        let measured = interleave(rounds, subjects)?;
        let [single, split] = measured.as_slice() else {
            return Err(Failure::Io("two subjects give two figures".to_owned()));
        };
        let own = single.wall();
        self.unrest = self.unrest.max(own.max / own.median);
        let (speed, cpu) = (single.wall_ratio(split).median, split.cpu_ratio(single).median);
        Ok(Point { bytes, speed, cpu, runs })
    }
}
