//! USD: the text is readable, hands are shown while tracked, and all numbers are finite. The program
//! readers/usd checks that other programs read the files.

use inputanim::{
    BooleanCurve, Flags, FloatCurve, Joint, Layout, Marker, Pose, Ray, Recorder, Recording,
};
use inputanim_convert::{
    Error, Format, LossKind, NoteKind, Report, SampleError, Sampling, WriteOptions,
};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

fn try_write(
    format: Format,
    recording: &Recording<'_>,
    rate: f64,
) -> Result<(Vec<u8>, Report), Error> {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let mut bytes = Vec::new();
    let report = inputanim_convert::write(format, recording, &options, &mut bytes)?;
    Ok((bytes, report))
}

fn to_text(recording: &Recording<'_>, rate: f64) -> (String, Report) {
    let (text, report) = try_write(Format::Usda, recording, rate).unwrap();
    (String::from_utf8(text).unwrap(), report)
}

/// Returns the messages of all losses.
fn losses(report: &Report) -> Vec<&str> {
    report.losses.iter().map(|loss| &*loss.message).collect()
}

/// Returns the lines with the samples of the first attribute that has a name.
fn samples<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let begin = format!(" {name}.timeSamples = {{");
    let lines = text.lines().skip_while(|line| !line.ends_with(&begin));
    let lines = lines.skip(1).map(str::trim);
    lines.take_while(|line| *line != "}").collect()
}

#[test]
fn the_text_equals_the_golden_file() {
    let motion = Motion::new(Scene::TwoHands, 1, 0.1);
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for time in [0.0, 0.05, 0.1] {
        let mut frame = motion.frame_at(time);
        let kept = [Joint::Wrist, Joint::IndexKnuckle];
        for (joint, pose) in frame.right.joints.iter_mut() {
            *pose = pose.filter(|_| kept.contains(&joint));
        }
        frame.left.tracked = false;
        recorder.push(&frame).unwrap();
    }
    let mut recording = recorder.finish();
    recording.markers = vec![Marker::new(0.05, "half way")];
    let (text, losses) = to_text(&recording, 10.0);
    assert_eq!(losses.losses, []);
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/finger.usda"].raw());
}

#[test]
fn a_hand_is_shown_while_it_is_tracked_and_changes_at_the_exact_time() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true), (0.25, false), (0.75, true)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.33, true)]);
    let (text, losses) = to_text(&recording, 10.0);
    assert_eq!(losses.losses, []);
    let (_, text) = text.split_once("def SkelRoot \"left\"").unwrap();
    let shown = [
        "0: \"inherited\",",
        "2.5: \"invisible\",",
        "7.5: \"inherited\",",
    ];
    assert_eq!(samples(text, "visibility"), shown);
    let tracked = ["0: true,", "2.5: false,", "7.5: true,"];
    assert_eq!(samples(text, "inputanim:tracked"), tracked);
    let pinching = samples(text, "inputanim:pinching");
    assert!(pinching[1].starts_with("3.3"), "{pinching:?}");
    // Joints are unknown from the time at which the hand is lost until it is found.
    for attribute in ["translations", "rotations"] {
        let codes = samples(text, attribute).into_iter();
        let codes: Vec<&str> = codes.map(|line| line.split_once(':').unwrap().0).collect();
        assert_eq!(codes, ["0", "1", "2", "2.5", "7.5", "8", "9", "10"]);
    }
}

#[test]
fn markers_are_held_until_the_next_ones() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.markers = vec![
        Marker::new(2.0, "two"),
        Marker::new(1.0, "\"a\"\n"),
        Marker::new(1.0, "b\\é"),
        Marker::new(f32::NAN, "never"),
        Marker::new(1.0, "n\0l"),
    ];
    let (text, report) = to_text(&recording, 10.0);
    let expected = ["0: [],", r#"10: ["\"a\"\n", "b\\é"],"#, r#"20: ["two"],"#];
    assert_eq!(samples(&text, "inputanim:markers"), expected);
    assert_eq!(
        losses(&report),
        ["2 markers without a finite time or with a NUL in the name"]
    );
}

#[test]
fn unknown_poses_keep_the_last_one_and_are_reported() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    recording.markers.clear();
    let times = [(0.0, 1.0), (0.5, f32::NAN), (0.65, 1.0), (1.0, 1.0)];
    recording.head_mut().position[1] = FloatCurve::linear(times);
    let right = &mut recording.hands_mut().right.joints[Joint::IndexTip];
    right.position[0] = FloatCurve::linear([(0.0, f32::NAN)]);
    let (text, report) = to_text(&recording, 10.0);
    assert_eq!(
        losses(&report),
        [
            "head: unknown in 6 frames, last pose held",
            "right hand: unknown joints such as IndexTip in 12 frames, last pose held",
        ]
    );
    let kinds: Vec<_> = report.losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(kinds, [LossKind::Head, LossKind::Joints]);
    assert_eq!(report.notes[0].kind, NoteKind::Sampling);
    let heights = samples(&text, "xformOp:translate").into_iter();
    let heights: Vec<&str> = heights
        .map(|line| line.split(", ").nth(1).unwrap())
        .collect();
    assert_eq!(heights, ["1"; 12]);
    let (_, right) = text.split_once("def SkelRoot \"right\"").unwrap();
    assert!(right.contains("IndexDistalJoint") && !right.contains("IndexTip"));
}

#[test]
fn a_gaze_without_a_direction_is_hidden() {
    let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let gaze = recording.gaze.as_mut().unwrap();
    gaze.push(
        0.0,
        &Ray {
            origin: [0.0, 1.0, 2.0],
            direction: [0.0; 3],
        },
    );
    // No other stream is recorded either.
    assert!(!to_text(&recording, 10.0).0.contains("gaze"));
    let gaze = recording.gaze.as_mut().unwrap();
    gaze.direction[0] = FloatCurve::linear([(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)]);
    let (text, report) = to_text(&recording, 1.0);
    assert_eq!(report.losses, []);
    let shown = ["0: \"invisible\",", "2: \"inherited\","];
    assert_eq!(samples(&text, "visibility"), shown);
    assert!(!text.contains("SkelRoot") && !text.contains("Camera"));
}

#[test]
fn recordings_with_too_many_frames_are_refused() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().position[0] = FloatCurve::linear([(0.0, 1.0), (1e9, 2.0)]);
    let error = try_write(Format::Usdc, &recording, 60.0).unwrap_err();
    assert!(
        matches!(error, Error::Sample(SampleError::TooLong { .. })),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_recording_is_written_with_finite_numbers(recording in inputanim_testkit::random::recording()) {
        let rate = 20.0 / f64::from(recording.duration().max(1.0));
        match try_write(Format::Usdc, &recording, rate) {
            Ok((binary, report)) => {
                let (text, same) = to_text(&recording, rate);
                prop_assert_eq!(report, same);
                let text = text.replace(r"\\", "").replace(r#"\""#, "");
                let plain: String = text.split('"').step_by(2).collect();
                prop_assert!(!plain.contains("NaN") && !plain.contains("inf"));
                let count = |letter| plain.matches(letter).count();
                prop_assert_eq!(count('{'), count('}'));
                prop_assert_eq!(count('['), count(']'));
                let contents = u64::from_le_bytes(binary[16..24].try_into().unwrap());
                prop_assert_eq!(binary.len(), contents as usize + 8 + 6 * 32);
            }
            Err(error) => prop_assert!(matches!(error, Error::Sample(_)), "{error}"),
        }
    }
}
