//! A backup agent with a store of its own: the engine is chunkmill's, the index a redb database, the chunks one file.
//!
//! ```sh
//! cargo run --release --example agent -- backup STORE KEYFILE FOLDER
//! cargo run --release --example agent -- restore STORE KEYFILE FOLDER
//! ```
//!
//! `backup` reads all files below the folder and stores the chunks that are new. A line "saved PATH" acknowledges a file: from then on
//! it can be restored, whatever happens. `restore` writes all files, each chunk checked, below another folder, which must be empty
//! or new. Exit codes: 0 done, 1 some file could not be read, 2 usage, 3 anything else.
//!
//! What it leaves to real agents: owners and times of files, more than one version, forgetting, and compression (see packs).

#![allow(clippy::arithmetic_side_effects, reason = "counts of bytes do not come near 2^64")]

mod store;

use core::cell::RefCell;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use chunkmill::core::drive::{IngestError, ReadError, ingest};
use chunkmill::core::{ChunkParams, GearTable, RetainingChunker};
use chunkmill::key::read_key_file;
use chunkmill::{Entry, Source, walk};
use embedded_io_adapters::std::FromStd;
use store::{Index, Sink, Store};

type Error = Box<dyn core::error::Error>;

/// So many files, or bytes of chunks, wait for one commit: it waits for the disk, twice.
const FILES_WAITING: usize = 256;
const BYTES_WAITING: u64 = 64 << 20;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [command, store, key, folder] = &arguments[..] else {
        eprintln!("usage: agent backup|restore STORE KEYFILE FOLDER");
        return ExitCode::from(2);
    };
    let done = match command.to_str() {
        Some("backup") => backup(store, key, folder),
        Some("restore") => restore(store, key, folder).map(|()| true),
        _ => Err("there is no such command: backup or restore".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("agent: {error}");
            ExitCode::from(3)
        }
    }
}

/// Whether all files could be read.
fn backup(store: &Path, key: &Path, folder: &Path) -> Result<bool, Error> {
    let key = read_key_file(key)?;
    let store = RefCell::new(Store::open(store)?);
    let params = ChunkParams::new(16 << 10, 64 << 10, 256 << 10, 1)?;
    let mut memory = vec![0; RetainingChunker::memory_needed(&params) + (256 << 10)];
    let mut chunker = RetainingChunker::new(params, GearTable::published(), &key, &mut memory)?;
    let (mut all_read, mut read, mut stored, mut waiting) = (true, 0, 0, 0);
    for entry in walk(folder) {
        let path = match entry {
            Ok(Entry::File(path)) => path,
            Ok(_) => continue,
            Err(error) => {
                eprintln!("agent: {}: {error}", error.path.display());
                all_read = false;
                continue;
            }
        };
        let source = match Source::open_regular(&path) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("agent: {}: {error}", path.display());
                all_read = false;
                continue;
            }
        };
        let mut reader = FromStd::new(source);
        let summary = match ingest(&mut reader, &mut chunker, &mut Index(&store), &mut Sink(&store)) {
            Ok(summary) => {
                store.borrow_mut().end_file(path.strip_prefix(folder)?.as_os_str().as_bytes());
                if let Err(changed) = reader.inner().check()? {
                    eprintln!("agent: {}: {changed}", path.display());
                    all_read = false;
                }
                summary
            }
            // The file could not be read to its end: the others can.
            Err(stopped) if matches!(stopped.error, IngestError::Read(ReadError::Failed { .. })) => {
                eprintln!("agent: {}: {}", path.display(), stopped.error);
                store.borrow_mut().give_up_file();
                all_read = false;
                stopped.summary
            }
            Err(stopped) => return Err(stopped.into()),
        };
        read += summary.bytes;
        stored += summary.stored_bytes;
        waiting += summary.stored_bytes;
        if waiting >= BYTES_WAITING || store.borrow().files_waiting() >= FILES_WAITING {
            acknowledge(&store)?;
            waiting = 0;
        }
    }
    acknowledge(&store)?;
    eprintln!("read {read} bytes, stored {stored}");
    Ok(all_read)
}

fn acknowledge(store: &RefCell<Store>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    for path in store.borrow_mut().commit()? {
        out.write_all(b"saved ")?;
        out.write_all(&path)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

fn restore(store: &Path, key: &Path, folder: &Path) -> Result<(), Error> {
    let key = read_key_file(key)?;
    fs::create_dir_all(folder)?;
    let files = Store::open(store)?.restore(&key, |path| {
        let path = PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()));
        // A store that was tampered with writes nowhere else.
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::other(format!("{}: not a path below a folder", path.display())));
        }
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(Box::new(BufWriter::new(File::create_new(path)?)))
    })?;
    eprintln!("restored {files} files");
    Ok(())
}
