use core::convert::Infallible;
use std::io::{self, BufWriter, Write};

use chunkmill::core::Chunk;
use chunkmill::core::drive::RestoreError;
use chunkmill::core::pack::Totals;
use chunkmill::pack::{Listed, ReadSetup, list};
use chunkmill::{Gate, Pool, Stream};
use serde::Serialize;

use super::{ended, failed, open};
use crate::args::{ListFormat, LsArgs};
use crate::console;
use crate::failure::{Failure, Outcome, stdout_failed, stdout_written};
use crate::names::printable;

/// For records that are being checked.
const MEMORY: usize = 64 << 20;

#[derive(Serialize)]
struct Record {
    offset: u64,
    length: u32,
    stored: u32,
    kind: &'static str,
    id: String,
}

#[derive(Serialize)]
struct LastLine {
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    records: u64,
    references: u64,
    bytes: u64,
}

/// Why a listing stopped.
enum Stopped {
    Output(io::Error),
    Pack(RestoreError<io::Error, Infallible, Infallible>),
}

impl From<RestoreError<io::Error, Infallible, Infallible>> for Stopped {
    fn from(error: RestoreError<io::Error, Infallible, Infallible>) -> Self {
        Self::Pack(error)
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

pub(crate) fn run(args: &LsArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(core::slice::from_ref(&args.input))?;
    let key = args.key.read()?;
    let (source, _) = open(&args.input, true)?;
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout());
    let waits = source.waits();
    let setup = ReadSetup { key: &key, memory: MEMORY, waits, gate: Gate::default() };
    let visit = |listed| {
        let written = match listed {
            Listed::Record(chunk, stored) => write_record(&mut out, args.format, &chunk, stored),
            Listed::End(totals) => write_totals(&mut out, args.format, totals),
            _ => Ok(()),
        };
        match written {
            Err(error) if waits => stdout_failed(&error, Outcome::Done),
            written => Ok(written?),
        }
    };
    let listed = Pool::scope(Pool::default_threads(), |pool| list(pool, source, &setup, visit));
    // What was good stands before what is said of the rest.
    let flushed = out.flush();
    match listed {
        Ok(whole) => stdout_written(flushed, ended(&args.input, &whole)),
        Err(Stopped::Output(error)) => Err(Failure::stdout(&error)),
        Err(Stopped::Pack(RestoreError::Pack(error))) => {
            console::say(&format!("{}: {error}", printable(&args.input)));
            Ok(Outcome::DataWrong)
        }
        Err(Stopped::Pack(error)) => Err(failed(&args.input, &error)),
    }
}

fn write_record(out: &mut impl Write, format: ListFormat, chunk: &Chunk, stored: u32) -> io::Result<()> {
    let kind = match stored {
        0 => "ref",
        _ if stored == chunk.len => "raw",
        _ => "lz4",
    };
    let id = chunk.id.to_string();
    match format {
        ListFormat::Human => writeln!(out, "{:>14} {:>9} {stored:>9} {kind} {id}", chunk.offset, chunk.len),
        ListFormat::Jsonl => {
            let record = Record { offset: chunk.offset, length: chunk.len, stored, kind, id };
            serde_json::to_writer(&mut *out, &record)?;
            out.write_all(b"\n")
        }
    }
}

fn write_totals(out: &mut impl Write, format: ListFormat, totals: Totals) -> io::Result<()> {
    let Totals { records, references, bytes } = totals;
    match format {
        ListFormat::Human => writeln!(out, "{records} records, {references} of them references, {bytes} bytes"),
        ListFormat::Jsonl => {
            serde_json::to_writer(&mut *out, &LastLine { summary: Summary { records, references, bytes } })?;
            out.write_all(b"\n")
        }
    }
}
