//! When it pays to let helpers hash parts of a slice.

use std::env;

use chunkmill_core::Piece;

/// The variable that may set the threshold of a [`Gate`], in KiB.
pub const GATE_VARIABLE: &str = "CHUNKMILL_MT_THRESHOLD";

/// What matters most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Objective {
    /// Helpers where they save a good part of the time for a few percent more CPU time. The choice for most.
    #[default]
    Balanced,
    /// The smallest CPU bill: no helpers.
    Cpu,
    /// The shortest time: helpers as soon as they save any.
    Wall,
}

/// Decides, by length alone, whether a slice is hashed by helpers too, by how many, and in pieces of what length.
///
/// ```
/// use chunkmill::{Gate, Objective, Split};
///
/// let gate = Gate::new(Objective::Balanced).with_threshold(128 << 10);
/// assert_eq!(gate.split(100 << 10, 2), Split::Whole);
/// assert_eq!(gate.split(128 << 10, 2), Split::Pieces { len: 16 << 10, helpers: 1 });
/// assert_eq!(gate.split(8 << 20, 4), Split::Pieces { len: 256 << 10, helpers: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    threshold: u64,
    objective: Objective,
}

/// How a slice is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Split {
    /// In equal pieces, by the caller and helpers. The last piece may be shorter.
    Pieces {
        /// Bytes of a piece: a power of two.
        len: usize,
        /// Helpers beside the caller, at least one.
        helpers: usize,
    },
    /// By the caller alone.
    Whole,
}

/// [`GATE_VARIABLE`] is not a whole number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{GATE_VARIABLE}: expected a whole number of KiB (0 splits always), found {found:?}")]
pub struct GateError {
    /// What it says.
    pub found: String,
}

/// Thresholds of the objectives that use helpers: see `docs/threads.md` for the sweeps behind them.
const BALANCED: u64 = 128 << 10;
const WALL: u64 = 64 << 10;

