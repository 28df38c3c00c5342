//! Evaluation of many frames as columns, for tables and Arrow.
//!
//! Method: each block of times is sampled by one processor. Within a block, a few rows at a time are
//! transposed into columns, so that both stay in the first-level cache.

use crate::element::Element;
use crate::joint::{Joint, Joints, Side};
use crate::parallel;
use crate::path::{CurvePath, PoseChannel, RayChannel};

use super::row::{CHANNELS, Row, Section};
use super::{Sampler, StateCursor, Unknown};

/// Frames as columns. Every column is as long as `times`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameColumns {
    /// Times in seconds.
    pub times: Vec<f32>,
    /// Pose of the head, if recorded.
    pub head: Option<PoseColumns>,
    /// The left hand.
    pub left: HandColumns,
    /// The right hand.
    pub right: HandColumns,
    /// Gaze, if recorded.
    pub gaze: Option<RayColumns>,
    /// The unknown elements at each time; empty if the recording has no gaps.
    unknown: Vec<Unknown>,
}

/// A pose over time, in Unity's world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseColumns {
    /// Position x, y, z in metres.
    pub position: [Vec<f32>; 3],
    /// Rotation as a quaternion x, y, z, w.
    pub rotation: [Vec<f32>; 4],
}

/// A ray over time, in Unity's world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RayColumns {
    /// Origin x, y, z in metres.
    pub origin: [Vec<f32>; 3],
    /// Direction x, y, z.
    pub direction: [Vec<f32>; 3],
}

/// A hand over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandColumns {
    /// `true` while the device tracks the hand.
    pub tracked: Vec<bool>,
    /// `true` while thumb and index finger touch.
    pub pinching: Vec<bool>,
    /// `true` where joints have values. Elsewhere the hand is not tracked or unknown, and they are NaN. A single joint can be
    /// unknown where others have values: see [`FrameColumns::is_known`].
    pub valid: Vec<bool>,
    /// Poses of the recorded joints.
    pub joints: Joints<Option<PoseColumns>>,
}

impl FrameColumns {
    /// Returns the columns of the left or the right hand.
    pub fn hand(&self, side: Side) -> &HandColumns {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns the columns of a recording without streams at the given times in seconds.
    pub fn without_streams(times: Vec<f32>) -> FrameColumns {
        FrameColumns {
            times,
            ..FrameColumns::default()
        }
    }

    /// Returns `true` if an element is known at the time with an index. A joint is known where its hand is known: whether it
    /// has a value also depends on [`HandColumns::valid`].
    pub fn is_known(&self, element: Element, index: usize) -> bool {
        !self
            .unknown
            .get(index)
            .is_some_and(|unknown| unknown.has(element))
    }

    /// Returns `true` if nothing is unknown: the recording has no gaps.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Returns every float column with the name of its curve, in file order.
    pub fn floats(&self) -> impl Iterator<Item = (CurvePath, &[f32])> {
        let head = self.head.iter().flat_map(|pose| {
            let columns = PoseChannel::ALL.into_iter().zip(pose.columns());
            columns.map(|(channel, column)| (CurvePath::Head(channel), column))
        });
        let joints = Side::BOTH.into_iter().flat_map(|side| {
            let joints = self.hand(side).joints.iter();
            let recorded = joints.filter_map(|(joint, pose)| Some((joint, pose.as_ref()?)));
            recorded.flat_map(move |(joint, pose)| {
                let columns = PoseChannel::ALL.into_iter().zip(pose.columns());
                columns
                    .map(move |(channel, column)| (CurvePath::Joint(side, joint, channel), column))
            })
        });
        let gaze = self.gaze.iter().flat_map(|ray| {
            let columns = RayChannel::ALL.into_iter().zip(ray.columns());
            columns.map(|(channel, column)| (CurvePath::Gaze(channel), column))
        });
        head.chain(joints).chain(gaze)
    }
}

macro_rules! column_group {
    ($group:ident: $first:ident, $second:ident) => {
        impl $group {
            fn new(length: usize) -> $group {
                $group {
                    $first: std::array::from_fn(|_| vec![0.0; length]),
                    $second: std::array::from_fn(|_| vec![0.0; length]),
                }
            }

            /// Returns the column of each component, in file order: seven of a pose, six of a ray.
            pub fn columns(&self) -> impl Iterator<Item = &[f32]> {
                self.$first.iter().chain(&self.$second).map(Vec::as_slice)
            }

            fn columns_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
                let columns = self.$first.iter_mut().chain(&mut self.$second);
                columns.map(Vec::as_mut_slice)
            }
        }
    };
}

column_group!(PoseColumns: position, rotation);
column_group!(RayColumns: origin, direction);

/// Number of times that one processor samples at once.
const BLOCK: usize = 1024;

/// Number of rows that are transposed at once: their values in one column fill a cache line.
const TILE: usize = 16;

