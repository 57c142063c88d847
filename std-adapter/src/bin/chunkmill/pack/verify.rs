use std::io;

use chunkmill::core::drive::RestoreError;
use chunkmill::pack::{ReadSetup, verify};
use chunkmill::usage::Stopwatch;
use chunkmill::{Pool, Stream};

use super::{Report, ended, failed, open};
use crate::args::VerifyArgs;
use crate::console;
use crate::failure::{Failure, Outcome, stdout_written};
use crate::names::printable;

pub(crate) fn run(args: &VerifyArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(core::slice::from_ref(&args.input))?;
    let key = args.key.read()?;
    let work = args.work.begin()?;
    let watch = Stopwatch::start();
    let (mut source, progress) = open(&args.input, args.work.quiet)?;
    let setup = ReadSetup { key: &key, memory: work.memory, waits: source.waits(), gate: work.gate };
    let verified = Pool::scope(work.threads, |pool| verify(pool, work.paced(&mut source), &setup));
    progress.clear();
    let whole = match verified {
        Ok(whole) => whole,
        Err(stopped) => {
            let RestoreError::Pack(error) = stopped.error else { return Err(failed(&args.input, &stopped.error)) };
            console::say(&format!("{}: {error}", printable(&args.input)));
            return Ok(Outcome::DataWrong);
        }
    };
    let outcome = ended(&args.input, &whole);
    let summary = whole.summary;
    let used = watch.read();
    let report = Report::new(&summary, summary.stored_bytes, used, work.threads);
    stdout_written(report.write(&mut io::stdout(), args.format, used), outcome)
}
