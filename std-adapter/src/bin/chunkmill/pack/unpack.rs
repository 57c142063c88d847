use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use chunkmill::core::drive::{RestoreError, Stopped, WriteError};
use chunkmill::pack::{Earlier, ReadSetup, unpack};
use chunkmill::usage::Stopwatch;
use chunkmill::{Pool, SparseWriter, Stream};

use super::{AtOnce, Report, ended, failed, give_up, open, write_failed};
use crate::args::UnpackArgs;
use crate::console;
use crate::failure::{Failure, Outcome, stdout_written};
use crate::inputs::Counted;
use crate::names::{is_dash, printable};
use crate::output::{Output, PLAIN};
use crate::signals::survive_size_limits;

pub(crate) fn run(args: &UnpackArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(core::slice::from_ref(&args.input))?;
    let to_stdout = is_dash(&args.output);
    if args.sparse && to_stdout {
        return Err(Failure::Usage("--sparse needs a file to leave holes in, not standard output".to_owned()));
    }
    let key = args.key.read()?;
    let work = args.work.begin()?;
    let watch = Stopwatch::start();
    let (mut source, progress) = open(&args.input, args.work.quiet)?;
    let waits = source.waits();
    let setup = ReadSetup { key: &key, memory: work.memory, waits, gate: work.gate };
    let mut output = None;
    let run = |source: &mut Counted, earlier: &mut Earlier, out: &mut (dyn Write + Send)| {
        Pool::scope(work.threads, |pool| unpack(pool, work.paced(source), earlier, out, &setup))
    };
    let unpacked = if to_stdout {
        survive_size_limits()?;
        let stdout = io::stdout().as_fd().try_clone_to_owned().map_err(|error| Failure::stdout(&error))?;
        let again = source.to_read_again().map_err(|error| Failure::io("cannot read", &args.input, &error))?;
        let mut earlier = again.map_or_else(Earlier::nowhere, |(file, start)| Earlier::in_pack(file, start));
        let end = |error: &io::Error| Failure::stdout(error).report();
        run(&mut source, &mut earlier, &mut AtOnce { out: File::from(stdout), waits, end: &end })
    } else {
        let file = output.insert(Output::new(&args.output, PLAIN, args.force)?);
        let again = || file.again().map_err(|error| write_failed(&args.output, &error));
        let (restored, mut earlier) = (again()?, Earlier::in_restored(again()?));
        let end = give_up(file, &args.output, &progress);
        if args.sparse {
            run(&mut source, &mut earlier, &mut AtOnce { out: SparseWriter::new(&restored), waits, end: &end })
        } else {
            run(&mut source, &mut earlier, &mut AtOnce { out: file, waits, end: &end })
        }
    };
    progress.clear();
    let (summary, result) = match unpacked {
        Ok(whole) => (whole.summary, Ok(ended(&args.input, &whole))),
        Err(Stopped { summary, error }) => {
            let result = stopped(args, summary.bytes, error);
            if !args.partial || summary.bytes == 0 || matches!(result, Err(Failure::Gone)) {
                return result;
            }
            (summary, result)
        }
    };
    if let Some(output) = output {
        output.finish()?;
    }
    let outcome = result?;
    let used = watch.read();
    let report = Report::new(&summary, summary.stored_bytes, used, work.threads);
    if to_stdout {
        let _ = report.write(&mut io::stderr(), args.format, used);
        return Ok(outcome);
    }
    stdout_written(report.write(&mut io::stdout(), args.format, used), outcome)
}

/// Says why a pack was not restored to its end, and what becomes of the start.
fn stopped(
    args: &UnpackArgs,
    bytes: u64,
    error: RestoreError<io::Error, io::Error, io::Error>,
) -> Result<Outcome, Failure> {
    let input = printable(&args.input);
    let kept = match bytes {
        0 => "nothing was verified before".to_owned(),
        _ if is_dash(&args.output) || args.partial => format!("what was verified before, {bytes} bytes, is written"),
        _ => format!("what was verified before, {bytes} bytes, is not kept without --partial"),
    };
    match error {
        RestoreError::Pack(error) => {
            console::say(&format!("{input}: {error}; {kept}"));
            Ok(Outcome::DataWrong)
        }
        RestoreError::Write(WriteError::Failed { source, .. }) => Err(write_failed(&args.output, &source)),
        RestoreError::Write(error) => Err(failed(&args.output, &error)),
        error => Err(Failure::Io(format!("{input}: {error}; {kept}"))),
    }
}
