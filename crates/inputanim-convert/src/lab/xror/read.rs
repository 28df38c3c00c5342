//! Reads a recording, frame by frame.

use std::time::Duration;

use inputanim::{
    About, DeviceFrame, Frame, Layout, Limits, PoseChannel, PoseName, Recorder, Recording, Side,
    Space,
};

use super::bson::{Damage, Document, Element, Value};
use super::devices::{DevicePose, Devices, Part};
use super::events::EventReader;
use super::fpzip::Array;
use super::{FpzipError, PADDING, XrorError};
use crate::shared::date_time::date_time;
use crate::shared::in_order::in_order;
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
    check_limit(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    let mut damage = Damage::default();
    let file = Document::of_file(bytes, &mut damage)?;
    read_file(bytes, file, options, &mut damage).map_err(|error| match error {
        // If the document is damaged, its damage is the reason why something is missing.
        Error::Format(error) => match error.downcast() {
            Ok(XrorError::Member { .. } | XrorError::NothingToRead { .. })
                if !damage.0.is_empty() =>
            {
                damage.0.swap_remove(0).into()
            }
            Ok(other) => Error::from(other),
            Err(other) => Error::Format(other),
        },
        other => other,
    })
}

/// The names of the members of a file. After damage, reading continues at the next of them.
const MEMBERS: [&str; 3] = ["info", "frames", "events"];

fn read_file<'a>(
    bytes: &'a [u8],
    file: Document<'a>,
    options: &ReadOptions,
    damage: &mut Damage,
) -> Result<(Recording<'a>, Report), Error> {
    let limits = &options.limits;
    let mut report = Report::default();
    let members = file.members(&MEMBERS, damage);
    let member = |name: &str| members.iter().find(|(element, _)| element.name == name);
    let info = match member("info").map(|(element, _)| element.value) {
        Some(Value::Document(info)) => info,
        other => return Err(wrong("info", "a document", other).into()),
    };
    let list = device_list(info, damage)?;
    let frames = match member("frames") {
        Some((element, end)) => match element.value {
            // The size of the data may be damaged. The array states its own number of rows.
            Value::Binary(data) => Ok(Frames::Packed {
                data,
                rest: bytes.get(end - data.len()..).unwrap_or(data),
            }),
            Value::Array(rows) => Ok(Frames::Plain(rows)),
            other => Err(wrong("frames", EXPECTED_FRAMES, Some(other))),
        },
        None => Err(wrong("frames", EXPECTED_FRAMES, None)),
    };
    let columns = frames.as_ref().ok().and_then(Frames::columns);
    let devices = Devices::read(list, columns, damage, &mut report)?;
    let frames = frames?;
    if options.space.is_none() {
        let message = "Unity's axes assumed, because XROR files do not state their axes";
        report.note(NoteKind::Axes, message);
    }
    let (reader, values) = FrameReader::read(&devices, &frames, options, damage, &mut report)?;
    let start = reader.start.unwrap_or(0.0);
    let mut recording = reader.finish(&mut report)?;
    let mut events = EventReader::new(limits, limits.max_keys - values, start);
    if let Some((element, _)) = member("events")
        && let Value::Array(types) = element.value
    {
        for element in types.elements() {
            match element {
                Ok(element) => {
                    if let Value::Document(event) = element.value {
                        events.read(event, damage, &mut report)?;
                    }
                }
                Err(error) => damage.add(error),
            }
        }
    }
    recording.markers = events.finish(&mut report);
    recording.about = texts(info, damage, &mut report);
    recording.about.add(About::FORMAT, Format::Xror.name());
    if let Some(first) = damage.0.first() {
        let which = if damage.0.len() == 1 {
            ""
        } else {
            "; the first"
        };
        let parts = counted(damage.0.len(), "damaged part");
        let message = format!("{parts} of the document{which}: {first}");
        report.lose(LossKind::Damage, damage.0.len(), message);
    }
    Ok((recording, report))
}

/// Returns `true` if bytes are a member of a file.
fn is_member(bytes: &[u8]) -> bool {
    let name = bytes.get(1..).unwrap_or_default();
    let mut names = MEMBERS.iter();
    names.any(|known| {
        name.strip_prefix(known.as_bytes())
            .is_some_and(|rest| rest.first() == Some(&0))
    })
}

const EXPECTED_FRAMES: &str = "binary data or an array";

fn wrong(member: &str, expected: &'static str, found: Option<Value<'_>>) -> XrorError {
    XrorError::Member {
        member: member.to_owned(),
        expected,
        found: found.map_or("none", |value| value.kind()),
    }
}

