//! The library's readers of packs, on several threads, which must find what the core found.

use core::convert::Infallible;
use std::io::{self, Read, Seek};

use chunkmill::pack::{Earlier, Listed, ReadSetup, UnpackError, list, unpack, verify};
use chunkmill::{Gate, Objective, Pool};
use chunkmill_core::IdKey;
use chunkmill_core::drive::{RestoreError, Stopped};
use chunkmill_core::pack::{PackError, PackErrorKind};
use chunkmill_tests::pack_reading::Outcome;

/// Helpers for the shortest pack, too.
pub(crate) const ALWAYS: Gate = Gate::new(Objective::Wall).with_threshold(0);

type Wrong = RestoreError<io::Error, Infallible, Infallible>;

/// Reads `pack` with `verify`, `list` and `unpack`, and fails unless all find what `outcome`, the core's reader with memory
/// enough and without references fetched, has found. `habit` is how many threads are used; most do without, as threads cost more
/// than all the rest.
pub fn assert_reads_the_same(pack: &[u8], key: [u8; 32], habit: u8, memory: usize, outcome: &Outcome) {
    if habit >= 64 {
        return;
    }
    let threads = 1 + usize::from(habit % 3);
    let key = IdKey::from_bytes(key);
    let setup = ReadSetup { key: &key, memory, waits: false, gate: ALWAYS };
    let error = |error: &PackError| comparable(error, outcome);
    let expected = outcome.ended.map(|totals| totals.bytes).map_err(|wrong| comparable(&wrong, outcome));
    Pool::scope(threads, |pool| {
        let verified = verify(pool, pack, &setup);
        assert_eq!(
            verified.as_ref().map(|whole| whole.summary.bytes).map_err(|stopped| error(&kind(stopped))),
            expected
        );
        if let Ok(whole) = &verified {
            assert_eq!(whole.more_follows, outcome.taken < pack.len());
            assert_eq!(whole.summary.stored_bytes, outcome.taken as u64);
        }
        let mut records = Vec::new();
        let listed = list(pool, pack, &setup, |listed| {
            if let Listed::Record(chunk, _) = listed {
                records.push(chunk);
            }
            Ok::<(), Wrong>(())
        });
        assert_eq!(listed.is_ok(), expected.is_ok());
        let given = outcome.given.iter().map(|given| given.chunk);
        assert!(records.iter().copied().eq(given), "{records:?} listed, {:?} read", outcome.given);
        assert_unpacks_the_same(&restore(pool, pack, &setup), outcome);
    });
}

/// What `unpack` writes of a pack, whose references it finds in what it wrote, and how it ends.
fn restore(pool: &Pool<'_, '_>, pack: &[u8], setup: &ReadSetup<'_>) -> (Vec<u8>, Result<u64, UnpackError>) {
    let mut file = tempfile::tempfile().expect("a file without a name");
    let mut earlier = Earlier::in_restored(file.try_clone().expect("a second handle"));
    let result = unpack(pool, pack, &mut earlier, &file, setup).map(|whole| whole.summary.bytes);
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("what was written is read");
    (bytes, result)
}

/// Bytes of the chunks up to the first reference that is to nothing, and no more.
fn assert_unpacks_the_same((bytes, result): &(Vec<u8>, Result<u64, UnpackError>), outcome: &Outcome) {
    let mut expected: Vec<u8> = Vec::new();
    let mut known = Vec::new();
    let mut lost = false;
    for given in &outcome.given {
        let found = given.bytes.as_ref().or_else(|| {
            let known: Option<&(_, Vec<u8>)> = known.iter().find(|(id, _)| *id == given.chunk.id);
            known.map(|(_, bytes)| bytes).filter(|bytes| bytes.len() == given.chunk.len as usize)
        });
        let Some(found) = found.cloned() else {
            lost = true;
            break;
        };
        expected.extend(&found);
        known.push((given.chunk.id, found));
    }
    assert!(*bytes == expected, "{} bytes unpacked, {} expected", bytes.len(), expected.len());
    match result {
        Ok(len) => assert!(!lost && outcome.ended.is_ok_and(|totals| totals.bytes == *len)),
        Err(Stopped { error: RestoreError::Pack(error), summary }) => {
            assert_eq!(summary.bytes, expected.len() as u64);
            assert_eq!(lost, error.kind == PackErrorKind::Reference, "{error}");
            assert!(lost || outcome.ended.is_err(), "{error}");
        }
        Err(stopped) => panic!("{stopped}"),
    }
}

fn kind<S, W>(stopped: &Stopped<RestoreError<io::Error, S, W>>) -> PackError {
    match stopped.error {
        RestoreError::Pack(error) => error,
        _ => panic!("reading from a slice does not fail"),
    }
}

/// A payload whose damage shows before its end may have been cut off behind it: then the one reader says damaged, and the other,
/// which takes whole payloads, truncated.
fn comparable(error: &PackError, outcome: &Outcome) -> (PackErrorKind, u64) {
    let at_once = outcome.ended.err().map(|error| error.kind);
    match error.kind {
        PackErrorKind::Truncated if at_once == Some(PackErrorKind::Payload) => (PackErrorKind::Payload, error.record),
        kind => (kind, error.record),
    }
}
