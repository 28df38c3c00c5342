//! Computes the palm of a hand from its other joints.

use inputanim::{Joint, Joints, Pose};

/// Returns the palm: half way from the middle finger's metacarpal to its knuckle, as OpenXR defines it,
/// with the rotation of the wrist, as in recordings by MRTK on devices. Returns `None` if one of the
/// three joints is unknown.
pub(crate) fn palm(joints: &Joints<Option<Pose>>) -> Option<Pose> {
    let wrist = joints[Joint::Wrist]?;
    let metacarpal = joints[Joint::MiddleMetacarpal]?.position;
    let knuckle = joints[Joint::MiddleKnuckle]?.position;
    let position = std::array::from_fn(|axis| f32::midpoint(metacarpal[axis], knuckle[axis]));
    Some(Pose { position, ..wrist })
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Side;
    use inputanim_motion::{Motion, Scene};

    #[test]
    fn the_computed_palm_is_near_that_of_generated_hands() {
        let motion = Motion::new(Scene::TwoHands, 3, 10.0);
        let mut hands = 0;
        for step in 0..300 {
            let frame = motion.frame_at(step as f32 / 30.0);
            for side in Side::BOTH {
                let joints = &frame.hand(side).joints;
                let Some(own) = joints[Joint::Palm] else {
                    continue;
                };
                let made = palm(joints).unwrap();
                let square = |a: f32, b: f32| (a - b) * (a - b);
                let apart = own.position.into_iter().zip(made.position);
                let apart = apart.map(|(a, b)| square(a, b)).sum::<f32>().sqrt();
                // The palm of generated hands is half way from the wrist to the knuckle.
                assert!(apart < 0.02, "{apart}");
                assert_eq!(made.rotation, own.rotation);
                hands += 1;
            }
        }
        assert!(hands > 300);
    }

    #[test]
    fn the_palm_is_unknown_without_one_of_its_joints() {
        let mut joints = Joints::from_fn(|_| Some(Pose::IDENTITY));
        assert_eq!(palm(&joints), Some(Pose::IDENTITY));
        joints[Joint::MiddleKnuckle] = None;
        assert_eq!(palm(&joints), None);
    }
}
