//! The ring against a model: a queue that knows of each byte held what it is and where in the memory it was put. A byte
//! that moved, was lost, or was overwritten shows at the next look.

use std::collections::VecDeque;

use chunkmill_core::{RingBuffer, RingError};

/// A byte held, and its index in the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    byte: u8,
    place: usize,
}

/// A ring and what must be in it.
#[derive(Debug)]
pub struct Model<'m> {
    ring: RingBuffer<'m>,
    base: usize,
    capacity: usize,
    held: VecDeque<Held>,
    next: u8,
}

impl<'m> Model<'m> {
    /// A ring over `memory`.
    pub fn new(memory: &'m mut [u8]) -> Self {
        let (base, capacity) = (memory.as_ptr().addr(), memory.len());
        Self { ring: RingBuffer::new(memory), base, capacity, held: VecDeque::new(), next: 0 }
    }

    /// Bytes of the window.
    pub fn window_len(&mut self) -> usize {
        self.ring.window().len()
    }

    /// Bytes held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Bytes of room.
    pub const fn free(&self) -> usize {
        self.ring.free()
    }

    /// Index in the memory of the first byte held.
    pub fn start(&self) -> Option<usize> {
        self.held.front().map(|held| held.place)
    }

    /// All that is held, as the ring lends it.
    pub fn slices(&self) -> (&[u8], &[u8]) {
        self.ring.slices(0, usize::MAX)
    }

    /// Fills and commits the first `len` bytes of the window.
    pub fn commit(&mut self, len: usize) {
        let window = self.ring.window();
        let at = window.as_ptr().addr() - self.base;
        for (index, byte) in window[..len].iter_mut().enumerate() {
            // 251 is prime: bytes that changed places by a power of two are not the same.
            self.next = (self.next + 1) % 251;
            *byte = self.next;
            self.held.push_back(Held { byte: self.next, place: at + index });
        }
        self.ring.commit(len).unwrap();
    }

    /// Releases the first `len` bytes held.
    pub fn release(&mut self, len: usize) {
        self.ring.release(len).unwrap();
        self.held.drain(..len);
    }

    /// Fails unless the slices of what is held are the model's, and in the same places.
    pub fn assert_slices(&self, skip: usize, len: usize) {
        let (first, second) = self.ring.slices(skip, len);
        let places = |slice: &[u8]| slice.as_ptr().addr().wrapping_sub(self.base);
        let with_places = |slice: &[u8]| {
            let at = places(slice);
            slice.iter().enumerate().map(move |(index, &byte)| Held { byte, place: at + index }).collect::<Vec<_>>()
        };
        let expected = self.held.iter().copied().skip(skip).take(len);
        assert!(with_places(first).into_iter().chain(with_places(second)).eq(expected), "slices({skip}, {len})");
        if !second.is_empty() {
            assert!(!first.is_empty(), "the first slice comes first");
            assert_eq!(places(first) + first.len(), self.capacity, "the first slice goes up to the end of the memory");
            assert_eq!(places(second), 0, "the second goes on at its start");
        }
    }

    /// Everything that must hold between any two calls.
    pub fn assert_sound(&mut self) {
        let len = self.held.len();
        let free = self.capacity - len;
        assert_eq!((self.ring.capacity(), self.ring.len(), self.ring.free()), (self.capacity, len, free));
        assert_eq!(self.ring.is_empty(), len == 0);

        let window = self.ring.window();
        let (at, window_len) = (window.as_ptr().addr().wrapping_sub(self.base), window.len());
        // If the window had a byte in it that is held, this would spoil it.
        window.fill(0xff);
        assert_eq!(window_len == 0, free == 0, "a ring that is not full has a window");
        assert!(window_len <= free);
        assert!(window_len == free || at + window_len == self.capacity, "the window goes on as far as it can");
        if len == 0 {
            assert_eq!(window_len, self.capacity, "an empty ring has all of its memory for a window");
        }
        self.assert_slices(0, usize::MAX);
    }

    /// Both promises broken, by a byte and by as much as there is: errors that say so, and nothing has changed.
    pub fn assert_refusals(&mut self, extra: usize) {
        let (window, held) = (self.ring.window().len(), self.held.len());
        for asked in [window + 1, window.saturating_add(extra).max(window + 1), usize::MAX] {
            assert_eq!(self.ring.commit(asked), Err(RingError::Commit { asked, window }));
        }
        for asked in [held + 1, held.saturating_add(extra).max(held + 1), usize::MAX] {
            assert_eq!(self.ring.release(asked), Err(RingError::Release { asked, held }));
        }
    }
}
