//! What people write: keys, sizes and seeds, against a plainer reading of the same text.

use std::io::Cursor;

use arbitrary::Unstructured;
use chunkmill::key::{KeyError, read_key};
use chunkmill_core::{ChunkId, ChunkParams, IdKey, ParseHexError};

#[path = "../../std-adapter/src/bin/chunkmill/sizes.rs"]
#[allow(dead_code, reason = "the program's own module")]
mod sizes;

/// The whole input as a key file; as an id and as a size if it is text; and its first bytes as chunk sizes.
pub fn run(input: &[u8]) {
    key(input);
    if let Ok(text) = str::from_utf8(input) {
        hex(text);
        size(text);
    }
    let _ = params(&mut Unstructured::new(input));
}

fn key(content: &[u8]) {
    let line = content.strip_suffix(b"\n").unwrap_or(content);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let expected = match content.len() {
        32 => Some(content.to_vec()),
        _ => from_hex(line),
    };
    let read = read_key(Cursor::new(content));
    match (&read, expected) {
        (Ok(key), Some(bytes)) => {
            let key_of_bytes = IdKey::from_bytes(bytes.try_into().expect("32 bytes"));
            assert_eq!(key.id_of(b"x"), key_of_bytes.id_of(b"x"));
        }
        (Err(KeyError::Len { found }), None) => assert_eq!(*found, content.len().min(4096)),
        (Err(KeyError::Hex(ParseHexError::Digit { at })), None) => assert!(!line[*at].is_ascii_hexdigit()),
        _ => panic!("{read:?} of {content:?}"),
    }
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes = digits.chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(*pair.get(1)?)?) as u8));
    bytes.collect::<Option<Vec<u8>>>().filter(|bytes| bytes.len() == 32)
}

fn hex(text: &str) {
    let parsed = text.parse::<ChunkId>();
    assert_eq!(parsed.ok().map(|id| id.as_bytes().to_vec()), from_hex(text.as_bytes()), "{text:?}");
    if let Err(ParseHexError::Digit { at }) = parsed {
        assert!(!text.as_bytes()[at].is_ascii_hexdigit());
    }
    assert_eq!(text.parse::<IdKey>().err(), parsed.err());
    if let Ok(id) = parsed {
        assert_eq!(id.to_string(), text.to_ascii_lowercase());
    }
}

fn size(text: &str) {
    let (digits, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let shift = ["", "KiB", "MiB", "GiB", "TiB"].iter().position(|name| *name == unit);
    let bytes = shift.filter(|_| !digits.is_empty()).and_then(|thousands| {
        let number = digits.trim_start_matches('0');
        let number = if number.is_empty() { 0 } else { number.parse::<u128>().ok()? };
        u64::try_from(number.checked_mul(1 << (10 * thousands))?).ok()
    });
    assert_eq!(sizes::parse_size(text).ok(), bytes, "{text:?}");
    assert_eq!(sizes::parse_chunk_size(text).ok(), bytes.and_then(|bytes| u32::try_from(bytes).ok()), "{text:?}");
    let memory = bytes.filter(|bytes| *bytes >= 1 << 20).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    assert_eq!(sizes::parse_memory(text).ok(), memory, "{text:?}");
    assert_eq!(
        sizes::parse_digits(text, 10),
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    );
}

fn params(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (min, avg, max, level) = (input.arbitrary()?, input.arbitrary()?, input.arbitrary()?, input.arbitrary::<u8>()?);
    let within = |size: u32, low: u32, high: u32| size.is_multiple_of(2) && (low..=high).contains(&size);
    let valid = within(min, 64, 1 << 20)
        && within(avg, 256, 4 << 20)
        && within(max, 1 << 10, 16 << 20)
        && min <= avg
        && avg <= max
        && level <= 3;
    let made = ChunkParams::new(min, avg, max, level);
    assert_eq!(
        made.map(|made| (made.min(), made.avg(), made.max(), made.level())).ok(),
        valid.then_some((min, avg, max, level))
    );
    if let Err(error) = made {
        assert!(!error.to_string().is_empty());
    }
    Ok(())
}
