//! The columns of a wide table, and its rows as frames: for text and for columnar tables.

use std::collections::HashSet;

use inputanim::{
    CurvePath, Element, Flags, Frame, Joint, Layout, Pose, PoseChannel, Ray, RayChannel, Recording,
    Side,
};

use super::values::{self, KnownNames, UnknownNames};
use crate::shared::mapping::{MARKER, Mapping, RECORDING, TIME, TIME_S};
use crate::table::table_error::{NameKind, Place, TableError, WIDE_COLUMNS, first_names};

/// A column of a table, and the factor that converts its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) index: usize,
    pub(crate) factor: f64,
}

/// The cells of one row.
pub(crate) trait Cells {
    /// Returns the number of the line or row in the table, for errors.
    fn place(&self) -> Place;

    /// Returns the numbers of a pose or ray in these columns, multiplied by the factors of the columns; `None` where a
    /// cell is empty or NaN.
    fn numbers<const N: usize>(
        &mut self,
        columns: [Column; N],
    ) -> Result<[Option<f32>; N], TableError>;

    /// Returns the state in a column, `true` for on; `None` if the cell is empty.
    fn state(&mut self, column: Column) -> Result<Option<bool>, TableError>;
}

/// Returns `true` if a table has columns of a tidy table, which cannot be read. `has` returns `true` for the names of
/// the columns of the table.
pub(crate) fn is_tidy(has: impl Fn(&str) -> bool) -> bool {
    has("joint") && has("position_x")
}

/// The columns of a wide table by their meaning.
#[derive(Debug)]
pub(crate) struct WideColumns {
    pub(crate) names: Vec<String>,
    pub(crate) time: Column,
    pub(crate) marker: Option<usize>,
    /// The column with the names of recordings, in a table of several recordings.
    pub(crate) recording: Option<usize>,
    /// The columns of curves.
    pub(crate) curves: Vec<(CurvePath, Column)>,
    head: Option<PoseColumns>,
    hands: [HandColumns; 2],
    gaze: Option<[Column; 6]>,
}

#[derive(Debug, Default)]
struct HandColumns {
    tracked: Option<Column>,
    pinching: Option<Column>,
    joints: Vec<(Joint, PoseColumns)>,
}

/// The columns of a pose; a table may contain positions without rotations.
#[derive(Clone, Copy, Debug)]
struct PoseColumns {
    position: [Column; 3],
    rotation: Option<[Column; 4]>,
}

/// Returns the names of all columns that a wide table may have.
fn all_names() -> Vec<String> {
    let all = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let paths = all.curves().map(|(path, _)| path);
    // `None` is not a joint of a hand.
    let paths = paths.filter(|path| !matches!(path, CurvePath::Joint(_, Joint::None, _)));
    let others = [TIME_S, MARKER, RECORDING].map(str::to_owned);
    others
        .into_iter()
        .chain(paths.map(|path| path.to_string()))
        .collect()
}

