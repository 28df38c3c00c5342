//! Properties of edits, on random recordings with keys of all kinds, all wrap modes and keys out of
//! order.

use inputanim::EndAction;
use inputanim::edit::{self, Join, MirrorPlane, Transform};
use inputanim::{Curve, CurvePath, Layout, Limits, Player, Pose, Recording, Sampler, TimeRange};
use inputanim_testkit::plausible::recording;
use proptest::collection::vec;
use proptest::prelude::*;

/// Evaluates a curve.
fn value(recording: &Recording<'_>, path: CurvePath, time: f32) -> f32 {
    match recording.curve(path) {
        Some(Curve::Float(curve)) => curve.evaluator().unwrap().at(time),
        Some(Curve::Boolean(curve)) => f32::from(curve.evaluator().unwrap().at(time)),
        None => 0.0,
    }
}

/// Checks that a curve has the same value at `to(time)` in `after` as near `time` in `before`. Moved
/// times are rounded, which matters on steep segments.
fn check_same_values(
    before: &Recording<'_>,
    after: &Recording<'_>,
    path: CurvePath,
    time: f32,
    to: impl Fn(f32) -> f32,
) -> Result<(), TestCaseError> {
    const NEAR: f32 = 2e-5;
    let around = |recording: &Recording<'_>, time: f32| {
        let steps = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        let values = steps.map(|step| value(recording, path, time + step * NEAR / 3.0));
        let least = values.into_iter().fold(f32::INFINITY, f32::min);
        let most = values.into_iter().fold(f32::NEG_INFINITY, f32::max);
        (least, most, values.iter().any(|value| value.is_nan()))
    };
    let (least, most, is_nan) = around(before, time);
    let (low, high, is_nan_too) = around(after, to(time));
    // A repeating curve whose keys all have one time evaluates to NaN before it.
    if is_nan && is_nan_too {
        return Ok(());
    }
    let slack = 2e-3;
    prop_assert!(
        high >= least - slack && low <= most + slack,
        "{path} at {time}: {low} to {high}, not {least} to {most}\n{:?}\n{:?}",
        before.curve(path),
        after.curve(path)
    );
    Ok(())
}

fn times(span: TimeRange) -> impl Iterator<Item = f32> {
    (0..=60).map(move |step| span.start + span.length() * step as f32 / 60.0)
}

fn paths(recording: &Recording<'_>) -> Vec<CurvePath> {
    let with_keys = recording.curves().filter(|(_, curve)| !curve.is_empty());
    with_keys.map(|(path, _)| path).collect()
}

fn transform() -> impl Strategy<Value = Transform> {
    let quaternion = prop::array::uniform4(-1.0_f64..1.0);
    let quaternion =
        quaternion.prop_filter("length above 0", |q| q.iter().any(|part| part.abs() > 0.1));
    (
        quaternion,
        prop::array::uniform3(-3.0_f64..3.0),
        0.5_f64..2.0,
    )
        .prop_map(|(q, by, scale)| {
            Transform::from_scale(scale)
                .then(&Transform::from_rotation(q))
                .then(&Transform::from_translation(by))
        })
}

/// Returns a turning head as faulty releases of MRTK save it: only the first key of w (D1).
fn with_lost_w() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..5 {
        let (sin, cos) = (step as f32 * 0.3).sin_cos();
        let pose = Pose {
            rotation: [0.0, sin, 0.0, cos],
            ..Pose::IDENTITY
        };
        recording.head_mut().push(step as f32, &pose);
    }
    let w = &mut recording.head_mut().rotation[3];
    *w = inputanim::FloatCurve::linear(w.keys.point(0));
    recording
}

#[test]
fn a_recording_with_lost_w_cannot_be_edited() {
    let recording = with_lost_w();
    let refused = |result: Result<(), edit::EditError>| {
        assert!(
            matches!(result, Err(edit::EditError::LostW { .. })),
            "{result:?}"
        );
    };
    refused(edit::trim(
        &mut recording.clone(),
        TimeRange {
            start: 1.0,
            end: 2.0,
        },
    ));
    refused(edit::split(&recording, &[1.0]).map(drop));
    refused(edit::concat(&[recording.clone(), recording.clone()], Join::Cut).map(drop));
    refused(edit::mirror(&mut recording.clone(), &MirrorPlane::WORLD));
    let hold = edit::Fill::new(edit::FillMethod::Hold);
    refused(edit::fill_gaps(&mut recording.clone(), &hold).map(drop));
    refused(edit::transform(
        &mut recording.clone(),
        &Transform::from_yaw(1.0),
    ));
    let mut repaired = recording;
    repaired.repair();
    edit::trim(
        &mut repaired,
        TimeRange {
            start: 1.0,
            end: 2.0,
        },
    )
    .unwrap();
}

