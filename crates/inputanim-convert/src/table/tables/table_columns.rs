//! The columns of tables that contain recordings, and the values of these columns.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use inputanim::names::CurveChoice;
use inputanim::{
    CurvePath, DeviceColumns, DeviceName, Element, Frame, FrameColumns, PoseChannel, PoseColumns,
    RayChannel, RayColumns, Recording, Sampler, SamplerCursor, Side, Space, TimeRange,
};

use super::batch::{Batch, Column, DataType, Field, Values, known};
use super::instants::Instants;
use super::keys::{ALL_KIND_NAMES, CURVE_NAMES, CURVES, KIND_NAMES, column, curve_index};
use super::keys_out::{KeyColumns, Timeless};
use super::tidy::{self, column as tidy_column, joint_names, names as tidy_names};
use crate::shared::TableShape;
use crate::shared::mapping::TIME_S;
use crate::shared::sampled::SampleError;
use crate::table::frames::{Columns, WideColumn};

/// The values of the column `hand`.
static HAND_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    Side::BOTH
        .iter()
        .map(|side| side.name().to_owned())
        .collect()
});
/// The values of the column `joint`.
static JOINT_NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| joint_names().map(str::to_owned).collect());

/// The columns of a table of recordings. A part of them can be selected.
///
/// The rows of a table come in batches: [`sample`](Self::sample) for wide and tidy tables,
/// [`keys`](Self::keys) for tables of keys. Only the selected columns are computed.
///
/// ```
/// use inputanim::{Layout, Limits, Pose, Recording, Space};
/// use inputanim_convert::frames::Columns;
/// use inputanim_convert::tables::{Instants, TableColumns, Values};
/// use inputanim_convert::{Sampling, TableShape};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::at([0.0, 1.0, 0.0]));
/// recording.head_mut().push(1.0, &Pose::at([0.0, 2.0, 0.0]));
/// let all = TableColumns::new(TableShape::Wide, &Columns::all(), Space::Unity);
/// let height = all.position("head.position.y").expect("every wide table has it");
/// let columns = all.select(&[height]);
///
/// let (rate, limits) = (Sampling::Rate(2.0), Limits::default());
/// let bytes = recording.encoded_len();
/// let times = Instants::new(&recording, rate, None, &limits, bytes, columns.reads(&recording))?;
/// let sampler = times.sampler(&recording, 0..times.len(), columns.reads(&recording))?;
/// let rows = columns.sample(&sampler, times.times(0..times.len()));
/// assert_eq!(rows.batch.columns[0].values, Values::Float32(vec![1.0, 1.5, 2.0]));
/// # Ok::<(), inputanim_convert::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableColumns {
    shape: TableShape,
    space: Space,
    streams: Columns,
    fields: Vec<Field>,
    /// The columns of a wide table; `None` for the time, and for other tables.
    wide: Vec<Option<WideColumn>>,
    /// The indices of these columns in the complete table.
    indices: Vec<usize>,
}

/// Some rows of a wide or tidy table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampledRows {
    /// The rows.
    pub batch: Batch,
    /// The number of poses and rays that are not rows of a tidy table because they are not finite.
    pub dropped: usize,
    /// The number of rows of a tidy table at each time; empty for a wide table, which has one.
    pub rows_at: Vec<usize>,
}

impl TableColumns {
    /// Returns all columns of tables of a shape that contain these streams and joints, as they are recorded. The rows of wide and
    /// tidy tables are in the axes of `space`, and so are the names of columns: the axes of velocities, see [`Space::input`].
    pub fn new(shape: TableShape, streams: &Columns, space: Space) -> TableColumns {
        let streams = streams.clone().in_space(space);
        let (fields, wide): (Vec<Field>, Vec<Option<WideColumn>>) = match shape {
            TableShape::Wide => {
                let columns = streams.wide().into_iter();
                let columns = columns.map(|column| (wide_field(column), Some(column)));
                [(time_field(), None)].into_iter().chain(columns).unzip()
            }
            TableShape::Tidy => {
                let names = tidy_names(&streams).into_iter();
                names.map(|name| (tidy_field(name), None)).unzip()
            }
            TableShape::Keys => {
                let fields = key_fields(!streams.devices.is_empty()).into_iter();
                fields.map(|field| (field, None)).unzip()
            }
        };
        TableColumns {
            shape,
            space,
            streams,
            indices: (0..fields.len()).collect(),
            fields,
            wide,
        }
    }

