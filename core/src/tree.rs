//! The id of a chunk from its pieces: subtrees of BLAKE3's hash tree, hashed in any order by anyone, joined in order.

use core::error::Error;
use core::fmt;

use blake3::hazmat::{HasherExt, Mode, max_subtree_len, merge_subtrees_non_root, merge_subtrees_root};

use crate::id::KeyedHasher;
use crate::{ChunkHasher, ChunkId, IdKey};

/// A span of a chunk that can be hashed without the spans before it.
///
/// Pieces start at multiples of [`Piece::ALIGNMENT`] from the chunk's start, and all but the last are whole multiples of it
/// long, so that BLAKE3's vectors are full.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'b> {
    from: u64,
    bytes: &'b [u8],
    last: bool,
}

/// What a piece adds to the hash tree of its chunk: the chaining value of a subtree (BLAKE3 paper, section 2.1).
///
/// Takes 56 bytes of RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Subtree {
    chaining_value: [u8; 32],
    from: u64,
    len: u64,
    last: bool,
}

/// Hashes pieces. Each thread has its own. Key and state are wiped when dropped.
///
/// Takes 3,840 bytes of RAM.
///
/// ```
/// use chunkmill_core::{ChunkTree, IdKey, Piece, PieceHasher};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let chunk = [42; 100_000];
/// let (front, back) = chunk.split_at(2 * Piece::ALIGNMENT);
///
/// // In any order, on any thread.
/// let mut hasher = PieceHasher::new(&key);
/// let (mut of_front, mut of_back) = (Vec::new(), Vec::new());
/// hasher.subtrees(Piece::last(2 * Piece::ALIGNMENT as u64, back).unwrap(), |subtree| of_back.push(subtree));
/// hasher.subtrees(Piece::inner(0, front).unwrap(), |subtree| of_front.push(subtree));
///
/// let mut tree = ChunkTree::new(&key);
/// for subtree in of_front.into_iter().chain(of_back) {
///     tree.push(subtree)?;
/// }
/// assert_eq!(tree.finish()?, key.id_of(&chunk));
/// # Ok::<(), chunkmill_core::TreeError>(())
/// ```
#[derive(Clone)]
pub struct PieceHasher {
    /// Never fed. BLAKE3's own reset does not take back an input offset, so each piece starts from a copy of this.
    fresh: KeyedHasher,
    hasher: KeyedHasher,
}

/// Joins the subtrees of a chunk in order, and gives its id.
///
/// Takes 2,968 bytes of RAM: a subtree for each level of the largest tree.
#[derive(Clone)]
pub struct ChunkTree {
    key: IdKey,
    /// Subtrees not yet joined, from left to right, none longer than the one before it.
    stack: [Subtree; LEVELS],
    depth: usize,
    /// Bytes of all subtrees pushed.
    len: u64,
    ended: bool,
}

/// Subtrees that do not make a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TreeError {
    /// A subtree does not follow the one before it, or follows the last one.
    OutOfOrder {
        /// Where the next subtree must start, in bytes from the chunk's start.
        expected: u64,
        /// Where it starts.
        found: u64,
    },
    /// The last subtree is missing.
    Unfinished {
        /// Bytes of the subtrees before it.
        len: u64,
    },
}

/// A tree of 2^64 bytes has subtrees of 2^14 to 2^63 bytes, and one may wait beside its like.
const LEVELS: usize = 52;

impl<'b> Piece<'b> {
    /// Bytes to whose multiples pieces are aligned: [`ChunkHasher::GROUP_LEN`].
    pub const ALIGNMENT: usize = ChunkHasher::GROUP_LEN;

    /// A piece that another one follows. `from` is its place in the chunk. `None` if it is empty, not aligned, or not a whole
    /// multiple of [`Piece::ALIGNMENT`] long.
    pub fn inner(from: u64, bytes: &'b [u8]) -> Option<Self> {
        let whole = !bytes.is_empty() && bytes.len().is_multiple_of(Self::ALIGNMENT);
        (whole && aligned(from)).then_some(Self { from, bytes, last: false })
    }

