//! glTF: what was written comes back, plays as it did, and is written the same again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;
#[path = "../../inputanim/tests/random/plausible.rs"]
mod plausible;
#[path = "../../inputanim/tests/random/mod.rs"]
mod random;

use inputanim::diff::{self, Options as DiffOptions, Tolerance};
use inputanim::{
    BooleanCurve, CurveMut, FloatCurve, FullKey, Joint, Keys, Layout, Marker, Pose, PoseCurves,
    Recording, Sampler, WeightedMode, WrapMode,
};
use inputanim_convert::gltf::{
    self, Container, Loss, NodeNames, Note, Options, Report, WriteError,
};
use inputanim_convert::json;
use proptest::prelude::*;

fn write_with(recording: &Recording<'_>, options: &Options) -> (Vec<u8>, Report) {
    let mut bytes = Vec::new();
    let report = gltf::write(recording, options, &mut bytes).unwrap();
    (bytes, report)
}

fn write(recording: &Recording<'_>) -> Vec<u8> {
    write_with(recording, &Options::default()).0
}

/// Every way to write.
fn all_options() -> impl Iterator<Item = Options> {
    let containers = [Container::Glb, Container::Gltf];
    let options = containers.map(|container| {
        NodeNames::ALL.map(|node_names| Options {
            container,
            node_names,
            ..Options::default()
        })
    });
    options.into_iter().flatten()
}

/// The curves that have keys, for people.
fn text(recording: &Recording<'_>) -> String {
    let mut text = Vec::new();
    json::write(recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().filter(|line| !line.contains("\"keys\":[]"));
    lines.collect::<Vec<_>>().join("\n")
}

/// How far two recordings are apart in what they play: metres, degrees.
fn apart(a: &Recording<'_>, b: &Recording<'_>) -> (f64, f64) {
    let options = DiffOptions {
        tolerance: Tolerance {
            metres: 0.0,
            degrees: 0.0,
            seconds: 0.0,
        },
        between: 7,
        ..DiffOptions::default()
    };
    let found = diff::compare(a, b, &options).unwrap();
    assert!(found.only_in.iter().all(Vec::is_empty));
    assert_eq!(found.states, []);
    let markers = &found.markers;
    assert!(markers.moved.is_empty() && markers.only_in.iter().all(Vec::is_empty));
    let of = |deviation: &diff::Deviation| match &deviation.statistics {
        Some(statistics) => statistics.largest,
        None => 0.0,
    };
    let streams = found.streams.iter();
    streams.fold((0.0, 0.0), |(metres, degrees), stream| {
        (
            f64::max(metres, of(&stream.position)),
            f64::max(degrees, of(&stream.rotation)),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_read_is_written_the_same_again(recording in random::recording()) {
        for options in all_options() {
            let mut bytes = Vec::new();
            match gltf::write(&recording, &options, &mut bytes) {
                Ok(_) => {}
                Err(WriteError::Unplayable { .. } | WriteError::TooManyKeys { .. }) => continue,
                Err(error) => panic!("{error}"),
            }
            let back = gltf::read(&bytes).unwrap();
            prop_assert_eq!(back.layout, recording.layout);
            prop_assert_eq!(back.flag_bytes(), recording.flag_bytes());
            prop_assert_eq!(&back.markers, &recording.markers);
            prop_assert!(write_with(&back, &options).0 == bytes, "{}", text(&recording));
        }
    }
}

/// The recording with what glTF can hold: no wraps, no weights.
fn tamed(mut recording: Recording<'static>) -> Recording<'static> {
    for (_, curve) in recording.curves_mut() {
        match curve {
            CurveMut::Float(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (WrapMode::ONCE, WrapMode::CLAMP_FOREVER);
                if let Keys::Full(keys) = &mut curve.keys {
                    let is_bent = keys
                        .iter()
                        .any(|key| key.weighted_mode() == WeightedMode::NONE);
                    for key in keys.to_mut() {
                        let (time, value) = (key.time(), key.value());
                        *key = match is_bent {
                            true => {
                                FullKey::hermite(time, value, key.in_tangent(), key.out_tangent())
                            }
                            false => FullKey::linear(time, value),
                        };
                    }
                }
            }
            CurveMut::Boolean(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (WrapMode::ONCE, WrapMode::CLAMP_FOREVER);
            }
        }
    }
    recording
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn positions_play_as_they_did(recording in plausible::recording()) {
        let recording = tamed(recording);
        let (bytes, report) = write_with(&recording, &Options::default());
        let tangents = report.losses.iter().all(|loss| matches!(loss, Loss::Sampled { .. }));
        prop_assert!(tangents, "{:?}", report.losses);
        let back = gltf::read(&bytes).unwrap();
        let (metres, _) = apart(&recording, &back);
        prop_assert!(metres < 1e-5, "{} {}", metres, text(&recording));
    }

    #[test]
    fn rotations_play_as_they_did(
        turns in prop::collection::vec((prop::array::uniform3(-1.0_f64..1.0), 0.0_f64..170.0), 1..20),
        scale in prop::sample::select(vec![1.0_f32, 0.5, 3.0]),
        full in any::<bool>(),
    ) {
        let layout = if full { Layout::FullWithMarkers1_1 } else { Layout::Mrtk1_1 };
        let mut take = Recording::new(layout);
        take.hands_mut().right.tracked.push(0.0, true);
        let mut turn = glam::DQuat::IDENTITY;
        for (step, (axis, degrees)) in turns.into_iter().enumerate() {
            let axis = glam::DVec3::from(axis).try_normalize().unwrap_or(glam::DVec3::X);
            turn = (glam::DQuat::from_axis_angle(axis, f64::to_radians(degrees)) * turn).normalize();
            // Every other key of another length.
            let length = if step % 2 == 0 { scale } else { 1.0 };
            let pose = Pose {
                position: [0.0, 1.0, 0.5],
                rotation: turn.to_array().map(|part| part as f32 * length),
            };
            let time = step as f32 * 0.5;
            take.camera_mut().push(time, &pose);
            take.hands_mut().right.joints[Joint::Wrist].push(time, &pose);
        }
        let back = gltf::read(&write(&take)).unwrap();
        let (metres, degrees) = apart(&take, &back);
        prop_assert!(metres == 0.0 && degrees < 0.011, "{} {}", metres, degrees);
    }

    #[test]
    fn no_bytes_are_too_strange_to_be_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
    ) {
        gltf::read(&bytes).ok();
        for container in [Container::Glb, Container::Gltf] {
            let mut whole = write_with(&small(), &Options { container, ..Options::default() }).0;
            let place = at.index(whole.len());
            let end = (place + bytes.len()).min(whole.len());
            whole[place..end].copy_from_slice(&bytes[..end - place]);
            gltf::read(&whole).ok();
            let length = cut.index(whole.len());
            gltf::read(&whole[..length]).ok();
        }
    }
}

/// One joint, a head and a marker.
fn small() -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(0.0, &Pose::at([0.0, 1.5, 0.25]));
    take.camera_mut().push(1.0, &Pose::at([0.0, 1.5, 0.5]));
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (0.5, true)]);
    left.pinching = BooleanCurve::new([(0.0, false)]);
    let tip = &mut left.joints[Joint::IndexTip];
    tip.push(0.5, &Pose::at([-0.25, 1.0, 0.5]));
    tip.push(1.0, &Pose::at([-0.25, 1.25, 0.5]));
    take.markers.push(Marker::new(0.75, "reach"));
    take
}

#[test]
fn the_corpus_comes_back_and_is_written_the_same_again() {
    corpus::each(|path, bytes| {
        let take = Recording::parse(bytes).unwrap();
        let written = write(&take);
        let back = gltf::read(&written).unwrap();
        assert!(write(&back) == written, "{path:?}");
        assert_eq!(back.markers, take.markers);
        // Those made by a program have wraps and weights; those without w turn at uneven speeds
        // where a hand is lost.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(folder_is(path, "documented") || name.contains("w-lost")) {
            let (metres, degrees) = apart(&take, &back);
            assert!(
                metres == 0.0 && degrees < 0.011,
                "{name}: {metres} {degrees}"
            );
        }
    });
}

