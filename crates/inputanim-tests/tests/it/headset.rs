//! The headset: the distance of the eyes, the field of view, and the radii of joints.

use inputanim::edit::{self, MirrorPlane, Transform};
use inputanim::headset::{self, Headset, ViewAngles};
use inputanim::names::ElementChoice;
use inputanim::session::{self, SessionOptions, SessionWriter};
use inputanim::{
    Element, Frame, InputCurve, Joint, Keys, Layout, Limits, Pose, Recorder, Recording, Sampler,
    Side,
};

/// Returns the headset at a time in seconds: from 0.5 s on, the eyes are 64 mm apart instead of 63 mm.
fn headset(time: f32) -> Headset {
    let mut headset = Headset::default();
    headset.eye_distance = Some(if time < 0.5 { 0.063 } else { 0.064 });
    headset.views = [
        Some(ViewAngles {
            left: -0.9,
            right: 0.7,
            up: 0.8,
            down: -0.85,
        }),
        Some(ViewAngles {
            left: -0.6,
            right: 1.0,
            up: 0.75,
            down: -0.95,
        }),
    ];
    headset.radii[0] = std::array::from_fn(|joint| Some(0.005 + joint as f32 / 1000.0));
    headset.set_radius(Side::Right, Joint::IndexTip, Some(0.0075));
    headset.from_controller = [Some(time >= 0.3), None];
    headset
}

fn frame(time: f32) -> Frame {
    Frame {
        time,
        head: Some(Pose::at([0.0, 1.6, time])),
        devices: vec![headset(time).device_frame()],
        ..Frame::default()
    }
}

/// Returns a recording of 1 s at 10 Hz.
fn recording() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=10 {
        recorder.push(&frame(step as f32 / 10.0)).unwrap();
    }
    recorder.finish()
}

fn sampled(recording: &Recording<'_>, time: f32) -> Headset {
    let frame = Sampler::new(recording).unwrap().frame_at(time);
    Headset::of(frame.device(headset::name()).expect("the headset"))
}

#[test]
fn values_hold_until_the_key_of_the_next_change() {
    let recording = recording();
    let device = recording.device(headset::name()).unwrap();
    assert!(device.poses.is_empty() && device.profiles.is_empty());
    for (name, input) in &device.inputs {
        let keys = match name.as_str() {
            headset::EYE_DISTANCE | "left_hand/from_controller" => 2,
            _ => 1,
        };
        assert_eq!(input.curve().len(), keys, "{name}");
        let InputCurve::Float(curve) = input else {
            panic!("{name} is a number");
        };
        assert!(matches!(curve.keys, Keys::Full(_)), "{name}");
    }
    for time in [0.0, 0.29, 0.3, 0.499, 0.5, 1.0] {
        assert_eq!(sampled(&recording, time), headset(time), "at {time} s");
    }
    assert!(recording.known.is_complete());
}

#[test]
fn a_session_has_the_same_headset() {
    let mut options = SessionOptions::new(Layout::Mrtk1_1);
    options.devices = true;
    let mut writer = SessionWriter::new(Vec::new(), options).unwrap();
    for step in 0..=10 {
        writer.push(&frame(step as f32 / 10.0)).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let recovered = session::recover(&bytes, &Limits::default()).unwrap();
    assert_eq!(recovered.recording.devices, recording().devices);
}

#[test]
fn a_reflection_exchanges_the_eyes_and_the_hands() {
    let original = recording();
    let mut edited = original.clone();
    let element = Element::Input(headset::name(), "left_eye/angle_left".parse().unwrap());
    let gap = inputanim::TimeRange {
        start: 0.2,
        end: 0.4,
    };
    edited.known.add_gap(element, gap);
    let with_gap = edited.clone();
    edit::mirror(&mut edited, &MirrorPlane::WORLD).unwrap();
    let (before, after) = (headset(0.6), sampled(&edited, 0.6));
    let [left, right] = before.views.map(Option::unwrap);
    let image = |view: ViewAngles| ViewAngles {
        left: -view.right,
        right: -view.left,
        ..view
    };
    assert_eq!(after.views, [Some(image(right)), Some(image(left))]);
    assert_eq!(after.eye_distance, before.eye_distance);
    assert_eq!(after.radii, [before.radii[1], before.radii[0]]);
    assert_eq!(after.from_controller, [None, Some(true)]);
    // The gap of the left angle of the left eye is that of the right angle of the right eye.
    let gaps = |name: &str| {
        let input = name.parse().unwrap();
        edited.known.gaps(Element::Input(headset::name(), input))
    };
    assert_eq!(gaps("right_eye/angle_right"), [gap]);
    assert_eq!(gaps("left_eye/angle_left"), []);
    edit::mirror(&mut edited, &MirrorPlane::WORLD).unwrap();
    assert_eq!(edited, with_gap);
}

#[test]
fn a_scale_multiplies_lengths_and_no_angles() {
    let original = recording();
    let mut edited = original.clone();
    edit::transform(&mut edited, &Transform::from_scale(2.0)).unwrap();
    let (before, after) = (headset(0.6), sampled(&edited, 0.6));
    assert_eq!(after.eye_distance, Some(0.128));
    assert_eq!(after.radius(Side::Right, Joint::IndexTip), Some(0.015));
    assert_eq!(after.views, before.views);
    assert_eq!(after.from_controller, before.from_controller);
    // The value before the key of a change still holds.
    assert_eq!(sampled(&edited, 0.49).eye_distance, Some(0.126));
    let mut edited = original.clone();
    edit::transform(&mut edited, &Transform::from_yaw(1.0)).unwrap();
    assert_eq!(edited.devices, original.devices);
    let mut edited = original.clone();
    let huge = Transform::from_scale(1e38).then(&Transform::from_scale(1e5));
    let error = edit::transform(&mut edited, &huge).unwrap_err();
    assert_eq!(edited, original, "{error}");
}

#[test]
fn reductions_and_new_rates_keep_all_values() {
    let original = recording();
    let mut edited = original.clone();
    edit::resample(&mut edited, 60.0).unwrap();
    edited
        .reduce(&inputanim::reduce::Reduce::default())
        .unwrap();
    assert_eq!(edited.devices, original.devices);
}

#[test]
fn inputs_are_selected_by_name() {
    let names = |pattern: &str| {
        let choice = ElementChoice::new([pattern], &[] as &[&str]).unwrap();
        let mut edited = recording();
        edit::select(&mut edited, |element| choice.keeps(element));
        let inputs = edited.devices.iter().flat_map(|device| &device.inputs);
        inputs.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(names("device.headset").len(), 37);
    assert_eq!(names("device.headset.left_eye.*").len(), 4);
    assert_eq!(names("device.headset.eyes.distance"), ["eyes/distance"]);
    assert_eq!(
        names("*.angle_up"),
        ["left_eye/angle_up", "right_eye/angle_up"]
    );
    assert_eq!(names("left"), [""; 0]);
}
