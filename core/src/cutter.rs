//! The resumable FastCDC state machine: bytes in, chunk lengths out.

use crate::{ChunkParams, GearTable, Kernel};

/// Finds cut points in a stream that comes in pieces of any size. Keeps no bytes.
///
/// Takes 56 bytes of RAM on 64-bit targets; the table is borrowed.
///
/// ```
/// use chunkmill_core::{ChunkParams, Cutter, GearTable};
///
/// let params = ChunkParams::new(64, 256, 1024, 1)?;
/// let mut cutter = Cutter::new(params, GearTable::published());
/// let zeros = [0u8; 2500];
///
/// let mut lens = [0; 3];
/// let mut rest = &zeros[..];
/// for len in &mut lens[..2] {
///     let scanned = cutter.scan(rest);
///     *len = scanned.cut.unwrap_or(0);
///     rest = &rest[scanned.taken..];
/// }
/// assert_eq!(cutter.scan(rest).cut, None);
/// lens[2] = cutter.finish().unwrap_or(0);
/// assert_eq!(lens, [1024, 1024, 452]);
/// # Ok::<(), chunkmill_core::ParamError>(())
/// ```
///
/// # The byte held back
///
/// FastCDC in the form of 2020 tests bytes in pairs counted from the start of the chunk. A trigger on the first byte of a
/// pair counts only if the second byte exists, so when such a trigger is the last byte pushed, its chunk is not known
/// until another byte comes (then it is the first byte of the next chunk) or the stream ends (then it is the last byte of
/// this one). Meanwhile [`Cutter::holds_byte`] is true.
#[derive(Clone, Debug)]
pub struct Cutter<'g> {
    gear: &'g GearTable,
    params: ChunkParams,
    /// Mask for positions before `avg`.
    strict: u64,
    /// Mask for positions from `avg` on.
    loose: u64,
    /// Gear hash of the current chunk's bytes after the first `min`.
    hash: u64,
    /// Bytes taken since the last cut, a byte held back included. Always below `max` between calls.
    len: u32,
    held: bool,
    kernel: Kernel,
}

/// What [`Cutter::scan`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Scanned {
    /// How many of the bytes given were taken. All of them if there is no cut.
    pub taken: usize,
    /// The length of the chunk that ends after the bytes taken, if one does. If a byte was held back, `taken` is 0 and
    /// the chunk ends before that byte.
    pub cut: Option<u32>,
}

impl<'g> Cutter<'g> {
    /// A cutter at the start of a stream.
    pub fn new(params: ChunkParams, gear: &'g GearTable) -> Self {
        let (strict, loose) = params.masks();
        Self { gear, params, strict, loose, hash: 0, len: 0, held: false, kernel: Kernel::DEFAULT }
    }

    /// Scans with this kernel from now on. Cut points stay the same.
    #[must_use]
    pub const fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// The parameters it was made with.
    pub const fn params(&self) -> ChunkParams {
        self.params
    }

    /// Bytes of the current chunk taken so far, a byte held back included.
    pub const fn chunk_len(&self) -> u32 {
        self.len
    }

    /// Whether the last byte taken may still turn out to belong to the next chunk.
    pub const fn holds_byte(&self) -> bool {
        self.held
    }

    /// Scans `bytes`, which come next in the stream, up to the first cut point. Call again with the bytes not taken.
    pub fn scan(&mut self, bytes: &[u8]) -> Scanned {
        if self.held && !bytes.is_empty() {
            let cut = self.len.saturating_sub(1);
            self.start_chunk(1);
            return Scanned { taken: 0, cut: Some(cut) };
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let found = self.scan_zone(&mut rest);
            let cut = match found {
                Found::Nothing => continue,
                Found::Trigger => {
                    // The trigger lies behind the bytes taken: `rest` starts with it.
                    if self.len.is_multiple_of(2) && rest.len() == 1 {
                        self.len = self.len.saturating_add(1);
                        self.held = true;
                        break;
                    }
                    self.len
                }
                Found::Max => self.len,
            };
            self.start_chunk(0);
            return Scanned { taken: bytes.len().saturating_sub(rest.len()), cut: Some(cut) };
        }
        Scanned { taken: bytes.len(), cut: None }
    }

