//! Properties of reduction: samples stay within the bounds, first and last keys stay, and kept keys are
//! unchanged.

use inputanim::reduce::{Reduce, ReduceError, ReduceMethod, SkipReason, measure};
use inputanim::{
    BooleanCurve, Curve, FloatCurve, FullKey, Joint, Layout, Pose, Ray, Recording, Sampler, Side,
    WrapMode,
};
use proptest::prelude::*;

/// The methods with their partitions.
const METHODS: [(ReduceMethod, Option<usize>); 5] = [
    (ReduceMethod::OnePass, None),
    (ReduceMethod::Optimal, None),
    (ReduceMethod::Mrtk, None),
    (ReduceMethod::Mrtk, Some(1)),
    (ReduceMethod::Mrtk, Some(0)),
];

/// Generates a motion: steps of very different sizes, pauses, and rotations of any length and sign.
fn poses() -> impl Strategy<Value = Vec<(f32, Pose)>> {
    let step = prop_oneof![
        3 => Just(0.0_f32),
        4 => -1e-3_f32..1e-3,
        2 => -0.05_f32..0.05,
        1 => -10.0_f32..10.0,
    ];
    let sample = (1e-3_f32..0.1, prop::array::uniform7(step), any::<bool>());
    prop::collection::vec(sample, 0..80).prop_map(|samples| {
        let mut time = -0.05;
        let mut now = [0.3, 1.5, -0.2, 0.1, 0.2, -0.3, 0.9];
        let sample = |(seconds, steps, negate): (f32, [f32; 7], bool)| {
            time += seconds;
            for (now, step) in now.iter_mut().zip(steps) {
                *now += step;
            }
            let [px, py, pz, x, y, z, w] = now;
            let sign = if negate { -1.0 } else { 1.0 };
            let pose = Pose {
                position: [px, py, pz],
                rotation: [x, y, z, w].map(|part| part * sign),
            };
            (time, pose)
        };
        samples.into_iter().map(sample).collect()
    })
}

/// Generates bounds of positions in metres and of rotations in degrees.
fn bounds() -> impl Strategy<Value = [f64; 2]> {
    let metres = prop_oneof![Just(0.0), 1e-7..1e-5, 1e-4..0.1];
    let degrees = prop_oneof![Just(0.0), 1e-5..1e-3, 0.01..5.0, 5.0..200.0];
    (metres, degrees).prop_map(|(metres, degrees)| [metres, degrees])
}

fn reduction() -> impl Strategy<Value = Reduce> {
    let point = prop_oneof![Just(f64::INFINITY), Just(0.0), 1e-5..0.05];
    let method = prop::sample::select(METHODS.to_vec());
    (bounds(), bounds(), bounds(), point, method).prop_map(|(head, joints, gaze, point, method)| {
        let mut options = Reduce::default();
        [options.head_position, options.head_rotation] = head.map(Some);
        [options.position, options.rotation] = joints.map(Some);
        [options.gaze_origin, options.gaze_direction] = gaze.map(Some);
        (options.point, (options.method, options.partition)) = (Some(point), method);
        options
    })
}

fn recording(
    layout: Layout,
    head: &[(f32, Pose)],
    joint: &[(f32, Pose)],
    gaze: &[(f32, Pose)],
) -> Recording<'static> {
    let mut recording = Recording::new(layout);
    for (time, pose) in head {
        recording.head_mut().push(*time, pose);
    }
    for (time, pose) in joint {
        recording.hands_mut().left.joints[Joint::IndexTip].push(*time, pose);
    }
    for (time, pose) in gaze {
        let [x, y, z, _] = pose.rotation;
        let ray = Ray {
            origin: pose.position,
            direction: [x, y, z],
        };
        recording.gaze_mut().push(*time, &ray);
    }
    recording
}

/// Checks that no method needs fewer keys than the optimal one.
fn check_optimal(samples: &[(f32, Pose)], bounds: [f64; 2]) -> Result<(), TestCaseError> {
    let keys = |method| {
        let mut with = Reduce::default();
        [with.position, with.rotation] = bounds.map(Some);
        (with.method, with.partition) = method;
        let mut recording = recording(Layout::Mrtk1_1, samples, &[], &[]);
        recording.reduce(&with).unwrap();
        recording.head.map_or([0; 2], |head| {
            [&head.position[0], &head.rotation[0]].map(|curve| curve.keys.len())
        })
    };
    let [positions, rotations] = keys((ReduceMethod::Optimal, None));
    for method in METHODS {
        let other = keys(method);
        prop_assert!(
            positions <= other[0],
            "{method:?}: {positions} > {}",
            other[0]
        );
        prop_assert!(
            rotations <= other[1],
            "{method:?}: {rotations} > {}",
            other[1]
        );
    }
    Ok(())
}