fn device_list<'a>(info: Document<'a>, damage: &mut Damage) -> Result<Document<'a>, XrorError> {
    let hardware = match info.member("hardware", damage) {
        Some(Value::Document(hardware)) => hardware,
        other => return Err(wrong("info.hardware", "a document", other)),
    };
    match hardware.member("devices", damage) {
        Some(Value::Array(devices)) => Ok(devices),
        other => Err(wrong("info.hardware.devices", "an array", other)),
    }
}

/// The number of documents inside each other whose texts are read.
const MAX_DEPTH: usize = 4;

/// Returns the texts and numbers of the metadata in `info` by their names, such as `user.id` and `software.app.name`. Of the
/// hardware, only the names of the devices are read. The application is the program, and the headset is the device.
fn texts(info: Document<'_>, damage: &mut Damage, report: &mut Report) -> About {
    let mut texts = Texts::default();
    for element in info.elements() {
        match element {
            Ok(element) if element.name == "hardware" => {}
            Ok(element) => add_texts("", element, MAX_DEPTH, &mut texts, damage),
            Err(error) => damage.add(error),
        }
    }
    let mut headset = None;
    let devices = device_list(info, damage).ok();
    for element in devices.into_iter().flat_map(Document::elements) {
        let Ok(Element {
            name: index,
            value: Value::Document(device),
        }) = element
        else {
            continue;
        };
        let name = device.text("name", damage).unwrap_or_default();
        if headset.is_none() && device.text("type", damage) == Some("HMD") {
            headset = Some(name);
        } else {
            texts.add(&format!("hardware.devices.{index}"), "name", name);
        }
    }
    let mut about = texts.finish(report);
    about.add(About::DEVICE, headset.unwrap_or_default());
    let app = ["software.app.name", "software.app.version"];
    let app: Vec<&str> = app.iter().filter_map(|name| about.get(name)).collect();
    let app = app.join(" ");
    about.add(About::PROGRAM, &app);
    about
}

/// Adds the text, number or time of an element of the document `group`, or those in a document. Counts other values.
fn add_texts(
    group: &str,
    element: Element<'_>,
    depth: usize,
    texts: &mut Texts,
    damage: &mut Damage,
) {
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
                match (&inner, element) {
                    (_, Err(error)) => damage.add(error),
                    (Some(name), Ok(element)) => {
                        add_texts(name, element, depth - 1, texts, damage);
                    }
                    (None, Ok(_)) => texts.skip(1),
                }
            }
        }
        Value::Damaged => damage.add(XrorError::Member {
            member: full_name(group, name).unwrap_or_else(|| name.to_owned()),
            expected: "a string in UTF-8",
            found: value.kind(),
        }),
        Value::Binary(_) | Value::Other => texts.skip(1),
    }
}

/// The frames of a file.
enum Frames<'a> {
    /// Compressed data, and all bytes of the file from its start on.
    Packed { data: &'a [u8], rest: &'a [u8] },
    /// An array of arrays of numbers, as in version 0.1.0 of the format.
    Plain(Document<'a>),
}

impl Frames<'_> {
    /// Returns the number of columns: as compressed data states it, or of the first frame that is an array.
    fn columns(&self) -> Option<usize> {
        match self {
            Frames::Packed { data, .. } => Some(Array::new(data).ok()?.columns as usize),
            Frames::Plain(rows) => rows.elements().flatten().find_map(|row| match row.value {
                Value::Array(row) => Some(row.elements().flatten().count()),
                _ => None,
            }),
        }
    }
}

/// The pose of a controller or a tracker.
const GRIP: &str = "grip";

/// Keys of a pose.
const POSE: u64 = PoseChannel::ALL.len() as u64;

/// The largest difference of the length of a rotation to 1 in frames that are intact.
const MAX_LENGTH_ERROR: f32 = 0.02;

/// The largest number of frames that are counted as lost.
const MAX_LOST: usize = 1 << 24;

/// Reads a frame that is an array of `expected` numbers into `numbers`. `frame` is its number, for errors.
fn plain_frame(
    row: Result<Element<'_>, XrorError>,
    frame: usize,
    expected: usize,
    numbers: &mut Vec<f64>,
) -> Result<(), XrorError> {
    let wrong = |value: Value<'_>| XrorError::Frame {
        frame,
        found: value.kind(),
    };
    let row = match row?.value {
        Value::Array(row) => row,
        other => return Err(wrong(other)),
    };
    numbers.clear();
    for element in row.elements() {
        numbers.push(match element?.value {
            Value::Number(number) => number,
            // JSON has no NaN, so programs that write JSON write null.
            Value::Null => f64::NAN,
            other => return Err(wrong(other)),
        });
    }
    let found = numbers.len();
    if found != expected {
        return Err(XrorError::FrameColumns {
            frame,
            expected,
            found,
        });
    }
    Ok(())
}

