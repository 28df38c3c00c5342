//! Hands that hold a controller: the poses of the palm and of the wrist follow from the grip of the controller.

use crate::{Pose, Side};

/// The pose of the wrist relative to the palm, in the axes of OpenXR: 47 mm behind the palm, with the same rotation.
/// The distance comes from a recording of a HoloLens 2.
pub const WRIST_IN_PALM: Pose = Pose::at([0.0, 0.0, 0.047]);

/// Returns the pose of the palm relative to the grip pose of a controller, in the axes of OpenXR. Its position is 0:
/// the palm and the grip have the same origin.
///
/// +X of a grip points out of the left palm, but into the right palm, and −Z points from the little finger to the thumb
/// (OpenXR 1.1, section 6.3.1). +Y of a palm points out of the back of the hand, and +Z from the fingers to the wrist
/// (`XR_EXT_hand_tracking`, conventions of hand joints).
///
/// ```
/// use inputanim::Side;
/// use inputanim::controller::palm_in_grip;
/// // The axes of the right palm are +Z, +X and +Y of the grip.
/// let palm = palm_in_grip(Side::Right);
/// assert_eq!(palm.turn([1.0, 0.0, 0.0]), [0.0, 0.0, 1.0]);
/// assert_eq!(palm.turn([0.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
/// assert_eq!(palm.turn([0.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
/// ```
pub const fn palm_in_grip(side: Side) -> Pose {
    Pose {
        position: [0.0; 3],
        rotation: match side {
            Side::Left => [-0.5, 0.5, 0.5, 0.5],
            Side::Right => [-0.5, -0.5, -0.5, 0.5],
        },
    }
}
