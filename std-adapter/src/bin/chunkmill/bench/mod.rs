//! `chunkmill bench`

mod chunking;
mod compressing;
mod hashing;
mod ours;
mod pipeline;
mod report;

use core::num::NonZeroU32;
use std::io::{self, Write};

use chunkmill::{Gate, Objective, Pool};
use chunkmill_measure::harness::{Subject, interleave};

use self::report::{Report, Row};
use crate::args::{BenchArgs, default_gate};
use crate::console;
use crate::failure::{Failure, Outcome, stdout_written};

/// Rounds of each row, of which each has its part of the bytes; one more before them warms up.
const ROUNDS: u64 = 8;
const QUICK_ROUNDS: u64 = 4;

/// Each round of a row has a multiple of these bytes, so that all lengths divide it.
const UNIT: u64 = 2 << 20;

/// What all sections are given.
struct Setup {
    rounds: NonZeroU32,
    /// Bytes of each round.
    part: usize,
    threads: usize,
    gate: Gate,
    /// What chunkers and hashes are given, a part long.
    random: Vec<u8>,
}

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome, Failure> {
    let (rounds, size) = if args.quick { (QUICK_ROUNDS, 256 << 20) } else { (ROUNDS, 1 << 30) };
    let part = part(args.size.unwrap_or(size), rounds)?;
    let threads = args.threads.unwrap_or_else(Pool::default_threads);
    let setup = Setup {
        rounds: u32::try_from(rounds).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN),
        part,
        threads,
        gate: default_gate(Objective::Balanced, threads)?,
        random: chunkmill_measure::data::Data::Random.bytes(1, part),
    };
    if cfg!(debug_assertions) {
        console::say("this is not an optimised build: its figures are not those of one");
    }
    let mut report = Report::new(setup.threads, rounds, args.json);
    let all = !(args.chunking || args.hashing || args.compressing || args.pipeline);
    let sections: [(bool, Section); 4] = [
        (args.chunking, chunking::rows),
        (args.hashing, hashing::rows),
        (args.compressing, compressing::rows),
        (args.pipeline, pipeline::rows),
    ];
    for (_, section) in sections.into_iter().filter(|(wanted, _)| all || *wanted) {
        section(&setup, &mut report)?;
    }
    let mut out = io::stdout();
    stdout_written(report.end(&mut out).and_then(|()| out.flush()), Outcome::Done)
}

type Section = fn(&Setup, &mut Report) -> Result<(), Failure>;

/// The bytes of a round.
fn part(size: u64, rounds: u64) -> Result<usize, Failure> {
    let part = size.checked_div(rounds).unwrap_or(0);
    let whole = rounds.saturating_mul(UNIT);
    if part == 0 || !size.is_multiple_of(whole) {
        let mib = whole >> 20;
        return Err(Failure::Usage(format!("--size: expected a multiple of {mib}MiB, found {size} bytes")));
    }
    usize::try_from(part).map_err(|_| Failure::Usage(format!("--size: {size} bytes are more than there is memory for")))
}

impl Setup {
    /// Measures subjects in turn; the first is what the others are compared with. `rows` has for each what its row says, but
    /// for the figures.
    fn measure<T>(&self, report: &mut Report, rows: Vec<(Row, Subject<'_, T>)>) -> Result<(), Failure>
    where
        T: PartialEq + core::fmt::Display,
    {
        let (rows, subjects): (Vec<Row>, Vec<Subject<'_, T>>) = rows.into_iter().unzip();
        let measured = interleave(self.rounds, subjects)?;
        let base = measured.first();
        for (row, subject) in rows.into_iter().zip(&measured) {
            report.row(row, subject, base.filter(|base| !core::ptr::eq(*base, subject)))?;
        }
        Ok(())
    }

    /// How often a buffer of `len` bytes is worked on in a round. The lengths divide the part, or are cut to it.
    fn times(&self, len: usize) -> u32 {
        u32::try_from(self.part.checked_div(len).unwrap_or(1)).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_divide_exactly() {
        assert_eq!(part(1 << 30, ROUNDS).unwrap(), 128 << 20);
        assert_eq!(part(16 << 20, ROUNDS).unwrap(), 2 << 20);
        assert_eq!(part(48 << 20, ROUNDS).unwrap(), 6 << 20);
        for size in [0, 1, 8 << 20, (16 << 20) + 1, 24 << 20] {
            assert!(matches!(part(size, ROUNDS), Err(Failure::Usage(_))), "{size}");
        }
    }
}
