//! Resampling: at the new times it plays what it played, nothing at the ends is lost, and nothing
//! reaches over a gap that did not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "random/plausible.rs"]
mod plausible;

use std::fs;
use std::path::{Path, PathBuf};

use inputanim::doctor::{self, Code};
use inputanim::edit::{self, EditError, Smoothing};
use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, FloatCurve, Frame, FullKey, Joint, Layout, Limits,
    Marker, Pose, Recorder, Recording, Sampler, Span, WrapMode,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn resampled<'a>(take: &Recording<'a>, rate: f64) -> Recording<'a> {
    let mut after = take.clone();
    edit::resample(&mut after, rate).unwrap();
    after
}

fn points(take: &Recording<'_>, name: &str) -> Vec<(f32, f32)> {
    let curve = take.curve(name.parse().unwrap()).unwrap();
    curve.points().collect()
}

fn times(take: &Recording<'_>, name: &str) -> Vec<f32> {
    points(take, name)
        .into_iter()
        .map(|(time, _)| time)
        .collect()
}

const X: &str = "left.Palm.position.x";

/// A palm that is sampled ten times a second and not tracked from 1 s to 2 s; it was last sampled at
/// 0.9 s.
fn take() -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (2.0, true), (3.0, false)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.513, true), (0.777, false)]);
    for step in (0..10).chain(20..30) {
        let time = step as f32 / 10.0;
        left.joints[Joint::Palm].push(time, &Pose::at([time.sin(), 0.5, 0.0]));
    }
    take.markers = vec![Marker::new(0.33, "here")];
    take
}

#[test]
fn joints_keep_the_ends_of_the_times_in_which_their_hand_is_tracked_and_nothing_is_put_between() {
    let take = take();
    let after = resampled(&take, 4.0);
    assert_eq!(
        times(&after, X),
        [0.0, 0.25, 0.5, 0.75, 0.9, 2.0, 2.25, 2.5, 2.75, 2.9]
    );
    for (path, curve) in take.curves() {
        if let Curve::Boolean(curve) = curve {
            assert_eq!(after.curve(path), Some(Curve::Boolean(curve)));
        }
    }
    assert_eq!(after.markers, take.markers);
    // Between the last sample and the end of the tracked time it is on the line across the gap.
    let sampler = |take| Sampler::new(take).unwrap().with_untracked_joints();
    let (before, after) = (sampler(&take), sampler(&after));
    for time in [0.95, 0.99, 1.5, 1.99] {
        assert_eq!(before.frame_at(time), after.frame_at(time));
    }
}

#[test]
fn keys_while_the_hand_is_not_tracked_stay() {
    let mut take = take();
    let mut moved = take.hands_mut().left.joints[Joint::Palm].clone();
    for curve in &mut moved.position {
        let points: Vec<_> = curve.keys.points().chain([(1.5, 7.0)]).collect();
        *curve = FloatCurve::linear(points);
    }
    for curve in &mut moved.rotation {
        let (_, last) = curve.keys.points().last().unwrap();
        curve.keys.push_linear(1.5, last);
    }
    take.hands_mut().left.joints[Joint::Palm] = moved;
    let after = resampled(&take, 4.0);
    assert!(points(&after, X).contains(&(1.5, 7.0)));
    assert!(times(&after, X).is_sorted());
    // A hand of which nothing says that it is tracked is left as it is.
    take.hands_mut().left.tracked = BooleanCurve::default();
    let palm = |take: &Recording<'_>| points(take, "left.Palm.position.y");
    let mut sorted = palm(&take);
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(palm(&resampled(&take, 4.0)), sorted);
}

