//! Edits: what they keep, and how they go together. On random recordings with keys of all kinds,
//! all wrap modes and keys out of order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "random/plausible.rs"]
mod plausible;
mod random;

use inputanim::edit::{self, Join, Placement, Plane};
use inputanim::player::Ending;
use inputanim::{Curve, CurvePath, Layout, Limits, Player, Pose, Recording, Sampler, Span};
use plausible::recording;
use proptest::collection::vec;
use proptest::prelude::*;

/// What a curve plays at a time.
fn value(take: &Recording<'_>, path: CurvePath, time: f32) -> f32 {
    match take.curve(path) {
        Some(Curve::Float(curve)) => curve.evaluator().unwrap().at(time),
        Some(Curve::Boolean(curve)) => f32::from(curve.evaluator().unwrap().at(time)),
        None => 0.0,
    }
}

/// Whether a curve of `after` plays at `time + offset` what that of `before` plays at about
/// `time`: times that are moved are rounded, and steep segments show it.
fn plays_alike(
    before: &Recording<'_>,
    after: &Recording<'_>,
    path: CurvePath,
    time: f32,
    to: impl Fn(f32) -> f32,
) -> Result<(), TestCaseError> {
    const ABOUT: f32 = 2e-5;
    let around = |take: &Recording<'_>, time: f32| {
        let steps = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        let values = steps.map(|step| value(take, path, time + step * ABOUT / 3.0));
        let least = values.into_iter().fold(f32::INFINITY, f32::min);
        let most = values.into_iter().fold(f32::NEG_INFINITY, f32::max);
        (least, most, values.iter().any(|value| value.is_nan()))
    };
    let (least, most, is_nan) = around(before, time);
    let (low, high, is_nan_too) = around(after, to(time));
    // Keys that are all at one time play nothing at all before it, where they would start over.
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

fn times(span: Span) -> impl Iterator<Item = f32> {
    (0..=60).map(move |step| span.start + span.length() * step as f32 / 60.0)
}

fn paths(take: &Recording<'_>) -> Vec<CurvePath> {
    let with_keys = take.curves().filter(|(_, curve)| !curve.is_empty());
    with_keys.map(|(path, _)| path).collect()
}

fn placement() -> impl Strategy<Value = Placement> {
    let quaternion = prop::array::uniform4(-1.0_f64..1.0);
    let quaternion =
        quaternion.prop_filter("some length", |q| q.iter().any(|part| part.abs() > 0.1));
    (
        quaternion,
        prop::array::uniform3(-3.0_f64..3.0),
        0.5_f64..2.0,
    )
        .prop_map(|(q, by, scale)| {
            Placement::scaled(scale)
                .then(&Placement::turned(q))
                .then(&Placement::moved(by))
        })
}

/// A head that turns, saved as the toolkit's faulty releases do: w keeps its first key alone.
fn without_w() -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    for step in 0..5 {
        let (sin, cos) = (step as f32 * 0.3).sin_cos();
        let pose = Pose {
            rotation: [0.0, sin, 0.0, cos],
            ..Pose::IDENTITY
        };
        take.camera_mut().push(step as f32, &pose);
    }
    let w = &mut take.camera_mut().rotation[3];
    *w = inputanim::FloatCurve::linear(w.keys.point(0));
    take
}

#[test]
fn what_lost_its_w_must_be_repaired_before_it_is_changed() {
    let take = without_w();
    let refused = |result: Result<(), edit::EditError>| {
        assert!(
            matches!(result, Err(edit::EditError::LostW { .. })),
            "{result:?}"
        );
    };
    refused(edit::trim(
        &mut take.clone(),
        Span {
            start: 1.0,
            end: 2.0,
        },
    ));
    refused(edit::split(&take, &[1.0]).map(drop));
    refused(edit::concat(&[take.clone(), take.clone()], Join::Cut).map(drop));
    refused(edit::mirror(&mut take.clone(), &Plane::WORLD));
    let hold = edit::GapFill::new(edit::Filling::Hold);
    refused(edit::fill(&mut take.clone(), &hold).map(drop));
    refused(edit::place(&mut take.clone(), &Placement::headed(1.0)));
    let mut repaired = take;
    inputanim::repair::repair(&mut repaired);
    edit::trim(
        &mut repaired,
        Span {
            start: 1.0,
            end: 2.0,
        },
    )
    .unwrap();
}

