use embedded_io::Read;

use super::transfer::read;
use super::{IngestError, Stopped, Summary};
use crate::{ChunkIndex, ChunkSink, RetainingChunker, Step};

/// Chunks a stream to its end and gives what `index` does not know to `sink`, which it finishes. A chunk enters the index
/// only after the sink has taken it.
///
/// The chunker begins a new stream.
///
/// # Errors
///
/// [`IngestError`], with the summary of what the sink took before. After an error of the reader the sink is not finished: the
/// pack is cut off.
pub fn ingest<R: Read, I: ChunkIndex, S: ChunkSink>(
    reader: &mut R,
    chunker: &mut RetainingChunker<'_, '_>,
    index: &mut I,
    sink: &mut S,
) -> Result<Summary, Stopped<IngestError<R::Error, S::Error>>> {
    let mut summary = Summary::default();
    let ingested = ingest_into(&mut summary, reader, chunker, index, sink);
    summary.ended(ingested)
}

fn ingest_into<R: Read, I: ChunkIndex, S: ChunkSink>(
    summary: &mut Summary,
    reader: &mut R,
    chunker: &mut RetainingChunker<'_, '_>,
    index: &mut I,
    sink: &mut S,
) -> Result<(), IngestError<R::Error, S::Error>> {
    let mut taken = 0u64;
    chunker.restart();
    loop {
        match chunker.step() {
            Step::NeedInput => {
                let len = read(reader, chunker.window(), taken).map_err(IngestError::Read)?;
                taken = taken.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
                if len == 0 {
                    chunker.end_input();
                }
                // No more than the window was read, so this cannot fail.
                let _ = chunker.commit(len);
            }
            Step::Chunk(retained) => {
                let chunk = retained.chunk;
                let known = index.contains(&chunk.id);
                if known {
                    sink.refer(&chunk).map_err(IngestError::Sink)?;
                } else {
                    let stored = sink.store(&retained).map_err(IngestError::Sink)?;
                    summary.stored_bytes = summary.stored_bytes.saturating_add(stored);
                    index.insert(&chunk);
                }
                summary.count(chunk.len, known);
            }
            Step::Done => return sink.finish().map_err(IngestError::Sink),
        }
    }
}
