//! A stream read and cut into spans.

use std::io::Read;

use chunkmill_core::Cutter;

use super::line::Input;
use super::span::{STEP, Span};
use crate::read::{ReadError, read_some};

/// The line's input: fills spans, one behind the other.
pub(super) struct Cutting<'g, R> {
    reader: R,
    cutter: Cutter<'g>,
    /// Bytes read behind the last whole chunk, which the cutter has seen.
    carried: Vec<u8>,
    /// Offset in the stream of the first of them.
    offset: u64,
    /// Bytes read.
    taken: u64,
    /// Nothing is read any more: a terminal would be asked again.
    ended: bool,
    /// Why the stream ended early.
    pub(super) error: Option<ReadError>,
}

impl<'g, R: Read> Cutting<'g, R> {
    pub(super) const fn new(reader: R, cutter: Cutter<'g>) -> Self {
        Self { reader, cutter, carried: Vec::new(), offset: 0, taken: 0, ended: false, error: None }
    }

    /// Fills an empty span. It stays empty at the end of the stream only. After an error the chunks before it are in the span.
    fn read_and_cut(&mut self, span: &mut Span) -> Result<(), ReadError> {
        let mut len = self.carried.len();
        span.window(0, len).copy_from_slice(&self.carried);
        self.carried.clear();
        // Bytes of whole chunks.
        let mut whole = 0usize;
        while whole < Span::LEN {
            let read = read_some(&mut self.reader, span.window(len, STEP), &mut self.taken)?.len();
            if read == 0 {
                self.ended = true;
                if let Some(last) = self.cutter.finish() {
                    self.push(span, &mut whole, last);
                }
                return Ok(());
            }
            let end = len.saturating_add(read);
            while len < end {
                let scanned = self.cutter.scan(span.bytes(len..end));
                len = len.saturating_add(scanned.taken);
                if let Some(chunk_len) = scanned.cut {
                    self.push(span, &mut whole, chunk_len);
                }
            }
        }
        let rest = span.bytes(whole..len);
        let reserved = self.carried.try_reserve(rest.len());
        reserved.map_err(|error| ReadError { offset: self.offset, source: error.into() })?;
        self.carried.extend_from_slice(rest);
        Ok(())
    }

    fn push(&mut self, span: &mut Span, whole: &mut usize, len: u32) {
        span.push(*whole, self.offset, len);
        *whole = whole.saturating_add(usize::try_from(len).unwrap_or(0));
        self.offset = self.offset.saturating_add(len.into());
    }
}

impl<R: Read + Send> Input<Span> for Cutting<'_, R> {
    fn fill(&mut self, span: &mut Span) -> bool {
        span.clear();
        if !self.ended {
            self.error = self.read_and_cut(span).err();
            self.ended |= self.error.is_some();
        }
        !span.cuts.is_empty()
    }
}
