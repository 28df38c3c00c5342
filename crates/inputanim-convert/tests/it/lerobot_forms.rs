//! Datasets of LeRobot: grippers, forms of rotations and actions, masks, sizes of hands, keypoints, labels and splits.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::format_error;
use inputanim::{
    BooleanCurve, DeviceName, Element, Haptic, InputValue, Joint, Layout, Pose, Ray, Recording,
    Side, TimeRange, edit,
};
use inputanim_convert::HandOrder;
use inputanim_convert::frames::Columns;
use inputanim_convert::lerobot::{
    ActionForm, DatasetWriter, Episode, EpisodeSampler, Features, Forms, Gripper, INFO,
    LeRobotError, MODALITY, MaskDetail, Options, ReferenceFrame, RotationForm, Summary,
    is_file_of_dataset,
};
use proptest::prelude::*;

/// Half of the square root of 2.
const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A turn by 90 degrees around +Y, which turns +Z to +X.
const RIGHT: [f32; 4] = [0.0, HALF, 0.0, HALF];

fn pose(position: [f32; 3], rotation: [f32; 4]) -> Pose {
    Pose { position, rotation }
}

/// A right hand for two seconds, whose wrist moves by 1 m and turns in the first second. The tips approach each other, and the
/// hand is not tracked after 1.5 s.
fn recording() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let head = recording.head_mut();
    head.push(0.0, &Pose::at([0.0, 1.0, 0.0]));
    head.push(1.0, &pose([1.0, 1.0, 0.0], RIGHT));
    head.push(2.0, &pose([1.0, 1.0, 0.0], RIGHT));
    recording.gaze_mut().push(
        0.0,
        &Ray {
            origin: [0.0, 1.0, 0.0],
            direction: [0.0, 0.0, 1.0],
        },
    );
    let right = &mut recording.hands_mut().right;
    right.tracked = BooleanCurve::new([(0.0, true), (1.5, false)]);
    for (joint, offset) in [
        (Joint::Wrist, 0.0),
        (Joint::MiddleKnuckle, 0.1),
        (Joint::ThumbTip, 0.2),
    ] {
        // The offset is along +Z of the wrist.
        let joint = &mut right.joints[joint];
        joint.push(0.0, &Pose::at([0.0, 0.0, offset]));
        joint.push(1.0, &pose([1.0 + offset, 0.0, 0.0], RIGHT));
    }
    let index = &mut right.joints[Joint::IndexTip];
    for (time, distance) in [(0.0, 0.05), (0.5, 0.0)] {
        index.push(time, &Pose::at([0.0, distance, 0.2]));
    }
    index.push(1.0, &pose([1.2, 0.035, 0.0], RIGHT));
    recording
}

fn options(rate: u32, frame: ReferenceFrame, change: impl Fn(&mut Forms)) -> Options {
    let mut options = Options::default();
    options.rate = rate;
    options.frame = frame;
    change(&mut options.forms);
    options
}

/// An episode with the names of its numbers.
struct Made {
    features: Features,
    episode: Episode,
}

impl Made {
    fn new(recording: &Recording<'_>, options: &Options, end: f32) -> Result<Made, LeRobotError> {
        let features = Features::new(&Columns::of(recording), &options.forms, |_| true)?;
        let sampler = EpisodeSampler::new(recording, &features, options);
        let sampler = sampler.map_err(format_error::<LeRobotError>)?;
        let range = TimeRange { start: 0.0, end };
        let episode = sampler
            .episode(range)
            .map_err(format_error::<LeRobotError>)?;
        Ok(Made { features, episode })
    }

    /// Returns the numbers with these names in a frame, rounded to five digits.
    fn numbers(&self, rows: &[f32], frame: usize, names: &[String]) -> Vec<f32> {
        let width = self.features.names().len();
        let row = &rows[frame * width..(frame + 1) * width];
        let number = |name: &String| {
            let mut all = self.features.names().iter();
            let index = all
                .position(|other| other == name)
                .unwrap_or_else(|| panic!("{name}"));
            (row[index] * 1e5).round() / 1e5 + 0.0
        };
        names.iter().map(number).collect()
    }

    fn state(&self, frame: usize, stem: &str, ends: &[&str]) -> Vec<f32> {
        let names: Vec<String> = ends.iter().map(|end| format!("{stem}{end}")).collect();
        self.numbers(self.episode.states(), frame, &names)
    }

