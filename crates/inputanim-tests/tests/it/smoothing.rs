//! Properties of smoothing: less noise, no effect across gaps, and other curves stay byte for byte.

use glam::{DQuat, DVec3};
use inputanim::edit::{self, EditError, Smooth};
use inputanim::{
    BooleanCurve, CurvePath, Element, Flags, FullKey, Joint, Layout, Pose, Ray, Recording, Side,
};
use inputanim_testkit::random::recording;
use proptest::prelude::*;

fn smoothed<'a>(recording: &Recording<'a>, with: &Smooth) -> Recording<'a> {
    let mut smoothed = recording.clone();
    edit::smooth(&mut smoothed, with).unwrap();
    smoothed
}

/// Returns the next number of a sequence from −1 to 1.
fn next_random(state: &mut u64) -> f32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// Returns 600 samples of a head, a palm and a gaze that are constant except for noise.
fn still(noise: f32, layout: Layout) -> Recording<'static> {
    let mut recording = Recording::with_streams(layout, Flags::ALL);
    recording.hands_mut().left.tracked.push(0.0, true);
    let mut state = 1;
    for step in 0..600 {
        let time = step as f32 / 64.0;
        let mut next = || noise * next_random(&mut state);
        let pose = Pose {
            position: [0.1 + next(), 1.4 + next(), 0.5 + next()],
            rotation: [0.5 + next(), -0.5 + next(), 0.5 + next(), 0.5 + next()],
        };
        let ray = Ray {
            origin: [next(), 1.6 + next(), next()],
            direction: [0.6 + next(), next(), 0.8 + next()],
        };
        recording.head_mut().push(time, &pose);
        recording.hands_mut().left.joints[Joint::Palm].push(time, &pose);
        recording.gaze_mut().push(time, &ray);
    }
    recording
}

/// Returns the values of a vector at each key from 1 s on, when the filter has settled.
fn values(recording: &Recording<'_>, names: &[&str]) -> Vec<Vec<f64>> {
    let curves = names
        .iter()
        .map(|name| recording.curve(name.parse().unwrap()).unwrap());
    let curves: Vec<_> = curves.collect();
    let keys = (0..curves[0].len()).filter(|&key| curves[0].point(key).unwrap().0 >= 1.0);
    keys.map(|key| {
        curves
            .iter()
            .map(|curve| curve.point(key).unwrap().1.into())
            .collect()
    })
    .collect()
}

const PALM: [&str; 3] = [
    "left.Palm.position.x",
    "left.Palm.position.y",
    "left.Palm.position.z",
];
const TURN: [&str; 4] = [
    "left.Palm.rotation.x",
    "left.Palm.rotation.y",
    "left.Palm.rotation.z",
    "left.Palm.rotation.w",
];
const GAZE: [&str; 3] = ["gaze.direction.x", "gaze.direction.y", "gaze.direction.z"];

/// Returns the default options for some elements.
fn only(elements: &[Element]) -> Smooth {
    let mut options = Smooth::default();
    options.joints = elements.iter().map(ToString::to_string).collect();
    options
}

/// Returns the standard deviation of vectors.
fn spread(values: &[Vec<f64>]) -> f64 {
    let count = values.len() as f64;
    let of = |part: usize| {
        let mean = values.iter().map(|numbers| numbers[part]).sum::<f64>() / count;
        values
            .iter()
            .map(|numbers| (numbers[part] - mean).powi(2))
            .sum::<f64>()
            / count
    };
    (0..values[0].len()).map(of).sum::<f64>().sqrt()
}

#[test]
fn the_noise_of_a_still_hand_is_reduced_to_a_third() {
    let recording = still(0.002, Layout::Mrtk1_1);
    let after = smoothed(&recording, &Smooth::default());
    for names in [&PALM[..], &TURN, &GAZE] {
        let (before, after) = (
            spread(&values(&recording, names)),
            spread(&values(&after, names)),
        );
        println!("{}: {before:.6} to {after:.6}", names[0]);
        assert!(after < before / 3.0, "{}: {before} to {after}", names[0]);
    }
    for numbers in values(&after, &TURN)
        .into_iter()
        .chain(values(&after, &GAZE))
    {
        let length = numbers.iter().map(|part| part * part).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "{length}");
    }
}

