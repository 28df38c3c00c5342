//! What a frame has, in 64 bits.

use crate::frame::{Frame, Pose};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel};

/// Poses that a frame can have, each with its place: 0 the camera, 1 to 27 the left hand's joints,
/// 28 to 54 the right hand's.
pub(crate) const POSES: usize = 1 + 2 * 27;

const GAZE: u32 = POSES as u32;
const TRACKED: u32 = GAZE + 1;
const PINCHING: u32 = TRACKED + 2;
const ALL: u32 = PINCHING + 2;

/// A bit for each thing that a row has: the poses at their places, 55 the gaze, then the states:
/// 56 left tracked, 57 right tracked, 58 left pinching, 59 right pinching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(u64);

impl Contents {
    /// `None` where bits are set that mean nothing, or a joint of a hand that is not tracked.
    pub(crate) fn from_bits(bits: u64) -> Option<Contents> {
        let contents = Contents(bits);
        let is_sound = |side| contents.is_tracked(side) || bits & joints(side) == 0;
        (bits >> ALL == 0 && Side::BOTH.into_iter().all(is_sound)).then_some(contents)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The gaze and the states of a frame, without its poses.
    pub(super) fn without_poses(frame: &Frame) -> Contents {
        let mut bits = u64::from(frame.gaze.is_some()) << GAZE;
        for side in Side::BOTH {
            let hand = frame.hand(side);
            bits |= u64::from(hand.tracked) << (TRACKED + side as u32);
            bits |= u64::from(hand.pinching) << (PINCHING + side as u32);
        }
        Contents(bits)
    }

    #[inline]
    pub(super) fn add_pose(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    pub(crate) fn has_gaze(self) -> bool {
        self.has(GAZE)
    }

    pub(crate) fn is_tracked(self, side: Side) -> bool {
        self.has(TRACKED + side as u32)
    }

    pub(crate) fn is_pinching(self, side: Side) -> bool {
        self.has(PINCHING + side as u32)
    }

    /// The states alone, to compare them.
    pub(crate) fn states(self) -> u64 {
        self.0 >> TRACKED
    }

    /// The bits of the poses alone.
    pub(super) fn poses_bits(self) -> u64 {
        self.0 & all_poses()
    }

    /// The places of the poses that are there, in order.
    pub(crate) fn poses(self) -> impl Iterator<Item = usize> {
        let mut rest = self.poses_bits();
        std::iter::from_fn(move || {
            let place = (rest != 0).then(|| rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            place
        })
    }

    pub(crate) fn count_poses(self) -> usize {
        self.poses_bits().count_ones() as usize
    }

    fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
}

const fn all_poses() -> u64 {
    (1 << POSES) - 1
}

const fn joints(side: Side) -> u64 {
    ((1 << 27) - 1) << (1 + 27 * side as u32)
}

/// Shows each pose of a frame that is recorded, in the order of their places: joints only of a
/// hand that is tracked.
#[inline]
pub(super) fn each_pose(frame: &Frame, mut show: impl FnMut(usize, &Pose)) {
    if let Some(pose) = &frame.camera {
        show(0, pose);
    }
    for side in Side::BOTH {
        let hand = frame.hand(side);
        if hand.tracked {
            for (joint, pose) in hand.joints.iter() {
                if let Some(pose) = pose {
                    show(1 + 27 * side as usize + joint.index(), pose);
                }
            }
        }
    }
}

/// Whose pose is at a place; `None` is the camera.
pub(crate) fn joint_at(place: usize) -> Option<(Side, Joint)> {
    let place = place.checked_sub(1)?;
    let side = Side::BOTH.get(place / 27)?;
    Some((*side, Joint::from_index(place % 27)?))
}

/// The name of a number of the pose at a place.
pub(super) fn curve_at(place: usize, channel: PoseChannel) -> CurvePath {
    match joint_at(place) {
        Some((side, joint)) => CurvePath::Joint(side, joint, channel),
        None => CurvePath::Camera(channel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_file_order() {
        assert_eq!(joint_at(0), None);
        assert_eq!(joint_at(1), Some((Side::Left, Joint::None)));
        assert_eq!(joint_at(28 + 11), Some((Side::Right, Joint::IndexTip)));
        assert_eq!(joint_at(54), Some((Side::Right, Joint::PinkyTip)));
        assert_eq!(Contents(all_poses()).poses().count(), POSES);
    }

    #[test]
    fn bits_that_no_frame_gives_are_refused() {
        assert!(Contents::from_bits(1 << ALL).is_none());
        let palm_of_the_right = 1 << 30;
        assert!(Contents::from_bits(palm_of_the_right).is_none());
        assert!(Contents::from_bits(palm_of_the_right | 1 << TRACKED).is_none());
        assert!(Contents::from_bits(palm_of_the_right | 1 << (TRACKED + 1)).is_some());
    }
}
