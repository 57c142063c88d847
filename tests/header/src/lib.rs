//! The C headers are what cbindgen makes of the interfaces.

#![cfg(test)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    reason = "a panic fails the test, which is what it is for"
)]

use std::fs;
use std::path::Path;

/// Set it to have the headers written anew.
const ANEW: &str = "CHUNKMILL_WRITE_HEADER";

/// Sources in the order in which the header has what is in them.
fn check(package: &str, header: &str, sources: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(package);
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the settings");
    let builder = sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, source| {
        builder.with_src(root.join("src").join(source))
    });
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let path = root.join("include").join(header);
    if std::env::var_os(ANEW).is_some() {
        fs::write(&path, &made).expect("the header written");
    }
    let found = fs::read_to_string(&path).expect("the header");
    let line = found.lines().zip(made.lines()).position(|(found, made)| found != made);
    assert!(found == made, "{header}: line {:?} differs: set {ANEW} and run this test", line.map(|line| line + 1));
}

#[test]
fn the_librarys() {
    let sources = ["error", "io", "key", "engine", "chunker", "pool", "scan", "packs"];
    check("std-adapter", "chunkmill.h", &sources.map(|name| format!("capi/{name}.rs")).each_ref().map(String::as_str));
}

#[test]
fn the_cores() {
    check("core-c", "chunkmill_core.h", &["lib.rs"]);
}
