//! Properties of the comparison, on random recordings, samples and the corpus.

use inputanim::diff::{Aspect, DiffOptions, Difference, Tolerance, Verdict};
use inputanim::marker_names::MarkerChoice;
use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, Element, FloatCurve, FullKey, Joint, Keys, Layout,
    Marker, Pose, PoseChannel, Recording, Sampler, Side, SimpleKey, Stream, TimeRange, WrapMode,
};
use inputanim_testkit::random::recording;
use proptest::collection::vec;
use proptest::prelude::*;

fn exact() -> DiffOptions {
    let mut options = DiffOptions::default();
    options.tolerance = Tolerance::EXACT;
    options.between_keys = 3;
    options
}

fn sample(name: &str) -> Recording<'static> {
    let bytes = inputanim_testkit::samples::read(name);
    Recording::parse(&bytes).unwrap().into_owned()
}

#[test]
fn an_unknown_state_differs_from_a_known_one() {
    let recorded = |pinching: BooleanCurve<'static>| {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let left = &mut recording.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (2.0, true)]);
        left.pinching = pinching;
        left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        recording
    };
    let known = recorded(BooleanCurve::new([(0.0, false)]));
    let unknown = recorded(BooleanCurve::default());
    assert!(unknown.lacks_pinches(Side::Left));
    for (a, b) in [(&known, &unknown), (&unknown, &known)] {
        let found = a.diff(b, &exact()).unwrap();
        assert_eq!(found.verdict, Verdict::Different);
        let [state] = &found.states[..] else {
            panic!("one state: {:?}", found.states);
        };
        assert_eq!(
            (state.stream, state.seconds),
            (Stream::Pinching(Side::Left), 2.0)
        );
    }
    assert_eq!(
        unknown.diff(&unknown.clone(), &exact()).unwrap().verdict,
        Verdict::Equal
    );

    // Nothing is known about the hand for one second, in which the other recording does not track it.
    let mut gap = known.clone();
    gap.hands_mut().left.tracked = BooleanCurve::new([(0.0, false), (2.0, false)]);
    let untracked = gap.clone();
    let second = TimeRange {
        start: 0.5,
        end: 1.5,
    };
    gap.known.add_gap(Element::Tracked(Side::Left), second);
    let found = gap.diff(&untracked, &exact()).unwrap();
    assert_eq!(found.verdict, Verdict::Different);
    let streams: Vec<Stream> = found.states.iter().map(|state| state.stream).collect();
    assert_eq!(
        streams,
        [Stream::Tracked(Side::Left), Stream::Pinching(Side::Left)]
    );
}

/// Returns `true` if a sampler accepts the recording: no key time is NaN.
fn is_playable(recording: &Recording<'_>) -> bool {
    Sampler::new(recording).is_ok()
}

/// Returns the expected result of the comparison in the opposite order.
fn turned(mut found: Difference) -> Difference {
    found.only_in.reverse();
    found.durations.reverse();
    found.encoding.layouts.reverse();
    found.encoding.flags.reverse();
    found.encoding.keys.reverse();
    for text in &mut found.about {
        text.texts.reverse();
    }
    for joint in &mut found.uncompared {
        joint.tracked.reverse();
    }
    found.markers.only_in.reverse();
    for marker in &mut found.markers.moved {
        marker.times.reverse();
    }
    found
}

/// Returns the difference as text, because NaN is not equal to itself. Markers are sorted, so that the
/// order of the recordings does not matter.
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

fn has_infinite_tangents(recording: &Recording<'_>) -> bool {
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
        CurvePath::Head(channel) | CurvePath::Joint(_, _, channel) => Some(channel),
        _ => None,
    }
}

fn is_rotation(path: CurvePath) -> bool {
    channel(path).is_some_and(|channel| channel >= PoseChannel::RotationX)
}

fn is_height(path: CurvePath) -> bool {
    channel(path) == Some(PoseChannel::PositionY)
}

