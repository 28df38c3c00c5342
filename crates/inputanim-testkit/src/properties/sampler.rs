//! The sampler returns the values of the curves at any time, and the events of the player agree with
//! its frames.

use inputanim::{Curve, CurvePath, RayChannel, Recording, Sampler, Side};
use inputanim::{EndAction, Player, TransitionKind};

use crate::frames::unit_gaze;

/// Checks that the sampler returns the values of the curves of any recording in these bytes, and that the events of the
/// player agree with its frames. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(recording) = Recording::parse(bytes) else {
        return;
    };
    let times = times(bytes);
    let sampler = match Sampler::new(&recording) {
        Ok(sampler) => sampler,
        Err(error) => {
            let curve = recording
                .curve(error.curve)
                .expect("the error names a curve of the recording");
            let (time, _) = curve
                .point(error.source.index)
                .expect("the error names a key of the curve");
            assert!(time.is_nan());
            return;
        }
    };
    equals_the_curves(&recording, &sampler, &times);
    for ending in [
        EndAction::Hold,
        EndAction::Rewind,
        EndAction::Loop,
        EndAction::PingPong,
    ] {
        events_agree_with_frames(sampler.clone(), ending, &times);
    }
}

/// Returns times in seconds to test: up to 16 numbers of the input, and special numbers such as NaN.
fn times(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    let step = (bytes.len() / 64).max(1);
    let numbers = numbers.step_by(step).take(16);
    let numbers = numbers.map(|chunk| f32::from_le_bytes(chunk.try_into().expect("four bytes")));
    let special = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        -0.5,
        0.0,
        0.5,
        1.0,
    ];
    numbers.chain(special).collect()
}

fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn equals_the_curves(recording: &Recording<'_>, sampler: &Sampler, times: &[f32]) {
    let raw = sampler.clone().with_raw_rotations().with_untracked_joints();
    let columns = raw.columns(times.iter().copied());
    let gaze = RayChannel::ALL.map(|channel| {
        let curve = match recording.curve(CurvePath::Gaze(channel)) {
            Some(Curve::Float(curve)) => curve.evaluator().ok(),
            _ => None,
        };
        move |time| curve.as_ref().map_or(0.0, |curve| curve.at(time))
    });
    for (path, column) in columns.floats() {
        let Some(Curve::Float(curve)) = recording.curve(path) else {
            panic!("the recording has no curve {path}");
        };
        let curve = curve.evaluator().expect("the sampler accepted it");
        for (&time, &value) in times.iter().zip(column) {
            let expected = match path {
                CurvePath::Gaze(channel) => {
                    let values = gaze.each_ref().map(|value| value(time));
                    unit_gaze(values)[channel as usize]
                }
                _ => curve.at(time),
            };
            assert!(
                is_same(value, expected),
                "{path} at {time}: {value}, not {expected}"
            );
        }
    }
    for side in Side::BOTH {
        let hand = columns.hand(side);
        for (path, column) in [
            (CurvePath::Tracked(side), &hand.tracked),
            (CurvePath::Pinching(side), &hand.pinching),
        ] {
            let Some(Curve::Boolean(curve)) = recording.curve(path) else {
                continue;
            };
            let curve = curve.evaluator().expect("the sampler accepted it");
            for (&time, &on) in times.iter().zip(column) {
                assert_eq!(on, curve.at(time), "{path} at {time}");
            }
        }
    }
    clamped_equals_the_ends(recording, &raw.with_clamped_ends(), times);
    // Normalised frames equal the frames of `raw`, divided by a length. This only checks that the
    // loop ends.
    for frame in sampler.frames(times.iter().copied()) {
        std::hint::black_box(frame);
    }
}

/// Checks that a sampler with clamped ends returns the value of the first key of each curve for times before it, and
/// the value of the last key for times after it, for all wrap modes.
fn clamped_equals_the_ends(recording: &Recording<'_>, clamped: &Sampler, times: &[f32]) {
    let columns = clamped.columns(times.iter().copied());
    // Directions are normalised, and not the values of single curves.
    let is_direction =
        |path: CurvePath| matches!(path, CurvePath::Gaze(channel) if channel as usize >= 3);
    for (path, column) in columns.floats().filter(|(path, _)| !is_direction(*path)) {
        let Some(Curve::Float(curve)) = recording.curve(path) else {
            panic!("the recording has no curve {path}");
        };
        let mut keys: Vec<(f32, f32)> = curve.keys.points().collect();
        keys.sort_by(|a, b| {
            a.0.partial_cmp(&b.0)
                .expect("the sampler accepted the times")
        });
        let evaluator = curve.evaluator().expect("the sampler accepted it");
        for (&time, &value) in times.iter().zip(column) {
            let expected = match &keys[..] {
                // Several keys can have the same time, so the two ends are separate cases.
                [first, .., _] if time < first.0 => first.1,
                [_, .., last] if time >= last.0 => last.1,
                _ => evaluator.at(time),
            };
            assert!(
                is_same(value, expected),
                "{path} at {time}, clamped: {value}, not {expected}"
            );
        }
    }
}

fn events_agree_with_frames(sampler: Sampler, ending: EndAction, times: &[f32]) {
    // A step over a short loop can have billions of events.
    const MAX_EVENTS: usize = 1000;
    let mut player = Player::new(sampler);
    player.set_ending(ending);
    let mut known = [[false; 2]; 2];
    for (index, &time) in times.iter().enumerate() {
        match index % 4 {
            0 => player.seek(time),
            1 => player.set_rate(time.into()),
            _ => player.play(),
        }
        let mut count = 0;
        for event in player.advance(time).take(MAX_EVENTS) {
            count += 1;
            let (side, state, on) = match event.kind {
                TransitionKind::TrackingGained(side) => (side, 0, true),
                TransitionKind::TrackingLost(side) => (side, 0, false),
                TransitionKind::PinchDown(side) => (side, 1, true),
                TransitionKind::PinchUp(side) => (side, 1, false),
                _ => continue,
            };
            let known = &mut known[side as usize][state];
            assert_ne!(std::mem::replace(known, on), on, "the state is unchanged");
        }
        let frame = player.frame();
        if count < MAX_EVENTS {
            for side in Side::BOTH {
                let hand = frame.hand(side);
                assert_eq!(known[side as usize], [hand.tracked, hand.pinching]);
            }
        }
    }
}
