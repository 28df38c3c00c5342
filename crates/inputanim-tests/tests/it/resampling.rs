//! Properties of resampling: values at the new times and the ends of curves stay, and gaps get no keys.

use std::path::PathBuf;

use inputanim::doctor::{self, Code};
use inputanim::edit::{self, EditError, Smooth};
use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, FloatCurve, Frame, FullKey, Joint, Layout, Limits,
    Marker, Pose, Recorder, Recording, Sampler, TimeRange, WrapMode,
};
use inputanim_testkit::random::in_order;
use inputanim_testkit::{corpus, samples};
use proptest::collection::vec;
use proptest::prelude::*;

fn resampled<'a>(recording: &Recording<'a>, rate: f64) -> Recording<'a> {
    let mut after = recording.clone();
    edit::resample(&mut after, rate).unwrap();
    after
}

fn points(recording: &Recording<'_>, name: &str) -> Vec<(f32, f32)> {
    let curve = recording.curve(name.parse().unwrap()).unwrap();
    curve.points().collect()
}

fn times(recording: &Recording<'_>, name: &str) -> Vec<f32> {
    points(recording, name)
        .into_iter()
        .map(|(time, _)| time)
        .collect()
}

const X: &str = "left.Palm.position.x";

/// Returns a palm with ten samples per second, not tracked from 1 s to 2 s. The last sample before the
/// gap is at 0.9 s.
fn palm_with_gap() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (2.0, true), (3.0, false)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.513, true), (0.777, false)]);
    for step in (0..10).chain(20..30) {
        let time = step as f32 / 10.0;
        left.joints[Joint::Palm].push(time, &Pose::at([time.sin(), 0.5, 0.0]));
    }
    recording.markers = vec![Marker::new(0.33, "here")];
    recording
}

#[test]
fn joints_keep_the_ends_of_tracked_times_and_get_no_keys_in_gaps() {
    let recording = palm_with_gap();
    let after = resampled(&recording, 4.0);
    assert_eq!(
        times(&after, X),
        [0.0, 0.25, 0.5, 0.75, 0.9, 2.0, 2.25, 2.5, 2.75, 2.9]
    );
    for (path, curve) in recording.curves() {
        if let Curve::Boolean(curve) = curve {
            assert_eq!(after.curve(path), Some(Curve::Boolean(curve)));
        }
    }
    assert_eq!(after.markers, recording.markers);
    // From the last sample to the end of the tracked time, values are interpolated across the gap.
    let sampler = |recording| Sampler::new(recording).unwrap().with_untracked_joints();
    let (before, after) = (sampler(&recording), sampler(&after));
    for time in [0.95, 0.99, 1.5, 1.99] {
        assert_eq!(before.frame_at(time), after.frame_at(time));
    }
}

#[test]
fn keys_of_untracked_hands_stay() {
    let mut recording = palm_with_gap();
    let mut moved = recording.hands_mut().left.joints[Joint::Palm].clone();
    for curve in &mut moved.position {
        let points: Vec<_> = curve.keys.points().chain([(1.5, 7.0)]).collect();
        *curve = FloatCurve::linear(points);
    }
    for curve in &mut moved.rotation {
        let (_, last) = curve.keys.points().last().unwrap();
        curve.keys.push_linear(1.5, last);
    }
    recording.hands_mut().left.joints[Joint::Palm] = moved;
    let after = resampled(&recording, 4.0);
    assert!(points(&after, X).contains(&(1.5, 7.0)));
    assert!(times(&after, X).is_sorted());
    // A hand without a tracked curve is not resampled; its keys are only sorted.
    recording.hands_mut().left.tracked = BooleanCurve::default();
    let palm = |recording: &Recording<'_>| points(recording, "left.Palm.position.y");
    let mut sorted = palm(&recording);
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(palm(&resampled(&recording, 4.0)), sorted);
}

