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
    pub(super) threads: usize,
    #[serde(flatten)]
    pub(super) rules: Rules,
    pub(super) threshold_bytes: Thresholds,
    pub(super) points: Vec<Point>,
}

const FORM: u32 = 1;

impl Profile {
    pub(super) fn new(machine: &Machine, threads: usize, rules: Rules, found: Thresholds, points: Vec<Point>) -> Self {
        Self { version: FORM, machine: machine.to_string(), threads, rules, threshold_bytes: found, points }
    }

    /// Reads one that was written before.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| Failure::io("cannot read", path, &error))?;
        let profile: Self = serde_json::from_str(&text)
            .map_err(|error| Failure::Usage(format!("{}: expected a calibration, found: {error}", printable(path))))?;
        if profile.version != FORM {
            let (path, found) = (printable(path), profile.version);
            return Err(Failure::Usage(format!("{path}: expected version {FORM} of calibrations, found {found}")));
        }
        Ok(profile)
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

    /// The threshold for an objective, in bytes; the greatest number is never.
    fn threshold(&self, objective: Objective) -> u64 {
        let Thresholds { wall, balanced, cpu } = self.threshold_bytes;
        let found = match objective {
            Objective::Wall => wall,
            Objective::Cpu => cpu,
            _ => balanced,
        };
        found.unwrap_or(u64::MAX)
    }
}

/// The threshold that was saved for this machine, if one was.
///
/// A profile that is damaged, or another machine's, is an error: it was saved to be used.
pub(crate) fn saved_threshold(objective: Objective) -> Result<Option<u64>, Failure> {
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
    Ok(Some(profile.threshold(objective)))
}

fn place() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = || set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    set(VARIABLE).or_else(|| folder().map(|folder| folder.join("chunkmill/gate.json")))
}
