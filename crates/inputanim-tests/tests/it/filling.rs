//! Filling gaps in which a hand is not tracked: changes in the gaps, and no changes outside.

use inputanim::doctor::{self, Code};
use inputanim::edit::{self, EditError, Fill, FillMethod, FillReport};
use inputanim::{
    BooleanCurve, CurvePath, FloatCurve, Frame, FullKey, HandFrame, Joint, KeyKind, Layout, Pose,
    Recording, Sampler, Side, TimeRange,
};
use inputanim_testkit::random::{in_order, recording};
use proptest::prelude::*;

const METHODS: [FillMethod; 3] = [FillMethod::Interpolate, FillMethod::Hold, FillMethod::Drop];

fn with_max_length(method: FillMethod, max_length: f32) -> Fill {
    let mut options = Fill::new(method);
    options.max_length = Some(max_length);
    options
}

fn filled<'a>(recording: &Recording<'a>, options: &Fill) -> (Recording<'a>, FillReport) {
    let mut after = recording.clone();
    let gaps = edit::fill_gaps(&mut after, options).unwrap();
    (after, gaps)
}

/// Returns a palm that is not tracked from 1 s to 1.4 s. It was last sampled at 0.95 s, and has stale keys
/// in the gap.
fn palm_with_gap() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (1.4, true), (2.0, false)]);
    left.pinching = BooleanCurve::new([(0.0, false), (1.1, true), (1.2, false)]);
    for (time, x) in [
        (0.0, 0.0),
        (0.95, 1.0),
        (1.1, 7.0),
        (1.3, 8.0),
        (1.4, 2.0),
        (2.0, 3.0),
    ] {
        left.joints[Joint::Palm].push(time, &Pose::at([x, 0.5, 0.0]));
    }
    recording
}

fn points(recording: &Recording<'_>, name: &str) -> Vec<(f32, f32)> {
    let curve = recording.curve(name.parse().unwrap()).unwrap();
    curve.points().collect()
}

const X: &str = "left.Palm.position.x";

#[test]
fn interpolate_marks_the_gap_as_tracked_and_removes_stale_keys() {
    let (after, gaps) = filled(&palm_with_gap(), &Fill::new(FillMethod::Interpolate));
    assert_eq!(
        points(&after, X),
        [(0.0, 0.0), (0.95, 1.0), (1.4, 2.0), (2.0, 3.0)]
    );
    assert_eq!(
        points(&after, "left.tracked"),
        [(0.0, 1.0), (1.4, 1.0), (2.0, 0.0)]
    );
    assert_eq!(
        points(&after, "left.pinching"),
        points(&palm_with_gap(), "left.pinching")
    );
    assert_eq!(gaps.filled.len(), 1);
    assert_eq!(
        gaps.filled[0].range,
        TimeRange {
            start: 1.0,
            end: 1.4
        }
    );
    assert!(gaps.too_long.is_empty());
}

#[test]
fn hold_keeps_the_pose_until_the_hand_is_tracked() {
    let before = 1.4_f32.next_down();
    let expected = [
        (0.0, 0.0),
        (0.95, 1.0),
        (before, 1.0),
        (1.4, 2.0),
        (2.0, 3.0),
    ];
    let (held, _) = filled(&palm_with_gap(), &Fill::new(FillMethod::Hold));
    assert_eq!(points(&held, X), expected);
    assert_eq!(points(&held, "left.tracked").len(), 3);
    let (dropped, _) = filled(&palm_with_gap(), &Fill::new(FillMethod::Drop));
    assert_eq!(points(&dropped, X), expected);
    assert_eq!(
        points(&dropped, "left.tracked"),
        points(&palm_with_gap(), "left.tracked")
    );
    // The constant components of a vector get the same keys.
    assert_eq!(points(&held, "left.Palm.position.y").len(), 5);
    assert_eq!(points(&held, "left.Palm.rotation.w").len(), 5);
    let frame = Sampler::new(&held).unwrap().frame_at(1.39);
    assert_eq!(frame.left.joints[Joint::Palm].unwrap().position[0], 1.0);
}

