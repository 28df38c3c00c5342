//! XDF files of laboratories: streams and channels that mappings select, their axes and units.

use inputanim::{Element, Joint, Recording, Side, Space};
use inputanim_convert::{LossKind, NoteKind, ReadOptions};
use inputanim_testkit::xdf::{Lab, sample};

use crate::xdf_files::{PALM, error, losses, notes, points, read, read_with, tracker};

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
    // The sign of a rotation follows the rotation before, and a rotation of 0 is unknown.
    let samples = [
        (50.25, [0, 0, 0, 1000]),
        (50.5, [0, 0, 0, 0]),
        (50.75, [0, 10, 0, -1000]),
    ];
    let samples = samples.map(|(time, numbers)| sample(time, &numbers, i16::to_le_bytes));
    lab.samples(2, &samples);
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
fn a_mapping_does_not_mix_the_position_and_the_rotation_of_two_sources() {
    let numbers = ["position.x", "position.y", "position.z"];
    let rotations = ["rotation.x", "rotation.y", "rotation.z", "rotation.w"];
    let labels = numbers.iter().chain(&rotations);
    let labels: Vec<String> = labels.map(|part| format!("left.Palm.{part}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut lab = tracker();
    lab.stream(2, ["Other", "MoCap", "float32"], 0.0, &labels)
        .floats(2, &[(50.0, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])]);
    let expected = "the channels of left.Palm are in two streams, Tracker by a mapping and Other by its labels; \
                    expected one stream, or mappings of the position and the rotation";
    assert_eq!(error(&lab.0, &PALM[..3]), expected);
    assert_eq!(error(&lab.0, &PALM[3..]), expected);
    assert!(read(&lab.0, &PALM).is_ok());
    // Mappings of both may select two streams.
    let other = rotations.map(|part| format!("left.Palm.{part}=Other/left.Palm.{part}"));
    let other = other.iter().map(String::as_str);
    let both: Vec<&str> = PALM[..3].iter().copied().chain(other).collect();
    assert!(read(&lab.0, &both).is_ok());
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
fn a_selected_stream_without_samples_is_reported() {
    let mappings = PALM.map(|mapping| {
        mapping
            .replace("left.Palm", "head")
            .replace("Tracker", "Trk")
    });
    let mappings: Vec<&str> = mappings.iter().map(String::as_str).collect();
    let labels = ["x", "y", "z", "qx", "qy", "qz", "qw"];
    let mut lab = Lab::new();
    lab.stream(9, ["Trk", "MoCap", "float32"], 60.0, &labels);
    let nothing = "nothing to read: no samples in Trk";
    assert_eq!(error(&lab.0, &mappings), nothing);
    let mut damaged = Lab(lab.0.clone());
    damaged.floats(8, &[(1.0, &[0.0; 3])]);
    let found = error(&damaged.0, &mappings);
    let expected = format!("{nothing}; the file is damaged at byte ");
    assert!(found.starts_with(&expected), "{found}");

    let mut lab = tracker();
    lab.stream(9, ["Trk", "MoCap", "float32"], 60.0, &labels);
    let mappings = [&PALM[..], &mappings].concat();
    let (recording, report) = read(&lab.0, &mappings).unwrap();
    assert!(recording.head.is_none());
    let expected = (LossKind::Streams, "stream Trk has no samples");
    assert_eq!(losses(&report), [expected]);
}

#[test]
fn texts_of_the_headers_describe_the_recording() {
    let file = |desc: &str| {
        let channels = ["x", "y", "z", "qx", "qy", "qz", "qw"]
            .map(|label| format!("<channel><label>{label}</label></channel>"));
        let mut lab = Lab::new();
        lab.header(
            1,
            &format!(
                "<info><name>Tracker</name><type>MoCap</type><channel_count>7</channel_count>\
                 <nominal_srate>0</nominal_srate><channel_format>float32</channel_format>\
                 <desc>{desc}<channels>{}</channels></desc></info>",
                channels.concat()
            ),
        )
        .floats(1, &[(1.0, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])]);
        lab.0
    };
    let texts = |desc: &str| -> Vec<(String, String)> {
        let (recording, _) = read(&file(desc), &PALM).unwrap();
        let texts = recording.about.iter();
        texts
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect()
    };
    let pairs = |texts: &[(&str, &str)]| -> Vec<(String, String)> {
        let texts = texts.iter();
        texts
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    };
    assert_eq!(texts(""), pairs(&[("format", "xdf")]));
    let desc = "<acquisition><manufacturer>NaturalPoint</manufacturer><model>Prime 13</model>\
                <precision>0.2 mm</precision></acquisition><task>reach &amp; grasp</task>\
                <synchronization><can_drop_samples>true</can_drop_samples></synchronization>";
    let expected = [
        ("acquisition.manufacturer", "NaturalPoint"),
        ("acquisition.model", "Prime 13"),
        ("acquisition.precision", "0.2 mm"),
        ("device", "NaturalPoint Prime 13"),
        ("format", "xdf"),
        ("task", "reach & grasp"),
    ];
    assert_eq!(texts(desc), pairs(&expected));
}

#[test]
fn units_that_are_not_metres_are_converted_or_noted() {
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
        let (recording, report) = read(&file(unit), mappings).unwrap();
        let palm = &recording.hands.unwrap().left.joints[Joint::Palm];
        let metres = match unit {
            "mm" | "millimeters" => 0.001_f64,
            "Centimeters" => 0.01,
            _ if mappings == PALM => 0.001,
            _ => 1.0,
        };
        let height = points(&palm.position[1])[0].1;
        assert_eq!(height, (2.0 * metres) as f32, "{unit} {mappings:?}");
        let notes = report.notes.into_iter();
        let notes = notes.filter(|note| note.kind == NoteKind::Units);
        notes.map(|note| note.message).collect()
    };
    let plain = PALM.map(|mapping| mapping.trim_end_matches("*0.001"));
    let names = "left.Palm.position.x, left.Palm.position.y, left.Palm.position.z";
    for unit in ["mm", "Centimeters"] {
        let expected = format!(
            "Tracker: the unit of {names} is {unit:?}; the numbers were converted to metres"
        );
        assert_eq!(units(unit, &plain), [expected]);
    }
    let expected =
        format!("Tracker: the unit of {names} is \"px\"; the numbers are read as metres");
    assert_eq!(units("px", &plain), [expected]);
    // A factor replaces the unit, also a factor of 1.
    let [x, y, z] =
        ["x", "y", "z"].map(|axis| format!("left.Palm.position.{axis}=Tracker/{axis}*1"));
    let stated = [x.as_str(), &y, &z];
    let (recording, report) = read(&file("mm"), &stated).unwrap();
    let palm = &recording.hands.unwrap().left.joints[Joint::Palm];
    assert_eq!(points(&palm.position[1])[0].1, 2.0);
    let expected = format!(
        "Tracker: the unit of {names} is \"mm\"; a factor of 0.001 converts them to metres"
    );
    assert!(
        report.notes.iter().any(|note| note.message == expected),
        "{report:?}"
    );
    let none: [String; 0] = [];
    for unit in ["", "m", "meters"] {
        assert_eq!(units(unit, &plain), none);
    }
    for unit in ["millimeters", "mm", "meters", "px"] {
        assert_eq!(units(unit, &PALM), none, "{unit}");
    }
    let expected =
        format!("Tracker: the unit of {names} is \"cm\"; a factor of 0.01 converts them to metres");
    assert_eq!(units("cm", &PALM), [expected]);
}

