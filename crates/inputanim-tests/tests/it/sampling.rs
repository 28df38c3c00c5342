//! Properties of the sampler on random recordings: all key forms, weights and wrap modes, curves with
//! common key times and with their own.

use inputanim::{
    Curve, CurveMut, CurvePath, Element, Flags, FloatCurve, Frame, FullKey, Joint, Keys, Layout,
    RayChannel, Recording, Sampler, Side, SimpleKey, WeightedMode, WrapMode,
};
use inputanim::{FrameColumns, SamplerCursor};
use inputanim_testkit::frames::unit_gaze;
use proptest::collection::vec;
use proptest::prelude::*;

/// Neighbouring curves with the same key times and wrap modes.
#[derive(Clone, Debug)]
struct Group {
    first: usize,
    count: usize,
    times: Vec<f32>,
    modes: [i32; 2],
    form: Form,
    seed: u32,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Simple,
    Linear,
    Plain,
    Weighted,
}

fn group() -> impl Strategy<Value = Group> {
    let times = vec(prop_oneof![-3.0_f32..8.0, Just(0.0), Just(1.0)], 0..9);
    let is_sorted = prop::bool::weighted(0.9);
    let times = (times, is_sorted).prop_map(|(mut times, is_sorted)| {
        if is_sorted {
            times.sort_by(f32::total_cmp);
        }
        times
    });
    let mode = || prop_oneof![3 => Just(8), 1 => 0..9_i32, 1 => Just(2), 1 => Just(4)];
    let form = prop_oneof![
        Just(Form::Simple),
        Just(Form::Linear),
        Just(Form::Plain),
        Just(Form::Weighted)
    ];
    let count = prop_oneof![Just(1_usize), Just(3), Just(4), Just(7), 1..200_usize];
    (
        0..395_usize,
        count,
        times,
        [mode(), mode()],
        form,
        any::<u32>(),
    )
        .prop_map(|(first, count, times, modes, form, seed)| Group {
            first,
            count,
            times,
            modes,
            form,
            seed,
        })
}

/// A sequence of numbers from −1 to 1 for a seed.
struct RandomNumbers(u32);

impl RandomNumbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    fn tangent(&mut self) -> f32 {
        match self.next() {
            chance if chance > 0.8 => f32::INFINITY,
            chance if chance < -0.9 => f32::NEG_INFINITY,
            _ => self.next() * 5.0,
        }
    }

    fn key(&mut self, time: f32, form: Form) -> FullKey {
        let value = self.next();
        let tangents = [self.tangent(), self.tangent()];
        let weights = [self.next() + 1.0, self.next() + 1.0];
        match form {
            Form::Simple | Form::Linear => FullKey::linear(time, value),
            Form::Plain => FullKey::hermite(time, value, tangents[0], tangents[1]),
            Form::Weighted => {
                let mode = WeightedMode((self.next() * 2.0 + 2.0) as i32);
                FullKey::weighted(time, value, tangents, weights, mode)
            }
        }
    }
}

fn recording() -> impl Strategy<Value = Recording<'static>> {
    let base = any::<bool>();
    (base, vec(group(), 0..12)).prop_map(|(has_base, groups)| {
        let mut recording = Recording::with_streams(Layout::Documented1_1, Flags::ALL);
        let everything = Group {
            first: 0,
            count: 395,
            times: vec![0.0, 0.5, 2.0, 2.5],
            modes: [8, 8],
            form: Form::Simple,
            seed: 7,
        };
        for group in has_base.then_some(everything).into_iter().chain(groups) {
            apply(&mut recording, &group);
        }
        recording
    })
}

fn apply(recording: &mut Recording<'static>, group: &Group) {
    let mut random = RandomNumbers(group.seed);
    let [pre, post] = group.modes.map(WrapMode);
    for (_, curve) in recording.curves_mut().skip(group.first).take(group.count) {
        let keys = group.times.iter().map(|&time| random.key(time, group.form));
        match curve {
            CurveMut::Float(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (pre, post);
                curve.keys = match group.form {
                    Form::Simple => Keys::Simple(keys.map(|key| key.to_simple()).collect()),
                    _ => Keys::Full(keys.collect()),
                };
            }
            CurveMut::Boolean(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (pre, post);
                curve.keys = keys
                    .map(|key| inputanim::BooleanKey::new(key.time(), key.value() > 0.0))
                    .collect();
            }
        }
    }
}

