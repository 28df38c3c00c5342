//! Measurement of allocated memory. Crates that count allocations either fill memory that the
//! system returns zeroed, which doubles the cost of large vectors, or cannot report the peak of a
//! part of the run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATED: Counted = Counted {
    now: AtomicUsize::new(0),
    peak: AtomicUsize::new(0),
};

/// Returns the peak of allocated memory while a function runs, in bytes above the memory that was allocated before.
pub fn memory<T>(run: impl FnOnce() -> T) -> usize {
    let before = ALLOCATED.now.load(Relaxed);
    ALLOCATED.peak.store(before, Relaxed);
    black_box(run());
    ALLOCATED.peak.load(Relaxed) - before
}

/// Returns the number of bytes that the value returned by `make` holds in allocated memory.
pub fn held<T>(make: impl FnOnce() -> T) -> usize {
    let before = ALLOCATED.now.load(Relaxed);
    let made = black_box(make());
    let held = ALLOCATED.now.load(Relaxed) - before;
    drop(made);
    held
}

/// The system's allocator with two counters.
struct Counted {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl Counted {
    fn add(&self, size: usize) {
        let now = self.now.fetch_add(size, Relaxed) + size;
        self.peak.fetch_max(now, Relaxed);
    }

    fn remove(&self, size: usize) {
        self.now.fetch_sub(size, Relaxed);
    }
}

// SAFETY: every call is the system's own; counting changes nothing of it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.remove(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.remove(layout.size());
        self.add(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