/// Returns a recording whose left hand is always tracked, with the given heights of head and index tip.
fn with_heights(head: FloatCurve<'static>, tip: FloatCurve<'static>) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().position[1] = head;
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true)]);
    left.joints[Joint::IndexTip].position[1] = tip;
    recording
}

/// Generates linear segments. Keys may share a time, so that the curve jumps.
fn lines() -> impl Strategy<Value = FloatCurve<'static>> {
    let time = prop_oneof![0.0_f32..4.0, (0..5_u8).prop_map(f32::from)];
    vec((time, -1.0_f32..1.0), 0..9).prop_map(FloatCurve::linear)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_recording_equals_itself(recording in recording()) {
        let found = recording.diff(&recording.clone(), &exact())?;
        prop_assert_eq!(found.verdict, Verdict::Equal);
    }

    /// Checks recordings that are sampled because their layouts differ. NaN, infinity and wrap modes do not count as
    /// differences.
    #[test]
    fn a_recording_has_no_differences_from_itself_when_sampled(recording in recording(), index in 0_usize..6) {
        if !is_playable(&recording) {
            let mut other = recording.clone();
            other.markers.push(Marker::new(0.0, "another"));
            prop_assert!(recording.diff(&other, &exact()).is_err());
            return Ok(());
        }
        let mut other = recording.clone();
        other.layout = Layout::ALL[index];
        let found = recording.diff(&other, &exact())?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found.out_of_tolerance);
        prop_assert_eq!(found.verdict == Verdict::Equal, recording.layout == other.layout);
        for stream in &found.streams {
            prop_assert_eq!(stream.position.incomparable + stream.rotation.incomparable, 0);
        }
    }

    #[test]
    fn a_lossless_layout_keeps_the_meaning(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        if !is_playable(&recording) || !recording.losses(layout).is_empty() {
            return Ok(());
        }
        let found = recording.diff(&recording.clone().with_layout(layout), &exact())?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found.out_of_tolerance);
    }

    #[test]
    fn the_order_does_not_matter(a in recording(), b in recording(), joined in any::<bool>()) {
        let mut b = b;
        if joined {
            // Random recordings have hardly any curve in common.
            (b.head, b.hands) = (a.head.clone(), a.hands.clone());
        }
        if !is_playable(&a) || !is_playable(&b) {
            return Ok(());
        }
        let options = DiffOptions::default();
        let (one, other) = (a.diff(&b, &options)?, b.diff(&a, &options)?);
        prop_assert_eq!(text(turned(one)), text(other));
    }

    #[test]
    fn a_negated_rotation_is_the_same_rotation(recording in recording()) {
        // A tangent of +∞ holds a value and a tangent of −∞ does not, so such curves cannot be negated.
        if !is_playable(&recording) || has_infinite_tangents(&recording) {
            return Ok(());
        }
        let mut negated = recording.clone();
        change(&mut negated, is_rotation, |value| -value);
        let found = recording.diff(&negated, &exact())?;
        prop_assert_ne!(found.verdict, Verdict::Different, "{:?}", found);
    }

    /// Checks the guarantee for linear segments: between the sampled instants, no value differs more.
    #[test]
    fn linear_segments_never_differ_more_than_reported(
        cameras in [lines(), lines()],
        tips in [lines(), lines()],
        times in vec(0.0_f32..4.0, 64),
    ) {
        let [a, b] = [0, 1].map(|index| with_heights(cameras[index].clone(), tips[index].clone()));
        if a == b {
            return Ok(());
        }
        let mut keys = DiffOptions::default();
        keys.between_keys = 0;
        let found = a.diff(&b, &keys)?;
        let largest = |stream| {
            let streams = &mut found.streams.iter();
            let stream = streams.find(|found| found.stream == stream)?;
            stream.position.statistics.map(|statistics| statistics.largest)
        };
        let [a, b] = [a, b].map(|recording| Sampler::new(&recording).unwrap());
        for time in times {
            if !(found.range.start..=found.range.end).contains(&time) {
                continue;
            }
            let (a, b) = (a.frame_at(time), b.frame_at(time));
            if let (Some(a), Some(b)) = (a.head, b.head) {
                let apart = f64::from((a.position[1] - b.position[1]).abs());
                prop_assert!(apart <= largest(Stream::Head).unwrap() + 1e-6, "head at {time}");
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
fn moved_positions_are_reported_with_their_distance() {
    for name in ["two-hands.bin", "reach.bin"] {
        let a = sample(name);
        let mut b = a.clone();
        change(&mut b, is_height, |value| value + 0.25);
        let found = a.diff(&b, &DiffOptions::default()).unwrap();
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
            Stream::Head,
            Stream::Joints(Side::Left),
            Stream::Joints(Side::Right),
        ];
        assert_eq!(found.out_of_tolerance, streams.map(Aspect::Stream));
        let mut wider = DiffOptions::default();
        wider.tolerance.position = 0.2501;
        assert_eq!(a.diff(&b, &wider).unwrap().verdict, Verdict::Equivalent);
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
    let found = a.diff(&b, &DiffOptions::default()).unwrap();
    assert_eq!(
        found.out_of_tolerance,
        [Aspect::Stream(Stream::Joints(Side::Right))]
    );
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
    assert_eq!(position.violations.count, 1);
    let span = position.violations.worst[0].range;
    assert!(
        span.start < time && time < span.end && span.length() < 0.07,
        "{span:?}"
    );
}

#[test]
fn a_hand_that_is_lost_earlier_differs_in_state_only() {
    let a = sample("reach.bin");
    let mut b = a.clone();
    b.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (3.5, false)]);
    let found = a.diff(&b, &DiffOptions::default()).unwrap();
    assert_eq!(
        found.out_of_tolerance,
        [Aspect::Stream(Stream::Tracked(Side::Left))]
    );
    let [state] = &found.states[..] else {
        panic!("one state: {:?}", found.states);
    };
    assert_eq!(state.count, 1);
    assert_eq!(state.longest[0].start, 3.5);
    assert!((state.seconds - 0.3).abs() < 1e-6, "{}", state.seconds);
    let mut patient = DiffOptions::default();
    patient.tolerance.timing = 0.31;
    assert_eq!(a.diff(&b, &patient).unwrap().verdict, Verdict::Equivalent);
    // Before the time of the difference, the recordings are equivalent.
    let mut elsewhere = exact();
    elsewhere.range = Some(inputanim::TimeRange {
        start: f32::NEG_INFINITY,
        end: 3.4,
    });
    assert_eq!(a.diff(&b, &elsewhere).unwrap().verdict, Verdict::Equivalent);
}

#[test]
fn parts_of_only_one_recording_are_named() {
    let a = sample("pinch-drag.bin");
    let mut b = a.clone();
    b.gaze = None;
    let palm = &mut b.hands_mut().right.joints[Joint::Palm];
    palm.iter_mut()
        .for_each(|(_, curve)| curve.keys = Keys::default());
    b.markers.remove(0);
    b.markers.push(Marker::new(4.0, "new"));
    b.markers[1].time += 0.5;
    let found = a.diff(&b, &DiffOptions::default()).unwrap();
    let only: Vec<String> = found.only_in[0].iter().map(ToString::to_string).collect();
    assert_eq!(only, ["right.Palm", "gaze"]);
    assert_eq!(found.only_in[1], []);
    let aspects: Vec<String> = found
        .out_of_tolerance
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(aspects, ["right.joints", "gaze", "markers"]);
    assert_eq!(found.markers.only_in[0], [a.markers[0].clone()]);
    assert_eq!(found.markers.only_in[1], [Marker::new(4.0, "new")]);
    assert_eq!(found.markers.moved.len(), 1);
    assert_eq!(found.markers.moved[0].offset(), 0.5);
    assert_eq!(found.markers.same, 3);
}

#[test]
fn a_longer_still_recording_differs_in_duration_only() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    b.hands_mut().left.pinching.push(5.0, false);
    let found = a.diff(&b, &exact()).unwrap();
    assert_eq!(found.out_of_tolerance, [Aspect::Duration]);
    assert_eq!(found.durations, [4.0, 5.0]);
    assert_eq!(found.range.end, 5.0);
}