#[test]
fn only_short_gaps_of_the_selected_hand_are_filled() {
    let mut recording = palm_with_gap();
    recording.hands_mut().right = recording.hands_mut().left.clone();
    let mut how = Fill::new(FillMethod::Hold);
    how.hand = Some(Side::Right);
    let (after, gaps) = filled(&recording, &how);
    let hands = after.hands.as_ref().unwrap();
    assert_eq!(hands.left, recording.hands.as_ref().unwrap().left);
    assert_ne!(hands.right, recording.hands.as_ref().unwrap().right);
    assert_eq!(gaps.filled[0].side, Side::Right);
    let (after, gaps) = filled(&recording, &with_max_length(FillMethod::Drop, 0.39));
    assert_eq!(after, recording);
    assert_eq!((gaps.filled.len(), gaps.too_long.len()), (0, 2));
    for max_length in [f32::NAN, -0.1] {
        how.max_length = Some(max_length);
        let error = edit::fill_gaps(&mut recording, &how).unwrap_err();
        assert!(matches!(error, EditError::InvalidNumber { .. }));
    }
}

#[test]
fn times_before_and_after_tracking_are_not_gaps() {
    let mut recording = palm_with_gap();
    let flips = [(0.0, false), (0.5, true), (1.5, false)];
    recording.hands_mut().left.tracked = BooleanCurve::new(flips);
    for method in METHODS {
        let (after, gaps) = filled(&recording, &Fill::new(method));
        assert_eq!((after, gaps), (recording.clone(), FillReport::default()));
    }
}

#[test]
fn a_rotation_takes_the_shorter_arc_and_keeps_its_signs_outside() {
    let mut recording = palm_with_gap();
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let rotation = &mut recording.hands_mut().left.joints[Joint::Palm].rotation;
    let turned = [[0.0, 0.0, 0.0, 1.0], [0.0, -quarter, 0.0, -quarter]];
    for (part, curve) in rotation.iter_mut().enumerate() {
        let [a, b] = turned.map(|numbers| numbers[part]);
        *curve = FloatCurve::linear([(0.0, a), (0.95, a), (1.4, b), (2.0, b)]);
    }
    let (after, _) = filled(&recording, &Fill::new(FillMethod::Interpolate));
    let sampler = Sampler::new(&after).unwrap();
    let rotation = |time| {
        sampler.frame_at(time).left.joints[Joint::Palm]
            .unwrap()
            .rotation
    };
    let eighth = (std::f32::consts::PI / 8.0).sin_cos();
    for (part, expected) in rotation(1.175)
        .into_iter()
        .zip([0.0, eighth.0, 0.0, eighth.1])
    {
        assert!((part - expected).abs() < 1e-6, "{:?}", rotation(1.175));
    }
    assert_eq!(rotation(0.95), turned[0]);
    assert_eq!(rotation(1.4), turned[1]);
    assert_eq!(
        points(&after, "left.Palm.rotation.w").last(),
        Some(&(2.0, -quarter))
    );
}

#[test]
fn curves_with_tangents_are_linear_in_the_gap_only() {
    let mut recording = palm_with_gap();
    recording.layout = Layout::Documented1_1;
    let curve = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 3.0),
        FullKey::hermite(1.2, 1.0, -2.0, 5.0),
        FullKey::hermite(2.0, 2.0, 1.0, 0.0),
    ]);
    recording.hands_mut().left.joints[Joint::Palm].position[0] = curve.clone();
    let before = curve.evaluator().unwrap();
    for method in METHODS {
        let (after, _) = filled(&recording, &Fill::new(method));
        let after = &after.hands.unwrap().left.joints[Joint::Palm].position[0];
        let after = after.evaluator().unwrap();
        for step in 0..=200 {
            let time = step as f32 / 100.0;
            let (lost, found) = (before.at(0.95), before.at(1.4));
            let expected = match method {
                _ if time <= 0.95 || time >= 1.4 => before.at(time),
                FillMethod::Interpolate => lost + (found - lost) * (time - 0.95) / 0.45,
                _ => lost,
            };
            assert!(
                (after.at(time) - expected).abs() < 1e-5,
                "{method:?} at {time}"
            );
        }
    }
}

