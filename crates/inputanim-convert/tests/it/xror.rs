//! XROR: files of the format's own software are read, and so are documents of BSON that the tests make.

use crate::format_error;
use inputanim::{
    DeviceName, Element, Frame, Joint, Layout, Pose, Recording, Sampler, Side, Space, TimeRange,
};
use inputanim_convert::xror::{FpzipError, XrorError};
use inputanim_convert::{Error, Format, LossKind, NoteKind, ReadOptions, Report};
use proptest::prelude::*;

/// A file of the format's own software (readers/xror/files.py).
pub(crate) const SMALL: &[u8] = include_bytes!("../golden/small.xror");

fn read(bytes: &[u8]) -> Result<(Recording<'_>, Report), Error> {
    inputanim_convert::read(Format::Xror, bytes, &ReadOptions::default())
}

fn error(bytes: &[u8]) -> String {
    let error = read(bytes).unwrap_err();
    match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn losses(report: &Report) -> Vec<&str> {
    report.losses.iter().map(|loss| &*loss.message).collect()
}

fn notes(report: &Report) -> Vec<(NoteKind, &str)> {
    report
        .notes
        .iter()
        .map(|note| (note.kind, &*note.message))
        .collect()
}

/// A value of BSON.
pub(crate) enum Bson {
    Number(f64),
    Text(&'static str),
    Document(Vec<(&'static str, Bson)>),
    Array(Vec<Bson>),
    Binary(Vec<u8>),
    Null,
}

impl Bson {
    fn kind(&self) -> u8 {
        match self {
            Bson::Number(_) => 0x01,
            Bson::Text(_) => 0x02,
            Bson::Document(_) => 0x03,
            Bson::Array(_) => 0x04,
            Bson::Binary(_) => 0x05,
            Bson::Null => 0x0a,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Bson::Number(number) => number.to_le_bytes().to_vec(),
            Bson::Text(text) => {
                let size = text.len() as u32 + 1;
                [&size.to_le_bytes(), text.as_bytes(), b"\0"].concat()
            }
            Bson::Document(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.to_string(), value));
                document(members)
            }
            Bson::Array(elements) => {
                let elements = elements.iter().enumerate();
                document(elements.map(|(index, value)| (index.to_string(), value)))
            }
            Bson::Binary(bytes) => {
                let size = bytes.len() as u32;
                [&size.to_le_bytes(), &[0][..], bytes].concat()
            }
            Bson::Null => Vec::new(),
        }
    }
}

fn document<'a>(members: impl Iterator<Item = (String, &'a Bson)>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for (name, value) in members {
        bytes.push(value.kind());
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.extend(value.bytes());
    }
    bytes.push(0);
    let size = bytes.len() as u32;
    bytes[..4].copy_from_slice(&size.to_le_bytes());
    bytes
}

/// Returns the pose of a controller or tracker in a frame; `None` if it is unknown.
fn grip(frame: &Frame, device: &str) -> Option<Pose> {
    let device = frame.device(device.parse().unwrap())?;
    device.pose("grip".parse().unwrap()).copied()
}

pub(crate) fn texts(texts: &[&'static str]) -> Bson {
    Bson::Array(texts.iter().map(|text| Bson::Text(text)).collect())
}

pub(crate) const POSE: [&str; 7] = ["x", "y", "z", "i", "j", "k", "1"];

pub(crate) fn device(joint: &'static str, axes: &[&'static str]) -> Bson {
    Bson::Document(vec![
        ("type", Bson::Text("TRACKER")),
        ("joint", Bson::Text(joint)),
        ("axes", texts(axes)),
    ])
}

pub(crate) fn rows(rows: &[&[f64]]) -> Bson {
    let row = |row: &&[f64]| Bson::Array(row.iter().copied().map(Bson::Number).collect());
    Bson::Array(rows.iter().map(row).collect())
}

