//! The interleaved measurement: every subject once a round, so that all see the same machine.

use core::error::Error;
use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use thiserror::Error;

use crate::clock::{self, Sample};
use crate::stats::Spread;

/// Something to measure: a name, and work that puts out a result to be compared.
pub struct Subject<'a, T> {
    name: String,
    compared: bool,
    work: Box<dyn FnMut() -> Result<T, Box<dyn Error>> + 'a>,
}

impl<'a, T> Subject<'a, T> {
    /// A subject whose result must equal the first subject's.
    pub fn new(name: impl Into<String>, work: impl FnMut() -> Result<T, Box<dyn Error>> + 'a) -> Self {
        Self { name: name.into(), compared: true, work: Box::new(work) }
    }

    /// A peer that does other work of the same kind: its result need only be the same in every round.
    pub fn with_own_result(self) -> Self {
        Self { compared: false, ..self }
    }
}

impl<T> fmt::Debug for Subject<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("name", &self.name).field("compared", &self.compared).finish_non_exhaustive()
    }
}

/// Why a measurement gives no figures.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// Two results that must be equal are not.
    #[error("outputs differ: `{name}` gave {found}, but `{other}` gave {expected}")]
    Differs {
        /// The subject with the result in question.
        name: String,
        /// Its result.
        found: String,
        /// The subject it was compared with; itself, in another round, if the names are the same.
        other: String,
        /// That one's result.
        expected: String,
    },
    /// The work itself failed.
    #[error("`{name}` failed")]
    Failed {
        /// The subject.
        name: String,
        /// Why.
        source: Box<dyn Error>,
    },
}

/// Measures all subjects: A B C, A B C, and so on. A round before the first is not counted; it warms up caches and
/// allocator, and shows whether the results agree before any time is spent on figures. No later run may give another
/// result than its subject gave then.
///
/// # Errors
///
/// The first work that fails, or the first result that differs.
pub fn interleave<T: PartialEq + fmt::Display>(
    rounds: NonZeroU32,
    mut subjects: Vec<Subject<'_, T>>,
) -> Result<Vec<Measured<T>>, MeasureError> {
    let mut measured: Vec<Measured<T>> = Vec::new();
    for subject in &mut subjects {
        let (result, _) = run(subject)?;
        if let Some(first) = measured.first().filter(|_| subject.compared) {
            agree(subject, &result, first)?;
        }
        measured.push(Measured { name: subject.name.clone(), result, samples: Vec::new() });
    }
    for _ in 0..rounds.get() {
        for (subject, measured) in subjects.iter_mut().zip(&mut measured) {
            let (result, sample) = run(subject)?;
            agree(subject, &result, measured)?;
            measured.samples.push(sample);
        }
    }
    Ok(measured)
}

fn run<T>(subject: &mut Subject<'_, T>) -> Result<(T, Sample), MeasureError> {
    let (result, sample) = clock::time(&mut subject.work);
    match result {
        Ok(result) => Ok((result, sample)),
        Err(source) => Err(MeasureError::Failed { name: subject.name.clone(), source }),
    }
}

fn agree<T: PartialEq + fmt::Display>(
    subject: &Subject<'_, T>,
    result: &T,
    other: &Measured<T>,
) -> Result<(), MeasureError> {
    if *result == other.result {
        return Ok(());
    }
    Err(MeasureError::Differs {
        name: subject.name.clone(),
        found: result.to_string(),
        other: other.name.clone(),
        expected: other.result.to_string(),
    })
}

/// The figures of one subject.
#[derive(Clone, Debug)]
pub struct Measured<T> {
    /// The subject's name.
    pub name: String,
    /// What it put out, the same in every round.
    pub result: T,
    samples: Vec<Sample>,
}

impl<T> Measured<T> {
    /// What all rounds took together.
    pub fn total(&self) -> Sample {
        let sum = |part: fn(&Sample) -> Duration| self.samples.iter().map(part).sum();
        Sample { wall: sum(|sample| sample.wall), cpu: sum(|sample| sample.cpu) }
    }

