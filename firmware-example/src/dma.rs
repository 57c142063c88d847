//! A device that fills two halves of a buffer in turn, and tells by interrupt when one is full.
//!
//! ```text
//!              ┌──── empty halves ◀────┐
//! device ─▶ Transfer                 Halves ─▶ embedded_io::Read
//!              └────▶ full halves ─────┘
//!    in the interrupt            in the main loop
//! ```
//!
//! Halves are moved from one side to the other and never shared, so neither side can see one that is being filled.

use core::fmt;

use embedded_io::{ErrorType, Read};
use heapless::spsc::{Consumer, Producer, Queue};

/// Bytes of a half: a sector.
pub const HALF: usize = 512;

/// One half of the buffer.
pub type Half = [u8; HALF];

/// The queues between the two sides.
#[derive(Debug)]
pub struct Channel<'m, E> {
    // Queues hold one item less than they have room for; two halves are under way at most.
    empty: Queue<&'m mut Half, 4>,
    full: Queue<Filled<'m, E>, 4>,
}

#[derive(Debug)]
struct Filled<'m, E> {
    half: &'m mut Half,
    /// How many bytes the device gave; 0 at its end.
    len: Result<usize, E>,
}

/// The interrupt's side: what DMA hardware and its interrupt do together.
pub struct Transfer<'q, 'm, D: ErrorType> {
    device: D,
    empty: Consumer<'q, &'m mut Half>,
    full: Producer<'q, Filled<'m, D::Error>>,
    ended: bool,
}

/// The main loop's side: reads the device's bytes as they come.
pub struct Halves<'q, 'm, E, W> {
    empty: Producer<'q, &'m mut Half>,
    full: Consumer<'q, Filled<'m, E>>,
    current: Option<Filled<'m, E>>,
    /// Bytes of the current half that were read.
    taken: usize,
    ended: bool,
    wait: W,
}

impl<'m, E> Channel<'m, E> {
    /// Nothing under way.
    pub const fn new() -> Self {
        Self { empty: Queue::new(), full: Queue::new() }
    }

    /// The two sides of a transfer of all that `device` has. `wait` returns once something may have come.
    pub fn split<'q, D: Read<Error = E>, W: FnMut()>(
        &'q mut self,
        halves: &'m mut [Half; 2],
        device: D,
        wait: W,
    ) -> (Transfer<'q, 'm, D>, Halves<'q, 'm, E, W>) {
        let (mut empty, interrupt_empty) = self.empty.split();
        let (interrupt_full, full) = self.full.split();
        for half in halves {
            // There is room for three.
            let _ = empty.enqueue(half);
        }
        let transfer = Transfer { device, empty: interrupt_empty, full: interrupt_full, ended: false };
        (transfer, Halves { empty, full, current: None, taken: 0, ended: false, wait })
    }
}

impl<E> Default for Channel<'_, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Read> Transfer<'_, '_, D> {
    /// Fills a half, if the reader has left one, and hands it over. To be called by the interrupt.
    pub fn fill_half(&mut self) {
        if self.ended {
            return;
        }
        let Some(half) = self.empty.dequeue() else { return };
        let len = fill(&mut self.device, half);
        self.ended = !matches!(len, Ok(1..));
        // There is room for all halves.
        let _ = self.full.enqueue(Filled { half, len });
    }

    /// Whether the device has come to its end, or failed.
    pub const fn ended(&self) -> bool {
        self.ended
    }
}

/// Reads until the half is full or the device has no more.
fn fill<D: Read>(device: &mut D, half: &mut Half) -> Result<usize, D::Error> {
    let mut filled = 0usize;
    loop {
        let rest = half.get_mut(filled..).unwrap_or_default();
        match if rest.is_empty() { 0 } else { device.read(rest)? } {
            0 => return Ok(filled),
            len => filled = filled.saturating_add(len),
        }
    }
}

impl<E: embedded_io::Error, W> ErrorType for Halves<'_, '_, E, W> {
    type Error = E;
}

impl<E: embedded_io::Error, W: FnMut()> Read for Halves<'_, '_, E, W> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, E> {
        if self.ended || into.is_empty() {
            return Ok(0);
        }
        let Filled { half, len } = loop {
            match self.current.take().or_else(|| self.full.dequeue()) {
                Some(filled) => break filled,
                None => (self.wait)(),
            }
        };
        let len = len.inspect_err(|_| self.ended = true)?;
        let rest = half.get(self.taken..len).unwrap_or_default();
        let count = rest.len().min(into.len());
        let (Some(from), Some(to)) = (rest.get(..count), into.get_mut(..count)) else { return Ok(0) };
        to.copy_from_slice(from);
        self.ended = len == 0;
        self.taken = self.taken.saturating_add(count);
        if self.taken < len {
            self.current = Some(Filled { half, len: Ok(len) });
        } else {
            self.taken = 0;
            // It came from there, so there is room.
            let _ = self.empty.enqueue(half);
        }
        Ok(count)
    }
}

impl<D: ErrorType> fmt::Debug for Transfer<'_, '_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl<E, W> fmt::Debug for Halves<'_, '_, E, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Halves").field("ended", &self.ended).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that panics fails, as it should"
)]
mod tests {
    use core::cell::RefCell;

    use super::*;

    #[test]
    fn bytes_come_through_in_order_whatever_is_read_at_once() {
        let stream: [u8; 2000] = core::array::from_fn(|index| (index % 251) as u8);
        for len in [0, 1, HALF - 1, HALF, HALF + 1, 2 * HALF, 2000] {
            for window in [1, 7, HALF, 2000] {
                let mut halves = [[0; HALF]; 2];
                let mut channel = Channel::new();
                let interrupt = RefCell::new(None);
                let wait = || interrupt.borrow_mut().as_mut().map_or((), Transfer::fill_half);
                let (transfer, mut reader) = channel.split(&mut halves, &stream[..len], wait);
                interrupt.replace(Some(transfer));
                let (mut read, mut into) = (0, [0; 2000]);
                loop {
                    let end = (read + window).min(2000);
                    // A window of its own behind the last byte, so that the end is seen.
                    let mut one = [0; 1];
                    let room = if read == 2000 { &mut one[..] } else { &mut into[read..end] };
                    match reader.read(room).unwrap() {
                        0 => break,
                        count => read += count,
                    }
                }
                assert_eq!(into[..read], stream[..len]);
            }
        }
    }

    #[test]
    fn two_halves_wait_and_no_third() {
        let mut halves = [[0; HALF]; 2];
        let mut channel = Channel::new();
        let (mut transfer, _) = channel.split(&mut halves, &[7; 3 * HALF][..], || {});
        for _ in 0..5 {
            transfer.fill_half();
        }
        assert_eq!(transfer.device.len(), HALF);
        assert!(!transfer.ended());
    }
}
