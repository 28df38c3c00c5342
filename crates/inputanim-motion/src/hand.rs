//! A hand over time.

use glam::{Quat, Vec3};
use inputanim::{HandFrame, Side};

use crate::ease::min_jerk;
use crate::grip::{Grip, Shape};
use crate::intervals::Intervals;
use crate::noise::{Noise, Noise3};
use crate::random::SeededRandom;
use crate::skeleton::Skeleton;
use crate::track::Track;
use crate::transform::{RigidTransform, mirrored};

/// A waypoint of the wrist.
#[derive(Clone, Debug)]
pub(crate) struct Waypoint {
    pub(crate) wrist: RigidTransform,
    /// The largest offset from the straight path to this waypoint, halfway.
    pub(crate) detour: Vec3,
}

impl Waypoint {
    /// Returns the transform of the wrist at a share from 0 to 1 of the move between two waypoints. The detour of `to`
    /// makes the path curved. The rotations of the waypoints must be in one hemisphere.
    pub(crate) fn between(from: &Waypoint, to: &Waypoint, share: f32) -> RigidTransform {
        let line = from.wrist.position.lerp(to.wrist.position, share);
        RigidTransform {
            position: line + to.detour * (4.0 * share * (1.0 - share)),
            rotation: from.wrist.rotation.lerp(to.wrist.rotation, share),
        }
    }
}

/// A waving movement: the forearm swings about the elbow, in the plane of the palm.
#[derive(Clone, Debug)]
pub(crate) struct Swing {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) hertz: f32,
    pub(crate) degrees: f32,
}

impl Swing {
    /// The length of the forearm, in metres.
    const FOREARM: f32 = 0.25;
    /// The time to reach the full swing and to come to rest, in seconds.
    const RAMP: f64 = 0.3;

    fn apply(&self, wrist: RigidTransform, time: f64) -> RigidTransform {
        let since = time - self.start;
        let ramp = since.min(self.end - time) / Swing::RAMP;
        let cycles = since * f64::from(self.hertz);
        let phase = ((cycles - cycles.floor()) * std::f64::consts::TAU) as f32;
        let degrees = self.degrees * min_jerk(ramp as f32) * libm::sinf(phase);
        let turn = Quat::from_rotation_y(degrees.to_radians());
        let forearm = Vec3::Z * Swing::FOREARM;
        RigidTransform {
            position: wrist.point(turn * forearm - forearm),
            rotation: wrist.rotation * turn,
        }
    }
}

/// The planned motion of a hand. The plan always describes a right hand. For a left hand, the resulting poses are
/// mirrored.
#[derive(Clone, Debug)]
pub(crate) struct HandScript {
    pub(crate) path: Track<Waypoint>,
    pub(crate) shapes: Track<Shape>,
    pub(crate) swings: Vec<Swing>,
    pub(crate) pinches: Intervals,
    /// The intervals in which the hand is out of view.
    pub(crate) unseen: Intervals,
}

/// Involuntary movement of a hand.
#[derive(Clone, Debug)]
struct HandNoise {
    drift: Noise3,
    turn: Noise3,
    tremor: Noise3,
    fingers: [Noise; 5],
}

impl HandNoise {
    fn new(random: &mut SeededRandom) -> HandNoise {
        HandNoise {
            drift: Noise3::new(0.23, random),
            turn: Noise3::new(0.31, random),
            // Physiological tremor has 4 to 12 Hz.
            tremor: Noise3::new(4.7, random),
            fingers: std::array::from_fn(|_| Noise::new(0.19, random)),
        }
    }

    fn apply(&self, wrist: RigidTransform, time: f64) -> RigidTransform {
        const DRIFT_METRES: f32 = 0.004;
        const TREMOR_METRES: f32 = 0.000_2;
        const TURN_DEGREES: f32 = 1.2;
        let shift = self.drift.at(time) * DRIFT_METRES + self.tremor.at(time) * TREMOR_METRES;
        let turn = self.turn.at(time) * TURN_DEGREES.to_radians();
        RigidTransform {
            position: wrist.position + shift,
            rotation: (wrist.rotation * Quat::from_scaled_axis(turn)).normalize(),
        }
    }
}

/// A hand over time.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    side: Side,
    script: HandScript,
    noise: HandNoise,
}

