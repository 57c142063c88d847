//! The interrupt that fills the halves: SysTick, in the place of a DMA controller's.

use core::cell::RefCell;

use chunkmill_firmware::dma::Transfer;
use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use critical_section::Mutex;

use crate::device::File;
use crate::failure::Failure;

/// Core clocks between two interrupts.
const PERIOD: u32 = 2500;

struct Running {
    timer: SYST,
    transfer: Transfer<'static, 'static, File>,
}

static RUNNING: Mutex<RefCell<Option<Running>>> = Mutex::new(RefCell::new(None));

/// Fills a half at each tick from now on.
pub fn start(transfer: Transfer<'static, 'static, File>) -> Result<(), Failure> {
    let Peripherals { SYST: mut timer, .. } = Peripherals::take().ok_or(Failure::Usage)?;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(PERIOD);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
    critical_section::with(|section| RUNNING.replace(section, Some(Running { timer, transfer })));
    Ok(())
}

/// Ends that.
pub fn stop() {
    let running = critical_section::with(|section| RUNNING.take(section));
    if let Some(Running { mut timer, .. }) = running {
        timer.disable_counter();
        timer.disable_interrupt();
    }
}

#[exception]
fn SysTick() {
    critical_section::with(|section| {
        if let Some(running) = RUNNING.borrow_ref_mut(section).as_mut() {
            running.transfer.fill_half();
        }
    });
}
