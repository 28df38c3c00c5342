//! The gaze over time.

use glam::Vec3;
use inputanim::Ray;

use crate::noise::Noise3;
use crate::random::SeededRandom;
use crate::track::Track;
use crate::transform::RigidTransform;

/// The gaze over time.
#[derive(Clone, Debug)]
pub(crate) struct Eyes {
    /// The fixated points in world space; each move is a saccade.
    targets: Track<Vec3>,
    drift: Noise3,
}

impl Eyes {
    pub(crate) fn new(targets: Track<Vec3>, random: &mut SeededRandom) -> Eyes {
        let drift = Noise3::new(0.7, random);
        Eyes { targets, drift }
    }

    /// Returns the start and the end of every saccade in seconds, in order.
    pub(crate) fn saccades(&self) -> impl Iterator<Item = (f64, f64)> {
        self.targets.times()
    }

    /// Returns the gaze ray in world space at a time in seconds, for a head with the transform `head`.
    pub(crate) fn ray_at(&self, time: f64, head: &RigidTransform) -> Ray {
        /// The point between the eyes, in the frame of the head.
        const BETWEEN: Vec3 = Vec3::new(0.0, -0.012, 0.018);
        /// The amplitude of ocular drift: about a quarter of a degree during a fixation.
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
