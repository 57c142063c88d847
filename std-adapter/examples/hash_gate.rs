//! Files hashed whole, on more than one thread from the size on where that pays.
//!
//! ```sh
//! cargo run --release --example hash_gate -- KEYFILE FILE...
//! ```
//!
//! Prints what `chunkmill hash --key-file KEYFILE FILE...` prints, and on stderr how each file was split. `CHUNKMILL_MT_THRESHOLD`
//! sets the size in KiB. This is for slices that are in memory already: files of any size, without reading them whole, are for
//! `chunkmill::StreamHasher`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use chunkmill::key::read_key_file;
use chunkmill::{Gate, Objective, Pool, Split, hash_slice};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("hash_gate: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn core::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let key = arguments.next().ok_or("usage: hash_gate KEYFILE FILE...")?;
    let key = read_key_file(Path::new(&key))?;
    // Once, not for each slice: reading the environment takes as long as hashing a KiB.
    let gate = Gate::from_environment(Objective::Balanced)?;
    // One pool for all files: its threads are started at the first that is large enough, and sleep between two.
    Ok(Pool::scope(Pool::default_threads(), |pool| {
        let mut code = ExitCode::SUCCESS;
        for path in arguments {
            let path = Path::new(&path);
            match fs::read(path) {
                Ok(bytes) => {
                    match gate.split(bytes.len(), pool.threads()) {
                        Split::Whole => eprintln!("{}: by this thread", path.display()),
                        Split::Pieces { len, helpers } => {
                            eprintln!("{}: in pieces of {} KiB, {helpers} helpers", path.display(), len / 1024);
                        }
                    }
                    println!("{}  {}", hash_slice(pool, gate, &key, &bytes), path.display());
                }
                Err(error) => {
                    eprintln!("hash_gate: {}: {error}", path.display());
                    code = ExitCode::from(1);
                }
            }
        }
        code
    }))
}
