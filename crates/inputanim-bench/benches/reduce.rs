//! Reducing takes of three lengths on one processor, against reading and copying the same keys, and
//! the other ways to choose keys against one pass. Prints ratios of medians of this run.

use std::hint::black_box;
use std::path::Path;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, SamplingMode};
use inputanim::reduce::{Method, Reduction, reduce};
use inputanim::{Layout, Recording};
use inputanim_bench::{median, memory, sum};
use inputanim_motion::{Motion, Scene};
use rayon::ThreadPool;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let rows = [1, 10, 60].map(|minutes| measure(criterion, folder, minutes));
        let ways = measure_ways(criterion, folder);
        criterion.final_summary();
        print(&rows, &ways);
    });
}

fn take(minutes: u16, layout: Layout) -> Recording<'static> {
    let seconds = 60.0 * f32::from(minutes);
    Motion::new(Scene::TwoHands, 1, seconds).record(60.0, layout)
}

/// Values of vectors and rotations at one time.
fn samples(take: &Recording<'_>) -> usize {
    let curves = take.curves();
    let first = curves.filter(|(path, _)| path.to_string().ends_with(".x"));
    first.map(|(_, curve)| curve.len()).sum()
}

/// Medians in nanoseconds, and bytes allocated at the most beside the recording.
struct Row {
    minutes: u16,
    samples: usize,
    kept: usize,
    read: f64,
    copy: f64,
    reduce: f64,
    reduce_all: f64,
    memory: usize,
}

fn measure(criterion: &mut Criterion, output: &Path, minutes: u16) -> Row {
    let whole = take(minutes, Layout::Mrtk1_1);
    let bytes = whole.to_bytes(Layout::Mrtk1_1).expect("memory");
    let mut buffer = bytes.clone();
    let name = format!("reduce {minutes} minutes");
    let mut group = criterion.benchmark_group(&name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function("read", |b| b.iter(|| sum(black_box(&whole))));
    group.bench_function("copy", |b| {
        b.iter(|| buffer.copy_from_slice(black_box(&bytes)));
    });
    drop((bytes, buffer));
    let with = Reduction::default();
    bench(&mut group, "reduce", &threads(1), &whole, &with);
    bench(&mut group, "reduce_all", &threads(0), &whole, &with);
    group.finish();

    let median = |name_of: &str| median(output, &name, name_of);
    let mut reduced = whole.clone();
    let memory = memory(|| reduce(&mut reduced, &with).ok());
    Row {
        minutes,
        samples: samples(&whole),
        kept: samples(&reduced),
        read: median("read"),
        copy: median("copy"),
        reduce: median("reduce"),
        reduce_all: median("reduce_all"),
        memory,
    }
}

/// So many; 0: as many as there are processors.
fn threads(count: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.expect("threads")
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    threads: &ThreadPool,
    whole: &Recording<'_>,
    with: &Reduction,
) {
    group.bench_function(name, |b| {
        b.iter_batched_ref(
            || whole.clone(),
            |take| threads.install(|| reduce(black_box(take), with).map(|left| left.len())),
            BatchSize::PerIteration,
        );
    });
}

/// The ways to choose keys, each with its median in nanoseconds; one pass is the first.
fn measure_ways(criterion: &mut Criterion, output: &Path) -> Vec<(&'static str, f64)> {
    let toolkit = |partition| Method::Toolkit { partition };
    let ways = [
        ("one-pass", Method::OnePass, false),
        ("fewest", Method::Fewest, false),
        ("toolkit, partitions of 32", toolkit(32), false),
        ("toolkit, without partitions", toolkit(0), false),
        ("one-pass with tangents", Method::OnePass, true),
    ];
    let name = "ways to reduce";
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let one = threads(1);
    for (way, method, tangents) in ways {
        let layout = match tangents {
            true => Layout::Documented1_1,
            false => Layout::Mrtk1_1,
        };
        let whole = take(10, layout);
        let with = Reduction {
            method,
            tangents,
            ..Reduction::default()
        };
        bench(&mut group, way, &one, &whole, &with);
    }
    group.finish();
    let median = |(way, ..): (&'static str, Method, bool)| (way, median(output, name, way));
    ways.map(median).into()
}

fn print(rows: &[Row], ways: &[(&str, f64)]) {
    println!("\ntwo hands at 60 Hz, one pass within 1 mm and 0.2 degrees, one thread");
    println!("  minutes    samples      kept  ns a sample  times reading  times copying");
    for row in rows {
        println!(
            "  {:>7} {:>10} {:>9} {:>12.1} {:>14.1} {:>14.1}",
            row.minutes,
            row.samples,
            row.kept,
            row.reduce / row.samples as f64,
            row.reduce / row.read,
            row.reduce / row.copy,
        );
    }
    for row in rows {
        println!(
            "  {} minutes: {:.3} s, {:.3} s on all threads; memory beside it: {} bytes, {:.1} a sample",
            row.minutes,
            row.reduce / 1e9,
            row.reduce_all / 1e9,
            row.memory,
            row.memory as f64 / row.samples as f64
        );
    }
    println!("\nten minutes of it, one thread");
    let one_pass = ways.first().map_or(f64::NAN, |(_, time)| *time);
    for (way, time) in ways {
        println!(
            "  {way:<28} {:>8.3} s {:>6.2} times one pass",
            time / 1e9,
            time / one_pass
        );
    }
}
