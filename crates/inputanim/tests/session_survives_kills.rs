//! A program that records is killed, or the power fails: what it was told is safe is there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use inputanim::session::{self, Durable, Recovery, Settings, Writer};
use inputanim::{Frame, Joint, Layout, Limits, Pose, Recorder, Side};

const SETTINGS: Settings = Settings::new(Layout::Mrtk1_1);
const KILLS: u32 = 320;
/// The frames of a second, all that may be missing.
const SECOND: u64 = 60;
/// Names the file that a child writes.
const FILE: &str = "INPUTANIM_TEST_SESSION";
const CHILD: &str = "a_child_records_until_it_is_killed";

fn frame(number: u64) -> Frame {
    let time = number as f32 / SECOND as f32;
    let pose = |x: f32| Pose {
        position: [x, time, time.sin()],
        rotation: [0.0, (time * 9.0).sin(), x, (time * 9.0).cos()],
    };
    let mut frame = Frame {
        time,
        camera: Some(pose(0.5)),
        ..Frame::default()
    };
    for side in Side::BOTH {
        let hand = frame.hand_mut(side);
        hand.tracked = number % 200 > 50;
        hand.pinching = number % 90 < 30;
        for joint in [Joint::Wrist, Joint::Palm, Joint::IndexTip] {
            hand.joints[joint] = Some(pose(joint.index() as f32));
        }
    }
    frame
}

/// What is recovered is, to the last bit, what a recorder has of as many frames.
fn check(recovery: &Recovery) {
    let mut recorder = Recorder::new(SETTINGS.layout);
    for number in 0..recovery.frames as u64 {
        recorder.push(&frame(number)).unwrap();
    }
    // That the writer and the recorder agree shows in both.
    assert!(recovery.recording == recorder.finish(), "other frames");
}

/// Not the same each time, so that each run of the tests kills at other moments.
fn random(below: u64) -> u64 {
    RandomState::new().hash_one(0) % below
}

#[test]
fn what_was_reported_as_safe_survives_every_kill() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut least, mut most) = (u64::MAX, 0);
    for kill in 0..KILLS {
        let path = folder.join(format!("killed-{}-{kill}.session", std::process::id()));
        let (pushed, safe) = kill_at_some_moment(&path);
        let bytes = fs::read(&path).unwrap_or_default();
        fs::remove_file(&path).ok();
        let frames = match session::recover(&bytes, &Limits::default()) {
            Ok(recovery) => {
                assert!(!recovery.is_finished);
                check(&recovery);
                recovery.frames as u64
            }
            Err(error) => {
                assert_eq!(safe, 0, "{error}");
                0
            }
        };
        assert!(frames >= safe, "{frames} of {safe} frames that were safe");
        assert!(frames + SECOND >= pushed, "{frames} of {pushed} frames");
        (least, most) = (least.min(frames), most.max(frames));
    }
    // Else all were killed at one moment.
    assert!(most > least + SECOND, "{least} to {most} frames");
}

/// How many frames a child had taken when it was killed, and how many of them were safe.
fn kill_at_some_moment(path: &Path) -> (u64, u64) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = (0, 0);
    let mut report = || -> bool {
        let line = lines.next().and_then(Result::ok);
        let numbers = line.as_deref().map(numbers);
        last = numbers.flatten().unwrap_or(last);
        numbers.is_some()
    };
    // Some while they begin, and some after a number of frames.
    match random(4) {
        0 => std::thread::sleep(Duration::from_micros(random(20_000))),
        _ => {
            for _ in 0..random(600) {
                report();
            }
        }
    }
    kill(&mut child);
    // What it still had to say.
    while report() {}
    last
}

fn numbers(line: &str) -> Option<(u64, u64)> {
    let (pushed, safe) = line.strip_prefix("frames ")?.split_once(' ')?;
    Some((pushed.parse().ok()?, safe.parse().ok()?))
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The other half of the test above; by itself it does nothing.
#[test]
fn a_child_records_until_it_is_killed() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let mut writer = Writer::new(File::create(path).unwrap(), SETTINGS).unwrap();
    let mut output = io::stdout().lock();
    writeln!(output).unwrap();
    for number in 0.. {
        writer.push(&frame(number)).unwrap();
        // A whole line or nothing: shorter than what a pipe takes at once.
        writeln!(output, "frames {} {}", number + 1, writer.safe().frames).unwrap();
    }
}

/// A disk that remembers what it was told to keep.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    synced: usize,
    /// Of each write, what was synced and what was there.
    states: Vec<(usize, usize)>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend(bytes);
        self.states.push((self.synced, self.bytes.len()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Durable for Disk {
    fn sync(&mut self) -> io::Result<()> {
        self.synced = self.bytes.len();
        Ok(())
    }
}

/// What is found after a power cut: all that was synced, and of the rest any sectors, as they
/// were to be, of zeros, of something else or not at all.
fn after_a_power_cut(disk: &Disk, synced: usize, written: usize) -> Vec<u8> {
    const SECTOR: usize = 512;
    let mut bytes = disk.bytes[..written].to_vec();
    let first = synced.next_multiple_of(SECTOR).min(written);
    let mut sectors: Vec<&mut [u8]> = bytes[first..].chunks_mut(SECTOR).collect();
    // The sector in which what is safe ends is written anew as a whole.
    let garbage = disk
        .bytes
        .iter()
        .cycle()
        .skip(random(disk.bytes.len() as u64) as usize);
    for (sector, old) in sectors.iter_mut().zip(std::iter::repeat(garbage)) {
        match random(4) {
            0 => sector.fill(0),
            1 => sector.iter_mut().for_each(|byte| *byte = random(256) as u8),
            2 => sector
                .iter_mut()
                .zip(old)
                .for_each(|(byte, old)| *byte = *old),
            _ => {}
        }
    }
    bytes.truncate(synced + random((written - synced + 1) as u64) as usize);
    bytes.resize(bytes.len() + random(2) as usize * random(5000) as usize, 0);
    bytes
}

#[test]
fn what_was_synced_survives_every_power_cut() {
    let mut disk = Disk::default();
    let mut writer = Writer::new(&mut disk, SETTINGS).unwrap();
    let mut safe = Vec::new();
    for number in 0..400 {
        writer.push(&frame(number)).unwrap();
        safe.push(writer.safe());
    }
    drop(writer);
    for &(synced, written) in &disk.states[1..] {
        let of_synced = safe.iter().rfind(|safe| safe.bytes <= synced as u64);
        let frames = of_synced.map_or(0, |safe| safe.frames);
        for _ in 0..50 {
            let bytes = after_a_power_cut(&disk, synced, written);
            let recovery = session::recover(&bytes, &Limits::default()).unwrap();
            assert!(recovery.frames as u64 >= frames, "{synced} of {written}");
            check(&recovery);
        }
    }
}
