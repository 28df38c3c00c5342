//! Opening, reading and writing 100 MB, compared with a copy of the same bytes in memory and with a
//! reader that reads field by field. Prints the ratios of the medians of this run.

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;

use criterion::{Criterion, SamplingMode};
use inputanim::{Layout, Recording};
use inputanim_bench::{median, memory, sum};
use inputanim_motion::{Motion, Scene};

const BYTES: usize = 100_000_000;

fn main() {
    inputanim_bench::run(|criterion, folder| {
        let mut rows = Vec::new();
        for layout in [Layout::Mrtk1_1, Layout::Mrtk1_0] {
            let bytes = recording_of(BYTES, layout);
            rows.push(measure(criterion, folder, layout, &bytes));
        }
        criterion.final_summary();
        rows.iter().for_each(print);
    });
}

/// Returns a recording of two hands at 60 Hz, generated so long that it has at least this many bytes.
fn recording_of(bytes: usize, layout: Layout) -> Vec<u8> {
    let mut seconds = 60.0;
    loop {
        let made = lossy_bytes(&Motion::new(Scene::TwoHands, 1, seconds), layout);
        if made.len() >= bytes {
            return made;
        }
        seconds *= 1.01 * bytes as f32 / made.len() as f32;
    }
}

fn lossy_bytes(motion: &Motion, layout: Layout) -> Vec<u8> {
    let mut bytes = Vec::new();
    let recording = motion.record(60.0, layout);
    let written = recording.write_lossy_as(&mut bytes, layout);
    written.expect("memory");
    bytes
}

/// Medians in nanoseconds, and bytes allocated at the most.
struct Row {
    layout: Layout,
    bytes: usize,
    copy: f64,
    open: f64,
    open_file: f64,
    read: f64,
    fields: f64,
    write: f64,
    open_memory: usize,
    owned_memory: usize,
    write_memory: usize,
    fields_memory: usize,
}

fn measure(criterion: &mut Criterion, output: &Path, layout: Layout, bytes: &[u8]) -> Row {
    let recording = Recording::parse(bytes).expect("well formed");
    let mut buffer = bytes.to_vec();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room on the disk");

    let mut group = criterion.benchmark_group(layout.name());
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group.bench_function("copy", |b| {
        b.iter(|| buffer.copy_from_slice(black_box(bytes)));
    });
    group.bench_function("open", |b| {
        b.iter(|| Recording::parse(black_box(bytes)).map(|read| read.layout));
    });
    group.bench_function("open_file", |b| b.iter(|| open_file(file.path())));
    group.bench_function("read", |b| {
        b.iter(|| Recording::parse(black_box(bytes)).map(|read| sum(&read)));
    });
    group.bench_function("write", |b| {
        b.iter(|| {
            buffer.clear();
            recording.write_as(&mut buffer, layout).map_err(drop)
        });
    });
    group.bench_function("fields", |b| {
        b.iter(|| Fields::read(black_box(bytes)).map(|read| read.keys()))
    });
    group.finish();

    let median = |name: &str| median(output, layout.name(), name);
    Row {
        layout,
        bytes: bytes.len(),
        copy: median("copy"),
        open: median("open"),
        open_file: median("open_file"),
        read: median("read"),
        fields: median("fields"),
        write: median("write"),
        open_memory: memory(|| Recording::parse(bytes).ok()),
        owned_memory: memory(|| Recording::parse(bytes).map(Recording::into_owned).ok()),
        write_memory: memory(|| recording.write_as(std::io::sink(), layout).ok()),
        fields_memory: memory(|| Fields::read(bytes)),
    }
}

/// Maps a file into memory and parses it. The file is in the cache of the system, but each page is accessed for the
/// first time. Returns 1 if the recording has a head, so that the work is not optimised away.
#[allow(unsafe_code)]
fn open_file(path: &Path) -> f32 {
    let file = File::open(path).expect("the file is there");
    // SAFETY: nothing changes the file while this runs.
    let map = unsafe { memmap2::Mmap::map(&file) }.expect("it can be mapped");
    Recording::parse(&map).map_or(0.0, |read| f32::from(read.head.is_some()))
}

/// A reader as it is usually written: a stream, a number at a time, vectors of structs.
#[derive(Default)]
struct Fields {
    simple: Vec<Vec<[f32; 2]>>,
    full: Vec<Vec<[f32; 7]>>,
}

impl Fields {
    fn read(bytes: &[u8]) -> std::io::Result<Fields> {
        let mut input = bytes;
        let mut header = [0; 16];
        input.read_exact(&mut header)?;
        let is_1_1 = header[12] == 1;
        let mut curves = 389;
        if is_1_1 {
            input.read_exact(&mut [0; 3])?;
            curves = 395;
        }
        let mut read = Fields::default();
        for curve in 0..curves {
            let (_pre, _post) = (int(&mut input)?, int(&mut input)?);
            let count = int(&mut input)?;
            if is_1_1 || (7..11).contains(&curve) {
                let key = |input: &mut &[u8]| Ok([float(input)?, float(input)?]);
                let keys: std::io::Result<_> = (0..count).map(|_| key(&mut input)).collect();
                read.simple.push(keys?);
            } else {
                let key = |input: &mut &[u8]| {
                    let mut key = [0.0; 7];
                    for field in &mut key[..6] {
                        *field = float(input)?;
                    }
                    key[6] = int(input)? as f32;
                    Ok(key)
                };
                let keys: std::io::Result<_> = (0..count).map(|_| key(&mut input)).collect();
                read.full.push(keys?);
            }
        }
        Ok(read)
    }

    fn keys(&self) -> usize {
        let simple = self.simple.iter().map(Vec::len);
        simple.chain(self.full.iter().map(Vec::len)).sum()
    }
}

fn int(input: &mut impl Read) -> std::io::Result<i32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

fn float(input: &mut impl Read) -> std::io::Result<f32> {
    int(input).map(|bits| f32::from_bits(bits as u32))
}

fn print(row: &Row) {
    let bytes = row.bytes as f64;
    let speed = |time: f64| bytes / time;
    println!("\n{}, {} bytes", row.layout, row.bytes);
    println!("                          time      GB/s  of a copy's speed");
    for (name, time) in [
        ("copy in memory", row.copy),
        ("read every key", row.read),
        ("write", row.write),
        ("field by field", row.fields),
    ] {
        let (ms, share) = (time / 1e6, row.copy / time);
        println!(
            "  {name:<18} {ms:>8.2} ms  {:>8.2}  {share:>8.2}",
            speed(time)
        );
    }
    println!("  open               {:>8.2} µs", row.open / 1e3);
    println!(
        "  open a mapped file {:>8.2} µs, the file in the page cache, mapping included",
        row.open_file / 1e3
    );
    println!(
        "  field by field takes {:.0} times as long as opening, {:.1} times as long as reading every key",
        row.fields / row.open,
        row.fields / row.read
    );
    println!(
        "  memory: open {}, own {}, write {}, field by field {} (bytes at most)",
        row.open_memory, row.owned_memory, row.write_memory, row.fields_memory
    );
}
