//! The C header is what cbindgen makes of the interface.

#![cfg(test)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    reason = "a panic fails the test, which is what it is for"
)]

use std::fs;
use std::path::Path;

/// Set it to have the header written anew.
const ANEW: &str = "CHUNKMILL_WRITE_HEADER";

#[test]
fn the_header_is_that_of_the_interface() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../std-adapter");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the settings");
    let sources = ["error", "io", "key", "engine", "chunker", "pool", "scan", "packs"];
    let builder = sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(root.join("src/capi").join(name).with_extension("rs"))
    });
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let path = root.join("include/chunkmill.h");
    if std::env::var_os(ANEW).is_some() {
        fs::write(&path, &made).expect("the header written");
    }
    let found = fs::read_to_string(&path).expect("the header");
    let line = found.lines().zip(made.lines()).position(|(found, made)| found != made);
    assert!(found == made, "line {:?} differs: set {ANEW} and run this test", line.map(|line| line + 1));
}
