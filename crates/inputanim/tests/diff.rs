//! Laws of the comparison, over random recordings of any bits, samples and real takes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use std::fs;
use std::path::Path;

use inputanim::diff::{Aspect, Difference, Options, Tolerance, Verdict, compare};
use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, FloatCurve, FullKey, Joint, Keys, Layout, Marker,
    PoseChannel, Recording, Sampler, Side, SimpleKey, Stream, WrapMode,
};
use proptest::collection::vec;
use proptest::prelude::*;
use random::recording;

const EXACT: Options = Options {
    tolerance: Tolerance {
        metres: 0.0,
        degrees: 0.0,
        seconds: 0.0,
    },
    time: None,
    between: 3,
};

fn sample(name: &str) -> Recording<'static> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let bytes = fs::read(samples.join(name)).unwrap();
    Recording::parse(&bytes).unwrap().into_owned()
}

/// Whether a sampler takes it: no key without a time.
fn is_playable(recording: &Recording<'_>) -> bool {
    Sampler::new(recording).is_ok()
}

/// What the comparison should find the other way round.
fn turned(mut found: Difference) -> Difference {
    found.only_in.reverse();
    found.durations.reverse();
    found.form.layouts.reverse();
    found.form.flags.reverse();
    found.form.keys.reverse();
    found.markers.only_in.reverse();
    for marker in &mut found.markers.moved {
        marker.times.reverse();
    }
    found
}

/// With the markers in an order that does not depend on which recording comes first. NaN is
/// unequal to itself, so all is compared as text.
fn text(mut found: Difference) -> String {
    let moved = &mut found.markers.moved;
    moved.sort_by_key(|marker| {
        let mut times = marker.times.map(f32::to_bits);
        times.sort_unstable();
        (marker.name.clone(), times)
    });
    format!("{found:?}")
}

/// Changes the value of the keys of some curves.
fn change(
    recording: &mut Recording<'_>,
    wanted: fn(CurvePath) -> bool,
    value: impl Fn(f32) -> f32,
) {
    for (path, curve) in recording.curves_mut() {
        let CurveMut::Float(curve) = curve else {
            continue;
        };
        if !wanted(path) {
            continue;
        }
        let scale = value(1.0) - value(0.0);
        match &mut curve.keys {
            Keys::Simple(keys) => {
                for key in keys.to_mut() {
                    *key = SimpleKey::new(key.time(), value(key.value()));
                }
            }
            Keys::Full(keys) => {
                for key in keys.to_mut() {
                    *key = FullKey::weighted(
                        key.time(),
                        value(key.value()),
                        [key.in_tangent() * scale, key.out_tangent() * scale],
                        [key.in_weight(), key.out_weight()],
                        key.weighted_mode(),
                    );
                }
            }
        }
    }
}

fn has_endless_tangents(recording: &Recording<'_>) -> bool {
    recording.curves().any(|(_, curve)| match curve {
        Curve::Float(FloatCurve {
            keys: Keys::Full(keys),
            ..
        }) => keys
            .iter()
            .any(|key| key.in_tangent().is_infinite() || key.out_tangent().is_infinite()),
        _ => false,
    })
}

fn channel(path: CurvePath) -> Option<PoseChannel> {
    match path {
        CurvePath::Camera(channel) | CurvePath::Joint(_, _, channel) => Some(channel),
        _ => None,
    }
}

fn is_rotation(path: CurvePath) -> bool {
    channel(path).is_some_and(|channel| channel >= PoseChannel::RotationX)
}

fn is_height(path: CurvePath) -> bool {
    channel(path) == Some(PoseChannel::PositionY)
}

/// A recording that is always tracked, with the given curves for its parts.
fn with_heights(camera: FloatCurve<'static>, tip: FloatCurve<'static>) -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().position[1] = camera;
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true)]);
    left.joints[Joint::IndexTip].position[1] = tip;
    take
}

