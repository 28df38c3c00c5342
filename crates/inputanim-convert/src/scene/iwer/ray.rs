//! The target ray of a hand.

use glam::DVec3;
use inputanim::{Joint, Joints, Pose, Side};

use crate::shared::rigid::{Rigid, facing};

/// The offset from the eyes to the right shoulder, in metres: to the right, up and back.
const SHOULDER: DVec3 = DVec3::new(0.2, -0.25, 0.0);

/// Returns the target ray of a hand in WebXR's axes: a pose at the index knuckle, whose −Z points away from the
/// shoulder, and whose +Y is as far up as possible. The shoulder is estimated from `head`; without a head, the ray
/// points away from the wrist. Returns `None` if one of these joints is unknown.
pub(super) fn target_ray(
    side: Side,
    joints: &Joints<Option<Pose>>,
    head: Option<&Pose>,
) -> Option<Rigid> {
    let place = |joint: Joint| joints[joint].map(|pose| Rigid::of(&pose).position);
    let origin = place(Joint::IndexKnuckle)?;
    let from = match head {
        Some(head) => shoulder(side, &Rigid::of(head)),
        None => place(Joint::Wrist)?,
    };
    let direction = (origin - from).try_normalize();
    Some(Rigid {
        position: origin,
        rotation: facing(direction.unwrap_or(DVec3::NEG_Z)),
    })
}

fn shoulder(side: Side, head: &Rigid) -> DVec3 {
    let ahead = head.rotation * DVec3::NEG_Z;
    // If the head looks straight up, the horizontal direction of the chin replaces the view direction. If it looks
    // straight down, the direction of the top of the head does.
    let level = |direction: DVec3| DVec3::new(direction.x, 0.0, direction.z);
    let heading = if level(ahead).length() > 1e-3 {
        ahead
    } else {
        head.rotation * DVec3::new(0.0, -ahead.y.signum(), 0.0)
    };
    let turn = facing(level(heading).normalize_or(DVec3::NEG_Z));
    let outward = match side {
        Side::Left => DVec3::new(-1.0, 1.0, 1.0),
        Side::Right => DVec3::ONE,
    };
    head.position + turn * (SHOULDER * outward)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Space;
    use inputanim_motion::{Motion, Scene};

    #[test]
    fn a_reaching_hand_points_away_from_its_shoulder_and_left_mirrors_right() {
        let motion = Motion::new(Scene::Reach, 1, 4.0);
        let mut rays = 0;
        for step in 0..120 {
            let frame = Space::OpenXr.frame(motion.frame_at(step as f32 / 30.0));
            let head = frame.head.unwrap();
            for side in Side::BOTH {
                let Some(ray) = target_ray(side, &frame.hand(side).joints, Some(&head)) else {
                    continue;
                };
                let ahead = Rigid::of(&head).rotation * DVec3::NEG_Z;
                assert!((ray.rotation * DVec3::NEG_Z).dot(ahead) > 0.3);
                rays += 1;
            }
        }
        assert!(rays > 60);
        let head = Rigid::of(&Pose::at([0.0, 1.6, 0.0]));
        let right = shoulder(Side::Right, &head);
        assert!((right - DVec3::new(0.2, 1.35, 0.0)).length() < 1e-6);
        assert_eq!(
            shoulder(Side::Left, &head),
            right * DVec3::new(-1.0, 1.0, 1.0)
        );
    }

    #[test]
    fn a_head_that_looks_straight_down_has_a_heading() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        // −Z down, the top of the head ahead.
        let down = Rigid::of(&Pose {
            position: [0.0; 3],
            rotation: [-half, 0.0, 0.0, half],
        });
        assert!((down.rotation * DVec3::NEG_Z - DVec3::NEG_Y).length() < 1e-6);
        assert!((shoulder(Side::Right, &down) - SHOULDER).length() < 1e-6);
        let up = Rigid::of(&Pose {
            position: [0.0; 3],
            rotation: [half, 0.0, 0.0, half],
        });
        assert!((shoulder(Side::Right, &up) - SHOULDER).length() < 1e-6);
    }
}
