//! The numbers of a frame in a fixed order, for interfaces that pass arrays.

use crate::frame::{Frame, HandFrame, Pose, Ray};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel, RayChannel};

const POSE: usize = 7;
const RAY: usize = 6;
const HAND: usize = 2 + 27 * POSE;

/// Number of numbers of a frame.
pub const LENGTH: usize = POSE + 2 * HAND + RAY;

/// The numbers of a frame: the head, the left hand, the right hand and the gaze. A hand begins with its
/// states, 1 or 0, or NaN if nothing is known about the hand. Values that are not recorded, not tracked or unknown are NaN.
pub type Row = [f32; LENGTH];

/// Returns the names of the curves that the numbers of a [`Row`] belong to, in the order of the numbers.
pub fn paths() -> impl Iterator<Item = CurvePath> {
    let hand = |side| {
        let joints = Joint::ALL.into_iter().flat_map(move |joint| {
            PoseChannel::ALL.map(|channel| CurvePath::Joint(side, joint, channel))
        });
        [CurvePath::Tracked(side), CurvePath::Pinching(side)]
            .into_iter()
            .chain(joints)
    };
    let head = PoseChannel::ALL.into_iter().map(CurvePath::Head);
    let gaze = RayChannel::ALL.into_iter().map(CurvePath::Gaze);
    head.chain(Side::BOTH.into_iter().flat_map(hand))
        .chain(gaze)
}

impl Frame {
    /// Returns the numbers of the frame without its time, in the order of [`paths`]. States are 1 or 0; the numbers of
    /// an absent pose or gaze are NaN. A row has no devices.
    ///
    /// ```
    /// use inputanim::{Frame, Pose, row};
    /// let frame = Frame { head: Some(Pose::at([0.0, 1.6, 0.0])), ..Frame::default() };
    /// let row = frame.to_row();
    /// let height = row::paths().position(|path| path.to_string() == "head.position.y");
    /// assert_eq!(height.map(|index| row[index]), Some(1.6));
    /// assert_eq!(Frame::from_row(frame.time, &row), frame);
    /// ```
    pub fn to_row(&self) -> Row {
        let mut row = [f32::NAN; LENGTH];
        self.write_row(&mut row);
        row
    }

    /// Writes the numbers of the frame without its time to `row`, in the order of [`paths`]. States are 1 or 0; the
    /// numbers of an absent pose or gaze are NaN.
    pub fn write_row(&self, row: &mut Row) {
        let (head, rest) = row.split_at_mut(POSE);
        let (left, rest) = rest.split_at_mut(HAND);
        let (right, gaze) = rest.split_at_mut(HAND);
        write_pose(self.head.as_ref(), head);
        write_hand(&self.left, left);
        write_hand(&self.right, right);
        match &self.gaze {
            Some(ray) => {
                gaze[..3].copy_from_slice(&ray.origin);
                gaze[3..].copy_from_slice(&ray.direction);
            }
            None => gaze.fill(f32::NAN),
        }
    }

    /// Returns the frame at `time` seconds with the numbers of a row. A state above 0.5 is on. A pose or gaze whose
    /// numbers are all NaN becomes `None`.
    pub fn from_row(time: f32, row: &Row) -> Frame {
        let (head, rest) = row.split_at(POSE);
        let (left, rest) = rest.split_at(HAND);
        let (right, gaze) = rest.split_at(HAND);
        Frame {
            time,
            head: read_pose(head),
            left: read_hand(left),
            right: read_hand(right),
            gaze: is_known(gaze).then(|| Ray {
                origin: std::array::from_fn(|i| gaze[i]),
                direction: std::array::from_fn(|i| gaze[3 + i]),
            }),
            devices: Vec::new(),
        }
    }
}

fn write_hand(hand: &HandFrame, row: &mut [f32]) {
    let state = |is_on: bool, is_unknown: bool| {
        if is_unknown {
            f32::NAN
        } else {
            f32::from(u8::from(is_on))
        }
    };
    row[0] = state(hand.tracked, hand.unknown);
    row[1] = state(hand.pinching, hand.unknown || hand.pinch_unknown);
    for ((_, pose), row) in hand.joints.iter().zip(row[2..].chunks_exact_mut(POSE)) {
        write_pose(pose.as_ref(), row);
    }
}

fn write_pose(pose: Option<&Pose>, row: &mut [f32]) {
    match pose {
        Some(pose) => {
            row[..3].copy_from_slice(&pose.position);
            row[3..].copy_from_slice(&pose.rotation);
        }
        None => row.fill(f32::NAN),
    }
}

fn read_hand(row: &[f32]) -> HandFrame {
    let mut hand = HandFrame {
        tracked: row[0] > 0.5,
        pinching: row[1] > 0.5,
        unknown: row[0].is_nan(),
        pinch_unknown: row[1].is_nan() && !row[0].is_nan(),
        ..HandFrame::default()
    };
    for ((_, pose), row) in hand.joints.iter_mut().zip(row[2..].chunks_exact(POSE)) {
        *pose = read_pose(row);
    }
    hand
}

fn read_pose(row: &[f32]) -> Option<Pose> {
    is_known(row).then(|| Pose {
        position: std::array::from_fn(|i| row[i]),
        rotation: std::array::from_fn(|i| row[3 + i]),
    })
}

fn is_known(row: &[f32]) -> bool {
    !row.iter().all(|value| value.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_number_for_each_curve() {
        assert_eq!(paths().count(), LENGTH);
    }

    #[test]
    fn a_frame_reads_back_from_a_row() {
        let mut frame = Frame {
            time: 1.5,
            head: Some(Pose::at([1.0, 2.0, 3.0])),
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.joints[Joint::Palm] = Some(Pose::at([4.0, 5.0, 6.0]));
        let row = frame.to_row();
        let palm = CurvePath::Joint(Side::Right, Joint::Palm, PoseChannel::PositionY);
        let index = paths().position(|path| path == palm);
        assert_eq!(index.map(|index| row[index]), Some(5.0));
        assert_eq!(Frame::from_row(1.5, &row), frame);
    }
}