    /// The last piece of a chunk that has others. `None` if it is empty, not aligned or the first one: a chunk of one piece is
    /// hashed by [`PieceHasher::whole`].
    pub fn last(from: u64, bytes: &'b [u8]) -> Option<Self> {
        (from > 0 && !bytes.is_empty() && aligned(from)).then_some(Self { from, bytes, last: true })
    }

    /// The longest subtree at its front, and what is left. `None` if nothing is.
    fn split_subtree(self) -> Option<(Self, Self)> {
        let rest = u64::try_from(self.bytes.len()).ok().filter(|&rest| rest > 0)?;
        // Nothing is left behind an unaligned place, so this is one: see `aligned`.
        let most = max_subtree_len(self.from).unwrap_or(u64::MAX);
        // At the right edge of the tree a subtree need not be full.
        let len = most.min(if self.last { rest } else { 1 << rest.ilog2() });
        let (front, back) = self.bytes.split_at_checked(usize::try_from(len).ok()?)?;
        let after = Self { from: self.from.wrapping_add(len), bytes: back, last: self.last };
        Some((Self { from: self.from, bytes: front, last: self.last && back.is_empty() }, after))
    }
}

fn aligned(from: u64) -> bool {
    usize::try_from(from % (1 << 32)).is_ok_and(|from| from.is_multiple_of(Piece::ALIGNMENT))
}

impl PieceHasher {
    /// A hasher under the id key.
    pub fn new(key: &IdKey) -> Self {
        Self { fresh: key.hasher(), hasher: key.hasher() }
    }

    /// The id of a chunk that is all in one place.
    pub fn whole(&mut self, chunk: &[u8]) -> ChunkId {
        ChunkId::from_hash(self.restart().update(chunk).finalize())
    }

    /// Hashes a piece and gives its subtrees from left to right: at most two for each doubling of its length.
    pub fn subtrees(&mut self, piece: Piece<'_>, mut each: impl FnMut(Subtree)) {
        let mut rest = piece;
        while let Some((part, after)) = rest.split_subtree() {
            let chaining_value = self.restart().set_input_offset(part.from).update(part.bytes).finalize_non_root();
            let len = after.from.wrapping_sub(part.from);
            each(Subtree { chaining_value, from: part.from, len, last: part.last });
            rest = after;
        }
    }

    fn restart(&mut self) -> &mut blake3::Hasher {
        (*self.hasher).clone_from(&self.fresh);
        &mut self.hasher
    }
}

impl Subtree {
    const EMPTY: Self = Self { chaining_value: [0; 32], from: 0, len: 0, last: false };
}

impl ChunkTree {
    /// A tree without a subtree yet.
    pub fn new(key: &IdKey) -> Self {
        Self { key: key.clone(), stack: [Subtree::EMPTY; LEVELS], depth: 0, len: 0, ended: false }
    }

    /// Adds the next subtree of the chunk.
    ///
    /// # Errors
    ///
    /// [`TreeError::OutOfOrder`] if it is not the next. The tree is as it was.
    pub fn push(&mut self, subtree: Subtree) -> Result<(), TreeError> {
        let out_of_order = TreeError::OutOfOrder { expected: self.len, found: subtree.from };
        if self.ended || subtree.from != self.len {
            return Err(out_of_order);
        }
        // Two of one length make the next level. Only now is it known that they are not the root.
        while let Some([.., left, right]) = self.stack.get(..self.depth)
            && left.len == right.len
        {
            self.join_two();
        }
        *self.stack.get_mut(self.depth).ok_or(out_of_order)? = subtree;
        self.depth = self.depth.wrapping_add(1);
        self.len = self.len.wrapping_add(subtree.len);
        self.ended = subtree.last;
        Ok(())
    }

