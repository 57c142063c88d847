//! The ring against a model: a queue that knows of each byte held what it is and where in the memory it was put. A byte
//! that moved, was lost, or was overwritten shows at the next look.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use std::collections::VecDeque;

use chunkmill_core::{RingBuffer, RingError};
use proptest::prelude::*;

/// A byte held, and its index in the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    byte: u8,
    place: usize,
}

/// A ring and what must be in it.
struct Model<'m> {
    ring: RingBuffer<'m>,
    base: usize,
    capacity: usize,
    held: VecDeque<Held>,
    next: u8,
}

impl<'m> Model<'m> {
    fn new(memory: &'m mut [u8]) -> Self {
        let (base, capacity) = (memory.as_ptr().addr(), memory.len());
        Self { ring: RingBuffer::new(memory), base, capacity, held: VecDeque::new(), next: 0 }
    }

    /// Fills and commits the first `len` bytes of the window.
    fn commit(&mut self, len: usize) {
        let window = self.ring.window();
        let at = window.as_ptr().addr() - self.base;
        for (index, byte) in window[..len].iter_mut().enumerate() {
            // 251 is prime: bytes that changed places by a power of two are not the same.
            self.next = (self.next + 1) % 251;
            *byte = self.next;
            self.held.push_back(Held { byte: self.next, place: at + index });
        }
        self.ring.commit(len).unwrap();
    }

    fn release(&mut self, len: usize) {
        self.ring.release(len).unwrap();
        self.held.drain(..len);
    }

    fn assert_slices(&self, skip: usize, len: usize) {
        let (first, second) = self.ring.slices(skip, len);
        let places = |slice: &[u8]| slice.as_ptr().addr().wrapping_sub(self.base);
        let with_places = |slice: &[u8]| {
            let at = places(slice);
            slice.iter().enumerate().map(move |(index, &byte)| Held { byte, place: at + index }).collect::<Vec<_>>()
        };
        let expected = self.held.iter().copied().skip(skip).take(len);
        assert!(with_places(first).into_iter().chain(with_places(second)).eq(expected), "slices({skip}, {len})");
        if !second.is_empty() {
            assert!(!first.is_empty(), "the first slice comes first");
            assert_eq!(places(first) + first.len(), self.capacity, "the first slice goes up to the end of the memory");
            assert_eq!(places(second), 0, "the second goes on at its start");
        }
    }

    /// Everything that must hold between any two calls.
    fn assert_sound(&mut self) {
        let len = self.held.len();
        let free = self.capacity - len;
        assert_eq!((self.ring.capacity(), self.ring.len(), self.ring.free()), (self.capacity, len, free));
        assert_eq!(self.ring.is_empty(), len == 0);

        let window = self.ring.window();
        let (at, window_len) = (window.as_ptr().addr().wrapping_sub(self.base), window.len());
        // If the window had a byte in it that is held, this would spoil it.
        window.fill(0xff);
        assert_eq!(window_len == 0, free == 0, "a ring that is not full has a window");
        assert!(window_len <= free);
        assert!(window_len == free || at + window_len == self.capacity, "the window goes on as far as it can");
        if len == 0 {
            assert_eq!(window_len, self.capacity, "an empty ring has all of its memory for a window");
        }
        self.assert_slices(0, usize::MAX);
    }

    /// Both promises broken, by a byte and by as much as there is: errors that say so, and nothing has changed.
    fn assert_refusals(&mut self, extra: usize) {
        let (window, held) = (self.ring.window().len(), self.held.len());
        for asked in [window + 1, window.saturating_add(extra).max(window + 1), usize::MAX] {
            assert_eq!(self.ring.commit(asked), Err(RingError::Commit { asked, window }));
        }
        for asked in [held + 1, held.saturating_add(extra).max(held + 1), usize::MAX] {
            assert_eq!(self.ring.release(asked), Err(RingError::Release { asked, held }));
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    /// Commits a part of the window, all of it included.
    Commit(Part),
    /// Releases a part of what is held, all of it included.
    Release(Part),
    /// Commits and releases more than there is.
    Refused(usize),
    /// Looks at some of what is held and perhaps at more.
    Slices(Part, Part),
}

/// A number up to a limit that is known later.
#[derive(Clone, Copy, Debug)]
enum Part {
    All,
    Few(usize),
    Some(u32),
}

impl Part {
    fn of(self, limit: usize) -> usize {
        match self {
            Self::All => limit,
            Self::Few(count) => count.min(limit),
            Self::Some(number) => number as usize % (limit + 1),
        }
    }
}

fn any_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        1 => Just(Part::All),
        2 => (0..4usize).prop_map(Part::Few),
        4 => any::<u32>().prop_map(Part::Some),
    ]
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => any_part().prop_map(Op::Commit),
        4 => any_part().prop_map(Op::Release),
        1 => any::<usize>().prop_map(Op::Refused),
        3 => (any_part(), any_part()).prop_map(|(skip, len)| Op::Slices(skip, len)),
    ]
}

