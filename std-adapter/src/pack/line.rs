//! Items that come in order, are worked on by many threads, and go out in order.

use core::mem::replace;
use core::ops::ControlFlow;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::pool::Job;
use crate::{Gate, Pool};

/// Where items come from. Used by one thread at a time.
pub(super) trait Input<T>: Send {
    /// Fills an item, which may have been used before, and says whether there was anything to fill it with. If not, no more will
    /// follow.
    fn fill(&mut self, item: &mut T) -> bool;
}

/// Where items go. Used by one thread at a time.
pub(super) trait Output<T>: Send {
    /// Takes the next item, all work on it done. The line stops if it breaks.
    fn put(&mut self, item: &mut T) -> ControlFlow<()>;
}

/// A line of items between an input and an output.
///
/// All threads do the same: the one thing that brings the oldest item closer to its end. So an item mostly stays with one thread,
/// whose cache it is in, as few of them as can be are on their way, and a thread that has nothing to do waits for another that
/// has: no order of events can lock up.
///
/// Each item is worked on once, then settled, in order; settling may send it round again.
pub(super) struct Line<'e, T, I, S, O> {
    state: Mutex<State<'e, T, I, S, O>>,
    changed: Condvar,
}

struct State<'e, T, I, S, O> {
    /// Not here while a thread uses it.
    input: Option<&'e mut I>,
    output: Option<&'e mut O>,
    settle: S,
    places: VecDeque<Place<T>>,
    /// Number of the place at the front.
    first: u64,
    /// Number of the first place that is not settled.
    unsettled: u64,
    /// Numbers of the places that wait.
    waiting: BTreeSet<u64>,
    /// Items that are not under way.
    spare: Vec<T>,
    /// How many were filled.
    filled: u64,
    input_ended: bool,
    /// Everything is done, or something failed.
    over: bool,
}

enum Place<T> {
    Done(T),
    InHand,
    Waiting(T),
}

/// Items that take up to `each` bytes: one for each thread and one that waits for its turn, as far as the memory goes. More would
/// drive each other out of the cache. An error if the system does not have that much memory.
pub(super) fn items_within<T>(
    memory: usize,
    each: usize,
    threads: usize,
    make: impl Fn() -> io::Result<T>,
) -> io::Result<Vec<T>> {
    let items = memory.checked_div(each).unwrap_or(1).clamp(1, threads.saturating_add(1));
    (0..items).map(|_| make()).collect()
}

/// How many items of at least `least` bytes the caller's thread works on alone before the gate lets helpers come.
pub(super) fn items_alone(gate: Gate, least: usize) -> u64 {
    let least = u64::try_from(least).unwrap_or(u64::MAX).max(1);
    if gate.threshold() == u64::MAX { u64::MAX } else { gate.threshold().div_ceil(least) }
}

#[derive(PartialEq, Eq)]
enum Ended {
    All,
    /// More items came than are to be worked on alone.
    Enough,
}

