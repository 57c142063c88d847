//! Which CPUs helpers may run on.
//!
//! Linux wakes a thread on the waker's own CPU when the machine has been busy and it does not look for an idle one, which is
//! the rule on two cores; its load balancer puts that right some milliseconds later. For a job of a tenth of that, a helper on
//! the caller's CPU is worse than none: it takes the caller's time. So for short jobs helpers are kept off the CPU that the
//! caller is on, and may run on all others.

#[cfg(target_os = "linux")]
pub(super) use self::linux::{Placing, Thread};
#[cfg(not(target_os = "linux"))]
pub(super) use self::other::{Placing, Thread};

#[cfg(target_os = "linux")]
mod linux {
    use core::cell::Cell;
    use std::sync::OnceLock;

    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_setaffinity};

    use crate::pool::Job;
    use crate::syscalls::current_cpu;

    /// Where the helpers of a pool were put.
    pub(in super::super) struct Placing {
        /// The CPU that they are kept off.
        avoided: Cell<Option<usize>>,
        /// Where all threads of the process may run.
        allowed: Option<CpuSet>,
    }

    /// The system's name of a helper, once it has started.
    #[derive(Default)]
    pub(in super::super) struct Thread(OnceLock<Pid>);

    impl Placing {
        pub(in super::super) fn new() -> Self {
            Self { avoided: Cell::new(None), allowed: sched_getaffinity(None).ok() }
        }

        /// Before a job. Costs nothing if the caller is where it was.
        pub(in super::super) fn place<'t>(&self, job: Job, helpers: impl Iterator<Item = &'t Thread>) {
            let avoided = if job == Job::Short { current_cpu() } else { None };
            if avoided == self.avoided.get() {
                return;
            }
            let Some(mut cpus) = self.allowed else { return };
            if let Some(cpu) = avoided.filter(|&cpu| cpu < CpuSet::MAX_CPU) {
                cpus.unset(cpu);
            }
            if cpus.count() == 0 {
                return;
            }
            let mut all = true;
            for helper in helpers {
                // If it is not granted, the helper runs where it would have run anyway.
                all &= helper.0.get().is_some_and(|&thread| sched_setaffinity(Some(thread), &cpus).is_ok());
            }
            // A helper that has not started yet is placed the next time.
            if all {
                self.avoided.set(avoided);
            }
        }
    }

    impl Thread {
        pub(in super::super) fn starts_here(&self) {
            let _ = self.0.set(gettid());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    pub(in super::super) struct Placing;

    #[derive(Default)]
    pub(in super::super) struct Thread;

    impl Placing {
        pub(in super::super) const fn new() -> Self {
            Self
        }

        pub(in super::super) fn place<'t>(&self, _: crate::pool::Job, _: impl Iterator<Item = &'t Thread>) {}
    }

    impl Thread {
        pub(in super::super) const fn starts_here(&self) {}
    }
}