#[test]
fn tangents_into_a_gap_get_keys_at_its_ends() {
    let mut recording = palm_with_gap();
    recording.layout = Layout::Documented1_1;
    let curve = &mut recording.hands_mut().left.joints[Joint::Palm].position[0];
    *curve = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 3.0),
        FullKey::hermite(0.5, 1.0, 1.0, 9.0),
        FullKey::hermite(2.5, 1.0, -5.0, 0.0),
    ]);
    let after = resampled(&recording, 10.0);
    let Some(Curve::Float(new)) = after.curve(X.parse().unwrap()) else {
        panic!("it is a float curve");
    };
    let old = recording.hands_mut().left.joints[Joint::Palm].position[0].clone();
    let (old, new) = (old.evaluator().unwrap(), new.evaluator().unwrap());
    for time in [0.6, 0.7, 0.8, 0.9, 1.0, 2.0, 2.1, 2.4] {
        assert_eq!(new.at(time), old.at(time), "at {time}");
    }
    assert!(
        !times(&after, X)
            .iter()
            .any(|&time| time > 1.0 && time < 2.0)
    );
}

#[test]
fn curves_with_tangents_become_linear_for_other_edits() {
    let mut recording = Recording::new(Layout::FullWithMarkers1_1);
    for curve in &mut recording.head_mut().position {
        let key = |step: u8| FullKey::hermite(step.into(), (step % 2).into(), 1.0, -1.0);
        *curve = FloatCurve::full((0..5).map(key));
    }
    let smooth = |recording: &mut Recording<'_>| edit::smooth(recording, &Smooth::default());
    let error = smooth(&mut recording).unwrap_err();
    assert!(matches!(error, EditError::HasTangents { .. }), "{error}");
    let mut straight = resampled(&recording, 60.0);
    smooth(&mut straight).unwrap();
}

#[test]
fn components_with_different_times_get_common_ones_also_before_0() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(-1.1, 1.0), (0.3, 2.0)]);
    *y = FloatCurve::linear([(0.0, 1.0), (0.7, 8.0)]);
    let after = resampled(&recording, 2.0);
    assert_eq!(points(&after, "head.position.x")[0], (-1.1, 1.0));
    assert_eq!(
        times(&after, "head.position.x"),
        [-1.1, -1.0, -0.5, 0.0, 0.5, 0.7]
    );
    assert_eq!(points(&after, "head.position.y")[4], (0.5, 6.0));
    assert_eq!(
        times(&after, "head.position.y"),
        times(&after, "head.position.x")
    );
    // A component without keys gets no keys.
    assert_eq!(points(&after, "head.position.z"), []);
}

#[test]
fn rotations_get_one_hemisphere_and_length_1() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let zero = [0.0; 4];
    let nan = [f32::NAN, 0.0, 0.0, 1.0];
    for (step, rotation) in [
        [0.0, 0.0, 0.0, 2.0],
        [0.0, 0.6, 0.0, 0.8],
        [0.0, -0.6, 0.0, -0.8],
        zero,
        [-0.6, 0.0, 0.0, -0.8],
        nan,
        zero,
        [0.0, 0.0, 0.0, -1.0],
    ]
    .into_iter()
    .enumerate()
    {
        let pose = Pose {
            rotation,
            ..Pose::IDENTITY
        };
        recording.head_mut().push(step as f32, &pose);
    }
    let after = resampled(&recording, 1.0);
    let part = |name: &str| points(&after, &format!("head.rotation.{name}"));
    let w: Vec<f32> = part("w").into_iter().map(|(_, w)| w).collect();
    assert_eq!(w, [1.0, 0.8, 0.8, 0.0, 0.8, 1.0, 0.0, 1.0]);
    assert!(part("x")[5].1.is_nan() && part("x")[4].1 == 0.6);
}