pub(crate) fn file_with(devices: Vec<Bson>, frames: Bson, events: Vec<Bson>) -> Vec<u8> {
    let hardware = Bson::Document(vec![("devices", Bson::Array(devices))]);
    Bson::Document(vec![
        ("info", Bson::Document(vec![("hardware", hardware)])),
        ("frames", frames),
        ("events", Bson::Array(events)),
    ])
    .bytes()
}

fn file(devices: Vec<Bson>, frames: &[&[f64]]) -> Vec<u8> {
    file_with(devices, rows(frames), Vec::new())
}

/// Returns the first binary member with a name.
pub(crate) fn binary<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let start = [b"\x05", name.as_bytes(), b"\0"].concat();
    let place = bytes.windows(start.len()).position(|part| part == start);
    let (size, rest) = bytes[place.unwrap() + start.len()..]
        .split_first_chunk()
        .unwrap();
    &rest[1..][..u32::from_le_bytes(*size) as usize]
}

/// Encodes numbers of some bits as fpzip does, for headers that no software writes.
fn fpzip(numbers: &[(u64, u32)]) -> Vec<u8> {
    let (mut low, mut range, mut bytes) = (0_u32, u32::MAX, Vec::new());
    for &(number, bits) in numbers {
        let parts = [
            (number & 0xffff, bits.min(16)),
            (number >> 16, bits.saturating_sub(16)),
        ];
        for (number, bits) in parts {
            if bits == 0 {
                continue;
            }
            range >>= bits;
            low = low.wrapping_add(range.wrapping_mul(number as u32));
            while (low ^ low.wrapping_add(range)) >> 24 == 0 {
                bytes.push((low >> 24) as u8);
                low <<= 8;
                range <<= 8;
            }
            if range >> 16 == 0 {
                bytes.extend(&low.to_be_bytes()[..2]);
                low <<= 16;
                range = low.wrapping_neg();
            }
        }
    }
    bytes.extend(low.to_be_bytes());
    bytes
}

fn header(version: [u64; 2], kind: u64, bits: u64, sizes: [u64; 4]) -> Vec<u8> {
    let magic = *b"fpz\0";
    let mut numbers = magic.map(|byte| (u64::from(byte), 8)).to_vec();
    numbers.extend([(version[0], 16), (version[1], 8), (kind, 1), (bits, 7)]);
    numbers.extend(sizes.map(|size| (size, 32)));
    fpzip(&numbers)
}

#[test]
fn a_file_of_the_formats_own_software_is_read() {
    assert_eq!(Format::detect(SMALL), Some(Format::Xror));
    assert_eq!(Format::detect(&SMALL[..40]), Some(Format::Xror));
    let (recording, report) = read(SMALL).unwrap();
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    assert_eq!(report.losses, []);
    assert_eq!(
        notes(&report),
        [
            (
                NoteKind::Controllers,
                "XROR files do not state which pose of a controller was recorded; it is read as grip"
            ),
            (
                NoteKind::Axes,
                "Unity's axes assumed, because XROR files do not state their axes"
            ),
            (
                NoteKind::TimeShift,
                "the first frame is at 0.5 s in the file, and at 0 in the recording"
            ),
            (
                NoteKind::OtherContent,
                "3 events of 2 types became markers, without attributes such as spawnTime"
            ),
            (
                NoteKind::Unknown,
                "right.controller.grip is unknown for 0.044 s from 0.033 s on"
            ),
        ]
    );
    let texts: Vec<_> = recording.about.iter().collect();
    let expected = [
        ("device", "Oculus Quest 2"),
        ("format", "xror"),
        ("hardware.devices.1.name", "Touch Left"),
        ("hardware.devices.2.name", "Touch Right"),
        ("program", "Beat Saber"),
        ("software.app.id", "620980"),
        ("software.app.name", "Beat Saber"),
        ("software.runtime", "oculus"),
        ("timestamp", "2023-09-01T12:30:00+0000"),
        ("user.id", "user"),
    ];
    assert_eq!(texts, expected);
    let sampler = Sampler::new(&recording).unwrap();
    assert_eq!(sampler.key_times().len(), 12);
    let frame = sampler.frame_at(0.0);
    assert_eq!(
        grip(&frame, "left.controller").unwrap().position,
        [-0.3, 1.15, 0.0]
    );
    assert!(!frame.left.tracked && frame.left.joints.iter().all(|(_, pose)| pose.is_none()));
    // The right controller is unknown in the frames 4 to 6.
    let times = sampler.key_times().into_iter();
    let frames = times.map(|time| sampler.frame_at(time));
    let tracked: Vec<bool> = frames
        .map(|frame| grip(&frame, "right.controller").is_some())
        .collect();
    assert_eq!(
        tracked,
        [[true; 4].as_slice(), &[false; 3], &[true; 5]].concat()
    );
    let markers = recording.markers.iter();
    let markers: Vec<_> = markers.map(|marker| (marker.time, &*marker.name)).collect();
    let at = |time: f32| (f64::from(time) - 0.5) as f32;
    let expected = [(at(0.52), "Miss"), (at(0.55), "Pause"), (at(0.58), "Miss")];
    assert_eq!(markers, expected);
}

