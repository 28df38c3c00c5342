//! Recordings with sign flips (finding D4) in every format.
//!
//! At a sign flip, two neighbouring keys have opposite signs. MRTK interpolates by component and passes
//! near zero; the readers of most formats take the shorter arc.

use inputanim::{CurveMut, FloatCurve, Frame, Keys, Layout, Pose, Recording, Sampler, SimpleKey};
use inputanim_convert::{
    Format, NoteKind, ReadOptions, Report, Sampling, TableShape, WriteOptions, read, write,
};
use inputanim_motion::{Motion, Scene};

/// The rate of the keys, so that samples are keys.
const RATE: f64 = 30.0;

fn intact() -> Recording<'static> {
    Motion::new(Scene::TwoHands, 3, 4.0).record(RATE as f32, Layout::Mrtk1_1)
}

/// Returns a recording whose rotations change their signs at every seventh key.
fn with_sign_flips(mut recording: Recording<'static>) -> Recording<'static> {
    for (path, curve) in recording.curves_mut() {
        let CurveMut::Float(FloatCurve { keys, .. }) = curve else {
            continue;
        };
        if !path.to_string().contains(".rotation.") {
            continue;
        }
        let Keys::Simple(keys) = keys else {
            panic!("MRTK 1.1 has simple keys")
        };
        for (index, key) in keys.to_mut().iter_mut().enumerate() {
            if index / 7 % 2 == 1 {
                *key = SimpleKey::new(key.time(), -key.value());
            }
        }
    }
    recording
}

fn convert(format: Format, recording: &Recording<'_>, options: &WriteOptions) -> (Vec<u8>, Report) {
    let mut options = options.clone();
    options.sampling = Sampling::Rate(RATE);
    let mut bytes = Vec::new();
    let report = write(format, recording, &options, &mut bytes).unwrap();
    (bytes, report)
}

fn there_and_back(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Recording<'static> {
    let (bytes, _) = convert(format, recording, options);
    let (back, _) = read(format, &bytes, &ReadOptions::default()).unwrap();
    back.into_owned()
}

/// Returns the largest angle between the rotations of two recordings, in degrees.
fn largest_angle(a: &Recording<'_>, b: &Recording<'_>) -> f64 {
    let [a, b] = [a, b].map(|recording| Sampler::new(recording).unwrap());
    let mut largest = 0.0_f64;
    for step in 0..390 {
        let time = step as f32 / 97.0;
        let [a, b] = [&a, &b].map(|sampler| rotations(&sampler.frame_at(time)));
        for (a, b) in a.into_iter().zip(b) {
            largest = largest.max(angle(a, b));
        }
    }
    largest
}

fn rotations(frame: &Frame) -> Vec<[f32; 4]> {
    let joints = [&frame.left, &frame.right].into_iter();
    let joints = joints.flat_map(|hand| hand.joints.iter().map(|(_, pose)| *pose));
    let poses = joints.chain([frame.head]);
    poses
        .map(|pose| pose.unwrap_or(Pose::IDENTITY).rotation)
        .collect()
}

fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
    let [a, b] = [a, b].map(|rotation| glam::DQuat::from_array(rotation.map(f64::from)));
    let turn = a.normalize().inverse() * b.normalize();
    let vector = glam::DVec3::new(turn.x, turn.y, turn.z);
    2.0 * vector.length().atan2(turn.w.abs()).to_degrees()
}

#[test]
fn evaluation_passes_near_zero() {
    assert!(largest_angle(&intact(), &with_sign_flips(intact())) > 10.0);
}

#[test]
fn formats_of_keys_keep_sign_flips() {
    let flipped = with_sign_flips(intact());
    let mut keys = WriteOptions::default();
    keys.shape = TableShape::Keys;
    for &format in Format::ALL {
        let is_exact = matches!(format, Format::Bin | Format::Json | Format::Mcap);
        if format.is_in_build() && (is_exact || format.is_table()) {
            assert_eq!(there_and_back(format, &flipped, &keys), flipped, "{format}");
        }
    }
}

#[test]
fn gltf_takes_the_shorter_arc_and_notes_it() {
    let flipped = with_sign_flips(intact());
    let options = WriteOptions::default();
    let (_, report) = convert(Format::Glb, &flipped, &options);
    let kinds: Vec<_> = report.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::SignFlips]);
    let back = there_and_back(Format::Glb, &flipped, &options);
    assert!(largest_angle(&intact(), &back) < 0.02);
}

#[test]
fn reading_frames_takes_the_shorter_arc() {
    let (intact, flipped) = (intact(), with_sign_flips(intact()));
    let options = WriteOptions::default();
    for format in [Format::Iwer, Format::Csv, Format::Ndjson] {
        let [a, b] =
            [&intact, &flipped].map(|recording| there_and_back(format, recording, &options));
        assert!(largest_angle(&a, &b) < 0.02, "{format}");
    }
}

#[test]
fn sampled_formats_show_no_sign_flips_at_keys() {
    let mut intact = intact();
    // State changes between keys would sample the flips.
    let hands = intact.hands_mut();
    for hand in [&mut hands.left, &mut hands.right] {
        hand.tracked = inputanim::BooleanCurve::new([(0.0, true)]);
        hand.pinching = inputanim::BooleanCurve::default();
    }
    let flipped = with_sign_flips(intact.clone());
    let options = WriteOptions::default();
    for format in [Format::Bvh, Format::Usda, Format::Usdc] {
        let [a, b] = [&intact, &flipped].map(|recording| convert(format, recording, &options));
        assert!(a == b, "{format}");
    }
}

#[test]
fn unity_clips_keep_the_keys_of_sign_flips() {
    let (clip, report) = convert(
        Format::Anim,
        &with_sign_flips(intact()),
        &WriteOptions::default(),
    );
    let (other, _) = convert(Format::Anim, &intact(), &WriteOptions::default());
    assert_eq!(report.losses, []);
    let keys = |clip: &[u8]| String::from_utf8_lossy(clip).matches("inSlope").count();
    assert_eq!(keys(&clip), keys(&other));
}
