//! Synced frames are recovered after a recording program is killed, or after a power cut.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use inputanim::session::{self, RecoveredSession, SessionOptions, SessionWriter, SyncWrite};
use inputanim::{Frame, Joint, Layout, Limits, Pose, Recorder, Side};
use inputanim_testkit::RandomNumbers;

const SETTINGS: SessionOptions = SessionOptions::new(Layout::Mrtk1_1);
const KILLS: u32 = 160;
/// The frames of one second, the largest number of frames that may be missing.
const SECOND: u64 = 60;
/// The environment variable with the path of the file that a child process writes.
const FILE: &str = "INPUTANIM_TEST_SESSION";
const CHILD: &str = "session_survives_kills::child_records_until_it_is_killed";

fn frame(number: u64) -> Frame {
    let time = number as f32 / SECOND as f32;
    let pose = |x: f32| Pose {
        position: [x, time, time.sin()],
        rotation: [0.0, (time * 9.0).sin(), x, (time * 9.0).cos()],
    };
    let mut frame = Frame {
        time,
        head: Some(pose(0.5)),
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

/// Checks that the recovered recording equals a recorder's recording with the same number of frames.
fn check(recovery: &RecoveredSession) {
    let mut recorder = Recorder::new(SETTINGS.layout);
    for number in 0..recovery.frames as u64 {
        recorder.push(&frame(number)).unwrap();
    }
    assert!(recovery.recording == recorder.finish(), "other frames");
}

#[test]
fn synced_frames_survive_every_kill() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut random = RandomNumbers::from_environment();
    let (mut least, mut most) = (u64::MAX, 0);
    for kill in 0..KILLS {
        let path = folder.join(format!("killed-{}-{kill}.session", std::process::id()));
        let (pushed, safe) = kill_after(random.below(600).saturating_sub(100), &path);
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
    // The kills must happen at different times.
    assert!(most > least + SECOND, "{least} to {most} frames");
}

/// Kills a child process after a number of reports. Returns its numbers of pushed and of synced frames.
fn kill_after(reports: u64, path: &Path) -> (u64, u64) {
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
    for _ in 0..reports {
        report();
    }
    kill(&mut child);
    // The pipe still has the reports before the kill.
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

/// Runs as the child process of the test above, and does nothing as a test.
#[test]
fn child_records_until_it_is_killed() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let mut writer = SessionWriter::new(File::create(path).unwrap(), SETTINGS).unwrap();
    let mut output = io::stdout().lock();
    writeln!(output).unwrap();
    for number in 0.. {
        writer.push(&frame(number)).unwrap();
        // A pipe accepts a line of this length completely or not at all.
        writeln!(output, "frames {} {}", number + 1, writer.synced().frames).unwrap();
    }
}

/// A disk in memory that remembers what was synced.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    synced: usize,
    /// The numbers of synced and of written bytes after each write.
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

impl SyncWrite for Disk {
    fn sync(&mut self) -> io::Result<()> {
        self.synced = self.bytes.len();
        Ok(())
    }
}

/// Returns the bytes after a power cut: all synced bytes, and for the other bytes sectors that are correct, zeros,
/// random, old data or missing.
fn after_a_power_cut(
    disk: &Disk,
    synced: usize,
    written: usize,
    random: &mut RandomNumbers,
) -> Vec<u8> {
    const SECTOR: usize = 512;
    let mut bytes = disk.bytes[..written].to_vec();
    let first = synced.next_multiple_of(SECTOR).min(written);
    let mut sectors: Vec<&mut [u8]> = bytes[first..].chunks_mut(SECTOR).collect();
    // The sector in which the synced bytes end is not damaged, because a disk writes complete sectors.
    let garbage = disk
        .bytes
        .iter()
        .cycle()
        .skip(random.below(disk.bytes.len() as u64) as usize);
    for (sector, old) in sectors.iter_mut().zip(std::iter::repeat(garbage)) {
        match random.below(4) {
            0 => sector.fill(0),
            1 => sector
                .iter_mut()
                .for_each(|byte| *byte = random.below(256) as u8),
            2 => sector
                .iter_mut()
                .zip(old)
                .for_each(|(byte, old)| *byte = *old),
            _ => {}
        }
    }
    bytes.truncate(synced + random.below((written - synced + 1) as u64) as usize);
    bytes.resize(
        bytes.len() + random.below(2) as usize * random.below(5000) as usize,
        0,
    );
    bytes
}

#[test]
fn synced_frames_survive_every_power_cut() {
    let mut random = RandomNumbers::from_environment();
    let mut disk = Disk::default();
    let mut writer = SessionWriter::new(&mut disk, SETTINGS).unwrap();
    let mut safe = Vec::new();
    for number in 0..400 {
        writer.push(&frame(number)).unwrap();
        safe.push(writer.synced());
    }
    drop(writer);
    for &(synced, written) in &disk.states[1..] {
        let last = safe.iter().rfind(|safe| safe.bytes <= synced as u64);
        let frames = last.map_or(0, |safe| safe.frames);
        for _ in 0..50 {
            let bytes = after_a_power_cut(&disk, synced, written, &mut random);
            let recovery = session::recover(&bytes, &Limits::default()).unwrap();
            assert!(recovery.frames as u64 >= frames, "{synced} of {written}");
            check(&recovery);
        }
    }
}
