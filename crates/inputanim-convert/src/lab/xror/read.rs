//! Reads a recording, frame by frame.

use std::time::Duration;

use inputanim::{About, Frame, Joint, Layout, Limits, PoseChannel, Recorder, Recording, Space};

use super::bson::{Document, Element, Value};
use super::devices::{DevicePose, Devices, Part};
use super::events::EventReader;
use super::fpzip::Array;
use super::{FpzipError, PADDING, XrorError};
use crate::shared::date_time::date_time;
use crate::shared::limits::check_limit;
use crate::shared::one_time::{OneAtATime, Waiting};
use crate::shared::pauses::frame_recorder;
use crate::shared::report::counted;
use crate::shared::texts::{Texts, full_name};
use crate::shared::{Error, Format, LossKind, NoteKind, ReadOptions, Report};

/// Reads a recording in the layout `mrtk-1.1` from the bytes of an XROR file, and returns it with the losses and notes.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    let limits = &options.limits;
    check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
    let mut report = Report::default();
    let file = Document::of_file(bytes)?;
    let info = match file.member("info")? {
        Some(Value::Document(info)) => info,
        other => return Err(wrong("info", "a document", other).into()),
    };
    let devices = Devices::read(device_list(info)?, &mut report)?;
    if options.space.is_none() {
        let message = "Unity's axes assumed, because XROR files do not state their axes";
        report.note(NoteKind::Axes, message);
    }
    let mut reader = FrameReader {
        devices,
        space: options.space.unwrap_or_default(),
        recorder: frame_recorder(Layout::Mrtk1_1, options),
        frames: OneAtATime::default(),
        limits,
        keys: 0,
        start: None,
        last: f32::NEG_INFINITY,
        rows: 0,
        padding: 0,
        late: 0,
        untimed: 0,
        invalid: 0,
    };
    let values = reader.frames(file.member("frames")?, &mut report)?;
    let start = reader.start.unwrap_or(0.0);
    let mut recording = reader.finish(&mut report)?;
    let mut events = EventReader::new(limits, limits.max_keys - values, start);
    if let Some(Value::Array(types)) = file.member("events")? {
        for element in types.elements() {
            if let Value::Document(event) = element?.value {
                events.read(event, &mut report)?;
            }
        }
    }
    recording.markers = events.finish(&mut report);
    recording.about = texts(info, &mut report)?;
    recording.about.add(About::FORMAT, Format::Xror.name());
    Ok((recording, report))
}

fn wrong(member: &str, expected: &'static str, found: Option<Value<'_>>) -> XrorError {
    XrorError::Member {
        member: member.to_owned(),
        expected,
        found: found.map_or("none", |value| value.kind()),
    }
}