/// Returns the bits of the time and of the absolute value of a key. Reduction may negate rotations.
fn bits((time, value): (f32, f32)) -> (u32, u32) {
    (time.to_bits(), value.abs().to_bits())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_sample_is_out_of_bounds(
        head in poses(),
        joint in poses(),
        gaze in poses(),
        with in reduction(),
        layout in prop::sample::select(vec![Layout::Mrtk1_0, Layout::Mrtk1_1]),
        tangents in any::<bool>(),
    ) {
        let mut with = with;
        with.tangents = tangents && layout == Layout::Mrtk1_0;
        let original = recording(layout, &head, &joint, &gaze);
        let mut reduced = original.clone();
        prop_assert_eq!(reduced.reduce(&with).unwrap(), []);
        let all = with.bounds();
        for errors in measure(&original, &reduced).unwrap() {
            let bounds = match errors.stream {
                inputanim::Stream::Head => all.head,
                inputanim::Stream::Gaze => all.gaze,
                _ => all.joints,
            };
            // `measure` computes angles in another way, so rounding may exceed the bound slightly.
            let within = |error: f64, bound: f64| error <= bound * (1.0 + 1e-9) + 1e-6;
            if let Some(position) = errors.position {
                prop_assert!(position.largest <= bounds.position * (1.0 + 1e-9), "{position:?}");
            }
            if let Some(rotation) = errors.rotation {
                prop_assert!(within(rotation.largest, bounds.rotation), "{rotation:?}");
            }
            if let Some(point) = errors.point {
                prop_assert!(within(point.largest, all.point), "{point:?}");
            }
        }
    }

    #[test]
    fn kept_keys_are_original_keys_with_first_and_last(
        head in poses(),
        joint in poses(),
        with in reduction(),
        layout in prop::sample::select(vec![Layout::Mrtk1_0, Layout::Mrtk1_1]),
    ) {
        let original = recording(layout, &head, &joint, &[]);
        let mut reduced = original.clone();
        reduced.reduce(&with).unwrap();
        prop_assert_eq!(reduced.duration(), original.duration());
        for ((path, before), (_, after)) in original.curves().zip(reduced.curves()) {
            let is_linear = |curve: Curve<'_, '_>| match curve {
                Curve::Float(curve) => match &curve.keys {
                    inputanim::Keys::Full(keys) => keys.iter().all(FullKey::is_linear),
                    inputanim::Keys::Simple(_) => true,
                },
                Curve::Boolean(_) => true,
            };
            prop_assert!(is_linear(after), "{path}");
            prop_assert_eq!(before.kind_name(), after.kind_name());
            let mut left = before.points();
            for key in after.points() {
                prop_assert!(left.any(|other| bits(other) == bits(key)), "{path} {key:?}");
            }
            let ends = |curve: Curve<'_, '_>| {
                let last = curve.len().checked_sub(1)?;
                Some([curve.point(0)?, curve.point(last)?].map(bits))
            };
            prop_assert_eq!(ends(before), ends(after), "{}", path);
        }
    }

    #[test]
    fn tangents_need_no_more_keys_and_stay_within_bounds_between_samples(
        samples in poses(),
        with in reduction(),
    ) {
        let original = recording(Layout::Mrtk1_0, &samples, &[], &[]);
        let reduced = |tangents| {
            let mut recording = original.clone();
            let mut with = with.clone();
            with.tangents = tangents;
            recording.reduce(&with).unwrap();
            recording
        };
        let (lines, cubics) = (reduced(false), reduced(true));
        for ((path, a), (_, b)) in lines.curves().zip(cubics.curves()) {
            prop_assert!(b.len() <= a.len(), "{path}");
        }
        let play = |recording: &Recording<'_>| Sampler::new(recording).unwrap().with_raw_rotations();
        let (original, cubics) = (play(&original), play(&cubics));
        for pair in samples.windows(2) {
            let time = pair[0].0 + (pair[1].0 - pair[0].0) * 0.5;
            let position = |sampler: &Sampler| sampler.frame_at(time).head.unwrap().position;
            let apart = position(&original).into_iter().zip(position(&cubics));
            let square: f64 = apart.map(|(a, b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
            prop_assert!(square.sqrt() <= with.bounds().head.position + 1e-5, "{time}");
        }
    }

    #[test]
    fn components_of_a_vector_keep_their_keys_at_the_same_times(
        samples in poses(),
        with in reduction(),
    ) {
        let mut recording = recording(Layout::Mrtk1_1, &samples, &[], &[]);
        recording.reduce(&with).unwrap();
        let Some(head) = recording.head else { return Ok(()) };
        let times = |curve: &FloatCurve<'_>| -> Vec<f32> {
            curve.keys.points().map(|(time, _)| time).collect()
        };
        for curves in [&head.position[..], &head.rotation[..]] {
            for curve in curves {
                prop_assert_eq!(times(curve), times(&curves[0]));
            }
        }
    }

    #[test]
    fn the_optimal_method_equals_exhaustive_search(
        samples in poses(),
        metres in 1e-4..0.05,
    ) {
        let mut with = Reduce::default();
        (with.position, with.rotation) = (Some(metres), Some(180.0));
        with.method = ReduceMethod::Optimal;
        let mut recording = recording(Layout::Mrtk1_1, &samples, &[], &[]);
        recording.reduce(&with).unwrap();
        let kept = recording.head.map_or(0, |head| head.position[0].keys.len());
        prop_assert_eq!(kept, min_keys(&samples, metres));
    }

    #[test]
    fn the_optimal_method_needs_no_more_keys_than_others(
        samples in poses(),
        bounds in bounds(),
    ) {
        check_optimal(&samples, bounds)?;
    }

    #[test]
    fn states_keep_every_flip(flips in prop::collection::vec(any::<bool>(), 0..40)) {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let keys = flips.iter().zip(0_u8..).map(|(&on, step)| (f32::from(step), on));
        recording.hands_mut().left.tracked = BooleanCurve::new(keys);
        let original = recording.clone();
        recording.reduce(&Reduce::default()).unwrap();
        prop_assert_eq!(recording.duration(), original.duration());
        let tracked = |recording: &Recording<'_>, time: f32| {
            let curve = &recording.hands.as_ref().unwrap().left.tracked;
            curve.evaluator().unwrap().at(time)
        };
        for step in 0_u8..100 {
            let time = f32::from(step) / 2.0;
            prop_assert_eq!(tracked(&recording, time), tracked(&original, time));
        }
    }
}