#[test]
fn a_larger_beta_reduces_the_delay_of_fast_motion() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..=120 {
        let time = step as f32 / 60.0;
        recording.head_mut().push(time, &Pose::at([time, 0.0, 0.0]));
    }
    // At 1 m/s, the error in metres is the delay in seconds.
    let late = |beta: f64| {
        let after = smoothed(&recording, &{
            let mut options = Smooth::default();
            options.beta = beta;
            options
        });
        let (time, x) = after.head.unwrap().position[0].keys.point(120).unwrap();
        time - x
    };
    let [none, some, much] = [0.0, 10.0, 80.0].map(late);
    assert!(
        none > 0.1 && some < 0.02 && much < 0.003,
        "{none} {some} {much}"
    );
    assert!(much > 0.0);
}

#[test]
fn constant_values_stay_bit_identical() {
    let mut recording = still(0.0, Layout::Documented1_1);
    // Constant values include 0 and -0, q and -q, and a rotation whose length is not 1.
    for step in 0..10 {
        let sign = if step % 3 == 0 { -1.0 } else { 1.0 };
        let rotation = [0.3, 0.4, -0.5, 0.6].map(|part| part * sign);
        let position = [0.0 * sign, 1.0, 2.0];
        recording.hands_mut().left.joints[Joint::IndexTip]
            .push(step as f32, &Pose { position, rotation });
    }
    assert_eq!(smoothed(&recording, &Smooth::default()), recording);
}

#[test]
fn an_infinite_cutoff_changes_nothing() {
    let mut recording = still(0.1, Layout::Mrtk1_0);
    recording.gaze = None;
    for derivative_cutoff in [1.0, f64::INFINITY] {
        let with = {
            let mut options = Smooth::default();
            options.min_cutoff = f64::INFINITY;
            options.derivative_cutoff = derivative_cutoff;
            options
        };
        assert_eq!(smoothed(&recording, &with), recording);
    }
    assert_ne!(smoothed(&recording, &Smooth::default()), recording);
}

#[test]
fn smoothing_does_not_cross_gaps() {
    let mut recording = still(0.01, Layout::Mrtk1_1);
    let tracked = [(0.0, true), (2.0, false), (5.0, true)];
    recording.hands_mut().left.tracked = BooleanCurve::new(tracked);
    let all = smoothed(&recording, &Smooth::default());
    // Values after the gap must not depend on values before it.
    let mut later = recording.clone();
    for curve in &mut later.hands_mut().left.joints[Joint::Palm].position {
        let after = curve.keys.points().filter(|(time, _)| *time >= 5.0);
        *curve = inputanim::FloatCurve::linear(after.collect::<Vec<_>>());
    }
    let later = smoothed(&later, &Smooth::default());
    let points = |recording: &Recording<'_>| -> Vec<_> {
        recording
            .curve(PALM[0].parse().unwrap())
            .unwrap()
            .points()
            .collect()
    };
    let (raw, all, later) = (points(&recording), points(&all), points(&later));
    let after = all.iter().filter(|(time, _)| *time >= 5.0);
    assert!(after.eq(&later));
    assert_eq!(
        later[0],
        *raw.iter().find(|(time, _)| *time >= 5.0).unwrap()
    );
    for ((time, raw), (_, smooth)) in raw.iter().zip(&all) {
        let is_unseen = *time > 2.0 && *time <= 5.0;
        assert_eq!(raw == smooth, is_unseen || *time == 0.0, "{time}");
    }
}

#[test]
fn the_filter_restarts_after_nan_and_jumps() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let heights = [1.0, 1.1, f32::NAN, 2.0, 2.1, 2.0, 5.0, 5.1];
    let times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6];
    for (time, height) in times.into_iter().zip(heights) {
        recording.head_mut().push(
            time,
            &Pose {
                position: [0.0, height, 0.0],
                rotation: [0.0; 4],
            },
        );
    }
    recording.head_mut().push(f32::NAN, &Pose::IDENTITY);
    let after = smoothed(&recording, &{
        let mut options = Smooth::default();
        options.beta = 0.0;
        options
    })
    .head
    .unwrap();
    let before = recording.head.unwrap();
    assert_eq!(
        after.rotation, before.rotation,
        "rotations of length 0 stay"
    );
    let heights: Vec<f32> = after.position[1]
        .keys
        .points()
        .map(|(_, height)| height)
        .collect();
    for key in [0, 3, 6] {
        assert_eq!(heights[key], before.position[1].keys.point(key).unwrap().1);
    }
    assert!(
        heights[1] < 1.05 && heights[4] < 2.05 && heights[7] < 5.05,
        "{heights:?}"
    );
    assert!(heights[2].is_nan() && heights[8] == 0.0);
}

