//! The last stage: chunks go out in the order of the stream.

use chunkmill_core::{ChunkId, ChunkTree, IdKey};

use super::batch::{Batch, Hashed, Item, Span};
use super::filling::Zeros;
use crate::ReadError;

/// What a run finds, in order. A chunk may be longer than a `u32` says when nothing is cut.
pub(super) enum Found<'l, T, E> {
    Chunk { label: &'l T, offset: u64, len: u64, id: ChunkId },
    End { label: T, end: E, result: Result<u64, ReadError> },
    Note(T),
}

const IN_ORDER: &str = "the cutting stage makes spans of a chunk that follow each other up to its end";

pub(super) struct Delivery<'z, T> {
    tree: ChunkTree,
    zeros: Option<&'z Zeros<'z>>,
    label: Option<T>,
    /// Of the chunk at hand.
    offset: u64,
}

impl<'z, T> Delivery<'z, T> {
    pub(super) fn new(key: &IdKey, zeros: Option<&'z Zeros<'z>>) -> Self {
        Self { tree: ChunkTree::new(key), zeros, label: None, offset: 0 }
    }

    pub(super) fn deliver<R, E>(
        &mut self,
        batch: &mut Batch<T, R>,
        visit: &mut impl FnMut(Found<'_, T, R>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut subtrees = batch.subtrees.drain(..);
        for item in batch.items.drain(..) {
            match item {
                Item::Start(label) => self.label = Some(label),
                Item::Note(note) => visit(Found::Note(note))?,
                Item::Span(span) => {
                    if let Some(id) = self.id(&span, &mut subtrees) {
                        self.chunk(span.from.saturating_add(u64::try_from(span.len).unwrap_or(0)), id, visit)?;
                    }
                }
                Item::Zeros(chunks) => {
                    let Some(zeros) = self.zeros.map(Zeros::chunk) else { continue };
                    for _ in 0..chunks {
                        self.chunk(zeros.len.into(), zeros.id, visit)?;
                    }
                }
                Item::End(end, result) => {
                    // After an error there may be pieces of a chunk that has no end.
                    self.tree.clear();
                    self.offset = 0;
                    if let Some(label) = self.label.take() {
                        visit(Found::End { label, end, result })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The id of the chunk, if it ends with this span.
    #[expect(clippy::expect_used, reason = "a chunk lost in silence would be worse than the end of the run")]
    fn id(&mut self, span: &Span, subtrees: &mut impl Iterator<Item = chunkmill_core::Subtree>) -> Option<ChunkId> {
        let count = match span.hashed {
            Hashed::Whole(id) => return Some(id),
            Hashed::Subtrees(count) => count,
            Hashed::NotYet => 0,
        };
        for subtree in subtrees.take(count) {
            self.tree.push(subtree).expect(IN_ORDER);
        }
        span.last.then(|| self.tree.finish().expect(IN_ORDER))
    }

    fn chunk<R, E>(
        &mut self,
        len: u64,
        id: ChunkId,
        visit: &mut impl FnMut(Found<'_, T, R>) -> Result<(), E>,
    ) -> Result<(), E> {
        let offset = self.offset;
        self.offset = offset.saturating_add(len);
        match &self.label {
            Some(label) => visit(Found::Chunk { label, offset, len, id }),
            None => Ok(()),
        }
    }
}