/// Returns a palm and the head, each with a confidence in percent, and a confidence in a stream of its own.
fn confident() -> Vec<u8> {
    let mut lab = Lab::new();
    let labels = ["x", "y", "z", "c"];
    for (id, name) in [(1, "Tracker"), (2, "Headset")] {
        lab.stream(id, [name, "MoCap", "double64"], 0.0, &labels);
        let rows = [
            (5.0, 90.0),
            (5.25, 40.0),
            (5.5, f64::NAN),
            (5.75, 20.0),
            (6.0, 50.0),
            (6.25, 10.0),
        ];
        let rows = rows.map(|(time, c)| sample(time, &[time, 1.5, 0.0, c], f64::to_le_bytes));
        lab.samples(id, &rows);
    }
    lab.stream(3, ["Quality", "Misc", "double64"], 0.0, &["c"]);
    lab.samples(3, &[sample(5.0, &[90.0], f64::to_le_bytes)]);
    lab.0
}

#[test]
fn a_low_confidence_makes_values_unknown() {
    let gaps = |recording: &Recording<'_>, element: Element| -> Vec<(f32, f32)> {
        let gaps = recording.known.gaps(element).iter();
        gaps.map(|gap| (gap.start, gap.end)).collect()
    };
    let palm = "left.Palm.position=Tracker/x,Tracker/y,Tracker/z";
    let head = "head.position=Headset/x,Headset/y,Headset/z";
    let expected = [(0.0, 0.5), (0.5, 1.0), (1.0, f32::INFINITY)];
    for (confidence, element) in [
        (
            "left.confidence=Tracker/c*0.01",
            Element::Tracked(Side::Left),
        ),
        (
            "left.Palm.confidence=Tracker/c*0.01",
            Element::Tracked(Side::Left),
        ),
        ("head.confidence=Headset/c*0.01", Element::Head),
    ] {
        let (recording, report) = read(&confident(), &[palm, head, confidence]).unwrap();
        assert_eq!(gaps(&recording, element), expected, "{confidence}");
        let message = "3 values are unknown, because their confidence is below 0.5";
        assert!(
            notes(&report).contains(&(NoteKind::Confidence, message)),
            "{confidence}: {:?}",
            notes(&report)
        );
        let others = [Element::Tracked(Side::Left), Element::Head];
        for other in others.into_iter().filter(|&other| other != element) {
            assert_eq!(gaps(&recording, other), [], "{confidence}");
        }
        // The palm has keys only where it is known, and its hand counts as tracked between them.
        let hand = &recording.hands.as_ref().unwrap().left;
        let times: Vec<f32> = points(&hand.joints[Joint::Palm].position[0])
            .iter()
            .map(|&(time, _)| time)
            .collect();
        if element == Element::Head {
            assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]);
        } else {
            assert_eq!(times, [0.0, 0.5, 1.0]);
        }
        let states: Vec<f32> = inputanim::Curve::Boolean(&hand.tracked)
            .points()
            .map(|(_, state)| state)
            .collect();
        assert!(states.iter().all(|&state| state == 1.0), "{states:?}");
    }
}

#[test]
fn the_lowest_confidence_is_an_option() {
    let palm = "left.Palm.position=Tracker/x,Tracker/y,Tracker/z";
    let confidence = "left.confidence=Tracker/c*0.01";
    let mut options = ReadOptions::default();
    options.mappings = vec![palm.parse().unwrap(), confidence.parse().unwrap()];
    options.min_confidence = Some(0.1);
    let (recording, report) = read_with(&confident(), &options).unwrap();
    assert!(recording.unknown_times().is_empty());
    assert!(
        notes(&report)
            .iter()
            .all(|note| note.0 != NoteKind::Confidence)
    );
    options.mappings.pop();
    let refused = read_with(&confident(), &options).unwrap_err().to_string();
    assert!(refused.contains("no effect without a mapping"), "{refused}");
    for (confidence, expected) in [
        (
            "right.confidence=Tracker/c",
            "it describes nothing that is read",
        ),
        (
            "left.confidence=Quality/c",
            "are in two streams, Quality and Tracker",
        ),
        ("left.confidence=Tracker/d", "no channel \"d\""),
    ] {
        let error = error(&confident(), &[palm, confidence]);
        assert!(error.contains(expected), "{confidence}: {error}");
    }
}