#[test]
fn without_samples_nearby_only_the_gap_is_filled() {
    let mut recording = palm_with_gap();
    let palm = &mut recording.hands_mut().left.joints[Joint::Palm];
    *palm = Default::default();
    palm.push(0.0, &Pose::at([0.0, 0.0, 0.0]));
    palm.push(2.0, &Pose::at([2.0, 0.0, 0.0]));
    let (after, _) = filled(&recording, &Fill::new(FillMethod::Hold));
    let before = 1.4_f32.next_down();
    assert_eq!(
        points(&after, X),
        [
            (0.0, 0.0),
            (1.0, 1.0),
            (before, 1.0),
            (1.4, 1.4),
            (2.0, 2.0)
        ]
    );
    let (after, _) = filled(&recording, &Fill::new(FillMethod::Interpolate));
    assert_eq!(
        points(&after, X),
        points(&recording, X),
        "it is linear already"
    );
}

#[test]
fn a_joint_without_keys_before_the_gap_uses_its_first_key() {
    let mut recording = palm_with_gap();
    let curve = FloatCurve::linear([(1.2, 5.0), (1.4, 2.0)]);
    recording.hands_mut().left.joints[Joint::Palm].position[0] = curve;
    let (after, _) = filled(&recording, &Fill::new(FillMethod::Interpolate));
    assert_eq!(points(&after, X), [(0.95, 5.0), (1.4, 2.0)]);
}

#[test]
fn all_components_of_a_vector_get_the_same_keys() {
    let mut recording = palm_with_gap();
    let flips = [
        (0.0, true),
        (1.0, false),
        (1.4, true),
        (1.6, false),
        (1.8, true),
    ];
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new(flips);
    left.joints[Joint::Palm].position[1] = FloatCurve::linear([(0.2, 4.0)]);
    left.joints[Joint::Palm].position[2] = FloatCurve::linear([(5.0, 6.0)]);
    for method in METHODS {
        let (after, _) = filled(&recording, &Fill::new(method));
        // From 1.6 s to 1.8 s the palm is linear already.
        let ends = match method {
            FillMethod::Interpolate => &[0.95, 1.4][..],
            _ => &[0.95, 1.4, 1.6, 1.8],
        };
        for (name, value) in [("left.Palm.position.y", 4.0), ("left.Palm.position.z", 6.0)] {
            let found = points(&after, name);
            let times: Vec<f32> = found.iter().map(|(time, _)| *time).collect();
            assert!(
                ends.iter().all(|end| times.contains(end)),
                "{method:?} {times:?}"
            );
            assert!(times.is_sorted() && found.iter().all(|point| point.1 == value));
        }
        let again = filled(&after, &Fill::new(method)).0;
        assert_eq!(again, after);
    }
}

