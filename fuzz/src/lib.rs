//! What the fuzz targets do with their input. Each target is a module with a function `run`, which panics when something is
//! not as it should be; the test here runs them over the inputs that are committed, so that what was found once stays fixed.

pub mod cut;
pub mod damage;
pub mod forge;
pub mod library;
pub mod lz4;
pub mod read;
pub mod ring;
pub mod text;

/// A target: what it does with an input.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 7] = [
    ("cut", cut::run),
    ("damage", damage::run),
    ("forge", forge::run),
    ("lz4", lz4::run),
    ("read", read::run),
    ("ring", ring::run),
    ("text", text::run),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// `seeds` are where fuzzing begins; `found` are inputs that a target failed with once.
    #[test]
    fn replay() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (name, target) in super::TARGETS {
            let mut inputs = Vec::new();
            for folder in ["seeds", "found"] {
                let Ok(entries) = fs::read_dir(root.join(folder).join(name)) else { continue };
                inputs.extend(entries.map(|entry| entry.unwrap().path()));
            }
            inputs.sort();
            assert!(!inputs.is_empty(), "{name} has no inputs");
            for path in inputs {
                eprintln!("{}", path.display());
                target(&fs::read(&path).unwrap());
            }
        }
    }
}
