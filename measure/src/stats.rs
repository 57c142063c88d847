//! Medians, and how far single figures lie from them.

use core::fmt;

/// The median of figures, with the least and the greatest of them.
///
/// `{:.2}` shows all three with two digits: `0.62 (0.60..0.65)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle figure; of an even number of figures, the mean of the middle two.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// The spread of at least one figure.
    ///
    /// # Panics
    ///
    /// If there is no figure.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let half = sorted.len() / 2;
        let median =
            if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], sorted[half]) } else { sorted[half] };
        Self { median, min: sorted[0], max: sorted[sorted.len() - 1] }
    }

    /// All figures as parts of `whole`.
    #[must_use]
    pub fn divided_by(self, whole: f64) -> Self {
        Self { median: self.median / whole, min: self.min / whole, max: self.max / whole }
    }

    /// The spread of the ratios `over[i] / under[i]`: figures of the same round, so a slow spell of the machine hits both
    /// and cancels out. It is not the ratio of the medians.
    ///
    /// # Panics
    ///
    /// If there is no figure, or more of one kind than of the other.
    pub fn of_ratios(over: &[f64], under: &[f64]) -> Self {
        assert_eq!(over.len(), under.len(), "every round measures every subject");
        Self::of(over.iter().zip(under).map(|(over, under)| over / under))
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        let Self { median, min, max } = self;
        write!(f, "{median:.digits$} ({min:.digits$}..{max:.digits$})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(Spread::of([5.0]), Spread { median: 5.0, min: 5.0, max: 5.0 });
        assert_eq!(Spread::of([9.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 9.0 });
        assert_eq!(Spread::of([4.0, 1.0, 100.0, 2.0]), Spread { median: 3.0, min: 1.0, max: 100.0 });
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The third round ran on a machine ten times slower; its ratio is as good as the others'.
        let spread = Spread::of_ratios(&[1.0, 1.5, 10.0], &[2.0, 2.0, 20.0]);
        assert_eq!(spread, Spread { median: 0.5, min: 0.5, max: 0.75 });
        // The ratio of the medians would be 2/3.
        let spread = Spread::of_ratios(&[1.0, 2.0, 9.0], &[1.0, 9.0, 3.0]);
        assert_eq!(spread, Spread { median: 1.0, min: 2.0 / 9.0, max: 3.0 });
    }

    #[test]
    #[should_panic(expected = "every round")]
    fn unequal_rounds_are_a_mistake() {
        Spread::of_ratios(&[1.0], &[1.0, 2.0]);
    }

    #[test]
    fn shown_with_the_digits_asked_for() {
        let spread = Spread { median: 0.625, min: 0.5, max: 1.0 };
        assert_eq!(format!("{spread:.1}"), "0.6 (0.5..1.0)");
        assert_eq!(spread.to_string(), "0.625 (0.500..1.000)");
    }
}
