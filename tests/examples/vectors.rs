//! Writes the golden vectors anew: `cargo run -p chunkmill-tests --example vectors`.
//!
//! Run it only when cut points or ids are meant to change, or when streams are added. A change of what was there before
//! means that chunks stored so far are no longer found again.

use std::path::Path;
use std::{fs, io};

use chunkmill_tests::vectors;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let files = [
        ("cut_points.json", vectors::cut_points(vectors::chunks_of_core)),
        ("keyed_ids.json", vectors::keyed_ids(|key, bytes| key.id_of(bytes))),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, &text)?;
        println!("{}: {}", path.display(), if before == text { "as it was" } else { "changed" });
    }
    Ok(())
}
