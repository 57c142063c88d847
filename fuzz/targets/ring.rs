//! The ring: see the module of that name.

#![no_main]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| chunkmill_fuzz::ring::run(input));