/// Returns the smallest number of keys with linear interpolation within a bound, by exhaustive search.
fn min_keys(samples: &[(f32, Pose)], metres: f64) -> usize {
    let is_line = |from: usize, to: usize| {
        let ((start, a), (end, b)) = (samples[from], samples[to]);
        samples[from + 1..to].iter().all(|(time, pose)| {
            let x = (time - start) / (end - start);
            let apart = (0..3).map(|axis| {
                let line = a.position[axis] + (b.position[axis] - a.position[axis]) * x;
                (f64::from(line) - f64::from(pose.position[axis])).powi(2)
            });
            apart.sum::<f64>() <= metres * metres
        })
    };
    let mut keys = vec![usize::MAX; samples.len()];
    for to in 0..samples.len() {
        keys[to] = match to {
            0 => 1,
            _ => {
                let lines = (0..to).filter(|&from| is_line(from, to));
                lines.map(|from| keys[from] + 1).min().unwrap()
            }
        };
    }
    keys.last().copied().unwrap_or(0)
}

#[test]
fn a_sign_flip_is_not_a_motion() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..60_u8 {
        let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
        let rotation = [0.0, 0.6, 0.0, 0.8].map(|part| part * sign);
        let pose = Pose {
            rotation,
            ..Pose::IDENTITY
        };
        recording.head_mut().push(f32::from(step) / 60.0, &pose);
    }
    recording.reduce(&Reduce::default()).unwrap();
    let head = recording.head.unwrap();
    assert_eq!(head.rotation[1].keys.point(1), Some((59.0 / 60.0, 0.6)));
    assert_eq!(head.rotation[1].keys.len(), 2);
}

