//! Captures of hands by Unity: files that are made byte by byte are read, recordings come back, and errors state their place.

use inputanim::{Element, Frame, Joint, Layout, Pose, Recording, Sampler, Side};
use inputanim_convert::handsbin::HandsBinError;
use inputanim_convert::{
    Error, Format, InputFile, LossKind, NoteKind, ReadOptions, Report, Sampling, WriteOptions,
};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::frames::frames;
use proptest::prelude::*;

use crate::format_error;

/// Builds a file from its values.
#[derive(Clone, Default)]
struct File(Vec<u8>);

impl File {
    fn integers(mut self, numbers: &[i32]) -> File {
        self.0
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self
    }

    fn floats(mut self, numbers: &[f32]) -> File {
        self.0
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> File {
        self.0.extend(bytes);
        self
    }

    fn pose(self, pose: &Pose) -> File {
        self.floats(&pose.position).floats(&pose.rotation)
    }

    /// Adds the 26 joints of a hand; see [`joint`].
    fn joints(mut self, first: f32) -> File {
        for index in 0..26 {
            self = self.pose(&joint(first, index));
        }
        self
    }

    fn version_1(frames: i32) -> File {
        File::default()
            .integers(&[1])
            .bytes(b"\x04take")
            .floats(&[1.0])
            .integers(&[frames])
    }

    fn version_2(options: i32, frames: i32) -> File {
        File::default()
            .integers(&[2, 0x41, options])
            .bytes(b"\x04take")
            .floats(&[1.0])
            .integers(&[26])
            .bytes(&[0xff, 0xff, 0xff, 0x03])
            .integers(&[1])
            .floats(&[-1.0; 80])
            .integers(&[frames])
    }

    /// Adds the beginning of a frame of version 2 without a head.
    fn frame(self, flags: i32, time: f32) -> File {
        self.integers(&[flags]).floats(&[time]).integers(&[0, 0])
    }

    /// Adds a snapshot with the step "dynamic".
    fn snapshot(self, first: f32) -> File {
        self.integers(&[1, 3])
            .pose(&joint(first, 0))
            .integers(&[26])
            .joints(first)
    }
}

/// Returns the pose of a joint in the files. `index` is its place in the file, from the wrist on.
fn joint(first: f32, index: u8) -> Pose {
    Pose::at([first, f32::from(index) / 64.0, 0.5])
}

fn read(bytes: &[u8]) -> Result<(Recording<'_>, Report), Error> {
    inputanim_convert::read(Format::HandsBin, bytes, &ReadOptions::default())
}

fn write(recording: &Recording<'_>, sampling: Sampling) -> (Vec<u8>, Report) {
    let mut options = WriteOptions::default();
    options.sampling = sampling;
    let mut bytes = Vec::new();
    let report = inputanim_convert::write(Format::HandsBin, recording, &options, &mut bytes);
    (bytes, report.unwrap())
}

fn losses(report: &Report) -> Vec<(LossKind, u64, &str)> {
    let losses = report.losses.iter();
    losses
        .map(|loss| (loss.kind, loss.count, &*loss.message))
        .collect()
}

fn notes(report: &Report, kind: NoteKind) -> Vec<&str> {
    let notes = report.notes.iter().filter(|note| note.kind == kind);
    notes.map(|note| &*note.message).collect()
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn version_1_has_both_hands_their_states_and_no_pinches() {
    let file = File::version_1(3)
        .floats(&[0.0])
        .bytes(&[1, 1, 1, 1])
        .joints(1.0)
        .joints(2.0)
        // The left hand is tracked without valid joints, and the right hand has joints and is not tracked.
        .floats(&[0.25])
        .bytes(&[1, 0, 0, 1])
        .joints(3.0)
        .floats(&[0.5])
        .bytes(&[1, 0, 1, 0])
        .joints(4.0);
    assert_eq!(Format::detect(&file.0), Some(Format::HandsBin));
    let (recording, report) = read(&file.0).unwrap();
    assert_eq!(recording.duration(), 0.5);
    let sampler = Sampler::new(&recording).unwrap();
    let first = sampler.frame_at(0.0);
    for (side, x) in [(Side::Left, 1.0), (Side::Right, 2.0)] {
        let hand = first.hand(side);
        assert!(
            hand.tracked && hand.pinch_unknown && !hand.pinching,
            "{side}"
        );
        for (index, name) in Joint::ALL[1..].iter().enumerate() {
            let expected = joint(x, index as u8);
            assert_eq!(hand.joints[*name], Some(expected), "{side} {name}");
        }
    }
    let second = sampler.frame_at(0.25);
    assert!(second.left.tracked && !second.right.tracked);
    assert_eq!(second.left.joints[Joint::Wrist], None);
    let gaps = recording
        .known
        .gaps(Element::Joint(Side::Left, Joint::Wrist));
    assert_eq!(
        gaps.iter()
            .map(|gap| (gap.start, gap.end))
            .collect::<Vec<_>>(),
        [(0.0, 0.5)]
    );
    assert_eq!(
        losses(&report),
        [(
            LossKind::Joints,
            1,
            "right hand: poses of joints in 1 frame, in which the hand is not tracked"
        )]
    );
    assert_eq!(
        notes(&report, NoteKind::OtherContent),
        ["the name of the capture is \"take\""]
    );
    assert_eq!(
        notes(&report, NoteKind::Axes),
        [
            "poses are relative to the XR origin of the session, which the file does not state; the recording has this origin at 0"
        ]
    );
}

/// Returns a file of version 2 with all optional parts.
fn complete() -> File {
    let head = Pose::at([0.0, 1.5, 0.0]);
    let other = Pose::at([9.0, 9.0, 9.0]);
    File::version_2(1, 3)
        // A frame with everything.
        .integers(&[0b11_1111])
        .floats(&[0.0])
        .integers(&[3])
        .pose(&head)
        .integers(&[15, 15])
        // Left: both steps, with a root that is not the wrist in the first one.
        .integers(&[3, 3])
        .pose(&other)
        .integers(&[26])
        .joints(1.0)
        .integers(&[3])
        .pose(&joint(5.0, 0))
        .integers(&[26])
        .joints(5.0)
        .integers(&[1, 0x3ff])
        .pose(&other)
        .floats(&[0.1, 0.2])
        .pose(&other)
        .pose(&other)
        .floats(&[0.75])
        .pose(&other)
        .bytes(&[0, 1, 1])
        .integers(&[1, 0x3f, 3, 0, 0])
        .floats(&[1.0, 0.0, 0.0, 0.0])
        .pose(&other)
        // Right: only the step before rendering, and aim data that states a pinch.
        .integers(&[2, 3])
        .pose(&joint(2.0, 0))
        .integers(&[26])
        .joints(2.0)
        .integers(&[2, 0])
        .integers(&[2, 0b11, 3, 0, 0])
        .floats(&[1.0, 0.0, 0.0, 0.0])
        // A frame without hands, in which the head has only a rotation.
        .integers(&[0])
        .floats(&[0.25])
        .integers(&[2])
        .pose(&head)
        .integers(&[0, 0])
        // Pinches by the value. The left hand does not state its pinch.
        .integers(&[0b1011])
        .floats(&[0.5])
        .integers(&[3])
        .pose(&head)
        .integers(&[15, 15])
        .snapshot(1.0)
        .snapshot(2.0)
        .integers(&[2, 1 << 5])
        .floats(&[0.25])
}

#[test]
fn version_2_has_the_head_and_pinches_and_names_the_rest() {
    let file = complete();
    assert_eq!(Format::detect(&file.0), Some(Format::HandsBin));
    let (recording, report) = read(&file.0).unwrap();
    let sampler = Sampler::new(&recording).unwrap();
    let first = sampler.frame_at(0.0);
    assert_eq!(first.head, Some(Pose::at([0.0, 1.5, 0.0])));
    assert!(first.left.tracked && first.left.pinching);
    assert!(first.right.tracked && first.right.pinching);
    assert_eq!(first.left.joints[Joint::Palm], Some(joint(1.0, 1)));
    assert_eq!(first.right.joints[Joint::PinkyTip], Some(joint(2.0, 25)));
    let second = sampler.frame_at(0.25);
    assert_eq!(second.head, None);
    assert!(!second.left.tracked && !second.right.tracked);
    let third = sampler.frame_at(0.5);
    assert!(third.right.tracked && !third.right.pinching);
    assert_eq!(
        losses(&report),
        [
            (
                LossKind::Head,
                1,
                "head: only its position or rotation is tracked in 1 frame"
            ),
            (
                LossKind::Joints,
                1,
                "left hand: second poses of joints, of the step before rendering, in 1 frame"
            ),
            (
                LossKind::Unknown,
                1,
                "left hand: the pinch is not stated in 1 frame; the last state is held there",
            ),
        ]
    );
    assert_eq!(
        notes(&report, NoteKind::OtherContent),
        [
            "left hand: not read: aim poses in 1 frame, aim values in 1 frame, grasp values in 1 frame, grip poses in 1 frame, \
             pinch poses in 1 frame, pinch values other than 0 and 1 in 1 frame, poke poses in 1 frame, aim states in 1 frame, \
             grasp states in 1 frame, aim data in 1 frame, roots other than the wrist in 1 frame",
            "right hand: not read: pinch values other than 0 and 1 in 1 frame, aim data in 1 frame",
            "the name of the capture is \"take\"",
        ]
    );
}

#[test]
fn unknown_versions_are_refused() {
    for version in [0, 3, -1, i32::MAX] {
        let mut bytes = File::version_1(0).0;
        bytes[..4].copy_from_slice(&version.to_le_bytes());
        let error = read(&bytes).unwrap_err();
        let text = format!(
            "byte 0: expected version 1 or 2 of a capture of hands, found version {version}"
        );
        assert_eq!(error.to_string(), text);
        let error: HandsBinError = format_error(error);
        assert!(matches!(error, HandsBinError::Version { found } if found == version));
        // Without content that is recognised, the extension decides.
        let file = InputFile {
            bytes: &bytes,
            path: Some("a.handsbin".as_ref()),
            format: None,
        };
        assert_eq!(file.format(), Format::HandsBin);
    }
}

#[test]
fn files_that_are_cut_off_are_refused_at_every_byte() {
    let one = File::version_1(1).floats(&[0.0]).bytes(&[1, 1, 1, 1]);
    for file in [one.joints(1.0).joints(2.0), complete()] {
        assert!(read(&file.0).is_ok());
        for size in 0..file.0.len() {
            let error: HandsBinError = format_error(read(&file.0[..size]).unwrap_err());
            match error {
                HandsBinError::CutOff {
                    offset,
                    size: expected,
                    found,
                    ..
                } => {
                    assert_eq!(offset + found, size);
                    assert!(found < expected);
                }
                // The number of frames does not fit.
                HandsBinError::Value { offset, .. } => assert!(offset < size),
                other => panic!("{size}: {other}"),
            }
        }
    }
}

#[test]
fn damaged_values_are_refused_with_their_place() {
    let one = || File::version_1(1).floats(&[0.0]);
    assert_eq!(
        message(&one().bytes(&[1, 2, 1, 1]).0),
        "byte 22: expected 0 or 1 as a state of a hand, found 2"
    );
    assert_eq!(
        message(&File::version_1(1).floats(&[f32::NAN]).bytes(&[0; 4]).0),
        "byte 17: expected a finite time of a frame, found NaN"
    );
    assert_eq!(
        message(&one().bytes(&[0, 0, 0, 0, 7]).0),
        "byte 25: expected the end of the file after the last frame, found 1 more bytes"
    );
    for frames in [-1, 2, i32::MAX] {
        assert_eq!(
            message(&File::version_1(frames).floats(&[0.0]).bytes(&[0; 4]).0),
            format!(
                "byte 13: expected a number of frames from 0 to 1, for which the file has bytes, found {frames}"
            )
        );
    }
    assert_eq!(
        message(&one().bytes(&[1, 0, 1, 0, 9]).0),
        "byte 25: the file is cut off: expected the pose of a joint (28 bytes), found 1 bytes"
    );
    assert_eq!(
        message(&File::version_2(2, 0).0),
        "byte 8: expected only the bits of 0x1 as the options of the capture, found 2"
    );
    let start = File::version_2(0, 0).0.len();
    assert_eq!(
        message(&File::version_2(0, 1).frame(64, 0.0).0),
        format!("byte {start}: expected only the bits of 0x3f as the flags of a frame, found 64")
    );
    assert_eq!(
        message(&File::version_2(0, 1).frame(4, 0.0).integers(&[2, 0]).0),
        format!(
            "byte {}: expected 0 or 1 for the left hand as the hand, found 2",
            start + 16
        )
    );
    let hand = File::version_2(0, 1)
        .frame(1, 0.0)
        .integers(&[1, 3])
        .pose(&Pose::IDENTITY);
    assert_eq!(
        message(&hand.integers(&[25]).0),
        format!(
            "byte {}: expected 26 as the number of joints, found 25",
            start + 16 + 8 + 28
        )
    );
    assert_eq!(
        message(&File::default().integers(&[1]).bytes(b"\x02\xff\xff").0),
        "byte 5: expected the name of the capture as UTF-8, found another encoding"
    );
    assert_eq!(
        message(&File::default().integers(&[1]).bytes(&[0xff; 6]).0),
        "byte 4: expected the length of the name of the capture in at most 31 bits, found more"
    );
}

#[test]
fn frames_out_of_order_and_values_that_are_no_poses_are_losses() {
    let zero = Pose {
        rotation: [0.0; 4],
        ..Pose::IDENTITY
    };
    let mut file = File::version_1(3)
        .floats(&[0.0])
        .bytes(&[1, 0, 1, 0])
        .pose(&zero);
    for index in 1..26 {
        file = file.pose(&joint(1.0, index));
    }
    // A game that is paused has several frames at one time.
    let file = file
        .floats(&[0.0])
        .bytes(&[0; 4])
        .floats(&[0.5])
        .bytes(&[0; 4]);
    let (recording, report) = read(&file.0).unwrap();
    assert_eq!(
        losses(&report),
        [
            (
                LossKind::Order,
                1,
                "1 frame not later than the previous frame"
            ),
            (
                LossKind::NotFinite,
                1,
                "left hand: 1 pose not finite or with a rotation of 0"
            ),
        ]
    );
    let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
    assert_eq!(frame.left.joints[Joint::Wrist], None);
    assert_eq!(frame.left.joints[Joint::Palm], Some(joint(1.0, 1)));
}

#[test]
fn a_written_file_has_the_bytes_of_version_2() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.5, 0.0]));
    let hand = &mut recording.hands_mut().left;
    hand.tracked = inputanim::BooleanCurve::new([(0.0, true), (0.5, false)]);
    hand.pinching = inputanim::BooleanCurve::new([(0.0, true)]);
    for (index, name) in Joint::ALL[1..].iter().enumerate() {
        hand.joints[*name].push(0.0, &joint(1.0, index as u8));
    }
    let (bytes, report) = write(&recording, Sampling::Keys);
    assert_eq!(losses(&report), []);
    let head = |file: File| file.integers(&[3]).pose(&Pose::at([0.0, 1.5, 0.0]));
    let mut expected = File::version_2(0, 2).0;
    // The duration, and the unknown layout of meshes.
    expected[17..21].copy_from_slice(&0.5_f32.to_le_bytes());
    expected[29..33].copy_from_slice(&[0; 4]);
    let file = File(expected).integers(&[0b0101]).floats(&[0.0]);
    let file = head(file)
        .integers(&[0b11])
        .snapshot(1.0)
        .integers(&[1, (1 << 5) | (1 << 9)])
        .floats(&[1.0])
        .bytes(&[1]);
    let file = head(file.integers(&[0b0100]).floats(&[0.5])).integers(&[0]);
    let file = file.integers(&[1, 0]);
    assert_eq!(bytes, file.0);
}

