//! Cut points of random bytes in memory, and nothing else.

use core::error::Error;

use chunkmill_measure::harness::Subject;
use chunkmill_measure::params::around;
use chunkmill_measure::peers::cut::{fastcdc_slice, fastcdc_stream};
use chunkmill_measure::tally::Tally;

use super::report::{Report, Row};
use super::{Setup, ours};
use crate::failure::Failure;

/// As a reader gives them.
const PUSH: usize = 64 << 10;

type Work<'a> = &'a dyn Fn() -> Result<Tally, Box<dyn Error>>;

pub(super) fn rows(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let bytes = &setup.random;
    for (name, avg) in [("avg 64 KiB", 64 << 10), ("avg 2 MiB", 2 << 20)] {
        let params = around(avg)?;
        let subjects: [(&str, usize, Work<'_>); 4] = [
            ("fastcdc, slice", bytes.len(), &|| Ok(fastcdc_slice(params, bytes))),
            ("fastcdc, stream", PUSH, &|| fastcdc_stream(params, bytes.as_slice())),
            ("chunkmill, slice", bytes.len(), &|| Ok(ours::cut(params, bytes, bytes.len()))),
            ("chunkmill, stream", PUSH, &|| Ok(ours::cut(params, bytes, PUSH))),
        ];
        let rows = subjects.into_iter().map(|(what, buffer_bytes, work)| {
            let row = Row {
                section: "chunking",
                what: what.to_owned(),
                parameters: name.to_owned(),
                buffer_bytes,
                threads: 1,
                part: bytes.len(),
            };
            (row, Subject::new(what, work))
        });
        setup.measure(report, rows.collect())?;
    }
    Ok(())
}
