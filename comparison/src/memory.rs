//! How much is allocated.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that something holds once it is made.
pub(crate) fn held<T>(make: impl FnOnce() -> T) -> usize {
    let before = ALLOCATED.allocated();
    let made = make();
    let after = ALLOCATED.allocated();
    drop(made);
    after - before
}
