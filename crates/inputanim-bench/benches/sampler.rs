//! Playback: complete frames in order and at random times, compared with a binary search in every
//! curve. Prints the ratios of the medians of this run.

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkGroup, Criterion, SamplingMode, measurement::WallTime};
use inputanim::SamplerCursor;
use inputanim::{
    BooleanEvaluator, Curve, FloatEvaluator, Frame, Layout, Recording, Sampler, Side, TimeRange,
};
use inputanim_bench::{held, median, sum};
use inputanim_motion::{Motion, Scene};

/// A display of 90 Hz: no multiple of the 60 Hz of the recordings.
const RATE: f64 = 90.0;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let mut rows = Vec::new();
        for (name, bytes) in recordings() {
            rows.push(measure(criterion, folder, &name, &bytes));
        }
        criterion.final_summary();
        rows.iter().for_each(print);
    });
}

/// Returns names and bytes of recordings: a generated one of ten minutes, and three files of the corpus if
/// `INPUTANIM_CORPUS` names its folder.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let ten_minutes = Motion::new(Scene::TwoHands, 1, 600.0).record(60.0, Layout::Mrtk1_1);
    let bytes = ten_minutes.to_bytes_as(Layout::Mrtk1_1).expect("memory");
    let mut recordings = vec![("ten minutes of two hands".to_owned(), bytes)];
    if let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS") {
        for name in [
            "mrtk/mrtk-1.1-p32.bin",
            "device/left-hand-2021.bin",
            "documented/documented-1.1.bin",
        ] {
            let bytes = std::fs::read(Path::new(&corpus).join(name)).expect("a file of the corpus");
            recordings.push((name.rsplit('/').next().unwrap_or(name).to_owned(), bytes));
        }
    }
    recordings
}

/// Medians in nanoseconds.
struct Row {
    name: String,
    keys: u64,
    joints: usize,
    frames: usize,
    read: f64,
    bake: f64,
    bake_one: f64,
    fill: f64,
    forward: f64,
    random: f64,
    curves_forward: f64,
    curves_random: f64,
    columns: f64,
    columns_one: f64,
    memory: usize,
}

