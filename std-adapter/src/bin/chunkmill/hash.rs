//! `chunkmill hash`

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use chunkmill::core::{ChunkId, IdKey};
use chunkmill::{Source, hash_stream};

use crate::args::HashArgs;
use crate::console::Progress;
use crate::failure::{Failure, Outcome};
use crate::names::{is_dash, printable};

pub(crate) fn run(args: &HashArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(&args.files)?;
    let key = args.key.read()?;
    let progress = Progress::new(!args.work.quiet, None);
    let mut stdout = BufWriter::new(io::stdout().lock());
    let mut outcome = Outcome::Done;
    for path in &args.files {
        match hash(path, &key, &progress) {
            Ok(id) => write_line(&mut stdout, &id, path).map_err(|error| Failure::stdout(&error))?,
            Err(error) => {
                progress.say(&format!("{}: {error}", printable(path)));
                outcome = Outcome::DataWrong;
            }
        }
    }
    progress.clear();
    stdout.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(outcome)
}

fn hash(path: &Path, key: &IdKey, progress: &Progress) -> io::Result<ChunkId> {
    let mut source = if is_dash(path) { Source::stdin()? } else { Source::open(path)? };
    let id = hash_stream(progress.reader(&mut source), key).map_err(io::Error::other)?;
    source.check()?.map_err(io::Error::other)?;
    Ok(id)
}

/// `HEX  NAME`. A name with a line end or a backslash is escaped, and the line then starts with a backslash: the way of
/// b3sum and of the coreutils. Other bytes go out as they are.
fn write_line(out: &mut impl Write, id: &ChunkId, path: &Path) -> io::Result<()> {
    let name = escape(path.as_os_str().as_bytes());
    let mark = if matches!(name, Cow::Owned(_)) { "\\" } else { "" };
    write!(out, "{mark}{id}  ")?;
    out.write_all(&name)?;
    out.write_all(b"\n")
}

fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        return Cow::Borrowed(name);
    }
    let mut escaped = Vec::new();
    for &byte in name {
        match byte {
            b'\\' => escaped.extend(br"\\"),
            b'\n' => escaped.extend(br"\n"),
            b'\r' => escaped.extend(br"\r"),
            _ => escaped.push(byte),
        }
    }
    Cow::Owned(escaped)
}