/// Checks that a recording that is written and read has the same frames at the times of the samples.
fn comes_back(recording: &Recording<'_>, sampling: Sampling) -> Report {
    let (bytes, report) = write(recording, sampling);
    let (again, of_reader) = read(&bytes).unwrap();
    assert_eq!(losses(&of_reader), []);
    let before = Sampler::new(recording).unwrap();
    let after = Sampler::new(&again).unwrap();
    let mut times = 0;
    for time in after.key_times() {
        let [a, b] = [&before, &after].map(|sampler| sampler.frame_at(time));
        is_equal(&a, &b);
        times += 1;
    }
    assert!(times > 0);
    report
}

fn is_equal(a: &Frame, b: &Frame) {
    let near = |a: &Pose, b: &Pose| {
        assert_eq!(a.position, b.position);
        let product: f32 = a.rotation.iter().zip(b.rotation).map(|(a, b)| a * b).sum();
        assert!(product.abs() > 1.0 - 1e-5, "{a:?} {b:?}");
    };
    assert_eq!(a.head.is_some(), b.head.is_some());
    if let (Some(a), Some(b)) = (a.head, b.head) {
        near(&a, &b);
    }
    for side in Side::BOTH {
        let (a, b) = (a.hand(side), b.hand(side));
        let is_complete = Joint::ALL[1..]
            .iter()
            .all(|&joint| a.joints[joint].is_some());
        assert_eq!(b.tracked, a.tracked && is_complete);
        if b.tracked {
            assert_eq!((a.pinching, a.pinch_unknown), (b.pinching, b.pinch_unknown));
            for joint in &Joint::ALL[1..] {
                near(&a.joints[*joint].unwrap(), &b.joints[*joint].unwrap());
            }
        }
    }
}