#[test]
fn the_poses_of_the_file_are_as_expected() {
    // The columns of the hands have the numbers of the controllers.
    let table = include_str!("../golden/small.xror.csv");
    let (recording, _) = read(SMALL).unwrap();
    let sampler = Sampler::new(&recording).unwrap();
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let frame = sampler.frame_at(cells[0].parse().unwrap());
        let poses = [
            (1, frame.head),
            (9, grip(&frame, "left.controller")),
            (17, grip(&frame, "right.controller")),
        ];
        for (first, pose) in poses {
            let numbers = cells[first..first + 7]
                .iter()
                .map(|cell| cell.parse::<f32>().ok());
            let expected: Option<Vec<f32>> = numbers.collect();
            let found = pose.map(|pose| [&pose.position[..], &pose.rotation].concat());
            assert_eq!(found, expected, "{line}");
        }
        rows += 1;
    }
    assert_eq!(rows, 12);
    // On request, hands are derived from the controllers.
    let mut options = ReadOptions::default();
    options.palms_from_controllers = true;
    let (derived, _) = inputanim_convert::read(Format::Xror, SMALL, &options).unwrap();
    let frame = Sampler::new(&derived).unwrap().frame_at(0.0);
    let palm = frame.left.joints[Joint::Palm].unwrap();
    assert!(frame.left.tracked && frame.left.pinch_unknown);
    assert_eq!(palm.position, [-0.3, 1.15, 0.0]);
    assert!(frame.left.joints[Joint::Wrist].is_some());
}

#[test]
fn nothing_is_stated_of_hands_that_the_format_does_not_have() {
    let (recording, _) = read(SMALL).unwrap();
    assert_eq!(recording.hands, None);
    let always = [TimeRange {
        start: f32::NEG_INFINITY,
        end: f32::INFINITY,
    }];
    for side in Side::BOTH {
        assert_eq!(recording.known.gaps(Element::Tracked(side)), always);
    }
    let unknown = recording.unknown_times();
    let is_of_device =
        |time: &inputanim::UnknownTime| matches!(time.stream, inputanim::Stream::Device(_));
    assert!(unknown.iter().all(is_of_device), "{unknown:?}");
}

