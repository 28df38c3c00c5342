//! The head over time.

use glam::Vec3;

use crate::ease::lerp;
use crate::noise::Noise3;
use crate::random::SeededRandom;
use crate::track::Track;
use crate::transform::{RigidTransform, turned};

/// The mean position of the eyes, in world space, in metres.
pub(crate) const EYES: Vec3 = Vec3::new(0.0, 1.65, 0.0);

/// The head over time.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The intended heading and pitch of the head, in degrees.
    facing: Track<[f32; 2]>,
    sway: Noise3,
    breath: Noise3,
    turn: Noise3,
}

impl Head {
    pub(crate) fn new(facing: Track<[f32; 2]>, random: &mut SeededRandom) -> Head {
        Head {
            facing,
            sway: Noise3::new(0.11, random),
            breath: Noise3::new(0.9, random),
            turn: Noise3::new(0.13, random),
        }
    }

    pub(crate) fn at(&self, time: f64) -> RigidTransform {
        let sway = Vec3::new(0.022, 0.008, 0.018);
        let breath = Vec3::new(0.000_6, 0.001_2, 0.000_8);
        let turn = Vec3::new(4.0, 2.5, 1.5);
        let (from, to, share) = self.facing.at(time);
        let [heading, pitch, roll] = (self.turn.at(time) * turn).to_array();
        RigidTransform {
            position: EYES + self.sway.at(time) * sway + self.breath.at(time) * breath,
            rotation: turned(
                heading + lerp(from[0], to[0], share),
                pitch + lerp(from[1], to[1], share),
                roll,
            ),
        }
    }
}
