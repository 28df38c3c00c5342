//! A hand over time.

use glam::{Quat, Vec3};
use inputanim::{HandFrame, Side};

use crate::dice::Dice;
use crate::ease::min_jerk;
use crate::grip::{Grip, Shape};
use crate::placement::{Placement, mirrored};
use crate::skeleton::Skeleton;
use crate::spans::Spans;
use crate::track::Track;
use crate::wobble::{Wobble, Wobble3};

/// Where the wrist goes, and how it gets there.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub(crate) wrist: Placement,
    /// How far the way here leaves the straight line, half way.
    pub(crate) detour: Vec3,
}

impl Stop {
    /// The wrist on its way from one stop to the next. The rotations' signs must be aligned.
    pub(crate) fn between(from: &Stop, to: &Stop, share: f32) -> Placement {
        let line = from.wrist.position.lerp(to.wrist.position, share);
        Placement {
            position: line + to.detour * (4.0 * share * (1.0 - share)),
            rotation: from.wrist.rotation.lerp(to.wrist.rotation, share),
        }
    }
}

/// A forearm that swings to and fro about the elbow, in the plane of the palm.
#[derive(Clone, Debug)]
pub(crate) struct Swing {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) hertz: f32,
    pub(crate) degrees: f32,
}

impl Swing {
    /// From the elbow to the wrist, in metres.
    const FOREARM: f32 = 0.25;
    /// Seconds to come to full swing, and to come to rest.
    const RAMP: f64 = 0.3;

    fn apply(&self, wrist: Placement, time: f64) -> Placement {
        let since = time - self.start;
        let ramp = since.min(self.end - time) / Swing::RAMP;
        let cycles = since * f64::from(self.hertz);
        let phase = ((cycles - cycles.floor()) * std::f64::consts::TAU) as f32;
        let degrees = self.degrees * min_jerk(ramp as f32) * libm::sinf(phase);
        let turn = Quat::from_rotation_y(degrees.to_radians());
        let forearm = Vec3::Z * Swing::FOREARM;
        Placement {
            position: wrist.point(turn * forearm - forearm),
            rotation: wrist.rotation * turn,
        }
    }
}

/// What a hand does, as a right hand: a left one is shown as its mirror image.
#[derive(Clone, Debug)]
pub(crate) struct HandScript {
    pub(crate) path: Track<Stop>,
    pub(crate) shapes: Track<Shape>,
    pub(crate) swings: Vec<Swing>,
    pub(crate) pinches: Spans,
    /// While the hand is out of view.
    pub(crate) unseen: Spans,
}

/// What a hand does without meaning to.
#[derive(Clone, Debug)]
struct Unrest {
    drift: Wobble3,
    turn: Wobble3,
    tremor: Wobble3,
    fingers: [Wobble; 5],
}

impl Unrest {
    fn new(dice: &mut Dice) -> Unrest {
        Unrest {
            drift: Wobble3::new(0.23, dice),
            turn: Wobble3::new(0.31, dice),
            // A healthy tremor is from 4 to 12 Hz.
            tremor: Wobble3::new(4.7, dice),
            fingers: std::array::from_fn(|_| Wobble::new(0.19, dice)),
        }
    }

    fn apply(&self, wrist: Placement, time: f64) -> Placement {
        const DRIFT_METRES: f32 = 0.004;
        const TREMOR_METRES: f32 = 0.000_2;
        const TURN_DEGREES: f32 = 1.2;
        let shift = self.drift.at(time) * DRIFT_METRES + self.tremor.at(time) * TREMOR_METRES;
        let turn = self.turn.at(time) * TURN_DEGREES.to_radians();
        Placement {
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
    unrest: Unrest,
}

impl Hand {
    pub(crate) fn new(side: Side, script: HandScript, dice: &mut Dice) -> Hand {
        let unrest = Unrest::new(dice);
        Hand {
            side,
            script,
            unrest,
        }
    }

    pub(crate) fn frame_at(&self, time: f64, skeleton: &Skeleton) -> HandFrame {
        if self.script.unseen.contains(time) {
            return HandFrame::default();
        }
        let joints = skeleton.joints(&self.wrist_at(time), &self.grip_at(time));
        let pose = |placement: Placement| match self.side {
            Side::Right => placement.pose(),
            Side::Left => mirrored(placement.pose()),
        };
        HandFrame {
            tracked: true,
            pinching: self.script.pinches.contains(time),
            joints: joints.map(|joint| joint.map(pose)),
        }
    }

    fn wrist_at(&self, time: f64) -> Placement {
        let (from, to, share) = self.script.path.at(time);
        let mut wrist = Stop::between(from, to, share);
        let swings = &self.script.swings;
        let begun = swings.partition_point(|swing| swing.start <= time);
        if let Some(swing) = swings[..begun].last().filter(|swing| time < swing.end) {
            wrist = swing.apply(wrist, time);
        }
        self.unrest.apply(wrist, time)
    }

    fn grip_at(&self, time: f64) -> Grip {
        let (from, to, share) = self.script.shapes.at(time);
        let shares = std::array::from_fn(|finger| self.unrest.fingers[finger].at(time));
        Grip::between(from.grip(), to.grip(), share).wandering(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Stream;
    use crate::placement::turned;

    fn script() -> HandScript {
        let stop = |position, rotation| Stop {
            wrist: Placement { position, rotation },
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
            pinches: Spans::default(),
            unseen: Spans::default(),
        };
        script.path.push(0.5, 1.0, to);
        script.shapes.push(0.5, 0.5, Shape::Open);
        script
    }

    #[test]
    fn a_left_hand_with_the_same_script_is_the_mirror_image_of_the_right() {
        let skeleton = Skeleton::new(1.0);
        let hand = |side| Hand::new(side, script(), &mut Dice::new(1, Stream::LeftHand));
        let (left, right) = (hand(Side::Left), hand(Side::Right));
        for step in 0..50 {
            let time = f64::from(step) * 0.1;
            let left = left.frame_at(time, &skeleton).joints;
            let right = right.frame_at(time, &skeleton).joints;
            assert_eq!(left, right.map(|joint| joint.map(mirrored)));
        }
    }

    #[test]
    fn a_swing_starts_and_ends_at_rest_and_turns_about_the_elbow() {
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