fn folder_is(path: &std::path::Path, name: &str) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with(name))
}

#[test]
fn what_the_toolkit_records_comes_back_bit_for_bit() {
    let take = small();
    for options in all_options() {
        let (bytes, report) = write_with(&take, &options);
        assert_eq!(report, Report::default());
        assert_eq!(gltf::read(&bytes).unwrap(), take, "{options:?}");
    }
}

#[test]
fn the_text_is_what_readers_expect() {
    let options = Options {
        container: Container::Gltf,
        ..Options::default()
    };
    let text = String::from_utf8(write_with(&small(), &options).0).unwrap();
    snapbox::assert_data_eq!(text, snapbox::file!["golden/small.gltf"].raw());
}

#[test]
fn keys_before_0_come_back_where_they_were() {
    let mut take = small();
    take.layout = Layout::Mrtk1_0;
    let camera = take.camera_mut();
    *camera = Default::default();
    for step in 0..6 {
        let time = step as f32 / 10.0 - 0.3;
        camera.push(time, &Pose::at([time, 1.0, 0.0]));
    }
    take = take.into_layout(Layout::Mrtk1_0);
    let (bytes, report) = write_with(&take, &Options::default());
    assert_eq!(report.notes, [Note::Shifted { seconds: 0.3 }]);
    let back = gltf::read(&bytes).unwrap();
    assert!(apart(&take, &back).0 < 1e-6);
    assert_eq!(back.markers, take.markers);
    assert_eq!(
        back.hands.as_ref().unwrap().left.tracked,
        take.hands.as_ref().unwrap().left.tracked
    );
    assert_eq!(write(&back), bytes);
}

