//! A frame as a row of 32-bit words.
//!
//! The words: the time as the bits of an `f32`; [`Contents`], low half first; the numbers of the
//! present poses and the gaze in file order, as the bits of `f32`: seven for each pose, six for
//! the gaze.

use super::contents::{Contents, POSES, joint_at};
use crate::frame::{Frame, Pose, Ray};
use crate::joint::Side;

pub(super) const HEAD: usize = 3;
pub(super) const POSE: usize = 7;
pub(super) const RAY: usize = 6;
/// Number of words of a row with all contents.
pub(super) const MAX_LEN: usize = HEAD + POSES * POSE + RAY;

/// Returns the number of 32-bit words of a row (an encoded frame) with these contents.
pub(super) fn len(contents: Contents) -> usize {
    HEAD + contents.count_poses() * POSE + usize::from(contents.has_gaze()) * RAY
}

/// A decoded row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'w> {
    /// Seconds.
    pub(crate) time: f32,
    pub(crate) contents: Contents,
    numbers: &'w [u32],
}

impl Row<'_> {
    /// The number of bytes of a row from which [`len_of`](Row::len_of) finds its length.
    pub(crate) const HEAD_BYTES: usize = HEAD * size_of::<u32>();

    /// Returns the number of words of the row with these first words; `None` if they are not valid.
    pub(crate) fn len_of(words: &[u32]) -> Option<usize> {
        let [_, low, high, ..] = *words else {
            return None;
        };
        Contents::from_bits(u64::from(high) << 32 | u64::from(low)).map(len)
    }
}

impl<'w> Row<'w> {
    /// Decodes the row, an encoded frame, at the start of `words`, and returns it with the words after it. Returns
    /// `None` when no valid row begins there.
    pub(crate) fn split(words: &'w [u32]) -> Option<(Row<'w>, &'w [u32])> {
        let [time, low, high, ..] = *words else {
            return None;
        };
        // Rows also come from session files, so their bits are checked.
        let contents = Contents::from_bits(u64::from(high) << 32 | u64::from(low))?;
        let (row, rest) = words.split_at_checked(len(contents))?;
        let row = Row {
            time: f32::from_bits(time),
            contents,
            numbers: &row[HEAD..],
        };
        Some((row, rest))
    }

    /// Returns the number of 32-bit words of the row, which is an encoded frame.
    pub(crate) fn len(self) -> usize {
        len(self.contents)
    }

    /// Returns the count of the numbers in the row: seven for each pose and six for the gaze.
    pub(crate) fn numbers(self) -> usize {
        self.numbers.len()
    }

    /// Decodes the row into `frame`, and replaces all contents of the frame.
    pub(crate) fn fill(self, frame: &mut Frame) {
        frame.time = self.time;
        frame.head = None;
        frame.gaze = self.gaze();
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            hand.tracked = self.contents.is_tracked(side);
            hand.pinching = self.contents.is_pinching(side);
            hand.unknown = self.contents.is_unknown(side);
            hand.pinch_unknown = self.contents.is_pinch_unknown(side);
            hand.joints.iter_mut().for_each(|(_, pose)| *pose = None);
        }
        for (slot, pose) in self.poses() {
            match joint_at(slot) {
                Some((side, joint)) => frame.hand_mut(side).joints[joint] = Some(pose),
                None => frame.head = Some(pose),
            }
        }
    }

    /// Returns the present poses with their slots: 0 for the head, 1 to 27 for the left hand's joints, 28 to 54 for the
    /// right hand's.
    pub(crate) fn poses(self) -> impl Iterator<Item = (usize, Pose)> {
        let (poses, _) = self.numbers.as_chunks::<POSE>();
        self.contents.poses().zip(poses).map(|(slot, words)| {
            let [x, y, z, rotation @ ..] = words.map(f32::from_bits);
            let position = [x, y, z];
            (slot, Pose { position, rotation })
        })
    }

    pub(crate) fn gaze(self) -> Option<Ray> {
        let words: [u32; RAY] = *self.numbers.last_chunk()?;
        let [ox, oy, oz, direction @ ..] = words.map(f32::from_bits);
        self.contents.has_gaze().then_some(Ray {
            origin: [ox, oy, oz],
            direction,
        })
    }
}