/// Straight lines whose keys may share a time, so that they jump.
fn lines() -> impl Strategy<Value = FloatCurve<'static>> {
    let time = prop_oneof![0.0_f32..4.0, (0..5_u8).prop_map(f32::from)];
    vec((time, -1.0_f32..1.0), 0..9).prop_map(FloatCurve::linear)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever the bits.
    #[test]
    fn every_recording_equals_itself(recording in recording()) {
        let found = compare(&recording, &recording.clone(), &EXACT)?;
        prop_assert_eq!(found.verdict, Verdict::Equal);
    }

    /// Played side by side: no NaN, infinity or wrap mode makes it differ from itself.
    #[test]
    fn every_recording_plays_as_itself(recording in recording(), index in 0_usize..6) {
        if !is_playable(&recording) {
            let mut other = recording.clone();
            other.markers.push(Marker::new(0.0, "another"));
            prop_assert!(compare(&recording, &other, &EXACT).is_err());
            return Ok(());
        }
        let mut other = recording.clone();
        other.layout = Layout::ALL[index];
        let found = compare(&recording, &other, &EXACT)?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found.beyond);
        prop_assert_eq!(found.verdict == Verdict::Equal, recording.layout == other.layout);
        for stream in &found.streams {
            prop_assert_eq!(stream.position.incomparable + stream.rotation.incomparable, 0);
        }
    }

    #[test]
    fn a_layout_that_loses_nothing_changes_no_meaning(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        if !is_playable(&recording) || !recording.losses(layout).is_empty() {
            return Ok(());
        }
        let found = compare(&recording, &recording.clone().into_layout(layout), &EXACT)?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found.beyond);
    }

    #[test]
    fn the_order_does_not_matter(a in recording(), b in recording(), joined in any::<bool>()) {
        let mut b = b;
        if joined {
            // So that they have more in common.
            (b.camera, b.hands) = (a.camera.clone(), a.hands.clone());
        }
        if !is_playable(&a) || !is_playable(&b) {
            return Ok(());
        }
        let options = Options::default();
        let (one, other) = (compare(&a, &b, &options)?, compare(&b, &a, &options)?);
        prop_assert_eq!(text(turned(one)), text(other));
    }

    #[test]
    fn a_negated_rotation_is_the_same_rotation(recording in recording()) {
        // A tangent of +∞ holds a value and one of −∞ does not: such curves have no negative.
        if !is_playable(&recording) || has_endless_tangents(&recording) {
            return Ok(());
        }
        let mut negated = recording.clone();
        change(&mut negated, is_rotation, |value| -value);
        let found = compare(&recording, &negated, &EXACT)?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found);
    }

    /// The guarantee for straight lines: nothing between the instants is further apart.
    #[test]
    fn straight_lines_are_nowhere_further_apart_than_is_found(
        cameras in [lines(), lines()],
        tips in [lines(), lines()],
        times in vec(0.0_f32..4.0, 64),
    ) {
        let [a, b] = [0, 1].map(|index| with_heights(cameras[index].clone(), tips[index].clone()));
        if a == b {
            return Ok(());
        }
        let keys = Options { between: 0, ..Options::default() };
        let found = compare(&a, &b, &keys)?;
        let largest = |stream| {
            let streams = &mut found.streams.iter();
            let stream = streams.find(|found| found.stream == stream)?;
            stream.position.statistics.map(|statistics| statistics.largest)
        };
        let [a, b] = [a, b].map(|take| Sampler::new(&take).unwrap());
        for time in times {
            if !(found.span.start..=found.span.end).contains(&time) {
                continue;
            }
            let (a, b) = (a.frame_at(time), b.frame_at(time));
            if let (Some(a), Some(b)) = (a.camera, b.camera) {
                let apart = f64::from((a.position[1] - b.position[1]).abs());
                prop_assert!(apart <= largest(Stream::Camera).unwrap() + 1e-6, "camera at {time}");
            }
            let [a, b] = [a, b].map(|frame| frame.left.joints[Joint::IndexTip]);
            if let (Some(a), Some(b)) = (a, b) {
                let apart = f64::from((a.position[1] - b.position[1]).abs());
                let largest = largest(Stream::Joints(Side::Left)).unwrap();
                prop_assert!(apart <= largest + 1e-6, "tip at {time}");
            }
        }
    }
}

