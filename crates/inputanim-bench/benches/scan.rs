//! Scans of 1,000 recordings of six seconds, and of one of twenty minutes. Prints the medians of this run, and their
//! ratios to a scan of ten columns on one thread.

use std::fs;
use std::path::Path;

use criterion::{Criterion, SamplingMode};
use inputanim::{Layout, Recording};
use inputanim_bench::median;
use inputanim_convert::{Format, WriteOptions};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{Scan, ScanOptions, Shape};

const FILES: u64 = 1000;

/// The recordings that are converted: all of them would take minutes.
const CONVERTED: u64 = 50;

const COLUMNS: [&str; 10] = [
    "file",
    "time_s",
    "head.position.x",
    "head.position.y",
    "head.position.z",
    "right.tracked",
    "right.pinching",
    "right.IndexTip.position.x",
    "right.IndexTip.position.y",
    "right.IndexTip.position.z",
];

fn main() {
    inputanim_bench::run(|criterion, folder| {
        // The scan has threads of its own. Without this, sampling would use all processors too.
        let one = rayon::ThreadPoolBuilder::new().num_threads(1);
        one.build_global().expect("no other pool exists");
        let study = tempfile::tempdir().expect("a temporary folder");
        for seed in 0..FILES {
            let path = study.path().join(format!("{seed:04}.bin"));
            write(&path, &Motion::new(Scene::Reach, seed, 6.0));
        }
        let long = tempfile::tempdir().expect("a temporary folder");
        write(
            &long.path().join("long.bin"),
            &Motion::new(Scene::TwoHands, 1, 1200.0),
        );
        measure(criterion, study.path(), long.path());
        criterion.final_summary();
        print(folder);
    });
}

fn write(path: &Path, motion: &Motion) {
    let mut bytes = Vec::new();
    let recording = motion.record(60.0, Layout::Mrtk1_1);
    recording.write(&mut bytes).expect("memory does not fail");
    fs::write(path, bytes).expect("the disk has space");
}

/// Scans the recordings in a folder on this many threads, and returns the total number of rows. `columns` are the names
/// of the columns to read; `None` reads all.
fn scan(folder: &Path, shape: Shape, columns: Option<&[&str]>, threads: usize) -> usize {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.threads = threads;
    options.columns = columns.map(|names| names.iter().map(|&name| name.to_owned()).collect());
    let scan = Scan::new([folder], options).expect("the folder has recordings");
    let batches = scan.batches();
    batches
        .map(|batch| batch.expect("the file is intact").rows)
        .sum()
}

/// Converts the first [`CONVERTED`] recordings in a folder to Parquet, each to a file of its own in memory. Returns the
/// total size of the files in bytes.
fn convert(folder: &Path) -> usize {
    let sizes = (0..CONVERTED).map(|seed| {
        let bytes = fs::read(folder.join(format!("{seed:04}.bin"))).expect("the file exists");
        let recording = Recording::parse(&bytes).expect("the file is intact");
        let mut table = Vec::new();
        let options = WriteOptions::default();
        inputanim_convert::write(Format::Parquet, &recording, &options, &mut table)
            .expect("memory does not fail");
        table.len()
    });
    sizes.sum()
}

fn measure(criterion: &mut Criterion, study: &Path, long: &Path) {
    let ten = Some(&COLUMNS[..]);
    let mut group = criterion.benchmark_group("scan");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let mut add = |name: &str, work: &dyn Fn() -> usize| {
        group.bench_function(name, |b| b.iter(work));
    };
    add("ten, 1", &|| scan(study, Shape::Wide, ten, 1));
    add("ten, 2", &|| scan(study, Shape::Wide, ten, 2));
    add("count", &|| scan(study, Shape::Wide, Some(&[]), 1));
    add("all, 1", &|| scan(study, Shape::Wide, None, 1));
    add("info", &|| scan(study, Shape::Info, None, 1));
    if Format::Parquet.is_in_build() {
        add("convert", &|| convert(study));
    }
    add("long, 1", &|| scan(long, Shape::Wide, ten, 1));
    add("long, 2", &|| scan(long, Shape::Wide, ten, 2));
}

fn print(folder: &Path) {
    let time = |name: &str| median(folder, "scan", name) * 1e-9;
    let row = |what: &str, seconds: f64, unit: f64| {
        println!("  {what:<36}{seconds:>8.3} s{:>10.2}", seconds / unit);
    };
    let ten = time("ten, 1");
    println!("\n{FILES} recordings of six seconds at 60 Hz");
    println!("                                          time     ratio");
    row("ten columns, one thread", ten, ten);
    row("ten columns, two threads", time("ten, 2"), ten);
    row("no columns, one thread", time("count"), ten);
    row("all columns, one thread", time("all, 1"), ten);
    row("information, one thread", time("info"), ten);
    if Format::Parquet.is_in_build() {
        let convert = time("convert") * FILES as f64 / CONVERTED as f64;
        row("convert to Parquet, one thread", convert, ten);
    }
    let long = time("long, 1");
    println!("\none recording of twenty minutes");
    row("ten columns, one thread", long, long);
    row("ten columns, two threads", time("long, 2"), long);
}
