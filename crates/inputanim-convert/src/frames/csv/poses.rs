//! Which columns make up which poses.

use std::io::BufRead;

use inputanim::{CurvePath, Frame, Joint, PoseChannel, RayChannel, Side};

use crate::frames::Error;
use crate::frames::line;

use super::heads::{Column, Heads, Row};

/// The columns of what is in a frame.
#[derive(Debug, Default)]
pub(super) struct Poses {
    camera: Option<PoseColumns>,
    hands: [HandColumns; 2],
    gaze: Option<[Column; 6]>,
}

#[derive(Debug, Default)]
struct HandColumns {
    tracked: Option<Column>,
    pinching: Option<Column>,
    joints: Vec<(Joint, PoseColumns)>,
}

/// The columns of a pose; in a whole table it may have none of a rotation.
#[derive(Clone, Copy, Debug)]
struct PoseColumns {
    position: [Column; 3],
    rotation: Option<[Column; 4]>,
}

impl Poses {
    /// A pose of which there is a column must have all.
    pub(super) fn new(heads: &Heads) -> Result<Poses, Error> {
        let mut poses = Poses::default();
        for path in heads.curves() {
            match path {
                CurvePath::Camera(_) => {
                    poses.camera = Some(pose(heads, CurvePath::Camera)?);
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
                        joints.push((joint, pose(heads, path)?));
                    }
                }
            }
        }
        Ok(poses)
    }

    /// The names of poses without columns of a rotation.
    pub(super) fn not_turned(&self) -> Vec<String> {
        let camera = CurvePath::Camera(PoseChannel::PositionX);
        let camera = self.camera.iter().map(|columns| (camera, columns));
        let joints = Side::BOTH
            .into_iter()
            .zip(&self.hands)
            .flat_map(|(side, hand)| {
                let joints = hand.joints.iter();
                joints.map(move |(joint, columns)| {
                    (
                        CurvePath::Joint(side, *joint, PoseChannel::PositionX),
                        columns,
                    )
                })
            });
        let poses = camera.chain(joints);
        let poses = poses.filter(|(_, columns)| columns.rotation.is_none());
        poses.map(|(path, _)| line::pose_of(path)).collect()
    }

    /// What a row says, but for the time.
    pub(super) fn frame<R: BufRead>(&self, row: &Row<'_, R>) -> Result<Frame, Error> {
        let mut frame = Frame::default();
        let pose = |PoseColumns { position, rotation }: PoseColumns| {
            let [x, y, z] = row.numbers(position)?;
            let [qx, qy, qz, qw] = match rotation {
                Some(columns) => row.numbers(columns)?,
                None => line::NOT_TURNED.map(|number| x.and(Some(number))),
            };
            let missing = |missing: usize| {
                let column = match (missing, rotation) {
                    (3.., Some(columns)) => columns[missing - 3],
                    _ => position[missing.min(2)],
                };
                row.at(column.index).missing()
            };
            line::pose([x, y, z, qx, qy, qz, qw]).map_err(missing)
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

/// The columns of a pose, all of them or those of its position.
fn pose(heads: &Heads, path: impl Fn(PoseChannel) -> CurvePath) -> Result<PoseColumns, Error> {
    let [x, y, z, rotation @ ..] = PoseChannel::ALL;
    let is_turned = rotation.iter().any(|&channel| heads.has(path(channel)));
    Ok(PoseColumns {
        position: columns(heads, [x, y, z], &path)?,
        rotation: match is_turned {
            true => Some(columns(heads, rotation, &path)?),
            false => None,
        },
    })
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
