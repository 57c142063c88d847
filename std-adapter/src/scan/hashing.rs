//! The third stage: spans are hashed, in any order of batches.

use chunkmill_core::{Piece, PieceHasher};

use super::batch::{Batch, Hashed, Item};

pub(super) fn hash<T, R>(hasher: &mut PieceHasher, batch: &mut Batch<T, R>) {
    let mut items = core::mem::take(&mut batch.items);
    let mut subtrees = core::mem::take(&mut batch.subtrees);
    for item in &mut items {
        let Item::Span(span) = item else { continue };
        let bytes = batch.bytes(span.at, span.len);
        if span.last && span.from == 0 {
            span.hashed = Hashed::Whole(hasher.whole(bytes));
            continue;
        }
        let piece = if span.last { Piece::last(span.from, bytes) } else { Piece::inner(span.from, bytes) };
        let before = subtrees.len();
        // The cutting stage makes no other spans than pieces.
        if let Some(piece) = piece {
            hasher.subtrees(piece, |subtree| subtrees.push(subtree));
        }
        span.hashed = Hashed::Subtrees(subtrees.len().saturating_sub(before));
    }
    (batch.items, batch.subtrees) = (items, subtrees);
}