    fn action(&self, frame: usize, stem: &str, ends: &[&str]) -> Vec<f32> {
        let names: Vec<String> = ends.iter().map(|end| format!("{stem}{end}")).collect();
        self.numbers(self.episode.actions(), frame, &names)
    }
}

const POSITION: &[&str] = &[".position.x", ".position.y", ".position.z"];
const ROTATION: &[&str] = &[".rotation.x", ".rotation.y", ".rotation.z", ".rotation.w"];

/// The files of a dataset in memory, by their paths.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

struct MemoryFile(Files, String);

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut files = self.0.0.lock().unwrap();
        files.entry(self.1.clone()).or_default().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes a dataset. Each episode is for training if it is before the first one that is `true`.
fn dataset(made: &Made, options: &Options, validation: &[bool]) -> (Files, Summary) {
    let files = Files::default();
    let create = |path: &str| Ok(MemoryFile(files.clone(), path.to_owned()));
    let mut writer = DatasetWriter::new(&made.features, options, create).unwrap();
    for &is_validation in validation {
        if is_validation {
            writer.begin_validation();
        }
        writer.push(&made.episode, "task").unwrap();
    }
    let summary = writer.finish().unwrap();
    (files, summary)
}

fn json(files: &Files, path: &str) -> serde_json::Value {
    serde_json::from_slice(&files.0.lock().unwrap()[path]).unwrap()
}

#[test]
fn grippers_are_chosen_by_name() {
    let recording = recording();
    let options = options(4, ReferenceFrame::World, |forms| {
        forms.grippers = vec![Gripper::Aperture, Gripper::GeometricPinch];
    });
    let made = Made::new(&recording, &options, 2.0).unwrap();
    let number = |frame, name: &str| made.state(frame, name, &[""])[0];
    // The order does not depend on the order of the option.
    let names = made.features.names();
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    assert_eq!(place("right.geometric_pinch"), place("right.tracked") + 1);
    assert_eq!(place("right.aperture"), place("right.tracked") + 2);
    let apertures: Vec<f32> = (0..9)
        .map(|frame| number(frame, "right.aperture"))
        .collect();
    assert_eq!((apertures[0], apertures[4]), (0.05, 0.035));
    // The last known value while the hand is not tracked.
    assert_eq!(apertures[6..], [0.035; 3]);
    let thumb = |frame| made.state(frame, "right.ThumbTip", POSITION);
    let index = |frame| made.state(frame, "right.IndexTip", POSITION);
    for (frame, aperture) in apertures.iter().enumerate().take(6) {
        let squares = thumb(frame)
            .iter()
            .zip(index(frame))
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f32>();
        assert!((squares.sqrt() - aperture).abs() < 2e-5, "{frame}");
    }
    // The action is the next number.
    assert_eq!(made.action(3, "right.aperture", &[""]), [apertures[4]]);
}

