//! The set of poses, rays and states of a frame, as 64 bits.

use crate::frame::{Frame, Pose};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel};

/// Number of poses of a frame. Their slots: 0 the head, 1 to 27 the left hand's joints, 28 to 54
/// the right hand's.
pub(crate) const POSES: usize = 1 + 2 * 27;

const GAZE: u32 = POSES as u32;
const TRACKED: u32 = GAZE + 1;
const PINCHING: u32 = TRACKED + 2;
const UNKNOWN: u32 = PINCHING + 2;
const PINCH_UNKNOWN: u32 = UNKNOWN + 2;

/// The contents of a row, one bit each: 0 to 54 the poses by slot, 55 the gaze, 56 left tracked,
/// 57 right tracked, 58 left pinching, 59 right pinching, 60 left hand unknown, 61 right hand unknown, 62 left pinch unknown,
/// 63 right pinch unknown. Session files store these bits (docs/session.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(u64);

impl Contents {
    /// Converts bits from a session file. Returns `None` if bits contradict each other: a joint whose hand is not tracked, or a
    /// state that is on and unknown.
    pub(crate) fn from_bits(bits: u64) -> Option<Contents> {
        let contents = Contents(bits);
        let is_valid = |side| {
            let is_pinch_known = !contents.is_pinch_unknown(side);
            let is_off =
                !contents.is_tracked(side) && !contents.is_pinching(side) && is_pinch_known;
            (contents.is_tracked(side) || bits & joints(side) == 0)
                && (!contents.is_unknown(side) || is_off)
                && (is_pinch_known || !contents.is_pinching(side))
        };
        Side::BOTH.into_iter().all(is_valid).then_some(contents)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Returns the bits that describe the gaze and the states of a frame. The bits of its poses are not set.
    pub(super) fn without_poses(frame: &Frame) -> Contents {
        let mut bits = u64::from(frame.gaze.is_some()) << GAZE;
        for side in Side::BOTH {
            let hand = frame.hand(side);
            if hand.unknown {
                bits |= 1 << (UNKNOWN + side as u32);
                continue;
            }
            bits |= u64::from(hand.tracked) << (TRACKED + side as u32);
            if hand.pinch_unknown {
                bits |= 1 << (PINCH_UNKNOWN + side as u32);
            } else {
                bits |= u64::from(hand.pinching) << (PINCHING + side as u32);
            }
        }
        Contents(bits)
    }

    #[inline]
    pub(super) fn add_pose(&mut self, slot: usize) {
        self.0 |= 1 << slot;
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

    /// Returns only the bits of the hands' states (tracked, pinching, unknown), for comparison.
    pub(crate) fn states(self) -> u64 {
        self.0 >> TRACKED
    }

    /// Returns only the bits of the poses. Bit n is set if the pose of slot n is present: 0 for the head, 1 to 27 for
    /// the left hand's joints, 28 to 54 for the right hand's.
    pub(super) fn poses_bits(self) -> u64 {
        self.0 & all_poses()
    }

    /// Returns the slots of the present poses, in order: 0 for the head, 1 to 27 for the left hand's joints, 28 to 54
    /// for the right hand's.
    pub(crate) fn poses(self) -> impl Iterator<Item = usize> {
        let mut rest = self.poses_bits();
        std::iter::from_fn(move || {
            let slot = (rest != 0).then(|| rest.trailing_zeros() as usize);
            // Clears the lowest bit that is set. At 0 the subtraction wraps, and the result stays
            // 0.
            rest &= rest.wrapping_sub(1);
            slot
        })
    }

    pub(crate) fn count_poses(self) -> usize {
        self.poses_bits().count_ones() as usize
    }

    /// Returns `true` if nothing is known about a hand.
    pub(crate) fn is_unknown(self, side: Side) -> bool {
        self.has(UNKNOWN + side as u32)
    }

    /// Returns `true` if it is unknown whether a hand pinches.
    pub(crate) fn is_pinch_unknown(self, side: Side) -> bool {
        self.has(PINCH_UNKNOWN + side as u32)
    }

    /// Returns the bits of the head, of the gaze and of the joints of tracked hands: what a frame contains if everything is
    /// recorded and known.
    pub(super) fn expected_bits(self) -> u64 {
        let tracked = Side::BOTH.into_iter().filter(|&side| self.is_tracked(side));
        tracked.fold(1 | 1 << GAZE, |bits, side| bits | joints(side))
    }

    /// Returns the bits of the present poses and of the gaze.
    pub(super) fn present_bits(self) -> u64 {
        self.0 & (all_poses() | 1 << GAZE)
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

/// Calls a function with the slot and the pose of each recorded pose of a frame, in order. Slots are 0 for the head, 1
/// to 27 for the left hand's joints, 28 to 54 for the right hand's. Joints of a hand that is not tracked are not
/// recorded.
#[inline]
pub(super) fn each_pose(frame: &Frame, mut visit: impl FnMut(usize, &Pose)) {
    if let Some(pose) = &frame.head {
        visit(0, pose);
    }
    for side in Side::BOTH {
        let hand = frame.hand(side);
        if hand.tracked && !hand.unknown {
            for (joint, pose) in hand.joints.iter() {
                if let Some(pose) = pose {
                    visit(1 + 27 * side as usize + joint.index(), pose);
                }
            }
        }
    }
}

/// Returns the hand and the joint of a pose slot, 1 to 54; `None` for the head, slot 0.
pub(crate) fn joint_at(slot: usize) -> Option<(Side, Joint)> {
    let slot = slot.checked_sub(1)?;
    let side = Side::BOTH.get(slot / 27)?;
    Some((*side, Joint::from_index(slot % 27)?))
}

/// Returns the name of one curve of the pose in a slot: 0 for the head, 1 to 27 for the left hand's joints, 28 to 54
/// for the right hand's.
pub(super) fn curve_at(slot: usize, channel: PoseChannel) -> CurvePath {
    match joint_at(slot) {
        Some((side, joint)) => CurvePath::Joint(side, joint, channel),
        None => CurvePath::Head(channel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_in_file_order() {
        assert_eq!(joint_at(0), None);
        assert_eq!(joint_at(1), Some((Side::Left, Joint::None)));
        assert_eq!(joint_at(28 + 11), Some((Side::Right, Joint::IndexTip)));
        assert_eq!(joint_at(54), Some((Side::Right, Joint::PinkyTip)));
        assert_eq!(Contents(all_poses()).poses().count(), POSES);
    }

    #[test]
    fn bits_that_no_frame_has_are_refused() {
        // A pinch is not known and unknown at once, and nothing else is known of an unknown hand.
        for state in [PINCHING, UNKNOWN] {
            let both = 1 << PINCH_UNKNOWN | 1 << state;
            assert!(Contents::from_bits(both).is_none());
        }
        assert!(Contents::from_bits(1 << (PINCH_UNKNOWN + 1)).is_some());
        let right_palm = 1 << 30;
        assert!(Contents::from_bits(right_palm).is_none());
        assert!(Contents::from_bits(right_palm | 1 << TRACKED).is_none());
        assert!(Contents::from_bits(right_palm | 1 << (TRACKED + 1)).is_some());
    }
}