    /// Returns the name, type, unit and meaning of each column.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the names of all columns that tables of this shape can have, with the devices that these columns have.
    pub fn all_names(&self) -> Vec<String> {
        let mut all = Columns::all();
        all.devices.clone_from(&self.streams.devices);
        // Their devices have the names of this space already.
        let all = TableColumns::new(self.shape, &all, Space::Unity);
        all.fields
            .into_iter()
            .map(|field| field.name.into_owned())
            .collect()
    }

    /// Returns the index of the column with this name; `None` if it does not exist.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Returns the columns with these indices, in this order. Each index may occur only once.
    pub fn select(&self, indices: &[usize]) -> TableColumns {
        fn of<T: Clone>(all: &[T], indices: &[usize]) -> Vec<T> {
            indices
                .iter()
                .filter_map(|&index| all.get(index).cloned())
                .collect()
        }
        TableColumns {
            shape: self.shape,
            space: self.space,
            streams: self.streams.clone(),
            fields: of(&self.fields, indices),
            wide: of(&self.wide, indices),
            indices: of(&self.indices, indices),
        }
    }

    /// Returns a function that returns `true` for each curve of a recording that a sampler must read for these columns.
    ///
    /// A vector or rotation is always read with all components, because rotations are normalised. If it has no keys,
    /// the whole pose or ray is read, because its values exist only if another part of the pose or ray has keys.
    pub fn reads(&self, recording: &Recording<'_>) -> impl Fn(CurvePath) -> bool + use<> {
        let mut reads = vec![self.shape == TableShape::Tidy; CURVES];
        let has_keys = |path: &CurvePath| {
            let curve = recording.curve(*path);
            curve.is_some_and(|curve| !curve.is_empty())
        };
        let devices: BTreeSet<DeviceName> =
            self.wide_columns().filter_map(|c| c.device()).collect();
        let of_file = self
            .wide_columns()
            .filter(|column| column.device().is_none());
        for path in of_file.filter_map(WideColumn::curve) {
            if reads[curve_index(path)] {
                continue;
            }
            let vector = curves_like(path, true);
            // A pose is recorded if any of its curves has a key. Its other curves are then 0.
            let curves = if vector.iter().any(has_keys) {
                vector
            } else {
                curves_like(path, false)
            };
            for path in curves {
                reads[curve_index(path)] = true;
            }
        }
        // A device is read with all of its curves. There are few of them.
        move |path: CurvePath| match path {
            CurvePath::DevicePose(device, ..) | CurvePath::Input(device, _) => {
                devices.contains(&device)
            }
            path => reads[curve_index(path)],
        }
    }

    /// Returns the columns of a wide table besides the time.
    fn wide_columns(&self) -> impl Iterator<Item = WideColumn> {
        self.wide.iter().copied().flatten()
    }

    /// Returns the rows of a wide or tidy table at times in seconds. A table of keys gives no rows.
    pub fn sample(&self, sampler: &Sampler, times: Vec<f32>) -> SampledRows {
        match self.shape {
            TableShape::Wide => SampledRows {
                batch: self.wide(sampler, times),
                dropped: 0,
                rows_at: Vec::new(),
            },
            TableShape::Tidy => self.tidy(sampler, &times),
            TableShape::Keys => SampledRows {
                batch: Batch::default(),
                dropped: 0,
                rows_at: Vec::new(),
            },
        }
    }