    /// Ends the stream: the length of its last chunk, or `None` if no byte came since the last cut. The cutter is then at
    /// the start of a new stream.
    pub fn finish(&mut self) -> Option<u32> {
        let len = self.len;
        self.start_chunk(0);
        (len > 0).then_some(len)
    }

    fn start_chunk(&mut self, len: u32) {
        self.hash = 0;
        self.len = len;
        self.held = false;
    }

    /// Takes bytes from the front of `rest` within one zone of the chunk: before `min` nothing is hashed, before `avg`
    /// the strict mask holds, before `max` the loose one. A byte that triggers is left in `rest`.
    fn scan_zone(&mut self, rest: &mut &[u8]) -> Found {
        let (end, mask) = if self.len < self.params.min() {
            (self.params.min(), None)
        } else if self.len < self.params.avg() {
            (self.params.avg(), Some(self.strict))
        } else {
            (self.params.max(), Some(self.loose))
        };
        let room = usize::try_from(end.saturating_sub(self.len)).unwrap_or(usize::MAX);
        let zone = rest.get(..room).unwrap_or(rest);
        let trigger = match mask {
            Some(mask) => self.kernel.first_match(zone, &mut self.hash, mask, self.gear.words()),
            None => None,
        };
        let taken = trigger.unwrap_or(zone.len());
        *rest = rest.get(taken..).unwrap_or_default();
        // A zone ends at `max` at the latest, so this neither truncates nor overflows.
        self.len = self.len.saturating_add(u32::try_from(taken).unwrap_or(u32::MAX));
        if trigger.is_some() {
            return Found::Trigger;
        }
        if self.len == self.params.max() { Found::Max } else { Found::Nothing }
    }
}

enum Found {
    Nothing,
    Trigger,
    Max,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    fn cut_lens(cutter: &mut Cutter<'_>, pushes: &[&[u8]], lens: &mut [u32]) -> usize {
        let mut count = 0;
        for push in pushes {
            let mut rest = *push;
            loop {
                let scanned = cutter.scan(rest);
                rest = &rest[scanned.taken..];
                let Some(len) = scanned.cut else { break };
                lens[count] = len;
                count += 1;
            }
            assert!(rest.is_empty());
        }
        if let Some(len) = cutter.finish() {
            lens[count] = len;
            count += 1;
        }
        count
    }

    #[test]
    fn empty_stream_has_no_chunk() {
        let mut cutter = Cutter::new(ChunkParams::DEFAULT, GearTable::published());
        assert_eq!(cutter.finish(), None);
        assert_eq!(cutter.scan(&[]), Scanned { taken: 0, cut: None });
        assert_eq!(cutter.finish(), None);
    }

    #[test]
    fn max_is_cut_without_waiting_for_another_byte() {
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let mut cutter = Cutter::new(params, GearTable::published());
        assert_eq!(cutter.scan(&[0; 1024]), Scanned { taken: 1024, cut: Some(1024) });
        assert_eq!(cutter.finish(), None);
    }

    #[test]
    fn empty_pushes_change_nothing() {
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let mut cutter = Cutter::new(params, GearTable::published());
        let mut lens = [0; 4];
        let zeros = [0; 700];
        let count = cut_lens(&mut cutter, &[&[], &zeros, &[], &zeros, &[]], &mut lens);
        assert_eq!(lens[..count], [1024, 376]);
    }

    #[test]
    fn finish_resets_for_the_next_stream() {
        let params = ChunkParams::new(64, 256, 1024, 1).unwrap();
        let mut cutter = Cutter::new(params, GearTable::published());
        let mut data = [0u8; 5000];
        let mut state = 1u32;
        for byte in &mut data {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8;
        }
        let (mut first, mut second) = ([0; 80], [0; 80]);
        let count = cut_lens(&mut cutter, &[&data], &mut first);
        assert_eq!(cut_lens(&mut cutter, &[&data], &mut second), count);
        assert_eq!(first, second);
        assert!(count > 5);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<Cutter<'_>>(), 56);
    }
}