#[test]
fn smoothing_commutes_with_shifts_and_transforms() {
    let recording = still(0.01, Layout::Mrtk1_1);
    let later = |mut recording: Recording<'static>| {
        edit::shift(&mut recording, 8.0).unwrap();
        recording
    };
    let with = Smooth::default();
    assert_eq!(
        smoothed(&later(recording.clone()), &with),
        later(smoothed(&recording, &with))
    );

    let turn = DQuat::from_axis_angle(DVec3::new(2.0, 3.0, 6.0) / 7.0, 2.1);
    let placed = |recording: &Recording<'_>| {
        let mut placed = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
        placed.hands_mut().left.tracked.push(0.0, true);
        let hand = &recording.hands.as_ref().unwrap().left.joints[Joint::Palm];
        let gaze = recording.gaze.as_ref().unwrap();
        for key in 0..hand.position[0].keys.len() {
            let time = hand.position[0].keys.point(key).unwrap().0;
            let number =
                |curve: &inputanim::FloatCurve<'_>| f64::from(curve.keys.point(key).unwrap().1);
            let vector = |curves: &[inputanim::FloatCurve<'_>; 3]| {
                DVec3::from(curves.each_ref().map(number))
            };
            let turned = turn * DQuat::from_array(hand.rotation.each_ref().map(number));
            let position = turn * vector(&hand.position) + DVec3::new(1.0, -2.0, 0.5);
            placed.hands_mut().left.joints[Joint::Palm].push(
                time,
                &Pose {
                    position: position.as_vec3().into(),
                    rotation: turned.as_quat().into(),
                },
            );
            placed.gaze_mut().push(
                time,
                &Ray {
                    origin: (turn * vector(&gaze.origin)).as_vec3().into(),
                    direction: (turn * vector(&gaze.direction)).as_vec3().into(),
                },
            );
        }
        placed
    };
    let (one, other) = (
        placed(&smoothed(&recording, &with)),
        smoothed(&placed(&recording), &with),
    );
    for names in [&PALM[..], &TURN, &GAZE] {
        for (a, b) in values(&one, names).iter().zip(values(&other, names)) {
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 2e-6, "{}: {a} {b}", names[0]);
            }
        }
    }
}

#[test]
fn tangents_and_different_key_times_are_refused() {
    let mut recording = still(0.01, Layout::Documented1_1);
    recording.hands_mut().left.joints[Joint::Palm].rotation[2]
        .keys
        .push_linear(20.0, 0.0);
    let before = recording.clone();
    let error = edit::smooth(&mut recording, &Smooth::default()).unwrap_err();
    let curve: CurvePath = "left.Palm.rotation.z".parse().unwrap();
    assert_eq!(error, EditError::KeyTimesDiffer { curve });
    assert_eq!(recording, before);
    recording.head_mut().position[1]
        .keys
        .push_full(FullKey::hermite(20.0, 0.0, 1.0, 1.0));
    let error = edit::smooth(&mut recording, &Smooth::default()).unwrap_err();
    let curve: CurvePath = "head.position.y".parse().unwrap();
    assert_eq!(error, EditError::HasTangents { curve });
    edit::smooth(&mut recording, &only(&[Element::Gaze])).unwrap();
    assert_ne!(recording.gaze, before.gaze);
}

#[test]
fn only_selected_elements_are_smoothed_and_keys_stay_linear() {
    let recording = still(0.01, Layout::Documented1_1);
    let mut after = recording.clone();
    let palm = Element::Joint(Side::Left, Joint::Palm);
    edit::smooth(&mut after, &only(&[palm])).unwrap();
    assert_eq!(
        (&after.head, &after.gaze),
        (&recording.head, &recording.gaze)
    );
    for (path, curve) in after.curves() {
        let is_selected = Element::from(path) == palm;
        assert_eq!(recording.curve(path) != Some(curve), is_selected, "{path}");
        assert_eq!(
            curve.kind_name(),
            recording.curve(path).unwrap().kind_name()
        );
    }
    assert!(
        after.losses(Layout::Mrtk1_1).is_empty(),
        "the keys have tangents"
    );
}