#[test]
fn axes_and_devices_have_any_order() {
    let devices = vec![
        device("WRIST_LEFT", &["p"]),
        device("HAND_RIGHT", &["1", "p", "z", "k", "y", "j", "x", "i"]),
        device("HAND_RIGHT", &POSE),
        device("HEAD", &["x", "y", "z"]),
        device("HIP", &["x", "y", "z"]),
    ];
    let frame = [
        2.0, 9.0, 0.5, 9.0, 3.0, -0.1, 2.0, 0.7, 1.0, 0.5, 8.0, 8.0, 8.0, 0.0, 0.0, 0.0, 1.0, 0.0,
        1.6, 0.1, 0.0, 0.9, 0.0,
    ];
    let bytes = file(devices, &[&frame]);
    let (recording, report) = read(&bytes).unwrap();
    let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
    assert_eq!(frame.head, Some(Pose::at([0.0, 1.6, 0.1])));
    let (position, rotation) = ([1.0, 2.0, 3.0], [0.5, 0.7, -0.1, 0.5]);
    assert_eq!(
        grip(&frame, "right.controller"),
        Some(Pose { position, rotation })
    );
    assert_eq!(grip(&frame, "tracker.hip"), Some(Pose::at([0.0, 0.9, 0.0])));
    assert_eq!(frame.devices.len(), 2);
    assert_eq!(
        losses(&report),
        [
            "neither a head, a controller nor a tracker: unnamed (type TRACKER, joint WRIST_LEFT)",
            "second device of the same part of the body: unnamed (type TRACKER, joint HAND_RIGHT)",
        ]
    );
    assert!(
        report
            .losses
            .iter()
            .all(|loss| loss.kind == LossKind::InputSources)
    );
    let kinds: Vec<_> = notes(&report).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [
            NoteKind::MissingRotations,
            NoteKind::OtherContent,
            NoteKind::Controllers,
            NoteKind::Axes,
            NoteKind::TimeShift
        ]
    );
}

#[test]
fn other_axes_are_converted() {
    let mut options = ReadOptions::default();
    options.space = Some(Space::OpenXr);
    let (recording, report) = inputanim_convert::read(Format::Xror, SMALL, &options).unwrap();
    assert!(report.notes.iter().all(|note| note.kind != NoteKind::Axes));
    let (plain, _) = read(SMALL).unwrap();
    let frame = |recording| Sampler::new(recording).unwrap().frame_at(0.1);
    let (converted, plain) = (frame(&recording), frame(&plain));
    let expected = Space::OpenXr.pose(grip(&plain, "left.controller").unwrap());
    assert_eq!(grip(&converted, "left.controller"), Some(expected));
}

#[test]
fn frames_that_cannot_be_recorded_are_reported() {
    let frame = |time: f64, y: f64, w: f64| [time, 0.0, y, 0.0, 0.0, 0.0, 0.0, w];
    let frames = [
        frame(1.0, 1.6, 1.0),
        frame(1.0, 1.6, 1.0),
        frame(0.5, 1.6, 1.0),
        frame(f64::NAN, 1.6, 1.0),
        frame(1.5, f64::NAN, 1.0),
        frame(2.0, f64::INFINITY, 1.0),
        frame(2.5, 1e300, 1.0),
        frame(3.0, 1.6, 0.0),
        // Padding.
        [-1.0; 8],
    ];
    let frames: Vec<&[f64]> = frames.iter().map(|frame| &frame[..]).collect();
    let bytes = file(vec![device("HEAD", &POSE)], &frames);
    let (recording, report) = read(&bytes).unwrap();
    assert_eq!(
        losses(&report),
        [
            "1 frame out of order, the first is frame 2",
            "1 frame without a finite time",
            "3 poses with an infinite number or a rotation of 0",
        ]
    );
    assert_eq!(recording.head.as_ref().unwrap().position[0].keys.len(), 1);
    assert_eq!(recording.duration(), 2.0);
}

#[test]
fn null_is_unknown() {
    let mut frame: Vec<Bson> = [0.0, 0.0, 1.6].map(Bson::Number).into();
    frame.extend([const { Bson::Null }; 5]);
    let frames = Bson::Array(vec![Bson::Array(frame)]);
    let bytes = file_with(vec![device("HEAD", &POSE)], frames, Vec::new());
    assert_eq!(read(&bytes).unwrap().0.head, None);
}

