//! Recording frames of two hands, a head and a gaze, into a full rolling buffer and into a growing
//! recording, compared with a copy of as many bytes. Prints the medians of this run.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};
use inputanim::RecorderOptions;
use inputanim::{Curve, Frame, Layout, Recorder};
use inputanim_bench::{held, median};
use inputanim_motion::{Motion, Scene};

const RATE: f32 = 60.0;
/// Frames of the rolling buffer, which are half a minute.
const BUFFER: usize = 1800;
/// Frames that are timed before the recorder starts anew: times of single precision end.
const RUN: usize = 3600;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let frames = frames();
        measure(criterion, &frames);
        criterion.final_summary();
        print(folder, &frames[0]);
    });
}

/// Returns eight frames. They are so few that they stay in the cache, like a frame that was just made. All joints are
/// tracked at all times, so that a hand out of view does not make a frame cheaper.
fn frames() -> Vec<Frame> {
    let motion = Motion::new(Scene::TwoHands, 1, 10.0);
    let mut frames: Vec<Frame> = motion.frames(RATE).skip(120).take(8).collect();
    for frame in &mut frames {
        frame.left.tracked = true;
        frame.right.tracked = true;
    }
    frames
}

/// Returns the number of floating-point keys that a recorder adds for a frame.
fn numbers(frame: &Frame) -> usize {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    recorder.push(frame).expect("sound");
    let recording = recorder.finish();
    let floats = recording
        .curves()
        .filter(|(_, curve)| matches!(curve, Curve::Float(_)));
    floats.map(|(_, curve)| curve.len()).sum()
}

fn measure(criterion: &mut Criterion, frames: &[Frame]) {
    let mut rolling = RecorderOptions::MRTK;
    rolling.max_rate = None;
    let unlimited = RecorderOptions::new(Layout::Mrtk1_1);
    let mut group = criterion.benchmark_group("record");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group.bench_function("rolling", |b| {
        let mut recorder = Recorder::with_options(rolling).expect("sound");
        b.iter_custom(|count| {
            each_run(count, |count| {
                recorder.discard();
                push(&mut recorder, frames, 0..BUFFER);
                push(&mut recorder, frames, BUFFER..BUFFER + count)
            })
        });
    });
    group.bench_function("unlimited", |b| {
        b.iter_custom(|count| {
            each_run(count, |count| {
                let mut recorder = Recorder::with_options(unlimited).expect("sound");
                push(&mut recorder, frames, 0..count)
            })
        });
    });
    group.bench_function("copy", |b| {
        let row = vec![1_u32; numbers(&frames[0])];
        let mut buffer = vec![0_u32; row.len() * BUFFER];
        let mut place = 0;
        b.iter(|| {
            let words = &mut buffer[place * row.len()..][..row.len()];
            words.copy_from_slice(black_box(&row));
            place = (place + 1) % BUFFER;
        });
    });
    let full = full(rolling, frames);
    group.bench_function("snapshot", |b| b.iter_with_large_drop(|| full.snapshot()));
    group.finish();
}

/// Calls `run` with a number of frames to record, at most [`RUN`], until `count` frames are recorded. Returns the sum
/// of the durations that it returns.
fn each_run(count: u64, mut run: impl FnMut(usize) -> Duration) -> Duration {
    let mut rest = count as usize;
    let mut all = Duration::ZERO;
    while rest > 0 {
        let count = rest.min(RUN);
        all += run(count);
        rest -= count;
    }
    all
}

fn push(recorder: &mut Recorder, frames: &[Frame], numbers: std::ops::Range<usize>) -> Duration {
    let mut frames = frames.to_vec();
    let start = Instant::now();
    for number in numbers {
        let which = number % frames.len();
        let frame = &mut frames[which];
        frame.time = number as f32 / RATE;
        recorder.push(black_box(frame)).expect("sound");
    }
    start.elapsed()
}

fn full(settings: RecorderOptions, frames: &[Frame]) -> Recorder {
    let mut recorder = Recorder::with_options(settings).expect("sound");
    push(&mut recorder, frames, 0..2 * BUFFER);
    recorder
}

fn print(output: &Path, frame: &Frame) {
    let median = |name| median(output, "record", name);
    let (numbers, copy) = (numbers(frame), median("copy"));
    println!(
        "\nrecording a frame of {numbers} numbers, {} bytes",
        numbers * 4
    );
    println!("                             ns a frame   times a copy");
    for (name, time) in [
        ("copy of its numbers", copy),
        ("into a full rolling buffer", median("rolling")),
        ("into a growing recording", median("unlimited")),
    ] {
        println!("  {name:<26}  {time:>9.0}   {:>12.1}", time / copy);
    }
    println!(
        "  a snapshot of 30 s takes {:.2} ms",
        median("snapshot") / 1e6
    );
    let mut rolling = RecorderOptions::MRTK;
    rolling.max_rate = None;
    let frames = std::slice::from_ref(frame);
    println!(
        "  memory of the full buffer: {} bytes",
        held(|| full(rolling, frames))
    );
}
