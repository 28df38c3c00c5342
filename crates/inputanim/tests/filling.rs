//! Filling the gaps in which a hand was not tracked: what happens in them, and that nothing happens
//! outside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use std::fs;
use std::path::PathBuf;

use inputanim::doctor::{self, Code};
use inputanim::edit::{self, EditError, Filled, Filling, GapFill};
use inputanim::{
    BooleanCurve, CurvePath, FloatCurve, Frame, FullKey, HandFrame, Joint, KeyKind, Layout, Pose,
    Recording, Sampler, Side, Span,
};
use proptest::prelude::*;
use random::recording;

const WAYS: [Filling; 3] = [Filling::Interpolate, Filling::Hold, Filling::Drop];

fn filled<'a>(take: &Recording<'a>, how: &GapFill) -> (Recording<'a>, Filled) {
    let mut after = take.clone();
    let gaps = edit::fill(&mut after, how).unwrap();
    (after, gaps)
}

/// A palm that is not tracked from 1 s to 1.4 s, last sampled at 0.95 s and wandering in between.
fn take() -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let left = &mut take.hands_mut().left;
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
    take
}

fn points(take: &Recording<'_>, name: &str) -> Vec<(f32, f32)> {
    let curve = take.curve(name.parse().unwrap()).unwrap();
    curve.points().collect()
}

const X: &str = "left.Palm.position.x";

#[test]
fn a_hand_that_goes_straight_counts_as_tracked_and_its_stale_keys_go() {
    let (after, gaps) = filled(&take(), &GapFill::new(Filling::Interpolate));
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
        points(&take(), "left.pinching")
    );
    assert_eq!(gaps.filled.len(), 1);
    assert_eq!(
        gaps.filled[0].span,
        Span {
            start: 1.0,
            end: 1.4
        }
    );
    assert!(gaps.too_long.is_empty());
}

#[test]
fn a_hand_that_is_held_stands_still_until_it_is_found() {
    let before = 1.4_f32.next_down();
    let expected = [
        (0.0, 0.0),
        (0.95, 1.0),
        (before, 1.0),
        (1.4, 2.0),
        (2.0, 3.0),
    ];
    let (held, _) = filled(&take(), &GapFill::new(Filling::Hold));
    assert_eq!(points(&held, X), expected);
    assert_eq!(points(&held, "left.tracked").len(), 3);
    let (dropped, _) = filled(&take(), &GapFill::new(Filling::Drop));
    assert_eq!(points(&dropped, X), expected);
    assert_eq!(
        points(&dropped, "left.tracked"),
        points(&take(), "left.tracked")
    );
    // All of a vector gets the same keys, what stands still too.
    assert_eq!(points(&held, "left.Palm.position.y").len(), 5);
    assert_eq!(points(&held, "left.Palm.rotation.w").len(), 5);
    let frame = Sampler::new(&held).unwrap().frame_at(1.39);
    assert_eq!(frame.left.joints[Joint::Palm].unwrap().position[0], 1.0);
}

#[test]
fn only_short_gaps_of_the_hand_that_is_meant_are_filled() {
    let mut take = take();
    take.hands_mut().right = take.hands_mut().left.clone();
    let how = GapFill {
        side: Some(Side::Right),
        ..GapFill::new(Filling::Hold)
    };
    let (after, gaps) = filled(&take, &how);
    let hands = after.hands.as_ref().unwrap();
    assert_eq!(hands.left, take.hands.as_ref().unwrap().left);
    assert_ne!(hands.right, take.hands.as_ref().unwrap().right);
    assert_eq!(gaps.filled[0].side, Side::Right);
    let (after, gaps) = filled(
        &take,
        &GapFill {
            longest: 0.39,
            ..GapFill::new(Filling::Drop)
        },
    );
    assert_eq!(after, take);
    assert_eq!((gaps.filled.len(), gaps.too_long.len()), (0, 2));
    for longest in [f64::NAN, -0.1] {
        let error = edit::fill(&mut take, &GapFill { longest, ..how }).unwrap_err();
        assert!(matches!(error, EditError::Number { .. }));
    }
}

