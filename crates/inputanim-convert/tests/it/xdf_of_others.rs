//! XDF files of laboratories: times, mappings, markers, damage.

use std::io::Write;
use std::sync::OnceLock;

use inputanim::{Joint, Layout, Limits, Recording, Sampler, Space};
use inputanim_convert::xdf;
use inputanim_convert::{Error, Format, LossKind, NoteKind, ReadOptions, Report, WriteOptions};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

use inputanim_testkit::xdf::{Lab, LabSample};

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<(Recording<'static>, Report), Error> {
    let (recording, report) = inputanim_convert::read(Format::Xdf, bytes, options)?;
    Ok((recording.into_owned(), report))
}

fn read(bytes: &[u8], mappings: &[&str]) -> Result<(Recording<'static>, Report), Error> {
    let mut options = ReadOptions::default();
    options.mappings = mappings
        .iter()
        .map(|mapping| mapping.parse().unwrap())
        .collect();
    read_with(bytes, &options)
}

fn error(bytes: &[u8], mappings: &[&str]) -> String {
    read(bytes, mappings).map(|_| ()).unwrap_err().to_string()
}

fn notes(report: &Report) -> Vec<(NoteKind, &str)> {
    let notes = report.notes.iter();
    notes.map(|note| (note.kind, &*note.message)).collect()
}

fn losses(report: &Report) -> Vec<(LossKind, &str)> {
    let losses = report.losses.iter();
    losses.map(|loss| (loss.kind, &*loss.message)).collect()
}

fn points(curve: &inputanim::FloatCurve<'_>) -> Vec<(f32, f32)> {
    curve.keys.points().collect()
}

/// Returns a file with a tracker in millimetres, as a laboratory could record it.
fn tracker() -> Lab {
    let mut lab = Lab::new();
    lab.stream(
        1,
        ["Tracker", "MoCap", "double64"],
        0.0,
        &["x", "y", "z", "qx", "qy", "qz", "qw", "ok"],
    );
    let sample = |time: f64, x: f64, ok: f64| -> LabSample {
        let numbers = [x, 1500.0, -200.0, 0.0, 0.0, 0.0, 1.0, ok];
        (
            Some(time),
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect(),
        )
    };
    lab.samples(
        1,
        &[
            sample(50.0, 100.0, 1.0),
            sample(50.5, 110.0, 1.0),
            sample(51.0, 120.0, 0.0),
        ],
    );
    lab
}

const PALM: [&str; 7] = [
    "left.Palm.position.x=Tracker/x*0.001",
    "left.Palm.position.y=Tracker/y*0.001",
    "left.Palm.position.z=Tracker/3*0.001",
    "left.Palm.rotation.x=Tracker/qx",
    "left.Palm.rotation.y=Tracker/qy",
    "left.Palm.rotation.z=Tracker/qz",
    "left.Palm.rotation.w=Tracker/qw",
];

#[test]
fn channels_are_mapped_by_label_or_number_with_a_factor() {
    let (recording, report) = read(&tracker().0, &PALM).unwrap();
    assert_eq!(losses(&report), []);
    let expected = [(
        NoteKind::TimeShift,
        "t = 0 is at 50 s of the clock of the file",
    )];
    assert_eq!(notes(&report), expected);
    let left = &recording.hands.as_ref().unwrap().left;
    let palm = &left.joints[Joint::Palm];
    assert_eq!(
        points(&palm.position[0]),
        [(0.0, 0.1), (0.5, 0.11), (1.0, 0.12)]
    );
    assert_eq!(
        points(&palm.position[2]),
        [(0.0, -0.2), (0.5, -0.2), (1.0, -0.2)]
    );
    assert_eq!(left.tracked.keys.len(), 1);

    // A state is on from one half on. Joints are read only while their hand is tracked.
    let mappings = [
        &PALM[..],
        &["left.tracked=Tracker/ok", "left.pinching=Tracker/x*0.0095"],
    ]
    .concat();
    let (recording, _) = read(&tracker().0, &mappings).unwrap();
    let left = &recording.hands.unwrap().left;
    assert_eq!(
        points(&left.joints[Joint::Palm].position[0]),
        [(0.0, 0.1), (0.5, 0.11)]
    );
    let states: Vec<(f32, f32)> = inputanim::Curve::Boolean(&left.tracked).points().collect();
    assert_eq!(states, [(0.0, 1.0), (1.0, 0.0)]);
    assert_eq!(left.pinching.keys.len(), 1);
}