#[test]
fn a_jump_on_a_coarser_clock_is_written_the_same_again() {
    let key = |time, value, arriving| FullKey::hermite(time, value, arriving, 0.0);
    let held = [(-8.716868, 1.0, 0.0), (-6.5681157, 2.0, f32::INFINITY)];
    let mut recording = small().into_layout(Layout::Documented1_0);
    let mut camera = PoseCurves::default();
    camera.position[0] = FloatCurve::full(held.map(|(time, value, slope)| key(time, value, slope)));
    camera.position[1] = FloatCurve::linear([(-8.716868, 0.0), (-6.0, 1.0)]);
    recording.camera = Some(camera);
    let bytes = write(&recording);
    assert!(write(&gltf::read(&bytes).unwrap()) == bytes);
}

#[test]
fn what_gltf_cannot_hold_is_said() {
    let mut take = small();
    take.layout = Layout::FullWithMarkers1_1;
    let camera = take.camera_mut();
    camera.position[0].post_wrap = WrapMode::LOOP;
    camera.position[1] = FloatCurve::full([
        FullKey::weighted(0.0, 1.0, [0.0, 1.0], [0.2, 0.9], WeightedMode::BOTH),
        FullKey::weighted(1.0, 2.0, [1.0, 0.0], [0.2, 0.9], WeightedMode::BOTH),
    ]);
    take.hands_mut().left.joints[Joint::IndexTip].position[2]
        .keys
        .push_linear(f32::INFINITY, 0.0);
    let options = Options {
        rate: 240.0,
        ..Options::default()
    };
    let (bytes, report) = write_with(&take, &options);
    let losses = [
        Loss::WrapModes { curves: 1 },
        Loss::NotFinite { keys: 1 },
        Loss::Sampled {
            vectors: 1,
            rate: 240.0,
        },
    ];
    assert_eq!(report.losses, losses);
    assert_eq!(
        losses.map(|loss| loss.to_string()),
        [
            "the wrap modes of 1 curve, which start over and here hold their ends",
            "1 key without a finite time and value",
            "the weights and tangents of 1 position or rotation: lines at 240 Hz stand in for them",
        ]
    );
    let back = gltf::read(&bytes).unwrap();
    let [take, back] = [&take, &back].map(|take| {
        let camera = take.camera.as_ref().unwrap();
        camera.position[1].clone()
    });
    for step in 0..100 {
        let time = step as f32 / 100.0;
        let values = [&take, &back].map(|curve| curve.evaluator().unwrap().at(time));
        assert!((values[0] - values[1]).abs() < 1e-4, "{time}: {values:?}");
    }
}

#[test]
fn a_whirl_becomes_the_shorter_turn() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let turned = |sign: f32| Pose {
        rotation: [0.0, 0.1 * sign, 0.0, 0.995 * sign],
        ..Pose::IDENTITY
    };
    for (time, pose) in [(0.0, turned(1.0)), (1.0, turned(-1.0)), (2.0, turned(-1.0))] {
        take.camera_mut().push(time, &pose);
    }
    let (bytes, report) = write_with(&take, &Options::default());
    assert_eq!(report.notes, [Note::Whirls { keys: 1 }]);
    let back = gltf::read(&bytes).unwrap();
    let turn = Sampler::new(&back)
        .unwrap()
        .frame_at(0.5)
        .camera
        .unwrap()
        .rotation;
    assert!((turn[1] - 0.1).abs() < 0.01, "{turn:?}");
}

#[test]
fn a_recording_that_cannot_be_played_or_is_too_long_is_refused() {
    let mut take = small();
    take.camera_mut().position[0]
        .keys
        .push_linear(f32::NAN, 0.0);
    let refused = gltf::write(&take, &Options::default(), Vec::new());
    assert!(matches!(refused, Err(WriteError::Unplayable { .. })));

    let mut take = small();
    take.layout = Layout::FullWithMarkers1_1;
    let weighted = |time| FullKey::weighted(time, time, [1.0; 2], [0.5; 2], WeightedMode::BOTH);
    take.camera_mut().position[0] = FloatCurve::full([weighted(0.0), weighted(1e30)]);
    let refused = gltf::write(&take, &Options::default(), Vec::new()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "camera.position: it would take more than 4 Mi new keys"
    );

    let mut take = small();
    take.gaze_mut();
    take.layout = Layout::Mrtk1_0;
    let refused = gltf::write(&take, &Options::default(), Vec::new());
    assert!(matches!(refused, Err(WriteError::Layout(_))));
    for rate in [0.0, f64::NAN, 1e9] {
        let options = Options {
            rate,
            ..Options::default()
        };
        let refused = gltf::write(&small(), &options, Vec::new());
        assert!(matches!(refused, Err(WriteError::Rate(_))));
    }
}