#[test]
fn samples_come_back_at_every_frame() {
    for (scene, seed) in [
        (Scene::TwoHands, 1),
        (Scene::Reach, 2),
        (Scene::PinchDrag, 3),
    ] {
        let mut recording = Motion::new(scene, seed, 4.0).record(30.0, Layout::Mrtk1_1);
        recording.markers.clear();
        for sampling in [Sampling::Rate(60.0), Sampling::Keys] {
            let report = comes_back(&recording, sampling);
            assert_eq!(losses(&report), []);
        }
    }
}

#[test]
fn content_that_unity_cannot_hold_is_named() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    assert!(!recording.markers.is_empty());
    let markers = recording.markers.len();
    recording.hands_mut().left.joints[Joint::RingTip] =
        inputanim::PoseCurves::empty(Layout::Mrtk1_1.key_kind());
    let (_, report) = write(&recording, Sampling::Rate(10.0));
    let [(LossKind::Joints, count, text)] = losses(&report)[..] else {
        panic!("{report:?}");
    };
    assert_eq!(
        text,
        format!("left hand: dropped in {count} frames, because joints such as RingTip are unknown")
    );
    assert_eq!(
        notes(&report, NoteKind::NotInFormat),
        ["the gaze is not representable in .handsbin"]
    );
    assert_eq!(report.unwritten_markers, markers);
    assert_eq!(notes(&report, NoteKind::Sampling), ["sampled at 10 Hz"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_frames_with_complete_hands_come_back(
        frames in frames(12),
        x in -10.0_f32..10.0,
        is_pinch_unknown in any::<bool>(),
    ) {
        let mut recorder = inputanim::Recorder::new(Layout::Mrtk1_1);
        for (index, mut frame) in frames.into_iter().enumerate() {
            frame.time = index as f32 / 10.0;
            frame.devices.clear();
            // A format of samples holds no gaps.
            frame.gaze = None;
            frame.head = Some(Pose::at([x, 1.0, frame.time]));
            for side in Side::BOTH {
                let hand = frame.hand_mut(side);
                hand.pinch_unknown = is_pinch_unknown;
                hand.pinching &= !is_pinch_unknown;
                hand.joints[Joint::None] = None;
                for (index, joint) in Joint::ALL[1..].iter().enumerate() {
                    let pose = Pose::at([x, index as f32, 0.25]);
                    hand.joints[*joint] = hand.tracked.then_some(pose);
                }
            }
            recorder.push(&frame).unwrap();
        }
        let recording = recorder.finish();
        prop_assume!(recording.time_range().is_some());
        comes_back(&recording, Sampling::Keys);
    }

    #[test]
    fn damaged_bytes_give_an_error_or_a_recording(place in 0..8000_usize, value in any::<u8>()) {
        let mut bytes = complete().0;
        let place = place % bytes.len();
        bytes[place] = value;
        if let Ok((recording, _)) = read(&bytes) {
            write(&recording, Sampling::Keys);
        }
    }
}