#[test]
fn a_key_without_a_finite_time_is_named_and_nothing_changes() {
    let mut recording = palm_with_gap();
    let palm = &mut recording.hands_mut().left.joints[Joint::Palm];
    palm.position[1].keys.push_linear(f32::INFINITY, 0.0);
    let before = recording.clone();
    let error = edit::fill_gaps(&mut recording, &Fill::new(FillMethod::Hold)).unwrap_err();
    let curve: CurvePath = "left.Palm.position.y".parse().unwrap();
    assert_eq!(error, EditError::TimeNotFinite { curve, index: 6 });
    assert_eq!(recording, before);
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn a_device_recording_has_no_motion_in_dropped_gaps() {
    let bytes = inputanim_testkit::corpus::read("device/left-hand-2021.bin");
    let recording = Recording::parse(&bytes).unwrap();
    let codes = |recording: &Recording<'_>| -> Vec<Code> {
        let findings = doctor::findings(recording);
        findings.iter().map(|finding| finding.code).collect()
    };
    assert!(codes(&recording).contains(&Code::GapInterpolated));
    let (dropped, gaps) = filled(&recording, &Fill::new(FillMethod::Drop));
    let spans: Vec<_> = gaps
        .filled
        .iter()
        .map(|gap| (gap.range.start, gap.range.end))
        .collect();
    assert_eq!(spans, [(1.5639877, 1.9765472), (7.430992, 8.481918)]);
    assert_eq!(codes(&dropped), []);
    assert_eq!(
        dropped.hands.unwrap().left.tracked,
        recording.hands.as_ref().unwrap().left.tracked
    );

    let (closed, gaps) = filled(&recording, &Fill::new(FillMethod::Interpolate));
    assert_eq!((gaps.filled.len(), gaps.too_long.len()), (1, 1));
    let sampler = Sampler::new(&closed).unwrap();
    assert!(sampler.frame_at(1.7).left.tracked && !sampler.frame_at(8.0).left.tracked);
    assert!(sampler.frame_at(1.7).left.joints[Joint::IndexTip].is_some());
}

/// Returns `true` if two frames of a hand are equal within a tolerance. NaN and numbers of at least 1e6 count as equal
/// to every number.
fn are_same(a: &HandFrame, b: &HandFrame, tolerance: f32) -> bool {
    let numbers = |hand: &HandFrame| -> Vec<Option<[f32; 7]>> {
        let poses = hand.joints.iter().map(|(_, pose)| pose.as_ref());
        let numbers = |pose: &Pose| {
            let ([x, y, z], [i, j, k, w]) = (pose.position, pose.rotation);
            [x, y, z, i, j, k, w]
        };
        poses.map(|pose| pose.map(numbers)).collect()
    };
    // Interpolation from or to NaN or huge numbers has no reference.
    let is_near = |a: f32, b: f32| {
        !(a.abs() < 1e6 && b.abs() < 1e6) || (a - b).abs() <= tolerance * (1.0 + a.abs())
    };
    (a.tracked, a.pinching) == (b.tracked, b.pinching)
        && numbers(a)
            .iter()
            .zip(numbers(b))
            .all(|(a, b)| match (a, b) {
                (Some(a), Some(b)) => a.iter().zip(b).all(|(&a, b)| is_near(a, b)),
                (a, b) => a.is_none() && b.is_none(),
            })
}

