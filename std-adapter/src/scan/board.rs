//! Who does what next: the batches that wait for each stage, and the rules by which threads take them.

use std::collections::VecDeque;

use super::filling::Follows;

/// Reading and cutting go on one batch at a time, in order; hashing goes on for many batches at once, in any order; delivery
/// is in order again, and for the leading thread alone.
///
/// ```text
/// free ─▶ reading ─▶ read ─▶ cutting ─▶ cut ─▶ hashing ─▶ hashed, in their places ─▶ delivery ─▶ free
/// ```
///
/// No order of events can lock up: a batch that is held by a thread moves on by that thread alone, and the leading thread may
/// take every job there is, so it waits only while others hold batches.
pub(super) struct Board<B> {
    free: Vec<B>,
    read: VecDeque<B>,
    cut: VecDeque<(u64, B)>,
    /// A place for each batch that has been cut and not delivered.
    hashed: VecDeque<Option<B>>,
    /// Number of the batch whose place is the first.
    first: u64,
    /// Batches there are, and may be.
    made: usize,
    limit: usize,
    reading: bool,
    cutting: bool,
    /// All streams have been read.
    ended: bool,
    /// The next read may wait for the stream's writer.
    may_wait: bool,
    /// Nothing is to be done any more, because all is done or because it failed.
    over: bool,
}

/// Something to do with a batch. The batch comes back with the call of the same name.
pub(super) enum Job<B> {
    Cut(B),
    Deliver(B),
    Hash(u64, B),
    Over,
    /// Read into this batch, or into a new one.
    Read(Option<B>),
    Wait,
}

/// The caller's thread leads, the others help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Help,
    Lead,
}

impl<B> Board<B> {
    pub(super) const fn new() -> Self {
        Self {
            free: Vec::new(),
            read: VecDeque::new(),
            cut: VecDeque::new(),
            hashed: VecDeque::new(),
            first: 0,
            made: 0,
            limit: 1,
            reading: false,
            cutting: false,
            ended: false,
            may_wait: false,
            over: false,
        }
    }

    /// Lets there be so many batches, at least one.
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit.max(1);
    }

    /// The next job. Cutting comes before all that can wait, for it is the stage that cannot be shared; what it needs comes
    /// next, then hashing, which there is enough of for all.
    pub(super) fn next(&mut self, role: Role) -> Job<B> {
        if self.over {
            return Job::Over;
        }
        if role == Role::Lead
            && let Some(Some(_)) = self.hashed.front()
            && let Some(Some(batch)) = self.hashed.pop_front()
        {
            self.first = self.first.wrapping_add(1);
            return Job::Deliver(batch);
        }
        if !self.cutting
            && let Some(batch) = self.read.pop_front()
        {
            self.cutting = true;
            return Job::Cut(batch);
        }
        // While the leading thread waits for a writer nothing is delivered, and the writer may wait for that.
        let may_read = self.can_read() && (role == Role::Help || !self.may_wait || self.free.len() == self.made);
        if self.read.is_empty() && may_read {
            return self.read_next();
        }
        if let Some((number, batch)) = self.cut.pop_front() {
            return Job::Hash(number, batch);
        }
        if may_read {
            return self.read_next();
        }
        if self.ended && self.free.len() == self.made {
            self.over = true;
            return Job::Over;
        }
        Job::Wait
    }

    const fn can_read(&self) -> bool {
        !self.reading && !self.ended && (!self.free.is_empty() || self.made < self.limit)
    }

    fn read_next(&mut self) -> Job<B> {
        self.reading = true;
        let batch = self.free.pop();
        if batch.is_none() {
            self.made = self.made.saturating_add(1);
        }
        Job::Read(batch)
    }

    /// Jobs that a helper could do now.
    pub(super) fn jobs(&self) -> usize {
        let cuts = usize::from(!self.cutting && !self.read.is_empty());
        self.cut.len().saturating_add(cuts).saturating_add(usize::from(self.can_read()))
    }

    pub(super) fn read(&mut self, batch: B, follows: Follows) {
        self.reading = false;
        self.ended = follows == Follows::Nothing;
        self.may_wait = follows == Follows::MoreThatWaits;
        self.read.push_back(batch);
    }

    pub(super) fn cut(&mut self, batch: B) {
        self.cutting = false;
        let number = self.first.wrapping_add(u64::try_from(self.hashed.len()).unwrap_or(0));
        self.hashed.push_back(None);
        self.cut.push_back((number, batch));
    }

    pub(super) fn hashed(&mut self, number: u64, batch: B) {
        let place = usize::try_from(number.wrapping_sub(self.first)).unwrap_or(usize::MAX);
        if let Some(place) = self.hashed.get_mut(place) {
            *place = Some(batch);
        }
    }

    pub(super) fn delivered(&mut self, batch: B) {
        self.free.push(batch);
    }

    /// Ends the work for all threads.
    pub(super) fn stop(&mut self) {
        self.over = true;
    }

    /// Whether the next read may wait for the stream's writer.
    pub(super) const fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether all streams have been read.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) const fn is_over(&self) -> bool {
        self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a run with threads that end their jobs in an order drawn from a seed, and gives the order of delivery.
    fn play(seed: u64, threads: usize, limit: usize, batches: u32, more: Follows) -> Vec<u32> {
        let mut board = Board::new();
        board.set_limit(limit);
        let mut at_work: Vec<Option<Job<u32>>> = (0..threads).map(|_| None).collect();
        let (mut next, mut delivered, mut state) = (0, Vec::new(), seed);
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let thread = (state >> 33) as usize % threads;
            let role = if thread == 0 { Role::Lead } else { Role::Help };
            match at_work[thread].take() {
                Some(Job::Read(_)) => {
                    board.read(next, if next + 1 < batches { more } else { Follows::Nothing });
                    next += 1;
                }
                Some(Job::Cut(batch)) => board.cut(batch),
                Some(Job::Hash(number, batch)) => {
                    assert_eq!(number, u64::from(batch));
                    board.hashed(number, batch);
                }
                Some(Job::Deliver(batch)) => {
                    assert_eq!(role, Role::Lead);
                    delivered.push(batch);
                    board.delivered(batch);
                }
                Some(Job::Over) if role == Role::Lead => return delivered,
                _ => {}
            }
            assert!(board.made <= limit);
            at_work[thread] = Some(board.next(role));
            if let (Role::Lead, Some(Job::Read(_)), true) = (role, &at_work[thread], board.may_wait) {
                assert_eq!(delivered.len(), next as usize, "the leading thread waits with something to deliver");
            }
            let count = |kind: fn(&Job<u32>) -> bool| at_work.iter().flatten().filter(|job| kind(job)).count();
            assert!(count(|job| matches!(job, Job::Read(_))) <= 1);
            assert!(count(|job| matches!(job, Job::Cut(_))) <= 1);
        }
        panic!("no end: seed {seed}, {threads} threads, {limit} batches");
    }

    #[test]
    fn every_order_of_events_delivers_all_in_order() {
        for seed in 0..200 {
            for threads in 1..=5 {
                for limit in [1, 2, 3, 6] {
                    for more in [Follows::More, Follows::MoreThatWaits] {
                        assert_eq!(play(seed, threads, limit, 20, more), (0..20).collect::<Vec<_>>());
                    }
                }
            }
        }
    }

    #[test]
    fn helpers_have_nothing_to_do_when_it_is_over() {
        let mut board = Board::<()>::new();
        assert_eq!(board.jobs(), 1);
        board.stop();
        assert!(matches!(board.next(Role::Help), Job::Over));
        assert!(matches!(board.next(Role::Lead), Job::Over));
    }
}
