//! What ends the program when all else fails. The default handlers would loop for ever.

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use semihosting::process::exit;

const FAULT: i32 = 4;

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    if let Some(place) = info.location() {
        defmt::error!("panicked at {=str}:{=u32}", place.file(), place.line());
    }
    exit(FAULT)
}

// SAFETY: it uses nothing that the fault can have interrupted half-way, but for the log, and ends the program. After a stack
// that grew out of its memory even the exception's frame cannot be written: then the CPU locks up, which QEMU reports.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    defmt::error!("hard fault at {=u32:#010x}", frame.pc());
    exit(FAULT)
}
