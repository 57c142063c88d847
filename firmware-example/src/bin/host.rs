//! The firmware's work on a PC: packs FILE as the firmware would, with a thread for the interrupt, prints what it prints,
//! then verifies the pack and restores it.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use chunkmill_core::IdKey;
use chunkmill_core::drive::{restore, verify};
use chunkmill_core::pack::CompressTable;
use chunkmill_firmware::dma::{Channel, HALF};
use chunkmill_firmware::memory::{KEY, Memory, RING, chunker};
use chunkmill_firmware::pack::Packing;
use chunkmill_firmware::restored::Restored;
use embedded_io_adapters::std::FromStd;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(file), Some(out), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("usage: host FILE OUT.cmill");
        return ExitCode::from(2);
    };
    match run(&file, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("host: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let key = IdKey::from_bytes(KEY);
    let mut memory = Memory::new();
    let input = File::open(file).map_err(|error| named(file, &error))?;
    let device = File::create(out).map_err(|error| named(out, &error))?;
    let done = packed(&mut memory, &key, input, device)?;
    println!(
        "packed {} bytes, {} chunks, {} known, {} stored",
        done.bytes, done.chunks, done.references, done.stored_bytes
    );

    let (reader, _) = memory.reader(&key);
    let verified = verify(&mut FromStd::new(File::open(out)?), reader)?;
    println!("verified {} bytes, {} chunks", verified.bytes, verified.chunks);

    let mut path = out.as_os_str().to_owned();
    path.push(".restored");
    let path = PathBuf::from(path);
    let mut output = FromStd::new(File::create(&path)?);
    let (reader, places) = memory.reader(&key);
    let mut source = Restored::new(FromStd::new(File::open(&path)?), places);
    restore(&mut FromStd::new(File::open(out)?), reader, &mut source, &mut output)?;
    let same = fs::read(file)? == fs::read(&path)?;
    fs::remove_file(&path)?;
    if !same {
        return Err(format!("what was restored is not {}", file.display()).into());
    }
    println!("restored the same bytes");
    Ok(())
}

fn packed(
    memory: &mut Memory,
    key: &IdKey,
    input: File,
    device: File,
) -> Result<chunkmill_core::drive::Summary, Box<dyn Error>> {
    let mut stream_id = [0; 16];
    io::Read::read_exact(&mut File::open("/dev/urandom")?, &mut stream_id)?;
    let mut ring = [0; RING];
    let mut chunker = chunker(&mut ring, key)?;
    let mut halves = [[0; HALF]; 2];
    let mut channel = Channel::new();
    let (mut transfer, mut reader) = channel.split(&mut halves, FromStd::new(input), thread::yield_now);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !transfer.ended() && !stop.load(Ordering::Relaxed) {
                transfer.fill_half();
                thread::yield_now();
            }
        });
        let packing = Packing { chunker: &mut chunker, key, table: &mut CompressTable::large(), memory };
        let done = packing.pack(stream_id, &mut reader, FromStd::new(device), |chunk, stored| {
            let how = if stored.is_some() { "stored" } else { "known" };
            println!("chunk {} {} {} {how}", chunk.offset, chunk.len, chunk.id);
        });
        stop.store(true, Ordering::Relaxed);
        Ok(done?)
    })
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
