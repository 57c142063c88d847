//! From which length on splitting pays: the decision alone, whoever measures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What splitting a slice of so many bytes gives, against one thread: medians of ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Point {
    pub(super) bytes: u64,
    /// How many times as fast.
    pub(super) speed: f64,
    /// How many times the CPU time.
    pub(super) cpu: f64,
    /// Runs behind it.
    pub(super) runs: u32,
}

/// What has to be gained, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rules {
    /// Splitting wins if it is faster by this part.
    pub(super) margin: f64,
    /// More CPU time than this part is too much for the balanced objective.
    pub(super) max_cpu_overhead: f64,
}

/// The lengths in bytes from which on splitting pays, for each objective. `None` is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Thresholds {
    pub(super) wall: Option<u64>,
    pub(super) balanced: Option<u64>,
    pub(super) cpu: Option<u64>,
}

/// An objective's demand on a length.
type Demand = fn(&Rules, &Point) -> bool;

const DEMANDS: [Demand; 3] = [Rules::wall, Rules::balanced, Rules::cpu];

impl Rules {
    fn wall(&self, point: &Point) -> bool {
        point.speed >= 1.0 + self.margin
    }

    fn balanced(&self, point: &Point) -> bool {
        self.wall(point) && point.cpu <= 1.0 + self.max_cpu_overhead
    }

    /// No more CPU time than one thread takes.
    fn cpu(&self, point: &Point) -> bool {
        self.wall(point) && point.cpu <= 1.0
    }

    /// The thresholds that these points speak for.
    pub(super) fn thresholds(&self, points: &BTreeMap<u64, Point>) -> Thresholds {
        let [wall, balanced, cpu] = DEMANDS.map(|demand| self.holds_from(points, demand));
        Thresholds { wall, balanced, cpu }
    }

    /// The least length from which on the demand always holds. A few lengths at the upper end say little about all longer ones:
    /// it has to hold from half of the longest on at least.
    fn holds_from(&self, points: &BTreeMap<u64, Point>, demand: Demand) -> Option<u64> {
        let longest = points.keys().next_back()?;
        let holding = points.values().rev().take_while(|point| demand(self, point));
        holding.last().map(|point| point.bytes).filter(|&bytes| bytes <= longest / 2)
    }

    /// The lengths that decide: the longest at which a demand does not hold.
    fn deciding(&self, points: &BTreeMap<u64, Point>) -> impl Iterator<Item = u64> {
        DEMANDS
            .map(|demand| points.values().rev().find(|point| !demand(self, point)).map(|point| point.bytes))
            .into_iter()
            .flatten()
    }
}

/// Measures the lengths of the ladder, then tries to disprove what comes out: the lengths that decide are measured again with
/// more runs until none is left that rests on few, and so are the ones just above each threshold, which are the worst as a rule.
///
/// `measure` is given a length and a number of runs, and `say` what goes on.
pub(super) fn search<E>(
    ladder: &[u64],
    rules: &Rules,
    runs: u32,
    mut measure: impl FnMut(u64, u32) -> Result<Point, E>,
    mut say: impl FnMut(&str),
) -> Result<BTreeMap<u64, Point>, E> {
    let mut points = BTreeMap::new();
    for &bytes in ladder {
        points.insert(bytes, measure(bytes, runs)?);
    }
    let again = runs.saturating_mul(AGAIN);
    let longest = ladder.iter().copied().max().unwrap_or(0);
    loop {
        let thresholds = rules.thresholds(&points);
        let found = [thresholds.wall, thresholds.balanced, thresholds.cpu].into_iter().flatten();
        // Just above: a piece more, and a piece more with a tail.
        let above =
            found.flat_map(|bytes| ABOVE.map(|more| bytes.saturating_add(more))).filter(|bytes| *bytes <= longest);
        let wanted = rules.deciding(&points).chain(above);
        let Some(bytes) = wanted.into_iter().find(|bytes| points.get(bytes).is_none_or(|point| point.runs < again))
        else {
            return Ok(points);
        };
        say(&format!("{bytes} bytes decide: measured again, {again} runs"));
        points.insert(bytes, measure(bytes, again)?);
    }
}

/// Lengths just above a threshold: itself, a piece more, and a tail behind that.
const ABOVE: [u64; 3] = [0, 16 << 10, (16 << 10) + TAIL];