#[test]
fn numbers_that_would_become_infinite_are_refused() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([1.0, 2.0, 3.0]));
    let before = recording.clone();
    let error = edit::transform(&mut recording, &Transform::from_scale(1e39)).unwrap_err();
    assert!(matches!(error, edit::EditError::Overflow { .. }), "{error}");
    assert_eq!(recording, before);
}

/// Returns the recordings of this file, and arbitrary ones with devices, gaps and unusual times.
fn any_recording() -> impl Strategy<Value = Recording<'static>> {
    prop_oneof![recording(), inputanim_testkit::random::recording()]
}

/// Returns the parts of a split, each made from a copy of the recording.
fn trimmed_parts(
    recording: &Recording<'static>,
    cuts: &[f32],
) -> Result<Vec<Recording<'static>>, edit::EditError> {
    let end = recording.duration();
    let mut times: Vec<f32> = cuts
        .iter()
        .copied()
        .filter(|&time| time > 0.0 && time < end)
        .collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let starts = [f32::NEG_INFINITY].into_iter().chain(times.clone());
    let ends = times.clone().into_iter().chain([f32::INFINITY]);
    let parts = starts.zip(ends).map(|(start, end)| {
        let mut part = recording.clone();
        edit::trim(&mut part, TimeRange { start, end })?;
        part.markers.retain(|marker| marker.time < end);
        if start.is_finite() {
            edit::shift(&mut part, -start)?;
        }
        Ok(part)
    });
    parts.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Checks that the values at the ends of the time range are bit-identical, and the others nearly.
    #[test]
    fn a_trimmed_recording_keeps_its_values(recording in recording(), a in 0.0_f32..6.0, b in 0.0_f32..6.0) {
        let end = recording.duration();
        let span = TimeRange { start: a.min(b).min(end), end: a.max(b).min(end) };
        let mut part = recording.clone();
        edit::trim(&mut part, span)?;
        for path in paths(&recording) {
            for time in times(span) {
                check_same_values(&recording, &part, path, time, |time| time)?;
            }
            for time in [span.start, span.end] {
                let (now, then) = (value(&part, path, time), value(&recording, path, time));
                prop_assert!(now == then || now.is_nan() && then.is_nan(), "{} at {}: {} {}", path, time, now, then);
            }
        }
        for (path, curve) in recording.curves() {
            let is_inside = curve.points().all(|(time, _)| time >= span.start && time <= span.end);
            if is_inside {
                prop_assert_eq!(part.curve(path), Some(curve));
            }
        }
    }

    #[test]
    fn the_parts_of_a_split_concatenate_to_the_original(recording in recording(), cuts in vec(0.0_f32..6.0, 0..4)) {
        let parts = edit::split(&recording, &cuts)?;
        let joined = edit::concat(&parts, Join::Cut)?;
        let span = TimeRange { start: 0.0, end: recording.duration() };
        prop_assert!((joined.duration() - span.end).abs() < 1e-5);
        for path in paths(&recording) {
            for time in times(span) {
                check_same_values(&recording, &joined, path, time, |time| time)?;
            }
        }
        let names = |recording: &Recording<'_>| -> Vec<String> {
            let mut markers: Vec<_> = recording.markers.iter().filter(|m| m.time <= span.end).collect();
            markers.sort_by(|a, b| a.time.total_cmp(&b.time));
            markers.iter().map(|marker| marker.name.to_string()).collect()
        };
        prop_assert_eq!(names(&joined), names(&recording));
    }

    /// Checks that the parts are bit-identical to trimmed copies.
    #[test]
    fn the_parts_of_a_split_are_trimmed_and_shifted_copies(recording in any_recording(), cuts in vec(0.0_f32..6.0, 0..6)) {
        let trimmed = trimmed_parts(&recording, &cuts);
        prop_assert_eq!(edit::split(&recording, &cuts), trimmed);
    }

    #[test]
    fn a_shift_and_its_inverse_cancel(recording in recording(), by in -4.0_f32..4.0) {
        let mut shifted = recording.clone();
        edit::shift(&mut shifted, by)?;
        for path in paths(&recording) {
            for time in times(TimeRange { start: 0.0, end: recording.duration() }) {
                check_same_values(&recording, &shifted, path, time, |time| time + by)?;
            }
        }
        edit::shift(&mut shifted, -by)?;
        for (path, curve) in recording.curves() {
            let back = shifted.curve(path).unwrap();
            for ((a, _), (b, _)) in curve.points().zip(back.points()) {
                prop_assert!((a - b).abs() < 2e-6, "{}: {} became {}", path, a, b);
            }
        }
    }

    #[test]
    fn retiming_scales_events(recording in recording(), power in -2_i32..3) {
        // Division by a power of two is exact, so events can be compared for equality.
        let speed = f64::from(power).exp2();
        let events = |recording: &Recording<'_>, speed: f64| -> Vec<(u64, String)> {
            let mut player = Player::new(Sampler::new(recording).unwrap());
            player.set_ending(EndAction::Hold);
            player.play();
            let length = recording.duration() + 1.0;
            let events = player.advance(length);
            events.map(|event| ((event.time as f64 * speed).to_bits(), format!("{:?}", event.kind))).collect()
        };
        let mut fast = recording.clone();
        edit::retime(&mut fast, speed)?;
        let before = events(&recording, 1.0);
        let strip = |events: Vec<(u64, String)>| -> Vec<(u64, String)> {
            // Markers name their own time.
            events.into_iter().map(|(time, kind)| (time, kind.split("time").next().unwrap().to_owned())).collect()
        };
        prop_assert_eq!(strip(events(&fast, speed)), strip(before));
        for path in paths(&recording) {
            for time in times(TimeRange { start: 0.0, end: recording.duration() }) {
                check_same_values(&recording, &fast, path, time, |time| (f64::from(time) / speed) as f32)?;
            }
        }
    }

    /// Checks that mirroring at a world plane is exact.
    #[test]
    fn mirroring_twice_is_the_identity(recording in recording()) {
        let mut twice = recording.clone();
        edit::mirror(&mut twice, &MirrorPlane::WORLD)?;
        edit::mirror(&mut twice, &MirrorPlane::WORLD)?;
        prop_assert_eq!(twice, recording);
    }

    #[test]
    fn mirroring_twice_at_any_plane_keeps_the_values(recording in recording(), q in prop::array::uniform4(-1.0_f32..1.0)) {
        let pose = Pose { position: [q[0], q[1], q[2]], rotation: [q[1], 2.0, q[2], q[3]] };
        let plane = MirrorPlane::through(&pose);
        let mut twice = recording.clone();
        edit::mirror(&mut twice, &plane)?;
        edit::mirror(&mut twice, &plane)?;
        for path in paths(&recording) {
            for time in times(TimeRange { start: 0.0, end: recording.duration() }) {
                check_same_values(&recording, &twice, path, time, |time| time)?;
            }
        }
    }

    #[test]
    fn a_transform_and_its_inverse_cancel(recording in recording(), transform in transform()) {
        let mut placed = recording.clone();
        edit::transform(&mut placed, &transform)?;
        edit::transform(&mut placed, &transform.inverse())?;
        for path in paths(&recording) {
            for time in times(TimeRange { start: 0.0, end: recording.duration() }) {
                check_same_values(&recording, &placed, path, time, |time| time)?;
            }
        }
    }

    #[test]
    fn transforms_compose(recording in recording(), a in transform(), b in transform()) {
        let (mut one_by_one, mut at_once) = (recording.clone(), recording.clone());
        edit::transform(&mut one_by_one, &a)?;
        edit::transform(&mut one_by_one, &b)?;
        edit::transform(&mut at_once, &a.then(&b))?;
        for path in paths(&recording) {
            for time in times(TimeRange { start: 0.0, end: recording.duration() }) {
                // The two products may differ in the sign of the quaternion.
                let (x, y) = (value(&one_by_one, path, time), value(&at_once, path, time));
                let is_rotation = path.to_string().contains("rotation");
                if !is_rotation || (x.abs() - y.abs()).abs() > 2e-3 {
                    check_same_values(&at_once, &one_by_one, path, time, |time| time)?;
                }
            }
        }
    }
}