/// What a thread can do next.
enum Turn<'e, T, I, O> {
    Fill(&'e mut I, T),
    Put(&'e mut O, T),
    Work(u64, T),
}

impl<'e, T: Send, I: Input<T>, S: FnMut(&mut T) -> bool + Send, O: Output<T>> Line<'e, T, I, S, O> {
    /// A new line. `settle` sees each item once in order, after it was worked on, and says whether it is to be worked on again.
    /// No more than `items`, at least one, are ever under way: their memory is used again and again.
    pub(super) const fn new(input: &'e mut I, settle: S, output: &'e mut O, items: Vec<T>) -> Self {
        let state = State {
            input: Some(input),
            output: Some(output),
            settle,
            places: VecDeque::new(),
            first: 0,
            unsettled: 0,
            waiting: BTreeSet::new(),
            spare: items,
            filled: 0,
            input_ended: false,
            over: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Runs until the input has ended and all is put, or the output breaks: on the caller's thread until more than `alone` items
    /// came, then on all. Each thread has `tools` of its own.
    pub(super) fn run<K>(
        self,
        pool: &Pool<'_, '_>,
        alone: u64,
        tools: impl Fn() -> K + Sync,
        work: impl Fn(&mut K, &mut T) + Sync,
    ) {
        let mut own = tools();
        let helpers = pool.threads().saturating_sub(1);
        let alone = if helpers == 0 { u64::MAX } else { alone };
        if self.take_turns(alone, &mut own, &work) == Ended::All {
            return;
        }
        let turns = |tools: &mut K| {
            let _stopping = Stopping(&self);
            self.take_turns(u64::MAX, tools, &work);
        };
        pool.run(Job::Long, helpers, &|| turns(&mut tools()), || turns(&mut own));
    }

    fn take_turns<K>(&self, most: u64, tools: &mut K, work: &impl Fn(&mut K, &mut T)) -> Ended {
        let mut state = self.lock();
        loop {
            if state.settle() {
                self.changed.notify_all();
            }
            if state.over {
                return Ended::All;
            }
            if state.filled > most {
                return Ended::Enough;
            }
            let Some(turn) = state.next_turn() else {
                if state.is_done() {
                    state.over = true;
                    return Ended::All;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            state = match turn {
                Turn::Work(number, mut item) => {
                    work(tools, &mut item);
                    let mut state = self.lock();
                    state.replace(number, Place::Done(item));
                    state
                }
                Turn::Fill(input, mut item) => {
                    let filled = input.fill(&mut item);
                    let mut state = self.lock();
                    state.input = Some(input);
                    if filled {
                        state.push(item)
                    } else {
                        state.input_ended = true
                    }
                    state
                }
                Turn::Put(output, mut item) => {
                    let flow = output.put(&mut item);
                    let mut state = self.lock();
                    state.output = Some(output);
                    state.over |= flow.is_break();
                    state.spare.push(item);
                    state
                }
            };
            self.changed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'e, T, I, S, O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'e, T, I, S: FnMut(&mut T) -> bool, O> State<'e, T, I, S, O> {
    /// What is nearest to the end of the line first.
    fn next_turn(&mut self) -> Option<Turn<'e, T, I, O>> {
        let done = self.first != self.unsettled && matches!(self.places.front(), Some(Place::Done(_)));
        if done
            && let Some(output) = self.output.take()
            && let Some(Place::Done(item)) = self.places.pop_front()
        {
            self.first = self.first.wrapping_add(1);
            return Some(Turn::Put(output, item));
        }
        if let Some(number) = self.waiting.pop_first()
            && let Some(Place::Waiting(item)) = self.replace(number, Place::InHand)
        {
            return Some(Turn::Work(number, item));
        }
        let input = self.input.take_if(|_| !self.input_ended && !self.spare.is_empty())?;
        let item = self.spare.pop()?;
        Some(Turn::Fill(input, item))
    }

    fn push(&mut self, item: T) {
        self.filled = self.filled.saturating_add(1);
        let number = self.first.wrapping_add(u64::try_from(self.places.len()).unwrap_or(0));
        self.places.push_back(Place::Waiting(item));
        self.waiting.insert(number);
    }

    /// Settles what can be settled. Whether there is more work now.
    fn settle(&mut self) -> bool {
        let mut more = false;
        while let Some(mut item) = self.take_unsettled() {
            let again = (self.settle)(&mut item);
            let number = self.unsettled;
            if again {
                self.waiting.insert(number);
                more = true;
            }
            self.replace(number, if again { Place::Waiting(item) } else { Place::Done(item) });
            self.unsettled = number.wrapping_add(1);
        }
        more
    }

    fn take_unsettled(&mut self) -> Option<T> {
        let place = self.place(self.unsettled)?;
        match replace(place, Place::InHand) {
            Place::Done(item) => Some(item),
            other => {
                *place = other;
                None
            }
        }
    }

    fn replace(&mut self, number: u64, by: Place<T>) -> Option<Place<T>> {
        self.place(number).map(|place| replace(place, by))
    }

    fn place(&mut self, number: u64) -> Option<&mut Place<T>> {
        self.places.get_mut(usize::try_from(number.wrapping_sub(self.first)).ok()?)
    }

    fn is_done(&self) -> bool {
        self.input_ended && self.input.is_some() && self.output.is_some() && self.places.is_empty()
    }
}

/// However a thread's part ends, all others end, too.
struct Stopping<'l, 'e, T, I, S, O>(&'l Line<'e, T, I, S, O>);

impl<T, I, S, O> Drop for Stopping<'_, '_, T, I, S, O> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use core::panic::AssertUnwindSafe;
    use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::panic::catch_unwind;
    use std::thread;

    /// How often it was worked on, and its number.
    #[derive(Default)]
    struct Numbered(u32, u64);

    struct UpTo(u64);

    impl Input<Numbered> for UpTo {
        fn fill(&mut self, item: &mut Numbered) -> bool {
            let left = self.0.checked_sub(1);
            *item = Numbered(0, left.unwrap_or(0));
            self.0 = left.unwrap_or(0);
            left.is_some()
        }
    }

    #[derive(Default)]
    struct Taken {
        numbers: Vec<u64>,
        breaks_at: Option<u64>,
    }

    impl Output<Numbered> for Taken {
        fn put(&mut self, item: &mut Numbered) -> ControlFlow<()> {
            assert_eq!(item.0, if item.1.is_multiple_of(3) { 2 } else { 1 }, "rounds of {}", item.1);
            if self.breaks_at == Some(item.1) {
                return ControlFlow::Break(());
            }
            self.numbers.push(item.1);
            ControlFlow::Continue(())
        }
    }

    fn run(threads: usize, items: usize, output: &mut Taken, work: impl Fn(&mut Numbered) + Sync) {
        run_alone_first(threads, 1, items, output, work);
    }

    fn run_alone_first(
        threads: usize,
        alone: u64,
        items: usize,
        output: &mut Taken,
        work: impl Fn(&mut Numbered) + Sync,
    ) {
        let settle = |item: &mut Numbered| item.1.is_multiple_of(3);
        Pool::scope(threads, |pool| {
            let items = (0..items).map(|_| Numbered::default()).collect();
            Line::new(&mut UpTo(200), settle, output, items).run(pool, alone, || (), |(), item| work(item));
        });
    }

    /// Items of different weight.
    fn spin(item: &mut Numbered) {
        for _ in 0..item.1 % 7 * 300 {
            core::hint::spin_loop();
        }
        item.0 += 1;
    }

    #[test]
    fn items_come_out_in_order_after_as_many_rounds_as_were_settled() {
        for threads in 1..=4 {
            for items in [1, 2, 3, 100] {
                let mut taken = Taken::default();
                run(threads, items, &mut taken, spin);
                assert_eq!(taken.numbers, (0..200).rev().collect::<Vec<u64>>(), "{threads} threads, {items} items");
            }
        }
    }

    #[test]
    fn no_more_are_under_way_than_there_are() {
        for items in [1, 2, 3] {
            let (under_way, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let mut taken = Taken::default();
            run(4, items, &mut taken, |item| {
                let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
                seen.fetch_max(now, Ordering::SeqCst);
                spin(item);
                under_way.fetch_sub(1, Ordering::SeqCst);
            });
            assert!(seen.into_inner() <= items, "{items} items");
        }
    }

    /// The 200 items all come: helpers are called for more than are to be worked on alone, and only then.
    #[test]
    fn helpers_come_when_the_gate_opens() {
        for (alone, with_helpers) in [(0, true), (1, true), (199, true), (200, false), (u64::MAX, false)] {
            let caller = thread::current().id();
            let (before, by_others) = (AtomicU64::new(0), AtomicU64::new(0));
            let mut taken = Taken::default();
            run_alone_first(3, alone, 4, &mut taken, |item| {
                let first = before.fetch_add(1, Ordering::SeqCst) < alone;
                if thread::current().id() != caller {
                    assert!(!first, "{alone} alone");
                    by_others.fetch_add(1, Ordering::SeqCst);
                } else if with_helpers && !first && alone < 100 {
                    // The others come some time.
                    while by_others.load(Ordering::SeqCst) == 0 {
                        thread::yield_now();
                    }
                }
                spin(item);
            });
            assert_eq!(taken.numbers.len(), 200);
            assert!(with_helpers || by_others.into_inner() == 0, "{alone} alone");
        }
    }

    #[test]
    fn a_gate_is_counted_in_items() {
        let of = |threshold| items_alone(Gate::default().with_threshold(threshold), 256 << 10);
        assert_eq!(of(0), 0);
        assert_eq!((of(1), of(128 << 10), of(256 << 10), of((256 << 10) + 1)), (1, 1, 1, 2));
        assert_eq!(of(u64::MAX), u64::MAX);
        assert_eq!(of(u64::MAX - 1), (u64::MAX >> 18) + 1);
    }

    #[test]
    fn an_output_that_breaks_stops_the_line() {
        for threads in 1..=4 {
            let mut taken = Taken { breaks_at: Some(120), ..Taken::default() };
            run(threads, 10, &mut taken, spin);
            assert_eq!(taken.numbers, (121..200).rev().collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_panic_on_any_thread_ends_all() {
        for threads in 1..=4 {
            let mut taken = Taken::default();
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                run(threads, 10, &mut taken, |item| {
                    assert!(item.1 != 50, "as it must");
                    spin(item);
                });
            }));
            assert!(panicked.is_err(), "{threads} threads");
        }
    }
}
