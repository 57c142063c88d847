//! What a run cost: wall time, CPU-seconds, peak memory.

use core::time::Duration;
use std::fs;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// CPU time used by all threads of this process since it started, in user and kernel mode together.
///
/// Linux adds the time of other threads that run at this moment only at its ticks (1 to 10 ms each), so measure over
/// 200 ms or more, or after the other threads have parked or ended.
pub fn process_cpu_time() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
}

/// CPU time used by the calling thread since it started. It is exact at every moment: the tick trap of
/// [`process_cpu_time`] is about other threads.
pub fn thread_cpu_time() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

fn cpu_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The most memory this process has had resident so far, in bytes: `VmHWM` of `/proc/self/status`. `None` where the
/// kernel does not tell.
pub fn peak_rss() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    kib.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Measures wall time and CPU time from one moment on.
///
/// ```
/// use chunkmill::usage::Stopwatch;
///
/// let watch = Stopwatch::start();
/// let used = watch.read();
/// assert!(used.cpu_s_per_gib(0) == 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

/// Time that passed and time that was worked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of all threads.
    pub cpu: Duration,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: process_cpu_time() }
    }

    /// The time since the start.
    pub fn read(&self) -> Used {
        Used { wall: self.wall.elapsed(), cpu: process_cpu_time().saturating_sub(self.cpu) }
    }
}

impl Used {
    /// CPU-seconds for each GiB (2^30 bytes) of `bytes`; 0 if there were none.
    pub fn cpu_s_per_gib(&self, bytes: u64) -> f64 {
        if bytes == 0 { 0.0 } else { self.cpu.as_secs_f64() * GIB / as_f64(bytes) }
    }

    /// Speed in MB/s, with 10^6 bytes a MB; 0 if no time passed.
    pub fn mb_per_s(&self, bytes: u64) -> f64 {
        if self.wall.is_zero() { 0.0 } else { as_f64(bytes) / 1e6 / self.wall.as_secs_f64() }
    }
}

const GIB: f64 = 1_073_741_824.0;

#[expect(clippy::as_conversions, reason = "no lossless way to f64; reports need no more than its 53 bits")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn process_clock_counts_a_burn() {
        let watch = Stopwatch::start();
        let mut sum = 0u64;
        while watch.read().cpu < Duration::from_millis(50) {
            sum = core::hint::black_box(sum.wrapping_add(1));
        }
        let used = watch.read();
        // Other tests run on other threads, so CPU time may exceed wall time, but a burn is never free.
        assert!(used.cpu >= Duration::from_millis(50));
        assert!(used.wall > Duration::ZERO);
    }

    /// What threads burn by their own clocks is in the process clock as soon as they have parked, to the last tick.
    #[test]
    fn the_process_clock_has_all_of_its_threads_once_they_have_parked() {
        const BURN: Duration = Duration::from_millis(37);
        let (parked, all_parked) = mpsc::channel();
        let before = process_cpu_time();
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let parked = parked.clone();
                thread::spawn(move || {
                    while thread_cpu_time() < BURN {}
                    parked.send(thread_cpu_time()).unwrap();
                    thread::park();
                })
            })
            .collect();
        let burned: Duration = (0..3).map(|_| all_parked.recv().unwrap()).sum();
        // From the message to the park.
        thread::sleep(Duration::from_millis(5));
        let counted = process_cpu_time().saturating_sub(before);
        assert!(burned >= 3 * BURN && counted >= burned, "{counted:?} of {burned:?}");
        for thread in threads {
            thread.thread().unpark();
            thread.join().unwrap();
        }
    }

    #[test]
    fn a_sleeping_thread_uses_no_cpu() {
        let before = thread_cpu_time();
        thread::sleep(Duration::from_millis(50));
        assert!(thread_cpu_time() - before < Duration::from_millis(10));
    }

    #[test]
    fn rates() {
        let used = Used { wall: Duration::from_secs(2), cpu: Duration::from_secs(1) };
        assert_eq!(used.cpu_s_per_gib(1 << 31), 0.5);
        assert_eq!(used.cpu_s_per_gib(0), 0.0);
        assert_eq!(used.mb_per_s(4_000_000), 2.0);
        assert_eq!(Used::default().mb_per_s(5), 0.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_rss_is_plausible() {
        let peak = peak_rss().unwrap();
        assert!(peak > 256 << 10);
        assert!(peak < 64 << 30);
    }
}