fn run(capacity: usize, ops: &[Op]) {
    let mut memory = vec![0xee; capacity];
    let mut model = Model::new(&mut memory);
    model.assert_sound();
    for &op in ops {
        match op {
            Op::Commit(part) => {
                let window = model.ring.window().len();
                model.commit(part.of(window));
            }
            Op::Release(part) => model.release(part.of(model.held.len())),
            Op::Refused(extra) => model.assert_refusals(extra),
            Op::Slices(skip, len) => model.assert_slices(skip.of(capacity + 2), len.of(capacity + 2)),
        }
        model.assert_sound();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn small_rings_are_as_the_model(capacity in 0..40usize, ops in prop::collection::vec(any_op(), 1..80)) {
        run(capacity, &ops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn large_rings_are_as_the_model(
        capacity in prop_oneof![1000..5000usize, 65_000..70_000usize],
        ops in prop::collection::vec(any_op(), 1..60),
    ) {
        run(capacity, &ops);
    }
}

/// Lends a ring that holds `len` bytes, the first of them at `start`.
fn with_state(capacity: usize, start: usize, len: usize, use_it: impl FnOnce(&mut Model<'_>)) {
    let mut memory = vec![0xee; capacity];
    let mut model = Model::new(&mut memory);
    if start > 0 {
        // The ring must not run empty on the way: it would start at 0 again.
        model.commit(1);
        for _ in 0..start {
            model.commit(1);
            model.release(1);
        }
    }
    while model.held.len() < len {
        let window = model.ring.window().len();
        model.commit(window.min(len - model.held.len()));
    }
    assert!(model.held.len() == len && model.held.front().is_none_or(|held| held.place == start));
    model.assert_sound();
    use_it(&mut model);
    model.assert_sound();
}

/// Every state that a ring can be in, every slice of it, and one step of every length on from it.
#[test]
fn every_state_of_every_ring_up_to_nine_bytes() {
    let mut wrapped = 0;
    for capacity in 0..=9usize {
        for start in 0..capacity.max(1) {
            // A ring that is empty starts at 0.
            for len in usize::from(start > 0)..=capacity {
                wrapped += usize::from(start + len > capacity);
                with_state(capacity, start, len, |model| {
                    model.assert_refusals(3);
                    for skip in (0..=capacity + 1).chain([usize::MAX]) {
                        for part in (0..=capacity + 1).chain([usize::MAX]) {
                            model.assert_slices(skip, part);
                        }
                    }
                });
                for done in 0..=len {
                    with_state(capacity, start, len, |model| model.release(done));
                }
                for filled in 0..=capacity {
                    with_state(capacity, start, len, |model| {
                        let window = model.ring.window().len();
                        model.commit(filled.min(window));
                        model.assert_sound();
                        model.release(model.held.len());
                    });
                }
            }
        }
    }
    assert_eq!(wrapped, (1..=9).map(|capacity| capacity * (capacity - 1) / 2).sum::<usize>(), "each wrap was there");
}

/// What the figure in the source shows, with numbers.
#[test]
fn free_space_before_the_start_comes_after_the_end_of_the_memory() {
    let mut memory = [0; 8];
    let mut model = Model::new(&mut memory);
    model.commit(6);
    model.release(4);
    assert_eq!((model.ring.window().len(), model.ring.free()), (2, 6));
    model.commit(2);
    assert_eq!((model.ring.window().len(), model.ring.free()), (4, 4));
    model.commit(4);
    assert_eq!((model.ring.window().len(), model.ring.free()), (0, 0));
    let (first, second) = model.ring.slices(0, usize::MAX);
    assert_eq!((first.len(), second.len()), (4, 4));
    model.assert_sound();
}