impl WideColumns {
    /// Finds the meaning of each column by its name or its mappings.
    ///
    /// # Errors
    /// When the time, a part of a pose or a mapped column is missing. When a column occurs twice. When a column is
    /// unknown and unknown columns are not ignored. All missing columns are in one error.
    pub(crate) fn new(
        place: Place,
        names: Vec<String>,
        mappings: &[Mapping],
        unknown: &mut UnknownNames,
    ) -> Result<WideColumns, TableError> {
        let has = |name: &str| names.iter().any(|other| other == name);
        if is_tidy(has) {
            return Err(TableError::Tidy);
        }
        if let Some(mapping) = mappings.iter().find(|mapping| mapping.pose().is_some()) {
            return Err(TableError::Pose(mapping.column.clone()));
        }
        let is_time_s = has(TIME_S) || mappings.iter().any(|mapping| mapping.column == TIME_S);
        let (mut time, mut marker, mut recording) = (None, None, None);
        let mut curves = Vec::<(CurvePath, Column)>::new();
        let mut unknown_names = Vec::new();
        for (index, name) in names.iter().enumerate() {
            for (target, factor) in Mapping::targets(mappings, name) {
                let column = Column { index, factor };
                let is_duplicate = match (target, target.parse::<CurvePath>()) {
                    (TIME_S, _) => time.replace(column).is_some(),
                    // If both `time` and `time_s` exist, `time` is often a date.
                    (TIME, _) if !is_time_s => time.replace(column).is_some(),
                    (MARKER, _) => marker.replace(index).is_some(),
                    (RECORDING, _) => recording.replace(index).is_some(),
                    (_, Ok(path)) => {
                        let is_duplicate = curves.iter().any(|(other, _)| *other == path);
                        curves.push((path, column));
                        is_duplicate
                    }
                    (_, Err(_)) => {
                        // Unknown names are reported after the loop, because the message about missing columns is more
                        // useful.
                        unknown_names.push(target.to_owned());
                        false
                    }
                };
                if is_duplicate {
                    let column = target.to_owned();
                    return Err(TableError::Duplicate { place, column });
                }
            }
        }
        let unmatched = mappings.iter().filter(|mapping| !has(&mapping.source));
        let division = unmatched.clone().find_map(|mapping| {
            let mapping = mapping.without_division()?;
            has(&mapping.source).then(|| Box::new(mapping))
        });
        let mut missing: Vec<String> = unmatched.map(|mapping| mapping.column.clone()).collect();
        let mut like = None;
        if time.is_none() {
            if !is_time_s {
                like = values::likely_time(names.iter().map(String::as_str)).map(str::to_owned);
            }
            if like.is_none() && missing.is_empty() && curves.is_empty() {
                let found = first_names(&names);
                return Err(TableError::UnknownColumns { place, found });
            }
            missing.push(TIME_S.to_owned());
        }
        let mut columns = WideColumns {
            names,
            // The placeholder is never read: a missing column is an error.
            time: time.unwrap_or(Column {
                index: 0,
                factor: 1.0,
            }),
            marker,
            recording,
            curves,
            head: None,
            hands: Default::default(),
            gaze: None,
        };
        columns.group(&mut missing);
        if !missing.is_empty() {
            let mut seen = HashSet::new();
            missing.retain(|column| seen.insert(column.clone()));
            for column in &mut missing {
                // A user knows a mapped column by its name in the table.
                if let Some(mapping) = mappings.iter().find(|mapping| mapping.column == *column) {
                    *column = format!("{:?} (for {column})", mapping.source);
                }
            }
            return Err(TableError::MissingColumns {
                place,
                kind: NameKind::Column,
                columns: missing,
                found: first_names(&columns.names),
                like,
                division,
            });
        }
        let known = KnownNames {
            kind: NameKind::Column,
            expected: WIDE_COLUMNS,
            names: &all_names,
        };
        unknown.add(place, unknown_names.iter().map(String::as_str), &known)?;
        Ok(columns)
    }

    /// Finds the columns of the head, the hands and the gaze among `self.curves`, and stores them. Adds the names of
    /// the columns that an incomplete pose or ray lacks to `missing`.
    fn group(&mut self, missing: &mut Vec<String>) {
        let pose = |path: &dyn Fn(PoseChannel) -> CurvePath, missing: &mut Vec<String>| {
            let [x, y, z, rotation @ ..] = PoseChannel::ALL.map(path);
            // Many trackers record positions only. An incomplete rotation is an error.
            let has_rotation = rotation.iter().any(|&path| self.column(path).is_some());
            PoseColumns {
                position: self.group_of([x, y, z], missing),
                rotation: has_rotation.then(|| self.group_of(rotation, missing)),
            }
        };
        let (mut head, mut gaze) = (None, None);
        let mut hands = <[HandColumns; 2]>::default();
        for &(path, column) in &self.curves {
            match path {
                CurvePath::Head(_) if head.is_none() => {
                    head = Some(pose(&CurvePath::Head, missing));
                }
                CurvePath::Gaze(_) if gaze.is_none() => {
                    let paths = RayChannel::ALL.map(CurvePath::Gaze);
                    gaze = Some(self.group_of(paths, missing));
                }
                CurvePath::Tracked(side) => hands[side as usize].tracked = Some(column),
                CurvePath::Pinching(side) => hands[side as usize].pinching = Some(column),
                CurvePath::Joint(side, joint, _) => {
                    let joints = &mut hands[side as usize].joints;
                    if joints.iter().all(|(other, _)| *other != joint) {
                        let path = |channel| CurvePath::Joint(side, joint, channel);
                        joints.push((joint, pose(&path, missing)));
                    }
                }
                CurvePath::Head(_) | CurvePath::Gaze(_) => {}
            }
        }
        (self.head, self.hands, self.gaze) = (head, hands, gaze);
    }