    /// Returns the rows of a recording with these indices, as [`sample`](Self::sample) does for the sampler of these rows.
    /// Rows of a wide table are evaluated from the keys: this takes less time and memory than a sampler. Prefer a sampler
    /// if [`needs_sampler`](Self::needs_sampler), or if there are only a few rows for each call.
    ///
    /// # Errors
    /// Returns no error if [`Instants::new`] was called with this recording and the curves that these columns
    /// [read](Self::reads).
    pub fn sample_part(
        &self,
        recording: &Recording<'_>,
        instants: &Instants,
        rows: Range<usize>,
    ) -> Result<SampledRows, SampleError> {
        let reads = self.reads(recording);
        let times = instants.times(rows.clone());
        if self.shape != TableShape::Wide {
            let sampler = instants.sampler(recording, rows, reads)?;
            return Ok(self.sample(&sampler, times));
        }
        let sampled = if self.has_curves() {
            let part = instants.part(recording, rows, &reads);
            FrameColumns::of_curves(&part, &reads, times)?
        } else {
            FrameColumns::without_streams(times)
        };
        Ok(SampledRows {
            batch: self.wide_batch(sampled),
            dropped: 0,
            rows_at: Vec::new(),
        })
    }

    /// Returns `true` if a sampler for all rows makes several calls of [`sample_part`](Self::sample_part) faster: if the shape
    /// is not wide, or if the keys must be read completely for any part of the rows.
    pub fn needs_sampler(&self, instants: &Instants) -> bool {
        self.shape != TableShape::Wide || !instants.can_cut()
    }

    fn has_curves(&self) -> bool {
        self.wide_columns().next().is_some()
    }

    fn wide(&self, sampler: &Sampler, times: Vec<f32>) -> Batch {
        let sampled = if self.has_curves() {
            sampler.columns(times)
        } else {
            FrameColumns::without_streams(times)
        };
        self.wide_batch(sampled)
    }

    fn wide_batch(&self, mut sampled: FrameColumns) -> Batch {
        let rows = sampled.times.len();
        self.space.columns(&mut sampled);
        let mut taken = WideValues::new(sampled);
        let columns = self.wide.iter().map(|column| taken.column(*column, rows));
        Batch::new(rows, columns.collect())
    }

    fn tidy(&self, sampler: &Sampler, times: &[f32]) -> SampledRows {
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        let mut rows = Vec::new();
        let mut dropped = 0;
        let mut rows_at = Vec::with_capacity(times.len());
        for &time in times {
            sampler.read(time, &mut cursor, &mut frame);
            let mut frame = self.space.frame(frame.clone());
            dropped += super::samples::drop_not_finite(&mut frame);
            let before = rows.len();
            rows.extend(tidy::of_frame(&frame, &self.streams));
            rows_at.push(rows.len() - before);
        }
        let all = tidy_names(&self.streams);
        let columns = self
            .indices
            .iter()
            .map(|&index| tidy_values(&all[index], &rows));
        SampledRows {
            batch: Batch::new(rows.len(), columns.collect()),
            dropped,
            rows_at,
        }
    }

    /// Returns the largest number of rows of a wide or tidy table at one time.
    pub fn rows_per_instant(&self) -> usize {
        let streams = &self.streams;
        let joints: usize = streams.hands.iter().flatten().map(Vec::len).sum();
        match self.shape {
            TableShape::Tidy => {
                (usize::from(streams.head) + joints + usize::from(streams.gaze)).max(1)
            }
            _ => 1,
        }
    }

    /// Returns the number of rows of a recording in a table of keys.
    pub fn key_rows(recording: &Recording<'_>) -> usize {
        KeyColumns::rows(recording)
    }

    /// Returns the rows of a recording in a table of keys whose indices are in the range `rows`. With a time range,
    /// keys and markers outside of the range and gaps that do not overlap it are left out. With a choice of curves, only keys
    /// of these curves are returned.
    pub fn keys(
        &self,
        recording: &Recording<'_>,
        rows: Range<usize>,
        time: Option<TimeRange>,
        curves: Option<&CurveChoice>,
    ) -> Batch {
        let mut keys = KeyColumns::default();
        keys.push(recording, rows, time, Timeless::Kept, curves);
        self.batch_of(&keys)
    }

