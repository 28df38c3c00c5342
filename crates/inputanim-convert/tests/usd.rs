//! USD: what a person can read of it, what is shown when, and that no number breaks it. That other
//! programs read it is what readers/usd checks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../inputanim/tests/random/mod.rs"]
mod random;

use inputanim::{
    BooleanCurve, Flags, FloatCurve, Joint, Layout, Marker, Pose, Ray, Recorder, Recording, Side,
};
use inputanim_convert::SampleError;
use inputanim_convert::usd::{self, Encoding, Loss, Options, WriteError};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

fn to_text(take: &Recording<'_>, rate: f64) -> (String, Vec<Loss>) {
    let mut text = Vec::new();
    let encoding = Encoding::Text;
    let losses = usd::write(take, &Options { encoding, rate }, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), losses)
}

/// The lines of an attribute's samples, of the first attribute that has this name.
fn samples<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let begin = format!(" {name}.timeSamples = {{");
    let lines = text.lines().skip_while(|line| !line.ends_with(&begin));
    let lines = lines.skip(1).map(str::trim);
    lines.take_while(|line| *line != "}").collect()
}

#[test]
fn the_text_is_as_a_person_reads_it() {
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
    let mut take = recorder.finish();
    take.markers = vec![Marker::new(0.05, "half way")];
    let (text, losses) = to_text(&take, 10.0);
    assert_eq!(losses, []);
    snapbox::assert_data_eq!(text, snapbox::file!["golden/finger.usda"].raw());
}

#[test]
fn a_hand_is_shown_while_it_is_tracked_and_changes_at_the_exact_time() {
    let mut take = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true), (0.25, false), (0.75, true)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.33, true)]);
    let (text, losses) = to_text(&take, 10.0);
    assert_eq!(losses, []);
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
    // No joint is known between the time at which it is lost and that at which it is found.
    for attribute in ["translations", "rotations"] {
        let codes = samples(text, attribute).into_iter();
        let codes: Vec<&str> = codes.map(|line| line.split_once(':').unwrap().0).collect();
        assert_eq!(codes, ["0", "1", "2", "2.5", "7.5", "8", "9", "10"]);
    }
}

#[test]
fn markers_are_held_until_the_next_ones() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(0.0, &Pose::IDENTITY);
    take.markers = vec![
        Marker::new(2.0, "two"),
        Marker::new(1.0, "\"a\"\n"),
        Marker::new(1.0, "b\\é"),
        Marker::new(f32::NAN, "never"),
        Marker::new(1.0, "n\0l"),
    ];
    let (text, losses) = to_text(&take, 10.0);
    let expected = ["0: [],", r#"10: ["\"a\"\n", "b\\é"],"#, r#"20: ["two"],"#];
    assert_eq!(samples(&text, "inputanim:markers"), expected);
    assert_eq!(losses, [Loss::Markers { markers: 2 }]);
    let said = losses[0].to_string();
    assert_eq!(said, "2 markers, at no time or with a NUL in the name");
}

#[test]
fn what_is_not_known_stays_where_it_was_and_is_said() {
    let mut take = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    take.markers.clear();
    let times = [(0.0, 1.0), (0.5, f32::NAN), (0.65, 1.0), (1.0, 1.0)];
    take.camera_mut().position[1] = FloatCurve::linear(times);
    let right = &mut take.hands_mut().right.joints[Joint::IndexTip];
    right.position[0] = FloatCurve::linear([(0.0, f32::NAN)]);
    let (text, losses) = to_text(&take, 10.0);
    let head = Loss::Head { frames: 6 };
    let hand = Loss::Hand {
        side: Side::Right,
        frames: 12,
        joint: Joint::IndexTip,
    };
    assert_eq!(losses, [head, hand]);
    assert_eq!(
        losses[1].to_string(),
        "joints of the right hand in 12 frames, where they are not known, such as IndexTip"
    );
    let heights = samples(&text, "xformOp:translate").into_iter();
    let heights: Vec<&str> = heights
        .map(|line| line.split(", ").nth(1).unwrap())
        .collect();
    assert_eq!(heights, ["1"; 12]);
    let (_, right) = text.split_once("def SkelRoot \"right\"").unwrap();
    assert!(right.contains("IndexDistalJoint") && !right.contains("IndexTip"));
}

#[test]
fn a_gaze_that_looks_nowhere_is_hidden() {
    let mut take = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let gaze = take.gaze.as_mut().unwrap();
    gaze.push(
        0.0,
        &Ray {
            origin: [0.0, 1.0, 2.0],
            direction: [0.0; 3],
        },
    );
    // Nothing else is recorded either.
    assert!(!to_text(&take, 10.0).0.contains("gaze"));
    let gaze = take.gaze.as_mut().unwrap();
    gaze.direction[0] = FloatCurve::linear([(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)]);
    let (text, losses) = to_text(&take, 1.0);
    assert_eq!(losses, []);
    let shown = ["0: \"invisible\",", "2: \"inherited\","];
    assert_eq!(samples(&text, "visibility"), shown);
    assert!(!text.contains("SkelRoot") && !text.contains("Camera"));
}

#[test]
fn what_would_not_end_is_refused() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().position[0] = FloatCurve::linear([(0.0, 1.0), (1e9, 2.0)]);
    let error = usd::write(&take, &Options::default(), Vec::new()).unwrap_err();
    assert!(
        matches!(error, WriteError::Sample(SampleError::TooLong { .. })),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_plays_is_written_without_a_number_that_is_none(take in random::recording()) {
        let rate = 20.0 / f64::from(take.duration().max(1.0));
        let mut binary = Vec::new();
        let encoding = Encoding::Binary;
        match usd::write(&take, &Options { encoding, rate }, &mut binary) {
            Ok(losses) => {
                let (text, same) = to_text(&take, rate);
                prop_assert_eq!(losses, same);
                let text = text.replace(r"\\", "").replace(r#"\""#, "");
                let plain: String = text.split('"').step_by(2).collect();
                prop_assert!(!plain.contains("NaN") && !plain.contains("inf"));
                let count = |letter| plain.matches(letter).count();
                prop_assert_eq!(count('{'), count('}'));
                prop_assert_eq!(count('['), count(']'));
                let contents = u64::from_le_bytes(binary[16..24].try_into().unwrap());
                prop_assert_eq!(binary.len(), contents as usize + 8 + 6 * 32);
            }
            Err(error) => prop_assert!(matches!(error, WriteError::Sample(_)), "{error}"),
        }
    }
}
