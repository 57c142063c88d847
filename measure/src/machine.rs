//! The machine that figures come from.

use core::fmt;
use std::fs;
use std::thread;

/// What a reader must know to place a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The CPU's name, as far as the kernel tells it.
    pub cpu: String,
    /// How many threads can run at once.
    pub cores: usize,
}

impl Machine {
    /// The machine at hand.
    pub fn detect() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cpu: cpu_name(&cpuinfo).unwrap_or_else(|| "unknown CPU".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// One line: CPU, cores, architecture, and what this build was held to.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores } = self;
        let plural = if *cores == 1 { "" } else { "s" };
        write!(f, "{cpu}, {cores} core{plural}, {}", std::env::consts::ARCH)?;
        if cfg!(feature = "blake3-sse41") {
            f.write_str(", BLAKE3 without AVX2 and AVX-512")?;
        }
        if cfg!(debug_assertions) {
            f.write_str(", NOT an optimised build")?;
        }
        Ok(())
    }
}

/// Instruction sets that decide how fast bytes are hashed, as far as the CPU has them and this build may use them.
pub fn instruction_sets() -> Vec<&'static str> {
    known_sets().iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
}

#[cfg(target_arch = "x86_64")]
fn known_sets() -> [(&'static str, bool); 4] {
    let wide = !cfg!(feature = "blake3-sse41");
    [
        ("SSE4.1", is_x86_feature_detected!("sse4.1")),
        ("AVX2", wide && is_x86_feature_detected!("avx2")),
        ("AVX-512", wide && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")),
        ("SHA", is_x86_feature_detected!("sha")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn known_sets() -> [(&'static str, bool); 2] {
    use std::arch::is_aarch64_feature_detected;
    [("NEON", is_aarch64_feature_detected!("neon")), ("SHA", is_aarch64_feature_detected!("sha2"))]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const fn known_sets() -> [(&'static str, bool); 0] {
    []
}

/// The operating system and its version.
pub fn system() -> String {
    let names = rustix::system::uname();
    format!("{} {}", names.sysname().to_string_lossy(), names.release().to_string_lossy())
}

/// x86 names the CPU on every core's `model name`. ARM kernels have a `Hardware` or `Model` line for the board at best, and
/// numbers for the core: implementer 0x41 part 0xd08 is ARM's Cortex-A72.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    if let Some(name) = field(cpuinfo, "model name") {
        return Some(name.to_owned());
    }
    let board = field(cpuinfo, "Hardware").or_else(|| field(cpuinfo, "Model"));
    let part = field(cpuinfo, "CPU part").map(|part| {
        let implementer = field(cpuinfo, "CPU implementer").unwrap_or("unknown");
        format!("ARM core, implementer {implementer}, part {part}")
    });
    match (board, part) {
        (Some(board), Some(part)) => Some(format!("{board} ({part})")),
        (Some(board), None) => Some(board.to_owned()),
        (None, part) => part,
    }
}

fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        (key.trim() == name && !value.is_empty()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_has_a_model_name() {
        let cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 156\nmodel name\t: Intel(R) Celeron(R) N5105 @ 2.00GHz\n";
        assert_eq!(cpu_name(cpuinfo).unwrap(), "Intel(R) Celeron(R) N5105 @ 2.00GHz");
    }

    #[test]
    fn arm_has_numbers_and_perhaps_a_board() {
        let core = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd08\n";
        assert_eq!(cpu_name(core).unwrap(), "ARM core, implementer 0x41, part 0xd08");
        let board = format!("{core}\nHardware\t: BCM2835\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n");
        assert_eq!(cpu_name(&board).unwrap(), "BCM2835 (ARM core, implementer 0x41, part 0xd08)");
    }

    #[test]
    fn nothing_known_is_no_name() {
        assert_eq!(cpu_name(""), None);
        assert_eq!(cpu_name("model name\t:\n"), None);
    }
}
