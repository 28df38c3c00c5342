//! Hands with positions and no rotations, in tables, JSON and XDF.

use glam::Quat;
use inputanim::{Element, Frame, Joint, Joints, Pose, Recording, Sampler, Side, Space};
use inputanim_convert::{Format, LossKind, NoteKind, ReadOptions, Report, read};
use inputanim_motion::{Motion, Scene};
#[cfg(feature = "xdf")]
use inputanim_testkit::xdf::{Lab, sample};

/// The joints of MediaPipe in its order.
const JOINTS: [Joint; 21] = [
    Joint::Wrist,
    Joint::ThumbMetacarpalJoint,
    Joint::ThumbProximalJoint,
    Joint::ThumbDistalJoint,
    Joint::ThumbTip,
    Joint::IndexKnuckle,
    Joint::IndexMiddleJoint,
    Joint::IndexDistalJoint,
    Joint::IndexTip,
    Joint::MiddleKnuckle,
    Joint::MiddleMiddleJoint,
    Joint::MiddleDistalJoint,
    Joint::MiddleTip,
    Joint::RingKnuckle,
    Joint::RingMiddleJoint,
    Joint::RingDistalJoint,
    Joint::RingTip,
    Joint::PinkyKnuckle,
    Joint::PinkyMiddleJoint,
    Joint::PinkyDistalJoint,
    Joint::PinkyTip,
];

const COMPUTED: &str = "rotations computed from positions: right.Wrist, right.ThumbMetacarpalJoint, \
                        right.ThumbProximalJoint and 18 more";

/// The times and the joints of a right hand whose true rotations are known.
fn hands() -> Vec<(f32, Joints<Option<Pose>>)> {
    let motion = Motion::new(Scene::TwoHands, 3, 10.0);
    let frames = (0..300).map(|step| motion.frame_at(step as f32 / 30.0));
    let hands = frames.map(|frame: Frame| frame.right.joints);
    let hands = hands.filter(|joints| joints[Joint::IndexTip].is_some());
    let hands = hands.take(8).enumerate();
    hands
        .map(|(index, hand)| (index as f32 * 0.1, hand))
        .collect()
}

fn position(hand: &Joints<Option<Pose>>, joint: Joint) -> [f32; 3] {
    hand[joint].unwrap().position
}

fn options(mappings: &[&str]) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mappings = mappings.iter().map(|text| text.parse().unwrap()).collect();
    options
}

fn of(report: &Report, kind: NoteKind) -> Vec<&str> {
    let notes = report.notes.iter().filter(|note| note.kind == kind);
    notes.map(|note| &*note.message).collect()
}

fn read_as(format: Format, bytes: &[u8], options: &ReadOptions) -> (Recording<'static>, Report) {
    let (recording, report) = read(format, bytes, options).unwrap();
    (recording.into_owned(), report)
}

/// Asserts that a recording has the hands with rotations near the true ones.
fn check(recording: &Recording<'_>, report: &Report) {
    assert_eq!(report.losses, []);
    assert_eq!(of(report, NoteKind::ComputedRotations), [COMPUTED]);
    assert_eq!(of(report, NoteKind::MissingRotations), [""; 0]);
    let sampler = Sampler::new(recording).unwrap();
    for (time, hand) in hands() {
        let found = sampler.frame_at(time).right.joints;
        for (joint, pose) in found.iter() {
            let Some(pose) = pose else {
                assert!(!JOINTS.contains(&joint), "{time} {joint}");
                continue;
            };
            // Joints that the source does not have are not invented.
            assert!(JOINTS.contains(&joint), "{joint}");
            let expected = hand[joint].unwrap();
            let apart = pose.position.iter().zip(expected.position);
            assert!(
                apart.map(|(a, b)| (a - b).abs()).sum::<f32>() < 1e-4,
                "{joint}"
            );
            let [a, b] = [pose.rotation, expected.rotation].map(Quat::from_array);
            let apart = a.angle_between(b).to_degrees();
            assert!(apart < 35.0, "{time} {joint}: {apart}");
        }
    }
}

/// Returns a table with these names of columns, each with three axes.
fn csv(name: &dyn Fn(usize, char) -> String, space: Space) -> String {
    let mut text = "time_s".to_owned();
    for (index, axis) in (0..21).flat_map(|index| "xyz".chars().map(move |axis| (index, axis))) {
        text += &format!(",{}", name(index, axis));
    }
    for (time, hand) in hands() {
        text += &format!("\n{time}");
        for joint in JOINTS {
            for number in space.position(position(&hand, joint)) {
                text += &format!(",{number}");
            }
        }
    }
    text + "\n"
}