#[test]
fn components_with_different_times_get_common_ones() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let head = recording.head_mut();
    head.position[0] = FloatCurve::linear([(0.0, 0.0), (2.0, 2.0)]);
    head.position[1] = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]);
    let original = recording.clone();
    recording.reduce(&Reduce::default()).unwrap();
    let head = recording.head.as_ref().unwrap();
    let x: Vec<_> = head.position[0].keys.points().collect();
    assert_eq!(x, [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    let errors = measure(&original, &recording).unwrap();
    assert_eq!(errors[0].position.unwrap().largest, 0.0);
}

#[test]
fn nonlinear_curves_are_skipped_and_named() {
    let mut recording = Recording::new(Layout::Mrtk1_0);
    let head = recording.head_mut();
    head.position[1] = FloatCurve::full([
        FullKey::hermite(0.0, 0.0, 0.0, 1.0),
        FullKey::hermite(1.0, 0.0, 1.0, 0.0),
    ]);
    head.rotation[0] = FloatCurve::linear([(1.0, 0.0), (0.0, 1.0)]);
    let right = &mut recording.hands_mut().hand_mut(Side::Right).joints;
    right[Joint::Wrist].position[0] = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
    right[Joint::Wrist].position[1] = FloatCurve {
        post_wrap: WrapMode::LOOP,
        ..FloatCurve::linear([(0.0, 0.0), (0.7, 1.0)])
    };
    right[Joint::Palm].position[2] = FloatCurve::linear([(0.0, f32::NAN)]);
    let original = recording.clone();
    let left = recording.reduce(&Reduce::default()).unwrap();
    let named: Vec<(String, SkipReason)> = left
        .iter()
        .map(|skipped| (skipped.curve.to_string(), skipped.reason))
        .collect();
    assert_eq!(
        named,
        [
            ("head.position.x".to_owned(), SkipReason::Tangents),
            ("head.rotation.x".to_owned(), SkipReason::Times),
            ("right.Wrist.position.x".to_owned(), SkipReason::Loops),
            ("right.Palm.position.x".to_owned(), SkipReason::Values),
        ]
    );
    assert_eq!(recording, original);
}

#[test]
fn a_sine_needs_few_keys_with_tangents_and_simple_keys_are_refused() {
    let mut recording = Recording::new(Layout::Documented1_1);
    for step in 0..=600_u16 {
        let time = f32::from(step) / 60.0;
        let pose = Pose::at([time.sin(), 1.6, 0.0]);
        recording.head_mut().push(time, &pose);
    }
    let mut with = Reduce::default();
    with.tangents = true;
    recording.reduce(&with).unwrap();
    let keys = recording.head.as_ref().unwrap().position[0].keys.len();
    assert!(
        (2..12).contains(&keys),
        "{keys} keys for one and a half periods"
    );

    recording.layout = Layout::Mrtk1_1;
    let error = recording.reduce(&with).unwrap_err();
    let layout = Layout::Mrtk1_1;
    assert_eq!(error, ReduceError::SimpleKeys { layout });
}

#[test]
fn a_negative_bound_is_refused() {
    for bad in [-1.0, f64::NAN] {
        let mut with = Reduce::default();
        with.head_rotation = Some(bad);
        let error = Recording::new(Layout::Mrtk1_1).reduce(&with).unwrap_err();
        assert!(matches!(error, ReduceError::InvalidBound { unit: "°", .. }));
    }
}

#[test]
fn a_recording_with_lost_w_is_refused() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..10_u8 {
        let (sine, cosine) = (f32::from(step) / 10.0).sin_cos();
        let rotation = [0.0, sine, 0.0, cosine];
        let pose = Pose {
            rotation,
            ..Pose::IDENTITY
        };
        recording.head_mut().push(f32::from(step), &pose);
    }
    recording.head_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0)]);
    let before = recording.clone();
    let error = recording.reduce(&Reduce::default()).unwrap_err();
    assert!(error.to_string().starts_with("head.rotation.w"), "{error}");
    assert_eq!(recording, before);
}

/// Checks a line that is within the bound only when it is evaluated in single precision. The exact line from the second
/// sample to the last misses the third by 2.3 µm. The evaluated line, in steps of 0.95 µm, misses it by 1.9 µm.
#[test]
fn the_optimal_method_is_optimal_for_bounds_near_single_precision() {
    let at = |(time, y)| {
        let position = [0.3, y, -0.2];
        let rotation = [0.0, 0.0, 0.0, 1.0];
        (time, Pose { position, rotation })
    };
    let samples = [
        (-0.049, 6.852807),
        (-0.048, 11.822956),
        (-0.046248045, 11.822956),
        (0.04414996, 11.823076),
    ];
    let bounds = [2.118710724994251e-6, 0.0];
    check_optimal(&samples.map(at), bounds).unwrap();
}