#[test]
fn where_tangents_lead_into_a_gap_keys_at_its_ends_keep_what_plays_before_it() {
    let mut take = take();
    take.layout = Layout::Documented1_1;
    let curve = &mut take.hands_mut().left.joints[Joint::Palm].position[0];
    *curve = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 3.0),
        FullKey::hermite(0.5, 1.0, 1.0, 9.0),
        FullKey::hermite(2.5, 1.0, -5.0, 0.0),
    ]);
    let after = resampled(&take, 10.0);
    let Some(Curve::Float(new)) = after.curve(X.parse().unwrap()) else {
        panic!("it is a float curve");
    };
    let old = take.hands_mut().left.joints[Joint::Palm].position[0].clone();
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
fn curves_with_tangents_become_straight_lines_that_other_edits_take() {
    let mut take = Recording::new(Layout::FullWithMarkers1_1);
    for curve in &mut take.camera_mut().position {
        let key = |step: u8| FullKey::hermite(step.into(), (step % 2).into(), 1.0, -1.0);
        *curve = FloatCurve::full((0..5).map(key));
    }
    let smooth = |take: &mut Recording<'_>| edit::smooth(take, &Smoothing::default(), |_| true);
    let error = smooth(&mut take).unwrap_err();
    assert!(matches!(error, EditError::HasTangents { .. }), "{error}");
    let mut straight = resampled(&take, 60.0);
    smooth(&mut straight).unwrap();
}

#[test]
fn components_with_times_of_their_own_get_common_ones_before_0_too() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut take.camera_mut().position;
    *x = FloatCurve::linear([(-1.1, 1.0), (0.3, 2.0)]);
    *y = FloatCurve::linear([(0.0, 1.0), (0.7, 8.0)]);
    let after = resampled(&take, 2.0);
    assert_eq!(points(&after, "camera.position.x")[0], (-1.1, 1.0));
    assert_eq!(
        times(&after, "camera.position.x"),
        [-1.1, -1.0, -0.5, 0.0, 0.5, 0.7]
    );
    assert_eq!(points(&after, "camera.position.y")[4], (0.5, 6.0));
    assert_eq!(
        times(&after, "camera.position.y"),
        times(&after, "camera.position.x")
    );
    // One without keys stays so: nothing is known of it.
    assert_eq!(points(&after, "camera.position.z"), []);
}

#[test]
fn rotations_keep_to_one_side_and_have_length_1_and_what_is_none_stays() {
    let mut take = Recording::new(Layout::Mrtk1_1);
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
        take.camera_mut().push(step as f32, &pose);
    }
    let after = resampled(&take, 1.0);
    let part = |name: &str| points(&after, &format!("camera.rotation.{name}"));
    let w: Vec<f32> = part("w").into_iter().map(|(_, w)| w).collect();
    assert_eq!(w, [1.0, 0.8, 0.8, 0.0, 0.8, 1.0, 0.0, 1.0]);
    assert!(part("x")[5].1.is_nan() && part("x")[4].1 == 0.6);
}

#[test]
fn a_curve_that_starts_over_is_written_out_where_it_is_played_and_else_stays_one() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut take.camera_mut().position;
    *x = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    *y = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    x.post_wrap = WrapMode::LOOP;
    y.post_wrap = WrapMode::LOOP;
    let loops = resampled(&take, 4.0);
    assert_eq!(
        loops.camera.as_ref().unwrap().position[0].post_wrap,
        WrapMode::LOOP
    );
    assert_eq!(points(&loops, "camera.position.x").len(), 5);
    take.gaze_mut().origin[0] = FloatCurve::linear([(0.0, 0.0), (2.5, 1.0)]);
    let written_out = resampled(&take, 4.0);
    let x = &written_out.camera.as_ref().unwrap().position[0];
    assert_eq!(x.post_wrap, WrapMode::CLAMP_FOREVER);
    let values: Vec<f32> = x.keys.points().map(|(_, value)| value).collect();
    let saw = [0.0, 0.25, 0.5, 0.75];
    assert_eq!(values, [&saw[..], &saw, &saw[..3]].concat());
}