fn json(place: &dyn Fn([f32; 3]) -> String) -> String {
    let lines = hands().into_iter().map(|(time, hand)| {
        let places = JOINTS.map(|joint| place(position(&hand, joint)));
        format!(
            r#"{{"time":{time},"hand":{{"landmarks":[{}]}}}}"#,
            places.join(",")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_with_positions_get_rotations_in_all_axes() {
    for &space in Space::ALL {
        let names = |index: usize, axis| format!("right.{}.position.{axis}", JOINTS[index]);
        let text = csv(&names, space);
        let mut options = ReadOptions::default();
        options.space = Some(space);
        let (recording, report) = read_as(Format::Csv, text.as_bytes(), &options);
        check(&recording, &report);
    }
}

#[test]
fn one_mapping_assigns_the_landmarks_of_a_hand() {
    let named = csv(&|index, axis| format!("p{index}_{axis}"), Space::Unity);
    let (recording, report) = read_as(
        Format::Csv,
        named.as_bytes(),
        &options(&["right.joints.mediapipe=p{n}_x,p{n}_y,p{n}_z"]),
    );
    check(&recording, &report);
    // y points down, in millimetres, from 1 on.
    let named = csv(&|index, axis| format!("{axis}{}", index + 1), Space::Unity);
    let scaled = named.lines().enumerate().map(|(line, text)| {
        let cells = text
            .split(',')
            .enumerate()
            .map(|(index, cell)| match index % 3 {
                _ if line == 0 || index == 0 => cell.to_owned(),
                2 => (cell.parse::<f64>().unwrap() * -1e3).to_string(),
                _ => (cell.parse::<f64>().unwrap() * 1e3).to_string(),
            });
        cells.collect::<Vec<_>>().join(",")
    });
    let scaled = scaled.collect::<Vec<_>>().join("\n");
    let mapping = "right.joints.openpose=x{n+1}*0.001,y{n+1}*-0.001,z{n+1}*0.001";
    let (recording, report) = read_as(Format::Csv, scaled.as_bytes(), &options(&[mapping]));
    check(&recording, &report);
    let error = read(
        Format::Csv,
        named.as_bytes(),
        &options(&["right.joints.mediapipe=x{n},y{n},z{n}"]),
    );
    let error = error.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("missing columns \"x0\" and 2 more (for right.joints.mediapipe);"),
        "{error}"
    );
}

#[test]
fn lists_of_json_are_read_by_the_numbers_of_their_elements() {
    let list = json(&|place| format!("{place:?}"));
    let object = json(&|[x, y, z]| format!(r#"{{"x":{x},"y":{y},"z":{z},"visibility":1}}"#));
    let of_object =
        "right.joints.mediapipe=hand.landmarks.{n}.x,hand.landmarks.{n}.y,hand.landmarks.{n}.z";
    for (text, mapping) in [
        (&list, "right.joints.mediapipe=hand.landmarks.{n}"),
        (
            &list,
            "right.joints.mediapipe=hand.landmarks.{n}.0,hand.landmarks.{n}.1,hand.landmarks.{n}.2",
        ),
        (&object, of_object),
    ] {
        let (recording, report) = read_as(Format::Ndjson, text.as_bytes(), &options(&[mapping]));
        check(&recording, &report);
    }
    // Elements that no object has.
    let mappings = [
        "right.Wrist.position=hand.landmarks.0",
        "left.Wrist.position=hand.landmarks.21",
    ];
    let (_, report) = read_as(Format::Ndjson, list.as_bytes(), &options(&mappings));
    assert_eq!(
        of(&report, NoteKind::MissingMembers),
        ["not in any object: \"hand.landmarks.21\" (for left.Wrist.position)"]
    );
    let error = read(Format::Ndjson, list.as_bytes(), &options(&mappings[1..]));
    let error = error.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("missing members \"hand.landmarks.21\" (for left.Wrist.position)"),
        "{error}"
    );
}

#[test]
fn frames_of_json_with_positions_get_rotations() {
    let lines = hands().into_iter().map(|(time, hand)| {
        let joints = JOINTS.map(|joint| {
            let place = position(&hand, joint);
            format!(r#""{joint}":{{"position":{place:?}}}"#)
        });
        format!(
            r#"{{"time":{time},"right":{{"joints":{{{}}}}}}}"#,
            joints.join(",")
        )
    });
    let lines: Vec<String> = lines.collect();
    let text = lines.join("\n");
    let (recording, report) = read_as(Format::Ndjson, text.as_bytes(), &ReadOptions::default());
    check(&recording, &report);
    // In a frame without the knuckle, nothing can be computed.
    let start = lines[3].find("\"PinkyKnuckle\"").unwrap();
    let end = lines[3].find("\"PinkyMiddleJoint\"").unwrap();
    let cut = format!("{}{}", &lines[3][..start], &lines[3][end..]);
    let text = text.replace(&lines[3], &cut);
    let (recording, report) = read_as(Format::Ndjson, text.as_bytes(), &ReadOptions::default());
    let lost = &report.losses[0];
    assert_eq!((lost.kind, lost.count), (LossKind::Rotations, 20));
    let tip = recording
        .known
        .gaps(Element::Joint(Side::Right, Joint::IndexTip));
    assert_eq!(tip.len(), 1);
    assert!(tip[0].start < 0.3 && tip[0].end > 0.3);
}

#[test]
fn a_rotation_that_cannot_be_computed_is_unknown_and_a_loss() {
    let names = |index: usize, axis| format!("right.{}.position.{axis}", JOINTS[index]);
    let text = csv(&names, Space::Unity);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // The index tip is at the place of the joint before it.
    let mut cells: Vec<&str> = lines[3].split(',').collect();
    for axis in 0..3 {
        cells[1 + 8 * 3 + axis] = cells[1 + 7 * 3 + axis];
    }
    lines[3] = cells.join(",");
    let text = lines.join("\n");
    let (recording, report) = read_as(Format::Csv, text.as_bytes(), &ReadOptions::default());
    let losses: Vec<&str> = report.losses.iter().map(|loss| &*loss.message).collect();
    assert_eq!(
        losses,
        [
            "2 poses of joints are unknown, because their rotations cannot be computed from positions"
        ]
    );
    let sampler = Sampler::new(&recording).unwrap();
    let joints = sampler.frame_at(0.2).right.joints;
    assert_eq!(
        (joints[Joint::IndexTip], joints[Joint::IndexDistalJoint]),
        (None, None)
    );
    assert!(joints[Joint::IndexMiddleJoint].is_some() && joints[Joint::MiddleTip].is_some());
}

#[test]
fn too_few_joints_keep_the_identity() {
    let text = "time_s,right.IndexTip.position.x,right.IndexTip.position.y,right.IndexTip.position.z\n\
                0,1,2,3\n1,1,2,3\n";
    let (recording, report) = read_as(Format::Csv, text.as_bytes(), &ReadOptions::default());
    assert_eq!(
        of(&report, NoteKind::MissingRotations),
        ["no rotations, identity assumed: right.IndexTip"]
    );
    assert_eq!(of(&report, NoteKind::ComputedRotations), [""; 0]);
    let sampler = Sampler::new(&recording).unwrap();
    let tip = sampler.frame_at(0.5).right.joints[Joint::IndexTip].unwrap();
    assert_eq!(tip, Pose::at([1.0, 2.0, 3.0]));
}

#[cfg(feature = "parquet")]
#[test]
fn arrow_gives_the_rotations_of_text() {
    use arrow_array::{ArrayRef, Float32Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};
    use std::sync::Arc;

    let names = |index: usize, axis| format!("right.{}.position.{axis}", JOINTS[index]);
    let text = csv(&names, Space::OpenXr);
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let rows: Vec<Vec<&str>> = rows.collect();
    let fields = names
        .iter()
        .map(|name| Field::new(*name, DataType::Float32, true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = (0..names.len()).map(|column| {
        let cells = rows.iter().map(|row| row[column].parse::<f32>().unwrap());
        Arc::new(Float32Array::from_iter_values(cells)) as ArrayRef
    });
    let batch = RecordBatch::try_new(schema.clone(), columns.collect()).unwrap();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut options = ReadOptions::default();
    options.space = Some(Space::OpenXr);
    let (of_parquet, report) = read_as(Format::Parquet, &bytes, &options);
    check(&of_parquet, &report);
    let (of_text, _) = read_as(Format::Csv, text.as_bytes(), &options);
    assert_eq!(of_parquet.hands, of_text.hands);
}

#[cfg(feature = "xdf")]
#[test]
fn positions_of_xdf_get_rotations() {
    let channels: Vec<String> = (0..21)
        .flat_map(|index| ["x", "y", "z"].map(|axis| format!("{axis}{index}")))
        .collect();
    let channels: Vec<&str> = channels.iter().map(String::as_str).collect();
    let lab = |hands: &[(f32, Joints<Option<Pose>>)]| {
        let mut lab = Lab::new();
        lab.stream(1, ["Hand", "MoCap", "float32"], 0.0, &channels);
        let samples = hands.iter().map(|(time, hand)| {
            let numbers = JOINTS.map(|joint| Space::OpenXr.position(position(hand, joint)));
            sample(f64::from(*time), numbers.as_flattened(), f32::to_le_bytes)
        });
        lab.samples(1, &samples.collect::<Vec<_>>());
        lab
    };
    let mut options = options(&["right.joints.mediapipe=Hand/x{n},Hand/y{n},Hand/z{n}"]);
    options.space = Some(Space::OpenXr);
    let mut made = hands();
    let (recording, report) = read_as(Format::Xdf, &lab(&made).0, &options);
    check(&recording, &report);
    // Two joints at one place: the tip and the joint before it are unknown there.
    made[4].1[Joint::IndexTip] = made[4].1[Joint::IndexDistalJoint];
    let (recording, report) = read_as(Format::Xdf, &lab(&made).0, &options);
    let lost = &report.losses[0];
    assert_eq!((lost.kind, lost.count), (LossKind::Rotations, 2));
    let joint = Element::Joint(Side::Right, Joint::IndexTip);
    assert_eq!(recording.known.gaps(joint).len(), 1);
    let sampler = Sampler::new(&recording).unwrap();
    assert_eq!(sampler.frame_at(0.4).right.joints[Joint::IndexTip], None);
    assert!(sampler.frame_at(0.4).right.joints[Joint::IndexKnuckle].is_some());
}