fn hand_of(
    recording: &Recording<'static>,
    times: &[f32],
    gaps: Vec<(f32, f32)>,
) -> Recording<'static> {
    let mut recording = recording.clone();
    let flips = gaps
        .iter()
        .flat_map(|&(start, length)| [(start, false), (start + length, true)]);
    let hand = recording.hands_mut();
    hand.left.tracked = BooleanCurve::new(std::iter::once((-20.0, true)).chain(flips));
    hand.left
        .tracked
        .keys
        .to_mut()
        .sort_by(|a, b| a.time().total_cmp(&b.time()));
    for (index, &time) in times.iter().enumerate() {
        let pose = Pose {
            position: [time.sin(), index as f32, 1.0],
            rotation: [time.cos(), 0.1, 0.2, 0.3],
        };
        hand.left.joints[Joint::Palm].push(time, &pose);
    }
    recording
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Checks on random recordings: an error changes nothing, filling is idempotent, curves without
    /// gaps and markers stay byte for byte, and values outside the gaps stay the same.
    #[test]
    fn filling_is_idempotent_and_changes_only_gaps(
        recording in recording(),
        times in proptest::collection::vec(-10.0_f32..10.0, 0..12),
        gaps in proptest::collection::vec((-10.0_f32..10.0, 0.0_f32..2.0), 1..4),
        is_random in proptest::bool::ANY,
        max_length in 0.0_f32..2.0,
        method in 0_usize..3,
    ) {
        // Filling sorts the keys of a curve, which changes the time range of a recording that is not in order.
        let recording = in_order(if is_random { recording } else { hand_of(&recording, &times, gaps) });
        let how = with_max_length(METHODS[method], max_length);
        let mut once = recording.clone();
        let gaps = match edit::fill_gaps(&mut once, &how) {
            Ok(gaps) => gaps,
            Err(_) => {
                prop_assert_eq!(once, recording);
                return Ok(());
            }
        };
        let mut twice = once.clone();
        let again = edit::fill_gaps(&mut twice, &how).unwrap();
        prop_assert_eq!(&twice, &once);
        match how.method {
            FillMethod::Drop => prop_assert_eq!(&again, &gaps),
            _ => prop_assert!(again.filled.is_empty() && again.too_long == gaps.too_long),
        }
        for ((path, before), (_, after)) in recording.curves().zip(once.curves()) {
            let may_change = match path {
                CurvePath::Joint(side, ..) => gaps.filled.iter().any(|gap| gap.side == side),
                CurvePath::Tracked(side) => {
                    how.method != FillMethod::Drop && gaps.filled.iter().any(|gap| gap.side == side)
                }
                _ => false,
            };
            prop_assert!(may_change || before == after, "{}", path);
        }
        prop_assert_eq!(&once.markers, &recording.markers);

        // Random tangents can be huge, and so can the rounding of a cut. Another test checks usual ones.
        if recording.layout.key_kind() == KeyKind::Full {
            return Ok(());
        }
        // A tenth of a second or more outside the gaps, all keys stay.
        for (path, before) in recording.curves() {
            let CurvePath::Joint(side, ..) = path else { continue };
            let is_outside = |(time, _): &(f32, f32)| !gaps.filled.iter().any(|gap| {
                gap.side == side && *time >= gap.range.start - 0.11 && *time <= gap.range.end + 0.11
            });
            let outside = |curve: inputanim::Curve<'_, '_>| {
                let mut points: Vec<_> = curve.points().filter(is_outside).collect();
                points.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
                points.iter().map(|(time, value)| (time.to_bits(), value.to_bits())).collect::<Vec<_>>()
            };
            prop_assert_eq!(outside(before), outside(once.curve(path).unwrap()), "{}", path);
        }
        // Raw rotations, because normalising a rotation of almost no length enlarges its rounding.
        let samplers = [&recording, &once].map(|recording| {
            let sampler = Sampler::new(recording).ok()?.with_clamped_ends();
            Some(sampler.with_untracked_joints().with_raw_rotations())
        });
        let [Some(before), Some(after)] = samplers else { return Ok(()) };
        // The rounding of interpolated values grows with the values of the keys.
        let values = recording.curves().flat_map(|(_, curve)| curve.points().collect::<Vec<_>>());
        let sizes = values.map(|(_, value)| value.abs()).filter(|size| size.is_finite());
        let tolerance = 1e-3 + 1e-5 * sizes.fold(0.0, f32::max);
        for step in -300..=300 {
            let time = step as f32 * 0.041;
            // Within a tenth of a second of a gap, joints may already have no samples.
            let is_filled = |side: Side, margin: f32| gaps.filled.iter().any(|gap| {
                gap.side == side && time >= gap.range.start - margin && time <= gap.range.end + margin
            });
            let (a, b): (Frame, Frame) = (before.frame_at(time), after.frame_at(time));
            for side in Side::BOTH {
                let is_same = are_same(a.hand(side), b.hand(side), tolerance);
                prop_assert!(is_same || is_filled(side, 0.11), "{side} at {time}: {:?} {:?}", a.hand(side), b.hand(side));
                let is_on = is_filled(side, 0.0) && how.method != FillMethod::Drop;
                prop_assert!(b.hand(side).tracked == (a.hand(side).tracked || is_on), "{side} at {time}");
            }
        }
    }
}