#[test]
fn a_take_at_that_rate_stays_as_it_is() {
    for name in ["two-hands", "wave"] {
        let bytes = fs::read(sample(name)).unwrap();
        let take = Recording::parse(&bytes).unwrap();
        let after = resampled(&resampled(&take, 60.0), 30.0);
        let is_of_joints = |path: &CurvePath| matches!(path, CurvePath::Joint(..));
        for (path, curve) in take.curves().filter(|(path, _)| is_of_joints(path)) {
            assert_eq!(after.curve(path), Some(curve), "{path}");
        }
        assert_eq!(resampled(&after, 30.0), after);
    }
}

#[test]
fn a_rate_far_too_high_is_refused_before_there_are_keys_and_nothing_changes() {
    let mut take = take();
    let before = take.clone();
    take.camera_mut().push(0.0, &Pose::IDENTITY);
    take.camera_mut().push(1e4, &Pose::IDENTITY);
    let with_camera = take.clone();
    let error = edit::resample(&mut take, 1e6).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at 1000000 Hz it would have more than 536870912 keys (the limit)"
    );
    assert_eq!(take, with_camera);
    let limits = Limits {
        max_bytes: 1000,
        ..Limits::default()
    };
    let error = edit::resample_with(&mut before.clone(), 60.0, &limits).unwrap_err();
    assert!(
        error.to_string().contains("more than 1000 bytes"),
        "{error}"
    );
    for rate in [0.0, -1.0, f64::NAN, 2e6] {
        let error = edit::resample(&mut take, rate).unwrap_err();
        assert!(matches!(error, EditError::Number { .. }), "{error}");
    }
    assert_eq!(take, with_camera);
}

#[test]
fn times_at_the_far_end_of_all_numbers_come_to_an_end() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut()
        .push(f32::MAX.next_down(), &Pose::IDENTITY);
    take.camera_mut().push(f32::MAX, &Pose::IDENTITY);
    let mut far = take.clone();
    assert!(edit::resample_with(&mut far, 1e6, &Limits::NONE).is_err());
    assert_eq!(resampled(&take, 1e-30), take);
    take.camera_mut().push(f32::INFINITY, &Pose::IDENTITY);
    let error = edit::resample(&mut take, 30.0).unwrap_err();
    assert!(
        matches!(error, EditError::TimeNotFinite { index: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_rotation_that_lost_its_w_is_refused() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    for step in 0..4 {
        let half = step as f32 / 4.0;
        let rotation = [half.sin(), 0.0, 0.0, half.cos()];
        take.camera_mut().push(
            half,
            &Pose {
                rotation,
                ..Pose::IDENTITY
            },
        );
    }
    let w = &mut take.camera_mut().rotation[3];
    *w = FloatCurve::linear(w.keys.point(0));
    let error = edit::resample(&mut take, 30.0).unwrap_err();
    assert!(matches!(error, EditError::LostW { .. }), "{error}");
}

fn sample(name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join(name).with_extension("bin")
}

/// The samples, and the corpus if it is there.
fn recordings() -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders = vec![sample("").parent().unwrap().to_owned()];
    match std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) {
        Some(corpus) => folders.extend(["device", "documented", "mrtk"].map(|f| corpus.join(f))),
        None => println!("without recordings of devices: INPUTANIM_CORPUS names no corpus"),
    }
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn at_its_times_a_recording_plays_what_it_played_and_nothing_new_is_found_in_it() {
    for (path, bytes) in recordings() {
        let take = Recording::parse(&bytes).unwrap();
        let codes = |take: &Recording<'_>| -> Vec<Code> {
            doctor::examine(take)
                .iter()
                .map(|finding| finding.code)
                .collect()
        };
        let known = codes(&take);
        for rate in [7.3, 30.0, 60.0, 144.0] {
            let mut after = take.clone();
            match edit::resample(&mut after, rate) {
                Err(EditError::LostW { .. }) => continue,
                done => done.unwrap(),
            }
            let new: Vec<Code> = codes(&after)
                .into_iter()
                .filter(|code| !known.contains(code))
                .collect();
            // Of made-up numbers other ones come next to each other.
            let is_made_up = path.parent().unwrap().ends_with("documented");
            assert!(
                new.is_empty() || is_made_up,
                "{path:?} at {rate} Hz: {new:?}"
            );
            plays_alike(&take, &after, rate).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(after.duration(), take.duration(), "{path:?}");
        }
    }
}

