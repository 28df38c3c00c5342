//! Smoothing: less noise, nothing across gaps, and what is not meant stays byte for byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use std::fs;
use std::path::PathBuf;

use glam::{DQuat, DVec3};
use inputanim::edit::{self, EditError, Piece, Smoothing};
use inputanim::{
    BooleanCurve, CurvePath, Flags, FullKey, Joint, Layout, Pose, Ray, Recording, Side,
};
use proptest::prelude::*;
use random::recording;

fn smoothed<'a>(take: &Recording<'a>, with: &Smoothing) -> Recording<'a> {
    let mut smoothed = take.clone();
    edit::smooth(&mut smoothed, with, |_| true).unwrap();
    smoothed
}

/// From −1 to 1.
fn dice(state: &mut u64) -> f32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// Ten seconds at 60 Hz of a head, a palm and eyes that stand still but for noise.
fn still(noise: f32, layout: Layout) -> Recording<'static> {
    let mut take = Recording::with_streams(layout, Flags::ALL);
    take.hands_mut().left.tracked.push(0.0, true);
    let mut state = 1;
    for step in 0..600 {
        let time = step as f32 / 64.0;
        let mut next = || noise * dice(&mut state);
        let pose = Pose {
            position: [0.1 + next(), 1.4 + next(), 0.5 + next()],
            rotation: [0.5 + next(), -0.5 + next(), 0.5 + next(), 0.5 + next()],
        };
        let ray = Ray {
            origin: [next(), 1.6 + next(), next()],
            direction: [0.6 + next(), next(), 0.8 + next()],
        };
        take.camera_mut().push(time, &pose);
        take.hands_mut().left.joints[Joint::Palm].push(time, &pose);
        take.gaze_mut().push(time, &ray);
    }
    take
}

