//! A text file line by line.

use embedded_io::Read;

use crate::device::{DeviceError, File};

pub struct Lines {
    file: File,
    buffer: [u8; 256],
    filled: usize,
    /// Where the next line starts.
    start: usize,
    number: u32,
}

impl Lines {
    pub fn open(path: &str) -> Result<Self, DeviceError> {
        Ok(Self { file: File::open(path)?, buffer: [0; 256], filled: 0, start: 0, number: 0 })
    }

    /// The number of the line given last, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The next line without its end; empty at the end of the file, or if it is not text or longer than 256 bytes.
    pub fn next(&mut self) -> Result<&str, DeviceError> {
        self.number = self.number.saturating_add(1);
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled = self.filled.saturating_sub(self.start);
        self.start = 0;
        let end = loop {
            let filled = self.buffer.get(..self.filled).unwrap_or_default();
            if let Some(end) = filled.iter().position(|&byte| byte == b'\n') {
                break end;
            }
            let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
            match if room.is_empty() { 0 } else { self.file.read(room)? } {
                0 => return Ok(""),
                len => self.filled = self.filled.saturating_add(len),
            }
        };
        self.start = end.saturating_add(1);
        Ok(self.buffer.get(..end).and_then(|line| str::from_utf8(line).ok()).unwrap_or_default())
    }
}
