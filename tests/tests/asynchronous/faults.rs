//! Each call of a device goes wrong once, in every way, and the asynchronous drivers say and do the same as the others, for
//! which the tests of faults say what that must be.

use chunkmill_core::NoSource;
use chunkmill_core::drive::RestoreError;
use chunkmill_core::drive::asynchronous::restore;
use chunkmill_core::pack::PackErrorKind;
use chunkmill_tests::devices::{Fault, Script, ScriptedWriter, Sizes};
use chunkmill_tests::ledger::{Oddity, Shelf};
use chunkmill_tests::packing::{Packed, Packing, Restoring, index_of, mixture};
use chunkmill_tests::setup::Setup;

use crate::devices::{Slow, check, pack, poll_times, unpack};
use crate::round_trips::without_sink;

const FAULTS: [Fault; 5] = [Fault::Broken, Fault::Interrupted, Fault::Nothing, Fault::OneByte, Fault::OneLess];

fn packing() -> Packing {
    Packing {
        reads: Script::new(Sizes::Of(200)),
        writes: Script::new(Sizes::Of(150)),
        ..Packing::new(Setup::smallest(0)).compressing(10)
    }
}

/// Runs both drivers over the same devices.
fn assert_same(packing: &Packing) {
    let data = mixture();
    let mut expected = without_sink(packing.run(&data, &mut *index_of(64)));
    let packed = pack(packing, 1, &data, &mut *index_of(64));
    if expected.bytes.is_empty() && packed.writes > 0 {
        // This driver writes the header before it reads anything.
        let Packed { bytes, writes, .. } = &packed;
        assert!(bytes.len() == 76 && expected.writes == 0);
        expected = Packed { bytes: bytes.clone(), writes: *writes, ..expected };
    }
    assert_eq!(packed, expected, "{packing:?}");
}

#[test]
fn every_read_of_the_stream() {
    let packing = packing();
    let clean = packing.run(&mixture(), &mut *index_of(64));
    for call in 0..clean.read.0 {
        for fault in FAULTS.into_iter().chain([Fault::Overrun]) {
            assert_same(&Packing { reads: packing.reads.clone().with(call, fault), ..packing.clone() });
        }
    }
}

#[test]
fn every_write_of_the_pack() {
    let packing = packing();
    let clean = packing.run(&mixture(), &mut *index_of(64));
    for call in 1..clean.writes {
        for fault in FAULTS {
            assert_same(&Packing { writes: packing.writes.clone().with(call, fault), ..packing.clone() });
        }
    }
    for len in 76..clean.bytes.len() {
        assert_same(&Packing { writes: packing.writes.clone().breaking_after(len), ..packing.clone() });
    }
}

/// The header is written before anything is read, so a fault there comes earlier than in the other driver.
#[test]
fn the_header() {
    let data = mixture();
    for len in 0..76 {
        let packing = Packing { writes: Script::new(Sizes::Of(13)).breaking_after(len), ..packing() };
        let expected = packing.run(&data, &mut *index_of(64));
        let packed = pack(&packing, 1, &data, &mut *index_of(64));
        assert_eq!(packed.result, expected.result);
        assert_eq!((packed.bytes, packed.writes), (expected.bytes, expected.writes));
        assert_eq!((packed.events, packed.read), (vec![], (0, 0)));
    }
}

fn assert_restores_same(restoring: &Restoring, bytes: &[u8], shelf: &Shelf) {
    let (mut one, mut other) = (shelf.clone(), shelf.clone());
    assert_eq!(unpack(restoring, 1, bytes, &mut one), restoring.run(bytes, &mut other), "{restoring:?}");
    assert_eq!(one.asked, other.asked);
}

#[test]
fn every_read_write_and_request_of_restoring() {
    let data = mixture();
    let packing = packing();
    let bytes = packing.run(&data, &mut *index_of(64)).bytes;
    let shelf = Shelf::of(&packing.setup, &data);
    let restoring = Restoring { reads: Script::new(Sizes::Of(150)), ..packing.restoring() };
    let clean = restoring.run(&bytes, &mut shelf.clone());
    for call in 0..clean.read.0 {
        for fault in FAULTS.into_iter().chain([Fault::Overrun]) {
            let restoring = Restoring { reads: restoring.reads.clone().with(call, fault), ..restoring.clone() };
            assert_restores_same(&restoring, &bytes, &shelf);
            assert_eq!(check(&restoring, 1, &bytes), restoring.verify(&bytes));
        }
    }
    for call in 0..clean.writes {
        for fault in FAULTS {
            let restoring = Restoring { writes: restoring.writes.clone().with(call, fault), ..restoring.clone() };
            assert_restores_same(&restoring, &bytes, &shelf);
        }
    }
    let requests = clean.result.unwrap().references as usize;
    assert!(requests > 3);
    for request in 0..requests {
        for oddity in [Oddity::Broken, Oddity::Lacks, Oddity::Wrong] {
            assert_restores_same(&restoring, &bytes, &shelf.clone().with(request, oddity));
        }
    }
}

/// What the memory for chunks still holds is not what the source gave.
#[test]
fn a_chunk_that_happens_to_be_in_memory_is_not_taken_for_the_source_s() {
    let packing = Packing::new(Setup::new((1024, 1024, 1024), 1, 0));
    let bytes = packing.run(&[7; 2048], &mut *index_of(1)).bytes;
    let mut writer = Slow { device: ScriptedWriter::new(Script::new(Sizes::All)), waits: 1 };
    let stopped = packing
        .restoring()
        .with_reader(|reader| poll_times(restore(&mut &bytes[..], reader, &mut NoSource, &mut writer), 100).0)
        .unwrap()
        .expect_err("there is no source");
    assert!(matches!(stopped.error, RestoreError::Pack(error) if error.kind == PackErrorKind::Reference));
    assert_eq!(writer.device.bytes, [7; 1024]);
}
