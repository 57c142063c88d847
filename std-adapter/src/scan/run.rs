//! A run: all stages over all streams, and the threads that go from job to job.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use chunkmill_core::{IdKey, PieceHasher};
use crossbeam_utils::CachePadded;

use super::batch::Batch;
use super::board::{Board, Job, Role};
use super::cutting::{Cuts, Cutting};
use super::delivery::{Delivery, Found};
use super::filling::{Filling, Zeros};
use super::hashing::hash;
use crate::pool::Job as PoolJob;
use crate::{Next, Pace, Pool, Stream};

/// What a run works with.
pub(super) struct Setup<'s> {
    pub(super) key: &'s IdKey,
    pub(super) zeros: Option<&'s Zeros<'s>>,
    pub(super) pace: Option<&'s Pace>,
    /// Helpers are called once so many bytes have been read and more are to come.
    pub(super) threshold: u64,
    /// Bytes that all batches may take.
    pub(super) memory: usize,
    #[cfg(test)]
    pub(super) before_job: &'s (dyn Fn() + Sync),
}

/// Shared by all threads of a run.
struct Run<'s, S, T, R: Stream> {
    setup: &'s Setup<'s>,
    desk: Mutex<Desk<T, R::End>>,
    /// Counts changes of the board, so that a thread can watch it for a moment without the lock.
    changes: CachePadded<AtomicUsize>,
    for_lead: Condvar,
    for_helpers: Condvar,
    filling: Mutex<Filling<'s, S, R>>,
    cutting: Mutex<Cutting<'s>>,
}

struct Desk<T, E> {
    board: Board<Box<Batch<T, E>>>,
    lead_waits: bool,
    helpers_waiting: usize,
}

/// Looks for a change so many times before it waits: some tens of microseconds, about what waiting and waking up cost.
const SPINS: u32 = 1000;

/// Batches for each thread: while it works on one, one can lie before and one behind.
const BATCHES_PER_THREAD: usize = 3;

/// Helpers that wait are woken for so many jobs, not for each one: waking a thread costs as much as a good part of a job. None
/// is lost meanwhile, since the leading thread takes every job before it waits. From a stream that may keep its reader waiting it
/// reads last, so there one job is enough.
const WORTH_WAKING: usize = 3;

/// Runs all stages over `streams`: on the caller's thread alone at first, and with the pool's helpers once that pays.
pub(super) fn run<'s, S, T, R, E>(
    pool: &Pool<'_, '_>,
    setup: &'s Setup<'s>,
    cuts: Cuts<'s>,
    streams: S,
    visit: impl FnMut(Found<'_, T, R::End>) -> Result<(), E>,
) -> Result<(), E>
where
    S: Iterator<Item = Next<T, R>> + Send,
    T: Send,
    R: Stream,
{
    let run = Run {
        setup,
        desk: Mutex::new(Desk { board: Board::new(), lead_waits: false, helpers_waiting: 0 }),
        changes: CachePadded::new(AtomicUsize::new(0)),
        for_lead: Condvar::new(),
        for_helpers: Condvar::new(),
        filling: Mutex::new(Filling::new(streams, setup.zeros)),
        cutting: Mutex::new(Cutting::new(cuts)),
    };
    let mut lead =
        Lead { run: &run, delivery: Delivery::new(setup.key, setup.zeros), hasher: PieceHasher::new(setup.key), visit };
    let threshold = if pool.threads() == 1 { u64::MAX } else { setup.threshold };
    if lead.work_until(threshold)? == Ended::All {
        return Ok(());
    }
    let affordable = setup.memory.checked_div(Batch::<T, R::End>::BYTES).unwrap_or(1);
    lock(&run.desk).board.set_limit(pool.threads().saturating_mul(BATCHES_PER_THREAD).min(affordable));
    pool.run(PoolJob::Long, pool.threads().saturating_sub(1), &|| run.help(), || {
        // However it ends, the helpers leave.
        let _stopping = Stopping { run: &run, only_on_panic: false };
        lead.work_until(u64::MAX).map(|_| ())
    })
}

struct Lead<'r, 's, S, T, R: Stream, V> {
    run: &'r Run<'s, S, T, R>,
    delivery: Delivery<'s, T>,
    hasher: PieceHasher,
    visit: V,
}

#[derive(PartialEq, Eq)]
enum Ended {
    All,
    /// The threshold is reached, and there is more.
    Enough,
}