    /// Returns the same rows without those that have no time, as a table of segments has them: a row without a time belongs
    /// to no segment.
    pub fn keys_of_segment(
        &self,
        recording: &Recording<'_>,
        rows: Range<usize>,
        segment: TimeRange,
        curves: Option<&CurveChoice>,
    ) -> Batch {
        let mut keys = KeyColumns::default();
        keys.push(recording, rows, Some(segment), Timeless::LeftOut, curves);
        self.batch_of(&keys)
    }

    fn batch_of(&self, keys: &KeyColumns) -> Batch {
        let columns = self
            .indices
            .iter()
            .map(|&index| keys.column(index, !self.streams.devices.is_empty()));
        Batch::new(keys.len(), columns.collect())
    }
}

/// Returns the curves that must be read together with a curve. If `is_vector` is true, they are the curves of its
/// position, rotation, origin or direction, otherwise all curves of its pose or ray. For a state, returns only the
/// curve itself.
fn curves_like(path: CurvePath, is_vector: bool) -> Vec<CurvePath> {
    // Channels are numbered as in the file: first the position, then the rotation (docs/format.md, section 2.1).
    let is_like = |first: usize, other: usize| !is_vector || (first < 3) == (other < 3);
    let pose = |channel: PoseChannel, path: &dyn Fn(PoseChannel) -> CurvePath| {
        let channels = PoseChannel::ALL.into_iter();
        let channels = channels.filter(|other| is_like(channel as usize, *other as usize));
        channels.map(path).collect()
    };
    match path {
        CurvePath::Head(channel) => pose(channel, &CurvePath::Head),
        CurvePath::Joint(side, joint, channel) => {
            pose(channel, &|channel| CurvePath::Joint(side, joint, channel))
        }
        CurvePath::Gaze(channel) => {
            let channels = RayChannel::ALL.into_iter();
            let channels = channels.filter(|other| is_like(channel as usize, *other as usize));
            channels.map(CurvePath::Gaze).collect()
        }
        CurvePath::DevicePose(device, name, channel) => pose(channel, &|channel| {
            CurvePath::DevicePose(device, name, channel)
        }),
        CurvePath::Tracked(_) | CurvePath::Pinching(_) | CurvePath::Input(..) => vec![path],
    }
}

/// The sampled values of a wide table. Each column can be taken only once.
struct WideValues {
    sampled: FrameColumns,
    /// For each hand, the rows in which its joints are known; `None` if they are known in all rows.
    valid: [Option<Arc<Vec<bool>>>; 2],
}

impl WideValues {
    fn new(mut sampled: FrameColumns) -> WideValues {
        // Columns of a hand that is always tracked need no validity.
        let valid = [&mut sampled.left, &mut sampled.right];
        let valid = valid.map(|hand| known(std::mem::take(&mut hand.valid)));
        WideValues { sampled, valid }
    }

    /// Returns the rows in which the values of a curve are known; `None` if they are known in all rows.
    fn validity(&self, curve: CurvePath, rows: usize) -> Option<Arc<Vec<bool>>> {
        let of_hand = match curve {
            CurvePath::Joint(side, ..) => self.valid[side as usize].as_ref(),
            _ => None,
        };
        if self.sampled.is_complete() {
            return of_hand.cloned();
        }
        let element = Element::from(curve);
        let is_known = |row: usize| {
            of_hand.is_none_or(|valid| valid[row]) && self.sampled.is_known(element, row)
        };
        known((0..rows).map(is_known).collect())
    }