#[test]
fn before_a_hand_is_first_tracked_and_after_it_last_is_there_is_no_gap() {
    let mut take = take();
    let flips = [(0.0, false), (0.5, true), (1.5, false)];
    take.hands_mut().left.tracked = BooleanCurve::new(flips);
    for with in WAYS {
        let (after, gaps) = filled(&take, &GapFill::new(with));
        assert_eq!((after, gaps), (take.clone(), Filled::default()));
    }
}

#[test]
fn a_rotation_takes_the_short_way_and_keeps_its_signs_outside() {
    let mut take = take();
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let rotation = &mut take.hands_mut().left.joints[Joint::Palm].rotation;
    let turned = [[0.0, 0.0, 0.0, 1.0], [0.0, -quarter, 0.0, -quarter]];
    for (part, curve) in rotation.iter_mut().enumerate() {
        let [a, b] = turned.map(|numbers| numbers[part]);
        *curve = FloatCurve::linear([(0.0, a), (0.95, a), (1.4, b), (2.0, b)]);
    }
    let (after, _) = filled(&take, &GapFill::new(Filling::Interpolate));
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
fn curves_with_tangents_go_straight_in_the_gap_and_on_as_before_outside() {
    let mut take = take();
    take.layout = Layout::Documented1_1;
    let curve = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 3.0),
        FullKey::hermite(1.2, 1.0, -2.0, 5.0),
        FullKey::hermite(2.0, 2.0, 1.0, 0.0),
    ]);
    take.hands_mut().left.joints[Joint::Palm].position[0] = curve.clone();
    let before = curve.evaluator().unwrap();
    for with in WAYS {
        let (after, _) = filled(&take, &GapFill::new(with));
        let after = &after.hands.unwrap().left.joints[Joint::Palm].position[0];
        let after = after.evaluator().unwrap();
        for step in 0..=200 {
            let time = step as f32 / 100.0;
            let (lost, found) = (before.at(0.95), before.at(1.4));
            let expected = match with {
                _ if time <= 0.95 || time >= 1.4 => before.at(time),
                Filling::Interpolate => lost + (found - lost) * (time - 0.95) / 0.45,
                Filling::Hold | Filling::Drop => lost,
            };
            assert!(
                (after.at(time) - expected).abs() < 1e-5,
                "{with:?} at {time}"
            );
        }
    }
}

#[test]
fn without_samples_nearby_the_gap_itself_is_what_is_not_known() {
    let mut take = take();
    let palm = &mut take.hands_mut().left.joints[Joint::Palm];
    *palm = Default::default();
    palm.push(0.0, &Pose::at([0.0, 0.0, 0.0]));
    palm.push(2.0, &Pose::at([2.0, 0.0, 0.0]));
    let (after, _) = filled(&take, &GapFill::new(Filling::Hold));
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
    let (after, _) = filled(&take, &GapFill::new(Filling::Interpolate));
    assert_eq!(
        points(&after, X),
        points(&take, X),
        "it goes straight already"
    );
}

#[test]
fn a_joint_without_keys_before_the_gap_is_where_it_was_seen_first() {
    let mut take = take();
    let curve = FloatCurve::linear([(1.2, 5.0), (1.4, 2.0)]);
    take.hands_mut().left.joints[Joint::Palm].position[0] = curve;
    let (after, _) = filled(&take, &GapFill::new(Filling::Interpolate));
    assert_eq!(points(&after, X), [(0.95, 5.0), (1.4, 2.0)]);
}

