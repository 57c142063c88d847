//! File names as people may see them: a name may hold any byte but 0 and `/`, and terminals obey some of them.

use std::path::Path;

/// The path for messages and tables: control characters escaped, what is not UTF-8 replaced.
pub(crate) fn printable(path: &Path) -> String {
    let mut shown = String::new();
    for character in path.to_string_lossy().chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn terminals_get_no_commands() {
        let path = Path::new(OsStr::from_bytes(b"a\x1b[2J\nb\xffc \xc3\xa9"));
        assert_eq!(printable(path), "a\\u{1b}[2J\\nb\u{fffd}c é");
    }
}
