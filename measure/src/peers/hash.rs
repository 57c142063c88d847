//! Keyed hashes of a slice, all under [`KEY`].

use hmac::{Hmac, KeyInit, Mac};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use sha2::Sha256;

use super::KEY;

/// Keyed BLAKE3 on one thread: the crate `blake3`.
pub fn blake3_keyed(bytes: &[u8]) -> [u8; 32] {
    *blake3::keyed_hash(&KEY, bytes).as_bytes()
}

/// Keyed BLAKE2b of 256 bits: the crate `blake2b_simd`.
pub fn blake2b_256(bytes: &[u8]) -> [u8; 32] {
    let hash = blake2b_simd::Params::new().hash_length(32).key(&KEY).hash(bytes);
    let mut id = [0; 32];
    id.copy_from_slice(hash.as_bytes());
    id
}

/// HMAC with SHA-256: the crates `hmac` and `sha2`, which use the CPU's own SHA instructions where it has them.
///
/// # Panics
///
/// Never: HMAC takes a key of any length.
pub fn hmac_sha256(bytes: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).expect("a key of any length");
    mac.update(bytes);
    mac.finalize().into_bytes().into()
}

/// `update_rayon` of the crate `blake3`, in a pool of so many threads.
#[derive(Debug)]
pub struct Rayon(ThreadPool);

impl Rayon {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// They cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        ThreadPoolBuilder::new().num_threads(threads).build().map(Self)
    }

    /// Runs something in the pool: entering it once for many hashes costs less than once for each.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.install(work)
    }

    /// Keyed BLAKE3 on the threads of the pool that this is called in, or else of the program's own.
    pub fn blake3_keyed(bytes: &[u8]) -> [u8; 32] {
        *blake3::Hasher::new_keyed(&KEY).update_rayon(bytes).finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(id: [u8; 32]) -> String {
        id.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Of the three bytes `abc`, under the key of 32 bytes 7; the last two as Python's `hashlib` and `hmac` give them.
    #[test]
    fn hashes_are_what_they_say() {
        assert_eq!(blake3_keyed(b"abc"), *chunkmill_core::IdKey::from_bytes(KEY).id_of(b"abc").as_bytes());
        assert_eq!(hex(blake2b_256(b"abc")), BLAKE2B);
        assert_eq!(hex(hmac_sha256(b"abc")), HMAC);
    }

    const BLAKE2B: &str = "62d8fe04aeb9b650b0dbdb3078da63b0d4c864854da1e7ff3aae7a2daee046ba";
    const HMAC: &str = "127da4ced6a839b8f6118bc244684d2663e70cb5ff0adeefca89d7e74d5a0525";

    #[test]
    fn all_ways_to_blake3_agree() {
        let rayon = Rayon::new(2).unwrap();
        for len in [0, 1, 1024, 100_001] {
            let bytes = vec![3; len];
            let expected = blake3_keyed(&bytes);
            assert_eq!(Rayon::blake3_keyed(&bytes), expected);
            assert_eq!(rayon.run(|| Rayon::blake3_keyed(&bytes)), expected);
        }
    }
}
