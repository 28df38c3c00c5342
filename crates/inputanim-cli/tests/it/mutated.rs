//! No verb panics, and none runs or prints without end, whatever bytes it reads.
//!
//! Each run is a process with limited memory, output and time. Run N always has the same mutation and
//! the same command. `INPUTANIM_MUTATED_RUNS` sets the number of runs, and
//! `INPUTANIM_MUTATED_FIRST` the first one.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use inputanim::{Layout, Recording, TimeRange, edit};
use inputanim_testkit::{RandomNumbers, mutate, samples};
use tempfile::TempDir;

use crate::support::program;

/// Commands that read a recording, IN. INTACT is another recording, OUT a file to write.
const ON_RECORDINGS: &[&str] = &[
    "info IN",
    "info IN --brief",
    "info IN INTACT --format csv",
    "check IN",
    "check IN --format json",
    "doctor IN --all-curves",
    "doctor IN --brief",
    "doctor IN --format csv",
    "cat IN",
    "cat IN --show states",
    "cat IN --show curves --format json",
    "cat IN --show markers --format csv",
    "sample IN --rate 30",
    "sample IN --at-keys --format ndjson",
    "sample IN --at-markers --format csv",
    "sample IN --time -1..0.5 --raw --untracked",
    "play IN --no-wait",
    "play IN --no-wait --speed -2 --format csv",
    "events IN",
    "events IN INTACT --format csv",
    "events IN --time 0.1..0.3 --format json",
    "stats IN",
    "stats IN INTACT --tidy --format csv",
    "stats IN --segments markers --format ndjson",
    "stats IN --segments *:* --measures hands,gaze --rate 90",
    "stats IN --segments movement@-0.1..0.1",
    #[cfg(feature = "parquet")]
    "stats IN -o OUT.parquet",
    "diff IN INTACT",
    "diff INTACT IN --format json",
    "recover IN -o OUT.bin",
    "repair IN -o OUT.bin",
    "repair --trim-frozen IN -o OUT.bin",
    "trim IN --time 0.1..0.4 -o OUT.bin",
    "split IN --into 3 -o OUT.bin",
    "split IN --at-gaps both -o OUT.bin",
    "concat IN INTACT --blend 0.5 -o OUT.bin",
    "concat INTACT IN --gap 1 -o OUT.json",
    "shift IN --by 1.5 -o OUT.bin",
    "retime IN --speed 2 -o OUT.bin",
    "retime IN --duration 3 -o OUT.bin",
    "resample IN --rate 20 -o OUT.bin",
    "select IN --exclude gaze -o OUT.bin",
    "mirror IN -o OUT.bin",
    "transform IN --origin floor --yaw 90 --scale 2 -o OUT.bin",
    "smooth IN -o OUT.bin",
    "fill IN --with interpolate -o OUT.bin",
    "reduce IN -o OUT.bin",
    "markers list IN",
    "convert IN OUT.bin --layout mrtk-1.0 --allow-loss",
    "convert IN OUT.json",
    "convert IN OUT.glb",
    "convert IN OUT.gltf --rate 30",
    "convert IN OUT.iwer.json --rate 30",
    "convert IN OUT.handsbin --rate 30",
    "convert IN OUT.csv --rate 30",
    "convert IN OUT.tsv --shape keys",
    "convert IN OUT.ndjson --at-keys",
    "convert IN OUT.anim",
    "convert IN OUT.bvh --rate 30",
    "convert IN OUT.usda --rate 30",
    "convert IN OUT.usdc --rate 30",
    #[cfg(feature = "parquet")]
    "convert IN OUT.parquet --rate 30",
    #[cfg(feature = "parquet")]
    "convert IN OUT.arrow --shape keys",
    #[cfg(feature = "mcap")]
    "convert IN OUT.mcap --rate 30",
    #[cfg(feature = "isaac")]
    "convert IN OUT.isaac.mcap --rate 30",
    #[cfg(feature = "xdf")]
    "convert IN OUT.xdf --rate 30",
    #[cfg(feature = "lerobot")]
    "convert IN INTACT --to lerobot -o OUT --segments markers --frame wrist",
];

