//! The order of the numbers of one frame in arrays of JavaScript.

use inputanim::{CurvePath, Frame, HandFrame, Joint, Pose, PoseChannel, RayChannel, Side};

const POSE: usize = 7;
const RAY: usize = 6;
const HAND: usize = 2 + 27 * POSE;

/// Number of numbers of a frame.
pub(crate) const LENGTH: usize = POSE + 2 * HAND + RAY;

/// The numbers of a frame: the camera, the left hand, the right hand and the gaze. A hand begins with its
/// states, 1 or 0. Values that are not recorded or not tracked are NaN.
pub(crate) type Row = [f32; LENGTH];

/// Returns the curve of each number of a row.
pub(crate) fn paths() -> impl Iterator<Item = CurvePath> {
    let hand = |side| {
        let joints = Joint::ALL.into_iter().flat_map(move |joint| {
            PoseChannel::ALL.map(|channel| CurvePath::Joint(side, joint, channel))
        });
        [CurvePath::Tracked(side), CurvePath::Pinching(side)]
            .into_iter()
            .chain(joints)
    };
    let camera = PoseChannel::ALL.into_iter().map(CurvePath::Camera);
    let gaze = RayChannel::ALL.into_iter().map(CurvePath::Gaze);
    camera
        .chain(Side::BOTH.into_iter().flat_map(hand))
        .chain(gaze)
}

/// Writes a frame into a row.
pub(crate) fn write(frame: &Frame, row: &mut Row) {
    let (camera, rest) = row.split_at_mut(POSE);
    let (left, rest) = rest.split_at_mut(HAND);
    let (right, gaze) = rest.split_at_mut(HAND);
    write_pose(frame.camera.as_ref(), camera);
    write_hand(&frame.left, left);
    write_hand(&frame.right, right);
    match &frame.gaze {
        Some(ray) => {
            gaze[..3].copy_from_slice(&ray.origin);
            gaze[3..].copy_from_slice(&ray.direction);
        }
        None => gaze.fill(f32::NAN),
    }
}

fn write_hand(hand: &HandFrame, row: &mut [f32]) {
    row[0] = f32::from(u8::from(hand.tracked));
    row[1] = f32::from(u8::from(hand.pinching));
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

#[cfg(feature = "edits")]
pub(crate) use read::read;

/// Reading of rows, for the recorder.
#[cfg(feature = "edits")]
mod read {
    use inputanim::{Frame, HandFrame, Pose, Ray};

    use super::{HAND, POSE, Row};

    /// Reads a frame from a row. A pose of which every number is NaN is not known.
    pub(crate) fn read(time: f32, row: &Row) -> Frame {
        let (camera, rest) = row.split_at(POSE);
        let (left, rest) = rest.split_at(HAND);
        let (right, gaze) = rest.split_at(HAND);
        Frame {
            time,
            camera: read_pose(camera),
            left: read_hand(left),
            right: read_hand(right),
            gaze: is_known(gaze).then(|| Ray {
                origin: std::array::from_fn(|i| gaze[i]),
                direction: std::array::from_fn(|i| gaze[3 + i]),
            }),
        }
    }

    fn read_hand(row: &[f32]) -> HandFrame {
        let mut hand = HandFrame {
            tracked: row[0] > 0.5,
            pinching: row[1] > 0.5,
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
}

#[cfg(all(test, feature = "edits"))]
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
            camera: Some(Pose::at([1.0, 2.0, 3.0])),
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.joints[Joint::Palm] = Some(Pose::at([4.0, 5.0, 6.0]));
        let mut row = [0.0; LENGTH];
        write(&frame, &mut row);
        let palm = CurvePath::Joint(Side::Right, Joint::Palm, PoseChannel::PositionY);
        let index = paths().position(|path| path == palm);
        assert_eq!(index.map(|index| row[index]), Some(5.0));
        assert_eq!(read(1.5, &row), frame);
    }
}
