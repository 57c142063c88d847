//! The same packs, the same restored streams, the same counts, the same calls of devices and index.

use chunkmill_tests::data::Data;
use chunkmill_tests::devices::{Script, Sizes};
use chunkmill_tests::ledger::{Event, Shelf};
use chunkmill_tests::packing::{Packed, Packing, Restored, Restoring, index_of, mixture};
use chunkmill_tests::setup::Setup;

use crate::devices::{check, pack, unpack};

/// A run of the other driver, without the events that only a sink could write down.
pub(crate) fn without_sink(packed: Packed) -> Packed {
    let of_index = |event: &Event| matches!(event, Event::Contains(..) | Event::Inserted(_));
    Packed { events: packed.events.into_iter().filter(of_index).collect(), ..packed }
}

fn assert_same(packing: &Packing, data: &[u8], known: usize) {
    let expected = without_sink(packing.run(data, &mut *index_of(known)));
    for waits in [0, 1, 3] {
        assert_eq!(pack(packing, waits, data, &mut *index_of(known)), expected, "{packing:?}");
    }
    let restoring = packing.restoring();
    for (reads, writes) in
        [(Sizes::All, Sizes::Of(31)), (Sizes::Of(1), Sizes::All), (Sizes::random(1), Sizes::random(2))]
    {
        let restoring = Restoring { reads: Script::new(reads), writes: Script::new(writes), ..restoring.clone() };
        let mut shelf = Shelf::of(&packing.setup, data);
        let restored: Restored = restoring.run(&expected.bytes, &mut shelf);
        assert!(restored.bytes == data);
        for waits in [0, 2] {
            let mut again = Shelf::of(&packing.setup, data);
            assert_eq!(unpack(&restoring, waits, &expected.bytes, &mut again), restored);
            assert_eq!(again.asked, shelf.asked);
            assert_eq!(check(&restoring, waits, &expected.bytes), restoring.verify(&expected.bytes));
        }
    }
}

#[test]
fn every_kind_of_data_with_every_index_and_compression() {
    let plain = Packing::new(Setup::smallest(1));
    for packing in [plain.clone(), plain.clone().compressing(10), plain.compressing(16)] {
        for kind in Data::KINDS {
            for known in [0, 64] {
                assert_same(&packing, &kind.bytes(5000), known);
            }
        }
        for len in [0, 1, 64, 1024, 1025] {
            assert_same(&packing, &Data::Random { seed: 131 }.bytes(len), 5);
        }
    }
}

#[test]
fn every_ring_and_every_kind_of_reads_and_writes() {
    let packing = Packing::new(Setup::smallest(0)).compressing(10);
    for ring in [1026, 1027, 1500, 8192] {
        for sizes in Sizes::several() {
            let (reads, writes) = (Script::new(sizes.clone()), Script::new(sizes));
            assert_same(&Packing { ring, reads, writes, ..packing.clone() }, &mixture(), 64);
        }
    }
}
