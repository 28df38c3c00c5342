//! Aligned keys: the components of a vector get the same key times, and keep their values.

use inputanim::edit::{self, EditError};
use inputanim::{
    BooleanCurve, Curve, FloatCurve, FullKey, Layout, Recording, Sampler, TimeRange, WeightedMode,
    WrapMode,
};
use proptest::prelude::*;

const ALL: TimeRange = TimeRange {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

fn aligned(recording: &Recording<'_>, span: TimeRange) -> Recording<'static> {
    let mut aligned = recording.clone().into_owned();
    edit::align_keys(&mut aligned, span).unwrap();
    aligned
}

fn times(curve: &FloatCurve<'_>) -> Vec<f32> {
    curve.keys.points().map(|(time, _)| time).collect()
}

/// Returns `true` if keys are in order, curves hold their ends, and the components of each vector have
/// the same key times.
fn is_aligned(recording: &Recording<'_>) -> bool {
    let shares = |curves: &[FloatCurve<'_>]| {
        let mut all = curves.iter().map(times).filter(|times| !times.is_empty());
        let first = all.next().unwrap_or_default();
        all.all(|times| times == first)
    };
    let poses = recording
        .head
        .iter()
        .chain(recording.hands.iter().flat_map(|hands| {
            let both = [&hands.left.joints, &hands.right.joints];
            both.into_iter()
                .flat_map(|joints| joints.iter().map(|(_, pose)| pose))
        }));
    let mut vectors = poses.flat_map(|pose| [&pose.position[..], &pose.rotation[..]]);
    let gaze = recording.gaze.iter();
    let mut rays = gaze.flat_map(|ray| [&ray.origin[..], &ray.direction[..]]);
    let holds = |mode: WrapMode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
    vectors.all(shares)
        && rays.all(shares)
        && recording.curves().all(|(_, curve)| {
            let times: Vec<f32> = curve.points().map(|(time, _)| time).collect();
            let (pre, post) = curve.wrap();
            let is_held = curve.len() < 2 || holds(pre) && holds(post);
            is_held && times.is_sorted_by(|a, b| a < b)
        })
}

#[test]
fn a_component_gets_keys_where_another_has_them_and_keeps_its_shape() {
    let mut recording = Recording::new(Layout::Documented1_1);
    let [x, y, z] = &mut recording.head_mut().position;
    let both = WeightedMode::BOTH;
    *x = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 3.0),
        FullKey::weighted(2.0, 1.0, [-1.0, 2.0], [0.7, 0.2], both),
        FullKey::weighted(3.0, 5.0, [1.0, 1.0], [0.9, 0.2], both),
    ]);
    *y = FloatCurve::linear([(0.5, 1.0), (1.5, 2.0), (2.5, 0.0), (4.0, 1.0)]);
    *z = FloatCurve::default();
    let after = aligned(&recording, ALL);
    assert!(is_aligned(&after));
    let [x, y, z] = &after.head.as_ref().unwrap().position;
    assert_eq!(times(x), [0.0, 0.5, 1.5, 2.0, 2.5, 3.0, 4.0]);
    assert_eq!(times(y), times(x));
    assert!(z.keys.is_empty());
    let before = recording.head.unwrap().position;
    for (before, after) in before.iter().zip([x, y, z]) {
        let (before, after) = (before.evaluator().unwrap(), after.evaluator().unwrap());
        for step in -10..450 {
            let time = step as f32 / 100.0;
            assert!((before.at(time) - after.at(time)).abs() < 1e-5, "{time}");
        }
    }
}

#[test]
fn a_jump_is_placed_between_neighbouring_times() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(1.0, 0.0), (1.0, 1.0), (2.0, 2.0), (2.0, 7.0), (2.0, 3.0)]);
    *y = FloatCurve::linear([(1.0, 5.0), (2.0, 5.0), (2.0, 5.0)]);
    let after = aligned(&recording, ALL);
    let [x, y, _] = &after.head.as_ref().unwrap().position;
    let expected = [
        (1.0, 0.0),
        (1.0_f32.next_up(), 1.0),
        (2.0_f32.next_down(), 2.0),
        (2.0, 3.0),
    ];
    assert_eq!(x.keys.points().collect::<Vec<_>>(), expected);
    assert_eq!(times(y), times(x));
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let flips = [(0.0, true), (1.0, false), (1.0, true), (1.0, true)];
    recording.hands_mut().left.tracked = BooleanCurve::new(flips);
    let after = aligned(&recording, ALL).hands.unwrap().left.tracked;
    assert_eq!(after.keys.len(), 3);
    assert!(after.evaluator().unwrap().at(1.0));
}