    /// Takes the values of a curve, or the times if `curve` is `None`. Returns `rows` missing values if the curve is
    /// not recorded.
    fn column(&mut self, column: Option<WideColumn>, rows: usize) -> Column {
        use std::mem::take;
        let Some(column) = column else {
            return Column::new(Values::Float32(take(&mut self.sampled.times)));
        };
        if let Some(device) = column.device() {
            let devices = &mut self.sampled.devices;
            let device = devices.iter_mut().find(|other| other.name == device);
            let taken = device.and_then(|device| of_device(device, column));
            return taken.unwrap_or_else(|| Column::missing(rows));
        }
        let Some(curve) = column.curve() else {
            return Column::missing(rows);
        };
        let valid = self.validity(curve, rows);
        let sampled = &mut self.sampled;
        let numbers = match curve {
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => {
                let hand = match side {
                    Side::Left => &mut sampled.left,
                    Side::Right => &mut sampled.right,
                };
                let states = match curve {
                    CurvePath::Tracked(_) => &mut hand.tracked,
                    _ => &mut hand.pinching,
                };
                let mut column = Column::new(Values::Boolean(take(states)));
                column.valid = valid;
                return column;
            }
            CurvePath::Head(channel) => sampled.head.as_mut().map(|pose| of_pose(pose, channel)),
            CurvePath::Joint(side, joint, channel) => {
                let hand = match side {
                    Side::Left => &mut sampled.left,
                    Side::Right => &mut sampled.right,
                };
                let pose = hand.joints[joint].as_mut();
                pose.map(|pose| of_pose(pose, channel))
            }
            CurvePath::Gaze(channel) => sampled.gaze.as_mut().map(|ray| of_ray(ray, channel)),
            CurvePath::DevicePose(..) | CurvePath::Input(..) => None,
        };
        match numbers {
            Some(numbers) => {
                let mut column = Column::new(Values::Float32(take(numbers)));
                column.valid = valid;
                column
            }
            None => Column::missing(rows),
        }
    }
}

/// Takes the values of a column of a device; `None` if the device does not have it.
fn of_device(device: &mut DeviceColumns, column: WideColumn) -> Option<Column> {
    use std::mem::take;
    let known_numbers = |numbers: Vec<f32>| {
        let valid = known(numbers.iter().map(|number| !number.is_nan()).collect());
        let mut column = Column::new(Values::Float32(numbers));
        column.valid = valid;
        column
    };
    let states = |numbers: &[f32]| {
        let states = numbers.iter();
        Column::booleans(states.map(|state| (!state.is_nan()).then_some(*state > 0.5)))
    };
    Some(match column {
        WideColumn::Active(_) => states(&device.active),
        WideColumn::Profile(_) => Column::texts(take(&mut device.profile)),
        WideColumn::Curve(CurvePath::DevicePose(_, name, channel)) => {
            let place = device.poses.binary_search_by_key(&name, |(name, _)| *name);
            let (_, pose) = &mut device.poses[place.ok()?];
            known_numbers(take(of_pose(pose, channel)))
        }
        WideColumn::Input(_, name, is_boolean) => {
            let place = device.inputs.binary_search_by_key(&name, |(name, _)| *name);
            let (_, input) = &mut device.inputs[place.ok()?];
            if is_boolean {
                states(&input.values)
            } else {
                known_numbers(take(&mut input.values))
            }
        }
        WideColumn::Curve(_) => return None,
    })
}

fn of_pose(pose: &mut PoseColumns, channel: PoseChannel) -> &mut Vec<f32> {
    match channel as usize {
        part @ 0..3 => &mut pose.position[part],
        part => &mut pose.rotation[part - 3],
    }
}

fn of_ray(ray: &mut RayColumns, channel: RayChannel) -> &mut Vec<f32> {
    match channel as usize {
        part @ 0..3 => &mut ray.origin[part],
        part => &mut ray.direction[part - 3],
    }
}

