//! Random frames: any streams, joints, states, times and finite numbers.

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};
use proptest::collection::vec;
use proptest::prelude::*;

const AWKWARD: &[f32] = &[
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    1.0,
];

/// Any finite number, the usual ones more often.
fn number() -> impl Strategy<Value = f32> {
    let any_bits = any::<u32>().prop_map(f32::from_bits);
    let finite = any_bits.prop_filter("finite", |number| number.is_finite());
    prop_oneof![4 => -10.0_f32..10.0, 1 => finite, 1 => prop::sample::select(AWKWARD)]
}

fn rotation() -> impl Strategy<Value = [f32; 4]> {
    let any = prop::array::uniform4(number());
    any.prop_filter("a direction", |parts| parts.iter().any(|&part| part != 0.0))
}

prop_compose! {
    fn pose()(position in prop::array::uniform3(number()), rotation in rotation()) -> Pose {
        Pose { position, rotation }
    }
}

prop_compose! {
    fn ray()(
        origin in prop::array::uniform3(number()),
        direction in prop::array::uniform3(number()),
    ) -> Ray {
        Ray { origin, direction }
    }
}

prop_compose! {
    fn hand()(
        tracked in prop::bool::weighted(0.7),
        pinching in any::<bool>(),
        joints in vec((0..27_usize, pose()), 0..4),
    ) -> HandFrame {
        let mut hand = HandFrame { tracked, pinching, ..HandFrame::default() };
        for (joint, pose) in joints {
            hand.joints[Joint::ALL[joint]] = Some(pose);
        }
        hand
    }
}

prop_compose! {
    fn frame()(
        camera in prop::option::weighted(0.8, pose()),
        left in hand(),
        right in hand(),
        gaze in prop::option::of(ray()),
    ) -> Frame {
        Frame { time: 0.0, camera, left, right, gaze }
    }
}

/// Times in order: at about 60 a second, or anywhere at all.
fn times(count: usize) -> impl Strategy<Value = Vec<f32>> {
    let steady = (-5.0_f32..100.0, vec(0.005_f32..0.03, count)).prop_map(|(start, steps)| {
        let mut time = start;
        let later = |step: f32| {
            time += step;
            time
        };
        steps.into_iter().map(later).collect()
    });
    let anywhere = vec(number(), count).prop_map(|mut times| {
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    });
    prop_oneof![3 => steady, 1 => anywhere]
}

/// Frames as a recorder takes them, with growing times.
pub(crate) fn frames(most: usize) -> impl Strategy<Value = Vec<Frame>> {
    let frames = vec(frame(), 1..=most);
    (times(most), frames).prop_map(|(times, frames)| {
        let timed = times.into_iter().zip(frames);
        timed.map(|(time, frame)| Frame { time, ..frame }).collect()
    })
}

fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}

/// The same to the last bit, but for the sign of the rotation.
fn is_same_pose(said: &Pose, given: &Pose) -> bool {
    let negated = said.rotation.map(|part| -part);
    bits(said.position) == bits(given.position)
        && [bits(said.rotation), bits(negated)].contains(&bits(given.rotation))
}

fn is_same_ray(said: &Ray, given: &Ray) -> bool {
    bits(said.origin) == bits(given.origin) && bits(said.direction) == bits(given.direction)
}

/// Whether all that a frame says was given back; there may be more.
pub(crate) fn says(said: &Frame, given: &Frame) -> Result<(), TestCaseError> {
    if let Some(camera) = &said.camera {
        prop_assert!(
            given
                .camera
                .is_some_and(|given| is_same_pose(camera, &given))
        );
    }
    if let Some(gaze) = &said.gaze {
        prop_assert!(given.gaze.is_some_and(|given| is_same_ray(gaze, &given)));
    }
    for side in Side::BOTH {
        let (said, given) = (said.hand(side), given.hand(side));
        prop_assert_eq!(said.tracked, given.tracked);
        prop_assert_eq!(said.pinching, given.pinching);
        for (joint, pose) in said.joints.iter().filter(|_| said.tracked) {
            let Some(pose) = pose else { continue };
            let given = given.joints[joint];
            prop_assert!(
                given.is_some_and(|given| is_same_pose(pose, &given)),
                "{joint}"
            );
        }
    }
    Ok(())
}