fn measure(criterion: &mut Criterion, output: &Path, name: &str, bytes: &[u8]) -> Row {
    let recording = Recording::parse(bytes).expect("well formed");
    // All joints at all times, so that a hand out of sight does not make a frame cheaper.
    let sampler = Sampler::new(&recording)
        .expect("playable")
        .with_untracked_joints();
    let curves = Curves::new(&recording);
    let forward: Vec<f32> = TimeRange {
        start: 0.0,
        end: sampler.duration(),
    }
    .times_at(RATE)
    .collect();
    let random = shuffled(&forward);

    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group.bench_function("read", |b| {
        b.iter(|| Recording::parse(black_box(bytes)).map(|read| sum(&read)));
    });
    group.bench_function("bake", |b| {
        b.iter_with_large_drop(|| Sampler::new(black_box(&recording)));
    });
    // A lower bound for the time: writing as many numbers to new memory, without any computation.
    let numbers = held(|| Sampler::new(&recording)) / size_of::<f32>();
    group.bench_function("fill", |b| {
        b.iter_with_large_drop(|| vec![black_box(1.0_f32); numbers]);
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = pool.expect("a thread");
    group.bench_function("bake_one", |b| {
        b.iter_with_large_drop(|| one.install(|| Sampler::new(black_box(&recording))));
    });
    group.bench_function("columns_one", |b| {
        b.iter_with_large_drop(|| one.install(|| sampler.columns(forward.iter().copied())));
    });
    for (order, times) in [("forward", &forward), ("random", &random)] {
        frames(&mut group, order, &sampler, times);
        group.bench_function(format!("curves_{order}"), |b| {
            let mut values = vec![0.0; curves.len()];
            b.iter(|| {
                for &time in times {
                    curves.write(black_box(time), &mut values);
                    black_box(&values);
                }
            });
        });
    }
    group.bench_function("columns", |b| {
        b.iter_with_large_drop(|| sampler.columns(forward.iter().copied()));
    });
    group.finish();

    let median = |name_of: &str| median(output, name, name_of);
    let frame = sampler.frame_at(0.0);
    let joints = Side::BOTH.map(|side| {
        let joints = &frame.hand(side).joints;
        joints.iter().filter(|(_, pose)| pose.is_some()).count()
    });
    let frames = forward.len() as f64;
    Row {
        name: name.to_owned(),
        keys: recording
            .curves()
            .map(|(_, curve)| curve.len() as u64)
            .sum(),
        joints: joints.iter().sum(),
        frames: forward.len(),
        read: median("read"),
        bake: median("bake"),
        bake_one: median("bake_one"),
        fill: median("fill"),
        forward: median("forward") / frames,
        random: median("random") / frames,
        curves_forward: median("curves_forward") / frames,
        curves_random: median("curves_random") / frames,
        columns: median("columns") / frames,
        columns_one: median("columns_one") / frames,
        memory: held(|| Sampler::new(&recording)),
    }
}

fn frames(group: &mut BenchmarkGroup<'_, WallTime>, order: &str, sampler: &Sampler, times: &[f32]) {
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    group.bench_function(order, |b| {
        b.iter(|| {
            for &time in times {
                sampler.read(black_box(time), &mut cursor, &mut frame);
                black_box(&frame);
            }
        });
    });
}

/// Returns the times in a fixed pseudo-random order.
fn shuffled(times: &[f32]) -> Vec<f32> {
    let mut shuffled = times.to_vec();
    let mut state = 1_u64;
    for last in (1..shuffled.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        shuffled.swap(last, (state >> 33) as usize % (last + 1));
    }
    shuffled
}

/// A baseline written directly from the rules: for every curve a binary search and the value
/// between two keys. It does not assemble poses.
struct Curves<'r> {
    floats: Vec<FloatEvaluator<'r>>,
    booleans: Vec<BooleanEvaluator<'r>>,
}

impl<'r> Curves<'r> {
    fn new(recording: &'r Recording<'_>) -> Curves<'r> {
        let mut curves = Curves {
            floats: Vec::new(),
            booleans: Vec::new(),
        };
        for (_, curve) in recording.curves() {
            match curve {
                Curve::Float(curve) => curves.floats.push(curve.evaluator().expect("playable")),
                Curve::Boolean(curve) => curves.booleans.push(curve.evaluator().expect("playable")),
            }
        }
        curves
    }

    fn len(&self) -> usize {
        self.floats.len() + self.booleans.len()
    }

    fn write(&self, time: f32, values: &mut [f32]) {
        let floats = self.floats.iter().map(|curve| curve.at(time));
        let booleans = self.booleans.iter().map(|curve| f32::from(curve.at(time)));
        for (out, value) in values.iter_mut().zip(floats.chain(booleans)) {
            *out = value;
        }
    }
}

fn print(row: &Row) {
    println!("\n{}: {} keys, {} joints", row.name, row.keys, row.joints);
    println!("                           ns a frame   ns a joint     frames/s   curve by curve");
    for (name, time, curves) in [
        ("frames forward", row.forward, row.curves_forward),
        ("frames at random times", row.random, row.curves_random),
    ] {
        let joints = row.joints.max(1) as f64;
        println!(
            "  {name:<23}  {time:>10.0}   {:>10.1}   {:>10.0}   {:>8.1} times",
            time / joints,
            1e9 / time,
            curves / time
        );
    }
    for (name, time) in [
        ("columns", row.columns),
        ("columns, one thread", row.columns_one),
    ] {
        println!(
            "  {name:<23}  {time:>10.0}   {:>10.1}   {:>10.0}   {} times at once",
            time / row.joints.max(1) as f64,
            1e9 / time,
            row.frames,
        );
    }
    for (name, time) in [("", row.bake), (" on one thread", row.bake_one)] {
        println!(
            "  bake{name}: {:.3} ms, {:.2} times as long as reading every key ({:.3} ms)",
            time / 1e6,
            time / row.read,
            row.read / 1e6
        );
    }
    println!(
        "  fill as much new memory: {:.3} ms, {:.2} times as long as reading every key",
        row.fill / 1e6,
        row.fill / row.read
    );
    println!(
        "  memory: {} bytes, {:.2} a key",
        row.memory,
        row.memory as f64 / row.keys as f64
    );
}
