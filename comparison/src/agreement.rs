//! Whether both samplers say the same: else the archive is wrong, and times mean nothing.

use inputanim::Pose;

use crate::player::{Ours, Ozz, poses};

/// What ozz may lose in metres: half floats are a millimetre apart from 1 m on, two from 2 m on.
const METRES: f64 = 0.002;
/// What ozz may lose in degrees: three parts of a rotation are stored in steps of 0.005 degrees,
/// and the largest is made from them.
const DEGREES: f64 = 0.05;
/// At how many times both hands must have been in sight.
const ENOUGH: usize = 200;

/// How far two poses are apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Difference {
    pub(crate) metres: f64,
    pub(crate) degrees: f64,
}

/// The largest difference at the given times, as long as both hands are in sight. `end` is that
/// of the take.
///
/// # Panics
/// When it is more than ozz's small numbers explain.
pub(crate) fn largest(ours: &mut Ours, ozz: &mut impl Ozz, end: f32, times: &[f32]) -> Difference {
    let mut largest = Difference::default();
    let mut compared = 0;
    for &time in times {
        let frame = ours.sample(time);
        ozz.sample(time / end);
        if !(frame.left.tracked && frame.right.tracked) {
            continue;
        }
        compared += 1;
        for (track, pose) in poses(frame).enumerate() {
            let other = ozz.pose(track);
            let difference = Difference::between(&pose, &other);
            assert!(
                difference.metres <= METRES && difference.degrees <= DEGREES,
                "track {track} at {time} s: {pose:?} and {other:?}, {difference:?}"
            );
            largest = largest.max(difference);
        }
    }
    assert!(
        compared >= ENOUGH,
        "both hands are in sight at {compared} times only"
    );
    largest
}

impl Difference {
    fn between(a: &Pose, b: &Pose) -> Difference {
        let minus = length(a.rotation, b.rotation, -1.0);
        let plus = length(a.rotation, b.rotation, 1.0);
        // A rotation and its opposite are the same. The angle between quaternions is half that
        // between the rotations, and the arc tangent gives half of the former.
        let quarter = minus.min(plus).atan2(minus.max(plus));
        Difference {
            metres: length(a.position, b.position, -1.0),
            degrees: 4.0 * quarter.to_degrees(),
        }
    }

    pub(crate) fn max(self, other: Difference) -> Difference {
        Difference {
            metres: self.metres.max(other.metres),
            degrees: self.degrees.max(other.degrees),
        }
    }
}

/// The length of `a` and so many times `b`.
fn length<const N: usize>(a: [f32; N], b: [f32; N], times: f64) -> f64 {
    let parts = a.into_iter().zip(b);
    let squares = parts.map(|(a, b)| (f64::from(a) + times * f64::from(b)).powi(2));
    squares.sum::<f64>().sqrt()
}