impl Hand {
    pub(crate) fn new(side: Side, script: HandScript, random: &mut SeededRandom) -> Hand {
        let noise = HandNoise::new(random);
        Hand {
            side,
            script,
            noise,
        }
    }

    pub(crate) fn frame_at(&self, time: f64, skeleton: &Skeleton) -> HandFrame {
        if self.script.unseen.contains(time) {
            return HandFrame::default();
        }
        let joints = skeleton.joints(&self.wrist_at(time), &self.grip_at(time));
        let pose = |transform: RigidTransform| match self.side {
            Side::Right => transform.pose(),
            Side::Left => mirrored(transform.pose()),
        };
        HandFrame {
            tracked: true,
            unknown: false,
            pinch_unknown: false,
            pinching: self.script.pinches.contains(time),
            joints: joints.map(|joint| joint.map(pose)),
        }
    }

    /// Returns the start and the end of every planned movement of the wrist in seconds, in order.
    pub(crate) fn movements(&self) -> impl Iterator<Item = (f64, f64)> {
        self.script.path.times()
    }

    /// Returns the start and the end of every pinch in seconds, in order.
    pub(crate) fn pinches(&self) -> impl Iterator<Item = (f64, f64)> {
        self.script.pinches.iter()
    }

    fn wrist_at(&self, time: f64) -> RigidTransform {
        let (from, to, share) = self.script.path.at(time);
        let mut wrist = Waypoint::between(from, to, share);
        let swings = &self.script.swings;
        let begun = swings.partition_point(|swing| swing.start <= time);
        if let Some(swing) = swings[..begun].last().filter(|swing| time < swing.end) {
            wrist = swing.apply(wrist, time);
        }
        self.noise.apply(wrist, time)
    }

    fn grip_at(&self, time: f64) -> Grip {
        let (from, to, share) = self.script.shapes.at(time);
        let shares = std::array::from_fn(|finger| self.noise.fingers[finger].at(time));
        Grip::between(from.grip(), to.grip(), share).wandering(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::transform::turned;

    fn script() -> HandScript {
        let stop = |position, rotation| Waypoint {
            wrist: RigidTransform { position, rotation },
            detour: Vec3::Y * 0.03,
        };
        let from = stop(Vec3::new(0.2, 1.2, 0.3), turned(-10.0, -15.0, -30.0));
        let to = stop(Vec3::new(0.1, 1.4, 0.4), turned(10.0, -40.0, 0.0));
        let mut script = HandScript {
            path: Track::new(from),
            shapes: Track::new(Shape::Relaxed),
            swings: vec![Swing {
                start: 2.0,
                end: 4.0,
                hertz: 1.7,
                degrees: 20.0,
            }],
            pinches: Intervals::default(),
            unseen: Intervals::default(),
        };
        script.path.push(0.5, 1.0, to);
        script.shapes.push(0.5, 0.5, Shape::Open);
        script
    }

    #[test]
    fn left_hand_is_the_mirror_image_of_the_right() {
        let skeleton = Skeleton::new(1.0);
        let hand = |side| {
            Hand::new(
                side,
                script(),
                &mut SeededRandom::new(1, RandomStream::LeftHand),
            )
        };
        let (left, right) = (hand(Side::Left), hand(Side::Right));
        for step in 0..50 {
            let time = f64::from(step) * 0.1;
            let left = left.frame_at(time, &skeleton).joints;
            let right = right.frame_at(time, &skeleton).joints;
            assert_eq!(left, right.map(|joint| joint.map(mirrored)));
        }
    }

    #[test]
    fn swing_starts_and_ends_at_rest_and_turns_about_the_elbow() {
        let swing = &script().swings[0];
        let wrist = script().path.last().wrist;
        assert_eq!(swing.apply(wrist, 2.0).position, wrist.position);
        let elbow = wrist.point(Vec3::NEG_Z * Swing::FOREARM);
        let mut widest = 0.0_f32;
        for step in 0..200 {
            let now = swing.apply(wrist, 2.0 + f64::from(step) * 0.01);
            let forearm = now.position - elbow;
            assert!((forearm.length() - Swing::FOREARM).abs() < 1e-5);
            let turned = now.rotation.angle_between(wrist.rotation).to_degrees();
            widest = widest.max(turned);
        }
        assert!((19.0..=20.1).contains(&widest), "{widest}");
    }
}
