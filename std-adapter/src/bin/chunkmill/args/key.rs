use std::io;
use std::path::PathBuf;

use chunkmill::core::IdKey;
use chunkmill::key::{self, KeyError};
use clap::Args;

use crate::console;
use crate::failure::Failure;
use crate::names::{is_dash, printable};

#[derive(Args, Debug)]
#[command(next_help_heading = "Key")]
pub(crate) struct KeyArgs {
    /// File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The key the user gave, or the public one and a word about it.
    pub(crate) fn read(&self) -> Result<IdKey, Failure> {
        if let Some(key) = self.secret()? {
            return Ok(key);
        }
        console::say("no key given: ids are made with the fixed public key, anyone can compute them");
        Ok(IdKey::public())
    }

    /// As [`read`](Self::read), for a pack: under the public key it is protected against accidents alone.
    pub(crate) fn read_for_pack(&self, needs_secret: bool) -> Result<IdKey, Failure> {
        if needs_secret {
            return self.read_secret("--keyed-gear");
        }
        if let Some(key) = self.secret()? {
            return Ok(key);
        }
        console::say("no key given: the pack is made with the fixed public key, which is not secret");
        Ok(IdKey::public())
    }

    /// Standard input can be the key or one of the inputs, not both.
    pub(crate) fn leaves_stdin_to(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        if self.key_file.as_deref().is_some_and(is_dash) && inputs.iter().any(|path| is_dash(path)) {
            return Err(Failure::Usage("standard input cannot be both the key and the data".to_owned()));
        }
        Ok(())
    }

    /// The key the user gave, if any.
    fn secret(&self) -> Result<Option<IdKey>, Failure> {
        let Some(path) = &self.key_file else {
            let found = key::key_from_environment();
            return found.map_err(|error| Failure::Usage(format!("{}: {error}", key::KEY_VARIABLE)));
        };
        let key = if is_dash(path) { key::read_key(io::stdin().lock()) } else { key::read_key_file(path) };
        key.map(Some).map_err(|error| {
            let message = format!("{}: {error}", printable(path));
            if matches!(error, KeyError::Read(_)) { Failure::Io(message) } else { Failure::Usage(message) }
        })
    }

    /// As [`read`](Self::read), for what only a secret key makes sense for.
    pub(crate) fn read_secret(&self, what: &str) -> Result<IdKey, Failure> {
        let needs = || Failure::Usage(format!("{what} needs a key: with the public one it hides nothing"));
        self.secret()?.ok_or_else(needs)
    }
}