/// Whether two recordings play the same at each multiple of an interval.
fn plays_alike(
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
        prop_assert!(is_alike(&a, &b), "at {}: {:?}\nbecame {:?}", time, a, b);
    }
    Ok(())
}

fn is_alike(a: &Frame, b: &Frame) -> bool {
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
    same_pose(a.camera, b.camera) && same_hands && same_gaze
}

/// Curves of all kinds, and a palm of which only that the hand is tracked is plain.
fn any_take() -> impl Strategy<Value = Recording<'static>> {
    (plausible::recording(), vec(any::<bool>(), 1..8)).prop_map(|(mut take, tracked)| {
        let hands = take.hands_mut();
        for hand in [&mut hands.left, &mut hands.right] {
            let flips = tracked.iter().enumerate();
            hand.tracked = BooleanCurve::new(flips.map(|(step, &on)| (step as f32 * 0.77, on)));
            (hand.pinching.pre_wrap, hand.pinching.post_wrap) =
                (WrapMode::CLAMP_FOREVER, WrapMode::ONCE);
        }
        // A jump without anything before and after it is none.
        for (_, curve) in take.curves_mut() {
            if let CurveMut::Float(curve) = curve {
                let first = curve.keys.point(0).map(|(time, _)| time);
                if curve.keys.points().all(|(time, _)| Some(time) == first) {
                    *curve = FloatCurve::default();
                }
            }
        }
        take
    })
}

/// A frame of a hand: seconds since the one before, whether it is tracked, turned how far, and
/// whether the quaternion has the other sign.
type Step = (f32, bool, f32, bool);

/// As a recorder makes it: keys of all components at the same times, quaternions of length 1.
fn recorded_take() -> impl Strategy<Value = Recording<'static>> {
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
                camera: Some(pose),
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
    fn at_the_new_times_it_plays_what_it_played(
        take in prop_oneof![any_take(), recorded_take()],
        rate in 0.5_f64..200.0,
    ) {
        let after = resampled(&take, rate);
        plays_alike(&take, &after, rate)?;
        let ends = |take: &Recording<'_>| Sampler::new(take).unwrap().range();
        if let (Some(old), Some(new)) = (ends(&take), ends(&after)) {
            prop_assert!(new.start <= old.start && new.end >= old.end);
        }
    }

    #[test]
    fn twice_is_once(take in prop_oneof![any_take(), recorded_take()], rate in 0.5_f64..200.0) {
        let once = resampled(&take, rate);
        prop_assert_eq!(resampled(&once, rate), once);
    }

    /// Neither is lost, whatever the rate, and no keys come between.
    #[test]
    fn the_ends_of_what_is_tracked_stay_and_no_key_comes_into_a_gap(
        take in recorded_take(),
        rate in 0.5_f64..200.0,
    ) {
        let after = resampled(&take, rate);
        let (Some(before), Some(after)) = (take.hands, after.hands) else { return Ok(()) };
        let (before, after) = (before.left, after.left);
        let keys: Vec<(f32, f32)> = before.joints[Joint::Palm].position[0].keys.points().collect();
        let new: Vec<(f32, f32)> = after.joints[Joint::Palm].position[0].keys.points().collect();
        let is_tracked = before.tracked.evaluator()?;
        for pair in keys.windows(2) {
            let gap = Span { start: pair[0].0, end: pair[1].0 };
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
