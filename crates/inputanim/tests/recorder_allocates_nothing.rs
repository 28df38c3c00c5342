//! Once its rolling buffer is full, a recorder takes frames without allocating.
//!
//! In a file of its own, for the allocator counts for the whole program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use inputanim::record::Settings;
use inputanim::{Frame, Joint, Pose, Ray, Recorder, Side};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The system's allocator, counted.
struct Counted;

// SAFETY: every call is the system's own; counting changes nothing of it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Both hands with all their joints; for some seconds one or both are lost.
fn frame(number: u32) -> Frame {
    let time = number as f32 / 60.0;
    let mut frame = Frame {
        time,
        camera: Some(Pose::IDENTITY),
        gaze: Some(Ray {
            origin: [time; 3],
            direction: [0.0, 0.0, 1.0],
        }),
        ..Frame::default()
    };
    for side in Side::BOTH {
        let hand = frame.hand_mut(side);
        let spell = (time / (9.0 + side as u32 as f32)) as u32;
        hand.tracked = !spell.is_multiple_of(3);
        hand.pinching = number.is_multiple_of(50);
        for joint in Joint::ALL {
            hand.joints[joint] = Some(Pose::at([time, 0.0, 0.0]));
        }
    }
    frame
}

#[test]
fn a_full_rolling_buffer_takes_frames_without_allocating() {
    let mut recorder = Recorder::with(Settings::MRTK).unwrap();
    recorder.mark(0.0, "start").unwrap();
    let minutes = |minutes: u32| minutes * 60 * 60;
    for number in 0..minutes(10) {
        recorder.push(&frame(number)).unwrap();
    }
    let before = ALLOCATIONS.load(Relaxed);
    for number in minutes(10)..minutes(20) {
        assert!(recorder.push(&frame(number)).unwrap());
    }
    assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0);
    assert!(before > 0, "nothing was counted");
    assert!(recorder.seconds() >= 30.0);
}