#[test]
fn moving_all_positions_is_found_as_it_was_done() {
    for name in ["two-hands.bin", "reach.bin"] {
        let a = sample(name);
        let mut b = a.clone();
        change(&mut b, is_height, |value| value + 0.25);
        let found = compare(&a, &b, &Options::default()).unwrap();
        assert_eq!(found.streams.len(), 4);
        for stream in &found.streams {
            let apart = if stream.stream == Stream::Gaze {
                0.0
            } else {
                0.25
            };
            let statistics = stream.position.statistics.unwrap();
            for value in [
                statistics.largest,
                statistics.median,
                statistics.percentile_95,
            ] {
                assert!(
                    (value - apart).abs() < 1e-6,
                    "{name} {}: {value}",
                    stream.stream
                );
            }
            assert_eq!(stream.rotation.statistics.unwrap().largest, 0.0);
        }
        let streams = [
            Stream::Camera,
            Stream::Joints(Side::Left),
            Stream::Joints(Side::Right),
        ];
        assert_eq!(found.beyond, streams.map(Aspect::Stream));
        let mut wider = Options::default();
        wider.tolerance.metres = 0.2501;
        assert_eq!(
            compare(&a, &b, &wider).unwrap().verdict,
            Verdict::SameMeaning
        );
    }
}

#[test]
fn one_bad_joint_is_named_with_its_time() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    let tip = &mut b.hands_mut().right.joints[Joint::RingTip];
    let Keys::Simple(keys) = &mut tip.position[2].keys else {
        panic!("a file of simple keys");
    };
    let key = &mut keys.to_mut()[60];
    let time = key.time();
    *key = SimpleKey::new(time, key.value() + 0.05);
    let found = compare(&a, &b, &Options::default()).unwrap();
    assert_eq!(found.beyond, [Aspect::Stream(Stream::Joints(Side::Right))]);
    let right = found
        .streams
        .iter()
        .find(|found| found.stream == Stream::Joints(Side::Right));
    let position = &right.unwrap().position;
    let statistics = position.statistics.unwrap();
    assert!((statistics.largest - 0.05).abs() < 1e-6);
    assert_eq!(
        (statistics.at, statistics.joint),
        (time, Some(Joint::RingTip))
    );
    assert_eq!(statistics.median, 0.0);
    assert_eq!(position.beyond.spans, 1);
    let span = position.beyond.worst[0].span;
    assert!(
        span.start < time && time < span.end && span.length() < 0.07,
        "{span:?}"
    );
}

#[test]
fn a_hand_that_is_lost_sooner_is_a_state_and_its_joints_are_no_difference() {
    let a = sample("reach.bin");
    let mut b = a.clone();
    b.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (3.5, false)]);
    let found = compare(&a, &b, &Options::default()).unwrap();
    assert_eq!(found.beyond, [Aspect::Stream(Stream::Tracked(Side::Left))]);
    let [state] = &found.states[..] else {
        panic!("one state: {:?}", found.states);
    };
    assert_eq!(state.spans, 1);
    assert_eq!(state.longest[0].start, 3.5);
    assert!((state.seconds - 0.3).abs() < 1e-6, "{}", state.seconds);
    let mut patient = Options::default();
    patient.tolerance.seconds = 0.31;
    assert_eq!(
        compare(&a, &b, &patient).unwrap().verdict,
        Verdict::SameMeaning
    );
    // What is the same elsewhere is the same.
    let mut elsewhere = EXACT;
    elsewhere.time = Some(inputanim::Span {
        start: f32::NEG_INFINITY,
        end: 3.4,
    });
    assert_eq!(
        compare(&a, &b, &elsewhere).unwrap().verdict,
        Verdict::SameMeaning
    );
}

#[test]
fn what_one_alone_has_is_named() {
    let a = sample("pinch-drag.bin");
    let mut b = a.clone();
    b.gaze = None;
    let palm = &mut b.hands_mut().right.joints[Joint::Palm];
    palm.iter_mut()
        .for_each(|(_, curve)| curve.keys = Keys::default());
    b.markers.remove(0);
    b.markers.push(Marker::new(4.0, "new"));
    b.markers[1].time += 0.5;
    let found = compare(&a, &b, &Options::default()).unwrap();
    let only: Vec<String> = found.only_in[0].iter().map(ToString::to_string).collect();
    assert_eq!(only, ["right.Palm", "gaze"]);
    assert_eq!(found.only_in[1], []);
    let aspects: Vec<String> = found.beyond.iter().map(ToString::to_string).collect();
    assert_eq!(aspects, ["right.joints", "gaze", "markers"]);
    assert_eq!(found.markers.only_in[0], [a.markers[0].clone()]);
    assert_eq!(found.markers.only_in[1], [Marker::new(4.0, "new")]);
    assert_eq!(found.markers.moved.len(), 1);
    assert_eq!(found.markers.moved[0].seconds(), 0.5);
    assert_eq!(found.markers.same, 3);
}