#[test]
fn curves_of_a_vector_get_the_same_keys_even_where_one_has_ended() {
    let mut take = take();
    let flips = [
        (0.0, true),
        (1.0, false),
        (1.4, true),
        (1.6, false),
        (1.8, true),
    ];
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new(flips);
    left.joints[Joint::Palm].position[1] = FloatCurve::linear([(0.2, 4.0)]);
    left.joints[Joint::Palm].position[2] = FloatCurve::linear([(5.0, 6.0)]);
    for with in WAYS {
        let (after, _) = filled(&take, &GapFill::new(with));
        // From 1.6 s to 1.8 s the palm goes straight already.
        let ends = match with {
            Filling::Interpolate => &[0.95, 1.4][..],
            Filling::Hold | Filling::Drop => &[0.95, 1.4, 1.6, 1.8],
        };
        for (name, value) in [("left.Palm.position.y", 4.0), ("left.Palm.position.z", 6.0)] {
            let found = points(&after, name);
            let times: Vec<f32> = found.iter().map(|(time, _)| *time).collect();
            assert!(
                ends.iter().all(|end| times.contains(end)),
                "{with:?} {times:?}"
            );
            assert!(times.is_sorted() && found.iter().all(|point| point.1 == value));
        }
        let again = filled(&after, &GapFill::new(with)).0;
        assert_eq!(again, after);
    }
}

#[test]
fn a_key_without_a_finite_time_is_named_and_nothing_changes() {
    let mut take = take();
    let palm = &mut take.hands_mut().left.joints[Joint::Palm];
    palm.position[1].keys.push_linear(f32::INFINITY, 0.0);
    let before = take.clone();
    let error = edit::fill(&mut take, &GapFill::new(Filling::Hold)).unwrap_err();
    let curve: CurvePath = "left.Palm.position.y".parse().unwrap();
    assert_eq!(error, EditError::TimeNotFinite { curve, index: 6 });
    assert_eq!(take, before);
}

#[test]
fn after_dropping_the_doctor_finds_no_motion_in_the_gaps_of_a_device() {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    let bytes = fs::read(corpus.join("device/left-hand-2021.bin")).unwrap();
    let take = Recording::parse(&bytes).unwrap();
    let codes = |take: &Recording<'_>| -> Vec<Code> {
        let findings = doctor::examine(take);
        findings.iter().map(|finding| finding.code).collect()
    };
    assert!(codes(&take).contains(&Code::GapCrossed));
    let (dropped, gaps) = filled(&take, &GapFill::new(Filling::Drop));
    let spans: Vec<_> = gaps
        .filled
        .iter()
        .map(|gap| (gap.span.start, gap.span.end))
        .collect();
    assert_eq!(spans, [(1.5639877, 1.9765472), (7.430992, 8.481918)]);
    assert_eq!(codes(&dropped), []);
    assert_eq!(
        dropped.hands.unwrap().left.tracked,
        take.hands.as_ref().unwrap().left.tracked
    );

    let (closed, gaps) = filled(&take, &GapFill::new(Filling::Interpolate));
    assert_eq!((gaps.filled.len(), gaps.too_long.len()), (1, 1));
    let sampler = Sampler::new(&closed).unwrap();
    assert!(sampler.frame_at(1.7).left.tracked && !sampler.frame_at(8.0).left.tracked);
    assert!(sampler.frame_at(1.7).left.joints[Joint::IndexTip].is_some());
}