#[test]
fn errors_contain_their_place() {
    let only = |member: &'static str, value: Bson| Bson::Document(vec![(member, value)]).bytes();
    let of_devices = |devices: Bson| {
        let hardware = Bson::Document(vec![("devices", devices)]);
        only("info", Bson::Document(vec![("hardware", hardware)]))
    };
    let one = |members| of_devices(Bson::Array(vec![Bson::Document(members)]));
    let of_frames = |frames| file_with(vec![device("HEAD", &POSE)], frames, Vec::new());
    let cut = format!(
        "the file is cut off: expected {} bytes, found 40",
        SMALL.len()
    );
    let cases = [
        (vec![], "byte 0: expected a size, found 0 of 4 bytes"),
        (SMALL[..40].to_vec(), &cut),
        (
            b"\x05\0\0\0\0!".to_vec(),
            "byte 5: expected the end of the file, found 1 more bytes",
        ),
        (
            b"\xff\xff\xff\xff\0".to_vec(),
            "byte 0: expected a size, found -1",
        ),
        (
            b"\x08\0\0\0\x44a\0\0".to_vec(),
            "byte 4: expected an element of BSON, found the kind 0x44",
        ),
        (
            only("a", Bson::Null),
            "info: expected a document, found none",
        ),
        (
            only("info", Bson::Null),
            "info: expected a document, found null",
        ),
        (
            only("info", Bson::Document(vec![])),
            "info.hardware: expected a document, found none",
        ),
        (
            of_devices(Bson::Text("x")),
            "info.hardware.devices: expected an array, found a string",
        ),
        (
            of_devices(texts(&["x"])),
            "info.hardware.devices[0]: expected a document, found a string",
        ),
        (
            one(vec![]),
            "info.hardware.devices[0].axes: expected an array, found none",
        ),
        (
            one(vec![("axes", Bson::Array(vec![Bson::Null]))]),
            "info.hardware.devices[0].axes: expected an array of strings, found null",
        ),
        (
            one(vec![("axes", texts(&POSE)), ("name", Bson::Text("BRUSH"))]),
            "expected a device with the joint HEAD, HAND_LEFT or HAND_RIGHT, found BRUSH (type none, joint none)",
        ),
        (
            of_devices(Bson::Array(vec![])),
            "expected a device with the joint HEAD, HAND_LEFT or HAND_RIGHT, found no devices",
        ),
        (
            of_frames(Bson::Null),
            "frames: expected binary data or an array, found null",
        ),
        (
            of_frames(Bson::Array(vec![])),
            "frames: expected at least one frame, found none",
        ),
        (
            of_frames(rows(&[&[-1.0; 8]])),
            "frames: expected at least one frame, found none",
        ),
        (
            of_frames(texts(&["x"])),
            "frame 0: expected an array of numbers, found a string",
        ),
        (
            of_frames(Bson::Array(vec![texts(&["x"])])),
            "frame 0: expected an array of numbers, found a string",
        ),
        (
            of_frames(rows(&[&[0.0; 7]])),
            "frame 0: expected 8 numbers (the time and the axes of all devices), found 7",
        ),
        (
            of_frames(Bson::Binary(binary(SMALL, "frames").to_vec())),
            "frames: expected 8 numbers per frame (the time and the axes of all devices), found 22",
        ),
        (
            of_frames(Bson::Binary(b"PK".to_vec())),
            "cannot decompress frames: not compressed with fpzip: the magic number is missing",
        ),
    ];
    for (bytes, expected) in cases {
        let error = error(&bytes);
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
}

#[test]
fn headers_that_cannot_be_read_are_refused() {
    let of = |header: Vec<u8>| {
        let bytes = file_with(
            vec![device("HEAD", &POSE)],
            Bson::Binary(header),
            Vec::new(),
        );
        match format_error(read(&bytes).unwrap_err()) {
            XrorError::Fpzip { source, .. } => source,
            other => panic!("{other}"),
        }
    };
    let good = [8, 2, 1, 1];
    let integers = FpzipError::Version {
        codec: 0x110,
        arithmetic: 4,
    };
    assert_eq!(of(header([0x110, 4], 0, 32, good)), integers);
    for (kind, bits) in [(0, 1), (0, 33), (0, 64), (1, 2), (1, 33), (1, 65)] {
        let error = FpzipError::Precision { bits: bits as u32 };
        assert_eq!(of(header([0x110, 1], kind, bits, good)), error);
    }
    let deep = FpzipError::Dimensions {
        columns: 8,
        rows: 2,
        planes: 3,
        fields: 1,
    };
    assert_eq!(of(header([0x110, 1], 0, 0, [8, 2, 3, 1])), deep);
    let error = of(header([0x110, 1], 0, 0, [8, 1000, 1, 1]));
    assert!(
        matches!(error, FpzipError::Truncated { row: 0, rows: 1000 }),
        "{error}"
    );
}

#[test]
fn damaged_sizes_do_not_allocate() {
    let many = u64::from(u32::MAX);
    let of = |sizes| Bson::Binary([header([0x110, 1], 0, 0, sizes), vec![0; 64]].concat());
    for sizes in [[many, many, 1, 1], [many, 1, 1, 1], [8, many, 1, 1]] {
        let bytes = file_with(vec![device("HEAD", &POSE)], of(sizes), Vec::new());
        let error = read(&bytes).unwrap_err();
        assert!(
            matches!(error, Error::Limit { .. })
                || matches!(error.downcast_ref(), Some(XrorError::Columns { .. })),
            "{error}"
        );
    }
    // Events do not refuse the frames.
    let event = Bson::Document(vec![
        ("id", Bson::Text("m")),
        ("floatData", of([many, 1, 1, 1])),
    ]);
    let frames = rows(&[&[0.0, 0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0]]);
    let bytes = file_with(vec![device("HEAD", &POSE)], frames, vec![event]);
    let (_, report) = read(&bytes).unwrap();
    assert_eq!(
        losses(&report),
        ["events m: 4294967295 columns for 0 attributes and the time"]
    );
    // An array without rows needs no memory for a row.
    let event = Bson::Document(vec![
        ("id", Bson::Text("m")),
        ("floatData", of([many, 0, 1, 1])),
    ]);
    let frames = rows(&[&[0.0, 0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0]]);
    let bytes = file_with(vec![device("HEAD", &POSE)], frames, vec![event]);
    assert_eq!(losses(&read(&bytes).unwrap().1), [""; 0]);
    for sizes in [[many, 0, 1, 1], [many, 1, 0, 1], [many, many, 1, 0]] {
        let bytes = file_with(vec![device("HEAD", &POSE)], of(sizes), Vec::new());
        let expected = "frames: expected at least one frame, found none";
        assert_eq!(error(&bytes), expected);
    }
    // Nested documents do not use the stack.
    let mut nested = Bson::Null;
    for _ in 0..2000 {
        nested = Bson::Document(vec![("a", nested)]);
    }
    let bytes = Bson::Document(vec![("deep", nested)]).bytes();
    assert_eq!(error(&bytes), "info: expected a document, found none");
}

#[test]
fn frames_that_end_early_keep_the_frames_before() {
    let frames = binary(SMALL, "frames");
    let devices = || {
        ["HEAD", "HAND_LEFT", "HAND_RIGHT"]
            .map(|joint| device(joint, &POSE))
            .into()
    };
    let (whole, _) = read(SMALL).unwrap();
    let whole = Sampler::new(&whole).unwrap();
    let mut kept = Vec::new();
    for end in 0..frames.len() {
        let bytes = file_with(devices(), Bson::Binary(frames[..end].to_vec()), Vec::new());
        let Ok((part, report)) = read(&bytes) else {
            assert!(kept.is_empty());
            continue;
        };
        let [loss] = &report.losses[..] else {
            panic!("{:?}", report.losses);
        };
        let part = Sampler::new(&part).unwrap();
        let count = part.key_times().len();
        assert_eq!(
            (loss.kind, loss.count),
            (LossKind::Damage, 12 - count as u64)
        );
        for time in part.key_times() {
            assert_eq!(part.frame_at(time).head, whole.frame_at(time).head);
        }
        kept.push(count);
    }
    assert!(kept.is_sorted());
    assert_eq!((kept[0], kept.last()), (1, Some(&11)));
}

#[test]
fn events_without_readable_times_are_reported() {
    let frames = || rows(&[&[0.0, 0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0]]);
    let event = |data: Vec<u8>| {
        let members = vec![
            ("name", Bson::Text("Miss")),
            ("attr", texts(&["spawnTime", "noteID"])),
            ("floatData", Bson::Binary(data)),
        ];
        file_with(
            vec![device("HEAD", &POSE)],
            frames(),
            vec![Bson::Document(members)],
        )
    };
    let times = binary(SMALL, "floatData");
    let bytes = event(times.to_vec());
    assert_eq!(read(&bytes).unwrap().0.markers.len(), 2);
    for end in 0..times.len() {
        let bytes = event(times[..end].to_vec());
        let (recording, report) = read(&bytes).unwrap();
        assert!(recording.markers.len() < 2);
        assert_eq!(report.losses[0].kind, LossKind::Damage);
    }
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let read = |change: fn(&mut ReadOptions)| {
        let mut options = ReadOptions::default();
        change(&mut options);
        inputanim_convert::read(Format::Xror, SMALL, &options)
    };
    assert!(read(|_| ()).is_ok());
    let refused: [fn(&mut ReadOptions); 4] = [
        |options| options.limits.max_bytes = SMALL.len() as u64 - 1,
        |options| options.limits.max_keys = 12 * 22 - 1,
        // The values of events count too.
        |options| options.limits.max_keys = 12 * 22 + 2 * 2,
        |options| options.limits.max_markers = 2,
    ];
    for change in refused {
        assert!(matches!(read(change), Err(Error::Limit { .. })));
    }
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![8 => -5.0_f32..5.0, 1 => any::<f32>(), 1 => Just(0.0)]
}

proptest! {
    #[test]
    fn poses_are_those_of_the_frames(
        frames in prop::collection::vec((0.001_f32..0.1, prop::array::uniform14(number())), 1..20)
    ) {
        let mut time = 0.0;
        let mut table: Vec<Vec<f64>> = Vec::new();
        for (step, numbers) in &frames {
            time += step;
            let mut row = vec![f64::from(time)];
            row.extend(numbers.map(f64::from));
            table.push(row);
        }
        let table: Vec<&[f64]> = table.iter().map(|row| &row[..]).collect();
        let devices = vec![device("HAND_LEFT", &POSE), device("HAND_RIGHT", &POSE)];
        let bytes = file(devices, &table);
        let (recording, _) = read(&bytes).unwrap();
        let sampler = Sampler::new(&recording).unwrap();
        let mut keys = [0; 2];
        for row in table {
            let time = (row[0] - f64::from(frames[0].0)) as f32;
            for (side, numbers) in Side::BOTH.into_iter().zip(row[1..].chunks(7)) {
                let numbers: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
                let is_known = numbers.iter().all(|number| number.is_finite())
                    && numbers[3..].iter().any(|&number| number != 0.0);
                let name = DeviceName::controller(side);
                let frame = sampler.frame_at(time);
                prop_assert_eq!(grip(&frame, name.as_str()).is_some(), is_known);
                if is_known {
                    let palm = recording.device(name).unwrap().pose("grip".parse().unwrap()).unwrap();
                    let curves = palm.position.iter().chain(&palm.rotation);
                    let index = &mut keys[side as usize];
                    let points: Vec<_> = curves.map(|curve| curve.keys.point(*index).unwrap()).collect();
                    *index += 1;
                    prop_assert!(points.iter().all(|point| point.0 == time));
                    let values: Vec<f32> = points.iter().map(|point| point.1).collect();
                    prop_assert_eq!(&values[..3], &numbers[..3]);
                    // q and −q are the same rotation.
                    let opposite = values[3..].iter().map(|part| -part);
                    prop_assert!(values[3..] == numbers[3..] || opposite.eq(numbers[3..].iter().copied()));
                }
            }
        }
    }

    #[test]
    fn random_changes_give_an_error_or_a_recording(
        changes in prop::collection::vec((0..SMALL.len(), any::<u8>()), 1..8)
    ) {
        let mut bytes = SMALL.to_vec();
        for (place, byte) in changes {
            bytes[place] = byte;
        }
        let _ = read(&bytes);
    }
}