#[test]
fn the_last_value_of_adjacent_jumps_is_kept() {
    let next = 1.0_f32.next_up();
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, ..] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(1.0, 0.0), (1.0, 1.0), (next, 2.0), (next, 3.0), (2.0, 3.0)]);
    let after = aligned(&recording, ALL);
    let [x, ..] = &after.head.as_ref().unwrap().position;
    let expected = [(1.0, 0.0), (next, 3.0), (2.0, 3.0)];
    assert_eq!(x.keys.points().collect::<Vec<_>>(), expected);
}

#[test]
fn equal_keys_at_one_time_are_merged_with_the_outer_tangents() {
    let mut recording = Recording::new(Layout::Documented1_1);
    let [x, ..] = &mut recording.head_mut().position;
    *x = FloatCurve::full([
        FullKey::hermite(0.0, 1.0, 0.0, 1.0),
        FullKey::hermite(1.0, 2.0, 3.0, 7.0),
        FullKey::hermite(1.0, 2.0, -7.0, 5.0),
        FullKey::hermite(2.0, 4.0, 1.0, 0.0),
    ]);
    let after = aligned(&recording, ALL);
    let expected = FloatCurve::full([
        FullKey::hermite(0.0, 1.0, 0.0, 1.0),
        FullKey::hermite(1.0, 2.0, 3.0, 5.0),
        FullKey::hermite(2.0, 4.0, 1.0, 0.0),
    ]);
    assert_eq!(after.head.unwrap().position[0].keys, expected.keys);
}

#[test]
fn zero_and_negative_zero_are_the_same_time() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(-0.0, 1.0), (1.0, 2.0)]);
    *y = FloatCurve::linear([(0.0, 3.0), (0.5, 3.0), (1.0, 4.0)]);
    let after = aligned(&recording, ALL);
    let [x, y, _] = &after.head.as_ref().unwrap().position;
    assert_eq!(times(x), [0.0, 0.5, 1.0]);
    let bits = |curve| {
        times(curve)
            .into_iter()
            .map(f32::to_bits)
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(x), bits(y));
}

#[test]
fn repetitions_are_written_out_to_the_end_of_the_recording() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(-1.0, 0.0), (4.0, 0.0)]);
    *y = FloatCurve::linear([(1.0, 0.0), (2.0, 1.0)]);
    (y.pre_wrap, y.post_wrap) = (WrapMode::PING_PONG, WrapMode::PING_PONG);
    let after = aligned(&recording, ALL);
    let [x, y, _] = &after.head.as_ref().unwrap().position;
    let expected = [
        (-1.0, 0.0),
        (0.0, 1.0),
        (1.0, 0.0),
        (2.0, 1.0),
        (3.0, 0.0),
        (4.0, 1.0),
    ];
    assert_eq!(y.keys.points().collect::<Vec<_>>(), expected);
    assert_eq!(times(x), times(y));
}

#[test]
fn a_recording_that_cannot_be_aligned_is_refused_unchanged() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().position[0] = FloatCurve::linear([(0.0, 1.0), (f32::INFINITY, 1.0)]);
    let before = recording.clone();
    let error = edit::align_keys(&mut recording, ALL).unwrap_err();
    assert!(matches!(error, EditError::TimeNotFinite { .. }), "{error}");
    let backwards = TimeRange {
        start: 1.0,
        end: 0.0,
    };
    assert!(edit::align_keys(&mut recording, backwards).is_err());
    assert_eq!(recording, before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn aligning_keeps_the_values(recording in inputanim_testkit::plausible::recording(), start in 0_u8..50, length in 1_u8..90) {
        let span = TimeRange {
            start: f32::from(start) / 10.0 - 0.01,
            end: (f32::from(start) + f32::from(length)) / 10.0,
        };
        let after = aligned(&recording, span);
        prop_assert!(is_aligned(&after));
        prop_assert_eq!(&aligned(&after, ALL), &after, "not idempotent");
        let end = span.end.min(recording.duration());
        for (path, curve) in recording.curves() {
            let again = after.curve(path).unwrap();
            prop_assert_eq!(curve.is_empty(), again.is_empty());
            let (Curve::Float(before), Curve::Float(after)) = (curve, again) else {
                continue;
            };
            let keys = times(before);
            let (before, after) = (before.evaluator().unwrap(), after.evaluator().unwrap());
            let last = keys.iter().copied().fold(0.0, f32::max);
            for step in 0..600 {
                // The offset avoids jumps. The last key of a repeating curve, where it starts over, is
                // skipped.
                let time = step as f32 / 100.0 + 0.0037;
                if time < span.start || time > end || time > last && last > 0.0 && !is_held(curve) {
                    continue;
                }
                let (a, b) = (before.at(time), after.at(time));
                prop_assert!((a - b).abs() <= 2e-3 * (1.0 + a.abs()), "{path} at {time}: {a}, {b}");
            }
        }
        prop_assert!(Sampler::new(&after).is_ok());
    }
}

fn is_held(curve: Curve<'_, '_>) -> bool {
    let (_, post) = curve.wrap();
    [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&post)
}
