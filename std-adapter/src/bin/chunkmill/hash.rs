//! `chunkmill hash`

use core::convert::Infallible;
use core::fmt::Display;
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use chunkmill::core::ChunkId;
use chunkmill::{HashEvent, Pool, StreamHasher};

use crate::args::HashArgs;
use crate::console::Progress;
use crate::failure::{Failure, Outcome, stdout_failed, stdout_written};
use crate::inputs::{self, Input};
use crate::names::printable;

pub(crate) fn run(args: &HashArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(&args.files)?;
    let key = args.key.read()?;
    let work = args.work.begin()?;
    // Two writers on one terminal would tear each other's lines apart.
    let progress = Progress::new(!(args.work.quiet || io::stdout().is_terminal()), None);
    let mut stdout = BufWriter::new(io::stdout().lock());
    let mut outcome = Outcome::Done;
    let failed = |outcome: &mut Outcome, path: &Path, why: &dyn Display| {
        progress.say(&format!("{}: {why}", printable(path)));
        *outcome = Outcome::DataWrong;
    };
    let mut hasher = StreamHasher::new(&key).with_gate(work.gate).with_memory(work.memory);
    if let Some(pace) = &work.pace {
        hasher = hasher.with_pace(pace);
    }
    let Ok(()) = Pool::scope(work.threads, |pool| {
        hasher.hash_all(pool, inputs::files(&args.files, &progress), |event| {
            let (input, id) = match event {
                HashEvent::End(input, kept, id) => {
                    (input, id.map_err(io::Error::other).and_then(|id| kept.map(|()| id)))
                }
                HashEvent::Note(input) => (input, Err(io::Error::other("not opened"))),
                _ => return Ok::<(), Infallible>(()),
            };
            match (input, id) {
                (Input::File(path), Ok(id)) => write_line(&mut stdout, &id, &path).unwrap_or_else(|error| {
                    progress.clear();
                    stdout_failed(&error, outcome)
                }),
                (Input::File(path), Err(error)) => failed(&mut outcome, &path, &error),
                (Input::Failed(path, why), _) => failed(&mut outcome, &path, &why),
                (Input::Skipped, _) => {}
            }
            Ok(())
        })
    });
    progress.clear();
    stdout_written(stdout.flush(), outcome)
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