/// Returns the column with this name of a tidy table, with a value for each of `rows`.
fn tidy_values(name: &str, rows: &[tidy::TidyRow]) -> Column {
    use tidy_column::{DIRECTION, HAND, JOINT, PINCHING, POSITION, ROTATION};
    let axis = |names: &[&str]| names.iter().position(|other| *other == name);
    let values = rows.iter();
    match name {
        TIME_S => Column::new(Values::Float32(values.map(|row| row.time).collect())),
        HAND => Column::words(
            &HAND_NAMES,
            values.map(|row| row.side.map(|side| side as i16)),
        ),
        JOINT => Column::words(&JOINT_NAMES, values.map(|row| Some(row.joint as i16))),
        PINCHING => Column::booleans(values.map(|row| row.pinching)),
        _ => {
            if let Some(axis) = axis(&POSITION) {
                Column::new(Values::Float32(
                    values.map(|row| row.position[axis]).collect(),
                ))
            } else if let Some(axis) = axis(&ROTATION) {
                Column::floats(values.map(|row| row.rotation.map(|rotation| rotation[axis])))
            } else {
                let axis = axis(&DIRECTION).unwrap_or_default();
                Column::floats(values.map(|row| row.direction.map(|direction| direction[axis])))
            }
        }
    }
}

fn time_field() -> Field {
    Field::new(TIME_S, DataType::Float32, "Time of the recording.")
        .with_unit("s")
        .required()
}

fn wide_field(column: WideColumn) -> Field {
    let field = |data_type, meaning: String| Field::new(column.to_string(), data_type, meaning);
    match column {
        WideColumn::Curve(path) => curve_field(path),
        WideColumn::Input(device, input, is_boolean) => {
            let meaning = format!("Value of the input {input} of {device}.");
            if is_boolean {
                field(DataType::Boolean, meaning)
            } else {
                field(DataType::Float32, meaning).with_unit("1")
            }
        }
        WideColumn::Active(device) => {
            field(DataType::Boolean, format!("True while {device} is active."))
        }
        WideColumn::Profile(device) => field(
            DataType::Text,
            format!("Interaction profile of {device}; missing while it is not active."),
        ),
    }
}

fn curve_field(path: CurvePath) -> Field {
    let subject = match path {
        CurvePath::Head(_) => "the head".to_owned(),
        CurvePath::Joint(side, joint, _) => format!("{joint} of the {side} hand"),
        CurvePath::Tracked(side) | CurvePath::Pinching(side) => format!("the {side} hand"),
        CurvePath::Gaze(_) => "the gaze".to_owned(),
        CurvePath::DevicePose(device, pose, _) => format!("the pose {pose} of {device}"),
        CurvePath::Input(device, input) => format!("the input {input} of {device}"),
    };
    let name = path.to_string();
    let axis = name.rsplit('.').next().unwrap_or_default();
    let meaning = match path {
        CurvePath::Tracked(_) => format!("True while {subject} is tracked."),
        CurvePath::Pinching(_) => format!("True while {subject} pinches."),
        CurvePath::Head(channel)
        | CurvePath::Joint(_, _, channel)
        | CurvePath::DevicePose(_, _, channel)
            if (channel as usize) < 3 =>
        {
            format!("Position of {subject}, {axis}.")
        }
        CurvePath::Input(..) => format!("Value of {subject}."),
        CurvePath::Head(_) | CurvePath::Joint(..) | CurvePath::DevicePose(..) => {
            format!("Rotation of {subject}, {axis} of a quaternion of length 1.")
        }
        CurvePath::Gaze(channel) if (channel as usize) < 3 => {
            format!("Origin of {subject}, {axis}.")
        }
        CurvePath::Gaze(_) => format!("Direction of {subject}, {axis}."),
    };
    match unit(path) {
        Some(unit) => Field::new(name, DataType::Float32, meaning).with_unit(unit),
        None => Field::new(name, DataType::Boolean, meaning),
    }
}

