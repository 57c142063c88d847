//! Sizes on the command line: `4096`, `64KiB`, `2MiB`, `1GiB`.

const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];

const LEAST_MEMORY: u64 = 1 << 20;

/// Reads a size in bytes.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let shift = match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, shift)) => *shift,
        None if unit.is_empty() => 0,
        None => return Err(unit_hint(digits, unit)),
    };
    let Some(number) = parse_digits(digits, 10) else {
        return Err("expected a whole number of bytes, such as 4096 or 64KiB".to_owned());
    };
    number.checked_mul(1 << shift).ok_or_else(|| "more bytes than 64 bits can count".to_owned())
}

/// Reads digits alone: the standard library also takes a plus sign, which nobody means.
pub(crate) fn parse_digits(digits: &str, radix: u32) -> Option<u64> {
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// Reads a chunk size, which no limit lets past 32 bits.
pub(crate) fn parse_chunk_size(text: &str) -> Result<u32, String> {
    u32::try_from(parse_size(text)?).map_err(|_| "chunk sizes end at 16MiB".to_owned())
}

/// Reads the memory for buffers: less than the least could not hold one of them and its index.
pub(crate) fn parse_memory(text: &str) -> Result<usize, String> {
    let bytes = parse_size(text)?;
    if bytes < LEAST_MEMORY {
        return Err("expected 1MiB or more".to_owned());
    }
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
}

fn unit_hint(digits: &str, unit: &str) -> String {
    let first = unit.chars().next().map(|first| first.to_ascii_uppercase());
    match UNITS.iter().find(|(name, _)| name.chars().next() == first) {
        Some((binary, _)) => format!("the unit `{unit}` is not known; sizes are binary: write `{digits}{binary}`"),
        None => format!("the unit `{unit}` is not known; use KiB, MiB, GiB or none for bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary() {
        for (text, bytes) in [("0", 0), ("4096", 4096), ("64KiB", 65536), ("2MiB", 2 << 20), ("3GiB", 3 << 30)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse_size("1TiB"), Ok(1 << 40));
    }

    #[test]
    fn decimal_units_are_refused_with_a_hint() {
        for text in ["64KB", "64kB", "64K", "64k", "64kib"] {
            assert!(parse_size(text).unwrap_err().contains("write `64KiB`"), "{text}");
        }
        assert!(parse_size("1MB").unwrap_err().contains("write `1MiB`"));
        assert!(parse_size("1x").unwrap_err().contains("use KiB"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "KiB", "-1", "+1", "1.5MiB", "1 KiB", "0x10", "ééé", "99999999999999999999", "16777216TiB"]
        {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert!(parse_memory("1023KiB").is_err());
        assert_eq!(parse_memory("1MiB"), Ok(1 << 20));
        assert_eq!(parse_chunk_size("4GiB"), Err("chunk sizes end at 16MiB".to_owned()));
    }
}