pub(super) fn sample_columns(sampler: &Sampler, times: Vec<f32>) -> FrameColumns {
    let mut columns = empty(sampler, times.len());
    let blocks = blocks(&mut columns, &times);
    let size = times.len() * CHANNELS;
    parallel::for_each(blocks, size, |mut block| block.fill(sampler));
    // The times are moved last, because the blocks borrow them.
    columns.times = times;
    columns
}

/// Returns columns of `length` zeros for the poses and rays that are recorded, and of `false` for the states of hands.
fn empty(sampler: &Sampler, length: usize) -> FrameColumns {
    let hand = |side: Side| {
        let recorded = &sampler.baked.sections[Section::of_hand(side) as usize].recorded;
        let pose = |joint: Joint| recorded[joint].then(|| PoseColumns::new(length));
        HandColumns {
            tracked: vec![false; length],
            pinching: vec![false; length],
            valid: vec![false; length],
            joints: Joints::from_fn(pose),
        }
    };
    FrameColumns {
        times: Vec::new(),
        head: sampler
            .is_recorded(Section::Head)
            .then(|| PoseColumns::new(length)),
        left: hand(Side::Left),
        right: hand(Side::Right),
        gaze: sampler
            .is_recorded(Section::Gaze)
            .then(|| RayColumns::new(length)),
        unknown: if sampler.has_gaps() {
            vec![Unknown::default(); length]
        } else {
            Vec::new()
        },
    }
}

/// A range of times, with the same range of every column.
struct Block<'c> {
    times: &'c [f32],
    /// Columns with their slots in a row.
    floats: Vec<(usize, &'c mut [f32])>,
    /// The columns tracked, pinching and valid; left, then right.
    states: Vec<[&'c mut [bool]; 3]>,
    /// The unknown elements, if the recording has gaps.
    unknown: Option<&'c mut [Unknown]>,
}

fn blocks<'c>(columns: &'c mut FrameColumns, times: &'c [f32]) -> Vec<Block<'c>> {
    let block = |times| Block {
        times,
        floats: Vec::new(),
        states: Vec::new(),
        unknown: None,
    };
    let mut blocks: Vec<Block<'_>> = times.chunks(BLOCK).map(block).collect();
    for (block, chunk) in blocks.iter_mut().zip(columns.unknown.chunks_mut(BLOCK)) {
        block.unknown = Some(chunk);
    }
    let hands = [
        (Side::Left, &mut columns.left),
        (Side::Right, &mut columns.right),
    ];
    let mut floats: Vec<(usize, &mut [f32])> = Vec::new();
    for (side, hand) in hands {
        let states = [&mut hand.tracked, &mut hand.pinching, &mut hand.valid];
        let mut states = states.map(|column| column.chunks_mut(BLOCK));
        for block in &mut blocks {
            let chunks = states
                .each_mut()
                .map(|chunks| chunks.next().unwrap_or_default());
            block.states.push(chunks);
        }
        let section = Section::of_hand(side);
        for (joint, pose) in hand.joints.iter_mut() {
            let columns = pose.iter_mut().flat_map(PoseColumns::columns_mut);
            floats.extend((section.joint(joint)..).zip(columns));
        }
    }
    let head = columns.head.iter_mut().flat_map(PoseColumns::columns_mut);
    let gaze = columns.gaze.iter_mut().flat_map(RayColumns::columns_mut);
    floats.extend((Section::Head.start()..).zip(head));
    floats.extend((Section::Gaze.start()..).zip(gaze));
    for (slot, column) in floats {
        for (block, chunk) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            block.floats.push((slot, chunk));
        }
    }
    blocks
}

impl Block<'_> {
    fn fill(&mut self, sampler: &Sampler) {
        let mut segments = Vec::new();
        let mut cursor = StateCursor::default();
        let mut rows = vec![Row::default(); TILE];
        for (tile, times) in self.times.chunks(TILE).enumerate() {
            let first = tile * TILE;
            for (index, (&time, row)) in times.iter().zip(&mut rows).enumerate() {
                let unknown = sampler.unknown_at(time);
                let states = sampler.states_of(time, unknown, &mut cursor);
                sampler.fill_row(time, &states, &mut segments, row);
                for (side, columns) in Side::BOTH.into_iter().zip(&mut self.states) {
                    let state = states[side as usize];
                    let is_valid = sampler.shows(state);
                    columns[0][first + index] = state.tracked;
                    columns[1][first + index] = state.pinching;
                    columns[2][first + index] = is_valid;
                    if !is_valid {
                        // The row still has the values of an earlier time.
                        row.invalidate(Section::of_hand(side));
                    }
                }
                if let Some(column) = &mut self.unknown {
                    column[first + index] = unknown;
                    row.forget(unknown);
                }
            }
            for (slot, column) in &mut self.floats {
                let column = &mut column[first..][..times.len()];
                for (number, row) in column.iter_mut().zip(&rows) {
                    *number = row.values()[*slot];
                }
            }
        }
    }
}
