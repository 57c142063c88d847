//! How much of the stack was used: cortex-m-rt paints it before `main`.

use cortex_m_rt::STACK_PAINT_VALUE;

unsafe extern "C" {
    // From `memory.x`. They have addresses and no values.
    static _stack_start: u32;
    static _stack_end: u32;
}

/// Bytes from the deepest word whose paint is gone to the top.
pub fn used() -> usize {
    let (mut at, top) = (&raw const _stack_end, &raw const _stack_start);
    // SAFETY: all words between the two symbols are RAM, aligned, and hold paint or what the stack left there. Those in use
    // are read, too, but no further than the first; volatile, since the compiler knows of no object there.
    while at < top && unsafe { at.read_volatile() } == STACK_PAINT_VALUE {
        at = at.wrapping_add(1);
    }
    top.addr().saturating_sub(at.addr())
}

/// Bytes of the whole stack.
pub fn size() -> usize {
    (&raw const _stack_start).addr().saturating_sub((&raw const _stack_end).addr())
}
