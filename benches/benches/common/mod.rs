//! What the criterion benches share.

use core::time::Duration;

use criterion::Criterion;

/// So many samples within so many milliseconds, after some to warm up: short, so that all of a bench's groups end within a minute.
pub fn short(samples: usize, warm_up: u64, measuring: u64) -> Criterion {
    Criterion::default()
        .sample_size(samples)
        .warm_up_time(Duration::from_millis(warm_up))
        .measurement_time(Duration::from_millis(measuring))
}
