//! The ring against its model, through random operations and through every state of small rings.

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

use chunkmill_tests::ring_model::Model;
use proptest::prelude::*;

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
                let window = model.window_len();
                model.commit(part.of(window));
            }
            Op::Release(part) => model.release(part.of(model.len())),
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
    while model.len() < len {
        let window = model.window_len();
        model.commit(window.min(len - model.len()));
    }
    assert!(model.len() == len && model.start().is_none_or(|place| place == start));
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
                        let window = model.window_len();
                        model.commit(filled.min(window));
                        model.assert_sound();
                        model.release(model.len());
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
    assert_eq!((model.window_len(), model.free()), (2, 6));
    model.commit(2);
    assert_eq!((model.window_len(), model.free()), (4, 4));
    model.commit(4);
    assert_eq!((model.window_len(), model.free()), (0, 0));
    let (first, second) = model.slices();
    assert_eq!((first.len(), second.len()), (4, 4));
    model.assert_sound();
}