    /// Returns the columns of curves. For a curve without a column, adds its name to `missing`, and returns the column
    /// of times as a placeholder.
    fn group_of<const N: usize>(
        &self,
        paths: [CurvePath; N],
        missing: &mut Vec<String>,
    ) -> [Column; N] {
        paths.map(|path| {
            self.column(path).unwrap_or_else(|| {
                // The column of times is a placeholder that is never read: a missing column is an error.
                missing.push(path.to_string());
                self.time
            })
        })
    }

    fn column(&self, path: CurvePath) -> Option<Column> {
        let mut curves = self.curves.iter();
        curves
            .find(|(other, _)| *other == path)
            .map(|(_, column)| *column)
    }

    /// Returns `true` if the table has a column of markers or of a curve.
    pub(crate) fn has_more_than_time(&self) -> bool {
        self.marker.is_some() || !self.curves.is_empty()
    }

    /// Returns `true` if the column with this index contains times, markers or a curve, so that it is read.
    #[cfg(feature = "arrow")]
    pub(crate) fn uses(&self, index: usize) -> bool {
        self.time.index == index
            || self.marker == Some(index)
            || self.curves.iter().any(|(_, column)| column.index == index)
    }

    /// Returns the names of the poses that have columns of a position and none of a rotation.
    pub(crate) fn without_rotation(&self) -> Vec<String> {
        let head = self.head.iter().map(|columns| (Element::Head, columns));
        let joints = Side::BOTH.into_iter().flat_map(|side| {
            let joints = self.hands[side as usize].joints.iter();
            joints.map(move |(joint, columns)| (Element::Joint(side, *joint), columns))
        });
        let poses = head.chain(joints);
        let poses = poses.filter(|(_, columns)| columns.rotation.is_none());
        poses.map(|(pose, _)| pose.to_string()).collect()
    }

    /// Returns the frame of a row, with a time of 0 that the caller replaces. Fails if a cell is invalid, or if a pose
    /// or ray has only a part of its numbers.
    pub(crate) fn frame(&self, cells: &mut impl Cells) -> Result<Frame, TableError> {
        let mut frame = Frame::default();
        if let Some(columns) = self.head {
            frame.head = self.pose(cells, columns)?;
        }
        for (side, columns) in Side::BOTH.into_iter().zip(&self.hands) {
            let hand = frame.hand_mut(side);
            for &(joint, columns) in &columns.joints {
                hand.joints[joint] = self.pose(cells, columns)?;
            }
            let mut state = |column: Option<Column>| match column {
                Some(column) => cells.state(column),
                None => Ok(None),
            };
            let (tracked, pinching) = (state(columns.tracked)?, state(columns.pinching)?);
            *hand = values::hand(tracked, pinching, hand.joints);
            // The table states for each row whether the hand is tracked, but not for this one.
            hand.unknown = columns.tracked.is_some() && tracked.is_none() && !hand.tracked;
        }
        if let Some(columns) = self.gaze {
            frame.gaze = self.ray(cells, columns)?;
        }
        Ok(frame)
    }

    fn pose(
        &self,
        cells: &mut impl Cells,
        PoseColumns { position, rotation }: PoseColumns,
    ) -> Result<Option<Pose>, TableError> {
        let [px, py, pz] = position;
        let (numbers, columns) = match rotation {
            Some([rx, ry, rz, rw]) => {
                let columns = [px, py, pz, rx, ry, rz, rw];
                (cells.numbers(columns)?, columns)
            }
            None => {
                let [x, y, z] = cells.numbers(position)?;
                let [rx, ry, rz, rw] = Pose::IDENTITY.rotation.map(|number| x.and(Some(number)));
                // The placeholders of the rotation repeat x. If x is missing, the caller reports x.
                ([x, y, z, rx, ry, rz, rw], [px, py, pz, px, px, px, px])
            }
        };
        values::pose(numbers).map_err(|index| self.missing(cells, columns[index]))
    }

    fn ray(&self, cells: &mut impl Cells, columns: [Column; 6]) -> Result<Option<Ray>, TableError> {
        let numbers = cells.numbers(columns)?;
        values::ray(numbers).map_err(|index| self.missing(cells, columns[index]))
    }

    fn missing(&self, cells: &impl Cells, column: Column) -> TableError {
        TableError::missing(cells.place(), &self.names[column.index])
    }
}