struct FrameReader<'l> {
    devices: &'l Devices,
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
    /// The number of frames out of order, and the first of them.
    late: usize,
    first_late: Option<usize>,
    untimed: usize,
    invalid: usize,
    /// The times of all rows; NaN for padding.
    times: Vec<f64>,
    /// The first row with a rotation that is not of length 1, or that is earlier than the row before.
    first_unlikely: Option<usize>,
    /// The rows that are read; all if `None`.
    keep: Option<Vec<bool>>,
    /// The number of rows that are not read, because they are damaged or after damage.
    lost: usize,
    /// The error of the first frame that is not an array of numbers.
    first_lost: Option<XrorError>,
    problem: Option<String>,
}

impl<'l> FrameReader<'l> {
    fn new(devices: &'l Devices, options: &'l ReadOptions) -> FrameReader<'l> {
        FrameReader {
            devices,
            space: options.space.unwrap_or_default(),
            recorder: frame_recorder(Layout::Mrtk1_1, options),
            frames: OneAtATime::default(),
            limits: &options.limits,
            keys: 0,
            start: None,
            last: f32::NEG_INFINITY,
            rows: 0,
            padding: 0,
            late: 0,
            first_late: None,
            untimed: 0,
            invalid: 0,
            times: Vec::new(),
            first_unlikely: None,
            keep: None,
            lost: 0,
            first_lost: None,
            problem: None,
        }
    }

    /// Reads all frames of a file. Returns the reader, and the number of values that were decompressed.
    ///
    /// Damaged frames, and frames whose times are out of order, are known only at the end. If there are any, the frames are
    /// read a second time without them. Compressed data has no checksum: if it is damaged, the frames before the first unlikely
    /// one are read.
    fn read(
        devices: &'l Devices,
        frames: &Frames<'_>,
        options: &'l ReadOptions,
        damage: &mut Damage,
        report: &mut Report,
    ) -> Result<(FrameReader<'l>, u64), Error> {
        let mut frames = match *frames {
            Frames::Packed { data, rest } => Frames::Packed { data, rest },
            Frames::Plain(rows) => Frames::Plain(rows),
        };
        let mut reader = FrameReader::new(devices, options);
        let (mut values, mut unread) = reader.frames(&frames)?;
        if let Frames::Packed { data, rest } = frames
            && reader.problem.is_some()
            && rest.len() > data.len()
        {
            let all = Frames::Packed { data: rest, rest };
            let mut other = FrameReader::new(devices, options);
            let (other_values, after) = other.frames(&all)?;
            // Another member, or the end of the document, follows the bytes of the array.
            let after = &rest[rest.len() - after..];
            let is_end = after == [0] || is_member(after);
            if other.problem.is_none() && other.first_unlikely.is_none() && is_end {
                damage.add(XrorError::Member {
                    member: "frames".to_owned(),
                    expected: "the size of the compressed data",
                    found: "a smaller size",
                });
                (reader, values, unread, frames) = (other, other_values, 0, all);
            }
        }
        // An intact array ends with its bytes.
        if reader.problem.is_none() && unread > 0 && reader.first_unlikely.is_some() {
            reader.problem = Some(format!("{} after the last frame", counted(unread, "byte")));
        }
        let mut lost = 0;
        let keep: Option<Vec<bool>> = if reader.problem.is_some() {
            let end = reader.first_unlikely.unwrap_or(reader.rows);
            lost += reader.times.len() - end;
            Some((0..reader.rows).map(|row| row < end).collect())
        } else {
            (reader.late > 0).then(|| in_order(&reader.times))
        };
        if let Some(keep) = keep {
            let problem = reader.problem.take();
            reader = FrameReader::new(devices, options);
            reader.keep = Some(keep);
            reader.frames(&frames)?;
            reader.problem = problem;
            if reader.problem.is_none() {
                reader.late = reader.keep.iter().flatten().filter(|keep| !**keep).count();
                reader.first_late = reader.keep.iter().flatten().position(|keep| !keep);
            }
        }
        if let Some(first) = &reader.first_lost {
            let which = if reader.lost == 1 { "" } else { "; the first" };
            let frames = counted(reader.lost, "frame");
            let message = format!("{frames} that cannot be read{which}: {first}");
            report.lose(LossKind::Damage, reader.lost, message);
        }
        if let Some(problem) = &reader.problem {
            let rows = reader.times.len();
            let message = format!("{} of {rows}: {problem}", counted(lost, "frame"));
            report.lose(LossKind::Damage, lost, message);
            if reader.start.is_none() {
                return Err(XrorError::Damaged {
                    problem: problem.clone(),
                }
                .into());
            }
        }
        Ok((reader, values))
    }

    /// Reads all frames of a file, compressed or not. Returns the number of values that were decompressed, and the number of
    /// bytes of compressed data after the last row.
    fn frames(&mut self, frames: &Frames<'_>) -> Result<(u64, usize), Error> {
        let expected = self.devices.columns;
        match *frames {
            Frames::Packed { data, .. } => {
                let failed = |source| {
                    let member = "frames".to_owned();
                    XrorError::Fpzip { member, source }
                };
                let array = Array::new(data).map_err(failed)?;
                let found = array.columns as usize;
                if array.rows > 0 && found != expected {
                    return Err(XrorError::Columns { expected, found }.into());
                }
                let values = array.len();
                // Damaged sizes are refused here, because one byte may hold thousands of values.
                check_limit(values, self.limits.max_keys, "values")?;
                let total = array.rows as usize;
                let mut rows = array.decompress();
                let mut row = Vec::with_capacity(expected);
                loop {
                    match rows.next(&mut row) {
                        Ok(true) => self.row(&row)?,
                        Ok(false) => return Ok((values, rows.unread())),
                        Err(error) if self.rows > 0 => {
                            self.problem = Some(match error {
                                FpzipError::Truncated { .. } => {
                                    "the compressed data ends too early".to_owned()
                                }
                                error => error.to_string(),
                            });
                            self.times.resize(total.min(MAX_LOST), f64::NAN);
                            return Ok((values, 0));
                        }
                        Err(error) => return Err(failed(error).into()),
                    }
                }
            }
            Frames::Plain(rows) => {
                self.plain_frames(rows)?;
                Ok((0, 0))
            }
        }
    }

    /// Reads frames that are arrays of numbers, as in version 0.1.0 of the format. A frame that does not have a number for each
    /// column is lost. Fails if this holds for all frames.
    fn plain_frames(&mut self, rows: Document<'_>) -> Result<(), Error> {
        let expected = self.devices.columns;
        let mut numbers = Vec::with_capacity(expected);
        for (frame, row) in rows.elements().enumerate() {
            match plain_frame(row, frame, expected, &mut numbers) {
                Ok(()) => self.row(&numbers)?,
                Err(error) => {
                    self.lost += 1;
                    self.first_lost.get_or_insert(error);
                }
            }
        }
        match self.first_lost.take() {
            Some(error) if self.rows == 0 => Err(error.into()),
            first => {
                self.first_lost = first;
                Ok(())
            }
        }
    }

    fn row(&mut self, row: &[f64]) -> Result<(), Error> {
        let frame = self.rows;
        self.rows += 1;
        let is_padding = row.iter().all(|&number| number == PADDING);
        let time = row.first().copied().unwrap_or(f64::NAN);
        self.times.push(if is_padding { f64::NAN } else { time });
        if self
            .keep
            .as_ref()
            .is_some_and(|keep| keep.get(frame) == Some(&false))
        {
            return Ok(());
        }
        if is_padding {
            self.padding += 1;
            return Ok(());
        }
        let start = self.start.unwrap_or(time);
        // Times of recordings are 32-bit floats. A first time beyond them cannot be the start.
        let start = if (start as f32).is_finite() {
            start
        } else {
            f64::NAN
        };
        // The difference is taken in double precision, so that it is rounded only once.
        let time = (time - start) as f32;
        if !time.is_finite() {
            self.untimed += 1;
            return Ok(());
        }
        self.start = Some(start);
        // The times of keys have to increase.
        if time < self.last {
            self.late += 1;
            self.first_late.get_or_insert(frame);
            self.first_unlikely.get_or_insert(frame);
            return Ok(());
        }
        self.last = time;
        let mut next = Frame {
            time,
            ..Frame::default()
        };
        // The format has no hands.
        for side in Side::BOTH {
            next.hand_mut(side).unknown = true;
        }
        let mut invalid = 0;
        for device in &self.devices.recorded {
            let pose = match device.pose(row) {
                DevicePose::Known(pose) => {
                    let length = pose
                        .rotation
                        .iter()
                        .map(|part| part * part)
                        .sum::<f32>()
                        .sqrt();
                    if (length - 1.0).abs() > MAX_LENGTH_ERROR {
                        self.first_unlikely.get_or_insert(frame);
                    }
                    Some(self.space.pose(pose))
                }
                DevicePose::Unknown => None,
                DevicePose::Invalid => {
                    self.first_unlikely.get_or_insert(frame);
                    invalid += 1;
                    None
                }
            };
            match device.part {
                Part::Head => next.head = pose,
                Part::Device(name) => {
                    let mut device = DeviceFrame::new(name);
                    device.active = true;
                    device.poses.extend(GRIP.parse::<PoseName>().ok().zip(pose));
                    next.devices.push(device);
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
        let first = self.first_late.unwrap_or_default();
        let message = format!("{frames} out of order, the first is frame {first}");
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
