//! Velocities of poses, and the motion of rigid bodies.

use glam::{DQuat, DVec3};
use inputanim::Pose;

use crate::pose::compose;

/// The velocity of a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Velocity {
    /// Metres per second along OpenXR's axes.
    pub linear: [f32; 3],
    /// Radians per second about OpenXR's axes.
    pub angular: [f32; 3],
}

/// The velocity of a pose as it is recorded, in the units and axes of [`Velocity`]. `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedVelocity {
    /// The linear velocity.
    pub linear: Option<[f32; 3]>,
    /// The angular velocity.
    pub angular: Option<[f32; 3]>,
}

impl RecordedVelocity {
    /// Returns `true` if both parts are unknown.
    pub const fn is_unknown(&self) -> bool {
        self.linear.is_none() && self.angular.is_none()
    }

    /// Returns the velocity, with the parts of `other` where the recorded ones are unknown. `None` if both are unknown.
    pub fn or(self, other: impl FnOnce() -> Option<Velocity>) -> Option<Velocity> {
        if let RecordedVelocity {
            linear: Some(linear),
            angular: Some(angular),
        } = self
        {
            return Some(Velocity { linear, angular });
        }
        let other = other()?;
        Some(Velocity {
            linear: self.linear.unwrap_or(other.linear),
            angular: self.angular.unwrap_or(other.angular),
        })
    }
}

/// A pose at one time, and its velocity. Both are relative to a space that does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The pose.
    pub pose: Pose,
    /// The velocity of the pose.
    pub velocity: Velocity,
}

fn double(vector: [f32; 3]) -> DVec3 {
    DVec3::from_array(vector.map(f64::from))
}

fn single(vector: DVec3) -> [f32; 3] {
    vector.to_array().map(|part| part as f32)
}

fn rotation(pose: Pose) -> DQuat {
    DQuat::from_array(pose.rotation.map(f64::from))
}

impl Motion {
    /// Returns the motion of a pose that does not move.
    pub fn at_rest(pose: Pose) -> Motion {
        Motion {
            pose,
            velocity: Velocity::default(),
        }
    }

    /// Returns the motion of a pose that is fixed to this one, as a part of a rigid body. `child` is relative to this pose. Without a
    /// distance between the two, the velocity stays exact.
    #[must_use]
    pub fn attached(self, child: Pose) -> Motion {
        let mut velocity = self.velocity;
        if child.position != [0.0; 3] {
            let arm = rotation(self.pose) * double(child.position);
            let linear = double(velocity.linear) + double(velocity.angular).cross(arm);
            velocity.linear = single(linear);
        }
        Motion {
            pose: compose(self.pose, child),
            velocity,
        }
    }

    /// Returns the velocity of this pose relative to a pose that moves too, in the axes of that pose. If that pose has no velocity and
    /// no rotation, the velocity stays exact.
    pub fn relative_to(self, base: Motion) -> Velocity {
        let arm = double(self.pose.position) - double(base.pose.position);
        let [turn, own_turn] = [base, self].map(|motion| double(motion.velocity.angular));
        let [speed, own_speed] = [base, self].map(|motion| double(motion.velocity.linear));
        let linear = own_speed - speed - turn.cross(arm);
        let angular = own_turn - turn;
        let back = rotation(base.pose).conjugate();
        let turned = |vector: DVec3| match back == DQuat::IDENTITY {
            true => vector,
            false => back * vector,
        };
        Velocity {
            linear: single(turned(linear)),
            angular: single(turned(angular)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pose after a time in seconds, by small steps of the velocity.
    fn moved(motion: Motion, seconds: f64) -> Pose {
        let Velocity { linear, angular } = motion.velocity;
        let turn = DQuat::from_scaled_axis(double(angular) * seconds);
        let rotation = turn * rotation(motion.pose);
        let position = double(motion.pose.position) + double(linear) * seconds;
        Pose {
            position: single(position),
            rotation: rotation.to_array().map(|part| part as f32),
        }
    }

    /// Returns the difference of two poses over a time in seconds.
    fn difference([from, to]: [Pose; 2], seconds: f64) -> Velocity {
        let turn = rotation(to) * rotation(from).conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Velocity {
            linear: single((double(to.position) - double(from.position)) / seconds),
            angular: single(turn.to_scaled_axis() / seconds),
        }
    }

    fn motion(
        position: [f32; 3],
        rotation: [f32; 4],
        linear: [f32; 3],
        angular: [f32; 3],
    ) -> Motion {
        let velocity = Velocity { linear, angular };
        Motion {
            pose: Pose { position, rotation },
            velocity,
        }
    }

    #[test]
    fn attached_and_relative_motions_are_the_differences_of_poses() {
        const STEP: f64 = 1.0 / 256.0;
        let body = motion(
            [1.0, 1.5, -2.0],
            [0.0, 0.6, 0.0, 0.8],
            [0.5, -1.0, 2.0],
            [1.0, 2.0, -0.5],
        );
        let base = motion(
            [-0.5, 1.0, 0.3],
            [0.8, 0.0, 0.0, 0.6],
            [-1.0, 0.2, 0.4],
            [0.3, -0.7, 1.1],
        );
        let child = Pose {
            position: [0.1, -0.2, 0.3],
            rotation: [0.5, 0.5, -0.5, 0.5],
        };
        let at = |seconds: f64| {
            let place = compose(moved(body, seconds), child);
            compose(crate::inverse(moved(base, seconds)), place)
        };
        let expected = difference([at(-STEP), at(STEP)], 2.0 * STEP);
        let found = body.attached(child).relative_to(base);
        for (a, b) in [
            (found.linear, expected.linear),
            (found.angular, expected.angular),
        ] {
            assert!(
                double(a).distance(double(b)) < 2e-3,
                "{found:?}, not {expected:?}"
            );
        }
    }

    #[test]
    fn a_velocity_in_a_space_at_rest_is_exact() {
        let body = motion(
            [1.0, 1.5, -2.0],
            [0.0, 0.6, 0.0, 0.8],
            [0.1, -1e-20, 3e7],
            [1e-3, 0.7, -5.0],
        );
        let base = Motion::at_rest(Pose::at([0.3, -1.6, 0.0]));
        assert_eq!(
            body.attached(Pose::IDENTITY).relative_to(base),
            body.velocity
        );
        assert_eq!(body.relative_to(body), Velocity::default());
    }
}