#[test]
fn a_repeating_curve_is_written_out_only_where_it_is_evaluated() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    *y = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    x.post_wrap = WrapMode::LOOP;
    y.post_wrap = WrapMode::LOOP;
    let loops = resampled(&recording, 4.0);
    assert_eq!(
        loops.head.as_ref().unwrap().position[0].post_wrap,
        WrapMode::LOOP
    );
    assert_eq!(points(&loops, "head.position.x").len(), 5);
    recording.gaze_mut().origin[0] = FloatCurve::linear([(0.0, 0.0), (2.5, 1.0)]);
    let written_out = resampled(&recording, 4.0);
    let x = &written_out.head.as_ref().unwrap().position[0];
    assert_eq!(x.post_wrap, WrapMode::CLAMP_FOREVER);
    let values: Vec<f32> = x.keys.points().map(|(_, value)| value).collect();
    let saw = [0.0, 0.25, 0.5, 0.75];
    assert_eq!(values, [&saw[..], &saw, &saw[..3]].concat());
}

#[test]
fn a_recording_at_the_same_rate_stays_unchanged() {
    for name in ["two-hands", "wave"] {
        let bytes = samples::read(&format!("{}.bin", name));
        let recording = Recording::parse(&bytes).unwrap();
        let after = resampled(&resampled(&recording, 60.0), 30.0);
        let is_of_joints = |path: &CurvePath| matches!(path, CurvePath::Joint(..));
        for (path, curve) in recording.curves().filter(|(path, _)| is_of_joints(path)) {
            assert_eq!(after.curve(path), Some(curve), "{path}");
        }
        assert_eq!(resampled(&after, 30.0), after);
    }
}

#[test]
fn a_huge_rate_is_refused_before_allocation() {
    let mut recording = palm_with_gap();
    let before = recording.clone();
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.head_mut().push(1e4, &Pose::IDENTITY);
    let with_camera = recording.clone();
    let error = edit::resample(&mut recording, 1e6).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a rate of 1000000 Hz exceeds the limit of 536870912 keys"
    );
    assert_eq!(recording, with_camera);
    let mut limits = Limits::default();
    limits.max_bytes = 1000;
    let error = edit::resample_with(&mut before.clone(), 60.0, &limits).unwrap_err();
    assert!(error.to_string().contains("limit of 1000 bytes"), "{error}");
    for rate in [0.0, -1.0, f64::NAN, 2e6] {
        let error = edit::resample(&mut recording, rate).unwrap_err();
        assert!(matches!(error, EditError::InvalidNumber { .. }), "{error}");
    }
    assert_eq!(recording, with_camera);
}