#[test]
fn axes_are_those_of_the_options() {
    let mut options = ReadOptions::default();
    options.mappings = PALM
        .iter()
        .map(|mapping| mapping.parse().unwrap())
        .collect();
    options.space = Some(Space::OpenXr);
    let (recording, _) = read_with(&tracker().0, &options).unwrap();
    let palm = &recording.hands.unwrap().left.joints[Joint::Palm];
    assert_eq!(points(&palm.position[2])[0], (0.0, 0.2));
}

#[test]
fn a_position_without_a_rotation_has_the_identity() {
    let (recording, report) = read(&tracker().0, &PALM[..3]).unwrap();
    let palm = &recording.hands.unwrap().left.joints[Joint::Palm];
    assert_eq!(
        points(&palm.rotation[3]),
        [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0)]
    );
    let missing = report
        .notes
        .iter()
        .find(|note| note.kind == NoteKind::MissingRotations);
    assert_eq!(
        missing.unwrap().message,
        "no rotations, identity assumed: left.Palm"
    );
}

#[test]
fn errors_list_the_streams_and_channels() {
    let lab = tracker().0;
    let listed = "The file has 1 stream:\n  Tracker (MoCap, double64, 8 channels): \
                  1 x [meters], 2 y [meters], 3 z [meters], 4 qx [meters], 5 qy [meters], 6 qz [meters], \
                  7 qw [meters], 8 ok [meters]";
    let expected = format!(
        "no channel has the name of a curve, such as head.position.x; a mapping \
         `head.position.x=STREAM/CHANNEL` selects one. {listed}"
    );
    assert_eq!(error(&lab, &[]), expected);
    for (mapping, problem) in [
        ("head.position.x=Traker/x", "no stream \"Traker\""),
        ("head.position.x=Tracker/9", "no channel \"9\""),
        ("head.position.x=Tracker/0", "no channel \"0\""),
        ("head.position.x=Tracker#2/x", "no stream \"Tracker#2\""),
        ("head.position.x=Tracker", "expected STREAM/CHANNEL"),
        (
            "time_s=Tracker/x",
            "the streams of XDF have times of their own",
        ),
    ] {
        assert_eq!(
            error(&lab, &[mapping]),
            format!("{mapping}: {problem}. {listed}")
        );
    }
    assert_eq!(
        error(&lab, &[&PALM[..2], &PALM[3..6]].concat()),
        "incomplete poses: left.Palm.position.z, left.Palm.rotation.w missing"
    );
}

#[test]
fn streams_of_one_name_are_numbered() {
    let mut lab = tracker();
    lab.stream(2, ["Tracker", "MoCap", "float32"], 0.0, &["a/b", "y", "y"])
        .stream(4, ["Words/1", "Notes", "string"], 0.0, &["text"])
        .floats(2, &[(52.0, &[1.0, 2.0, 3.0]), (53.0, &[4.0, 5.0, 6.0])])
        .texts(4, &[(51.0, "hello")]);
    let lab = lab.0;
    let found = error(&lab, &["head.position.x=Tracker/x"]);
    assert!(
        found.contains("several streams have the name Tracker: Tracker#1, Tracker#2"),
        "{found}"
    );
    let found = error(&lab, &["head.position.x=Tracker#2/y"]);
    assert!(
        found.contains("several channels have the label y; use the number of one"),
        "{found}"
    );
    let found = error(&lab, &["head.position.x=Words/1/text"]);
    assert!(
        found.contains("expected a stream of numbers, found texts"),
        "{found}"
    );
    let mappings = [
        "head.position.x=Tracker#2/a/b",
        "head.position.y=Tracker#2/2",
        "head.position.z=Tracker#2/3",
        "marker=Words/1",
    ];
    let (recording, report) = read(&lab, &mappings).unwrap();
    let head = recording.head.unwrap();
    assert_eq!(points(&head.position[2]), [(0.0, 3.0), (1.0, 6.0)]);
    let markers: Vec<_> = recording
        .markers
        .iter()
        .map(|marker| (marker.time, &*marker.name))
        .collect();
    assert_eq!(markers, [(-1.0, "hello")]);
    let expected = [
        (
            NoteKind::MissingRotations,
            "no rotations, identity assumed: head",
        ),
        (NoteKind::Markers, "1 marker of Words/1"),
        (
            NoteKind::TimeShift,
            "t = 0 is at 52 s of the clock of the file",
        ),
        (
            NoteKind::OtherContent,
            "streams not read: Tracker#1 (MoCap)",
        ),
    ];
    assert_eq!(notes(&report), expected);
    let split = ["head.position.x=Tracker#1/x", mappings[1], mappings[2]];
    assert_eq!(
        error(&lab, &split),
        "the channels of head are in two streams, Tracker#1 and Tracker#2; expected one stream"
    );
}

