//! A few threads that help the caller, for the time of a run.

mod placing;
mod primitive;
mod slot;

use core::any::Any;
use core::cell::{Cell, OnceCell};
use core::fmt;
use core::hint::spin_loop;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, Scope};

use crossbeam_utils::sync::{Parker, Unparker};

use self::placing::Placing;
use self::slot::Slot;

/// The caller's thread and up to 63 helpers beside it, for the time of a run.
///
/// Helpers are started at the first work that wants them, once; between two jobs each spins for some microseconds and then
/// parks, so an idle pool uses no CPU. All end with the scope. What a thread is (its scheduling class, say) it takes over
/// from the thread that opened the scope.
///
/// Takes the stacks of the helpers and less than 1 KiB of heap each.
///
/// ```
/// use chunkmill::core::IdKey;
/// use chunkmill::{Gate, Objective, Pool, hash_slice};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let pack = vec![42; 4 << 20];
/// let id = Pool::scope(2, |pool| hash_slice(pool, Gate::new(Objective::Balanced), &key, &pack));
/// assert_eq!(id, key.id_of(&pack));
/// ```
pub struct Pool<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    threads: usize,
    shared: Arc<Shared>,
    helpers: OnceCell<Vec<Helper>>,
    placing: Placing,
    /// Parks the caller while it waits for helpers.
    parker: Parker,
    busy: Cell<bool>,
}

struct Helper {
    unparker: Unparker,
    thread: Arc<placing::Thread>,
}

struct Shared {
    slot: Slot,
    /// Wakes the caller.
    caller: Unparker,
    stop: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// How long a job takes, which decides where helpers may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Milliseconds or more: the system has time to spread the threads.
    Long,
    /// Less: helpers must not be woken on the caller's CPU, where they would wait for it.
    Short,
}

/// Looks for work so many times before parking: some tens of microseconds, about what waking up takes.
const SPINS: u32 = 2000;

impl<'scope, 'env> Pool<'scope, 'env> {
    /// The most threads a pool can have.
    pub const MAX_THREADS: usize = 64;

    /// Threads that are worth having without knowing more: as many as the CPU runs at once, at most 4.
    pub fn default_threads() -> usize {
        thread::available_parallelism().map_or(1, usize::from).min(4)
    }

    /// Gives `work` a pool of `threads` threads, the caller's among them; 1 to [`MAX_THREADS`](Self::MAX_THREADS).
    ///
    /// # Panics
    ///
    /// If `work` does, or one of its jobs on a helper did.
    pub fn scope<T>(threads: usize, work: impl FnOnce(&Pool<'_, 'env>) -> T) -> T {
        thread::scope(|scope| {
            let parker = Parker::new();
            let shared = Shared {
                slot: Slot::new(),
                caller: parker.unparker().clone(),
                stop: AtomicBool::new(false),
                panic: Mutex::new(None),
            };
            let pool = Pool {
                scope,
                threads: threads.clamp(1, Self::MAX_THREADS),
                shared: Arc::new(shared),
                helpers: OnceCell::new(),
                placing: Placing::new(),
                parker,
                busy: Cell::new(false),
            };
            work(&pool)
        })
    }

    /// How many threads work at most, the caller's among them.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `lead` on this thread and `help` on `helpers` others, at most once each, and gives what `lead` gives. Helpers that
    /// have just ended another job and still look for work may come, too. A
    /// helper may come late or not at all, so `lead` must be able to do all the work. Ends when all helpers have left `help`,
    /// which must not wait for anything that `lead` does after its return.
    ///
    /// From within a job, `lead` runs alone.
    pub(crate) fn run<T>(&self, job: Job, helpers: usize, help: &(dyn Fn() + Sync), lead: impl FnOnce() -> T) -> T {
        if helpers == 0 || self.threads == 1 || self.busy.replace(true) {
            return lead();
        }
        let all = self.helpers.get_or_init(|| self.start_helpers());
        self.placing.place(job, all.iter().take(helpers).map(|helper| &*helper.thread));
        let result = {
            let _closing = Closing { pool: self };
            self.shared.slot.open(help);
            for helper in all.iter().take(helpers) {
                helper.unparker.unpark();
            }
            lead()
        };
        let panic = self.shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        result
    }

    /// If the system gives fewer threads, fewer help.
    fn start_helpers(&self) -> Vec<Helper> {
        let start = |number| {
            let parker = Parker::new();
            let unparker = parker.unparker().clone();
            let shared = Arc::clone(&self.shared);
            let thread = Arc::new(placing::Thread::default());
            let own = Arc::clone(&thread);
            let builder = Builder::new().name(format!("chunkmill-{number}"));
            let help = move || {
                own.starts_here();
                shared.help(&parker);
            };
            builder.spawn_scoped(self.scope, help).ok().map(|_| Helper { unparker, thread })
        };
        (1..self.threads).map_while(start).collect()
    }
}

/// Takes the job back, also when the caller panics.
struct Closing<'p, 'scope, 'env> {
    pool: &'p Pool<'scope, 'env>,
}

impl Drop for Closing<'_, '_, '_> {
    fn drop(&mut self) {
        let mut spins = 0u32;
        self.pool.shared.slot.close(|| {
            spins = spins.saturating_add(1);
            if spins < SPINS { spin_loop() } else { self.pool.parker.park() }
        });
        if thread::panicking() {
            // The caller's own panic goes on; a helper's must not come up in a later job.
            self.pool.shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        self.pool.busy.set(false);
    }
}

impl Shared {
    /// The life of a helper.
    fn help(&self, parker: &Parker) {
        let mut seen = 0;
        let mut spins = 0;
        while !self.stop.load(Ordering::Acquire) {
            if let Some(job) = self.slot.enter(&mut seen) {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job.call())) {
                    self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
                }
                if job.leave() {
                    self.caller.unpark();
                }
                spins = 0;
            } else if spins < SPINS {
                spins = spins.saturating_add(1);
                spin_loop();
            } else {
                parker.park();
                spins = 0;
            }
        }
    }
}

impl Drop for Pool<'_, '_> {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        for helper in self.helpers.get().into_iter().flatten() {
            helper.unparker.unpark();
        }
    }
}

impl fmt::Debug for Pool<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