/// Checks a curve that ends with the recording, and one that ends before it, where its wrap mode is
/// evaluated.
#[test]
fn wrap_modes_matter_only_where_they_are_evaluated() {
    let moving = || FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    let looping = || FloatCurve {
        post_wrap: WrapMode::LOOP,
        ..moving()
    };
    let still = FloatCurve::default;
    let found = with_heights(moving(), still()).diff(&with_heights(looping(), still()), &exact());
    let found = found.unwrap();
    assert_eq!(found.verdict, Verdict::Equivalent);
    assert_eq!(found.encoding.wrap_modes, 1);
    let longer = || FloatCurve::linear([(0.0, 0.0), (3.0, 0.0)]);
    let found = with_heights(moving(), longer()).diff(&with_heights(looping(), longer()), &exact());
    assert_eq!(
        found.unwrap().out_of_tolerance,
        [Aspect::Stream(Stream::Head)]
    );
}

#[test]
fn nan_differs_from_a_number_at_any_tolerance() {
    let a = with_heights(
        FloatCurve::linear([(0.0, 1.0), (1.0, 1.0)]),
        FloatCurve::default(),
    );
    let mut b = a.clone();
    b.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, f32::NAN)]);
    let mut infinite = exact();
    infinite.tolerance.position = f64::INFINITY;
    infinite.tolerance.rotation = f64::INFINITY;
    infinite.tolerance.timing = f32::INFINITY;
    let found = a.diff(&b, &infinite).unwrap();
    assert_eq!(found.out_of_tolerance, [Aspect::Stream(Stream::Head)]);
    let position = &found.streams[0].position;
    assert!(position.incomparable > 0 && position.incomparable < position.instants);
    assert_eq!(position.statistics.unwrap().largest, 0.0);
}

