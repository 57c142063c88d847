use std::env;

use chunkmill_core::Kernel;

/// The variable that may name the scan kernel.
pub const KERNEL_VARIABLE: &str = "CHUNKMILL_KERNEL";

/// [`KERNEL_VARIABLE`] names no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{KERNEL_VARIABLE}: expected {}, found {found:?}", names())]
pub struct UnknownKernel {
    /// What it names.
    pub found: String,
}

/// The scan kernel to use: the one that [`KERNEL_VARIABLE`] demands, or the default if it is not set. For tests and
/// benchmarks; cut points are the same.
///
/// # Errors
///
/// [`UnknownKernel`] if the variable names no kernel of this build. A demand is never silently passed over.
pub fn kernel_from_environment() -> Result<Kernel, UnknownKernel> {
    let Some(demand) = env::var_os(KERNEL_VARIABLE) else { return Ok(Kernel::DEFAULT) };
    named(&demand.to_string_lossy())
}

fn named(name: &str) -> Result<Kernel, UnknownKernel> {
    let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name);
    kernel.ok_or_else(|| UnknownKernel { found: name.to_owned() })
}

fn names() -> String {
    Kernel::ALL.map(Kernel::name).join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_name_and_nothing_else_is_taken() {
        for kernel in Kernel::ALL {
            assert_eq!(named(kernel.name()), Ok(kernel));
        }
        for wrong in ["", "Lanes", "avx512", "lanes "] {
            let error = named(wrong).unwrap_err();
            assert!(error.to_string().contains("expected half or lanes or portable"), "{error}");
        }
    }
}
