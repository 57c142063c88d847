//! The firmware: packs a file as if it came from a block device by DMA, restores it, verifies and restores packs, checks
//! golden vectors, and runs the loops that are measured. What to do and with which of the PC's files it takes from the
//! semihosting command line, and it tells by defmt and its exit code: 0 done, 1 the data is wrong, 2 usage, 3 a device failed,
//! 4 a fault.

#![no_std]
#![no_main]

use chunkmill_core::drive::{RestoreError, Summary, restore, verify};
use chunkmill_core::pack::CompressTable;
use chunkmill_core::{ChunkId, IdKey, RetainingChunker};
use chunkmill_firmware::dma::{Channel, HALF, Half};
use chunkmill_firmware::memory::{self, KEY, Memory, RING};
use chunkmill_firmware::pack::Packing;
use chunkmill_firmware::restored::Restored;
use cortex_m::asm::wfi;
use cortex_m_rt::entry;
use defmt_semihosting as _;
use embedded_io::Read;
use semihosting::experimental::env::{Args, args};
use semihosting::process::exit;
use static_cell::{ConstStaticCell, StaticCell};

use crate::device::{DeviceError, File};
use crate::failure::Failure;

mod device;
mod failure;
mod faults;
mod interrupt;
mod lines;
mod measure;
mod stack;
mod vectors;

static RING_MEMORY: ConstStaticCell<[u8; RING]> = ConstStaticCell::new([0; RING]);
static CHUNKER: StaticCell<RetainingChunker<'static, 'static>> = StaticCell::new();
static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory::new());
// Made when it is needed: it is not all zeros, so a table made here would lie in flash, too.
static TABLE: StaticCell<CompressTable> = StaticCell::new();
static HALVES: ConstStaticCell<[Half; 2]> = ConstStaticCell::new([[0; HALF]; 2]);
static CHANNEL: ConstStaticCell<Channel<'static, DeviceError>> = ConstStaticCell::new(Channel::new());

/// The command line.
type Words = Args<256>;
static WORDS: StaticCell<Words> = StaticCell::new();

#[entry]
fn main() -> ! {
    let code = match run() {
        Ok(()) => 0,
        Err(failure) => {
            defmt::error!("{}", failure);
            failure.code()
        }
    };
    defmt::info!("stack {=usize} of {=usize} bytes", stack::used(), stack::size());
    exit(code)
}

fn run() -> Result<(), Failure> {
    let mut words = words()?.filter_map(Result::ok);
    // The first is the program's name.
    let _ = words.next();
    let mut word = || words.next().ok_or(Failure::Usage);
    let memory = MEMORY.take();
    let key = IdKey::from_bytes(KEY);
    match word()? {
        "pack" => {
            let (input, pack, output) = (word()?, word()?, word()?);
            packed(memory, &key, input, pack)?;
            verified(memory, &key, pack)?;
            restored(memory, &key, pack, output)?;
            same(input, output)
        }
        "verify" => verified(memory, &key, word()?),
        "restore" => restored(memory, &key, word()?, word()?),
        "vectors" => vectors::check(memory, word()?),
        "measure" => measure::run(memory, table(), word()?, word()?),
        _ => Err(Failure::Usage),
    }
}

fn packed(memory: &mut Memory, key: &IdKey, input: &str, output: &str) -> Result<(), Failure> {
    let (device, out) = (File::open(input)?, File::create(output)?);
    // In the place of a generator of random numbers.
    let mut stream_id = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut stream_id).map_err(|_| Failure::Random)?;
    let (transfer, mut reader) = CHANNEL.take().split(HALVES.take(), device, wfi);
    interrupt::start(transfer)?;
    let chunker = chunker(key)?;
    let packing = Packing { chunker, key, table: table(), memory };
    let packed = packing.pack(stream_id, &mut reader, out, |chunk, stored| {
        let [a, b, c, d] = quarters(&chunk.id);
        defmt::info!(
            "chunk {=u64} {=u32} {=u64:016x}{=u64:016x}{=u64:016x}{=u64:016x} {=str}",
            chunk.offset,
            chunk.len,
            a,
            b,
            c,
            d,
            if stored.is_some() { "stored" } else { "known" }
        );
    });
    interrupt::stop();
    tell("packed", &packed?);
    Ok(())
}

/// In functions of their own, so that the stack is free again of what is moved to its place.
#[inline(never)]
fn chunker(key: &IdKey) -> Result<&'static mut RetainingChunker<'static, 'static>, Failure> {
    Ok(CHUNKER.init(memory::chunker(RING_MEMORY.take(), key).map_err(Failure::Ring)?))
}

#[inline(never)]
fn words() -> Result<&'static Words, Failure> {
    Ok(WORDS.init(args().map_err(|error| Failure::Device(error.into()))?))
}

#[inline(never)]
fn table() -> &'static mut CompressTable {
    TABLE.init_with(CompressTable::large)
}

/// An id as numbers whose hex digits are its own, one behind the other.
fn quarters(id: &ChunkId) -> [u64; 4] {
    let (quarters, _) = id.as_bytes().as_chunks();
    core::array::from_fn(|index| quarters.get(index).copied().map_or(0, u64::from_be_bytes))
}

fn verified(memory: &mut Memory, key: &IdKey, pack: &str) -> Result<(), Failure> {
    let (reader, _) = memory.reader(key);
    let done = verify(&mut File::open(pack)?, reader).map_err(|stopped| match stopped.error {
        RestoreError::Pack(error) => Failure::Pack(error),
        RestoreError::Read(error) => Failure::Reading(error),
        _ => Failure::Usage,
    })?;
    tell("verified", &done);
    Ok(())
}

fn restored(memory: &mut Memory, key: &IdKey, pack: &str, output: &str) -> Result<(), Failure> {
    let mut out = File::create(output)?;
    let (reader, places) = memory.reader(key);
    let mut source = Restored::new(File::open(output)?, places);
    let done = restore(&mut File::open(pack)?, reader, &mut source, &mut out)?;
    tell("restored", &done);
    Ok(())
}

fn tell(what: &str, done: &Summary) {
    defmt::info!(
        "{=str} {=u64} bytes, {=u64} chunks, {=u64} known, {=u64} stored",
        what,
        done.bytes,
        done.chunks,
        done.references,
        done.stored_bytes
    );
}

/// Compares two files to their ends.
fn same(one: &str, other: &str) -> Result<(), Failure> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = ([0; 256], [0; 256]);
    let mut at = 0u64;
    loop {
        let len = one.read(&mut left)?;
        let found = other.read(&mut right)?;
        if left.get(..len) != right.get(..found) {
            return Err(Failure::Differs { at });
        }
        if len == 0 {
            return Ok(());
        }
        at = at.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
    }
}
