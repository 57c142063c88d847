//! Standard error: messages, and the progress line when someone is there to see it.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Writes one line to standard error. If that is closed there is nobody to tell.
pub(crate) fn say(message: &str) {
    let _ = writeln!(io::stderr(), "chunkmill: {message}");
}

/// The progress line on standard error, and messages that do not tear it apart.
#[derive(Clone, Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A line with bytes and speed, and the time left if `total` bytes are known. Hidden if it is not wanted or standard
    /// error is no terminal.
    pub(crate) fn new(wanted: bool, total: Option<u64>) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta} left",
            ),
            None => (ProgressBar::no_length(), "{spinner} {binary_bytes} {binary_bytes_per_sec} {elapsed}"),
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(bar.with_style(style))
    }

    /// Counts bytes.
    pub(crate) fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    pub(crate) fn say(&self, message: &str) {
        self.0.suspend(|| say(message));
    }

    /// Takes the line off the screen.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
