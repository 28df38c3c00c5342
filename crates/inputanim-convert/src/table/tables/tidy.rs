//! The rows of a tidy table: one for each known joint, head and gaze at each instant.

use inputanim::{Frame, Joint, Pose, Recording, Side};

use super::samples;
use crate::shared::mapping::TIME_S;
use crate::shared::{Error, Report, WriteOptions};
use crate::table::frames::{Cell, Columns, Value};

/// The names of the columns.
pub(super) mod column {
    pub(crate) const HAND: &str = "hand";
    pub(crate) const JOINT: &str = "joint";
    pub(crate) const POSITION: [&str; 3] = ["position_x", "position_y", "position_z"];
    pub(crate) const ROTATION: [&str; 4] = ["rotation_x", "rotation_y", "rotation_z", "rotation_w"];
    pub(crate) const PINCHING: &str = "pinching";
    pub(crate) const DIRECTION: [&str; 3] = ["direction_x", "direction_y", "direction_z"];
}

/// Returns the names of the columns of a tidy table. There is a column `pinching` only if `columns` contain a hand, and
/// columns for a direction only if they contain the gaze.
pub(super) fn names(columns: &Columns) -> Vec<String> {
    let mut names = vec![TIME_S, column::HAND, column::JOINT];
    names.extend(column::POSITION);
    names.extend(column::ROTATION);
    if has_pinching(columns) {
        names.push(column::PINCHING);
    }
    if columns.gaze {
        names.extend(column::DIRECTION);
    }
    names.into_iter().map(str::to_owned).collect()
}

pub(super) fn has_pinching(columns: &Columns) -> bool {
    let hands = columns.hands.iter().zip(&columns.without_pinches);
    hands
        .into_iter()
        .any(|(joints, is_without)| joints.is_some() && !is_without)
}

/// The index of the head in [`joint_names`]. The joints follow in the order of files, and the gaze is last.
const HEAD: usize = 0;
const FIRST_JOINT: usize = 1;
const GAZE: usize = FIRST_JOINT + Joint::ALL.len();

/// Returns all values that the column `joint` can have: `head`, the names of the joints, and `gaze`.
pub(super) fn joint_names() -> impl Iterator<Item = &'static str> {
    let joints = Joint::ALL.into_iter().map(Joint::name);
    std::iter::once("head").chain(joints).chain(["gaze"])
}

/// One row.
pub(super) struct TidyRow {
    pub(super) time: f32,
    pub(super) side: Option<Side>,
    /// The index of its name in [`joint_names`].
    pub(super) joint: usize,
    pub(super) position: [f32; 3],
    /// `None` for the gaze.
    pub(super) rotation: Option<[f32; 4]>,
    /// The state of the hand.
    pub(super) pinching: Option<bool>,
    /// `Some` for the gaze.
    pub(super) direction: Option<[f32; 3]>,
}

impl TidyRow {
    fn of_pose(time: f32, joint: usize, pose: &Pose) -> TidyRow {
        TidyRow {
            time,
            side: None,
            joint,
            position: pose.position,
            rotation: Some(pose.rotation),
            pinching: None,
            direction: None,
        }
    }

    /// Returns one cell for each of the [`names`].
    pub(super) fn cells(&self, columns: &Columns) -> Vec<Cell> {
        let number = |number: f32| Cell::Number(Value(number));
        let or_empty = |part: Option<f32>| part.map_or(Cell::Empty(()), number);
        let text = |name: &'static str| Cell::Text(name.into());
        let hand = self.side.map_or(Cell::Empty(()), |side| text(side.name()));
        let joint = joint_names().nth(self.joint).unwrap_or_default();
        let mut cells = vec![number(self.time), hand, text(joint)];
        cells.extend(self.position.map(number));
        cells.extend(parts(self.rotation).map(or_empty));
        if has_pinching(columns) {
            let pinching = self.pinching.map(|pinching| Cell::State(pinching.into()));
            cells.push(pinching.unwrap_or(Cell::Empty(())));
        }
        if columns.gaze {
            cells.extend(parts(self.direction).map(or_empty));
        }
        cells
    }
}

/// Returns the numbers of a vector; each is `None` if there is no vector.
pub(super) fn parts<const N: usize>(vector: Option<[f32; N]>) -> [Option<f32>; N] {
    vector.map_or([None; N], |vector| vector.map(Some))
}

/// Calls `sink` with every row of a tidy table, in order of time. Rows of the same time are in file order: the head,
/// the joints, the gaze.
pub(super) fn rows(
    recording: &Recording<'_>,
    options: &WriteOptions,
    columns: &Columns,
    report: &mut Report,
    mut sink: impl FnMut(&TidyRow) -> Result<(), Error>,
) -> Result<(), Error> {
    samples::frames(recording, options, report, |frame| {
        of_frame(frame, columns).iter().try_for_each(&mut sink)
    })
}

pub(super) fn of_frame(frame: &Frame, columns: &Columns) -> Vec<TidyRow> {
    let time = frame.time;
    let mut rows = Vec::new();
    if let Some(pose) = frame.head.filter(|_| columns.head) {
        rows.push(TidyRow::of_pose(time, HEAD, &pose));
    }
    for (side, joints) in Side::BOTH.into_iter().zip(&columns.hands) {
        let hand = frame.hand(side);
        for &joint in joints.iter().flatten() {
            if let Some(pose) = &hand.joints[joint] {
                rows.push(TidyRow {
                    side: Some(side),
                    pinching: (!hand.pinch_unknown).then_some(hand.pinching),
                    ..TidyRow::of_pose(time, FIRST_JOINT + joint.index(), pose)
                });
            }
        }
    }
    if let Some(ray) = frame.gaze.filter(|_| columns.gaze) {
        rows.push(TidyRow {
            time,
            side: None,
            joint: GAZE,
            position: ray.origin,
            rotation: None,
            pinching: None,
            direction: Some(ray.direction),
        });
    }
    rows
}
