//! A recorder with a full rolling buffer accepts frames without allocating.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use inputanim::RecorderOptions;
use inputanim::{Frame, Joint, Pose, Ray, Recorder, Side};

thread_local! {
    /// The allocations of this thread, because other tests of the binary allocate at the same time.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count_allocation() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The system's allocator with a count of allocations.
struct Counted;

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocation();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_allocation();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns a frame of both hands with all joints. For some seconds, one or both are not tracked.
fn frame(number: u32) -> Frame {
    let time = number as f32 / 60.0;
    let mut frame = Frame {
        time,
        head: Some(Pose::IDENTITY),
        gaze: Some(Ray {
            origin: [time; 3],
            direction: [0.0, 0.0, 1.0],
        }),
        ..Frame::default()
    };
    for side in Side::BOTH {
        let hand = frame.hand_mut(side);
        let period = (time / (9.0 + side as u32 as f32)) as u32;
        hand.tracked = !period.is_multiple_of(3);
        hand.pinching = number.is_multiple_of(50);
        for joint in Joint::ALL {
            hand.joints[joint] = Some(Pose::at([time, 0.0, 0.0]));
        }
    }
    frame
}

#[test]
fn a_full_rolling_buffer_takes_frames_without_allocating() {
    let mut recorder = Recorder::with_options(RecorderOptions::MRTK).unwrap();
    recorder.mark(0.0, "start").unwrap();
    let minutes = |minutes: u32| minutes * 60 * 60;
    for number in 0..minutes(10) {
        recorder.push(&frame(number)).unwrap();
    }
    let before = ALLOCATIONS.get();
    for number in minutes(10)..minutes(20) {
        assert!(recorder.push(&frame(number)).unwrap());
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(before > 0, "nothing was counted");
    assert!(recorder.seconds() >= 30.0);
}
