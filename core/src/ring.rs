//! A ring over the caller's memory.

use core::error::Error;
use core::fmt;

/// Bytes that come in at one end and leave at the other, in memory that the caller owns. No byte is ever moved.
///
/// Takes 32 bytes of RAM on 64-bit targets, besides the memory lent.
///
/// ```
/// use chunkmill_core::RingBuffer;
///
/// let mut memory = [0; 8];
/// let mut ring = RingBuffer::new(&mut memory);
/// ring.window()[..6].copy_from_slice(b"abcdef");
/// ring.commit(6)?;
/// ring.release(4)?;
/// assert_eq!(ring.window().len(), 2);
/// ring.window().copy_from_slice(b"gh");
/// ring.commit(2)?;
/// ring.window()[..1].copy_from_slice(b"i");
/// ring.commit(1)?;
/// assert_eq!(ring.slices(0, 5), (&b"efgh"[..], &b"i"[..]));
/// # Ok::<(), chunkmill_core::RingError>(())
/// ```
pub struct RingBuffer<'m> {
    memory: &'m mut [u8],
    start: usize,
    len: usize,
}

/// A promise about the ring that was not kept. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RingError {
    /// More bytes were committed than the window had.
    Commit {
        /// Bytes committed.
        asked: usize,
        /// Bytes of the window.
        window: usize,
    },
    /// More bytes were released than the ring held.
    Release {
        /// Bytes released.
        asked: usize,
        /// Bytes held.
        held: usize,
    },
}

// Invariant: `start < memory.len()` or both are 0; `len <= memory.len()`.
//
//   not wrapped                                wrapped
//   0        start        start+len   cap      0     end            start     cap
//   |  free  |####held####|  window   |        |#2nd#|    window    |###1st###|
//
// The window is the free space behind the bytes held, as far as it goes without a break. Free space before `start` of a
// ring that is not wrapped becomes the window once the end of the memory is reached.

/// What can be asked without touching a byte.
impl<'m> RingBuffer<'m> {
    /// An empty ring over `memory`.
    pub const fn new(memory: &'m mut [u8]) -> Self {
        Self { memory, start: 0, len: 0 }
    }

    /// Bytes of the memory.
    pub const fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Bytes held.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no byte is held.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that can be taken in before some must be released; the window may be shorter.
    pub const fn free(&self) -> usize {
        self.memory.len().saturating_sub(self.len)
    }

    /// Where, in the memory, the byte `skip` bytes behind the first one lies. `skip` is at most the capacity.
    const fn place(&self, skip: usize) -> usize {
        let to_end = self.memory.len().saturating_sub(self.start);
        if skip < to_end { self.start.saturating_add(skip) } else { skip.saturating_sub(to_end) }
    }
}

/// Bytes in. A full ring has an empty window.
impl RingBuffer<'_> {
    /// The next bytes to be filled, in one piece, so that a DMA transfer can go there.
    pub fn window(&mut self) -> &mut [u8] {
        let (from, free) = (self.place(self.len), self.free());
        let behind = self.memory.get_mut(from..).unwrap_or_default();
        let len = behind.len().min(free);
        behind.get_mut(..len).unwrap_or_default()
    }

    /// Takes in the first `filled` bytes of the window.
    ///
    /// # Errors
    ///
    /// [`RingError::Commit`] if the window is shorter.
    pub fn commit(&mut self, filled: usize) -> Result<(), RingError> {
        let window = self.window().len();
        if filled > window {
            return Err(RingError::Commit { asked: filled, window });
        }
        self.len = self.len.saturating_add(filled);
        Ok(())
    }
}

