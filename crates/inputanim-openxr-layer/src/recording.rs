//! A recording in progress.
//!
//! A thread writes the frames to the session file, because a sync of the disk takes longer than a frame. It ends when the channel
//! is closed. The program makes the recording from the session file, so that the memory and the end of an application do not depend
//! on the length of the recording.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError, TrySendError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use inputanim::headset;
use inputanim::session::{self, SessionOptions, SessionWriteError, SessionWriter, SyncWrite};
use inputanim::velocity::VelocityVector;
use inputanim::{DeviceName, Haptic, Layout, Side};
use inputanim_openxr::{RecordReport, RecordSettings, RecordedDevice};

use crate::files;
use crate::marks::Marks;
use crate::messages::print;
use crate::sample::Sample;

/// The frames and markers that may wait for the disk: 11 seconds at 90 frames per second. A frame of two hands and two controllers
/// has 4 KB.
const CAPACITY: usize = 1024;

/// The time that a frame waits for a full channel. Then the disk is too slow.
const PATIENCE: Duration = Duration::from_secs(1);

/// The message when the disk is too slow.
const TOO_SLOW: &str = "the disk is too slow: the recording has stopped";

/// The time between two looks at the channel. The thread does not wait on the channel: to wake a thread takes the
/// application longer than all other work for a frame.
const NAP: Duration = Duration::from_millis(20);

/// The time between syncs of the disk, at least.
const SYNC_INTERVAL: Duration = Duration::from_millis(200);

/// The time between blocks of the session file in seconds. With [`SYNC_INTERVAL`], a power cut costs less than half a
/// second.
const BLOCK_SECONDS: f32 = 0.25;

