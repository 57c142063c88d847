//! The `chunkmill` program: a thin layer over the library of the same name.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "a test that overflows fails, as it should"))]

mod args;
mod bench;
mod calibrate;
mod console;
mod failure;
mod hash;
mod inputs;
mod keygen;
mod names;
mod output;
mod pack;
#[cfg(test)]
mod pages;
mod scan;
mod signals;
mod sizes;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Bench(args) => bench::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Hash(args) => hash::run(&args),
        Command::Keygen(args) => keygen::run(&args),
        Command::Ls(args) => pack::ls::run(&args),
        Command::Pack(args) => pack::pack::run(&args),
        Command::Scan(args) => scan::run(&args),
        Command::Unpack(args) => pack::unpack::run(&args),
        Command::Verify(args) => pack::verify::run(&args),
    };
    match result {
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(failure) => ExitCode::from(failure.report()),
    }
}
