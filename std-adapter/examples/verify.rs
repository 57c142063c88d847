//! Packs checked to their trailers, as an agent would do it at night.
//!
//! ```sh
//! cargo run --release --example verify -- KEYFILE PACK...
//! ```
//!
//! Prints a line for each pack. Exit codes: 0 all are good, 1 one is damaged, cut off, or of another key, 2 usage, 3 one could
//! not be read.

use std::env;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use chunkmill::core::drive::RestoreError;
use chunkmill::core::pack::PackErrorKind;
use chunkmill::key::read_key_file;
use chunkmill::pack::{ReadSetup, verify};
use chunkmill::{Gate, Pool, enter_background};

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("verify: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<u8, Box<dyn core::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let key = arguments.next().ok_or("usage: verify KEYFILE PACK...")?;
    let key = read_key_file(Path::new(&key))?;
    // Before the threads begin: each takes over what the one that starts it is.
    enter_background()?;
    let setup = ReadSetup { key: &key, memory: 64 << 20, waits: false, gate: Gate::default() };
    Ok(Pool::scope(Pool::default_threads(), |pool| {
        arguments.map(|path| check(pool, &setup, Path::new(&path))).max().unwrap_or(0)
    }))
}

fn check(pool: &Pool<'_, '_>, setup: &ReadSetup<'_>, path: &Path) -> u8 {
    let name = path.display();
    let pack = match File::open(path) {
        Ok(pack) => pack,
        Err(error) => {
            println!("{name}: {error}");
            return 3;
        }
    };
    match verify(pool, pack, setup) {
        Ok(whole) if whole.more_follows => {
            println!("{name}: good, but bytes follow that are not part of it");
            1
        }
        Ok(whole) => {
            println!("{name}: good, {} bytes in {} chunks", whole.summary.bytes, whole.summary.chunks);
            0
        }
        Err(stopped) => match &stopped.error {
            RestoreError::Pack(error) if error.kind == PackErrorKind::WrongKey => {
                println!("{name}: of another key");
                1
            }
            RestoreError::Pack(error) => {
                println!("{name}: {error}; {} chunks before are good", stopped.summary.chunks);
                1
            }
            error => {
                println!("{name}: {error}");
                3
            }
        },
    }
}