/// Returns the unit of a curve's values: `m` for positions, `1` for rotations and directions; `None` for states.
fn unit(path: CurvePath) -> Option<&'static str> {
    match path {
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => None,
        CurvePath::Head(channel)
        | CurvePath::Joint(_, _, channel)
        | CurvePath::DevicePose(_, _, channel)
            if (channel as usize) < 3 =>
        {
            Some("m")
        }
        CurvePath::Gaze(channel) if (channel as usize) < 3 => Some("m"),
        CurvePath::Head(_)
        | CurvePath::Joint(..)
        | CurvePath::Gaze(_)
        | CurvePath::DevicePose(..)
        | CurvePath::Input(..) => Some("1"),
    }
}

fn tidy_field(name: String) -> Field {
    use tidy_column::{HAND, JOINT, PINCHING, POSITION, ROTATION};
    let axis = name.rsplit('_').next().unwrap_or_default();
    match name.as_str() {
        TIME_S => time_field(),
        HAND => Field::new(
            HAND,
            DataType::Words(&HAND_NAMES),
            "Hand: `left` or `right`; missing for the head and the gaze.",
        ),
        JOINT => Field::new(
            JOINT,
            DataType::Words(&JOINT_NAMES),
            "Name of the joint, `head` for the head, or `gaze`.",
        )
        .required(),
        PINCHING => Field::new(
            PINCHING,
            DataType::Boolean,
            "True while the hand pinches; missing for the head and the gaze.",
        ),
        other if POSITION.contains(&other) => {
            let meaning = format!("Position, {axis}; of the gaze: its origin.");
            Field::new(name, DataType::Float32, meaning)
                .with_unit("m")
                .required()
        }
        other if ROTATION.contains(&other) => {
            let meaning = format!("Rotation, {axis} of a quaternion; missing for the gaze.");
            Field::new(name, DataType::Float32, meaning).with_unit("1")
        }
        _ => {
            let meaning = format!("Direction of the gaze, {axis}; missing in other rows.");
            Field::new(name, DataType::Float32, meaning).with_unit("1")
        }
    }
}

/// Returns the columns of a table of keys. A table with devices has additional names of curves and kinds of rows, and the last two
/// columns.
fn key_fields(has_devices: bool) -> Vec<Field> {
    // Both lists are made here: a list that another thread makes during a fork would stay locked in the child process.
    let kinds = [&*KIND_NAMES, &*ALL_KIND_NAMES];
    let float = |name, meaning| Field::new(name, DataType::Float32, meaning);
    let integer = |name, meaning| Field::new(name, DataType::Int32, meaning);
    let mut fields = vec![
        Field::new(
            column::CURVE,
            if has_devices {
                DataType::Text
            } else {
                DataType::Words(&CURVE_NAMES)
            },
            "Name of the curve; missing in rows that are not keys.",
        ),
        float(column::TIME_S, "Time of the key or marker.").with_unit("s"),
        float(column::VALUE, "Value in the unit of the curve."),
        float(column::IN_TANGENT, "Slope before the key; full keys only."),
        float(column::OUT_TANGENT, "Slope after the key; full keys only."),
        float(column::IN_WEIGHT, "Weight of the slope before; full keys only."),
        float(column::OUT_WEIGHT, "Weight of the slope after; full keys only."),
        integer(column::WEIGHTED_MODE, "Weighted mode; full keys only."),
        Field::new(
            column::KIND,
            DataType::Words(kinds[usize::from(has_devices)]),
            "Form of the key: `simple`, `full` or `boolean`; otherwise the meaning of the row: `marker`, `flag`, `layout`, `gap`, \
             and for devices `profile`, `haptic` or `device`.",
        )
        .required(),
        integer(column::PRE_WRAP, "Wrap mode before the first key."),
        integer(column::POST_WRAP, "Wrap mode after the last key."),
        Field::new(
            column::NAME,
            DataType::Text,
            "Name of a marker, a flag, the layout, the element of a gap, or the profile of a device.",
        ),
    ];
    if has_devices {
        fields.extend([
            float(column::DURATION, "Duration of a haptic pulse.").with_unit("s"),
            float(column::FREQUENCY, "Frequency of a haptic pulse.").with_unit("Hz"),
        ]);
    }
    fields
}
