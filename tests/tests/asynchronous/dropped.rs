//! A future that is dropped while it waits leaves a pack that ends early, as an error would.

use chunkmill_core::drive::asynchronous::ingest;
use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_tests::devices::{Script, ScriptedReader, ScriptedWriter, Sizes};
use chunkmill_tests::ledger::Event;
use chunkmill_tests::oracle;
use chunkmill_tests::packing::{Packing, index_of, mixture, stored_ends, whole_records};
use chunkmill_tests::retained::with_chunker;
use chunkmill_tests::setup::Setup;

use crate::devices::{Slow, pack_polled, poll_times};

fn packing() -> Packing {
    Packing {
        reads: Script::new(Sizes::Of(200)),
        writes: Script::new(Sizes::Of(150)),
        ..Packing::new(Setup::smallest(0)).compressing(10)
    }
}

#[test]
fn at_every_await() {
    let (packing, data) = (packing(), mixture());
    let clean = packing.run(&data, &mut *index_of(64));
    let entries = packing.expected(&clean.bytes, &data).0.entries;
    let chunks = oracle::chunks(&packing.setup, &data);
    let (mut polls, mut unflushed) = (1, 0);
    loop {
        let mut index = index_of(64);
        let (result, packed) = pack_polled(&packing, 1, polls, &data, &mut *index);
        if result.is_some() {
            break;
        }
        // Each call of a device waits once, before anything else; so each poll ends just before the next call.
        assert_eq!(packed.read.0 + packed.writes, polls - 1);
        let len = packed.bytes.len();
        assert!(packed.bytes == clean.bytes[..len], "what was written is the pack as far as it goes");

        let whole = whole_records(&entries, len).len();
        // A record whose flush would have come next is whole in the bytes, and not acknowledged.
        let waits_for_flush = clean.flush_calls.contains(&packed.writes) && len < clean.bytes.len();
        let acknowledged = whole - usize::from(waits_for_flush);
        unflushed += usize::from(waits_for_flush);
        let flushed = stored_ends(&entries[..acknowledged]);
        assert_eq!(packed.flushed_at, flushed);
        assert!(!waits_for_flush || stored_ends(&entries[..whole]).len() == flushed.len() + 1);

        let inserted = packed.events.iter().filter(|event| matches!(event, Event::Inserted(_))).count();
        assert_eq!(inserted, flushed.len(), "the index knows what was flushed, and nothing else");
        for chunk in &chunks {
            let is_stored = chunks[..acknowledged].iter().any(|stored| stored.id == chunk.id);
            assert_eq!(index.contains(&chunk.id), is_stored);
        }

        let outcome = packing.read(&packed.bytes);
        assert_eq!(outcome.given.len(), whole);
        if len < clean.bytes.len() {
            let (record, offset) = (whole as u64, len as u64);
            assert_eq!(outcome.ended, Err(PackError { kind: PackErrorKind::Truncated, record, offset }));
        }
        polls += 1;
    }
    assert_eq!(polls, clean.read.0 + clean.writes + 1, "each call of a device was waited for");
    assert_eq!(unflushed, stored_ends(&entries).len(), "each stored record was caught before its flush");
}

/// The chunker is free for another stream afterwards.
#[test]
fn the_chunker_begins_anew() {
    let (packing, data) = (packing(), mixture());
    let clean = packing.run(&data, &mut *index_of(64));
    let gear = packing.setup.gear();
    with_chunker(&packing.setup, &gear, packing.ring, |chunker| {
        for polls in 0..clean.read.0 + clean.writes {
            for most in [polls, usize::MAX] {
                let mut reader = Slow { device: ScriptedReader::new(&data, packing.reads.clone()), waits: 1 };
                let mut writer = Slow { device: ScriptedWriter::new(packing.writes.clone()), waits: 1 };
                let mut index = index_of(64);
                packing.with_packer(&gear, |packer| {
                    let mut index = &mut *index;
                    let future = ingest(&mut reader, chunker, &mut index, packer, &mut writer);
                    let (result, _) = poll_times(future, most);
                    assert_eq!(result, (most == usize::MAX).then_some(clean.result));
                });
                assert!(most < usize::MAX || writer.device.bytes == clean.bytes);
            }
        }
    });
}
