//! File names as people may see them: a name may hold any byte but 0 and `/`, and terminals obey some of them.

use std::path::Path;

/// Whether the user means standard input or output. A folder called `-` can be given as `./-` or `-/`.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The path for messages and tables: control characters and those that turn the direction of text are escaped, what is
/// not UTF-8 is replaced.
pub(crate) fn printable(path: &Path) -> String {
    let mut shown = String::new();
    for character in path.to_string_lossy().chars() {
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Zero-width characters and direction marks, with which a name can be made to look like another.
const fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn terminals_get_no_commands() {
        let path = Path::new(OsStr::from_bytes(b"a\x1b[2J\nb\xffc \xc3\xa9\xe2\x80\xae"));
        assert_eq!(printable(path), "a\\u{1b}[2J\\nb\u{fffd}c é\\u{202e}");
    }
}
