//! Wall time and CPU time of a piece of work.

use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Time on the clock.
    pub wall: Duration,
    /// CPU time of the whole process, all threads, in user mode and in the kernel.
    pub cpu: Duration,
}

/// Runs `work` and measures it.
///
/// The benches read the kernel's clock themselves and not through chunkmill, which is what they measure. Linux counts
/// other running threads only on ticks, so threads that `work` leaves spinning get a moment to park before the CPU time is
/// read: what they spin away counts, as CPU time and not as wall time.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, Sample) {
    let cpu_before = process_cpu_time();
    let start = Instant::now();
    let result = work();
    let wall = start.elapsed();
    sleep(SETTLE);
    let cpu = process_cpu_time().saturating_sub(cpu_before);
    (result, Sample { wall, cpu })
}

/// Longer than pools spin: chunkmill's for some tens of microseconds, rayon's for some hundred.
const SETTLE: Duration = Duration::from_millis(1);

fn process_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // The kernel gives neither field a negative value.
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_is_wall_time_only() {
        let ((), sample) = time(|| sleep(Duration::from_millis(50)));
        assert!(sample.wall >= Duration::from_millis(50));
    }

    #[test]
    fn work_is_cpu_time() {
        let burn = Duration::from_millis(30);
        let (_, sample) = time(|| {
            let start = process_cpu_time();
            while process_cpu_time() - start < burn {}
        });
        assert!(sample.cpu >= burn);
    }
}
