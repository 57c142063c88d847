//! Files, from reading to the last byte: scanned, packed, and verified.

use core::error::Error;
use std::env;
use std::fs::File;

use chunkmill_measure::data::{Data, warm_file};
use chunkmill_measure::harness::Subject;
use chunkmill_measure::params::around;
use chunkmill_measure::peers;
use chunkmill_measure::peers::hash::{blake2b_256, blake3_keyed};
use chunkmill_measure::tally::Tally;

use super::report::{Report, Row};
use super::{Setup, ours};
use crate::failure::Failure;

/// Text takes longer to compress than to hash, so there is less of it.
const SHARE: usize = 4;

type Work<'a> = &'a dyn Fn() -> Result<Tally, Box<dyn Error>>;

pub(super) fn rows(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let random = file(Data::Random, setup.part)?;
    let threads = setup.threads;
    for (name, avg) in [("avg 64 KiB", 64 << 10), ("avg 2 MiB", 2 << 20)] {
        let params = around(avg)?;
        let scan = |id_of| peers::scan::scan(params, &random, id_of);
        let subjects: [(&str, usize, Work<'_>); 4] = [
            ("scan: StreamCDC, BLAKE3", 1, &|| scan(blake3_keyed)),
            ("scan: StreamCDC, BLAKE2b-256", 1, &|| scan(blake2b_256)),
            ("chunkmill scan", 1, &|| ours::scan(params, &random, 1)),
            ("chunkmill scan", threads, &|| ours::scan(params, &random, threads)),
        ];
        measure(setup, report, name, setup.part, subjects)?;
    }
    let part = setup.part.checked_div(SHARE).unwrap_or(0);
    let text = file(Data::Text, part)?;
    let [blake3_pack, blake2_pack, pack] = [(); 3].map(|()| temporary());
    let (blake3_pack, blake2_pack, pack) = (blake3_pack?, blake2_pack?, pack?);
    let params = around(2 << 20)?;
    let subjects: [(&str, usize, Work<'_>); 4] = [
        ("pack: StreamCDC, BLAKE3, LZ4", 1, &|| peers::pack::pack(params, &text, &blake3_pack, blake3_keyed)),
        ("pack: StreamCDC, BLAKE2b-256, LZ4", 1, &|| peers::pack::pack(params, &text, &blake2_pack, blake2b_256)),
        ("chunkmill pack", 1, &|| ours::pack(params, &text, &pack, 1)),
        ("chunkmill pack", threads, &|| ours::pack(params, &text, &pack, threads)),
    ];
    measure(setup, report, "text, 2 MiB", part, subjects)?;
    let subjects: [(&str, usize, Work<'_>); 4] = [
        ("verify: LZ4, BLAKE3", 1, &|| peers::pack::verify(&blake3_pack, blake3_keyed)),
        ("verify: LZ4, BLAKE2b-256", 1, &|| peers::pack::verify(&blake2_pack, blake2b_256)),
        ("chunkmill verify", 1, &|| ours::verify(&pack, 1)),
        ("chunkmill verify", threads, &|| ours::verify(&pack, threads)),
    ];
    measure(setup, report, "text, 2 MiB", part, subjects)
}

fn measure(
    setup: &Setup,
    report: &mut Report,
    parameters: &str,
    part: usize,
    subjects: [(&str, usize, Work<'_>); 4],
) -> Result<(), Failure> {
    let rows = subjects.into_iter().enumerate().map(|(index, (what, threads, work))| {
        let row = Row {
            section: "pipeline",
            what: what.to_owned(),
            parameters: parameters.to_owned(),
            buffer_bytes: part,
            threads,
            part,
        };
        let subject = Subject::new(what, work);
        // BLAKE2b gives other ids.
        (row, if index == 1 { subject.with_own_result() } else { subject })
    });
    setup.measure(report, rows.collect())
}

fn file(data: Data, len: usize) -> Result<File, Failure> {
    let len = u64::try_from(len).unwrap_or(u64::MAX);
    warm_file(&env::temp_dir(), data, 1, len)
        .map_err(|error| Failure::io("cannot make a file in", &env::temp_dir(), &error))
}

fn temporary() -> Result<File, Failure> {
    tempfile::tempfile().map_err(|error| Failure::io("cannot make a file in", &env::temp_dir(), &error))
}