    /// The id of the chunk, whose last subtree has been added. The tree is then empty again.
    ///
    /// # Errors
    ///
    /// [`TreeError::Unfinished`] if the last subtree is missing. The tree is empty then, too.
    pub fn finish(&mut self) -> Result<ChunkId, TreeError> {
        let unfinished = TreeError::Unfinished { len: self.len };
        let ended = self.ended;
        while self.depth > 2 {
            self.join_two();
        }
        let root = match self.stack.get(..self.depth) {
            Some([left, right]) if ended => {
                Ok(merge_subtrees_root(&left.chaining_value, &right.chaining_value, self.mode()))
            }
            _ => Err(unfinished),
        };
        self.clear();
        root.map(ChunkId::from_hash)
    }

    /// Forgets what was added.
    pub fn clear(&mut self) {
        (self.depth, self.len, self.ended) = (0, 0, false);
    }

    fn join_two(&mut self) {
        let Some([.., left, right]) = self.stack.get(..self.depth) else { return };
        let chaining_value = merge_subtrees_non_root(&left.chaining_value, &right.chaining_value, self.mode());
        let joined =
            Subtree { chaining_value, from: left.from, len: left.len.wrapping_add(right.len), last: right.last };
        self.depth = self.depth.saturating_sub(1);
        if let Some([.., top]) = self.stack.get_mut(..self.depth) {
            *top = joined;
        }
    }

    fn mode(&self) -> Mode<'_> {
        Mode::KeyedHash(self.key.bytes())
    }
}

impl fmt::Debug for PieceHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PieceHasher(..)")
    }
}

impl fmt::Debug for ChunkTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkTree").field("len", &self.len).field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfOrder { expected, found } => {
                write!(f, "expected the subtree at byte {expected} of the chunk, found one at byte {found}")
            }
            Self::Unfinished { len } => write!(f, "the last subtree is missing after byte {len} of the chunk"),
        }
    }
}