#[test]
fn a_geometric_pinch_has_two_thresholds() {
    let mut recording = recording();
    let right = &mut recording.hands_mut().right;
    right.tracked = BooleanCurve::new([(0.0, true), (5.5, false)]);
    for tip in [Joint::ThumbTip, Joint::IndexTip] {
        right.joints[tip] = Default::default();
    }
    right.joints[Joint::ThumbTip].push(0.0, &Pose::IDENTITY);
    for (time, distance) in [0.05, 0.035, 0.025, 0.035, 0.045, 0.02, 0.05]
        .into_iter()
        .enumerate()
    {
        right.joints[Joint::IndexTip].push(time as f32, &Pose::at([0.0, 0.0, distance]));
    }
    let options = options(1, ReferenceFrame::World, |forms| {
        forms.grippers = vec![Gripper::GeometricPinch];
    });
    let made = Made::new(&recording, &options, 6.0).unwrap();
    let pinch = |frame| made.state(frame, "right.geometric_pinch", &[""])[0];
    // The hand is not tracked in the last frame.
    let pinches: Vec<f32> = (0..7).map(pinch).collect();
    assert_eq!(pinches, [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn grippers_that_are_not_known_are_refused_or_noted() {
    let mut recording = recording();
    let of = |recording: &Recording<'_>, gripper| {
        let options = options(4, ReferenceFrame::World, |forms| {
            forms.grippers = vec![gripper]
        });
        Made::new(recording, &options, 2.0).map(|_| ())
    };
    assert_eq!(
        of(&recording, Gripper::Pinch),
        Err(LeRobotError::NoPinches(Side::Right))
    );
    let plain = options(4, ReferenceFrame::World, |_| ());
    let made = Made::new(&recording, &plain, 2.0).unwrap();
    let (_, summary) = dataset(&made, &plain, &[false]);
    let notes: Vec<String> = summary.notes().iter().map(ToString::to_string).collect();
    let expected = "no gripper in the states, because pinches are not recorded; the gripper aperture or geometric-pinch adds one";
    assert_eq!(notes.last().map(String::as_str), Some(expected));

    recording.hands_mut().right.pinching = BooleanCurve::new([(0.0, false)]);
    assert_eq!(of(&recording, Gripper::Pinch), Ok(()));
    let made = Made::new(&recording, &plain, 2.0).unwrap();
    assert!(!dataset(&made, &plain, &[false]).1.lacks_gripper);

    recording.hands_mut().right.joints[Joint::IndexTip] = Default::default();
    let tip = Element::Joint(Side::Right, Joint::IndexTip);
    assert_eq!(
        of(&recording, Gripper::Aperture),
        Err(LeRobotError::NoJoint {
            element: tip,
            needed_by: "the gripper aperture".to_owned()
        })
    );
    recording.hands = None;
    assert_eq!(of(&recording, Gripper::Aperture), Err(LeRobotError::NoHand));
}

#[test]
fn an_aperture_that_is_never_known_is_an_error() {
    let mut recording = recording();
    let options = options(4, ReferenceFrame::World, |forms| {
        forms.grippers = vec![Gripper::Aperture]
    });
    let index = &mut recording.hands_mut().right.joints[Joint::IndexTip];
    index.position[0] = inputanim::FloatCurve::linear([(0.0, f32::NAN)]);
    let features = Features::new(&Columns::of(&recording), &options.forms, |element| {
        !matches!(element, Element::Joint(_, Joint::IndexTip))
    });
    let features = features.unwrap();
    let sampler = EpisodeSampler::new(&recording, &features, &options).unwrap();
    let error = sampler.episode(sampler.range()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "right.IndexTip is not finite from 0 s to 2 s"
    );
    // The hand is never tracked.
    recording.hands_mut().right.tracked = BooleanCurve::new([(0.0, false)]);
    let sampler = EpisodeSampler::new(&recording, &features, &options).unwrap();
    let episode = sampler.episode(sampler.range()).unwrap();
    let place = features
        .names()
        .iter()
        .position(|name| name == "right.aperture");
    assert_eq!(episode.states()[place.unwrap()], 0.0);
}

#[test]
fn rotations_are_the_first_columns_of_the_matrix() {
    let recording = recording();
    let six = options(1, ReferenceFrame::World, |forms| {
        forms.rotation = RotationForm::SixD
    });
    let made = Made::new(&recording, &six, 1.0).unwrap();
    let columns = [
        ".rotation.column0.x",
        ".rotation.column0.y",
        ".rotation.column0.z",
        ".rotation.column1.x",
        ".rotation.column1.y",
        ".rotation.column1.z",
    ];
    assert_eq!(
        made.state(0, "head", &columns),
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    );
    // +X is turned to −Z.
    assert_eq!(
        made.state(1, "right.Wrist", &columns),
        [0.0, 0.0, -1.0, 0.0, 1.0, 0.0]
    );
    assert_eq!(made.state(1, "right.Wrist", POSITION), [1.0, 0.0, 0.0]);
    assert_eq!(
        made.action(0, "right.Wrist", &columns),
        made.state(1, "right.Wrist", &columns)
    );

    let none = options(1, ReferenceFrame::World, |forms| {
        forms.rotation = RotationForm::None
    });
    let made = Made::new(&recording, &none, 1.0).unwrap();
    assert!(
        made.features
            .names()
            .iter()
            .all(|name| !name.contains("rotation"))
    );
    assert_eq!(made.state(1, "right.Wrist", POSITION), [1.0, 0.0, 0.0]);
}

#[test]
fn relative_actions_are_in_the_coordinates_of_the_current_frame() {
    let recording = recording();
    let relative = |frame| {
        let options = options(1, frame, |forms| forms.action = ActionForm::Relative);
        Made::new(&recording, &options, 1.0).unwrap()
    };
    let made = relative(ReferenceFrame::Wrist);
    // The wrist moves by 1 m along its own x axis, and turns to the right.
    assert_eq!(made.action(0, "right.Wrist", POSITION), [1.0, 0.0, 0.0]);
    let turned = [0.0, HALF, 0.0, HALF].map(|part| (part * 1e5).round() / 1e5);
    assert_eq!(made.action(0, "right.Wrist", ROTATION), turned);
    assert_eq!(made.state(0, "right.ThumbTip", POSITION), [0.0, 0.0, 0.2]);
    assert_eq!(made.state(1, "right.ThumbTip", POSITION), [0.0, 0.0, 0.2]);
    assert_eq!(made.action(0, "right.ThumbTip", POSITION), [1.2, 0.0, 0.0]);
    // The head has no base, so that its action is its next pose.
    assert_eq!(made.action(0, "head", POSITION), [1.0, 1.0, 0.0]);
    // Nothing moves after the last frame.
    assert_eq!(made.action(1, "right.Wrist", POSITION), [0.0; 3]);
    assert_eq!(made.action(1, "right.ThumbTip", POSITION), [0.0, 0.0, 0.2]);

    let made = relative(ReferenceFrame::Head);
    assert_eq!(made.action(0, "head", POSITION), [1.0, 0.0, 0.0]);
    assert_eq!(made.action(0, "head", ROTATION), turned);
    assert_eq!(made.state(1, "right.Wrist", POSITION), [0.0, -1.0, 0.0]);
    assert_eq!(made.action(0, "right.Wrist", POSITION), [1.0, -1.0, 0.0]);
    let ray = [".origin.x", ".origin.y", ".direction.x", ".direction.z"];
    assert_eq!(made.action(0, "gaze", &ray), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(made.state(1, "gaze", &ray), [0.0, 0.0, -1.0, 0.0]);
}

#[test]
fn deltas_are_changes_from_frame_to_frame() {
    let recording = recording();
    let options = options(1, ReferenceFrame::World, |forms| {
        forms.action = ActionForm::Delta;
        forms.grippers = vec![Gripper::Aperture];
    });
    let made = Made::new(&recording, &options, 2.0).unwrap();
    assert_eq!(made.action(0, "head", POSITION), [1.0, 0.0, 0.0]);
    let turned = RIGHT.map(|part| (part * 1e5).round() / 1e5);
    assert_eq!(made.action(0, "head", ROTATION), turned);
    assert_eq!(made.action(1, "head", POSITION), [0.0; 3]);
    assert_eq!(made.action(1, "head", ROTATION), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(made.action(0, "gaze", &[".direction.z"]), [0.0]);
    // Grippers and states are the next ones.
    assert_eq!(made.action(0, "right.aperture", &[""]), [0.035]);
    assert_eq!(made.action(0, "right.tracked", &[""]), [1.0]);
    assert_eq!(made.action(1, "right.tracked", &[""]), [0.0]);
}

#[test]
fn masks_state_which_values_of_actions_are_known() {
    let recording = recording();
    let delta = options(1, ReferenceFrame::World, |forms| {
        forms.action = ActionForm::Delta;
        forms.mask = MaskDetail::Joint;
    });
    let made = Made::new(&recording, &delta, 2.0).unwrap();
    let parts = made.features.parts();
    assert_eq!(parts[..2], ["head", "right.tracked"]);
    assert!(parts.contains(&"right.IndexTip".to_owned()));
    let (files, _) = dataset(&made, &delta, &[false]);
    let info = json(&files, INFO);
    let features = info["features"].as_object().unwrap();
    let names = &features["next.valid"]["names"];
    assert_eq!(
        (names, &features["valid"]["names"]),
        (&serde_json::json!(parts), names)
    );
    let facts = &features["action"]["info"];
    assert_eq!(facts["action"], "delta");
    assert_eq!(
        features["observation.state"]["info"]["action"],
        serde_json::Value::Null
    );
    // The mean of the validity of the last frame, of three, is 0; the hand is not tracked in it.
    let stats = json(&files, "meta/stats.json");
    let mean = |feature: &str, part: &str| {
        let place = parts.iter().position(|other| other == part).unwrap();
        stats[feature]["mean"][place].as_f64().unwrap()
    };
    assert_eq!(mean("valid", "head"), 1.0);
    assert!((mean("valid", "right.Wrist") - 2.0 / 3.0).abs() < 1e-12);
    assert!((mean("next.valid", "head") - 2.0 / 3.0).abs() < 1e-12);
    assert!((mean("next.valid", "right.Wrist") - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn positions_are_divided_by_the_size_of_the_hand() {
    let mut recording = recording();
    let scaled = options(1, ReferenceFrame::Wrist, |forms| forms.scale_hands = true);
    let made = Made::new(&recording, &scaled, 1.0).unwrap();
    assert_eq!(
        made.state(1, "right.MiddleKnuckle", POSITION),
        [0.0, 0.0, 1.0]
    );
    assert_eq!(made.state(1, "right.ThumbTip", POSITION), [0.0, 0.0, 2.0]);
    assert_eq!(made.state(1, "right.Wrist", POSITION), [1.0, 0.0, 0.0]);
    let (files, _) = dataset(&made, &scaled, &[false]);
    let info = json(&files, INFO);
    assert_eq!(
        info["features"]["hand_size"]["names"],
        serde_json::json!(["right"])
    );
    assert_eq!(
        info["features"]["action"]["info"]["divided_by"],
        "hand_size"
    );
    let size = json(&files, "meta/stats.json")["hand_size"]["max"][0]
        .as_f64()
        .unwrap();
    assert!((size - 0.1).abs() < 1e-7, "{size}");

    for frame in [ReferenceFrame::World, ReferenceFrame::Head] {
        let world = options(1, frame, |forms| forms.scale_hands = true);
        let error = Made::new(&recording, &world, 1.0).err();
        assert_eq!(error, Some(LeRobotError::ScaleWithoutWrist(frame)));
    }
    let wrist = recording.hands_mut().right.joints[Joint::Wrist].clone();
    recording.hands_mut().right.joints[Joint::MiddleKnuckle] = wrist;
    let error = Made::new(&recording, &scaled, 1.0).err();
    assert!(matches!(
        error,
        Some(LeRobotError::HandSize {
            side: Side::Right,
            ..
        })
    ));
    // There is nothing to divide.
    recording.hands_mut().right.tracked = BooleanCurve::new([(0.0, false)]);
    let made = Made::new(&recording, &scaled, 1.0).unwrap();
    assert_eq!(made.state(1, "right.ThumbTip", POSITION), [0.0; 3]);
}

#[test]
fn keypoints_are_positions_in_the_order_of_others() {
    let mut recording = recording();
    let keypoints = options(1, ReferenceFrame::World, |forms| {
        forms.keypoints = Some(HandOrder::MediaPipe);
    });
    let error = Made::new(&recording, &keypoints, 1.0).err();
    let thumb = Element::Joint(Side::Right, Joint::ThumbMetacarpalJoint);
    assert_eq!(
        error.unwrap().to_string(),
        format!(
            "no recording has {thumb}, but the order of keypoints mediapipe is part of the states"
        )
    );
    let right = &mut recording.hands_mut().right;
    for (number, joint) in HandOrder::MediaPipe.joints().into_iter().enumerate() {
        right.joints[joint] = Default::default();
        right.joints[joint].push(0.0, &Pose::at([number as f32, 0.0, 0.0]));
    }
    let made = Made::new(&recording, &keypoints, 1.0).unwrap();
    let names = made.features.names();
    let first = names
        .iter()
        .position(|name| name == "right.Wrist.position.x")
        .unwrap();
    let row = &made.episode.states()[first..first + 63];
    let x: Vec<f32> = row.iter().step_by(3).copied().collect();
    assert_eq!(x, (0..21).map(|number| number as f32).collect::<Vec<_>>());
    assert_eq!(names[first + 63..].len(), 6, "the gaze follows");
    assert_eq!(names[first - 1], "right.tracked");
    // The head keeps its rotation.
    assert!(names.contains(&"head.rotation.w".to_owned()));
    // A part of the keypoints would have other meanings.
    let columns = Columns::of(&recording);
    let without = |joint| {
        let element = Element::Joint(Side::Right, joint);
        Features::new(&columns, &keypoints.forms, |other| other != element)
    };
    assert_eq!(
        without(Joint::Wrist).unwrap_err().to_string(),
        "right.Wrist is not selected, but the order of keypoints mediapipe has the complete hand"
    );
    assert!(without(Joint::Palm).is_ok());
}

#[test]
fn relative_actions_need_a_base_and_features_their_forms() {
    let recording = recording();
    let world = options(1, ReferenceFrame::World, |forms| {
        forms.action = ActionForm::Relative
    });
    let error = Made::new(&recording, &world, 1.0).err();
    assert_eq!(error, Some(LeRobotError::RelativeToWorld));
    let plain = options(1, ReferenceFrame::World, |_| ());
    let features = Features::new(&Columns::of(&recording), &plain.forms, |_| true).unwrap();
    let six = options(1, ReferenceFrame::World, |forms| {
        forms.rotation = RotationForm::SixD
    });
    let error = EpisodeSampler::new(&recording, &features, &six)
        .err()
        .unwrap();
    assert_eq!(
        format_error::<LeRobotError>(error),
        LeRobotError::OtherForms
    );
    let writer = DatasetWriter::new(&features, &six, |_| Ok(Vec::new()));
    let error = format_error::<LeRobotError>(writer.err().unwrap());
    assert_eq!(error, LeRobotError::OtherForms);
}

#[test]
fn a_feature_of_one_number_is_not_a_list() {
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let mut recording = recording();
    recording.head = None;
    recording.gaze = None;
    let scaled = options(1, ReferenceFrame::Wrist, |forms| forms.scale_hands = true);
    let made = Made::new(&recording, &scaled, 1.0).unwrap();
    let (files, _) = dataset(&made, &scaled, &[false]);
    let bytes = files.0.lock().unwrap()["data/chunk-000/file-000.parquet"].clone();
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let file = reader.schema();
    for name in ["valid", "hand_size"] {
        let field = file.field_with_name(name).unwrap();
        assert_eq!(
            field.data_type(),
            &inputanim_convert::arrow_schema::DataType::Float32
        );
    }
    let state = file.field_with_name("observation.state").unwrap();
    assert!(format!("{:?}", state.data_type()).starts_with("FixedSizeList"));
}

#[test]
fn forms_without_effect_are_refused() {
    let recording = recording();
    let columns = Columns::of(&recording);
    let refused = |options: &Options, keep: &dyn Fn(Element) -> bool| {
        let features = Features::new(&columns, &options.forms, keep).unwrap();
        let writer = DatasetWriter::new(&features, options, |_| Ok(Vec::new()));
        writer.err().map(|error| error.to_string())
    };
    let is_head = |element| element == Element::Head;
    let is_gaze = |element| element == Element::Gaze;
    let wrist = ReferenceFrame::Wrist;
    let relative = options(1, wrist, |forms| forms.action = ActionForm::Relative);
    let message = "the form of actions has no effect on these states, which have no such poses";
    assert_eq!(refused(&relative, &is_head).as_deref(), Some(message));
    assert_eq!(refused(&relative, &|_| true), None);
    let scaled = options(1, wrist, |forms| forms.scale_hands = true);
    assert!(
        refused(&scaled, &is_head)
            .unwrap()
            .contains("the size of hands")
    );
    let six = options(1, wrist, |forms| forms.rotation = RotationForm::SixD);
    assert!(
        refused(&six, &is_gaze)
            .unwrap()
            .contains("the form of rotations")
    );
    assert_eq!(refused(&six, &is_head), None);
}

#[test]
fn episodes_have_labels_and_splits() {
    let recording = recording();
    let labelled = options(1, ReferenceFrame::World, |forms| forms.success = true);
    let mut made = Made::new(&recording, &labelled, 1.0).unwrap();
    let mut writer = DatasetWriter::new(&made.features, &labelled, |_| Ok(Vec::new())).unwrap();
    let error = writer.push(&made.episode, "task").unwrap_err();
    assert_eq!(format_error::<LeRobotError>(error), LeRobotError::NoLabel);
    made.episode.set_success(true);
    let (files, summary) = dataset(&made, &labelled, &[false, false, true, true]);
    assert_eq!((summary.episodes, summary.train_episodes), (4, Some(2)));
    let info = json(&files, INFO);
    assert_eq!(
        info["splits"],
        serde_json::json!({"train": "0:2", "val": "2:4"})
    );
    let expected = serde_json::json!({"dtype": "bool", "shape": [1], "names": null});
    assert_eq!(info["features"]["next.done"], expected);
    assert_eq!(info["features"]["next.success"], expected);
    let stats = json(&files, "meta/stats.json");
    assert_eq!(stats["next.done"]["mean"], serde_json::json!([0.5]));
    assert_eq!(stats["next.success"]["max"], serde_json::json!([1.0]));
    // The index of frames has the statistics of all frames.
    assert_eq!(stats["index"]["max"], serde_json::json!([7]));

    made.episode.set_success(false);
    let (files, _) = dataset(&made, &labelled, &[false]);
    assert_eq!(
        json(&files, "meta/stats.json")["next.success"]["max"],
        serde_json::json!([0.0])
    );
    assert_eq!(
        json(&files, INFO)["splits"],
        serde_json::json!({"train": "0:1"})
    );
}

#[test]
fn a_modality_file_lists_all_numbers() {
    let recording = recording();
    let mut options = options(1, ReferenceFrame::World, |forms| {
        forms.rotation = RotationForm::SixD;
        forms.grippers = vec![Gripper::Aperture];
    });
    options.modality = true;
    let made = Made::new(&recording, &options, 1.0).unwrap();
    let (files, _) = dataset(&made, &options, &[false]);
    assert!(
        files
            .0
            .lock()
            .unwrap()
            .keys()
            .all(|path| is_file_of_dataset(path))
    );
    let modality = json(&files, MODALITY);
    assert_eq!(modality["state"], modality["action"]);
    let task = serde_json::json!({"human.task_description": {"original_key": "task_index"}});
    assert_eq!(
        (&modality["annotation"], &modality["video"]),
        (&task, &serde_json::json!({}))
    );
    let groups = modality["state"].as_object().unwrap();
    assert_eq!(
        groups["head_rotation"],
        serde_json::json!({"start": 3, "end": 9})
    );
    assert_eq!(
        groups["right_tracked"],
        serde_json::json!({"start": 9, "end": 10})
    );
    assert_eq!(
        groups["right_aperture"],
        serde_json::json!({"start": 10, "end": 11})
    );
    let mut relative = options.clone();
    relative.frame = ReferenceFrame::Wrist;
    relative.forms.action = ActionForm::Relative;
    let made_relative = Made::new(&recording, &relative, 1.0).unwrap();
    let (files, _) = dataset(&made_relative, &relative, &[false]);
    let actions = &json(&files, MODALITY)["action"];
    assert_eq!(actions["right_Wrist_position"]["absolute"], false);
    for absolute in ["head_position", "right_aperture", "gaze_origin"] {
        assert_eq!(actions[absolute]["absolute"], serde_json::Value::Null);
    }
    // Together, the groups are the complete state.
    let mut ranges: Vec<(u64, u64)> = groups
        .values()
        .map(|group| {
            (
                group["start"].as_u64().unwrap(),
                group["end"].as_u64().unwrap(),
            )
        })
        .collect();
    ranges.sort_unstable();
    assert_eq!(ranges[0].0, 0);
    assert!(ranges.windows(2).all(|pair| pair[0].1 == pair[1].0));
    let last = ranges.last().unwrap().1;
    assert_eq!(last, made.features.names().len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any recording in any form gives an error, or finite states and actions, which a dataset can contain.
    #[test]
    fn states_and_actions_of_any_form_are_finite(
        recording in inputanim_testkit::random::recording(),
        rate in 1_u32..50,
        frame in 0..3_usize,
        rotation in 0..3_usize,
        action in 0..3_usize,
        grippers in 0..4_usize,
        is_scaled: bool,
        is_detailed: bool,
    ) {
        let mut options = options(rate, ReferenceFrame::ALL[frame], |forms| {
            forms.rotation = RotationForm::ALL[rotation];
            forms.action = ActionForm::ALL[action];
            forms.grippers = [&[][..], &[Gripper::Aperture], &[Gripper::GeometricPinch], Gripper::ALL][grippers].to_vec();
            forms.scale_hands = is_scaled;
            forms.mask = if is_detailed { MaskDetail::Joint } else { MaskDetail::Part };
        });
        options.limits.max_sample_bytes = 1 << 20;
        let Ok(features) = Features::new(&Columns::of(&recording), &options.forms, |_| true) else {
            return Ok(());
        };
        let Ok(sampler) = EpisodeSampler::new(&recording, &features, &options) else {
            return Ok(());
        };
        let Ok(episode) = sampler.episode(sampler.range()) else {
            return Ok(());
        };
        let length = episode.frames() * features.names().len();
        prop_assert_eq!((episode.states().len(), episode.actions().len()), (length, length));
        let numbers = episode.states().iter().chain(episode.actions());
        prop_assert!(numbers.into_iter().all(|value| value.is_finite()));
        let made = Made { features, episode };
        let (_, summary) = dataset(&made, &options, &[false]);
        prop_assert_eq!(summary.frames, made.episode.frames() as u64);
    }
}

/// A recording of 1 s with a head and a right controller whose trigger is unknown in the middle, and which has one haptic pulse.
fn with_controller() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 1.0] {
        recording.head_mut().push(time, &Pose::at([0.0, 1.5, time]));
    }
    let name = DeviceName::controller(Side::Right);
    let right = recording.device_mut(name);
    for time in [0.0, 1.0] {
        right
            .pose_mut("aim".parse().unwrap())
            .push(time, &Pose::at([time, 1.0, time]));
        let value = InputValue::Float(time / 2.0);
        right.push_input("trigger/value".parse().unwrap(), time, value);
    }
    right.push_input("a/click".parse().unwrap(), 0.0, InputValue::Boolean(true));
    right.haptics.push(Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: None,
        frequency: None,
        amplitude: 1.0,
    });
    let gap = TimeRange {
        start: 0.3,
        end: 0.7,
    };
    let trigger = Element::Input(name, "trigger/value".parse().unwrap());
    recording.known.add_gap(trigger, gap);
    recording
}

#[test]
fn controllers_are_parts_of_states_and_a_trigger_is_a_gripper() {
    let recording = with_controller();
    let of_world = options(10, ReferenceFrame::World, |_| {});
    let made = Made::new(&recording, &of_world, 1.0).unwrap();
    let names = made.features.names();
    assert_eq!(
        names[7..],
        [
            "right.controller.aim.position.x",
            "right.controller.aim.position.y",
            "right.controller.aim.position.z",
            "right.controller.aim.rotation.x",
            "right.controller.aim.rotation.y",
            "right.controller.aim.rotation.z",
            "right.controller.aim.rotation.w",
            "right.controller.a.click",
            "right.controller.trigger.value",
        ]
    );
    assert_eq!(made.features.parts(), ["head", "right.controller"]);
    let trigger = |frame| made.state(frame, "right.controller.trigger.value", &[""])[0];
    // The last known value is held, and the action is the next state.
    assert_eq!(
        [0, 2, 3, 4, 5, 6, 7, 10].map(trigger),
        [0.0, 0.1, 0.15, 0.15, 0.15, 0.15, 0.35, 0.5]
    );
    assert_eq!(
        made.action(6, "right.controller.trigger.value", &[""]),
        [0.35]
    );
    assert_eq!(
        made.state(5, "right.controller.", &["aim.position.x", "a.click"]),
        [0.5, 1.0]
    );
    let losses = made.features.device_losses(
        &recording,
        &[TimeRange {
            start: 0.0,
            end: 10.0,
        }],
    );
    assert_eq!(losses[0].message, "right.controller: 1 haptic pulse");

    // Relative to the head, which moves as the controller does along z.
    let of_head = options(10, ReferenceFrame::Head, |_| {});
    let made = Made::new(&recording, &of_head, 1.0).unwrap();
    assert_eq!(
        made.state(5, "right.controller.aim.position.", &["x", "y", "z"]),
        [0.5, -0.5, 0.0]
    );

    // The gripper is part of the states even if other inputs are not.
    let gripper = options(10, ReferenceFrame::World, |forms| {
        forms.grippers = vec![Gripper::Trigger]
    });
    let is_pose = |element| matches!(element, Element::DevicePose(..));
    let features = Features::new(&Columns::of(&recording), &gripper.forms, is_pose).unwrap();
    assert_eq!(features.names().len(), 8);
    assert_eq!(features.names()[7], "right.controller.trigger.value");
    // The trigger of a hand of which nothing is selected is not part of them.
    let mut both = recording.clone();
    edit::mirror(&mut both, &edit::MirrorPlane::WORLD).unwrap();
    both.devices.extend(recording.devices.iter().cloned());
    let of_right = |element| {
        is_pose(element) && element.device().and_then(DeviceName::side) == Some(Side::Right)
    };
    let features = Features::new(&Columns::of(&both), &gripper.forms, of_right).unwrap();
    assert_eq!(features.names().len(), 8);
    assert_eq!(features.names()[7], "right.controller.trigger.value");
    let error = Features::new(&Columns::default(), &gripper.forms, |_| true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no recording has right.controller.trigger.value, but the gripper trigger is part of the states"
    );
    // A dataset refuses a recording that lacks an input of its states.
    let mut without = recording.clone();
    without.devices[0].inputs.clear();
    let sampler = EpisodeSampler::new(&without, &features, &gripper).unwrap();
    let range = TimeRange {
        start: 0.0,
        end: 1.0,
    };
    let error = sampler.episode(range).unwrap_err();
    assert_eq!(
        error.to_string(),
        "right.controller.trigger.value is not recorded, but it is part of the states of the dataset"
    );
}