/// The values of a vector key by key, from a second on.
fn values(take: &Recording<'_>, names: &[&str]) -> Vec<Vec<f64>> {
    let curves = names
        .iter()
        .map(|name| take.curve(name.parse().unwrap()).unwrap());
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

/// How far the numbers are from their mean, root mean square.
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
fn a_hand_held_still_is_three_times_as_still() {
    let take = still(0.002, Layout::Mrtk1_1);
    let after = smoothed(&take, &Smoothing::default());
    for names in [&PALM[..], &TURN, &GAZE] {
        let (before, after) = (
            spread(&values(&take, names)),
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
fn fast_motion_is_less_late_with_a_larger_beta() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    for step in 0..=120 {
        let time = step as f32 / 60.0;
        take.camera_mut().push(time, &Pose::at([time, 0.0, 0.0]));
    }
    // At 1 m/s, so metres behind are seconds late.
    let late = |beta: f64| {
        let after = smoothed(
            &take,
            &Smoothing {
                beta,
                ..Smoothing::default()
            },
        );
        let (time, x) = after.camera.unwrap().position[0].keys.point(120).unwrap();
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
fn what_stands_still_stays_to_the_last_bit() {
    let mut take = still(0.0, Layout::Documented1_1);
    // As 0 and -0, as q and -q, and not of length 1.
    for step in 0..10 {
        let sign = if step % 3 == 0 { -1.0 } else { 1.0 };
        let rotation = [0.3, 0.4, -0.5, 0.6].map(|part| part * sign);
        let position = [0.0 * sign, 1.0, 2.0];
        take.hands_mut().left.joints[Joint::IndexTip]
            .push(step as f32, &Pose { position, rotation });
    }
    assert_eq!(smoothed(&take, &Smoothing::default()), take);
}

#[test]
fn an_infinite_cutoff_changes_nothing() {
    let mut take = still(0.1, Layout::Mrtk1_0);
    take.gaze = None;
    for derivative_cutoff in [1.0, f64::INFINITY] {
        let with = Smoothing {
            min_cutoff: f64::INFINITY,
            derivative_cutoff,
            ..Smoothing::default()
        };
        assert_eq!(smoothed(&take, &with), take);
    }
    assert_ne!(smoothed(&take, &Smoothing::default()), take);
}

#[test]
fn nothing_reaches_over_a_time_in_which_the_hand_was_not_tracked() {
    let mut take = still(0.01, Layout::Mrtk1_1);
    let tracked = [(0.0, true), (2.0, false), (5.0, true)];
    take.hands_mut().left.tracked = BooleanCurve::new(tracked);
    let whole = smoothed(&take, &Smoothing::default());
    // What comes after the gap is as if nothing had been before.
    let mut later = take.clone();
    for curve in &mut later.hands_mut().left.joints[Joint::Palm].position {
        let after = curve.keys.points().filter(|(time, _)| *time >= 5.0);
        *curve = inputanim::FloatCurve::linear(after.collect::<Vec<_>>());
    }
    let later = smoothed(&later, &Smoothing::default());
    let points = |take: &Recording<'_>| -> Vec<_> {
        take.curve(PALM[0].parse().unwrap())
            .unwrap()
            .points()
            .collect()
    };
    let (raw, whole, later) = (points(&take), points(&whole), points(&later));
    let after = whole.iter().filter(|(time, _)| *time >= 5.0);
    assert!(after.eq(&later));
    assert_eq!(
        later[0],
        *raw.iter().find(|(time, _)| *time >= 5.0).unwrap()
    );
    for ((time, raw), (_, smooth)) in raw.iter().zip(&whole) {
        let is_unseen = *time > 2.0 && *time <= 5.0;
        assert_eq!(raw == smooth, is_unseen || *time == 0.0, "{time}");
    }
}

#[test]
fn what_is_no_number_and_what_jumps_starts_anew() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let heights = [1.0, 1.1, f32::NAN, 2.0, 2.1, 2.0, 5.0, 5.1];
    let times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6];
    for (time, height) in times.into_iter().zip(heights) {
        take.camera_mut().push(
            time,
            &Pose {
                position: [0.0, height, 0.0],
                rotation: [0.0; 4],
            },
        );
    }
    take.camera_mut().push(f32::NAN, &Pose::IDENTITY);
    let after = smoothed(
        &take,
        &Smoothing {
            beta: 0.0,
            ..Smoothing::default()
        },
    )
    .camera
    .unwrap();
    let before = take.camera.unwrap();
    assert_eq!(
        after.rotation, before.rotation,
        "rotations of length 0 are none"
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
fn it_does_not_matter_when_or_where_a_take_is() {
    let take = still(0.01, Layout::Mrtk1_1);
    let later = |mut take: Recording<'static>| {
        edit::shift(&mut take, 8.0).unwrap();
        take
    };
    let with = Smoothing::default();
    assert_eq!(
        smoothed(&later(take.clone()), &with),
        later(smoothed(&take, &with))
    );

    let turn = DQuat::from_axis_angle(DVec3::new(2.0, 3.0, 6.0) / 7.0, 2.1);
    let placed = |take: &Recording<'_>| {
        let mut placed = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
        placed.hands_mut().left.tracked.push(0.0, true);
        let hand = &take.hands.as_ref().unwrap().left.joints[Joint::Palm];
        let gaze = take.gaze.as_ref().unwrap();
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
        placed(&smoothed(&take, &with)),
        smoothed(&placed(&take), &with),
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
fn tangents_and_uneven_curves_are_refused_by_name_and_nothing_changes() {
    let mut take = still(0.01, Layout::Documented1_1);
    take.hands_mut().left.joints[Joint::Palm].rotation[2]
        .keys
        .push_linear(20.0, 0.0);
    let before = take.clone();
    let error = edit::smooth(&mut take, &Smoothing::default(), |_| true).unwrap_err();
    let curve: CurvePath = "left.Palm.rotation.z".parse().unwrap();
    assert_eq!(error, EditError::TimesDiffer { curve });
    assert_eq!(take, before);
    take.camera_mut().position[1]
        .keys
        .push_full(FullKey::hermite(20.0, 0.0, 1.0, 1.0));
    let error = edit::smooth(&mut take, &Smoothing::default(), |_| true).unwrap_err();
    let curve: CurvePath = "camera.position.y".parse().unwrap();
    assert_eq!(error, EditError::HasTangents { curve });
    edit::smooth(&mut take, &Smoothing::default(), |piece| {
        piece == Piece::Gaze
    })
    .unwrap();
    assert_ne!(take.gaze, before.gaze);
}

#[test]
fn only_what_is_meant_is_smoothed_and_full_keys_stay_straight() {
    let take = still(0.01, Layout::Documented1_1);
    let mut after = take.clone();
    let palm = Piece::Joint(Side::Left, Joint::Palm);
    edit::smooth(&mut after, &Smoothing::default(), |piece| piece == palm).unwrap();
    assert_eq!((&after.camera, &after.gaze), (&take.camera, &take.gaze));
    for (path, curve) in after.curves() {
        let is_meant = Piece::from(path) == palm;
        assert_eq!(take.curve(path) != Some(curve), is_meant, "{path}");
        assert_eq!(curve.kind_name(), take.curve(path).unwrap().kind_name());
    }
    assert!(
        after.losses(Layout::Mrtk1_1).is_empty(),
        "no tangents came in"
    );
}

#[test]
fn parameters_out_of_their_range_are_refused() {
    let mut take = still(0.0, Layout::Mrtk1_1);
    let good = Smoothing::default();
    for with in [
        Smoothing {
            min_cutoff: 0.0,
            ..good
        },
        Smoothing {
            min_cutoff: f64::NAN,
            ..good
        },
        Smoothing {
            derivative_cutoff: -1.0,
            ..good
        },
        Smoothing { beta: -1.0, ..good },
        Smoothing {
            rotation_beta: f64::INFINITY,
            ..good
        },
    ] {
        let error = edit::smooth(&mut take, &with, |_| true).unwrap_err();
        assert!(matches!(error, EditError::Number { .. }), "{with:?}");
    }
}

/// How far the palm is off the line between the keys before and after, by axis: half of the keys
/// are off by less. In millimetres, of noise that is as great at all three keys.
fn tremble(take: &Recording<'_>) -> f64 {
    let axes = PALM.map(|name| take.curve(name.parse().unwrap()).unwrap());
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
fn a_take_of_a_device_keeps_its_keys_and_moves_by_millimetres() {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    let bytes = fs::read(corpus.join("device/left-hand-2021.bin")).unwrap();
    let take = Recording::parse(&bytes).unwrap();
    let after = smoothed(&take, &Smoothing::default());
    let times = |take: &Recording<'_>| -> Vec<(CurvePath, Vec<f32>)> {
        let curves = take.curves();
        curves
            .map(|(path, curve)| (path, curve.points().map(|(time, _)| time).collect()))
            .collect()
    };
    assert_eq!(times(&take), times(&after));
    let difference = inputanim::diff::compare(&take, &after, &Default::default()).unwrap();
    let hand = difference.streams[1].position.statistics.unwrap();
    println!("{hand:?}");
    let tremble = [&take, &after].map(tremble);
    println!(
        "the palm trembles by {:.3} mm, smoothed by {:.3} mm",
        tremble[0], tremble[1]
    );
    assert!(tremble[1] < 0.75 * tremble[0]);
    assert!(hand.median < 0.01 && hand.largest > 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a recording holds: no panic, the same keys at the same times, and what cannot be
    /// smoothed or is not meant stays byte for byte.
    #[test]
    fn keys_keep_their_times_and_the_rest_its_bytes(
        recording in recording(),
        min_cutoff in 0.1_f64..10.0,
        beta in 0.0_f64..100.0,
        which in 0_usize..60,
    ) {
        let with = Smoothing { min_cutoff, beta, rotation_beta: beta, derivative_cutoff: 1.0 };
        let meant: Vec<Piece> = Piece::all().skip(which / 2).take(which).collect();
        let mut after = recording.clone();
        let result = edit::smooth(&mut after, &with, |piece| meant.contains(&piece));
        if result.is_err() {
            prop_assert_eq!(&after, &recording);
        }
        for ((path, before), (_, after)) in recording.curves().zip(after.curves()) {
            if !meant.contains(&Piece::from(path)) {
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