/// The lengths that pieces may have. Longer ones would fall out of a small L2 cache, and hashing one of these takes far longer
/// than claiming it.
const PIECES: [usize; 5] = [16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// Pieces that each thread gets at least, if a slice is long enough, so that one which is held up does not hold up all.
const SHARES: usize = 4;

/// What a piece costs beside its bytes (claiming it, starting and ending a subtree, joining it), as bytes hashed in that time.
const PIECE_COST: usize = 1 << 10;

impl Default for Gate {
    fn default() -> Self {
        Self::new(Objective::default())
    }
}

impl Gate {
    /// The gate for an objective.
    pub const fn new(objective: Objective) -> Self {
        let threshold = match objective {
            Objective::Balanced => BALANCED,
            Objective::Cpu => u64::MAX,
            Objective::Wall => WALL,
        };
        Self { threshold, objective }
    }

    /// The gate for an objective, with the threshold that [`GATE_VARIABLE`] sets, if it does. Call it once: reading the
    /// environment takes as long as hashing a KiB.
    ///
    /// # Errors
    ///
    /// [`GateError`] if the variable is set to anything but a whole number below 2^64.
    pub fn from_environment(objective: Objective) -> Result<Self, GateError> {
        let gate = Self::new(objective);
        let Some(value) = env::var_os(GATE_VARIABLE) else { return Ok(gate) };
        let kib = kib(&value.to_string_lossy())?;
        Ok(gate.with_threshold(kib.saturating_mul(1024)))
    }

    /// Splits slices of `threshold` bytes or more: 0 always, `u64::MAX` never.
    #[must_use]
    pub const fn with_threshold(self, threshold: u64) -> Self {
        Self { threshold, ..self }
    }

    /// Bytes from which slices are split.
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// What matters most.
    pub const fn objective(&self) -> Objective {
        self.objective
    }

    /// How to hash a slice of `len` bytes with `threads` threads at hand. Each of them gets at least half of the threshold.
    pub fn split(&self, len: usize, threads: usize) -> Split {
        let long = u64::try_from(len).unwrap_or(u64::MAX);
        if threads < 2 || len <= Piece::ALIGNMENT || long < self.threshold || self.threshold == u64::MAX {
            return Split::Whole;
        }
        let share = usize::try_from(self.threshold / 2).unwrap_or(usize::MAX).max(Piece::ALIGNMENT);
        let helpers = threads.min(len.div_euclid(share)).saturating_sub(1).max(1);
        Split::Pieces { len: piece_len(len, helpers.saturating_add(1)), helpers }
    }
}

/// The length of pieces with which `threads` threads are done first.
fn piece_len(len: usize, threads: usize) -> usize {
    let [shortest, ..] = PIECES;
    let enough = |&piece: &usize| piece == shortest || len.div_ceil(piece) >= threads.saturating_mul(SHARES);
    PIECES.into_iter().filter(enough).min_by_key(|&piece| makespan(len, piece, threads)).unwrap_or(shortest)
}

/// Bytes hashed by the thread that is done last, when all take pieces in turn.
const fn makespan(len: usize, piece: usize, threads: usize) -> usize {
    let pieces = len.div_ceil(piece);
    let (turns, more) = (pieces.div_euclid(threads), pieces.rem_euclid(threads));
    let last = match more {
        0 => 0,
        // Only the last piece, which may be short.
        1 => len.saturating_sub(pieces.saturating_sub(1).saturating_mul(piece)).saturating_add(PIECE_COST),
        _ => piece.saturating_add(PIECE_COST),
    };
    turns.saturating_mul(piece.saturating_add(PIECE_COST)).saturating_add(last)
}

fn kib(value: &str) -> Result<u64, GateError> {
    // Rust takes a plus sign; the contract does not.
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|_| digits).ok_or_else(|| GateError { found: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    #[test]
    fn decisions() {
        let gate = |kib: u64| Gate::new(Objective::Wall).with_threshold(kib << 10);
        let pieces = |kib, helpers| Split::Pieces { len: kib * KIB, helpers };
        for (gate, len, threads, expected) in [
            // Below and at the threshold.
            (gate(128), 128 * KIB - 1, 2, Split::Whole),
            (gate(128), 128 * KIB, 2, pieces(16, 1)),
            // One thread has no helper.
            (gate(128), 64 << 20, 1, Split::Whole),
            (gate(128), 64 << 20, 0, Split::Whole),
            // Each thread gets half of the threshold or more.
            (gate(128), 191 * KIB, 4, pieces(16, 1)),
            (gate(128), 192 * KIB, 4, pieces(16, 2)),
            (gate(128), 256 * KIB, 4, pieces(16, 3)),
            (gate(128), 256 * KIB, 3, pieces(16, 2)),
            // Longer slices have longer pieces, up to a limit.
            (gate(128), 256 * KIB, 2, pieces(32, 1)),
            (gate(128), 512 * KIB, 2, pieces(64, 1)),
            (gate(128), 2 << 20, 2, pieces(256, 1)),
            (gate(128), 64 << 20, 2, pieces(256, 1)),
            // Shorter ones where longer ones would leave a thread waiting.
            (gate(128), 288 * KIB, 2, pieces(16, 1)),
            (gate(128), 576 * KIB, 2, pieces(32, 1)),
            // 0: always, if there are two pieces.
            (gate(0), 0, 4, Split::Whole),
            (gate(0), 16 * KIB, 4, Split::Whole),
            (gate(0), 16 * KIB + 1, 4, pieces(16, 1)),
            (gate(0), 48 * KIB, 4, pieces(16, 2)),
            // Never.
            (Gate::new(Objective::Cpu), 64 << 20, 4, Split::Whole),
            (gate(0).with_threshold(u64::MAX), usize::MAX, 4, Split::Whole),
        ] {
            assert_eq!(gate.split(len, threads), expected, "{gate:?}, {len} bytes, {threads} threads");
        }
    }

    #[test]
    fn thresholds_follow_the_objective() {
        let threshold = |objective| Gate::new(objective).threshold();
        let expected = [64 << 10, 128 << 10, u64::MAX];
        assert_eq!([Objective::Wall, Objective::Balanced, Objective::Cpu].map(threshold), expected);
        assert_eq!(Gate::new(Objective::default()).objective(), Objective::Balanced);
    }

    #[test]
    fn every_split_has_two_pieces_and_few_enough_to_keep() {
        let gate = Gate::new(Objective::Wall).with_threshold(0);
        for threads in 2..=64 {
            for len in (1..4 * KIB).map(|step| step * KIB + 1).chain((20..32).map(|log| 1 << log)) {
                if let Split::Pieces { len: piece, helpers } = gate.split(len, threads) {
                    assert!(piece.is_power_of_two() && piece >= Piece::ALIGNMENT, "{len} {threads}");
                    assert!(len > piece && (1..threads).contains(&helpers), "{len} {threads}");
                }
            }
        }
    }

    #[test]
    fn the_last_piece_costs_what_it_is_long() {
        let piece = 16 * KIB;
        let turn = piece + PIECE_COST;
        for (len, expected) in [
            (2 * piece, turn),
            (2 * piece + 1, turn + 1 + PIECE_COST),
            (3 * piece, 2 * turn),
            (4 * piece + 1, 2 * turn + 1 + PIECE_COST),
        ] {
            assert_eq!(makespan(len, piece, 2), expected, "{len} bytes");
        }
        // Of the two that are left one is whole.
        assert_eq!(makespan(4 * piece + 1, piece, 3), 2 * turn);
    }

    #[test]
    fn only_whole_numbers_are_taken() {
        assert_eq!(kib("0"), Ok(0));
        assert_eq!(kib("256"), Ok(256));
        assert_eq!(kib("18446744073709551615"), Ok(u64::MAX));
        for wrong in ["", "64k", "-1", "+1", " 1", "1.5", "0x10", "18446744073709551616", "never"] {
            let error = kib(wrong).unwrap_err().to_string();
            assert!(error.contains("CHUNKMILL_MT_THRESHOLD") && error.contains(&format!("{wrong:?}")), "{error}");
        }
    }
}
