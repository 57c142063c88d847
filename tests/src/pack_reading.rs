//! Reads packs with the core's reader, and fails the test as soon as the reader breaks a promise that holds for every
//! input: windows stay within the memory lent, every step makes progress, chunks that go out have their ids, and an error
//! or the end stays what it is. Reads each pack a second time with records and payloads apart, and fails the test if that
//! gives anything else.

use chunkmill_core::pack::{
    HEADER_LEN, Opener, PackError, PackErrorKind, ReadStep, Reader, RecordReader, RecordStep, Stored, StreamHeader,
    Totals,
};
use chunkmill_core::{Chunk, IdKey};

/// Memory and habits of the caller of a reader.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The id key.
    pub key: [u8; 32],
    /// Bytes of memory for a chunk.
    pub chunk_len: usize,
    /// Bytes of memory for a block.
    pub block_len: usize,
    /// What that memory holds beforehand.
    pub fill: u8,
    /// The longest piece that the input comes in.
    pub at_most: usize,
    /// Where the content of references is had from: the first of these with the wanted length and id, and so on. `None`
    /// skips references.
    pub source: Option<Vec<Vec<u8>>>,
}

/// A chunk that the reader gave, or a reference that it told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The chunk.
    pub chunk: Chunk,
    /// Its bytes; `None` for a reference.
    pub bytes: Option<Vec<u8>>,
}

/// All that came out of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The header, if it was good.
    pub header: Option<StreamHeader>,
    /// Chunks and references in order.
    pub given: Vec<Given>,
    /// How it ended.
    pub ended: Result<Totals, PackError>,
    /// Bytes of the input that the reader took.
    pub taken: usize,
}

impl Reading {
    /// With memory for the chunks and blocks that most tests have: 4 KiB and 1 KiB.
    pub const fn new(key: [u8; 32]) -> Self {
        Self { key, chunk_len: 4096, block_len: 1024, fill: 0, at_most: usize::MAX, source: None }
    }

    /// Reads `pack` until the reader has nothing more to say.
    pub fn read(&self, pack: &[u8]) -> Outcome {
        let outcome = self.read_at_once(pack);
        assert_same(&outcome, &self.read_apart(pack));
        outcome
    }

    /// With records and payloads apart.
    fn read_apart(&self, pack: &[u8]) -> Outcome {
        let key = IdKey::from_bytes(self.key);
        let mut records = RecordReader::new(&key);
        let mut memory = vec![self.fill; self.chunk_len];
        let (mut opener, mut header, mut given, mut taken) = (None, None, Vec::new(), 0);
        let mut steps = pack.len() + 2 * (pack.len() / 68) + 4;
        let ended = loop {
            steps = steps.checked_sub(1).expect("the reader goes on without end");
            match records.step() {
                Ok(RecordStep::NeedInput) => {
                    let window = records.window();
                    assert!(!window.is_empty(), "the payload was taken");
                    let len = window.len().min(self.at_most).min(pack.len() - taken);
                    window[..len].copy_from_slice(&pack[taken..][..len]);
                    taken += len;
                    if len == 0 { records.end_input() } else { records.commit(len) }
                }
                Ok(RecordStep::Header(found)) => {
                    header = Some(found);
                    opener = Some(Opener::new(&key, &found));
                }
                Ok(RecordStep::Record(sealed)) => {
                    let chunk = sealed.chunk();
                    let opener = opener.as_ref().expect("the header comes first");
                    let reference = sealed.stored() == Stored::Reference;
                    if reference {
                        given.push(Given { chunk, bytes: None });
                    }
                    let payload = match &self.source {
                        None if reference => continue,
                        Some(source) if reference => {
                            let found = source.iter().find(|bytes| bytes.len() == chunk.len as usize);
                            found.map_or(&[][..], |bytes| bytes)
                        }
                        _ => {
                            let len = (sealed.payload_len() as usize).min(pack.len() - taken);
                            let payload = &pack[taken..][..len];
                            taken += len;
                            records.take_payload(len as u32);
                            if records.payload_left() > 0 {
                                records.end_input();
                                break Err(records.step().expect_err("the payload is cut off"));
                            }
                            payload
                        }
                    };
                    let mut block = vec![self.fill; self.block_len];
                    let checked = opener.check(&sealed, payload, &mut block);
                    let opened = opener.open(&sealed, payload, &mut memory);
                    // But that the one needs room for a chunk, the other for a block of it.
                    let too_small = |error: PackError| matches!(error.kind, PackErrorKind::Buffer { .. });
                    if !checked.is_err_and(too_small) && !opened.as_ref().err().copied().is_some_and(too_small) {
                        assert_eq!(checked.err(), opened.err(), "to keep a chunk or not makes no difference");
                    }
                    match opened {
                        Ok(verified) => given.push(Given { chunk, bytes: Some(verified.bytes().to_vec()) }),
                        Err(error) => break Err(error),
                    }
                }
                Ok(RecordStep::End(totals)) => break Ok(totals),
                Err(error) => break Err(error),
            }
            assert_eq!(records.offset(), taken as u64, "what was taken is counted");
        };
        Outcome { header, given, ended, taken }
    }