proptest! {
    // Fewer cases, because repeating curves are written out, which is slow.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_recording_is_edited_or_refused_unchanged(recording in inputanim_testkit::random::recording(), a in any::<f32>(), b in any::<f32>()) {
        type Edit = Box<dyn Fn(&mut Recording<'static>) -> Result<(), edit::EditError>>;
        let span = TimeRange { start: a, end: b };
        let transform = Transform::from_rotation([0.1, 0.2, 0.3, f64::from(a)]);
        let mut little = Limits::default();
        little.max_keys = 1 << 20;
        let edits: [Edit; 8] = [
            Box::new(move |recording| edit::trim(recording, span)),
            Box::new(|recording| edit::trim(recording, TimeRange { start: -1.0, end: 3.0 })),
            Box::new(move |recording| edit::shift(recording, a)),
            Box::new(move |recording| edit::retime(recording, b.into())),
            Box::new(|recording| edit::mirror(recording, &MirrorPlane::WORLD)),
            Box::new(move |recording| edit::mirror(recording, &MirrorPlane::through(&Pose::at([a, b, 1.0])))),
            Box::new(move |recording| edit::transform(recording, &transform)),
            Box::new(move |recording| edit::resample_with(recording, f64::from(b).abs(), &little)),
        ];
        for edit in edits {
            let mut edited = recording.clone();
            if edit(&mut edited).is_err() {
                prop_assert_eq!(&edited, &recording);
            }
        }
        let parts = edit::split(&recording, &[a, b]).unwrap_or_else(|_| vec![recording.clone()]);
        for join in [Join::Cut, Join::Gap(a), Join::Blend(0.5)] {
            let _ = edit::concat(&parts, join);
        }
        edit::gap_times(&recording, None);
    }
}
