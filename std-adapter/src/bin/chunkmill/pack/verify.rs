use std::io;

use chunkmill::Pool;
use chunkmill::core::drive::RestoreError;
use chunkmill::pack::{ReadSetup, Whole, verify};
use chunkmill::usage::Stopwatch;

use super::{Report, failed, open};
use crate::args::VerifyArgs;
use crate::console;
use crate::failure::{Failure, Outcome};
use crate::names::printable;

pub(crate) fn run(args: &VerifyArgs) -> Result<Outcome, Failure> {
    args.key.leaves_stdin_to(core::slice::from_ref(&args.input))?;
    let key = args.key.read()?;
    let work = args.work.begin()?;
    let watch = Stopwatch::start();
    let (mut source, progress) = open(&args.input, args.work.quiet)?;
    let setup = ReadSetup { key: &key, memory: work.memory };
    let verified = Pool::scope(work.threads, |pool| verify(pool, work.paced(&mut source), &setup));
    progress.clear();
    let name = printable(&args.input);
    let Whole { summary, more_follows } = match verified {
        Ok(whole) => whole,
        Err(stopped) => {
            let RestoreError::Pack(error) = stopped.error else { return Err(failed(&args.input, &stopped.error)) };
            console::say(&format!("{name}: {error}"));
            return Ok(Outcome::DataWrong);
        }
    };
    let used = watch.read();
    Report::new(&summary, summary.stored_bytes, used, work.threads)
        .write(&mut io::stdout(), args.format, used)
        .map_err(|error| Failure::stdout(&error))?;
    if more_follows {
        let end = summary.stored_bytes;
        console::say(&format!("{name}: expected the end behind the trailer, at {end}, found more bytes"));
        return Ok(Outcome::DataWrong);
    }
    Ok(Outcome::Done)
}
