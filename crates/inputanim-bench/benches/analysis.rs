//! The analysis of ten minutes of two hands with head and gaze. Prints the medians of this run,
//! and their ratios to one pass over all keys.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, SamplingMode};
use inputanim::{Layout, Recording};
use inputanim_analysis::{Analysis, AnalysisParameters, Group};
use inputanim_bench::{median, sum};
use inputanim_motion::{Motion, Scene};

const SECONDS: f32 = 600.0;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let recording = Motion::new(Scene::TwoHands, 1, SECONDS).record(60.0, Layout::Mrtk1_1);
        measure(criterion, &recording);
        criterion.final_summary();
        print(folder);
    });
}

/// Analyses a recording with these groups of elements, and returns the number of computed measures.
fn analyse(recording: &Recording<'_>, groups: &[Group]) -> usize {
    let mut options = AnalysisParameters::default();
    options.groups = groups.to_vec();
    let analysis = Analysis::of(recording, &options).expect("the recording can be analysed");
    analysis.measures(analysis.range).rows.len()
}

fn measure(criterion: &mut Criterion, recording: &Recording<'_>) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("a thread starts");
    let mut group = criterion.benchmark_group("analysis");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function("read", |b| b.iter(|| black_box(sum(recording))));
    group.bench_function("all", |b| b.iter(|| analyse(recording, Group::ALL)));
    group.bench_function("one thread", |b| {
        b.iter(|| one.install(|| analyse(recording, Group::ALL)));
    });
    group.bench_function("none", |b| {
        b.iter(|| one.install(|| analyse(recording, &[])));
    });
}

fn print(folder: &Path) {
    let time = |name: &str| median(folder, "analysis", name) * 1e-9;
    let read = time("read");
    println!("\nten minutes of two hands, head and gaze");
    println!("                                  time  times reading");
    let row = |what: &str, seconds: f64| {
        println!("  {what:<28}{seconds:>8.3} s{:>15.1}", seconds / read);
    };
    row("read every key", read);
    row("all measures, all threads", time("all"));
    row("all measures, one thread", time("one thread"));
    row("channels and events", time("none"));
}
