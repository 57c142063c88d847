//! Something to pack, and packs of it.

use serde_json::Value;

use super::{Place, noise};

pub(crate) const SIZES: [&str; 6] = ["--min", "1KiB", "--avg", "4KiB", "--max", "16KiB"];

pub(crate) fn summary(text: &str) -> Value {
    serde_json::from_str::<Value>(text.trim_end()).unwrap()["summary"].clone()
}

/// Text that compresses, noise that does not, zeros, and all of it again.
pub(crate) fn stream() -> Vec<u8> {
    let text: Vec<u8> =
        (0..9000).flat_map(|line| format!("line {line} of a log that repeats itself\n").into_bytes()).collect();
    let once = [text, noise(1, 300_000), vec![0; 200_000]].concat();
    [&once[..], &noise(2, 5000), &once].concat()
}

/// A place with `stream` and its pack `p.cmill`.
pub(crate) fn packed(options: &[&str]) -> (Place, Vec<u8>) {
    let place = Place::new();
    let stream = stream();
    place.file("stream", &stream);
    place.run([&["pack", "stream", "-o", "p.cmill"], &SIZES[..], options].concat()).exits(0);
    (place, stream)
}