#[test]
fn a_position_and_a_rotation_may_be_in_streams_of_their_own() {
    let mut lab = tracker();
    lab.stream(2, ["Q", "MoCap", "int16"], 0.0, &["x", "y", "z", "w"]);
    let sample = |time: f64, numbers: [i16; 4]| -> LabSample {
        (
            Some(time),
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect(),
        )
    };
    // The sign of a rotation follows the rotation before, and a rotation of 0 is unknown.
    lab.samples(
        2,
        &[
            sample(50.25, [0, 0, 0, 1000]),
            sample(50.5, [0, 0, 0, 0]),
            sample(50.75, [0, 10, 0, -1000]),
        ],
    );
    let rotation =
        ["x", "y", "z", "w"].map(|part| format!("left.Palm.rotation.{part}=Q/{part}*0.001"));
    let mappings: Vec<&str> = PALM[..3]
        .iter()
        .copied()
        .chain(rotation.iter().map(String::as_str))
        .collect();
    let (recording, report) = read(&lab.0, &mappings).unwrap();
    let palm = &recording.hands.unwrap().left.joints[Joint::Palm];
    assert_eq!(points(&palm.rotation[3]), [(0.25, 1.0), (0.75, 1.0)]);
    assert_eq!(points(&palm.rotation[1])[1], (0.75, -0.01));
    assert_eq!(palm.position[0].keys.len(), 3);
    let message =
        "1 sample of left.Palm with some numbers that are not finite, or with a rotation of 0";
    assert_eq!(losses(&report), [(LossKind::NotFinite, message)]);
}

