//! Which columns make up which poses.

use std::io::BufRead;

use inputanim::{CurvePath, Frame, Joint, PoseChannel, RayChannel, Side};

use crate::frames::Error;
use crate::frames::line;

use super::heads::{Column, Heads, Row};

/// The columns of what is in a frame.
#[derive(Debug, Default)]
pub(super) struct Poses {
    camera: Option<[Column; 7]>,
    hands: [HandColumns; 2],
    gaze: Option<[Column; 6]>,
}

#[derive(Debug, Default)]
struct HandColumns {
    tracked: Option<Column>,
    pinching: Option<Column>,
    joints: Vec<(Joint, [Column; 7])>,
}

impl Poses {
    /// A pose of which there is a column must have all.
    pub(super) fn new(heads: &Heads) -> Result<Poses, Error> {
        let mut poses = Poses::default();
        for path in heads.curves() {
            match path {
                CurvePath::Camera(_) => {
                    poses.camera = Some(columns(heads, PoseChannel::ALL, CurvePath::Camera)?);
                }
                CurvePath::Gaze(_) => {
                    poses.gaze = Some(columns(heads, RayChannel::ALL, CurvePath::Gaze)?);
                }
                CurvePath::Tracked(side) => {
                    poses.hands[side as usize].tracked = Some(heads.column(path)?);
                }
                CurvePath::Pinching(side) => {
                    poses.hands[side as usize].pinching = Some(heads.column(path)?);
                }
                CurvePath::Joint(side, joint, _) => {
                    let joints = &mut poses.hands[side as usize].joints;
                    if joints.iter().all(|(other, _)| *other != joint) {
                        let path = |channel| CurvePath::Joint(side, joint, channel);
                        joints.push((joint, columns(heads, PoseChannel::ALL, path)?));
                    }
                }
            }
        }
        Ok(poses)
    }

    /// What a row says, but for the time.
    pub(super) fn frame<R: BufRead>(&self, row: &Row<'_, R>) -> Result<Frame, Error> {
        let mut frame = Frame::default();
        let pose = |columns: [Column; 7]| {
            let missing = |missing: usize| row.at(columns[missing].index).missing();
            line::pose(row.numbers(columns)?).map_err(missing)
        };
        let state = |column: Option<Column>| column.map_or(Ok(None), |column| row.state(column));
        if let Some(columns) = self.camera {
            frame.camera = pose(columns)?;
        }
        for (side, columns) in Side::BOTH.into_iter().zip(&self.hands) {
            let hand = frame.hand_mut(side);
            for &(joint, columns) in &columns.joints {
                hand.joints[joint] = pose(columns)?;
            }
            let (tracked, pinching) = (state(columns.tracked)?, state(columns.pinching)?);
            *hand = line::hand(tracked, pinching, hand.joints);
        }
        if let Some(columns) = self.gaze {
            let missing = |missing: usize| row.at(columns[missing].index).missing();
            frame.gaze = line::ray(row.numbers(columns)?).map_err(missing)?;
        }
        Ok(frame)
    }
}

fn columns<C, const N: usize>(
    heads: &Heads,
    channels: [C; N],
    path: impl Fn(C) -> CurvePath,
) -> Result<[Column; N], Error> {
    let mut columns = [Column {
        index: 0,
        factor: 1.0,
    }; N];
    for (column, channel) in columns.iter_mut().zip(channels) {
        *column = heads.column(path(channel))?;
    }
    Ok(columns)
}