    /// Seconds on the clock, over the rounds.
    pub fn wall(&self) -> Spread {
        Spread::of(self.walls())
    }

    /// CPU-seconds, over the rounds.
    pub fn cpu(&self) -> Spread {
        Spread::of(self.cpus())
    }

    /// Wall time as a multiple of `base`'s, over the rounds: below 1 is faster.
    pub fn wall_ratio(&self, base: &Self) -> Spread {
        Spread::of_ratios(&self.walls(), &base.walls())
    }

    /// CPU time as a multiple of `base`'s, over the rounds: below 1 is less.
    pub fn cpu_ratio(&self, base: &Self) -> Spread {
        Spread::of_ratios(&self.cpus(), &base.cpus())
    }

    fn walls(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.wall.as_secs_f64()).collect()
    }

    fn cpus(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.cpu.as_secs_f64()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::RefCell;

    fn rounds(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    #[test]
    fn subjects_take_turns_and_the_warm_up_is_not_counted() {
        let order = RefCell::new(String::new());
        let subject = |name: &'static str| {
            let order = &order;
            Subject::new(name, move || {
                order.borrow_mut().push_str(name);
                Ok(1)
            })
        };
        let measured = interleave(rounds(2), vec![subject("a"), subject("b"), subject("c")]).unwrap();
        assert_eq!(order.into_inner(), "abcabcabc");
        assert!(measured.iter().all(|measured| measured.samples.len() == 2));
        assert_eq!(measured.iter().map(|measured| &*measured.name).collect::<String>(), "abc");
    }

    #[test]
    fn results_must_agree_unless_they_are_of_another_kind() {
        let differing = vec![Subject::new("a", || Ok(1)), Subject::new("b", || Ok(2))];
        let error = interleave(rounds(1), differing).unwrap_err();
        assert_eq!(error.to_string(), "outputs differ: `b` gave 2, but `a` gave 1");

        let peers = vec![Subject::new("a", || Ok(1)), Subject::new("b", || Ok(2)).with_own_result()];
        assert!(interleave(rounds(1), peers).is_ok());
    }

    #[test]
    fn a_result_must_not_change_from_round_to_round() {
        let mut count = 0;
        let unsteady = Subject::new("a", || {
            count += 1;
            Ok(count / 3)
        });
        let error = interleave(rounds(5), vec![unsteady.with_own_result()]).unwrap_err();
        assert_eq!(error.to_string(), "outputs differ: `a` gave 1, but `a` gave 0");
    }

    #[test]
    fn failing_work_ends_the_measurement() {
        let failing = Subject::<u8>::new("a", || Err("no such file".into()));
        let error = interleave(rounds(5), vec![failing]).unwrap_err();
        assert_eq!(error.to_string(), "`a` failed");
        assert_eq!(error.source().unwrap().to_string(), "no such file");
    }

    #[test]
    fn ratios_use_figures_of_the_same_round() {
        let of = |walls: [u64; 3], cpus: [u64; 3]| Measured {
            name: String::new(),
            result: (),
            samples: walls
                .iter()
                .zip(cpus)
                .map(|(&wall, cpu)| Sample { wall: Duration::from_secs(wall), cpu: Duration::from_secs(cpu) })
                .collect(),
        };
        let base = of([2, 4, 40], [4, 4, 4]);
        let ours = of([1, 1, 10], [4, 8, 4]);
        assert_eq!(ours.wall(), Spread { median: 1.0, min: 1.0, max: 10.0 });
        assert_eq!(ours.wall_ratio(&base), Spread { median: 0.25, min: 0.25, max: 0.5 });
        assert_eq!(ours.total(), Sample { wall: Duration::from_secs(12), cpu: Duration::from_secs(16) });
        assert_eq!(ours.cpu_ratio(&base), Spread { median: 1.0, min: 1.0, max: 2.0 });
    }
}