fn device_list(info: Document<'_>) -> Result<Document<'_>, XrorError> {
    let hardware = match info.member("hardware")? {
        Some(Value::Document(hardware)) => hardware,
        other => return Err(wrong("info.hardware", "a document", other)),
    };
    match hardware.member("devices")? {
        Some(Value::Array(devices)) => Ok(devices),
        other => Err(wrong("info.hardware.devices", "an array", other)),
    }
}

/// The number of documents inside each other whose texts are read.
const MAX_DEPTH: usize = 4;

/// Returns the texts and numbers of the metadata in `info` by their names, such as `user.id` and `software.app.name`. Of the
/// hardware, only the names of the devices are read. The application is the program, and the headset is the device.
fn texts(info: Document<'_>, report: &mut Report) -> Result<About, XrorError> {
    let mut texts = Texts::default();
    for element in info.elements() {
        let element = element?;
        if element.name != "hardware" {
            add_texts("", element, MAX_DEPTH, &mut texts)?;
        }
    }
    let mut headset = None;
    for element in device_list(info)?.elements() {
        let element = element?;
        let Value::Document(device) = element.value else {
            continue;
        };
        let name = device.text("name")?.unwrap_or_default();
        if headset.is_none() && device.text("type")? == Some("HMD") {
            headset = Some(name);
        } else {
            let group = format!("hardware.devices.{}", element.name);
            texts.add(&group, "name", name);
        }
    }
    let mut about = texts.finish(report);
    about.add(About::DEVICE, headset.unwrap_or_default());
    let app = ["software.app.name", "software.app.version"];
    let app: Vec<&str> = app.iter().filter_map(|name| about.get(name)).collect();
    let app = app.join(" ");
    about.add(About::PROGRAM, &app);
    Ok(about)
}

/// Adds the text, number or time of an element of the document `group`, or those in a document. Counts other values.
fn add_texts(
    group: &str,
    element: Element<'_>,
    depth: usize,
    texts: &mut Texts,
) -> Result<(), XrorError> {
    let Element { name, value } = element;
    match value {
        Value::Text(text) => texts.add(group, name, text),
        Value::Number(number) => texts.add(group, name, number.to_string()),
        Value::Time(milliseconds) => {
            let time = u64::try_from(milliseconds).map(Duration::from_millis);
            let text = time.map_or_else(|_| format!("{milliseconds} ms"), date_time);
            texts.add(group, name, text);
        }
        Value::Null => {}
        Value::Document(document) | Value::Array(document) => {
            let inner = full_name(group, name).filter(|_| depth > 0);
            for element in document.elements() {
                match &inner {
                    Some(name) => add_texts(name, element?, depth - 1, texts)?,
                    None => texts.skip(1),
                }
            }
        }
        Value::Binary(_) | Value::Other => texts.skip(1),
    }
    Ok(())
}

/// Keys of a pose.
const POSE: u64 = PoseChannel::ALL.len() as u64;

struct FrameReader<'l> {
    devices: Devices,
    space: Space,
    recorder: Recorder,
    /// The frames at one time, each with its number in the file and its number of invalid poses.
    frames: OneAtATime<(usize, usize)>,
    limits: &'l Limits,
    keys: u64,
    /// The time of the first frame in the file, in seconds.
    start: Option<f64>,
    /// The time of the last frame in the recording, in seconds.
    last: f32,
    /// The number of rows that were read.
    rows: usize,
    padding: usize,
    late: usize,
    untimed: usize,
    invalid: usize,
}