#[test]
fn streams_with_our_labels_need_no_mapping() {
    let labels = ["head.position.x", "head.position.y", "head.position.z"];
    let mut lab = Lab::new();
    lab.stream(1, ["A", "MoCap", "float32"], 0.0, &labels)
        .floats(
            1,
            &[
                (5.0, &[1.0, 2.0, 3.0]),
                (5.0, &[1.0; 3]),
                (6.0, &[f32::NAN; 3]),
                (4.0, &[1.0; 3]),
            ],
        )
        .floats(
            1,
            &[
                (f64::NAN, &[1.0; 3]),
                (7.0, &[1.0, f32::NAN, 1.0]),
                (8.0, &[7.0; 3]),
            ],
        );
    let (recording, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(
        points(&recording.head.unwrap().position[0]),
        [(0.0, 1.0), (3.0, 7.0)]
    );
    let expected = [
        (
            LossKind::Order,
            "A: 2 samples not later than the sample before",
        ),
        (
            LossKind::NotFinite,
            "A: 1 sample with a time that is not finite",
        ),
        (
            LossKind::NotFinite,
            "1 sample of head with some numbers that are not finite, or with a rotation of 0",
        ),
    ];
    assert_eq!(losses(&report), expected);
    // A mapping replaces the channel of one curve.
    lab.stream(2, ["B", "MoCap", "float32"], 0.0, &labels)
        .floats(2, &[(5.5, &[9.0; 3])]);
    let found = error(&lab.0, &[]);
    let expected = "head.position.x is in two streams: A and B; a mapping selects one of them";
    assert_eq!(found, expected);
    let mappings = labels.map(|label| format!("{label}=B/{label}"));
    let mappings: Vec<&str> = mappings.iter().map(String::as_str).collect();
    let (recording, _) = read(&lab.0, &mappings).unwrap();
    assert_eq!(points(&recording.head.unwrap().position[0]), [(0.0, 9.0)]);
}

#[test]
fn streams_of_markers_become_markers() {
    let mut lab = tracker();
    lab.stream(2, ["Keys", "markers", "string"], 0.0, &["key", "state"])
        .stream(3, ["Port", "Markers", "int32"], 0.0, &["code"]);
    let text = |first: &str, second: &str| {
        let text = |text: &str| [&[1, text.len() as u8], text.as_bytes()].concat();
        [text(first), text(second)].concat()
    };
    lab.samples(
        2,
        &[
            (Some(51.0), text("a", "down")),
            (Some(51.5), text("", "")),
            (Some(52.0), text("", "up")),
        ],
    )
    .samples(3, &[(Some(49.5), (-7_i32).to_le_bytes().to_vec())]);
    let (recording, report) = read(&lab.0, &PALM).unwrap();
    let markers = recording
        .markers
        .iter()
        .map(|marker| (marker.time, &*marker.name));
    let markers: Vec<_> = markers.collect();
    assert_eq!(
        markers,
        [
            (-0.5, "Port: -7"),
            (1.0, "Keys: a, down"),
            (2.0, "Keys: up")
        ]
    );
    assert_eq!(
        notes(&report)[0],
        (NoteKind::Markers, "2 markers of Keys, 1 marker of Port")
    );
    let mappings = [&PALM[..], &["marker=Keys/state"]].concat();
    let (recording, _) = read(&lab.0, &mappings).unwrap();
    let markers: Vec<&str> = recording
        .markers
        .iter()
        .map(|marker| &*marker.name)
        .collect();
    assert_eq!(markers, ["down", "up"]);
}

#[test]
fn missing_times_follow_from_the_rate_and_jitter_is_removed() {
    let mut lab = Lab::new();
    lab.stream(
        1,
        ["A", "MoCap", "int8"],
        10.0,
        &["head.position.x", "head.position.y", "head.position.z"],
    );
    lab.samples(
        1,
        &[
            (Some(2.0), vec![1, 2, 3]),
            (None, vec![4, 5, 6]),
            (None, vec![7, 8, 9]),
        ],
    );
    let (recording, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(
        points(&recording.head.unwrap().position[1]),
        [(0.0, 2.0), (0.1, 5.0), (0.2, 8.0)]
    );
    assert_eq!(report.notes.len(), 2, "{report:?}");
    lab.samples(
        1,
        &[(Some(2.31), vec![1, 2, 3]), (Some(2.39), vec![4, 5, 6])],
    )
    .clock_offset(1, 2.0, 7.5);
    let (_, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(
        notes(&report)[2],
        (
            NoteKind::Clock,
            "A: clock offsets applied, jitter of up to 11.000 ms removed"
        )
    );
    let streams = xdf::streams(&lab.0, &Limits::default()).unwrap();
    let expected = [9.502, 9.601, 9.7, 9.799, 9.898];
    for (time, expected) in streams[0].times.iter().zip(expected) {
        assert!((time - expected).abs() < 1e-9, "{:?}", streams[0].times);
    }
}

/// Returns a file that is written, with all streams.
fn written() -> Vec<u8> {
    static WRITTEN: OnceLock<Vec<u8>> = OnceLock::new();
    let write = || {
        let recording = Motion::new(Scene::TwoHands, 1, 12.0).record(10.0, Layout::Mrtk1_1);
        let mut options = WriteOptions::default();
        options.sampling = inputanim_convert::Sampling::Rate(2.0);
        let mut bytes = Vec::new();
        inputanim_convert::write(Format::Xdf, &recording, &options, &mut bytes).unwrap();
        bytes
    };
    WRITTEN.get_or_init(write).clone()
}

#[test]
fn a_file_that_is_cut_off_keeps_its_intact_chunks() {
    let whole = written();
    let (intact, _) = read(&whole, &[]).unwrap();
    let step = whole.len() / 397;
    let mut read_files = 0;
    for end in (0..whole.len())
        .step_by(step)
        .chain(whole.len() - 300..whole.len())
    {
        let Ok((recording, _)) = read(&whole[..end], &[]) else {
            continue;
        };
        read_files += 1;
        let head = |recording: &Recording<'_>| {
            points(&recording.head.clone().unwrap_or_default().position[0])
        };
        let (whole, part) = (head(&intact), head(&recording));
        let other = whole.iter().zip(&part).find(|(a, b)| a != b);
        assert_eq!(other, None, "{end}");
    }
    assert!(read_files > 200, "{read_files}");
    let (_, report) = read(&whole[..whole.len() - 1], &[]).unwrap();
    let [(LossKind::Damage, message)] = losses(&report)[..] else {
        panic!("{report:?}")
    };
    assert!(
        message.starts_with("1 chunk damaged, at byte "),
        "{message}"
    );
    assert!(message.ends_with(": the file is cut off"), "{message}");
}

/// A function that adds damage to a file.
type Damage<'d> = &'d dyn Fn(&mut Lab);

#[test]
fn reading_continues_after_the_next_boundary() {
    let sample = |time: f64| (time, &[1.0_f32, 2.0, 3.0][..]);
    let labels = ["head.position.x", "head.position.y", "head.position.z"];
    let file = |damage: &dyn Fn(&mut Lab)| {
        let mut lab = Lab::new();
        lab.stream(1, ["A", "MoCap", "float32"], 0.0, &labels)
            .floats(1, &[sample(1.0)]);
        damage(&mut lab);
        lab.floats(1, &[sample(2.0)])
            .boundary()
            .floats(1, &[sample(3.0)]);
        lab.0
    };
    let damages: [(Damage<'_>, &str, usize); 7] = [
        (
            &|lab| lab.0.extend([7, 9, 9]),
            "expected a chunk, found an invalid length",
            2,
        ),
        (
            &|lab| lab.0.extend([4, 0, 0, 0, 1, 3, 0]),
            "expected a chunk, found a length beyond the end of the file",
            2,
        ),
        (
            &|lab| lab.0.extend([1, 0]),
            "expected a chunk, found an invalid length",
            2,
        ),
        (
            &|lab| {
                lab.chunk(3, &[1]);
            },
            "a chunk is too short for the id of a stream",
            2,
        ),
        (
            &|lab| {
                lab.chunk(3, &[1, 0, 0, 0, 1, 9, 8]);
            },
            "samples of stream 1 do not fill their chunk",
            2,
        ),
        // The length of these chunks is right, so that the next chunk is found without a boundary.
        (
            &|lab| {
                lab.floats(9, &[sample(1.5)]);
            },
            "a chunk of stream 9, which has no intact header",
            3,
        ),
        (
            &|lab| {
                lab.clock_offset(1, f64::NAN, 0.0);
            },
            "a clock offset of stream 1 is not two finite numbers",
            3,
        ),
    ];
    for (damage, message, count) in damages {
        let bytes = file(damage);
        let (recording, report) = read(&bytes, &[]).unwrap();
        assert_eq!(
            recording.head.unwrap().position[0].keys.len(),
            count,
            "{message}"
        );
        let [(LossKind::Damage, found)] = losses(&report)[..] else {
            panic!("{report:?}")
        };
        assert!(
            found.ends_with(message) && found.starts_with("1 chunk damaged"),
            "{found}"
        );
    }
    let bad = file(&|lab| {
        lab.footer(1, "<info>");
    });
    let (_, report) = read(&bad, &[]).unwrap();
    assert!(
        losses(&report)[0].1.contains("footer of stream 1"),
        "{report:?}"
    );
    let bad = file(&|lab| {
        lab.header(2, "<info><name>&x;</name></info>");
    });
    let (_, report) = read(&bad, &[]).unwrap();
    assert!(
        losses(&report)[0].1.contains("header of stream 2"),
        "{report:?}"
    );
}

#[test]
fn headers_with_unusual_content_are_handled() {
    let read = |xml: &str| {
        let mut lab = tracker();
        lab.header(2, xml);
        let (_, report) = read(&lab.0, &PALM).unwrap();
        let losses = losses(&report);
        losses
            .first()
            .map(|(_, message)| message.split_once("stream 2: ").unwrap().1.to_owned())
    };
    let info = |fields: &str| format!("<info>{fields}</info>");
    let [count, rate, format] = [
        "<channel_count>1</channel_count>",
        "<nominal_srate>0</nominal_srate>",
        "<channel_format>int8</channel_format>",
    ];
    assert_eq!(read(&info(&[count, rate, format].concat())), None);
    assert_eq!(
        read(&info(&[count, rate].concat())).unwrap(),
        "no <channel_format>"
    );
    assert_eq!(
        read(&info(&[rate, format].concat())).unwrap(),
        "no <channel_count>"
    );
    let negative = "<channel_count>-1</channel_count>";
    assert_eq!(
        read(&info(&[negative, rate, format].concat())).unwrap(),
        "invalid <channel_count>: \"-1\""
    );
    let infinite = "<nominal_srate>inf</nominal_srate>";
    assert_eq!(
        read(&info(&[count, infinite, format].concat())).unwrap(),
        "invalid <nominal_srate>: \"inf\""
    );
    let float = "<channel_format>float</channel_format>";
    assert_eq!(
        read(&info(&[count, rate, float].concat())).unwrap(),
        "invalid <channel_format>: \"float\""
    );
    assert_eq!(read("<a/>").unwrap(), "expected <info>");
    // Elements that are nested deeply do not use the stack.
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert_eq!(read(&info(&[count, rate, format, &deep].concat())), None);
    // Many channels take no memory without samples.
    let many = "<channel_count>4294967295</channel_count>";
    assert_eq!(read(&info(&[many, rate, format].concat())), None);
    // The parser takes quadratic time for attributes, and cubic time for nested declarations of namespaces.
    let attributes: String = (0..200)
        .map(|number| format!(" a{number} =\n'<'"))
        .collect();
    let attributes = format!("<a{}/>", attributes.replace('<', "&lt;"));
    assert_eq!(
        read(&info(&[count, rate, format, &attributes].concat())).unwrap(),
        "more than 100 attributes"
    );
    let spaces = (0..200).map(|number| format!("<a xmlns:n{number}=\"u\">"));
    let spaces = format!("{}{}", spaces.collect::<String>(), "</a>".repeat(200));
    assert_eq!(
        read(&info(&[count, rate, format, &spaces].concat())).unwrap(),
        "more than 100 attributes"
    );
    // A text may contain equals signs.
    let text = format!("<note>{}</note>", "a = b; c == d ".repeat(1000));
    assert_eq!(read(&info(&[count, rate, format, &text].concat())), None);
    let long = format!("<note>{}</note>", "x".repeat(5 << 20));
    assert_eq!(
        read(&info(&[count, rate, format, &long].concat())).unwrap(),
        "more than 4194304 bytes"
    );
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><info>&a;</info>";
    assert!(read(entities).unwrap().contains("DTD"));
}

#[test]
fn limits_bound_what_is_read() {
    let bytes = written();
    let read = |change: &dyn Fn(&mut Limits)| {
        let mut options = ReadOptions::default();
        change(&mut options.limits);
        read_with(&bytes, &options).map(|_| ())
    };
    assert!(read(&|_| {}).is_ok());
    let limited = |result| matches!(result, Err(Error::Limit { .. }));
    assert!(limited(read(
        &|limits| limits.max_bytes = bytes.len() as u64 - 1
    )));
    assert!(limited(read(&|limits| limits.max_keys = 1000)));
    assert!(limited(read(&|limits| limits.max_markers = 0)));
}

#[test]
fn compressed_files_are_unpacked_within_limits() {
    let pack = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let packed = pack(&written());
    assert_eq!(Format::detect(&packed), Some(Format::Xdf));
    assert_eq!(read(&packed, &[]).unwrap(), read(&written(), &[]).unwrap());
    assert!(error(&packed[..packed.len() / 2], &[]).contains("cannot be unpacked"));
    let mut options = ReadOptions::default();
    options.limits.max_bytes = 100_000;
    let zeros = pack(&[&b"XDF:"[..], &vec![0; 1 << 20]].concat());
    let error = read_with(&zeros, &options).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected at most 100000 unpacked bytes (the limit), found more"
    );
    // Other files are also compressed with gzip, and may be larger than the limit.
    for (content, found) in [
        (vec![b'a'; 1 << 20], "aaaa"),
        (b"XD".to_vec(), "XD"),
        (vec![], ""),
    ] {
        let error = read_with(&pack(&content), &options)
            .map(|_| ())
            .unwrap_err();
        let expected = format!(
            "the compressed file is not XDF: expected \"XDF:\" at the start of its content, found {found:?}"
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_hand_is_tracked_while_its_streams_have_samples() {
    let labels = |pose: &str| ["x", "y", "z"].map(|axis| format!("{pose}.position.{axis}"));
    let mut lab = Lab::new();
    let mut stream = |id: u32, pose: &str, times: &[f64]| {
        let labels = labels(pose);
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        lab.stream(id, [pose, "MoCap", "float32"], 0.0, &labels);
        let samples: Vec<(f64, &[f32])> = times
            .iter()
            .map(|&time| (time, &[1.0, 2.0, 3.0][..]))
            .collect();
        lab.floats(id, &samples);
    };
    stream(1, "head", &[100.0, 105.0, 110.0]);
    stream(2, "left.Palm", &[101.5, 103.0, 104.75]);
    stream(3, "right.Palm", &[100.0, 103.0]);
    stream(4, "right.IndexTip", &[102.0, 110.0]);
    let (recording, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(losses(&report), []);
    let findings = inputanim::doctor::examine(&recording);
    let lost = inputanim::doctor::Code::TailLost;
    assert!(
        findings.iter().all(|finding| finding.code != lost),
        "{findings:?}"
    );
    let hands = recording.hands.unwrap();
    let states = |curve: &inputanim::BooleanCurve<'_>| -> Vec<(f32, f32)> {
        inputanim::Curve::Boolean(curve).points().collect()
    };
    let after = 4.75_f32.next_up();
    let expected = [(0.0, 0.0), (1.5, 1.0), (after, 0.0)];
    assert_eq!(states(&hands.left.tracked), expected);
    assert_eq!(states(&hands.right.tracked), [(0.0, 1.0)]);
}

#[test]
fn units_that_are_not_metres_are_noted() {
    let file = |unit: &str| {
        let channels = ["x", "y", "z", "qx", "qy", "qz", "qw"]
            .map(|label| format!("<channel><label>{label}</label><unit>{unit}</unit></channel>"));
        let mut lab = Lab::new();
        lab.header(
            1,
            &format!(
                "<info><name>Tracker</name><type>MoCap</type><channel_count>7</channel_count>\
                 <nominal_srate>0</nominal_srate><channel_format>float32</channel_format>\
                 <desc><channels>{}</channels></desc></info>",
                channels.concat()
            ),
        )
        .floats(1, &[(1.0, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])]);
        lab.0
    };
    let units = |unit: &str, mappings: &[&str]| -> Vec<String> {
        let (_, report) = read(&file(unit), mappings).unwrap();
        let notes = report.notes.into_iter();
        let notes = notes.filter(|note| note.kind == NoteKind::Units);
        notes.map(|note| note.message).collect()
    };
    let plain = PALM.map(|mapping| mapping.trim_end_matches("*0.001"));
    let names = "left.Palm.position.x, left.Palm.position.y, left.Palm.position.z";
    for (unit, factor) in [("mm", "0.001"), ("Centimeters", "0.01")] {
        let expected = format!(
            "Tracker: the unit of {names} is {unit:?}; a factor of {factor} converts them to metres"
        );
        assert_eq!(units(unit, &plain), [expected]);
    }
    let expected =
        format!("Tracker: the unit of {names} is \"px\"; the numbers are read as metres");
    assert_eq!(units("px", &plain), [expected]);
    let none: [String; 0] = [];
    for unit in ["", "m", "meters"] {
        assert_eq!(units(unit, &plain), none);
    }
    for unit in ["millimeters", "mm", "meters", "px"] {
        assert_eq!(units(unit, &PALM), none, "{unit}");
    }
    assert_eq!(units("cm", &PALM).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn changed_bytes_give_a_recording_or_an_error(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20),
        seed in 0_u8..3,
    ) {
        let mut bytes = match seed {
            0 => tracker().0,
            1 => written(),
            _ => {
                let mut lab = tracker();
                lab.stream(2, ["M", "Markers", "string"], 0.0, &["text"]).texts(2, &[(1.0, "a"), (2.0, "b")]);
                lab.clock_offset(1, 1.0, 2.0).clock_offset(1, 2.0, 2.1).boundary();
                lab.0
            }
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mappings: &[&str] = if seed == 1 { &[] } else { &PALM };
        if let Ok((recording, _)) = read(&bytes, mappings) {
            // A sampler accepts any recording that is read.
            prop_assert!(Sampler::new(&recording).is_ok());
            prop_assert!(recording.curves().all(|(_, curve)| curve.points().all(|(time, value)| time.is_finite() && value.is_finite())));
        }
    }
}