/// Whether two frames of a hand are the same; no number equals no number.
fn are_same(a: &HandFrame, b: &HandFrame, tolerance: f32) -> bool {
    let numbers = |hand: &HandFrame| -> Vec<Option<[f32; 7]>> {
        let poses = hand.joints.iter().map(|(_, pose)| pose.as_ref());
        let numbers = |pose: &Pose| {
            let ([x, y, z], [i, j, k, w]) = (pose.position, pose.rotation);
            [x, y, z, i, j, k, w]
        };
        poses.map(|pose| pose.map(numbers)).collect()
    };
    // Lines to and from what is no number go where they will.
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

fn hand_of(take: &Recording<'static>, times: &[f32], gaps: Vec<(f32, f32)>) -> Recording<'static> {
    let mut take = take.clone();
    let flips = gaps
        .iter()
        .flat_map(|&(start, length)| [(start, false), (start + length, true)]);
    let hand = take.hands_mut();
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
    take
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Whatever a recording holds: no panic; an error changes nothing; filling again changes nothing
    /// more; what is not of a hand with a gap, and all markers, stay byte for byte; and outside the
    /// gaps all plays as before.
    #[test]
    fn filling_is_done_once_and_only_in_gaps(
        recording in recording(),
        times in proptest::collection::vec(-10.0_f32..10.0, 0..12),
        gaps in proptest::collection::vec((-10.0_f32..10.0, 0.0_f32..2.0), 1..4),
        is_random in proptest::bool::ANY,
        longest in 0.0_f64..2.0,
        with in 0_usize..3,
    ) {
        let take = if is_random { recording } else { hand_of(&recording, &times, gaps) };
        let how = GapFill { longest, ..GapFill::new(WAYS[with]) };
        let mut once = take.clone();
        let gaps = match edit::fill(&mut once, &how) {
            Ok(gaps) => gaps,
            Err(_) => {
                prop_assert_eq!(once, take);
                return Ok(());
            }
        };
        let mut twice = once.clone();
        let again = edit::fill(&mut twice, &how).unwrap();
        prop_assert_eq!(&twice, &once);
        match how.with {
            Filling::Drop => prop_assert_eq!(&again, &gaps),
            _ => prop_assert!(again.filled.is_empty() && again.too_long == gaps.too_long),
        }
        for ((path, before), (_, after)) in take.curves().zip(once.curves()) {
            let may_change = match path {
                CurvePath::Joint(side, ..) => gaps.filled.iter().any(|gap| gap.side == side),
                CurvePath::Tracked(side) => {
                    how.with != Filling::Drop && gaps.filled.iter().any(|gap| gap.side == side)
                }
                _ => false,
            };
            prop_assert!(may_change || before == after, "{}", path);
        }
        prop_assert_eq!(&once.markers, &take.markers);

        // Tangents of any size are cut with any rounding: a test of its own looks at usual ones.
        if take.layout.key_kind() == KeyKind::Full {
            return Ok(());
        }
        // What lies a tenth of a second or more beside the gaps of a hand stays key by key.
        for (path, before) in take.curves() {
            let CurvePath::Joint(side, ..) = path else { continue };
            let is_outside = |(time, _): &(f32, f32)| !gaps.filled.iter().any(|gap| {
                gap.side == side && *time >= gap.span.start - 0.11 && *time <= gap.span.end + 0.11
            });
            let outside = |curve: inputanim::Curve<'_, '_>| {
                let mut points: Vec<_> = curve.points().filter(is_outside).collect();
                points.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
                points.iter().map(|(time, value)| (time.to_bits(), value.to_bits())).collect::<Vec<_>>()
            };
            prop_assert_eq!(outside(before), outside(once.curve(path).unwrap()), "{}", path);
        }
        // Raw: a rotation of next to no length would be made the greater, rounding and all.
        let samplers = [&take, &once].map(|take| {
            let sampler = Sampler::new(take).ok()?.with_clamped_ends();
            Some(sampler.with_untracked_joints().with_raw_rotations())
        });
        let [Some(before), Some(after)] = samplers else { return Ok(()) };
        // A line to a great number is rounded as that number is.
        let values = take.curves().flat_map(|(_, curve)| curve.points().collect::<Vec<_>>());
        let sizes = values.map(|(_, value)| value.abs()).filter(|size| size.is_finite());
        let tolerance = 1e-3 + 1e-5 * sizes.fold(0.0, f32::max);
        for step in -300..=300 {
            let time = step as f32 * 0.041;
            // A tenth of a second beside a gap, joints may be lost already.
            let is_filled = |side: Side, room: f32| gaps.filled.iter().any(|gap| {
                gap.side == side && time >= gap.span.start - room && time <= gap.span.end + room
            });
            let (a, b): (Frame, Frame) = (before.frame_at(time), after.frame_at(time));
            for side in Side::BOTH {
                let is_same = are_same(a.hand(side), b.hand(side), tolerance);
                prop_assert!(is_same || is_filled(side, 0.11), "{side} at {time}: {:?} {:?}", a.hand(side), b.hand(side));
                let is_on = is_filled(side, 0.0) && how.with != Filling::Drop;
                prop_assert!(b.hand(side).tracked == (a.hand(side).tracked || is_on), "{side} at {time}");
            }
        }
    }
}