/// Returns times at, beside, between and outside the keys, and special numbers.
fn times(recording: &Recording<'_>) -> Vec<f32> {
    let mut times = vec![
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -100.0,
        0.0,
        1e30,
    ];
    let keys = recording.curves().flat_map(|(_, curve)| {
        let times: Vec<f32> = curve.points().map(|(time, _)| time).take(4).collect();
        times
    });
    for time in keys.step_by(7).take(60) {
        times.extend([
            time,
            time.next_down(),
            time.next_up(),
            time + 0.3,
            time * 3.0,
        ]);
    }
    times
}

/// Returns the value that a frame has for a curve, or `None` if the frame lacks the element.
fn value(frame: &Frame, path: CurvePath) -> Option<f32> {
    let channel_of = |position: [f32; 3], rotation: &[f32], channel: usize| match channel {
        0..3 => position[channel],
        channel => rotation[channel - 3],
    };
    match path {
        CurvePath::Head(channel) => {
            let pose = frame.head?;
            Some(channel_of(pose.position, &pose.rotation, channel as usize))
        }
        CurvePath::Joint(side, joint, channel) => {
            let pose = frame.hand(side).joints[joint]?;
            Some(channel_of(pose.position, &pose.rotation, channel as usize))
        }
        CurvePath::Gaze(channel) => {
            let ray = frame.gaze?;
            Some(channel_of(ray.origin, &ray.direction, channel as usize))
        }
        CurvePath::Tracked(side) => Some(f32::from(frame.hand(side).tracked)),
        CurvePath::Pinching(side) => Some(f32::from(frame.hand(side).pinching)),
        CurvePath::DevicePose(device, pose, channel) => {
            let pose = frame.device(device)?.pose(pose)?;
            Some(channel_of(pose.position, &pose.rotation, channel as usize))
        }
        CurvePath::Input(device, input) => {
            let input = frame.device(device)?.input(input);
            input.map(inputanim::InputValue::number)
        }
    }
}

fn evaluated(curve: Curve<'_, '_>, time: f32) -> f32 {
    match curve {
        Curve::Float(curve) => curve.evaluator().unwrap().at(time),
        Curve::Boolean(curve) => f32::from(curve.evaluator().unwrap().at(time)),
    }
}

/// Returns `true` if two numbers are bit-identical or both NaN.
fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn are_same(a: &Frame, b: &Frame, recording: &Recording<'_>) -> bool {
    recording
        .curves()
        .all(|(path, _)| match (value(a, path), value(b, path)) {
            (Some(a), Some(b)) => is_same(a, b),
            (a, b) => a.is_none() && b.is_none(),
        })
}

fn is_recorded(recording: &Recording<'_>, path: CurvePath) -> bool {
    match path {
        CurvePath::Head(_) => recording.head.as_ref().is_some_and(|pose| !pose.is_empty()),
        CurvePath::Gaze(_) => recording.gaze.as_ref().is_some_and(|ray| !ray.is_empty()),
        CurvePath::Joint(side, joint, _) => {
            let hands = recording.hands.as_ref().unwrap();
            !hands.hand(side).joints[joint].is_empty()
        }
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => true,
        CurvePath::DevicePose(..) | CurvePath::Input(..) => {
            recording.curve(path).is_some_and(|curve| !curve.is_empty())
        }
    }
}

