//! A limit on how much of the CPU a run takes.

use core::time::Duration;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Instant;

use crate::usage::process_cpu_time;

/// Keeps the CPU time of the process near a share of wall time, by short sleeps between pieces of work.
///
/// The share holds on average over a second or so: 50 % may be 20 ms of work and 20 ms of sleep. 200 % is two CPUs' worth.
///
/// ```
/// use chunkmill::Pace;
///
/// let pace = Pace::new(50);
/// pace.keep(); // Between two pieces of work, on each thread.
/// ```
#[derive(Debug)]
pub struct Pace {
    percent: u32,
    since: Mutex<Mark>,
}

/// CPU and wall time at one moment.
#[derive(Clone, Copy, Debug)]
struct Mark {
    wall: Instant,
    cpu: Duration,
}

/// No sleep is shorter: the system would not wake us in time.
const SHORTEST: Duration = Duration::from_millis(2);

/// No sleep is longer, so that a thread is not away for long.
const LONGEST: Duration = Duration::from_millis(200);

/// What was not used is forgotten after this time: a pause at the start, in a slow pipe, is no credit for a burst.
const MEMORY: Duration = Duration::from_secs(2);

impl Pace {
    /// A pace of `percent` of one CPU from now on; at least 1.
    pub fn new(percent: u32) -> Self {
        Self { percent: percent.max(1), since: Mutex::new(Mark::now()) }
    }

    /// Sleeps if the process has used more than its share.
    pub fn keep(&self) {
        let debt = {
            let mut since = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let now = Mark::now();
            let debt = debt(&since, &now, self.percent);
            if debt.is_zero() && now.wall.saturating_duration_since(since.wall) > MEMORY {
                *since = now;
            }
            debt
        };
        if debt >= SHORTEST {
            sleep(debt.min(LONGEST));
        }
    }
}

impl Mark {
    fn now() -> Self {
        Self { wall: Instant::now(), cpu: process_cpu_time() }
    }
}

/// The wall time that is missing for the CPU time used since.
fn debt(since: &Mark, now: &Mark, percent: u32) -> Duration {
    let cpu = now.cpu.saturating_sub(since.cpu);
    let due = cpu.saturating_mul(100).checked_div(percent).unwrap_or_default();
    due.saturating_sub(now.wall.saturating_duration_since(since.wall))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debts() {
        let start = Mark { wall: Instant::now(), cpu: Duration::from_secs(7) };
        let after = |wall, cpu| Mark {
            wall: start.wall + Duration::from_millis(wall),
            cpu: start.cpu + Duration::from_millis(cpu),
        };
        for (wall, cpu, percent, expected) in [
            (0, 0, 50, 0),
            (100, 50, 50, 0),
            (100, 100, 50, 100),
            (100, 200, 50, 300),
            (100, 200, 200, 0),
            (100, 200, 100, 100),
            (1000, 100, 50, 0),
            (100, 10, 1, 900),
        ] {
            let debt = debt(&start, &after(wall, cpu), percent);
            assert_eq!(debt, Duration::from_millis(expected), "{cpu} of {wall} ms at {percent} %");
        }
    }
}