#[test]
fn numbers_that_would_become_infinite_are_refused() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(0.0, &Pose::at([1.0, 2.0, 3.0]));
    let before = take.clone();
    let error = edit::place(&mut take, &Placement::scaled(1e39)).unwrap_err();
    assert!(matches!(error, edit::EditError::TooGreat { .. }), "{error}");
    assert_eq!(take, before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// A part plays what the whole played then, and at its ends the very same numbers.
    #[test]
    fn a_part_plays_what_the_whole_did(take in recording(), a in 0.0_f32..6.0, b in 0.0_f32..6.0) {
        let end = take.duration();
        let span = Span { start: a.min(b).min(end), end: a.max(b).min(end) };
        let mut part = take.clone();
        edit::trim(&mut part, span)?;
        for path in paths(&take) {
            for time in times(span) {
                plays_alike(&take, &part, path, time, |time| time)?;
            }
            for time in [span.start, span.end] {
                let (now, then) = (value(&part, path, time), value(&take, path, time));
                prop_assert!(now == then || now.is_nan() && then.is_nan(), "{} at {}: {} {}", path, time, now, then);
            }
        }
        for (path, curve) in take.curves() {
            let is_inside = curve.points().all(|(time, _)| time >= span.start && time <= span.end);
            if is_inside {
                prop_assert_eq!(part.curve(path), Some(curve));
            }
        }
    }

    /// Parts put together play what the whole played.
    #[test]
    fn the_parts_of_a_split_are_the_whole(take in recording(), cuts in vec(0.0_f32..6.0, 0..4)) {
        let parts = edit::split(&take, &cuts)?;
        let whole = edit::concat(&parts, Join::Cut)?;
        let span = Span { start: 0.0, end: take.duration() };
        prop_assert!((whole.duration() - span.end).abs() < 1e-5);
        for path in paths(&take) {
            for time in times(span) {
                plays_alike(&take, &whole, path, time, |time| time)?;
            }
        }
        let names = |take: &Recording<'_>| -> Vec<String> {
            let mut markers: Vec<_> = take.markers.iter().filter(|m| m.time <= span.end).collect();
            markers.sort_by(|a, b| a.time.total_cmp(&b.time));
            markers.iter().map(|marker| marker.name.to_string()).collect()
        };
        prop_assert_eq!(names(&whole), names(&take));
    }

    /// Moved in time and back, a recording plays the same.
    #[test]
    fn a_shift_and_back_is_nothing(take in recording(), by in -4.0_f64..4.0) {
        let mut shifted = take.clone();
        edit::shift(&mut shifted, by)?;
        for path in paths(&take) {
            for time in times(Span { start: 0.0, end: take.duration() }) {
                plays_alike(&take, &shifted, path, time, |time| (f64::from(time) + by) as f32)?;
            }
        }
        edit::shift(&mut shifted, -by)?;
        for (path, curve) in take.curves() {
            let back = shifted.curve(path).unwrap();
            for ((a, _), (b, _)) in curve.points().zip(back.points()) {
                prop_assert!((a - b).abs() < 2e-6, "{}: {} became {}", path, a, b);
            }
        }
    }

    /// Twice as fast, everything happens in half the time.
    #[test]
    fn retiming_scales_events(take in recording(), power in -2_i32..3) {
        // Powers of two are exact, so that events may be compared for equality.
        let speed = f64::from(power).exp2();
        let events = |take: &Recording<'_>, speed: f64| -> Vec<(u64, String)> {
            let mut player = Player::new(Sampler::new(take).unwrap());
            player.set_ending(Ending::Hold);
            player.play();
            let length = f64::from(take.duration()) + 1.0;
            let events = player.advance(length);
            events.map(|event| ((event.time as f64 * speed).to_bits(), format!("{:?}", event.kind))).collect()
        };
        let mut fast = take.clone();
        edit::retime(&mut fast, speed)?;
        let before = events(&take, 1.0);
        let strip = |events: Vec<(u64, String)>| -> Vec<(u64, String)> {
            // Markers name their own time.
            events.into_iter().map(|(time, kind)| (time, kind.split("time").next().unwrap().to_owned())).collect()
        };
        prop_assert_eq!(strip(events(&fast, speed)), strip(before));
        for path in paths(&take) {
            for time in times(Span { start: 0.0, end: take.duration() }) {
                plays_alike(&take, &fast, path, time, |time| (f64::from(time) / speed) as f32)?;
            }
        }
    }

    /// The mirror image of the mirror image is the recording, bit for bit.
    #[test]
    fn twice_in_the_mirror_is_the_identity(take in recording()) {
        let mut twice = take.clone();
        edit::mirror(&mut twice, &Plane::WORLD)?;
        edit::mirror(&mut twice, &Plane::WORLD)?;
        prop_assert_eq!(twice, take);
    }

    /// Any mirror shows the same twice.
    #[test]
    fn twice_in_any_mirror_plays_the_same(take in recording(), q in prop::array::uniform4(-1.0_f32..1.0)) {
        let pose = Pose { position: [q[0], q[1], q[2]], rotation: [q[1], 2.0, q[2], q[3]] };
        let plane = Plane::through(&pose);
        let mut twice = take.clone();
        edit::mirror(&mut twice, &plane)?;
        edit::mirror(&mut twice, &plane)?;
        for path in paths(&take) {
            for time in times(Span { start: 0.0, end: take.duration() }) {
                plays_alike(&take, &twice, path, time, |time| time)?;
            }
        }
    }

    /// The inverse of a placement leads back.
    #[test]
    fn a_placement_and_its_inverse_play_the_same(take in recording(), placement in placement()) {
        let mut placed = take.clone();
        edit::place(&mut placed, &placement)?;
        edit::place(&mut placed, &placement.inverse())?;
        for path in paths(&take) {
            for time in times(Span { start: 0.0, end: take.duration() }) {
                plays_alike(&take, &placed, path, time, |time| time)?;
            }
        }
    }

    /// Two placements, one after the other, are one.
    #[test]
    fn placements_compose(take in recording(), a in placement(), b in placement()) {
        let (mut one_by_one, mut at_once) = (take.clone(), take.clone());
        edit::place(&mut one_by_one, &a)?;
        edit::place(&mut one_by_one, &b)?;
        edit::place(&mut at_once, &a.then(&b))?;
        for path in paths(&take) {
            for time in times(Span { start: 0.0, end: take.duration() }) {
                // The product of two rotations has one of two signs.
                let (x, y) = (value(&one_by_one, path, time), value(&at_once, path, time));
                let is_rotation = path.to_string().contains("rotation");
                if !is_rotation || (x.abs() - y.abs()).abs() > 2e-3 {
                    plays_alike(&at_once, &one_by_one, path, time, |time| time)?;
                }
            }
        }
    }
}