impl FrameReader<'_> {
    /// Reads all frames of a file, compressed or not. Returns the number of values that were decompressed.
    fn frames(&mut self, frames: Option<Value<'_>>, report: &mut Report) -> Result<u64, Error> {
        let expected = self.devices.columns;
        match frames {
            Some(Value::Binary(bytes)) => {
                let failed = |source| {
                    let member = "frames".to_owned();
                    XrorError::Fpzip { member, source }
                };
                let array = Array::new(bytes).map_err(failed)?;
                let found = array.columns as usize;
                if array.rows > 0 && found != expected {
                    return Err(XrorError::Columns { expected, found }.into());
                }
                let values = array.len();
                // Damaged sizes are refused here, because one byte may hold thousands of values.
                check_limit(values, self.limits.max_keys, "values")?;
                let mut rows = array.decompress();
                let mut row = Vec::with_capacity(expected);
                loop {
                    match rows.next(&mut row) {
                        Ok(true) => self.row(&row)?,
                        Ok(false) => return Ok(values),
                        Err(FpzipError::Truncated { row, rows }) if row > 0 => {
                            let lost = (rows - row) as usize;
                            let message = format!(
                                "{} of {}: the compressed data ends too early",
                                counted(lost, "frame"),
                                rows
                            );
                            report.lose(LossKind::Damage, lost, message);
                            return Ok(values);
                        }
                        Err(error) => return Err(failed(error).into()),
                    }
                }
            }
            Some(Value::Array(rows)) => {
                self.plain_frames(rows)?;
                Ok(0)
            }
            other => Err(wrong("frames", "binary data or an array", other).into()),
        }
    }

    /// Reads frames that are arrays of numbers, as in version 0.1.0 of the format. Fails if a frame does not have a
    /// number for each column.
    fn plain_frames(&mut self, rows: Document<'_>) -> Result<(), Error> {
        let expected = self.devices.columns;
        let mut numbers = Vec::with_capacity(expected);
        for (frame, row) in rows.elements().enumerate() {
            let value = row?.value;
            let wrong = |value: Value<'_>| XrorError::Frame {
                frame,
                found: value.kind(),
            };
            let Value::Array(row) = value else {
                return Err(wrong(value).into());
            };
            numbers.clear();
            for element in row.elements() {
                numbers.push(match element?.value {
                    Value::Number(number) => number,
                    // JSON has no NaN, so that its programs write null.
                    Value::Null => f64::NAN,
                    other => return Err(wrong(other).into()),
                });
            }
            if numbers.len() != expected {
                let found = numbers.len();
                return Err(XrorError::Columns { expected, found }.into());
            }
            self.row(&numbers)?;
        }
        Ok(())
    }

    fn row(&mut self, row: &[f64]) -> Result<(), Error> {
        let frame = self.rows;
        self.rows += 1;
        if row.iter().all(|&number| number == PADDING) {
            self.padding += 1;
            return Ok(());
        }
        let time = row.first().copied().unwrap_or(f64::NAN);
        if !time.is_finite() {
            self.untimed += 1;
            return Ok(());
        }
        let start = *self.start.get_or_insert(time);
        // The difference is taken in double precision, so that it is rounded only once.
        let time = (time - start) as f32;
        // The times of keys have to increase.
        if time < self.last {
            self.late += 1;
            return Ok(());
        }
        self.last = time;
        let mut next = Frame {
            time,
            ..Frame::default()
        };
        let mut invalid = 0;
        for device in &self.devices.recorded {
            let pose = match device.pose(row) {
                DevicePose::Known(pose) => Some(self.space.pose(pose)),
                DevicePose::Unknown => None,
                DevicePose::Invalid => {
                    invalid += 1;
                    None
                }
            };
            match device.part {
                Part::Head => next.head = pose,
                Part::Palm(side) => {
                    let hand = next.hand_mut(side);
                    hand.tracked = pose.is_some();
                    hand.joints[Joint::Palm] = pose;
                }
            }
            self.keys += POSE;
        }
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let complete = self.frames.push(next, (frame, invalid));
        self.record(complete)
    }

    fn record(&mut self, complete: Option<Waiting<(usize, usize)>>) -> Result<(), Error> {
        if let Some(complete) = complete {
            let (frame, invalid) = complete.other;
            self.invalid += invalid;
            let refused = |source| XrorError::Record { frame, source };
            self.recorder.push(&complete.frame).map_err(refused)?;
        }
        Ok(())
    }

    fn finish(mut self, report: &mut Report) -> Result<Recording<'static>, Error> {
        if self.rows == self.padding {
            return Err(XrorError::Empty.into());
        }
        let last = self.frames.take();
        self.record(last)?;
        self.frames.report(report);
        if let Some(start) = self.start
            && start != 0.0
        {
            let message =
                format!("the first frame is at {start} s in the file, and at 0 in the recording");
            report.note(NoteKind::TimeShift, message);
        }
        let frames = counted(self.late, "frame");
        let message = format!("{frames} earlier than the previous frame");
        report.lose(LossKind::Order, self.late, message);
        let frames = counted(self.untimed, "frame");
        let message = format!("{frames} without a finite time");
        report.lose(LossKind::NotFinite, self.untimed, message);
        let poses = counted(self.invalid, "pose");
        let message = format!("{poses} with an infinite number or a rotation of 0");
        report.lose(LossKind::NotFinite, self.invalid, message);
        Ok(self.recorder.finish())
    }
}
