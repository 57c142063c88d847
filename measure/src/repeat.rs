//! Work that is far too short for one measurement.

use core::error::Error;
use core::hint::black_box;
use core::time::Duration;
use std::time::Instant;

use crate::harness::Subject;

/// How often something is to be done to take about this long, from one trial: at least twice.
pub fn times_within<T>(window: Duration, work: impl FnOnce() -> T) -> u32 {
    let start = Instant::now();
    black_box(work());
    let once = start.elapsed().max(Duration::from_nanos(100));
    u32::try_from(window.as_nanos() / once.as_nanos()).unwrap_or(u32::MAX).clamp(2, 1 << 20)
}

/// The same work so many times in a row, as one subject; what it gave last is compared.
pub fn repeated<'a, T>(name: impl Into<String>, times: u32, mut work: impl FnMut() -> T + 'a) -> Subject<'a, T> {
    Subject::new(name, move || {
        let mut result = black_box(work());
        for _ in 1..times {
            result = black_box(work());
        }
        Ok::<_, Box<dyn Error>>(result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::interleave;
    use core::num::NonZeroU32;

    #[test]
    fn work_is_done_as_often_as_said() {
        let mut done = 0;
        let subject = repeated("count", 5, || {
            done += 1;
            "done"
        });
        interleave(NonZeroU32::new(2).unwrap(), vec![subject]).unwrap();
        // Once more to warm up.
        assert_eq!(done, 15);
    }

    #[test]
    fn a_window_holds_two_at_least() {
        assert_eq!(times_within(Duration::ZERO, || ()), 2);
        assert!(times_within(Duration::from_millis(5), || ()) > 100);
    }
}