#[test]
fn a_take_that_goes_on_differs_in_duration_alone_while_nothing_moves() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    b.hands_mut().left.pinching.push(5.0, false);
    let found = compare(&a, &b, &EXACT).unwrap();
    assert_eq!(found.beyond, [Aspect::Duration]);
    assert_eq!(found.durations, [4.0, 5.0]);
    assert_eq!(found.span.end, 5.0);
}

/// A wrap mode matters where it plays: after a curve that ends before the recording does.
#[test]
fn wrap_modes_matter_only_where_they_play() {
    let moving = || FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    let looping = || FloatCurve {
        post_wrap: WrapMode::LOOP,
        ..moving()
    };
    let still = FloatCurve::default;
    let found = compare(
        &with_heights(moving(), still()),
        &with_heights(looping(), still()),
        &EXACT,
    );
    let found = found.unwrap();
    assert_eq!(found.verdict, Verdict::SameMeaning);
    assert_eq!(found.form.wrap_modes, 1);
    let longer = || FloatCurve::linear([(0.0, 0.0), (3.0, 0.0)]);
    let found = compare(
        &with_heights(moving(), longer()),
        &with_heights(looping(), longer()),
        &EXACT,
    );
    assert_eq!(found.unwrap().beyond, [Aspect::Stream(Stream::Camera)]);
}

#[test]
fn a_value_that_is_no_number_is_a_difference_in_any_tolerance() {
    let a = with_heights(
        FloatCurve::linear([(0.0, 1.0), (1.0, 1.0)]),
        FloatCurve::default(),
    );
    let mut b = a.clone();
    b.camera_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, f32::NAN)]);
    let endless = Options {
        tolerance: Tolerance {
            metres: f64::INFINITY,
            degrees: f64::INFINITY,
            seconds: f64::INFINITY,
        },
        ..EXACT
    };
    let found = compare(&a, &b, &endless).unwrap();
    assert_eq!(found.beyond, [Aspect::Stream(Stream::Camera)]);
    let position = &found.streams[0].position;
    assert!(position.incomparable > 0 && position.incomparable < position.instants);
    assert_eq!(position.statistics.unwrap().largest, 0.0);
}

#[test]
fn which_recording_cannot_be_played_is_said() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    b.camera_mut().position[0].keys.push_linear(f32::NAN, 0.0);
    let error = compare(&a, &b, &EXACT).unwrap_err();
    assert_eq!(error.to_string(), "the second recording cannot be played");
    assert_eq!(
        error.source.to_string(),
        "camera.position.x cannot be played"
    );
    let error = compare(&b, &a, &EXACT).unwrap_err();
    assert_eq!(error.to_string(), "the first recording cannot be played");
}

/// What saving in another way does to one and the same session of the toolkit.
#[test]
fn files_of_one_session_mean_the_same_but_for_what_the_toolkit_loses() {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS") else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    let read = |name: &str| fs::read(Path::new(&corpus).join("mrtk").join(name)).unwrap();
    let [plain, lost] = ["mrtk-1.1-p0.bin", "mrtk-1.1-w-lost-p0.bin"].map(read);
    let [plain, lost] = [&plain, &lost].map(|bytes| Recording::parse(bytes).unwrap());
    let found = compare(&plain, &lost, &Options::default()).unwrap();
    for stream in &found.streams {
        assert!(stream.position.is_within(), "{}", stream.stream);
        let is_turned = stream.stream != Stream::Gaze;
        assert_eq!(stream.rotation.is_within(), !is_turned, "{}", stream.stream);
    }
    assert!(found.states.is_empty());
    let is_w = |path: CurvePath| channel(path) == Some(PoseChannel::RotationW);
    let same = plain.curves().filter(|(path, _)| !is_w(*path));
    let same = same.filter(|(path, curve): &(CurvePath, Curve<'_, '_>)| {
        lost.curve(*path).as_ref() == Some(curve)
    });
    assert!(same.count() > 300);
}