proptest! {
    // Curves that repeat and are written out make it slow.
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the bits, an edit is done or refused, and a refusal changes nothing.
    #[test]
    fn any_bits_are_edited_or_refused(take in random::recording(), a in any::<f32>(), b in any::<f32>()) {
        type Edit = Box<dyn Fn(&mut Recording<'static>) -> Result<(), edit::EditError>>;
        let span = Span { start: a, end: b };
        let placement = Placement::turned([0.1, 0.2, 0.3, f64::from(a)]);
        let little = Limits { max_keys: 1 << 20, ..Limits::default() };
        let edits: [Edit; 8] = [
            Box::new(move |take| edit::trim(take, span)),
            Box::new(|take| edit::trim(take, Span { start: -1.0, end: 3.0 })),
            Box::new(move |take| edit::shift(take, a.into())),
            Box::new(move |take| edit::retime(take, b.into())),
            Box::new(|take| edit::mirror(take, &Plane::WORLD)),
            Box::new(move |take| edit::mirror(take, &Plane::through(&Pose::at([a, b, 1.0])))),
            Box::new(move |take| edit::place(take, &placement)),
            Box::new(move |take| edit::resample_with(take, f64::from(b).abs(), &little)),
        ];
        for edit in edits {
            let mut edited = take.clone();
            if edit(&mut edited).is_err() {
                prop_assert_eq!(&edited, &take);
            }
        }
        let parts = edit::split(&take, &[a, b]).unwrap_or_else(|_| vec![take.clone()]);
        for join in [Join::Cut, Join::Gap(a), Join::Blend(0.5)] {
            let _ = edit::concat(&parts, join);
        }
        edit::gap_times(&take, None);
    }
}
