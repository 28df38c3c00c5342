//! Hands that hold controllers.

use inputanim::controller::{WRIST_IN_PALM, palm_in_grip};
use inputanim::{Joint, Joints, Pose, Side};

use super::rigid::Rigid;

/// Returns the palm and the wrist of a hand that holds a controller, computed from the grip of the controller. All
/// poses are in OpenXR's axes. The other joints are `None`.
pub(crate) fn joints(grip: &Pose, side: Side) -> Joints<Option<Pose>> {
    let palm = Rigid::of(&palm_in_grip(side)).on(&Rigid::of(grip));
    let wrist = Rigid::of(&WRIST_IN_PALM);
    let mut joints = Joints::default();
    joints[Joint::Palm] = Some(palm.pose());
    joints[Joint::Wrist] = Some(wrist.on(&palm).pose());
    joints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(pose: &Pose, axis: [f32; 3]) -> [f32; 3] {
        // Adding 0 removes the sign of −0.
        pose.turn(axis).map(|part| part.round() + 0.0)
    }

    #[test]
    fn the_axes_of_the_left_palm_are_axes_of_the_grip() {
        // Without a rotation, the axes of the grip are the axes of the world.
        let left = joints(&Pose::IDENTITY, Side::Left)[Joint::Palm].unwrap();
        assert_eq!(rounded(&left, [1.0, 0.0, 0.0]), [0.0, 0.0, -1.0]);
        assert_eq!(rounded(&left, [0.0, 1.0, 0.0]), [-1.0, 0.0, 0.0]);
        assert_eq!(rounded(&left, [0.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn the_wrist_is_behind_the_palm() {
        // A right hand with its thumb up and its fingers ahead: −Z of the grip points up, +X to the right.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let grip = Pose {
            position: [0.2, 1.0, -0.4],
            rotation: [half, 0.0, 0.0, half],
        };
        assert_eq!(rounded(&grip, [0.0, 0.0, -1.0]), [0.0, 1.0, 0.0]);
        let joints = joints(&grip, Side::Right);
        assert_eq!(joints[Joint::Palm].unwrap().position, [0.2, 1.0, -0.4]);
        let [x, y, z] = joints[Joint::Wrist].unwrap().position;
        assert!((x - 0.2).abs() < 1e-6 && (y - 1.0).abs() < 1e-6, "{x} {y}");
        assert!((z + 0.4 - 0.047).abs() < 1e-6, "{z}");
        assert_eq!(joints[Joint::IndexTip], None);
    }
}