/// Formats that `convert` reads, with the options that write them.
const OTHER_FORMATS: &[&str] = &[
    "json",
    "glb",
    "gltf",
    "iwer.json",
    "handsbin",
    "csv",
    "tsv",
    "ndjson",
    "keys.csv --shape keys",
    #[cfg(feature = "parquet")]
    "parquet",
    #[cfg(feature = "parquet")]
    "keys.parquet --shape keys",
    #[cfg(feature = "parquet")]
    "arrow",
    #[cfg(feature = "mcap")]
    "mcap",
    #[cfg(feature = "isaac")]
    "isaac.mcap",
    #[cfg(feature = "xdf")]
    "xdf",
];

/// Formats that are only read, with an intact file.
const ONLY_READ: &[(&str, &str)] = &[
    #[cfg(feature = "full")]
    ("hdf5", "egodex/latest.hdf5"),
    #[cfg(feature = "full")]
    ("hdf5", "egodex/earliest.hdf5"),
    #[cfg(feature = "full")]
    ("xror", "golden/small.xror"),
];

/// Commands that read any format.
const ON_ALL_FORMATS: &[&str] = &[
    "convert IN OUT.bin",
    "info IN",
    "check IN",
    "doctor IN",
    "cat IN --format csv",
    "stats IN INTACT --tidy --format csv",
    "repair IN -o OUT.bin",
];

/// The limits of a run: memory in KiB, output in blocks of 512 bytes, and seconds. A correct run
/// needs a small part of each, also on a busy machine.
const LIMITS: &str = "ulimit -v 4000000 && ulimit -f 200000 && exec timeout -s KILL 60 \"$@\"";

/// A file to mutate, and the commands that read it.
struct Original {
    /// The extension, such as `.bin`.
    extension: String,
    bytes: Vec<u8>,
    commands: Vec<String>,
}

