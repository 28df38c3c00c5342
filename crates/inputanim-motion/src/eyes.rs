//! The gaze over time.

use glam::Vec3;
use inputanim::Ray;

use crate::dice::Dice;
use crate::placement::Placement;
use crate::track::Track;
use crate::wobble::Wobble3;

/// The gaze over time.
#[derive(Clone, Debug)]
pub(crate) struct Eyes {
    /// The points in the world that are looked at; each move is a saccade.
    targets: Track<Vec3>,
    drift: Wobble3,
}

impl Eyes {
    pub(crate) fn new(targets: Track<Vec3>, dice: &mut Dice) -> Eyes {
        let drift = Wobble3::new(0.7, dice);
        Eyes { targets, drift }
    }

    /// The gaze while the head is at a place.
    pub(crate) fn ray_at(&self, time: f64, head: &Placement) -> Ray {
        /// The point between the eyes, as the head sees it.
        const BETWEEN: Vec3 = Vec3::new(0.0, -0.012, 0.018);
        /// Eyes drift by about a quarter of a degree while they hold a target.
        const DRIFT: f32 = 0.003;
        let origin = head.point(BETWEEN);
        let (from, to, share) = self.targets.at(time);
        let toward = |target: &Vec3| (target - origin).normalize();
        let direction = toward(from).lerp(toward(to), share) + self.drift.at(time) * DRIFT;
        Ray {
            origin: origin.to_array(),
            direction: direction.normalize().to_array(),
        }
    }
}
