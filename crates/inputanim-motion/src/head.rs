//! The head over time.

use glam::Vec3;

use crate::dice::Dice;
use crate::ease::lerp;
use crate::placement::{Placement, turned};
use crate::track::Track;
use crate::wobble::Wobble3;

/// Where the eyes of the one who moves are, on average: world space, metres.
pub(crate) const EYES: Vec3 = Vec3::new(0.0, 1.65, 0.0);

/// The head over time.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// Heading and pitch in degrees that the head is turned to on purpose.
    facing: Track<[f32; 2]>,
    sway: Wobble3,
    breath: Wobble3,
    turn: Wobble3,
}

impl Head {
    pub(crate) fn new(facing: Track<[f32; 2]>, dice: &mut Dice) -> Head {
        Head {
            facing,
            sway: Wobble3::new(0.11, dice),
            breath: Wobble3::new(0.9, dice),
            turn: Wobble3::new(0.13, dice),
        }
    }

    pub(crate) fn at(&self, time: f64) -> Placement {
        let sway = Vec3::new(0.022, 0.008, 0.018);
        let breath = Vec3::new(0.000_6, 0.001_2, 0.000_8);
        let turn = Vec3::new(4.0, 2.5, 1.5);
        let (from, to, share) = self.facing.at(time);
        let [heading, pitch, roll] = (self.turn.at(time) * turn).to_array();
        Placement {
            position: EYES + self.sway.at(time) * sway + self.breath.at(time) * breath,
            rotation: turned(
                heading + lerp(from[0], to[0], share),
                pitch + lerp(from[1], to[1], share),
                roll,
            ),
        }
    }
}
