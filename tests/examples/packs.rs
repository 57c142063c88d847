//! Writes the golden packs and the worked example anew: `cargo run -p chunkmill-tests --example packs`.
//!
//! Run it only when the pack format is meant to change, when packs are added, or when LZ4 payloads become others because
//! `lz4_flex` compresses differently; on a 64-bit machine, since it does so elsewhere too. A change of the format means
//! that packs written so far may no longer be read.

use std::path::Path;
use std::{fs, io};

use chunkmill_tests::{golden_packs, pack_example};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    fs::create_dir_all(folder.join("packs"))?;
    let mut files = vec![
        ("pack_example.txt".to_owned(), pack_example::dump(&pack_example::pack()).into_bytes()),
        ("packs.json".to_owned(), golden_packs::listing().into_bytes()),
    ];
    files.extend(golden_packs::all().iter().map(|golden| (format!("packs/{}", golden.file), golden.pack())));
    for (name, bytes) in files {
        let path = folder.join(name);
        let before = fs::read(&path).unwrap_or_default();
        fs::write(&path, &bytes)?;
        println!("{}: {}", path.display(), if before == bytes { "as it was" } else { "changed" });
    }
    Ok(())
}