#[test]
fn no_verb_fails_badly_on_mutated_input() {
    let number = |name: &str, default| {
        let given = std::env::var(name).ok();
        given.map_or(default, |text| text.parse::<u64>().unwrap())
    };
    let runs = number("INPUTANIM_MUTATED_RUNS", 60);
    let first = number("INPUTANIM_MUTATED_FIRST", 0);
    let folder = tempfile::tempdir().unwrap();
    let intact = folder.path().join("intact.bin");
    fs::write(&intact, short_recording()).unwrap();
    let originals = originals(&intact);
    for original in &originals {
        for command in &original.commands {
            let run = Run::new(command, original, &original.bytes, &intact);
            // Wrong usage would end every run early, so that nothing would be tested.
            if let Err(failure) = run.check(|code| matches!(code, 0 | 1 | 3)) {
                panic!("on the intact file: {failure}");
            }
        }
    }
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= first + runs {
                        break;
                    }
                    if let Err(failure) = attempt(run, &originals, &intact) {
                        failures
                            .lock()
                            .unwrap()
                            .push(format!("run {run}: {failure}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns half a second of a sample, with all streams and a marker.
fn short_recording() -> Vec<u8> {
    let bytes = samples::read("two-hands.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    let (start, end) = (0.9, 1.3);
    edit::trim(&mut recording, TimeRange { start, end }).unwrap();
    assert!(!recording.markers.is_empty());
    recording.to_bytes().unwrap()
}

/// Returns small files in each layout and in each format that can be read.
fn originals(intact: &Path) -> Vec<Original> {
    let folder = tempfile::tempdir().unwrap();
    let on_recordings: Vec<String> = ON_RECORDINGS.iter().map(ToString::to_string).collect();
    let mut originals: Vec<Original> = Vec::new();
    let convert = |options: &str, name: &str| {
        let path = folder.path().join(name);
        let status = program()
            .arg("convert")
            .args([intact, &path])
            .args(options.split_whitespace())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(matches!(status.code(), Some(0 | 3)), "{name}: {status}");
        fs::read(path).unwrap()
    };
    for layout in [Layout::Mrtk1_1, Layout::Mrtk1_0] {
        originals.push(Original {
            extension: ".bin".to_owned(),
            bytes: convert(
                &format!("--layout {layout} --allow-loss"),
                &format!("{layout}.bin"),
            ),
            commands: on_recordings.clone(),
        });
    }
    for format in OTHER_FORMATS {
        let (extension, options) = format.split_once(' ').unwrap_or((format, ""));
        let mut commands: Vec<String> = ON_ALL_FORMATS.iter().map(ToString::to_string).collect();
        if *format == "json" {
            commands.extend_from_slice(&on_recordings);
        }
        if *format == "ndjson" || *format == "csv" {
            commands.push("record IN -o OUT.bin --skip-bad".to_owned());
        }
        originals.push(Original {
            extension: format!(".{extension}"),
            bytes: convert(options, &format!("original.{extension}")),
            commands,
        });
    }
    for (extension, path) in ONLY_READ {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inputanim-convert/tests");
        originals.push(Original {
            extension: format!(".{extension}"),
            bytes: fs::read(tests.join(path)).unwrap(),
            commands: ON_ALL_FORMATS.iter().map(ToString::to_string).collect(),
        });
    }
    originals
}

/// Makes one run. Its failure names the command and a copy of the input.
fn attempt(run: u64, originals: &[Original], intact: &Path) -> Result<(), String> {
    let mut random = RandomNumbers::new(run);
    // Recordings are what most verbs read, so they are half of all input.
    let index = match random.below(2) {
        0 => random.below(2),
        _ => random.below(originals.len() as u64),
    };
    let original = &originals[index as usize];
    let bytes = mutate(&original.bytes, &mut random);
    // A longer recording is allowed to take its time.
    // A damaged key may lie hours before t = 0, so the duration does not tell the length.
    let length =
        Recording::recover(&bytes).map_or(0.0, |found| found.recording.played_range().length());
    if (600.0..1e5).contains(&length) {
        return Ok(());
    }
    let command = &original.commands[random.below(original.commands.len() as u64) as usize];
    Run::new(command, original, &bytes, intact).check(|code| matches!(code, 0..=3))
}

/// A run of a command on an input in a folder of its own.
struct Run<'c> {
    command: &'c str,
    folder: TempDir,
    input: PathBuf,
    arguments: Vec<String>,
}

impl<'c> Run<'c> {
    fn new(command: &'c str, original: &Original, bytes: &[u8], intact: &Path) -> Run<'c> {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join(format!("in{}", original.extension));
        fs::write(&input, bytes).unwrap();
        let output = folder.path().join("out").display().to_string();
        let arguments = command.split_whitespace().map(|word| match word {
            "IN" => input.display().to_string(),
            "INTACT" => intact.display().to_string(),
            word => word.replace("OUT", &output),
        });
        Run {
            command,
            arguments: arguments.collect(),
            folder,
            input,
        }
    }

    /// Starts the program, and checks its exit code and its messages.
    fn check(self, is_allowed: impl Fn(i32) -> bool) -> Result<(), String> {
        let printed = self.folder.path().join("printed");
        let messages = self.folder.path().join("messages");
        let status = Command::new("sh")
            .args(["-c", LIMITS, "sh", env!("CARGO_BIN_EXE_inputanim")])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&printed).unwrap())
            .stderr(File::create(&messages).unwrap())
            .status()
            .unwrap();
        let messages = fs::read_to_string(&messages).unwrap_or_default();
        if status.code().is_some_and(is_allowed) && !messages.contains("panicked at") {
            return Ok(());
        }
        let (command, kept) = (self.command, keep(self.folder, &self.input));
        let end: String = messages.chars().take(2000).collect();
        Err(format!("{command} on {}: {status}\n{end}", kept.display()))
    }
}

/// Keeps the folder of a failed run, and returns the path of its input.
fn keep(folder: TempDir, input: &Path) -> PathBuf {
    let name = input.file_name().unwrap().to_owned();
    folder.keep().join(name)
}
