//! The atomics and cells of the hand-off: std's, or loom's when its model checker runs (`--cfg loom`).

#[cfg(loom)]
pub(super) use loom::{
    cell::UnsafeCell,
    sync::atomic::{AtomicUsize, Ordering},
};

#[cfg(not(loom))]
pub(super) use self::plain::UnsafeCell;
#[cfg(not(loom))]
pub(super) use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(loom))]
mod plain {
    /// Has the interface of loom's cell.
    pub(in super::super) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(in super::super) const fn new(value: T) -> Self {
            Self(core::cell::UnsafeCell::new(value))
        }

        pub(in super::super) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        pub(in super::super) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}