#[test]
fn the_error_names_the_recording_that_cannot_be_evaluated() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    b.head_mut().position[0].keys.push_linear(f32::NAN, 0.0);
    let error = a.diff(&b, &exact()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the second recording cannot be evaluated"
    );
    assert_eq!(error.source.to_string(), "cannot evaluate head.position.x");
    let error = b.diff(&a, &exact()).unwrap_err();
    assert_eq!(error.to_string(), "the first recording cannot be evaluated");
}

/// Compares two files that MRTK saved from one recorder session.
#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn lost_w_curves_are_the_only_difference_between_files_of_one_session() {
    let read = |name: &str| inputanim_testkit::corpus::read(&format!("mrtk/{name}"));
    let [plain, lost] = ["mrtk-1.1-p0.bin", "mrtk-1.1-w-lost-p0.bin"].map(read);
    let [plain, lost] = [&plain, &lost].map(|bytes| Recording::parse(bytes).unwrap());
    let found = plain.diff(&lost, &DiffOptions::default()).unwrap();
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

#[test]
fn ignored_elements_and_markers_do_not_count() {
    let a = sample("two-hands.bin");
    let mut b = a.clone();
    let is_changed = |path| matches!(path, CurvePath::Joint(Side::Left, Joint::Palm, _));
    change(&mut b, is_changed, |value| value + 1.0);
    b.markers.clear();
    let mut options = DiffOptions::default();
    options.ignored = vec![Element::Joint(Side::Left, Joint::Palm), Element::Gaze];
    let found = a.diff(&b, &options).unwrap();
    assert_eq!(found.out_of_tolerance, [Aspect::Markers]);
    assert_eq!(found.ignored, options.ignored[..1]);
    options.markers = MarkerChoice::new([""; 0], ["*"]);
    let found = a.diff(&b, &options).unwrap();
    assert_eq!(found.verdict, Verdict::Equivalent);
    let is_compared = |stream| found.streams.iter().any(|found| found.stream == stream);
    assert!(is_compared(Stream::Joints(Side::Left)) && !is_compared(Stream::Gaze));
}