#[test]
fn parameters_out_of_range_are_refused() {
    let mut recording = still(0.0, Layout::Mrtk1_1);
    let good = Smooth::default();
    for with in [
        {
            let mut options = good.clone();
            options.min_cutoff = 0.0;
            options
        },
        {
            let mut options = good.clone();
            options.min_cutoff = f64::NAN;
            options
        },
        {
            let mut options = good.clone();
            options.derivative_cutoff = -1.0;
            options
        },
        {
            let mut options = good.clone();
            options.beta = -1.0;
            options
        },
        {
            let mut options = good.clone();
            options.rotation_beta = f64::INFINITY;
            options
        },
    ] {
        let error = edit::smooth(&mut recording, &with).unwrap_err();
        assert!(matches!(error, EditError::InvalidNumber { .. }), "{with:?}");
    }
}

/// Returns the noise of the palm along an axis in millimetres: the median distance from the line between
/// the neighbouring keys, scaled for equal noise at all three keys.
fn noise(recording: &Recording<'_>) -> f64 {
    let axes = PALM.map(|name| recording.curve(name.parse().unwrap()).unwrap());
    let mut found = Vec::new();
    for key in 1..axes[0].len() - 1 {
        let square = |axis: &inputanim::Curve<'_, '_>| {
            let [(t0, a), (t, b), (t1, c)] = [key - 1, key, key + 1].map(|key| {
                let (time, value) = axis.point(key).unwrap();
                (f64::from(time), f64::from(value))
            });
            let share = (t - t0) / (t1 - t0);
            (b - (a + (c - a) * share)).powi(2)
        };
        let squares: f64 = axes.iter().map(square).sum();
        found.push((squares / 3.0 / 1.5).sqrt() * 1000.0);
    }
    found.sort_by(f64::total_cmp);
    found[found.len() / 2]
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn a_device_recording_keeps_its_keys_and_moves_by_millimetres() {
    let bytes = inputanim_testkit::corpus::read("device/left-hand-2021.bin");
    let recording = Recording::parse(&bytes).unwrap();
    let after = smoothed(&recording, &Smooth::default());
    let times = |recording: &Recording<'_>| -> Vec<(CurvePath, Vec<f32>)> {
        let curves = recording.curves();
        curves
            .map(|(path, curve)| (path, curve.points().map(|(time, _)| time).collect()))
            .collect()
    };
    assert_eq!(times(&recording), times(&after));
    let difference = recording.diff(&after, &Default::default()).unwrap();
    let hand = difference.streams[1].position.statistics.unwrap();
    println!("{hand:?}");
    let noise = [&recording, &after].map(noise);
    println!(
        "noise of the palm: {:.3} mm, smoothed {:.3} mm",
        noise[0], noise[1]
    );
    assert!(noise[1] < 0.75 * noise[0]);
    assert!(hand.median < 0.01 && hand.largest > 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Checks on random recordings: key times stay, and values that are not finite and curves that are not
    /// selected stay byte for byte.
    #[test]
    fn smoothing_keeps_key_times_and_other_curves(
        recording in recording(),
        min_cutoff in 0.1_f64..10.0,
        beta in 0.0_f64..100.0,
        selection in 0_usize..60,
    ) {
        let is_pose = |element: &Element| !matches!(element, Element::Tracked(_) | Element::Pinching(_));
        let poses = Element::all().filter(is_pose);
        let selected: Vec<Element> = poses.skip(selection / 2).take(selection + 1).collect();
        let mut with = only(&selected);
        (with.min_cutoff, with.beta, with.rotation_beta) = (min_cutoff, beta, beta);
        let mut after = recording.clone();
        let result = edit::smooth(&mut after, &with);
        if result.is_err() {
            prop_assert_eq!(&after, &recording);
        }
        for ((path, before), (_, after)) in recording.curves().zip(after.curves()) {
            if !selected.contains(&Element::from(path)) {
                prop_assert_eq!(before, after, "{}", path);
                continue;
            }
            prop_assert_eq!(before.len(), after.len());
            for ((t0, v0), (t1, v1)) in before.points().zip(after.points()) {
                prop_assert_eq!(t0.to_bits(), t1.to_bits());
                if !v0.is_finite() || !t0.is_finite() {
                    prop_assert_eq!(v0.to_bits(), v1.to_bits());
                }
                prop_assert!(v1.is_finite() || !v0.is_finite(), "{} {} {}", path, v0, v1);
            }
        }
        prop_assert_eq!(&after.markers, &recording.markers);
    }
}