/// The outputs of the recordings that this process has begun.
static OUTPUTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn outputs() -> MutexGuard<'static, Vec<PathBuf>> {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of recordings that this process has begun with this path of the output in the settings.
fn begun(output: &Path) -> u32 {
    let count = outputs().iter().filter(|path| *path == output).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns `true` if this process has begun a recording with this path of the output in the settings.
pub(crate) fn has_begun(output: &Path) -> bool {
    begun(output) > 0
}

/// A frame, a marker or a change of the session, which is sent to the thread that writes the session file.
pub(crate) enum Message {
    Frame(Box<Sample>),
    Marker {
        time: f32,
        name: String,
    },
    /// A vibration that the application asked for.
    Haptic {
        device: DeviceName,
        haptic: Haptic,
    },
    /// A change of the session, which becomes a marker if another frame follows. Otherwise it belongs to the end.
    State {
        time: f32,
        name: String,
    },
}

/// A recording in progress.
pub(crate) struct Recording {
    /// `None` after an error.
    sender: Option<SyncSender<Message>>,
    /// The thread that writes the files. It returns the number in their names, and the report.
    thread: JoinHandle<(u32, RecordReport)>,
    report: Option<PathBuf>,
    is_too_slow: bool,
}

impl Recording {
    /// Starts the thread that writes a recording. Fails if the system cannot start a thread.
    pub(crate) fn start(settings: &RecordSettings) -> io::Result<Recording> {
        let number = begun(&settings.output);
        outputs().push(settings.output.clone());
        let (sender, receiver) = mpsc::sync_channel(CAPACITY);
        let thread = thread::Builder::new().name("inputanim".to_owned());
        let own = settings.clone();
        Ok(Recording {
            sender: Some(sender),
            thread: thread.spawn(move || run(&receiver, &own, number))?,
            report: settings.report.clone(),
            is_too_slow: false,
        })
    }

    /// Sends a frame or marker to the thread. If the channel stays full for one second, ends the recording and prints
    /// that the disk is too slow.
    pub(crate) fn send(&mut self, message: Message) {
        let Some(sender) = &self.sender else { return };
        let mut message = message;
        let mut since = None;
        loop {
            match sender.try_send(message) {
                Ok(()) => return,
                // The thread has printed its error.
                Err(TrySendError::Disconnected(_)) => break,
                Err(TrySendError::Full(back)) => {
                    let since = *since.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        self.is_too_slow = true;
                        print(TOO_SLOW);
                        break;
                    }
                    message = back;
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
        self.sender = None;
    }

    /// Ends the recording, waits until the thread has written its files, and writes the report. `notes` are messages
    /// about parts that the runtime did not offer; `devices` say what was not recorded of devices; `error` is the error that has ended
    /// the recording early.
    pub(crate) fn finish(
        mut self,
        mut notes: Vec<String>,
        devices: Vec<RecordedDevice>,
        error: Option<&str>,
    ) {
        self.sender = None;
        self.thread.thread().unpark();
        let (number, mut report) = self.thread.join().unwrap_or_else(|_| {
            let error = "internal error while the recording was written";
            print(error);
            let mut report = RecordReport::default();
            report.error = Some(error.to_owned());
            (0, report)
        });
        let too_slow = self.is_too_slow.then_some(TOO_SLOW);
        report.error = report.error.or(error.or(too_slow).map(str::to_owned));
        notes.append(&mut report.notes);
        report.notes = notes;
        for device in devices {
            let recorded = report.device(&device.name);
            recorded.never_active = device.never_active;
            let is_recorded = |name: &String| recorded.inputs.contains(name);
            let mut not_read = device.not_read;
            not_read.retain(|(name, _)| !is_recorded(name));
            recorded.not_read = not_read;
        }
        if let Some(path) = &self.report {
            files::write_report(&inputanim_openxr::numbered(path, number), &report);
        }
    }
}

/// A recording that cannot be written.
#[derive(Debug)]
struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    fn new(doing: &str, path: &Path, error: impl std::error::Error) -> Failure {
        let mut message = format!("cannot {doing} {}: {error}", path.display());
        let mut source = error.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        Failure {
            message,
            hint: None,
        }
    }
}

/// Records messages until the channel is closed, and writes the files. `number` is the smallest number that their names
/// may have. Returns the number in their names, and the report, which contains the error if the recording failed.
fn run(
    receiver: &Receiver<Message>,
    settings: &RecordSettings,
    number: u32,
) -> (u32, RecordReport) {
    let mut writing = Writing {
        report: RecordReport::default(),
        number,
        refused: 0,
        first_refused: None,
    };
    if let Err(failure) = writing.run(receiver, settings) {
        let mut text = failure.message.clone();
        if let Some(hint) = failure.hint {
            text += &format!("\nhint: {hint}");
        }
        print(text);
        writing.report.error = Some(failure.message);
    }
    writing.add_notes();
    (writing.number, writing.report)
}

/// The state of the thread that writes a recording.
struct Writing {
    report: RecordReport,
    /// The number in the names of the files.
    number: u32,
    /// The frames that the session refuses, because their time or a number is not valid.
    refused: u64,
    first_refused: Option<String>,
}

impl Writing {
    fn run(
        &mut self,
        receiver: &Receiver<Message>,
        settings: &RecordSettings,
    ) -> Result<(), Failure> {
        let session = settings.session_path();
        // A recording of this run is never replaced, and another one only if the user wants it.
        let is_free = |number| {
            let report = settings.report.as_ref();
            let is_new =
                report.is_none_or(|report| !inputanim_openxr::numbered(report, number).exists());
            is_new
                && (settings.replace
                    || !inputanim_openxr::numbered(&settings.output, number).exists())
        };
        let marks = settings
            .markers
            .as_deref()
            .map(|path| Marks::open(path).map_err(|error| Failure::new("open", path, error)));
        let marks = marks.transpose()?;
        let created = files::create_session(&session, self.number, is_free);
        let (number, file) = created.map_err(|error| Failure::new("write", &session, error))?;
        let path = inputanim_openxr::numbered(&session, number);
        let output = inputanim_openxr::numbered(&settings.output, number);
        if number > self.number {
            let other = [&settings.output, &session]
                .map(|path| inputanim_openxr::numbered(path, self.number));
            let other = other.iter().find(|path| path.exists()).unwrap_or(&other[0]);
            let note = format!(
                "{} already exists: the recording is {}",
                other.display(),
                output.display()
            );
            print(&note);
            self.report.notes.push(note);
            self.number = number;
        }
        self.report.session = Some(path.clone());
        let written = self.record(receiver, marks, file);
        // The program that started the application makes the recording, so it needs no hint.
        let hint = (!settings.keep_session && path != output).then(|| {
            let (path, output) = (path.display(), output.display());
            format!("`inputanim recover {path} -o {output}` makes the recording")
        });
        written.map_err(|error| Failure {
            hint: hint
                .clone()
                .filter(|_| self.report.frames > 0)
                .map(|hint| format!("when there is space, {hint}")),
            ..Failure::new("write", &path, error)
        })?;
        if self.report.frames == 0 {
            self.report
                .notes
                .push("no frames: no recording written".to_owned());
            // A file that stays costs only space.
            let _ = fs::remove_file(&path);
            self.report.session = None;
        } else if let Some(hint) = hint {
            let note = format!("the frames are in {}: {hint}", path.display());
            print(&note);
            self.report.notes.push(note);
        }
        Ok(())
    }

    /// Writes frames and markers to the session file until the channel is closed. `marks` are markers from other
    /// programs. Fails if the file cannot be written.
    fn record(
        &mut self,
        receiver: &Receiver<Message>,
        mut marks: Option<Marks>,
        file: File,
    ) -> Result<(), SessionWriteError> {
        let mut disk = Disk::new(file).map_err(output_error)?;
        let mut options = SessionOptions::new(Layout::Mrtk1_1);
        options.sync_interval = BLOCK_SECONDS;
        options.devices = true;
        let mut writer = SessionWriter::new(disk.output().map_err(output_error)?, options)?;
        let mut last = Instant::now();
        let mut states: Vec<(f32, String)> = Vec::new();
        // The time of the last frame.
        let mut now = None;
        loop {
            let received = receiver.try_recv();
            if let (Err(_), Some(marks), Some(now)) = (&received, &mut marks, now) {
                for name in marks.read() {
                    self.mark(&mut writer, now, &name)?;
                }
            }
            match received {
                Ok(Message::Frame(sample)) => {
                    for (time, name) in states.drain(..) {
                        self.mark(&mut writer, time, &name)?;
                    }
                    now = Some(sample.frame.time);
                    let pushed = writer.push(&sample.frame);
                    if self.is_accepted(pushed)? {
                        self.count(&sample);
                    }
                    last = Instant::now();
                }
                Ok(Message::Marker { time, name }) => self.mark(&mut writer, time, &name)?,
                Ok(Message::Haptic { device, haptic }) => {
                    let pushed = writer.haptic(device, haptic);
                    if self.is_accepted(pushed)? {
                        self.report.device(device.as_str()).haptics += 1;
                    }
                }
                Ok(Message::State { time, name }) => states.push((time, name)),
                Err(TryRecvError::Empty) => {
                    // The last frames before a break must not wait for the next frame.
                    if last.elapsed() >= SYNC_INTERVAL {
                        writer.sync()?;
                    }
                    thread::park_timeout(NAP);
                }
                Err(TryRecvError::Disconnected) => break,
            }
            disk.sync().map_err(output_error)?;
        }
        writer.finish().map(drop)
    }

    /// Writes a marker at a time in seconds to the session file, and counts it. Fails if the file cannot be written.
    fn mark<W: SyncWrite>(
        &mut self,
        writer: &mut SessionWriter<W>,
        time: f32,
        name: &str,
    ) -> Result<(), SessionWriteError> {
        let marked = writer.mark(time, name);
        self.report.markers += u64::from(self.is_accepted(marked)?);
        Ok(())
    }

    /// Converts the result of a write to the session file: `true` if the frame or marker was accepted, and `false` if
    /// it is not valid, which is counted. Fails if the file cannot be written.
    fn is_accepted(
        &mut self,
        result: Result<(), SessionWriteError>,
    ) -> Result<bool, SessionWriteError> {
        match result {
            Ok(()) => Ok(true),
            Err(error @ (SessionWriteError::Output { .. } | SessionWriteError::Closed { .. })) => {
                Err(error)
            }
            Err(error) => {
                self.refused += 1;
                self.first_refused.get_or_insert_with(|| error.to_string());
                Ok(false)
            }
        }
    }

    fn count(&mut self, sample: &Sample) {
        let frame = &sample.frame;
        let report = &mut self.report;
        report.frames += 1;
        report.seconds = frame.time;
        report.head |= frame.head.is_some();
        report.gaze |= frame.gaze.is_some();
        for side in Side::BOTH {
            let index = usize::from(side == Side::Right);
            report.hands[index] |= frame.hand(side).tracked;
            report.pinches[index] |= frame.hand(side).pinching;
        }
        // The headset is not a device of the summary.
        let devices = frame.devices.iter();
        let devices = devices.filter(|device| device.active && device.name != headset::name());
        for device in devices {
            let recorded = report.device(device.name.as_str());
            recorded.frames += 1;
            if let Some(profile) = &device.profile {
                add(&mut recorded.profiles, profile);
            }
            for (name, _) in &device.poses {
                add(&mut recorded.poses, name.as_str());
            }
            let inputs = device.inputs.iter();
            for (name, _) in inputs.filter(|(name, _)| VelocityVector::of(*name).is_none()) {
                add(&mut recorded.inputs, name.as_str());
            }
        }
    }

    fn add_notes(&mut self) {
        let notes = &mut self.report.notes;
        if let Some(first) = &self.first_refused {
            notes.push(format!(
                "skipped frames and markers: {}; the first: {first}",
                self.refused
            ));
        }
    }
}

/// Adds a name to a list, unless the list has it already.
fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|other| other == name) {
        names.push(name.to_owned());
    }
}