#[test]
fn the_duration_has_a_tolerance_of_its_own() {
    let a = sample("wave.bin");
    let mut b = a.clone();
    let keys = &mut b.hands_mut().left.pinching;
    keys.push(4.02, false);
    let mut options = DiffOptions::default();
    let verdict = |options: &DiffOptions| a.diff(&b, options).unwrap().verdict;
    assert_eq!(verdict(&options), Verdict::Different);
    options.tolerance.timing = 0.03;
    assert_eq!(verdict(&options), Verdict::Different);
    options.tolerance.duration = 0.03;
    assert_eq!(verdict(&options), Verdict::Equivalent);
}

/// Returns a recording of 4 s with a right index tip and the times at which the hand is tracked.
fn index_tip(tracked: &[(f32, bool)]) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.head_mut().push(4.0, &Pose::IDENTITY);
    let hand = &mut recording.hands_mut().right;
    hand.joints[Joint::IndexTip].push(0.0, &Pose::IDENTITY);
    hand.joints[Joint::IndexTip].push(4.0, &Pose::at([1.0, 0.0, 0.0]));
    for &(time, value) in tracked {
        hand.tracked.push(time, value);
    }
    recording
}

#[test]
fn a_joint_that_is_compared_at_no_instant_is_a_difference() {
    let a = index_tip(&[(0.0, true)]);
    let mut options = DiffOptions::default();
    // The joint is a difference even if the states are not compared.
    options.ignored = vec![Element::Tracked(Side::Right)];
    let tip = Element::Joint(Side::Right, Joint::IndexTip);
    for (b, expected) in [(index_tip(&[(0.0, false)]), None), (index_tip(&[]), None)] {
        let found = a.diff(&b, &options).unwrap();
        assert_eq!(found.verdict, Verdict::Different);
        let stream = Stream::Joints(Side::Right);
        assert_eq!(found.out_of_tolerance, [Aspect::Stream(stream)]);
        assert_eq!(found.uncompared.len(), 1);
        assert_eq!(found.uncompared[0].element, tip);
        let full = TimeRange {
            start: 0.0,
            end: 4.0,
        };
        assert_eq!(found.uncompared[0].tracked, [Some(full), expected]);
    }
    options.ignored.push(tip);
    let found = a.diff(&index_tip(&[]), &options).unwrap();
    assert_eq!(found.verdict, Verdict::Equivalent, "{found:?}");
    assert_eq!(found.uncompared, []);
}

#[test]
fn streams_state_the_time_for_which_they_are_compared() {
    let a = index_tip(&[(0.0, true)]);
    let b = index_tip(&[(0.0, false), (1.0, true), (2.5, false)]);
    let found = a.diff(&b, &DiffOptions::default()).unwrap();
    let seconds = |stream| {
        let mut streams = found.streams.iter();
        streams
            .find(|found| found.stream == stream)
            .unwrap()
            .seconds
    };
    assert_eq!(seconds(Stream::Head), 4.0);
    let hand = seconds(Stream::Joints(Side::Right));
    assert!((hand - 1.5).abs() < 1e-5, "{hand}");
    assert_eq!(found.uncompared, []);
}

#[test]
fn texts_that_differ_are_named_and_make_no_difference_in_playback() {
    let mut a = index_tip(&[(0.0, true)]);
    a.about.set("device", "HoloLens 2");
    a.about.set("task", "reach");
    a.about.set("operator", "P07");
    let mut b = a.clone();
    b.about.set("task", "grasp");
    b.about.set("operator", "");
    b.about.set("room", "4");
    let found = a.diff(&b, &DiffOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Equivalent);
    let texts = found.about.iter().map(|text| {
        let [a, b] = text.texts.each_ref().map(Option::as_deref);
        (text.name.as_str(), a, b)
    });
    let expected = [
        ("operator", Some("P07"), None),
        ("room", None, Some("4")),
        ("task", Some("reach"), Some("grasp")),
    ];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
    let turned_over = b.diff(&a, &DiffOptions::default()).unwrap();
    assert_eq!(text(turned(turned_over)), text(found));
    assert_eq!(a.diff(&a, &DiffOptions::default()).unwrap().about, []);
}
