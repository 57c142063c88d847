//! Tells the linker where the board's memory is.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=memory.x");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-search={folder}");
        println!("cargo:rustc-link-arg-bin=firmware=-Tlink.x");
        println!("cargo:rustc-link-arg-bin=firmware=-Tdefmt.x");
    }
}