/// So many times the runs for a length that decides.
const AGAIN: u32 = 3;

/// Bytes behind the last whole piece.
pub(super) const TAIL: u64 = 777;

#[cfg(test)]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "figures of a made-up machine")]
mod tests {
    use super::*;
    use core::cell::RefCell;
    use core::convert::Infallible;

    const RULES: Rules = Rules { margin: 0.05, max_cpu_overhead: 0.1 };
    const KIB: u64 = 1 << 10;

    fn ladder() -> Vec<u64> {
        (4..=12).flat_map(|log| [KIB << log, (KIB << log) + TAIL]).collect()
    }

    /// The thresholds in KiB that a machine with these ratios gets.
    fn found(machine: impl Fn(u64, u32) -> (f64, f64)) -> [Option<u64>; 3] {
        let measure = |bytes, runs| {
            let (speed, cpu) = machine(bytes, runs);
            Ok::<_, Infallible>(Point { bytes, speed, cpu, runs })
        };
        let Ok(points) = search(&ladder(), &RULES, 10, measure, |_| {});
        let Thresholds { wall, balanced, cpu } = RULES.thresholds(&points);
        [wall, balanced, cpu].map(|bytes| bytes.map(|bytes| bytes / KIB))
    }

    #[test]
    fn where_it_always_wins_the_shortest_is_the_threshold() {
        assert_eq!(found(|_, _| (1.8, 1.0)), [Some(16); 3]);
    }

    #[test]
    fn where_it_never_wins_there_is_none() {
        assert_eq!(found(|_, _| (0.9, 1.4)), [None; 3]);
        assert_eq!(found(|_, _| (1.04, 1.0)), [None; 3]);
    }

    #[test]
    fn each_objective_has_its_own() {
        let machine = |bytes, _| (bytes as f64 / (100 * KIB) as f64, 1.0 + (100 * KIB) as f64 / bytes as f64);
        assert_eq!(found(machine), [Some(128), Some(1024), None]);
    }

    /// It wins at some lengths and loses at longer ones, up to a point: only what is above counts.
    #[test]
    fn a_sawtooth_ends_where_the_last_tooth_does() {
        let machine =
            |bytes: u64, _| (if bytes < 1024 * KIB && bytes % (256 * KIB) < 64 * KIB { 0.9 } else { 1.7 }, 1.0);
        assert_eq!(found(machine), [Some(1024); 3]);
    }

    /// What holds at the longest lengths alone is too little to go by.
    #[test]
    fn the_upper_end_alone_is_no_threshold() {
        let from = |least: u64| move |bytes: u64, _: u32| (if bytes < least { 0.9 } else { 1.8 }, 1.0);
        assert_eq!(found(from(2048 * KIB)), [Some(2048); 3]);
        assert_eq!(found(from(2048 * KIB + 1)), [None; 3]);
        assert_eq!(found(from(4096 * KIB + 1)), [None; 3]);
    }

    /// A bad moment of the machine is not believed, wherever it falls.
    #[test]
    fn single_dips_are_measured_again() {
        for dip in ladder() {
            let seen = RefCell::new(Vec::new());
            let machine = |bytes, runs| {
                seen.borrow_mut().push((bytes, runs));
                (if bytes == dip && runs == 10 { 0.5 } else { 1.8 }, 1.0)
            };
            assert_eq!(found(machine), [Some(16); 3], "dip at {dip}");
            assert!(seen.into_inner().contains(&(dip, 30)));
        }
    }

    /// What holds on the ladder may not hold between its steps.
    #[test]
    fn the_worst_lengths_above_are_tried() {
        let machine = |bytes, _| (if bytes == 80 * KIB || bytes < 64 * KIB { 0.9 } else { 1.8 }, 1.0);
        let [wall, ..] = found(machine);
        assert_eq!(wall, Some(128));
    }

    /// Whatever is measured, the search ends.
    #[test]
    fn noise_alone_comes_to_an_end() {
        for seed in 0..50u64 {
            let state = RefCell::new(seed);
            let draw = || {
                let mut state = state.borrow_mut();
                *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (*state >> 40) as f64 / (1 << 24) as f64
            };
            found(|_, _| (0.8 + draw(), 0.9 + draw() / 2.0));
        }
    }
}