fn output_error(source: io::Error) -> SessionWriteError {
    SessionWriteError::Output {
        synced: session::SyncedData::default(),
        source,
    }
}

/// The session file. It is synced here, and not by the session: a session syncs with each marker, and an application
/// may have several labels per frame.
struct Disk {
    file: File,
    is_dirty: Rc<Cell<bool>>,
    synced: Instant,
}

impl Disk {
    fn new(file: File) -> io::Result<Disk> {
        Ok(Disk {
            file,
            is_dirty: Rc::default(),
            synced: Instant::now(),
        })
    }

    /// Returns an output for the session writer, which writes to this file and does not sync it.
    fn output(&self) -> io::Result<DiskOutput> {
        Ok(DiskOutput {
            file: self.file.try_clone()?,
            is_dirty: Rc::clone(&self.is_dirty),
        })
    }

    /// Syncs the file if it has new data, and the last sync was at least [`SYNC_INTERVAL`] ago.
    fn sync(&mut self) -> io::Result<()> {
        if self.is_dirty.get() && self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.is_dirty.set(false);
            self.synced = Instant::now();
        }
        Ok(())
    }
}

/// The output of the session file.
struct DiskOutput {
    file: File,
    is_dirty: Rc<Cell<bool>>,
}

impl Write for DiskOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_dirty.set(true);
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SyncWrite for DiskOutput {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{DeviceFrame, Frame, InputValue, Limits, Pauses, Pose};

    use super::*;

    fn settings(folder: &Path) -> RecordSettings {
        let mut settings = RecordSettings::default();
        settings.output = folder.join("take.bin");
        settings
    }

    fn frame(time: f32) -> Message {
        let frame = Frame {
            time,
            head: Some(Pose::at([time, 1.6, 0.0])),
            ..Frame::default()
        };
        let sample = Sample {
            frame,
            ..Sample::default()
        };
        Message::Frame(Box::new(sample))
    }

    /// Writes the recording of these messages, and returns the report.
    fn record(settings: &RecordSettings, messages: Vec<Message>) -> RecordReport {
        let (sender, receiver) = mpsc::sync_channel(CAPACITY);
        for message in messages {
            sender.send(message).expect("the channel is not full");
        }
        drop(sender);
        run(&receiver, settings, 0).1
    }

    /// Returns the recording in the session file.
    fn recovered(settings: &RecordSettings) -> inputanim::Recording<'static> {
        let bytes = fs::read(settings.session_path()).expect("the session file");
        let recovered = session::recover_with(&bytes, &Limits::NONE, Pauses::None);
        recovered.expect("a session").recording.into_owned()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().expect("the folder");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("a file").file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn frames_and_markers_become_a_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(folder.path());
        let marker = Message::Marker {
            time: 0.25,
            name: "start".to_owned(),
        };
        // The time of the third frame is not after that of the second, so the frame is skipped.
        let messages = vec![frame(0.0), frame(0.5), frame(0.5), marker, frame(1.0)];
        let report = record(&settings, messages);
        assert_eq!((report.frames, report.markers, report.seconds), (3, 1, 1.0));
        assert_eq!(report.session, Some(settings.session_path()));
        assert_eq!(report.error, None);
        assert!(
            report.notes[1].starts_with("skipped frames and markers: 1;"),
            "{:?}",
            report.notes
        );
        // Only the program makes a recording.
        assert_eq!(names(folder.path()), ["take.session"]);
        let recording = recovered(&settings);
        assert_eq!(recording.duration(), 1.0);
        assert_eq!(recording.markers.len(), 1);
    }

    #[test]
    fn a_change_of_the_session_is_a_marker_if_a_frame_follows() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(folder.path());
        let state = |time, name: &str| Message::State {
            time,
            name: name.to_owned(),
        };
        let messages = vec![
            frame(0.0),
            state(0.0, "session visible"),
            state(0.0, "session focused"),
            frame(0.5),
            state(0.5, "session stopping"),
        ];
        assert_eq!(record(&settings, messages).markers, 2);
        let recording = recovered(&settings);
        let names: Vec<&str> = recording
            .markers
            .iter()
            .map(|marker| &*marker.name)
            .collect();
        assert_eq!(names, ["session visible", "session focused"]);
    }

    #[test]
    fn without_frames_no_file_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = record(&settings(folder.path()), Vec::new());
        assert_eq!(
            (report.frames, report.session, report.error),
            (0, None, None)
        );
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_session_file_that_exists_gives_all_files_a_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(folder.path());
        fs::write(settings.session_path(), "frames of another process").expect("a file");
        let report = record(&settings, vec![frame(0.0)]);
        let session = folder.path().join("take-1.session");
        assert_eq!(report.session, Some(session));
        assert_eq!(names(folder.path()), ["take-1.session", "take.session"]);
    }

    #[test]
    fn a_note_says_how_the_session_file_becomes_a_recording() {
        for (name, notes) in [("take.bin", 1), ("take.mcap", 1), ("take.session", 0)] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut settings = settings(folder.path());
            settings.output = folder.path().join(name);
            let report = record(&settings, vec![frame(0.0), frame(1.0)]);
            assert_eq!(names(folder.path()), ["take.session"]);
            assert_eq!(report.error, None);
            assert_eq!(report.session, Some(folder.path().join("take.session")));
            assert_eq!(report.notes.len(), notes, "{:?}", report.notes);
            let mut notes = report.notes.iter();
            assert!(notes.all(|note| note.contains("`inputanim recover ")));
        }
    }

    #[test]
    fn a_controller_is_in_the_session_file() {
        let name = DeviceName::controller(Side::Right);
        let sample = |time| {
            let mut device = DeviceFrame::new(name);
            device.active = true;
            device.profile = Some("/interaction_profiles/valve/index_controller".into());
            let trigger = "trigger/value".parse().expect("a name");
            device.inputs = vec![(trigger, InputValue::Float(time))];
            let mut sample = Sample::default();
            sample.frame.time = time;
            sample.frame.devices = vec![device];
            Message::Frame(Box::new(sample))
        };
        let haptic = Haptic {
            time: 0.5,
            output: "haptic".parse().expect("a name"),
            duration: None,
            frequency: None,
            amplitude: 1.0,
        };
        let pulse = Message::Haptic {
            device: name,
            haptic,
        };
        let messages = vec![sample(0.0), sample(0.5), pulse, sample(1.0)];
        let folder = tempfile::tempdir().expect("a folder");
        let mut settings = settings(folder.path());
        settings.keep_session = true;
        let report = record(&settings, messages);
        assert_eq!(report.notes, [""; 0]);
        let device = &report.devices[0];
        assert_eq!((device.frames, device.haptics), (3, 1));
        assert_eq!(device.inputs, ["trigger/value"]);
        let bytes = fs::read(settings.session_path()).expect("the session file");
        let recovered = session::recover(&bytes, &Limits::default()).expect("a session");
        assert!(recovered.is_intact());
        let device = recovered.recording.device(name).expect("the controller");
        assert_eq!(device.haptics, [haptic]);
        assert_eq!(device.inputs.len(), 1);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = record(&settings(&folder.path().join("none")), vec![frame(0.0)]);
        assert!(
            report
                .error
                .is_some_and(|error| error.starts_with("cannot write"))
        );
        assert_eq!((report.frames, report.session), (0, None));
    }

    #[test]
    fn frames_are_in_the_session_file_while_the_recording_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(folder.path());
        let mut recording = Recording::start(&settings).expect("a thread");
        for step in 0..=120 {
            recording.send(frame(step as f32 / 60.0));
        }
        let start = Instant::now();
        let frames = || {
            let bytes = fs::read(settings.session_path()).ok()?;
            Some(session::recover(&bytes, &Limits::default()).ok()?.frames)
        };
        // After a break, also the last frames are written.
        while frames() != Some(121) {
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", frames());
            thread::sleep(NAP);
        }
        recording.finish(Vec::new(), Vec::new(), None);
        assert_eq!(names(folder.path()), ["take.session"]);
    }
}
