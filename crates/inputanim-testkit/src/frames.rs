//! Random frames: any streams, joints, states, times and finite numbers.

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};
use proptest::collection::vec;
use proptest::prelude::*;

/// Numbers at the limits of the finite range.
const SPECIAL: &[f32] = &[
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    1.0,
];

/// Generates any finite number; numbers from −10 to 10 are the most frequent.
fn number() -> impl Strategy<Value = f32> {
    let any_bits = any::<u32>().prop_map(f32::from_bits);
    let finite = any_bits.prop_filter("finite", |number| number.is_finite());
    prop_oneof![4 => -10.0_f32..10.0, 1 => finite, 1 => prop::sample::select(SPECIAL)]
}

fn rotation() -> impl Strategy<Value = [f32; 4]> {
    let any = prop::array::uniform4(number());
    any.prop_filter("length above 0", |parts| {
        parts.iter().any(|&part| part != 0.0)
    })
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
        head in prop::option::weighted(0.8, pose()),
        left in hand(),
        right in hand(),
        gaze in prop::option::of(ray()),
    ) -> Frame {
        Frame { time: 0.0, head, left, right, gaze, ..Frame::default() }
    }
}

/// Generates at most `count` increasing times in seconds: in steps of 5 to 30 ms, or any finite numbers.
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

/// Generates 1 to `max` frames that a recorder accepts, with increasing times.
pub fn frames(max: usize) -> impl Strategy<Value = Vec<Frame>> {
    let frames = vec(frame(), 1..=max);
    (times(max), frames).prop_map(|(times, frames)| {
        let timed = times.into_iter().zip(frames);
        timed.map(|(time, frame)| Frame { time, ..frame }).collect()
    })
}

fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}

/// Returns `true` if two poses are bit-identical, except that the recorder may negate the rotation to
/// avoid a sign flip.
fn is_same_pose(pushed: &Pose, played: &Pose) -> bool {
    let negated = pushed.rotation.map(|part| -part);
    bits(pushed.position) == bits(played.position)
        && [bits(pushed.rotation), bits(negated)].contains(&bits(played.rotation))
}

fn is_same_ray(pushed: &Ray, played: &Ray) -> bool {
    bits(pushed.origin) == bits(played.origin) && bits(pushed.direction) == bits(played.direction)
}

/// Checks that playback returns everything that a pushed frame contains. It may return more, because
/// playback holds the last pose of a stream.
pub fn check_preserved(pushed: &Frame, played: &Frame) -> Result<(), TestCaseError> {
    if let Some(head) = &pushed.head {
        prop_assert!(
            played
                .head
                .is_some_and(|played| is_same_pose(head, &played))
        );
    }
    if let Some(gaze) = pushed.gaze {
        let gaze = Ray {
            direction: unit_direction(gaze.direction),
            ..gaze
        };
        prop_assert!(
            played
                .gaze
                .is_some_and(|played| is_same_ray(&gaze, &played))
        );
    }
    for side in Side::BOTH {
        let (pushed, played) = (pushed.hand(side), played.hand(side));
        prop_assert_eq!(pushed.tracked, played.tracked);
        prop_assert_eq!(pushed.pinching, played.pinching);
        for (joint, pose) in pushed.joints.iter().filter(|_| pushed.tracked) {
            let Some(pose) = pose else { continue };
            let played = played.joints[joint];
            prop_assert!(
                played.is_some_and(|played| is_same_pose(pose, &played)),
                "{joint}"
            );
        }
    }
    Ok(())
}

/// Returns a direction as the sampler returns it: of length 1, or 0 if it is not longer than 0.00001. A direction of length 1,
/// except for rounding, stays as it is.
pub fn unit_direction(direction: [f32; 3]) -> [f32; 3] {
    let wide = direction.map(f64::from);
    let square: f64 = wide.iter().map(|part| part * part).sum();
    if (square - 1.0).abs() <= f64::from(4.0 * f32::EPSILON) {
        direction
    } else if square.sqrt() <= 1e-5 {
        [0.0; 3]
    } else {
        wide.map(|part| (part / square.sqrt()) as f32)
    }
}

/// Returns the values of the six curves of a gaze as the sampler returns them.
pub fn unit_gaze(values: [f32; 6]) -> [f32; 6] {
    let [a, b, c, x, y, z] = values;
    let [x, y, z] = unit_direction([x, y, z]);
    [a, b, c, x, y, z]
}
