//! Hands that hold controllers.

use glam::{DQuat, DVec3};
use inputanim::{Joint, Joints, Pose, Side};

use crate::rigid::Rigid;

/// The distance from the palm to the wrist in metres. It is the distance in a recording of a HoloLens 2, which the layer of
/// `inputanim` for OpenXR uses too.
const WRIST_DISTANCE: f64 = 0.047;

/// Returns the palm and the wrist of a hand that holds a controller, from the grip of the controller in OpenXR's axes.
///
/// +X of a grip points out of the left palm, but into the right palm, and −Z from the little finger to the thumb (OpenXR 1.1,
/// section 6.3.1). +Y of a palm leaves the back of the hand, and +Z points from the fingers to the wrist
/// (`XR_EXT_hand_tracking`, conventions of hand joints).
/// The wrist has the rotation of the palm.
pub(super) fn joints(grip: &Pose, side: Side) -> Joints<Option<Pose>> {
    // The axes of the palm in the axes of the grip are columns of a rotation: X = ±Z, Y = ±X, Z = Y.
    let turn = match side {
        Side::Left => DQuat::from_xyzw(-0.5, 0.5, 0.5, 0.5),
        Side::Right => DQuat::from_xyzw(-0.5, -0.5, -0.5, 0.5),
    };
    let palm = Rigid {
        position: DVec3::ZERO,
        rotation: turn,
    };
    let palm = palm.on(&Rigid::of(grip));
    let wrist = Rigid {
        position: DVec3::new(0.0, 0.0, WRIST_DISTANCE),
        rotation: DQuat::IDENTITY,
    };
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
    fn the_axes_of_a_palm_are_axes_of_the_grip() {
        // Without a rotation, the axes of the grip are the axes of the world.
        let of = |side| joints(&Pose::IDENTITY, side)[Joint::Palm].unwrap();
        let right = of(Side::Right);
        assert_eq!(rounded(&right, [1.0, 0.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(rounded(&right, [0.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
        assert_eq!(rounded(&right, [0.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
        let left = of(Side::Left);
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