impl<S, T, R, V, E> Lead<'_, '_, S, T, R, V>
where
    S: Iterator<Item = Next<T, R>>,
    R: Stream,
    V: FnMut(Found<'_, T, R::End>) -> Result<(), E>,
{
    /// Works until all is done, or so many bytes have been read and more are to come.
    fn work_until(&mut self, threshold: u64) -> Result<Ended, E> {
        let mut read = 0u64;
        loop {
            match self.run.take(Role::Lead) {
                Job::Deliver(mut batch) => {
                    self.delivery.deliver(&mut batch, &mut self.visit)?;
                    batch.clear();
                    self.run.post(|board| board.delivered(batch));
                }
                Job::Over => return Ok(Ended::All),
                job => {
                    read = read.saturating_add(self.run.perform(job, &mut self.hasher));
                    if read >= threshold && !lock(&self.run.desk).board.has_ended() {
                        return Ok(Ended::Enough);
                    }
                }
            }
        }
    }
}

impl<S, T, R> Run<'_, S, T, R>
where
    S: Iterator<Item = Next<T, R>>,
    R: Stream,
{
    fn help(&self) {
        let _stopping = Stopping { run: self, only_on_panic: true };
        let mut hasher = PieceHasher::new(self.setup.key);
        loop {
            match self.take(Role::Help) {
                Job::Over => return,
                job => _ = self.perform(job, &mut hasher),
            }
        }
    }

    /// Does a job that any thread can do. Returns how much was read.
    fn perform(&self, job: Job<Box<Batch<T, R::End>>>, hasher: &mut PieceHasher) -> u64 {
        match job {
            Job::Read(batch) => {
                let mut batch = batch.unwrap_or_else(|| Box::new(Batch::new()));
                let follows = lock(&self.filling).fill(&mut batch);
                let read = if batch.is_full() { Batch::<T, R::End>::LEN } else { batch.filled() };
                self.post(|board| board.read(batch, follows));
                return u64::try_from(read).unwrap_or(u64::MAX);
            }
            Job::Cut(mut batch) => {
                lock(&self.cutting).cut(&mut batch);
                self.post(|board| board.cut(batch));
            }
            Job::Hash(number, mut batch) => {
                hash(hasher, &mut batch);
                self.post(|board| board.hashed(number, batch));
            }
            Job::Deliver(_) | Job::Over | Job::Wait => {}
        }
        0
    }
}

impl<S, T, R: Stream> Run<'_, S, T, R> {
    /// The next job, which is not [`Job::Wait`].
    fn take(&self, role: Role) -> Job<Box<Batch<T, R::End>>> {
        if let Some(pace) = self.setup.pace {
            pace.keep();
        }
        #[cfg(test)]
        (self.setup.before_job)();
        let mut desk = lock(&self.desk);
        loop {
            match desk.board.next(role) {
                Job::Wait => {}
                job => return job,
            }
            let seen = self.changes.load(Ordering::Relaxed);
            drop(desk);
            let unchanged = || self.changes.load(Ordering::Relaxed) == seen;
            let still = (0..SPINS).all(|_| {
                spin_loop();
                unchanged()
            });
            desk = lock(&self.desk);
            // Changes are made under the lock, so none is missed from here on.
            if still && unchanged() {
                desk = self.wait(desk, role);
            }
        }
    }

    fn wait<'d>(&self, mut desk: MutexGuard<'d, Desk<T, R::End>>, role: Role) -> MutexGuard<'d, Desk<T, R::End>> {
        match role {
            Role::Lead => {
                desk.lead_waits = true;
                desk = self.for_lead.wait(desk).unwrap_or_else(PoisonError::into_inner);
                desk.lead_waits = false;
            }
            Role::Help => {
                desk.helpers_waiting = desk.helpers_waiting.saturating_add(1);
                desk = self.for_helpers.wait(desk).unwrap_or_else(PoisonError::into_inner);
                desk.helpers_waiting = desk.helpers_waiting.saturating_sub(1);
            }
        }
        desk
    }

    /// Changes the board, and wakes who waits for that.
    fn post(&self, change: impl FnOnce(&mut Board<Box<Batch<T, R::End>>>)) {
        let mut desk = lock(&self.desk);
        change(&mut desk.board);
        self.changes.fetch_add(1, Ordering::Relaxed);
        let over = desk.board.is_over();
        let lead = desk.lead_waits;
        let worth = if desk.board.may_wait() { 1 } else { WORTH_WAKING };
        let helper = desk.helpers_waiting > 0 && desk.board.jobs() >= worth;
        drop(desk);
        if lead {
            self.for_lead.notify_one();
        }
        if over {
            self.for_helpers.notify_all();
        } else if helper {
            self.for_helpers.notify_one();
        }
    }
}

fn lock<D>(mutex: &Mutex<D>) -> MutexGuard<'_, D> {
    // A panic on another thread stops the run; what it left behind is not used any more.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops all threads when dropped.
struct Stopping<'r, 's, S, T, R: Stream> {
    run: &'r Run<'s, S, T, R>,
    only_on_panic: bool,
}

impl<S, T, R: Stream> Drop for Stopping<'_, '_, S, T, R> {
    fn drop(&mut self) {
        if !self.only_on_panic || thread::panicking() {
            self.run.post(Board::stop);
        }
    }
}