/// Checks that the raw values of the sampler equal the values of the curves.
fn check_equals_curves(recording: &Recording<'_>, clamped: bool) -> Result<(), TestCaseError> {
    let sampler = Sampler::new(recording).unwrap();
    let mut sampler = sampler.with_raw_rotations().with_untracked_joints();
    let mut held = recording.clone();
    if clamped {
        sampler = sampler.with_clamped_ends();
        for (_, curve) in held.curves_mut() {
            let (pre, post) = match curve {
                CurveMut::Float(curve) => (&mut curve.pre_wrap, &mut curve.post_wrap),
                CurveMut::Boolean(curve) => (&mut curve.pre_wrap, &mut curve.post_wrap),
            };
            (*pre, *post) = (WrapMode::ONCE, WrapMode::ONCE);
        }
    }
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    for time in times(recording) {
        sampler.read(time, &mut cursor, &mut frame);
        let gaze = RayChannel::ALL.map(CurvePath::Gaze);
        let gaze = gaze.map(|path| held.curve(path).map_or(0.0, |curve| evaluated(curve, time)));
        let gaze = unit_gaze(gaze);
        for (path, curve) in held.curves() {
            let expected = match path {
                CurvePath::Gaze(channel) => gaze[channel as usize],
                _ => evaluated(curve, time),
            };
            let expected = Some(expected).filter(|_| is_recorded(recording, path));
            let found = value(&frame, path);
            let same = match (expected, found) {
                (Some(a), Some(b)) => is_same(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            prop_assert!(same, "{path} at {time}: {found:?}, not {expected:?}");
        }
    }
    Ok(())
}

fn columns_row(columns: &FrameColumns, index: usize, path: CurvePath) -> Option<f32> {
    match path {
        CurvePath::Tracked(side) => Some(f32::from(columns.hand(side).tracked[index])),
        CurvePath::Pinching(side) => Some(f32::from(columns.hand(side).pinching[index])),
        path => {
            if let CurvePath::Joint(side, ..) = path
                && !columns.hand(side).valid[index]
            {
                return None;
            }
            let found = columns.floats().find(|(name, _)| *name == path);
            found.map(|(_, column)| column[index])
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_sampler_equals_the_curves(recording in recording()) {
        check_equals_curves(&recording, false)?;
    }

    #[test]
    fn clamped_ends_equal_curves_that_hold_their_ends(recording in recording()) {
        check_equals_curves(&recording, true)?;
    }

    #[test]
    fn any_recording_is_sampled_or_refused_with_the_curve(recording in inputanim_testkit::random::recording()) {
        match Sampler::new(&recording) {
            Ok(_) => check_equals_curves(&recording, false)?,
            Err(error) => {
                let (time, _) = recording.curve(error.curve).unwrap().point(error.source.index).unwrap();
                prop_assert!(time.is_nan());
            }
        }
    }

    /// Checks that a sampler of some poses has their values, no other poses, and the range of the recording.
    #[test]
    fn a_sampler_of_some_poses_has_their_values(recording in recording(), modulus in 1..9_usize) {
        let all = Sampler::new(&recording).unwrap();
        let elements: Vec<Element> = Element::all().step_by(modulus).collect();
        let keep = |path: CurvePath| elements.contains(&Element::from(path));
        let some = Sampler::of_curves(&recording, keep).unwrap();
        prop_assert_eq!(some.range(), all.range());
        prop_assert_eq!(some.duration().to_bits(), all.duration().to_bits());
        for time in times(&recording) {
            let (expected, found) = (all.frame_at(time), some.frame_at(time));
            for (path, _) in recording.curves() {
                let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
                let expected = value(&expected, path).filter(|_| is_state || keep(path));
                let same = match (expected, value(&found, path)) {
                    (Some(a), Some(b)) => is_same(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                prop_assert!(same, "{path} at {time}");
            }
        }
    }

    #[test]
    fn any_order_of_times_gives_the_same_frames(recording in recording(), other in recording()) {
        let sampler = Sampler::new(&recording).unwrap();
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        Sampler::new(&other).unwrap().read(1.0, &mut cursor, &mut frame);
        let mut times = times(&recording);
        times.extend(times.clone().iter().rev());
        for time in times {
            sampler.read(time, &mut cursor, &mut frame);
            prop_assert!(are_same(&frame, &sampler.frame_at(time), &recording), "{time}");
        }
    }

    /// Checks that frames differ from raw values only in two points: they hide joints of untracked hands,
    /// and normalise rotations.
    #[test]
    fn frames_are_gated_and_normalised(recording in recording()) {
        let sampler = Sampler::new(&recording).unwrap();
        let raw = sampler.clone().with_raw_rotations().with_untracked_joints();
        for time in times(&recording) {
            let (frame, raw) = (sampler.frame_at(time), raw.frame_at(time));
            prop_assert_eq!(frame.gaze.is_some(), raw.gaze.is_some());
            let mut poses = vec![(frame.head, raw.head)];
            for side in Side::BOTH {
                let (hand, raw) = (frame.hand(side), raw.hand(side));
                prop_assert_eq!(hand.tracked, raw.tracked);
                for joint in Joint::ALL {
                    let shown = raw.joints[joint].filter(|_| hand.tracked);
                    poses.push((hand.joints[joint], shown));
                }
            }
            for (pose, raw) in poses {
                let (Some(pose), Some(raw)) = (pose, raw) else {
                    prop_assert_eq!(pose.is_some(), raw.is_some());
                    continue;
                };
                let length = |q: [f32; 4]| q.map(f64::from).iter().map(|x| x * x).sum::<f64>().sqrt();
                let (turn, raw) = (pose.rotation, raw.rotation);
                let raw_length = length(raw);
                if !raw_length.is_finite() {
                    continue;
                }
                prop_assert!((length(turn) - 1.0).abs() < 1e-6, "{turn:?}");
                if raw_length > 0.0 {
                    for (turn, raw) in turn.into_iter().zip(raw) {
                        prop_assert!((f64::from(turn) - f64::from(raw) / raw_length).abs() < 1e-6);
                    }
                } else {
                    prop_assert_eq!(turn, [0.0, 0.0, 0.0, 1.0]);
                }
            }
        }
    }

    #[test]
    fn columns_equal_frames(recording in recording(), rate in prop_oneof![Just(3.0), Just(500.0)]) {
        let sampler = Sampler::new(&recording).unwrap();
        let range = inputanim::TimeRange { start: -1.0, end: 5.0 };
        let mut times: Vec<f32> = range.times_at(rate).collect();
        times.push(f32::NAN);
        let columns = sampler.columns(times.clone());
        prop_assert_eq!(columns.times.len(), times.len());
        for (path, column) in columns.floats() {
            prop_assert_eq!(column.len(), times.len(), "{}", path);
        }
        for (index, frame) in sampler.frames(times).enumerate().step_by(37) {
            for (path, _) in recording.curves() {
                let (found, expected) = (columns_row(&columns, index, path), value(&frame, path));
                let same = match (found, expected) {
                    (Some(a), Some(b)) => is_same(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                prop_assert!(same, "{} in row {}: {:?}, not {:?}", path, index, found, expected);
            }
        }
    }

    #[test]
    fn columns_of_some_curves_equal_those_of_a_sampler(
        mut recording in prop_oneof![recording(), inputanim_testkit::random::recording()],
        gaps in vec((0..57_usize, -2.0_f32..6.0, 0.0_f32..3.0), 0..4),
        kept in vec(0..395_usize, 1..9),
        count in prop_oneof![Just(7_usize), Just(1500)],
    ) {
        for (element, start, length) in gaps {
            let elements = Element::all().collect::<Vec<_>>();
            let gap = inputanim::TimeRange { start, end: start + length };
            recording.known.add_gap(elements[element % elements.len()], gap);
        }
        let paths: Vec<CurvePath> = recording.curves().map(|(path, _)| path).collect();
        let kept = kept.iter().filter_map(|&index| paths.get(index).copied());
        let kept: Vec<CurvePath> = kept.collect();
        let keep = |path: CurvePath| kept.contains(&path);
        let mut times: Vec<f32> = (0..count).map(|step| step as f32 * 9.0 / count as f32 - 2.0).collect();
        times.extend(self::times(&recording));
        let columns = FrameColumns::of_curves(&recording, keep, times.clone());
        let sampler = match (Sampler::of_curves(&recording, keep), &columns) {
            (Ok(sampler), Ok(_)) => sampler,
            (sampler, columns) => {
                prop_assert_eq!(sampler.err(), columns.as_ref().err().copied());
                return Ok(());
            }
        };
        let columns = columns.unwrap();
        let expected = sampler.columns(times.clone());
        prop_assert_eq!(&columns.left.valid, &expected.left.valid);
        prop_assert_eq!(&columns.right.valid, &expected.right.valid);
        prop_assert_eq!(&columns.left.tracked, &expected.left.tracked);
        prop_assert_eq!(&columns.right.pinching, &expected.right.pinching);
        let evaluated: Vec<CurvePath> = columns.floats().map(|(path, _)| path).collect();
        for (path, column) in expected.floats() {
            let found = columns.floats().find(|(other, _)| *other == path);
            prop_assert!(found.is_some() || !keep(path), "{path} is not evaluated");
            let Some((_, found)) = found else { continue };
            for (row, (&found, &expected)) in found.iter().zip(column).enumerate() {
                prop_assert!(is_same(found, expected), "{path} in row {row}: {found}, not {expected}");
            }
        }
        // A vector is complete, and nothing else is evaluated.
        for path in evaluated {
            let parts = paths.iter().filter(|other| Element::from(**other) == Element::from(path));
            prop_assert!(parts.into_iter().any(|other| keep(*other)), "{path} is evaluated");
        }
        for (row, frame) in sampler.frames(times).enumerate().step_by(37) {
            for (path, column) in columns.floats() {
                let is_known = columns.is_known(Element::from(path), row);
                let found = Some(column[row]).filter(|_| is_known && match path {
                    CurvePath::Joint(side, ..) => columns.hand(side).valid[row],
                    _ => true,
                });
                let expected = value(&frame, path);
                let same = match (found, expected) {
                    (Some(a), Some(b)) => is_same(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                prop_assert!(same, "{path} in row {row}: {found:?}, not {expected:?}");
            }
        }
    }

    #[test]
    fn key_times_are_those_of_all_curves(recording in recording()) {
        let sampler = Sampler::new(&recording).unwrap();
        let times = sampler.key_times();
        prop_assert!(times.is_sorted_by(|a, b| a < b));
        let mut all: Vec<f32> = recording
            .curves()
            .flat_map(|(_, curve)| curve.points().map(|(time, _)| time).collect::<Vec<_>>())
            .collect();
        all.sort_by(f32::total_cmp);
        all.dedup();
        prop_assert_eq!(times, all);
        prop_assert_eq!(sampler.duration(), recording.duration());
    }
}

#[test]
fn an_unrecorded_joint_is_none_and_a_missing_rotation_is_identity() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked.push(0.0, true);
    let palm = &mut left.joints[Joint::Palm];
    palm.position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, 2.0)]);
    let sampler = Sampler::new(&recording).unwrap();
    let frame = sampler.frame_at(0.5);
    assert_eq!(frame.left.joints[Joint::Wrist], None);
    let palm = frame.left.joints[Joint::Palm].unwrap();
    assert_eq!(palm.position, [0.0, 1.5, 0.0]);
    assert_eq!(palm.rotation, [0.0, 0.0, 0.0, 1.0]);
    let raw = sampler.with_raw_rotations().frame_at(0.5);
    assert_eq!(raw.left.joints[Joint::Palm].unwrap().rotation, [0.0; 4]);
    assert_eq!(frame.head, None);
    assert_eq!(frame.gaze, None);
}

#[test]
fn values_of_an_earlier_time_do_not_remain() {
    // Only x of the rotation has keys, and its value passes through 0.
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().rotation[0] = FloatCurve::linear([(0.0, 0.0), (1.0, 0.5)]);
    let sampler = Sampler::new(&recording).unwrap();
    let turns: Vec<_> = sampler
        .frames([0.0, 1.0, 0.0])
        .map(|frame| frame.head.unwrap().rotation)
        .collect();
    assert_eq!(
        turns,
        [
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0]
        ]
    );
}

#[test]
fn an_untracked_hand_has_no_joints_by_default() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let right = &mut recording.hands_mut().right;
    right.tracked = inputanim::BooleanCurve::new([(0.0, true), (1.0, false), (2.0, true)]);
    for (time, x) in [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)] {
        right.joints[Joint::Palm].push(time, &inputanim::Pose::at([x, 0.0, 0.0]));
    }
    let sampler = Sampler::new(&recording).unwrap();
    assert_eq!(sampler.frame_at(1.5).right.joints[Joint::Palm], None);
    let columns = sampler.columns(vec![0.5, 1.5]);
    assert_eq!(columns.right.valid, [true, false]);
    let x = &columns.right.joints[Joint::Palm].as_ref().unwrap().position[0];
    assert!(x[0] == 0.5 && x[1].is_nan());
    let shown = sampler.with_untracked_joints().frame_at(1.5);
    assert_eq!(shown.right.joints[Joint::Palm].unwrap().position[0], 1.5);
}

#[test]
fn a_simple_key_equals_the_full_key_of_mrtk() {
    let points = [(0.0, 0.1), (0.3, 0.7), (1.1, -0.4)];
    let mut simple = Recording::new(Layout::Mrtk1_1);
    simple.head_mut().position[0].keys =
        Keys::Simple(points.map(|(t, v)| SimpleKey::new(t, v)).to_vec().into());
    let mut full = Recording::new(Layout::Mrtk1_0);
    full.head_mut().position[0].keys =
        Keys::Full(points.map(|(t, v)| FullKey::linear(t, v)).to_vec().into());
    let (simple, full) = (Sampler::new(&simple).unwrap(), Sampler::new(&full).unwrap());
    for step in -50..=150 {
        let time = step as f32 / 100.0;
        assert_eq!(simple.frame_at(time).head, full.frame_at(time).head);
    }
}
