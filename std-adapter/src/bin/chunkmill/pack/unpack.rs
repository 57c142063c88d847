use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::AsFd;
use std::path::Path;

use chunkmill::core::IdKey;
use chunkmill::core::drive::{RestoreError, WriteError};
use chunkmill::pack::{Earlier, ReadSetup, UnpackError, Whole, unpack};
use chunkmill::usage::Stopwatch;
use chunkmill::{Pool, SparseWriter};

use super::{Report, failed, open, write_failed};
use crate::args::UnpackArgs;
use crate::args::Work;
use crate::console;
use crate::failure::{Failure, Outcome};
use crate::inputs::Counted;
use crate::names::{is_dash, printable};
use crate::output::{Output, PLAIN};

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
    let mut output = None;
    let unpacked = if to_stdout {
        let stdout = io::stdout().as_fd().try_clone_to_owned().map_err(|error| Failure::stdout(&error))?;
        let mut earlier = in_pack(&args.input).map_err(|error| Failure::io("cannot read", &args.input, &error))?;
        run_unpack(&work, &mut source, &mut earlier, File::from(stdout), &key)
    } else {
        let file = output.insert(Output::new(&args.output, PLAIN, args.force)?);
        file.vanishes_when_interrupted()?;
        let restored = file.again().map_err(|error| write_failed(&args.output, &error))?;
        let again = restored.try_clone().map_err(|error| write_failed(&args.output, &error))?;
        let mut earlier = Earlier::in_restored(again);
        if args.sparse {
            run_unpack(&work, &mut source, &mut earlier, SparseWriter::new(&restored), &key)
        } else {
            run_unpack(&work, &mut source, &mut earlier, file, &key)
        }
    };
    progress.clear();
    let (summary, outcome) = match unpacked {
        Ok(Whole { summary, more_follows }) => {
            if more_follows {
                let end = summary.stored_bytes;
                console::say(&format!("{}: bytes follow behind the pack's end at {end}", printable(&args.input)));
            }
            (summary, Outcome::Done)
        }
        Err(stopped) => {
            let kept = if to_stdout || args.partial { "is written" } else { "is not kept without --partial" };
            match stopped.error {
                RestoreError::Pack(error) => {
                    let (input, bytes) = (printable(&args.input), stopped.summary.bytes);
                    console::say(&format!("{input}: {error}; what was verified before, {bytes} bytes, {kept}"));
                }
                RestoreError::Write(WriteError::Failed { source, .. }) => {
                    return Err(write_failed(&args.output, &source));
                }
                RestoreError::Read(error) => return Err(failed(&args.input, &error)),
                error => return Err(failed(&args.output, &error)),
            }
            if !args.partial || stopped.summary.bytes == 0 {
                return Ok(Outcome::DataWrong);
            }
            (stopped.summary, Outcome::DataWrong)
        }
    };
    if let Some(output) = output {
        output.finish()?;
    }
    let used = watch.read();
    let report = Report::new(&summary, summary.stored_bytes, used, work.threads);
    if to_stdout {
        let _ = report.write(&mut io::stderr(), args.format, used);
    } else {
        report.write(&mut io::stdout(), args.format, used).map_err(|error| Failure::stdout(&error))?;
    }
    Ok(outcome)
}

fn run_unpack(
    work: &Work,
    source: &mut Counted,
    earlier: &mut Earlier,
    out: impl Write + Send,
    key: &IdKey,
) -> Result<Whole, UnpackError> {
    let setup = ReadSetup { key, memory: work.memory };
    Pool::scope(work.threads, |pool| unpack(pool, work.paced(source), earlier, out, &setup))
}

/// Where chunks can be read again while the stream goes to a pipe: in the pack, if that is a file. It need not begin at the
/// start of the one that standard input is.
fn in_pack(input: &Path) -> io::Result<Earlier> {
    let mut file =
        if is_dash(input) { File::from(io::stdin().as_fd().try_clone_to_owned()?) } else { File::open(input)? };
    if !file.metadata()?.is_file() {
        return Ok(Earlier::nowhere());
    }
    let start = file.stream_position()?;
    Ok(Earlier::in_pack(file, start))
}