    fn read_at_once(&self, pack: &[u8]) -> Outcome {
        let mut chunk_memory = vec![self.fill; self.chunk_len];
        let mut block_memory = vec![self.fill; self.block_len];
        let lent = HEADER_LEN.max(self.chunk_len).max(self.block_len);
        let mut reader = Reader::new(&IdKey::from_bytes(self.key), &mut chunk_memory, &mut block_memory);
        let (mut header, mut given, mut taken) = (None, Vec::new(), 0);
        // Each step has input asked for, or is about a record, which is at least 68 bytes, with at most two things to say.
        let mut steps = pack.len() + 2 * (pack.len() / 68) + 4;
        let ended = loop {
            steps = steps.checked_sub(1).expect("the reader goes on without end");
            match reader.step() {
                Ok(ReadStep::NeedInput) => {
                    let window = reader.window();
                    assert!(!window.is_empty(), "a reader that needs input has room for it");
                    assert!(window.len() <= lent, "a window of {} bytes in {lent} bytes of memory", window.len());
                    let len = window.len().min(self.at_most).min(pack.len() - taken);
                    window[..len].copy_from_slice(&pack[taken..][..len]);
                    taken += len;
                    if len == 0 {
                        reader.end_input();
                    } else {
                        reader.commit(len);
                    }
                }
                Ok(ReadStep::Header(found)) => {
                    assert_eq!(header, None, "there is one header");
                    header = Some(found);
                }
                Ok(ReadStep::Chunk(verified)) => {
                    let (chunk, bytes) = (verified.chunk(), verified.bytes());
                    assert_eq!(chunk.id.as_bytes(), blake3::keyed_hash(&self.key, bytes).as_bytes());
                    assert_eq!(chunk.len as usize, bytes.len());
                    given.push(Given { chunk, bytes: Some(bytes.to_vec()) });
                }
                Ok(ReadStep::Reference(reference)) => {
                    let chunk = reference.chunk;
                    given.push(Given { chunk, bytes: None });
                    match &self.source {
                        Some(source) => fetch(source, &chunk, &mut reader),
                        None => reader.skip_reference(),
                    }
                }
                Ok(ReadStep::End(totals)) => break Ok(totals),
                Err(error) => break Err(error),
            }
            assert_eq!(reader.offset(), taken as u64, "what was taken is counted");
        };
        assert_stays(&mut reader, ended);
        assert_eq!(reader.offset(), taken as u64);
        Outcome { header, given, ended, taken }
    }
}

impl Outcome {
    /// The error; a pack that was read to its end fails the test.
    pub fn error(&self) -> PackError {
        self.ended.expect_err("the pack was read to its end")
    }
}

/// What differs between the two ways, and has to: a payload whose damage shows before its end has not been taken to its end,
/// and may have been cut off there; and the one memory may be too small for the stream's chunks, the other for a chunk.
fn assert_same(at_once: &Outcome, apart: &Outcome) {
    let kind = |outcome: &Outcome| outcome.ended.map_err(|error| error.kind).err();
    if matches!(kind(at_once), Some(PackErrorKind::Buffer { .. })) {
        return;
    }
    assert_eq!((at_once.header, &at_once.given), (apart.header, &apart.given));
    match (kind(at_once), kind(apart)) {
        (Some(PackErrorKind::Payload), Some(PackErrorKind::Truncated)) => {
            assert_eq!(at_once.error().record, apart.error().record);
        }
        (Some(PackErrorKind::Payload), Some(PackErrorKind::Payload)) => assert_eq!(at_once.ended, apart.ended),
        _ => assert_eq!((at_once.ended, at_once.taken), (apart.ended, apart.taken)),
    }
}

/// Gives the content of a reference, if there is any of that length, right or wrong.
fn fetch(source: &[Vec<u8>], chunk: &Chunk, reader: &mut Reader<'_>) {
    let window = reader.window();
    assert_eq!(window.len(), chunk.len as usize, "the window is the chunk");
    if let Some(bytes) = source.iter().find(|bytes| bytes.len() == chunk.len as usize) {
        window.copy_from_slice(bytes);
        reader.commit(bytes.len());
    }
}

/// Nothing that a caller may still do changes how a pack ended.
fn assert_stays(reader: &mut Reader<'_>, ended: Result<Totals, PackError>) {
    for _ in 0..2 {
        assert!(reader.window().is_empty(), "nothing more is taken after the end");
        reader.commit(5);
        reader.skip_reference();
        match (reader.step(), ended) {
            (Ok(ReadStep::End(totals)), Ok(before)) => assert_eq!(totals, before),
            (Err(error), Err(before)) => assert_eq!(error, before),
            (step, _) => panic!("{step:?} after {ended:?}"),
        }
        reader.end_input();
    }
}
