//! One job, lent by its owner to helpers on other threads for as long as the slot is open.
//!
//! With `syscalls` this is the only module with `unsafe` in it. A job borrows what it works on (a slice to be hashed, say) for less than
//! the helpers live, and no safe type can say that. What makes it sound is the owner's wait in [`Slot::close`]: no helper
//! holds the job when it returns, and none can get it afterwards.
//!
//! ```text
//! state:  | generation | open | helpers inside |
//! owner:  open(job) ── generation + 1, open = 1 ──▶ ... ──▶ close() ── open = 0, waits for inside = 0 ──▶ job may end
//! helper: enter() ── if open and a generation not seen: inside + 1 ──▶ job ──▶ leave() ── inside - 1
//! ```

#![allow(unsafe_code, reason = "argued block by block; under loom and the sanitizers in .ci/run")]

use core::mem::transmute;

use super::primitive::{AtomicUsize, Ordering, UnsafeCell};

/// A job without the lifetime of what it borrows.
type Lent = &'static (dyn Fn() + Sync);

const INSIDE: usize = (1 << 8) - 1;
const OPEN: usize = 1 << 8;
const GENERATION: usize = 1 << 9;

pub(super) struct Slot {
    state: AtomicUsize,
    /// Written by the owner while the slot is closed and nobody inside; read by helpers inside.
    job: UnsafeCell<Option<Lent>>,
}

// SAFETY: `job` is the only part that is not Sync by itself. It is written in `open` and `close` alone, by the one owner (see
// `open`), when the state says closed and nobody inside; it is read by helpers that are counted inside. The state's atomic
// operations order the two: `open` releases the write, and `enter` acquires it; `leave` releases the read, and `close`
// acquires it. The job itself is Sync, so helpers may call it at the same time.
unsafe impl Sync for Slot {}

/// A helper's hold on the job.
pub(super) struct Inside<'s> {
    slot: &'s Slot,
    job: Lent,
}

impl Slot {
    pub(super) fn new() -> Self {
        Self { state: AtomicUsize::new(0), job: UnsafeCell::new(None) }
    }

    /// Lends `job` to helpers. The slot must be closed, and [`close`](Self::close) must follow on this thread before `job`
    /// ends, whatever happens in between. Only one thread, the owner, may call either.
    ///
    /// (Both hold in `Pool::run`: the pool is not Sync, `busy` keeps jobs apart, and a guard closes also on panic.)
    pub(super) fn open(&self, job: &(dyn Fn() + Sync)) {
        // SAFETY: only the lifetime changes. The reference is used by helpers inside alone, and `close`, which follows before
        // the job ends, returns only when none is inside and none can enter.
        let job = unsafe { transmute::<&(dyn Fn() + Sync), Lent>(job) };
        self.job.with_mut(|cell| {
            // SAFETY: closed and nobody inside, so no helper reads; no other owner writes.
            unsafe { *cell = Some(job) }
        });
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state.wrapping_add(GENERATION) | OPEN, Ordering::Release);
    }

    /// Takes the job back: no helper can enter any more, and those inside are waited for, by calling `wait` again and again.
    pub(super) fn close(&self, mut wait: impl FnMut()) {
        let mut state = self.state.fetch_and(!OPEN, Ordering::AcqRel);
        while state & INSIDE != 0 {
            wait();
            state = self.state.load(Ordering::Acquire);
        }
        self.job.with_mut(|cell| {
            // SAFETY: as in `open`.
            unsafe { *cell = None }
        });
    }

    /// Takes part in the job, if there is one of another generation than `seen`, which is then set to this one.
    pub(super) fn enter(&self, seen: &mut usize) -> Option<Inside<'_>> {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let generation = state & !(OPEN | INSIDE);
            if state & OPEN == 0 || generation == *seen {
                return None;
            }
            let inside = state.wrapping_add(1);
            match self.state.compare_exchange_weak(state, inside, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    *seen = generation;
                    break;
                }
                Err(now) => state = now,
            }
        }
        let job = self.job.with(|cell| {
            // SAFETY: counted inside, so the owner does not write; its write before the slot was opened is acquired.
            unsafe { *cell }
        });
        // An open slot has a job.
        job.map(|job| Inside { slot: self, job })
    }
}

impl Inside<'_> {
    pub(super) fn call(&self) {
        (self.job)();
    }

    /// Whether the owner has to be woken, who may be waiting for this helper.
    pub(super) fn leave(self) -> bool {
        let before = self.slot.state.fetch_sub(1, Ordering::Release);
        before & (OPEN | INSIDE) == 1
    }
}

/// Under loom every order of the threads' steps is tried, and every read that could see another's write unordered is
/// an error: `RUSTFLAGS="--cfg loom" cargo test -p chunkmill --lib --no-default-features --release slot`.
#[cfg(test)]
#[cfg(loom)]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// Takes part in up to two jobs, and in none twice.
    fn help(slot: &Slot) {
        let mut seen = 0;
        for _ in 0..2 {
            if let Some(job) = slot.enter(&mut seen) {
                job.call();
                job.leave();
            }
        }
    }

    fn jobs_end_alone(jobs: usize, helpers: usize) {
        // Without the bound, two helpers take minutes.
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let slot = Arc::new(Slot::new());
            let helpers: Vec<_> = (0..helpers)
                .map(|_| {
                    let slot = Arc::clone(&slot);
                    thread::spawn(move || help(&slot))
                })
                .collect();
            for _ in 0..jobs {
                let calls = AtomicUsize::new(0);
                // After `close` a late call would see it dead.
                let alive = AtomicUsize::new(1);
                slot.open(&|| {
                    assert_eq!(alive.load(Ordering::Relaxed), 1);
                    calls.fetch_add(1, Ordering::Relaxed);
                });
                slot.close(thread::yield_now);
                alive.store(0, Ordering::Relaxed);
                assert!(calls.load(Ordering::Relaxed) <= helpers.len());
            }
            for helper in helpers {
                helper.join().unwrap();
            }
        });
    }

    #[test]
    fn one_helper_in_two_jobs() {
        jobs_end_alone(2, 1);
    }

    #[test]
    fn two_helpers_in_one_job() {
        jobs_end_alone(1, 2);
    }

    /// The owner parks until the last helper out wakes it.
    #[test]
    fn the_last_one_out_wakes_the_owner() {
        loom::model(|| {
            let slot = Arc::new(Slot::new());
            let owner = thread::current();
            let helper = {
                let slot = Arc::clone(&slot);
                thread::spawn(move || {
                    let mut seen = 0;
                    if let Some(job) = slot.enter(&mut seen) {
                        job.call();
                        if job.leave() {
                            owner.unpark();
                        }
                    }
                })
            };
            let done = AtomicUsize::new(0);
            slot.open(&|| {
                done.fetch_add(1, Ordering::Relaxed);
            });
            slot.close(thread::park);
            assert!(done.load(Ordering::Relaxed) <= 1);
            helper.join().unwrap();
        });
    }
}
