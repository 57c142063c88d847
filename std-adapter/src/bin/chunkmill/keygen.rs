//! `chunkmill keygen`

use std::io::{self, IsTerminal, Write};

use zeroize::Zeroizing;

use crate::args::KeygenArgs;
use crate::failure::{Failure, Outcome};
use crate::names::is_dash;
use crate::output::{Output, SECRET, already_there};

pub(crate) fn run(args: &KeygenArgs) -> Result<Outcome, Failure> {
    let mut key = Zeroizing::new([0; 32]);
    getrandom::fill(key.as_mut()).map_err(|error| Failure::Io(format!("the system gives no random bytes: {error}")))?;
    if is_dash(&args.output) {
        let mut stdout = io::stdout();
        if stdout.is_terminal() {
            return Err(Failure::Usage("a key is raw bytes: not written to a terminal".to_owned()));
        }
        stdout.write_all(key.as_ref()).and_then(|()| stdout.flush()).map_err(|error| Failure::stdout(&error))?;
        return Ok(Outcome::Done);
    }
    if args.output.symlink_metadata().is_ok() {
        return Err(Failure::Usage(already_there(&args.output)));
    }
    let mut output = Output::create(&args.output, SECRET)?;
    output.write_all(key.as_ref()).map_err(|error| Failure::io("cannot write", &args.output, &error))?;
    output.create_new()?;
    Ok(Outcome::Done)
}