#[test]
fn times_near_the_largest_number_come_to_an_end() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording
        .head_mut()
        .push(f32::MAX.next_down(), &Pose::IDENTITY);
    recording.head_mut().push(f32::MAX, &Pose::IDENTITY);
    let mut far = recording.clone();
    assert!(edit::resample_with(&mut far, 1e6, &Limits::NONE).is_err());
    assert_eq!(resampled(&recording, 1e-30), recording);
    recording.head_mut().push(f32::INFINITY, &Pose::IDENTITY);
    let error = edit::resample(&mut recording, 30.0).unwrap_err();
    assert!(
        matches!(error, EditError::TimeNotFinite { index: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_rotation_with_lost_w_is_refused() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..4 {
        let half = step as f32 / 4.0;
        let rotation = [half.sin(), 0.0, 0.0, half.cos()];
        recording.head_mut().push(
            half,
            &Pose {
                rotation,
                ..Pose::IDENTITY
            },
        );
    }
    let w = &mut recording.head_mut().rotation[3];
    *w = FloatCurve::linear(w.keys.point(0));
    let error = edit::resample(&mut recording, 30.0).unwrap_err();
    assert!(matches!(error, EditError::LostW { .. }), "{error}");
}

#[test]
fn resampled_samples_keep_their_values_and_get_no_new_findings() {
    keeps_values_and_findings(samples::recordings());
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn the_resampled_corpus_keeps_its_values_and_gets_no_new_findings() {
    keeps_values_and_findings(corpus::recordings());
}

/// Checks the values at the times of the new keys, and that there is no new kind of finding.
fn keeps_values_and_findings(recordings: Vec<(PathBuf, Vec<u8>)>) {
    for (path, bytes) in recordings {
        let recording = Recording::parse(&bytes).unwrap();
        let codes = |recording: &Recording<'_>| -> Vec<Code> {
            doctor::findings(recording)
                .iter()
                .map(|finding| finding.code)
                .collect()
        };
        let known = codes(&recording);
        for rate in [7.3, 30.0, 60.0, 144.0] {
            let mut after = recording.clone();
            match edit::resample(&mut after, rate) {
                Err(EditError::LostW { .. }) => continue,
                done => done.unwrap(),
            }
            let new: Vec<Code> = codes(&after)
                .into_iter()
                .filter(|code| !known.contains(code))
                .collect();
            // Neighbouring keys of random numbers are unrelated, so new findings are possible.
            let is_random = path.parent().unwrap().ends_with("documented");
            assert!(
                new.is_empty() || is_random,
                "{path:?} at {rate} Hz: {new:?}"
            );
            check_same_values(&recording, &after, rate)
                .unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(after.duration(), recording.duration(), "{path:?}");
        }
    }
}

/// Checks that two recordings have the same values at each multiple of an interval.
fn check_same_values(
    before: &Recording<'_>,
    after: &Recording<'_>,
    rate: f64,
) -> Result<(), TestCaseError> {
    let (old, new) = (Sampler::new(before).unwrap(), Sampler::new(after).unwrap());
    let Some(range) = old.range() else {
        return Ok(());
    };
    let steps = |time: f32| (f64::from(time) * rate).floor() as i64;
    for step in steps(range.start.min(0.0))..=steps(range.end) {
        let time = (step as f64 / rate) as f32;
        if time < range.start.min(0.0) {
            continue;
        }
        let (a, b) = (old.frame_at(time), new.frame_at(time));
        prop_assert!(is_near(&a, &b), "at {}: {:?}\nbecame {:?}", time, a, b);
    }
    Ok(())
}

fn is_near(a: &Frame, b: &Frame) -> bool {
    let near =
        |a: f32, b: f32| (a - b).abs() <= 1e-5 * a.abs().max(1.0) || a.is_nan() && b.is_nan();
    let all_near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(&a, &b)| near(a, b));
    let same_pose = |a: Option<Pose>, b: Option<Pose>| match (a, b) {
        (Some(a), Some(b)) => {
            let opposite = b.rotation.map(|part| -part);
            all_near(&a.position, &b.position)
                && (all_near(&a.rotation, &b.rotation) || all_near(&a.rotation, &opposite))
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    let same_hands = [(&a.left, &b.left), (&a.right, &b.right)]
        .into_iter()
        .all(|(a, b)| {
            let mut joints = a.joints.iter().zip(b.joints.iter());
            (a.tracked, a.pinching) == (b.tracked, b.pinching)
                && joints.all(|((_, a), (_, b))| same_pose(*a, *b))
        });
    let same_gaze = match (a.gaze, b.gaze) {
        (Some(a), Some(b)) => {
            all_near(&a.origin, &b.origin) && all_near(&a.direction, &b.direction)
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    same_pose(a.head, b.head) && same_hands && same_gaze
}

/// Generates curves of all kinds. Only the states of the hands do not repeat.
fn any_recording() -> impl Strategy<Value = Recording<'static>> {
    (
        inputanim_testkit::plausible::recording(),
        vec(any::<bool>(), 1..8),
    )
        .prop_map(|(mut recording, tracked)| {
            let hands = recording.hands_mut();
            for hand in [&mut hands.left, &mut hands.right] {
                let flips = tracked.iter().enumerate();
                hand.tracked = BooleanCurve::new(flips.map(|(step, &on)| (step as f32 * 0.77, on)));
                (hand.pinching.pre_wrap, hand.pinching.post_wrap) =
                    (WrapMode::CLAMP_FOREVER, WrapMode::ONCE);
            }
            // A curve with all keys at one time has no value before them if it repeats.
            for (_, curve) in recording.curves_mut() {
                if let CurveMut::Float(curve) = curve {
                    let first = curve.keys.point(0).map(|(time, _)| time);
                    if curve.keys.points().all(|(time, _)| Some(time) == first) {
                        *curve = FloatCurve::default();
                    }
                }
            }
            recording
        })
}

/// The parts of a frame of a hand: seconds since the previous frame, tracked, angular velocity, and true
/// to flip the sign of the quaternion.
type Step = (f32, bool, f32, bool);

/// Generates a recording of a recorder: all components have the same key times, and quaternions have
/// length 1.
fn recorded_frames() -> impl Strategy<Value = Recording<'static>> {
    let step = (
        0.01_f32..0.3,
        prop::bool::weighted(0.7),
        -2.0_f32..2.0,
        prop::bool::weighted(0.05),
    );
    vec(step, 1..40).prop_map(|steps: Vec<Step>| {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let (mut time, mut angle) = (-0.5, 0.0);
        for (seconds, tracked, turn, opposite) in steps {
            time += seconds;
            angle += turn * seconds;
            let sign = if opposite { -1.0 } else { 1.0 };
            let rotation = [angle.sin() * sign, 0.0, 0.0, angle.cos() * sign];
            let pose = Pose {
                position: [angle, time, -angle],
                rotation,
            };
            let mut frame = Frame {
                time,
                head: Some(pose),
                ..Frame::default()
            };
            frame.left.tracked = tracked;
            frame.left.joints[Joint::Palm] = Some(pose);
            recorder.push(&frame).unwrap();
        }
        recorder.finish()
    })
}

proptest! {
    #[test]
    fn resampling_keeps_the_values_at_the_new_times(
        recording in prop_oneof![any_recording(), recorded_frames()],
        rate in 0.5_f64..200.0,
    ) {
        let after = resampled(&recording, rate);
        check_same_values(&recording, &after, rate)?;
        let ends = |recording: &Recording<'_>| Sampler::new(recording).unwrap().range();
        if let (Some(old), Some(new)) = (ends(&recording), ends(&after)) {
            prop_assert!(new.start <= old.start && new.end >= old.end);
        }
    }

    #[test]
    fn resampling_is_idempotent(recording in prop_oneof![any_recording(), recorded_frames()], rate in 0.5_f64..200.0) {
        // Resampling sorts the keys of a curve, which changes the time range of a recording that is not in order.
        let once = resampled(&in_order(recording), rate);
        prop_assert_eq!(resampled(&once, rate), once);
    }

    #[test]
    fn tracked_times_keep_their_ends_and_gaps_get_no_keys(
        recording in recorded_frames(),
        rate in 0.5_f64..200.0,
    ) {
        let after = resampled(&recording, rate);
        let (Some(before), Some(after)) = (recording.hands, after.hands) else { return Ok(()) };
        let (before, after) = (before.left, after.left);
        let keys: Vec<(f32, f32)> = before.joints[Joint::Palm].position[0].keys.points().collect();
        let new: Vec<(f32, f32)> = after.joints[Joint::Palm].position[0].keys.points().collect();
        let is_tracked = before.tracked.evaluator()?;
        for pair in keys.windows(2) {
            let gap = TimeRange { start: pair[0].0, end: pair[1].0 };
            let flips = before.tracked.keys.iter().map(|key| key.time());
            if flips.filter(|time| *time > gap.start && *time < gap.end).count() > 0 {
                prop_assert!(new.contains(&pair[0]) && new.contains(&pair[1]));
            }
        }
        prop_assert_eq!(new.first(), keys.first());
        prop_assert_eq!(new.last(), keys.last());
        for (time, _) in new {
            let flips = before.tracked.keys.iter().any(|key| key.time() == time);
            prop_assert!(is_tracked.at(time) || flips, "a key at {}", time);
        }
    }
}
