//! What a calibration found, kept for later runs on the same machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use chunkmill::Objective;
use chunkmill_measure::machine::Machine;
use serde::{Deserialize, Serialize};

use super::threshold::{Point, Rules, Thresholds};
use crate::failure::Failure;
use crate::names::printable;

/// The variable that may name the profile's file.
const VARIABLE: &str = "CHUNKMILL_PROFILE";

/// A calibration, as it is written and read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Profile {
    /// Of this form.
    version: u32,
    /// What it is true of.
    pub(super) machine: String,
    #[serde(flatten)]
    pub(super) rules: Rules,
    /// For each number of threads from two on; none if there is one thread.
    pub(super) sweeps: Vec<Swept>,
}

/// What was found for one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Swept {
    pub(super) threads: usize,
    pub(super) threshold_bytes: Thresholds,
    pub(super) points: Vec<Point>,
}

const FORM: u32 = 2;

impl Profile {
    pub(super) fn new(machine: &Machine, rules: Rules, sweeps: Vec<Swept>) -> Self {
        Self { version: FORM, machine: machine.to_string(), rules, sweeps }
    }

    /// Reads one that was written before.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| Failure::io("cannot read", path, &error))?;
        let unfit = |error| Failure::Usage(format!("{}: expected a calibration, found: {error}", printable(path)));
        // The version first: another one has other fields.
        let Version { version: found } = serde_json::from_str(&text).map_err(unfit)?;
        if found != FORM {
            let path = printable(path);
            return Err(Failure::Usage(format!("{path}: expected version {FORM} of calibrations, found {found}")));
        }
        serde_json::from_str(&text).map_err(unfit)
    }

    /// Writes it to a file, over one that is there.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        super::write_file(path, &format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default()))
    }

    /// Keeps it where later runs look for it, and says where that is.
    pub(super) fn save(&self) -> Result<PathBuf, Failure> {
        let path = place().ok_or_else(|| {
            Failure::Usage(format!("--save finds no place: none of {VARIABLE}, XDG_CONFIG_HOME and HOME is set"))
        })?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Failure::io("cannot create", folder, &error))?;
        }
        self.write(&path)?;
        Ok(path)
    }

    /// The threshold for an objective on so many threads, in bytes; the greatest number is never. For more threads than were
    /// measured it is that of the most, and it is never if none were.
    fn threshold(&self, objective: Objective, threads: usize) -> u64 {
        let near = self.sweeps.iter().filter(|swept| swept.threads <= threads.max(2)).max_by_key(|swept| swept.threads);
        let found =
            near.and_then(|Swept { threshold_bytes: Thresholds { wall, balanced, cpu }, .. }| match objective {
                Objective::Wall => *wall,
                Objective::Cpu => *cpu,
                _ => *balanced,
            });
        found.unwrap_or(u64::MAX)
    }
}

/// Of a calibration, the version alone.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The threshold that was saved for this machine and so many threads, if one was.
///
/// A profile that is damaged, or another machine's, is an error: it was saved to be used.
pub(crate) fn saved_threshold(objective: Objective, threads: usize) -> Result<Option<u64>, Failure> {
    let Some(path) = place() else { return Ok(None) };
    // None was saved, or it lies in a home that is not this user's.
    if fs::metadata(&path).is_err() {
        return Ok(None);
    }
    let profile = Profile::read(&path)?;
    let machine = Machine::detect().to_string();
    if profile.machine != machine {
        let (path, found) = (printable(&path), &profile.machine);
        let advice = "calibrate again with --save, or remove it";
        return Err(Failure::Usage(format!(
            "{path}: expected a profile of this machine ({machine}), found {found}; {advice}"
        )));
    }
    Ok(Some(profile.threshold(objective, threads)))
}

fn place() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = || set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    set(VARIABLE).or_else(|| folder().map(|folder| folder.join("chunkmill/gate.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_threads_has_its_own_thresholds() {
        let swept = |threads, kib: u64| Swept {
            threads,
            threshold_bytes: Thresholds { wall: Some(kib << 10), balanced: Some(kib << 11), cpu: None },
            points: Vec::new(),
        };
        let rules = Rules { margin: 0.05, max_cpu_overhead: 0.1 };
        let machine = Machine { cpu: "one".to_owned(), cores: 4 };
        let profile = Profile::new(&machine, rules, vec![swept(2, 64), swept(3, 96), swept(4, 128)]);
        for (threads, kib) in [(1, 64), (2, 64), (3, 96), (4, 128), (64, 128)] {
            assert_eq!(profile.threshold(Objective::Wall, threads), kib << 10);
            assert_eq!(profile.threshold(Objective::Balanced, threads), kib << 11);
            assert_eq!(profile.threshold(Objective::Cpu, threads), u64::MAX);
        }
        assert_eq!(Profile::new(&machine, rules, Vec::new()).threshold(Objective::Wall, 2), u64::MAX);
    }
}
