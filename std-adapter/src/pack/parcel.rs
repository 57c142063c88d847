//! Records that lie side by side, on their way out of a pack.

use core::ops::Range;
use std::io;

use chunkmill_core::pack::{BlockLen, Opener, PackError, SealedChunk, Stored};

use super::span::grow;

/// Some records and their payloads: at least [`Parcel::LEN`] bytes of them while the pack goes on.
#[derive(Debug, Default)]
pub(super) struct Parcel {
    /// Longer than the payloads: its memory is used again, and never cleared.
    payloads: Vec<u8>,
    /// Room for what is decompressed.
    chunks: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    /// Bytes of both that are taken.
    stored: usize,
    opened: usize,
}

/// A record of a parcel.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) sealed: SealedChunk,
    /// Its place in the pack.
    pub(super) payload_offset: u64,
    stored: Range<usize>,
    opened: Range<usize>,
    pub(super) state: State,
}

/// What one thread opens payloads with.
pub(super) struct Tools {
    opener: Opener,
    /// Where blocks are decompressed that are not kept.
    block: Vec<u8>,
}

/// What is known of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was opened, and is good.
    Good,
    /// There is none: a reference.
    Nothing,
    Sealed,
    Wrong(PackError),
}

impl Parcel {
    /// Bytes of payloads that are enough for a parcel, and records.
    pub(super) const LEN: usize = 256 << 10;
    const RECORDS: usize = 4096;

    /// A parcel with room for all it can hold when no chunk is longer than `max`. The system gives pages of it only as they are
    /// used.
    pub(super) fn with_room(max: usize, kept: bool) -> io::Result<Self> {
        let room = Self::LEN.saturating_add(max);
        let mut parcel = Self::default();
        parcel.payloads.try_reserve_exact(room)?;
        parcel.chunks.try_reserve_exact(if kept { room } else { 0 })?;
        Ok(parcel)
    }

    /// Bytes of memory that such a parcel takes at most.
    pub(super) const fn most_memory(max: usize, kept: bool) -> usize {
        let room = Self::LEN.saturating_add(max);
        if kept { room.saturating_mul(2) } else { room }
    }

    /// As it was when it was new, but for its memory.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        (self.stored, self.opened) = (0, 0);
    }

    pub(super) fn is_full(&self) -> bool {
        self.stored.max(self.opened) >= Self::LEN || self.entries.len() >= Self::RECORDS
    }

    /// Adds a record, and gives the room for its payload. The chunk is only kept once it is opened if that is wanted.
    pub(super) fn push(&mut self, sealed: SealedChunk, payload_offset: u64, kept: bool) -> &mut [u8] {
        let compressed = kept && matches!(sealed.stored(), Stored::Lz4(_));
        let state = if sealed.stored() == Stored::Reference { State::Nothing } else { State::Sealed };
        let stored = take(&mut self.stored, sealed.payload_len());
        let opened = take(&mut self.opened, if compressed { sealed.chunk().len } else { 0 });
        grow(&mut self.payloads, stored.end);
        grow(&mut self.chunks, opened.end);
        self.entries.push(Entry { sealed, payload_offset, stored: stored.clone(), opened, state });
        self.payloads.get_mut(stored).unwrap_or_default()
    }

    /// Takes the record back that was added last: its payload is not whole.
    pub(super) fn pop(&mut self) {
        self.entries.pop();
    }

    /// Opens all payloads up to the first that is wrong.
    pub(super) fn open(&mut self, tools: &mut Tools) {
        for entry in &mut self.entries {
            if entry.state != State::Sealed {
                continue;
            }
            let payload = self.payloads.get(entry.stored.clone()).unwrap_or_default();
            let into = self.chunks.get_mut(entry.opened.clone()).unwrap_or_default();
            let opened = if into.is_empty() {
                tools.opener.check(&entry.sealed, payload, &mut tools.block)
            } else {
                tools.opener.open(&entry.sealed, payload, into).map(|_| ())
            };
            match opened {
                Ok(()) => entry.state = State::Good,
                Err(error) => {
                    entry.state = State::Wrong(error);
                    return;
                }
            }
        }
    }

    /// The chunk of a record whose payload is good.
    pub(super) fn chunk(&self, entry: &Entry) -> &[u8] {
        let bytes = match entry.sealed.stored() {
            Stored::Lz4(_) => self.chunks.get(entry.opened.clone()),
            Stored::Raw => self.payloads.get(entry.stored.clone()),
            Stored::Reference => None,
        };
        bytes.filter(|_| entry.state == State::Good).unwrap_or_default()
    }
}

impl Tools {
    pub(super) fn new(opener: &Opener) -> Self {
        Self { opener: opener.clone(), block: vec![0; BlockLen::MAX.bytes()] }
    }
}

fn take(used: &mut usize, len: u32) -> Range<usize> {
    let start = *used;
    *used = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
    start..*used
}