/// Bytes out. An empty ring gives empty slices.
impl RingBuffer<'_> {
    /// `len` of the bytes held, from the one `skip` behind the first: two slices, the second of them behind the wrap.
    /// Fewer if there are fewer.
    pub fn slices(&self, skip: usize, len: usize) -> (&[u8], &[u8]) {
        let held = self.len.saturating_sub(skip);
        let len = len.min(held);
        let behind = if held == 0 { &[] } else { self.memory.get(self.place(skip)..).unwrap_or_default() };
        match behind.get(..len) {
            Some(whole) => (whole, &[]),
            None => (behind, self.memory.get(..len.saturating_sub(behind.len())).unwrap_or_default()),
        }
    }

    /// Lets go of the first `done` bytes.
    ///
    /// # Errors
    ///
    /// [`RingError::Release`] if fewer are held.
    pub fn release(&mut self, done: usize) -> Result<(), RingError> {
        if done > self.len {
            return Err(RingError::Release { asked: done, held: self.len });
        }
        // An empty ring starts anew, so that its window is as long as it can be.
        self.start = if done == self.len { 0 } else { self.place(done) };
        self.len = self.len.saturating_sub(done);
        Ok(())
    }
}

impl fmt::Debug for RingBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let capacity = self.capacity();
        f.debug_struct("RingBuffer")
            .field("capacity", &capacity)
            .field("start", &self.start)
            .field("len", &self.len)
            .finish()
    }
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit { asked, window } => write!(f, "{asked} bytes committed to a window of {window}"),
            Self::Release { asked, held } => write!(f, "{asked} bytes released of {held} held"),
        }
    }
}

impl Error for RingError {}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn memory_of_no_bytes_is_full_and_empty() {
        let mut ring = RingBuffer::new(&mut []);
        assert_eq!((ring.len(), ring.free(), ring.window().len()), (0, 0, 0));
        assert_eq!(ring.slices(0, 5), (&[][..], &[][..]));
        assert_eq!(ring.commit(1), Err(RingError::Commit { asked: 1, window: 0 }));
        assert_eq!(ring.commit(0), Ok(()));
        assert_eq!(ring.release(1), Err(RingError::Release { asked: 1, held: 0 }));
        assert_eq!(ring.release(0), Ok(()));
    }

    #[test]
    fn a_broken_promise_changes_nothing() {
        let mut memory = [0; 4];
        let mut ring = RingBuffer::new(&mut memory);
        ring.window().copy_from_slice(b"abcd");
        ring.commit(3).unwrap();
        assert_eq!(ring.commit(2), Err(RingError::Commit { asked: 2, window: 1 }));
        assert_eq!(ring.release(4), Err(RingError::Release { asked: 4, held: 3 }));
        assert_eq!(ring.slices(0, 9), (&b"abc"[..], &[][..]));
    }

    #[test]
    fn a_ring_run_empty_starts_anew() {
        let mut memory = [0; 5];
        let mut ring = RingBuffer::new(&mut memory);
        ring.commit(4).unwrap();
        ring.release(4).unwrap();
        assert_eq!(ring.window().len(), 5);
    }

    #[test]
    fn wraps_at_every_place() {
        for capacity in 1..9usize {
            for place in 0..capacity {
                let mut memory = [0; 8];
                let mut ring = RingBuffer::new(&mut memory[..capacity]);
                // Walk the start to `place` without ever running empty.
                ring.commit(1).unwrap();
                for _ in 0..place {
                    if capacity == 1 {
                        break;
                    }
                    ring.commit(1).unwrap();
                    ring.release(1).unwrap();
                }
                ring.window().fill(0);
                let mut next = 1u8;
                while ring.free() > 0 {
                    ring.window()[0] = next;
                    ring.commit(1).unwrap();
                    next += 1;
                }
                let (first, second) = ring.slices(1, capacity);
                assert_eq!(first.len() + second.len(), capacity - 1);
                assert!(first.iter().chain(second).copied().eq(1..next), "{capacity} {place}");
                assert!(ring.window().is_empty());
            }
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn ram_is_as_documented() {
        assert_eq!(size_of::<RingBuffer<'_>>(), 32);
    }
}
