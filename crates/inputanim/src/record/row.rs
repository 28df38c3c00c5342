//! A frame as a row of words: its time, what is there, and only the numbers that are.
//!
//! The time, as the bits of an `f32`; [`Contents`], the low half first; then the numbers in file
//! order, as their bits: seven for each pose, six for the gaze.

use super::contents::{Contents, POSES, joint_at};
use crate::frame::{Frame, Pose, Ray};
use crate::joint::Side;

pub(super) const HEAD: usize = 3;
pub(super) const POSE: usize = 7;
pub(super) const RAY: usize = 6;
/// Words of a row that has everything.
pub(super) const LONGEST: usize = HEAD + POSES * POSE + RAY;

/// Words of a row.
pub(super) fn len(contents: Contents) -> usize {
    HEAD + contents.count_poses() * POSE + usize::from(contents.has_gaze()) * RAY
}

/// A row to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'w> {
    /// Seconds.
    pub(crate) time: f32,
    pub(crate) contents: Contents,
    numbers: &'w [u32],
}

impl<'w> Row<'w> {
    /// The row that words begin with, and the words after it; `None` where there is none.
    pub(crate) fn split(words: &'w [u32]) -> Option<(Row<'w>, &'w [u32])> {
        let [time, low, high, ..] = *words else {
            return None;
        };
        let contents = Contents::from_bits(u64::from(high) << 32 | u64::from(low))?;
        let (row, rest) = words.split_at_checked(len(contents))?;
        let row = Row {
            time: f32::from_bits(time),
            contents,
            numbers: &row[HEAD..],
        };
        Some((row, rest))
    }

    /// Words that it takes.
    pub(crate) fn len(self) -> usize {
        len(self.contents)
    }

    /// Numbers of poses and the gaze.
    pub(crate) fn numbers(self) -> usize {
        self.numbers.len()
    }

    /// Writes the frame over another one, all of it.
    pub(crate) fn fill(self, frame: &mut Frame) {
        frame.time = self.time;
        frame.camera = None;
        frame.gaze = self.gaze();
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            hand.tracked = self.contents.is_tracked(side);
            hand.pinching = self.contents.is_pinching(side);
            hand.joints.iter_mut().for_each(|(_, pose)| *pose = None);
        }
        for (place, pose) in self.poses() {
            match joint_at(place) {
                Some((side, joint)) => frame.hand_mut(side).joints[joint] = Some(pose),
                None => frame.camera = Some(pose),
            }
        }
    }

    /// The poses that are there, each with its place.
    pub(crate) fn poses(self) -> impl Iterator<Item = (usize, Pose)> {
        let (poses, _) = self.numbers.as_chunks::<POSE>();
        self.contents.poses().zip(poses).map(|(place, words)| {
            let [x, y, z, rotation @ ..] = words.map(f32::from_bits);
            let position = [x, y, z];
            (place, Pose { position, rotation })
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
