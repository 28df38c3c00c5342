//! Reduction of recordings of three lengths on one processor, compared with reading and copying the
//! same keys. Also compares the other methods with one pass. Prints the ratios of the medians of this
//! run.

use std::hint::black_box;
use std::path::Path;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, SamplingMode};
use inputanim::reduce::{Reduce, ReduceMethod};
use inputanim::{Layout, Recording};
use inputanim_bench::{median, memory, sum};
use inputanim_motion::{Motion, Scene};
use rayon::ThreadPool;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let rows = [1, 10, 60].map(|minutes| measure(criterion, folder, minutes));
        let methods = measure_methods(criterion, folder);
        criterion.final_summary();
        print(&rows, &methods);
    });
}

fn take(minutes: u16, layout: Layout) -> Recording<'static> {
    let seconds = 60.0 * f32::from(minutes);
    Motion::new(Scene::TwoHands, 1, seconds).record(60.0, layout)
}

/// Returns the number of keys of all positions, directions and rotations. Their components count as one.
fn samples(take: &Recording<'_>) -> usize {
    let curves = take.curves();
    let first = curves.filter(|(path, _)| path.to_string().ends_with(".x"));
    first.map(|(_, curve)| curve.len()).sum()
}

/// Medians in nanoseconds, and the largest allocation beside the recording in bytes.
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
    let bytes = whole.to_bytes_as(Layout::Mrtk1_1).expect("memory");
    let mut buffer = bytes.clone();
    let name = format!("reduce {minutes} minutes");
    let mut group = criterion.benchmark_group(&name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function("read", |b| b.iter(|| sum(black_box(&whole))));
    group.bench_function("copy", |b| {
        b.iter(|| buffer.copy_from_slice(black_box(&bytes)));
    });
    drop((bytes, buffer));
    let with = Reduce::default();
    bench(&mut group, "reduce", &threads(1), &whole, &with);
    bench(&mut group, "reduce_all", &threads(0), &whole, &with);
    group.finish();

    let median = |name_of: &str| median(output, &name, name_of);
    let mut reduced = whole.clone();
    let memory = memory(|| reduced.reduce(&with).ok());
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

/// Creates a thread pool with `count` threads; 0 stands for one thread per processor.
fn threads(count: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.expect("threads")
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    threads: &ThreadPool,
    whole: &Recording<'_>,
    with: &Reduce,
) {
    group.bench_function(name, |b| {
        b.iter_batched_ref(
            || whole.clone(),
            |take| threads.install(|| black_box(take).reduce(with).map(|left| left.len())),
            BatchSize::PerIteration,
        );
    });
}

/// Measures the methods of reduction on one thread. Returns the name of each method, and the median of its times in
/// nanoseconds. The first one is the one-pass method.
fn measure_methods(criterion: &mut Criterion, output: &Path) -> Vec<(&'static str, f64)> {
    let methods = [
        ("one-pass", ReduceMethod::OnePass, None, false),
        ("optimal", ReduceMethod::Optimal, None, false),
        (
            "MRTK, partitions of 32",
            ReduceMethod::Mrtk,
            Some(32),
            false,
        ),
        (
            "MRTK, without partitions",
            ReduceMethod::Mrtk,
            Some(0),
            false,
        ),
        ("one-pass with tangents", ReduceMethod::OnePass, None, true),
    ];
    let name = "ways to reduce";
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let one = threads(1);
    for (label, method, partition, tangents) in methods {
        let layout = if tangents {
            Layout::Documented1_1
        } else {
            Layout::Mrtk1_1
        };
        let whole = take(10, layout);
        let mut with = Reduce::default();
        (with.method, with.partition) = (method, partition);
        with.tangents = tangents;
        bench(&mut group, label, &one, &whole, &with);
    }
    group.finish();
    methods
        .map(|(label, ..)| (label, median(output, name, label)))
        .into()
}

fn print(rows: &[Row], methods: &[(&str, f64)]) {
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
            "  {} minutes: {:.3} s, {:.3} s on all threads; additional memory: {} bytes, {:.1} a sample",
            row.minutes,
            row.reduce / 1e9,
            row.reduce_all / 1e9,
            row.memory,
            row.memory as f64 / row.samples as f64
        );
    }
    println!("\nten minutes, one thread");
    let one_pass = methods.first().map_or(f64::NAN, |(_, time)| *time);
    for (label, time) in methods {
        println!(
            "  {label:<28} {:>8.3} s {:>6.2} times one pass",
            time / 1e9,
            time / one_pass
        );
    }
}
