//! What a backup agent on a microcontroller does, without a heap and without knowing its board: takes a block device's bytes
//! as DMA brings them in, cuts and ids them, packs what is new, and restores such packs.
//!
//! Two programs run it: `firmware` on a Cortex-M4, `host` on a PC.

#![no_std]
#![forbid(unsafe_code)]

pub mod dma;
pub mod memory;
pub mod pack;
pub mod restored;