impl Error for TreeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    const GROUP: usize = Piece::ALIGNMENT;
    const MOST: usize = 40 * GROUP;

    fn bytes() -> [u8; MOST] {
        core::array::from_fn(|index| (index % 251) as u8)
    }

    /// The id of `bytes` from pieces that end at the multiples of a group named, and at the end.
    fn joined(key: &IdKey, bytes: &[u8], ends: impl Iterator<Item = usize>) -> Result<ChunkId, TreeError> {
        let (mut hasher, mut tree) = (PieceHasher::new(key), ChunkTree::new(key));
        let mut from = 0;
        let mut result = Ok(());
        for end in ends.map(|groups| groups * GROUP) {
            let piece = Piece::inner(from as u64, &bytes[from..end]).unwrap();
            hasher.subtrees(piece, |subtree| result = result.and(tree.push(subtree)));
            from = end;
        }
        let last = Piece::last(from as u64, &bytes[from..]).unwrap();
        hasher.subtrees(last, |subtree| result = result.and(tree.push(subtree)));
        result.and_then(|()| tree.finish())
    }

    #[test]
    fn pieces_of_any_lengths_give_the_id_of_the_whole() {
        let (key, bytes) = (IdKey::from_bytes([9; 32]), bytes());
        for groups in 1..MOST / GROUP {
            for tail in [1, 1023, 1024, 1025, GROUP - 1, GROUP] {
                let chunk = &bytes[..groups * GROUP + tail];
                let expected = key.id_of(chunk);
                for step in [1, 2, 3, 7, 16, 33] {
                    let ends = (step..groups + 1).step_by(step);
                    if step <= groups {
                        assert_eq!(joined(&key, chunk, ends), Ok(expected), "{groups} groups, {tail}, step {step}");
                    }
                }
                // One split, everywhere.
                for at in 1..=groups {
                    assert_eq!(
                        joined(&key, chunk, core::iter::once(at)),
                        Ok(expected),
                        "{groups} groups, {tail}, at {at}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_whole_chunk_leaves_nothing_behind() {
        let (key, bytes) = (IdKey::from_bytes([9; 32]), bytes());
        let mut hasher = PieceHasher::new(&key);
        hasher.subtrees(Piece::last(3 * GROUP as u64, &bytes[..5000]).unwrap(), |_| {});
        for len in [0, 1, 5000, GROUP, MOST] {
            assert_eq!(hasher.whole(&bytes[..len]), key.id_of(&bytes[..len]));
        }
    }

    #[test]
    fn what_is_no_piece_is_refused() {
        let bytes = bytes();
        let group = GROUP as u64;
        assert!(Piece::inner(0, &bytes[..GROUP]).is_some());
        for (from, len) in [(0, 0), (0, 1), (1, GROUP), (group, GROUP - 1), (1 << 32 | 1024, GROUP)] {
            assert!(Piece::inner(from, &bytes[..len]).is_none(), "{from} {len}");
        }
        assert!(Piece::last(group, &bytes[..1]).is_some());
        for (from, len) in [(0, 1), (0, GROUP), (group, 0), (group + 1024, 5)] {
            assert!(Piece::last(from, &bytes[..len]).is_none(), "{from} {len}");
        }
    }

    #[test]
    fn subtrees_out_of_order_and_missing_ones_are_refused() {
        let (key, bytes) = (IdKey::from_bytes([9; 32]), bytes());
        let (mut hasher, mut tree) = (PieceHasher::new(&key), ChunkTree::new(&key));
        let mut one = |piece: Option<Piece<'_>>| {
            let mut all = [Subtree::EMPTY; 4];
            let mut count = 0;
            hasher.subtrees(piece.unwrap(), |subtree| {
                all[count] = subtree;
                count += 1;
            });
            assert_eq!(count, 1);
            all[0]
        };
        let first = one(Piece::inner(0, &bytes[..GROUP]));
        let second = one(Piece::inner(GROUP as u64, &bytes[GROUP..2 * GROUP]));
        let last = one(Piece::last(2 * GROUP as u64, &bytes[2 * GROUP..3 * GROUP]));
        let after = one(Piece::inner(3 * GROUP as u64, &bytes[..GROUP]));
        let group = GROUP as u64;

        assert_eq!(tree.finish(), Err(TreeError::Unfinished { len: 0 }));
        tree.push(first).unwrap();
        assert_eq!(tree.push(first), Err(TreeError::OutOfOrder { expected: group, found: 0 }));
        assert_eq!(tree.push(last), Err(TreeError::OutOfOrder { expected: group, found: 2 * group }));
        tree.push(second).unwrap();
        assert_eq!(tree.clone().finish(), Err(TreeError::Unfinished { len: 2 * group }));
        tree.push(last).unwrap();
        assert_eq!(tree.push(after), Err(TreeError::OutOfOrder { expected: 3 * group, found: 3 * group }));
        assert_eq!(tree.finish(), Ok(key.id_of(&bytes[..3 * GROUP])));
        // Empty again.
        tree.push(first).unwrap();
        tree.clear();
        tree.push(first).unwrap();
    }

    /// Past 2^32 bytes, where the counters of blocks need more than 22 bits: against an oracle that is fed everything.
    #[test]
    fn places_past_four_gib() {
        let (key, bytes) = (IdKey::from_bytes([9; 32]), [0x5a; GROUP]);
        let mut hasher = PieceHasher::new(&key);
        let mut values = [Subtree::EMPTY; 2];
        for (value, from) in values.iter_mut().zip([5 * GROUP as u64, (1 << 32) + 5 * GROUP as u64]) {
            hasher.subtrees(Piece::inner(from, &bytes).unwrap(), |subtree| *value = subtree);
        }
        assert_ne!(values[0].chaining_value, values[1].chaining_value);
        let mut oracle = key.hasher();
        oracle.set_input_offset((1 << 32) + 5 * GROUP as u64);
        assert_eq!(oracle.update(&bytes).finalize_non_root(), values[1].chaining_value);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!((size_of::<Subtree>(), size_of::<PieceHasher>(), size_of::<ChunkTree>()), (56, 3840, 2968));
    }
}
