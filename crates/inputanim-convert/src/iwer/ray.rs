//! Where a hand points.

use glam::DVec3;
use inputanim::{Joint, Joints, Pose, Side};

use crate::rigid::{Rigid, facing};

/// From the eyes to a right shoulder: to the right, up and back.
const SHOULDER: DVec3 = DVec3::new(0.2, -0.25, 0.0);

/// The target ray of a hand, in WebXR's axes: from the index knuckle, along its own −Z, with +Y as
/// far up as can be. The joints are those of WebXR, all of them known.
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
    // Who looks straight up or down is turned to where the top of the head or the chin is.
    let level = |direction: DVec3| DVec3::new(direction.x, 0.0, direction.z);
    let heading = match level(ahead).length() > 1e-3 {
        true => ahead,
        false => head.rotation * DVec3::new(0.0, -ahead.y.signum(), 0.0),
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
            let head = frame.camera.unwrap();
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
    fn who_looks_straight_down_is_still_turned_somewhere() {
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
