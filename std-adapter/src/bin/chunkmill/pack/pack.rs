use std::io;

use chunkmill::core::drive::{IngestError, WriteError};
use chunkmill::pack::{PackSetup, pack};
use chunkmill::usage::Stopwatch;
use chunkmill::{Pool, Stream};

use super::{AtOnce, Report, failed, give_up, open, write_failed};
use crate::args::{Compress, PackArgs};
use crate::console;
use crate::failure::{Failure, Outcome, stdout_written};
use crate::names::{is_dash, printable};
use crate::output::{Output, PLAIN};

pub(crate) fn run(args: &PackArgs) -> Result<Outcome, Failure> {
    let params = args.chunking.params()?;
    args.key.leaves_stdin_to(core::slice::from_ref(&args.input))?;
    if is_dash(&args.output) {
        return Err(Failure::Usage("a pack goes to a file: it appears only when it is whole".to_owned()));
    }
    let key = args.key.read_for_pack(args.chunking.keyed_gear)?;
    let gear = args.chunking.gear(&key, &params);
    let mut stream_id = [0; 16];
    getrandom::fill(&mut stream_id)
        .map_err(|error| Failure::Io(format!("the system gives no random bytes: {error}")))?;
    let work = args.work.begin()?;
    let watch = Stopwatch::start();
    let (mut source, progress) = open(&args.input, args.work.quiet)?;
    let mut output = Output::new(&args.output, PLAIN, args.force)?;

    let compressed = args.compression == Compress::Lz4;
    let setup =
        PackSetup { params, gear: &gear, key: &key, stream_id, compressed, memory: work.memory, gate: work.gate };
    let waits = source.waits();
    let end = give_up(&output, &args.output, &progress);
    let out = AtOnce { out: &mut output, waits, end: &end };
    let packed = Pool::scope(work.threads, |pool| pack(pool, work.paced(&mut source), out, &setup));
    progress.clear();
    let summary = packed.map_err(|stopped| match stopped.error {
        IngestError::Read(error) => failed(&args.input, &error),
        IngestError::Sink(WriteError::Failed { source, .. }) => write_failed(&args.output, &source),
        error => failed(&args.output, &io::Error::other(error)),
    })?;
    let pack_bytes = output.finish()?;

    let used = watch.read();
    let mut outcome = Outcome::Done;
    if let Err(changed) = source.check() {
        console::say(&format!("{}: {changed}; the pack has what was read", printable(&args.input)));
        outcome = Outcome::DataWrong;
    }
    let report = Report::new(&summary, pack_bytes, used, work.threads);
    stdout_written(report.write(&mut io::stdout(), args.format, used), outcome)
}
