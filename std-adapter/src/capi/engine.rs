//! What chunks are made with.

use core::ffi::{CStr, c_char};
use std::sync::Arc;

use chunkmill_core::{ChunkParams, GearTable, IdKey};

use super::error::{Error, Failure, Status, guarded};
use super::key::Key;
use super::{hand_out, shared, take_back};
use crate::{Gate, Objective};

/// For `objective`: more threads where they save a good part of the time for a few percent more CPU time.
pub const BALANCED: u32 = 0;
/// For `objective`: the smallest CPU bill, so no more than one thread.
pub const CPU: u32 = 1;
/// For `objective`: the shortest time.
pub const WALL: u32 = 2;

/// For `gear`: the published gear table, with the seed mixed in if that is not 0.
pub const GEAR_PUBLISHED: u32 = 0;
/// For `gear`: a table made of the key. It hides cut points from those who see chunk sizes and nothing else.
pub const GEAR_KEYED: u32 = 1;

/// What chunks and packs are made with. Begin with chunkmill_options_default().
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Options {
    /// Least chunk length in bytes: even, 64 to 1048576. Only the last chunk of a stream may be shorter.
    pub min: u32,
    /// Average chunk length: even, 256 to 4194304.
    pub avg: u32,
    /// Greatest chunk length: even, 1024 to 16777216.
    pub max: u32,
    /// Normalization level, 0 to 3.
    pub level: u32,
    /// Moves cut points; no secret. 0 for cut points that all users share.
    pub seed: u64,
    /// CHUNKMILL_GEAR_PUBLISHED or CHUNKMILL_GEAR_KEYED, the latter without a seed.
    pub gear: u32,
    /// CHUNKMILL_BALANCED, CHUNKMILL_CPU or CHUNKMILL_WALL.
    pub objective: u32,
    /// Bytes of a slice, or of a stream, from which on more than one thread works; UINT64_MAX for never, 0 for what belongs to the
    /// objective.
    pub threshold: u64,
    /// Most bytes of memory for buffers of chunkmill_scan, chunkmill_pack and those that read packs. One buffer there is, whatever
    /// stands here.
    pub memory: u64,
    /// Whether chunkmill_pack compresses.
    pub compress: bool,
}

/// Sizes, gear table and key. Nothing in it changes: any number of threads may use it at once.
#[derive(Debug)]
pub struct Engine(pub(super) Arc<Parts>);

#[derive(Debug)]
pub(super) struct Parts {
    pub(super) params: ChunkParams,
    gear: Gear,
    pub(super) key: IdKey,
    pub(super) gate: Gate,
    pub(super) memory: usize,
    pub(super) compress: bool,
}

#[derive(Debug)]
enum Gear {
    Own(Box<GearTable>),
    Published,
}

impl Parts {
    fn new(options: &Options, key: &IdKey) -> Result<Self, Failure> {
        let Options { min, avg, max, level, seed, gear, objective, threshold, memory, compress } = *options;
        let level = u8::try_from(level).unwrap_or(u8::MAX);
        let params = ChunkParams::new(min, avg, max, level).map_err(|error| Failure::argument(error.to_string()))?;
        let gear = match (gear, seed) {
            (GEAR_PUBLISHED, 0) => Gear::Published,
            (GEAR_PUBLISHED, seed) => Gear::Own(Box::new(GearTable::seeded(seed))),
            (GEAR_KEYED, 0) => Gear::Own(Box::new(GearTable::keyed(key, &params))),
            (GEAR_KEYED, _) => return Err(Failure::argument("a keyed gear table has no seed".to_owned())),
            _ => return Err(Failure::argument(format!("there is no gear table {gear}"))),
        };
        let gate = Gate::new(match objective {
            BALANCED => Objective::Balanced,
            CPU => Objective::Cpu,
            WALL => Objective::Wall,
            _ => return Err(Failure::argument(format!("there is no objective {objective}"))),
        });
        let gate = if threshold == 0 { gate } else { gate.with_threshold(threshold) };
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        Ok(Self { params, gear, key: key.clone(), gate, memory, compress })
    }

    pub(super) fn gear(&self) -> &GearTable {
        match &self.gear {
            Gear::Own(table) => table,
            Gear::Published => GearTable::published(),
        }
    }
}

/// The version of the library, as "0.1.0". It belongs to the library.
#[unsafe(no_mangle)]
pub extern "C" fn chunkmill_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

/// The options of the chunkmill program: 512 KiB, 2 MiB, 8 MiB, level 1, balanced, 64 MiB of memory, compressed.
#[unsafe(no_mangle)]
pub extern "C" fn chunkmill_options_default() -> Options {
    let params = ChunkParams::DEFAULT;
    Options {
        min: params.min(),
        avg: params.avg(),
        max: params.max(),
        level: params.level().into(),
        seed: 0,
        gear: GEAR_PUBLISHED,
        objective: BALANCED,
        threshold: 0,
        memory: 64 << 20,
        compress: true,
    }
}

/// Makes an engine; options and key are copied. Options of NULL are the default ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_engine_new(
    options: *const Options,
    key: *const Key,
    engine: *mut *mut Engine,
    error: *mut Error,
) -> Status {
    let make = || {
        // SAFETY: the caller's word, see the module.
        let (options, key) = unsafe { (options.as_ref(), shared(key, "key")?) };
        let options = options.copied().unwrap_or_else(|| chunkmill_options_default());
        Ok(Engine(Arc::new(Parts::new(&options, &key.0)?)))
    };
    // SAFETY: the caller's word, see the module.
    unsafe { guarded(error, || hand_out(engine, make)) }
}

/// Frees an engine. Chunkers that were made with it live on. NULL is taken, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chunkmill_engine_free(engine: *mut Engine) {
    // SAFETY: the caller's word, see the module.
    unsafe { take_back(engine) };
}
