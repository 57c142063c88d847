/// A trace message through `defmt`; nothing at all without that feature. Arguments must be free of side effects.
macro_rules! trace {
    ($($argument:tt)*) => {
        #[cfg(feature = "defmt")]
        defmt::trace!($($argument)*);
    };
}
