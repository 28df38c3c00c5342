//! Writes frames: as JSON objects, and as cells of a table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::values::is_state;
use crate::shared::mapping::{ACTIVE, PROFILE};
use crate::shared::mapping::{MARKER, TIME_S};
use inputanim::{
    CurvePath, DeviceFrame, DeviceName, Frame, HandFrame, InputCurve, InputName, Joint, Joints,
    Marker, Pose, PoseChannel, PoseName, Ray, RayChannel, Recording, Side, Space,
};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

/// The streams and joints that lines of text contain besides the time.
///
/// ```
/// use inputanim::Joint;
/// use inputanim_convert::frames::Columns;
/// let right_palm = Columns { hands: [None, Some(vec![Joint::Palm])], ..Columns::default() };
/// let names = right_palm.names();
/// assert_eq!(names[..4], ["time_s", "right.tracked", "right.pinching", "right.Palm.position.x"]);
/// assert_eq!(Columns::all().names().len(), 2 + 395);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// `true` if there are markers. A table then has a column with their names.
    pub marker: bool,
    /// `true` if there are columns of the head.
    pub head: bool,
    /// The joints of the left and the right hand that have columns. The states of such a hand have columns too. A hand
    /// without columns is `None`.
    pub hands: [Option<Vec<Joint>>; 2],
    /// `true` if there are columns of the gaze.
    pub gaze: bool,
    /// `true` for a hand whose pinches are not recorded. It has no column of pinches.
    pub without_pinches: [bool; 2],
    /// The devices that have columns, in the order of their names.
    pub devices: Vec<DeviceParts>,
}

/// The poses and inputs of a device that have columns. Its state and its profile have columns too: `right.controller.active` and
/// `right.controller.profile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceParts {
    /// The name of the device.
    pub name: DeviceName,
    /// The poses, in the order of their names.
    pub poses: Vec<PoseName>,
    /// The inputs, in the order of their names, each with `true` if it is on or off, and `false` if it is a number.
    pub inputs: Vec<(InputName, bool)>,
}

impl DeviceParts {
    /// Parses the name of a column of a device in a wide table. Returns the device with the pose or input of the column, and without
    /// poses and inputs for the columns of its state and its profile. An input is on or off if its name ends as the names of such inputs
    /// in OpenXR do: `click`, `touch`. Returns `None` for other names.
    ///
    /// ```
    /// use inputanim_convert::frames::DeviceParts;
    /// let parts = DeviceParts::of_column("right.controller.a.click").expect("an input");
    /// let click: inputanim::InputName = "a/click".parse()?;
    /// assert_eq!(parts.inputs, [(click, true)]);
    /// assert_eq!(DeviceParts::of_column("right.Palm.position.x"), None);
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn of_column(name: &str) -> Option<DeviceParts> {
        let parts = |name| DeviceParts {
            name,
            poses: Vec::new(),
            inputs: Vec::new(),
        };
        match name.parse() {
            Ok(CurvePath::DevicePose(device, pose, _)) => Some(DeviceParts {
                poses: vec![pose],
                ..parts(device)
            }),
            Ok(CurvePath::Input(device, input)) => Some(DeviceParts {
                inputs: vec![(input, is_state(input))],
                ..parts(device)
            }),
            Ok(_) => None,
            Err(_) => {
                let (device, part) = name.rsplit_once('.')?;
                let device = device.parse().ok()?;
                [ACTIVE, PROFILE].contains(&part).then(|| parts(device))
            }
        }
    }

    /// Adds the poses and inputs of other parts of the same device. An input that is a number in one of both is a number.
    fn add(&mut self, others: &DeviceParts) {
        self.poses.extend(&others.poses);
        self.poses.sort();
        self.poses.dedup();
        for &(name, is_boolean) in &others.inputs {
            match self.inputs.binary_search_by_key(&name, |(name, _)| *name) {
                Ok(place) => self.inputs[place].1 &= is_boolean,
                Err(place) => self.inputs.insert(place, (name, is_boolean)),
            }
        }
    }
}

/// A column of a wide table besides the time and the markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideColumn {
    /// A curve of the head, a hand or the gaze, or of the pose of a device.
    Curve(CurvePath),
    /// An input of a device; `true` if it is on or off.
    Input(DeviceName, InputName, bool),
    /// The state of a device: `true` while it is active.
    Active(DeviceName),
    /// The interaction profile of a device.
    Profile(DeviceName),
}

impl WideColumn {
    /// Returns the curve of the column; `None` for the state and the profile of a device.
    pub(crate) fn curve(self) -> Option<CurvePath> {
        match self {
            WideColumn::Curve(path) => Some(path),
            WideColumn::Input(device, input, _) => Some(CurvePath::Input(device, input)),
            WideColumn::Active(_) | WideColumn::Profile(_) => None,
        }
    }

    /// Returns the device of the column; `None` for the head, a hand or the gaze.
    pub(crate) fn device(self) -> Option<DeviceName> {
        match self {
            WideColumn::Active(device)
            | WideColumn::Profile(device)
            | WideColumn::Input(device, ..)
            | WideColumn::Curve(CurvePath::DevicePose(device, ..)) => Some(device),
            WideColumn::Curve(_) => None,
        }
    }
}

impl std::fmt::Display for WideColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WideColumn::Curve(path) => path.fmt(f),
            WideColumn::Input(device, input, _) => CurvePath::Input(*device, *input).fmt(f),
            WideColumn::Active(device) => write!(f, "{device}.{ACTIVE}"),
            WideColumn::Profile(device) => write!(f, "{device}.{PROFILE}"),
        }
    }
}

impl Columns {
    /// Returns columns for the markers, the head, every joint of both hands, and the gaze. Devices differ between recordings, so
    /// they have no columns.
    pub fn all() -> Columns {
        Columns {
            marker: true,
            head: true,
            hands: [Some(Joint::ALL.to_vec()), Some(Joint::ALL.to_vec())],
            gaze: true,
            without_pinches: [false; 2],
            devices: Vec::new(),
        }
    }

    /// Returns the columns of a recording: the head, the gaze and the joints that have a key, the states of each hand that has a
    /// key, and the devices with the poses and inputs that have a key. There is no column of markers; set [`marker`](Self::marker) to add it.
    ///
    /// ```
    /// use inputanim::{Joint, Layout, Pose, Recording};
    /// use inputanim_convert::frames::Columns;
    /// let mut take = Recording::new(Layout::Mrtk1_1);
    /// take.hands_mut().left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
    /// let columns = Columns::of(&take);
    /// assert_eq!(columns.hands, [Some(vec![Joint::Palm]), None]);
    /// ```
    pub fn of(recording: &Recording<'_>) -> Columns {
        let hand = |side: Side| {
            let hand = recording.hands.as_ref()?.hand(side);
            let recorded = hand.joints.iter().filter(|(_, pose)| !pose.is_empty());
            let joints: Vec<Joint> = recorded.map(|(joint, _)| joint).collect();
            let has_states = !(hand.tracked.keys.is_empty() && hand.pinching.keys.is_empty());
            (has_states || !joints.is_empty()).then_some(joints)
        };
        let (head, gaze) = (recording.head.as_ref(), recording.gaze.as_ref());
        Columns {
            // The caller decides if markers get a column.
            marker: false,
            head: head.is_some_and(|pose| !pose.is_empty()),
            hands: Side::BOTH.map(hand),
            gaze: gaze.is_some_and(|ray| !ray.is_empty()),
            without_pinches: Side::BOTH.map(|side| recording.lacks_pinches(side)),
            devices: devices_of(recording),
        }
    }

    /// Adds the columns of `others` that are missing here. The joints of a hand stay in the order of [`Joint`].
    ///
    /// ```
    /// use inputanim::Joint;
    /// use inputanim_convert::frames::Columns;
    /// let left = |joint| Columns { hands: [Some(vec![joint]), None], ..Columns::default() };
    /// let mut columns = left(Joint::Palm);
    /// columns.add(&left(Joint::Wrist));
    /// assert_eq!(columns.hands, [Some(vec![Joint::Wrist, Joint::Palm]), None]);
    /// ```
    pub fn add(&mut self, others: &Columns) {
        self.marker |= others.marker;
        self.head |= others.head;
        self.gaze |= others.gaze;
        for side in Side::BOTH {
            let (joints, is_without) = (
                &mut self.hands[side as usize],
                &mut self.without_pinches[side as usize],
            );
            let Some(other_joints) = &others.hands[side as usize] else {
                continue;
            };
            let is_other_without = others.without_pinches[side as usize];
            *is_without = is_other_without && (joints.is_none() || *is_without);
            let joints = joints.get_or_insert_default();
            joints.extend(other_joints);
            // The order of `Joint` is the order of joints in the file, which all tables follow.
            joints.sort();
            joints.dedup();
        }
        for device in &others.devices {
            let place = self
                .devices
                .binary_search_by_key(&device.name, |other| other.name);
            match place {
                Ok(place) => self.devices[place].add(device),
                Err(place) => self.devices.insert(place, device.clone()),
            }
        }
    }

    /// Adds the columns of `others` as [`add`](Self::add) does, for outputs without unknown values: a hand has a column of pinches
    /// only if all recordings of the hand have pinches.
    pub fn add_known(&mut self, others: &Columns) {
        let without = Side::BOTH.map(|side| {
            let of_hand = [&*self, others]
                .into_iter()
                .filter(|columns| columns.hands[side as usize].is_some());
            of_hand
                .into_iter()
                .any(|columns| columns.without_pinches[side as usize])
        });
        self.add(others);
        self.without_pinches = without;
    }

    /// Returns the columns in the axes of `space` of what these columns contain in the axes of the recording. Only velocities of devices
    /// have other columns: the velocity along `y` of a recording is the one along `z` in the axes of Blender.
    pub fn in_space(mut self, space: Space) -> Columns {
        for device in &mut self.devices {
            for (input, _) in &mut device.inputs {
                *input = space.input(*input).0;
            }
            device.inputs.sort();
        }
        self
    }

    /// Returns the names of the columns of a wide table, in order: `time_s`, `marker` if there is a column of markers,
    /// then the names of the curves, and the states and profiles of devices.
    pub fn names(&self) -> Vec<String> {
        let marker = self.marker.then(|| MARKER.to_owned());
        let names = std::iter::once(TIME_S.to_owned()).chain(marker);
        names
            .chain(self.wide().iter().map(WideColumn::to_string))
            .collect()
    }

    /// Returns the columns of a wide table after the time and the markers, in order.
    pub(crate) fn wide(&self) -> Vec<WideColumn> {
        let curves = self.paths().into_iter().map(WideColumn::Curve);
        curves.chain(self.of_devices()).collect()
    }

    /// Returns the columns of devices in a wide table, in order.
    fn of_devices(&self) -> impl Iterator<Item = WideColumn> {
        self.devices.iter().flat_map(|device| {
            let name = device.name;
            let states = [WideColumn::Active(name), WideColumn::Profile(name)];
            let poses = device.poses.iter().flat_map(move |&pose| {
                let path = move |channel| CurvePath::DevicePose(name, pose, channel);
                PoseChannel::ALL.map(|channel| WideColumn::Curve(path(channel)))
            });
            let inputs = device.inputs.iter();
            let inputs =
                inputs.map(move |&(input, is_boolean)| WideColumn::Input(name, input, is_boolean));
            states.into_iter().chain(poses).chain(inputs)
        })
    }

    /// Returns the curves of the head, the hands and the gaze that have columns, in the order of the columns.
    pub(crate) fn paths(&self) -> Vec<CurvePath> {
        let mut paths = Vec::new();
        if self.head {
            paths.extend(PoseChannel::ALL.map(CurvePath::Head));
        }
        for (side, joints) in Side::BOTH.into_iter().zip(&self.hands) {
            let Some(joints) = joints else { continue };
            paths.push(CurvePath::Tracked(side));
            if !self.without_pinches[side as usize] {
                paths.push(CurvePath::Pinching(side));
            }
            for &joint in joints {
                let path = |channel| CurvePath::Joint(side, joint, channel);
                paths.extend(PoseChannel::ALL.map(path));
            }
        }
        if self.gaze {
            paths.extend(RayChannel::ALL.map(CurvePath::Gaze));
        }
        paths
    }
}

/// Returns the devices of a recording, with the poses and inputs that have keys.
fn devices_of(recording: &Recording<'_>) -> Vec<DeviceParts> {
    let devices = recording.devices.iter().filter(|device| !device.is_empty());
    let devices = devices.map(|device| DeviceParts {
        name: device.name,
        poses: device
            .poses
            .iter()
            .filter(|(_, pose)| !pose.is_empty())
            .map(|(name, _)| *name)
            .collect(),
        inputs: device
            .inputs
            .iter()
            .filter(|(_, input)| !input.curve().is_empty())
            .map(|(name, input)| (*name, matches!(input, InputCurve::Boolean(_))))
            .collect(),
    });
    devices.collect()
}

/// One line of text: a frame, a marker, or both.
///
/// `Serialize` writes it as a JSON object; [`cells`](FrameRow::cells) returns the cells of a table.
///
/// ```
/// use inputanim::{Frame, Pose};
/// use inputanim_convert::frames::{Columns, FrameRow};
/// let frame = Frame { time: 1.5, head: Some(Pose::IDENTITY), ..Frame::default() };
/// let columns = Columns { head: true, ..Columns::default() };
/// let row = FrameRow::of_frame(&frame, Some("look up"), &columns);
/// assert_eq!(
///     serde_json::to_string(&row)?,
///     r#"{"time":1.5,"marker":"look up","head":{"position":[0.0,0.0,0.0],"rotation":[0.0,0.0,0.0,1.0]}}"#
/// );
/// assert_eq!(row.cells().len(), columns.names().len());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrameRow<'f> {
    time: Value,
    marker: Option<&'f str>,
    /// Markers with times of their own.
    markers: &'f [Marker<'f>],
    frame: Option<&'f Frame>,
    columns: &'f Columns,
}

impl<'f> FrameRow<'f> {
    /// Creates a row of a frame and, if `marker` is given, of the marker with this name at the same time. The row
    /// contains only the values of the frame that have `columns`.
    pub fn of_frame(
        frame: &'f Frame,
        marker: Option<&'f str>,
        columns: &'f Columns,
    ) -> FrameRow<'f> {
        FrameRow {
            time: Value(frame.time),
            marker,
            markers: &[],
            frame: Some(frame),
            columns,
        }
    }

    /// Adds markers with times of their own, such as those since the frame before. JSON has them as the member `markers`; a
    /// table does not, because its cells have the time of the row.
    pub fn with_markers(self, markers: &'f [Marker<'f>]) -> FrameRow<'f> {
        FrameRow { markers, ..self }
    }

    /// Creates a row that contains only a marker, at a time in seconds.
    pub fn of_marker(time: f32, name: &'f str, columns: &'f Columns) -> FrameRow<'f> {
        FrameRow {
            time: Value(time),
            marker: Some(name),
            markers: &[],
            frame: None,
            columns,
        }
    }

    /// Returns one cell for each of the [names](Columns::names).
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Number(self.time)];
        if self.columns.marker {
            cells.push(
                self.marker
                    .map_or(Cell::Empty(()), |name| Cell::Text(name.to_owned().into())),
            );
        }
        let paths = self.columns.paths().into_iter();
        cells.extend(paths.map(|path| self.curve_cell(path).unwrap_or(Cell::Empty(()))));
        let devices = self.columns.of_devices();
        cells.extend(devices.map(|column| self.cell(column).unwrap_or(Cell::Empty(()))));
        cells
    }

    /// Returns the cell of a column; `None` if its value is unknown.
    pub(crate) fn cell(&self, column: WideColumn) -> Option<Cell> {
        match column {
            WideColumn::Curve(path) => self.curve_cell(path),
            WideColumn::Input(device, input, is_boolean) => {
                let value = self.frame?.device(device)?.input(input)?;
                // A word, so that readers do not confuse it with a number.
                Some(if is_boolean {
                    let word = if value.is_on() { "true" } else { "false" };
                    Cell::Text(Cow::Borrowed(word))
                } else {
                    Cell::Number(Value(value.number()))
                })
            }
            WideColumn::Active(device) => {
                let device = self.frame?.device(device)?;
                Some(Cell::State(device.active.into()))
            }
            WideColumn::Profile(device) => {
                let profile = self.frame?.device(device)?.profile.as_ref()?;
                Some(Cell::Text(profile.to_string().into()))
            }
        }
    }

    fn curve_cell(&self, path: CurvePath) -> Option<Cell> {
        let frame = self.frame?;
        // Channels are numbered as in the file: first the position, then the rotation (docs/format.md,
        // section 2.1).
        let of_pose = |pose: Pose, channel: PoseChannel| match channel as usize {
            part @ 0..3 => pose.position[part],
            part => pose.rotation[part - 3],
        };
        let of_ray = |ray: Ray, channel: RayChannel| match channel as usize {
            part @ 0..3 => ray.origin[part],
            part => ray.direction[part - 3],
        };
        let state =
            |hand: &HandFrame, is_on: bool| (!hand.unknown).then_some(Cell::State(is_on.into()));
        let number = match path {
            CurvePath::Head(channel) => of_pose(frame.head?, channel),
            CurvePath::Tracked(side) => {
                let hand = frame.hand(side);
                return state(hand, hand.tracked);
            }
            CurvePath::Pinching(side) => {
                let hand = frame.hand(side);
                return state(hand, hand.pinching).filter(|_| !hand.pinch_unknown);
            }
            CurvePath::Joint(side, joint, channel) => {
                of_pose(frame.hand(side).joints[joint]?, channel)
            }
            CurvePath::Gaze(channel) => of_ray(frame.gaze?, channel),
            CurvePath::DevicePose(device, pose, channel) => {
                of_pose(*frame.device(device)?.pose(pose)?, channel)
            }
            CurvePath::Input(device, input) => frame.device(device)?.input(input)?.number(),
        };
        Some(Cell::Number(Value(number)))
    }
}

/// A cell of a table.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number.
    Number(Value),
    /// The name of a marker.
    Text(Cow<'static, str>),
    /// A state: 1 for on, 0 for off.
    State(u8),
    /// An unknown value.
    Empty(()),
}

/// A number that is written with the fewest digits that read back as the same 32-bit float.
///
/// Numbers that are not finite are written as unknown: JSON cannot represent them, and readers of CSV expect an empty
/// cell.
#[derive(Clone, Copy, Debug)]
pub struct Value(pub f32);

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f32(self.0)
        } else {
            serializer.serialize_none()
        }
    }
}

impl Serialize for FrameRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The number of members depends on the poses that are known.
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("time", &self.time)?;
        if let Some(name) = self.marker {
            row.serialize_entry("marker", name)?;
        }
        if !self.markers.is_empty() {
            row.serialize_entry("markers", &MarkersObject(self.markers))?;
        }
        let Some(frame) = self.frame else {
            return row.end();
        };
        if let Some(pose) = frame.head.filter(|_| self.columns.head) {
            row.serialize_entry("head", &PoseObject::from(pose))?;
        }
        for (side, joints) in Side::BOTH.into_iter().zip(&self.columns.hands) {
            if let Some(joints) = joints {
                row.serialize_entry(side.name(), &HandObject::new(frame.hand(side), joints))?;
            }
        }
        if let Some(ray) = frame.gaze.filter(|_| self.columns.gaze) {
            row.serialize_entry("gaze", &RayObject::from(ray))?;
        }
        if !self.columns.devices.is_empty() {
            row.serialize_entry("devices", &DevicesObject(frame, &self.columns.devices))?;
        }
        row.end()
    }
}

/// Markers as an array of objects.
struct MarkersObject<'f>(&'f [Marker<'f>]);

impl Serialize for MarkersObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let objects = self.0.iter().map(|marker| MarkerObject {
            time: Value(marker.time),
            name: &marker.name,
        });
        serializer.collect_seq(objects)
    }
}

#[derive(Serialize)]
struct MarkerObject<'f> {
    time: Value,
    name: &'f str,
}

/// The known devices of a frame, by their names.
struct DevicesObject<'f>(&'f Frame, &'f [DeviceParts]);

impl Serialize for DevicesObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let devices = self.1.iter().filter_map(|parts| {
            let frame = self.0.device(parts.name)?;
            Some((parts.name.as_str(), DeviceObject { frame, parts }))
        });
        serializer.collect_map(devices)
    }
}

struct DeviceObject<'f> {
    frame: &'f DeviceFrame,
    parts: &'f DeviceParts,
}

impl Serialize for DeviceObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DeviceObject { frame, parts } = self;
        let poses = parts.poses.iter();
        let poses: BTreeMap<&str, PoseObject> = poses
            .filter_map(|&name| Some((name.as_str(), PoseObject::from(*frame.pose(name)?))))
            .collect();
        let inputs = parts.inputs.iter();
        let inputs: BTreeMap<String, InputCell> = inputs
            .filter_map(|&(name, is_boolean)| {
                let value = frame.input(name)?;
                let cell = if is_boolean {
                    InputCell::State(value.is_on())
                } else {
                    InputCell::Number(Value(value.number()))
                };
                Some((name.to_string(), cell))
            })
            .collect();
        let mut object = serializer.serialize_struct("device", 4)?;
        object.serialize_field("active", &frame.active)?;
        object.serialize_field("profile", &frame.profile.as_deref())?;
        object.serialize_field("poses", &poses)?;
        object.serialize_field("inputs", &inputs)?;
        object.end()
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum InputCell {
    Number(Value),
    State(bool),
}

#[derive(Serialize)]
struct PoseObject {
    position: [Value; 3],
    rotation: [Value; 4],
}

#[derive(Serialize)]
struct RayObject {
    origin: [Value; 3],
    direction: [Value; 3],
}

#[derive(Serialize)]
struct HandObject<'f> {
    /// `null` if nothing is known about the hand.
    tracked: Option<bool>,
    pinching: Option<bool>,
    joints: JointsObject<'f>,
}

/// The known joints by their names.
struct JointsObject<'f> {
    poses: &'f Joints<Option<Pose>>,
    joints: &'f [Joint],
}

impl Serialize for JointsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for &joint in self.joints {
            if let Some(pose) = self.poses[joint] {
                map.serialize_entry(joint.name(), &PoseObject::from(pose))?;
            }
        }
        map.end()
    }
}

impl<'f> HandObject<'f> {
    fn new(hand: &'f HandFrame, joints: &'f [Joint]) -> HandObject<'f> {
        HandObject {
            tracked: (!hand.unknown).then_some(hand.tracked),
            pinching: (!hand.unknown && !hand.pinch_unknown).then_some(hand.pinching),
            joints: JointsObject {
                poses: &hand.joints,
                joints,
            },
        }
    }
}

impl From<Pose> for PoseObject {
    fn from(pose: Pose) -> PoseObject {
        PoseObject {
            position: pose.position.map(Value),
            rotation: pose.rotation.map(Value),
        }
    }
}

impl From<Ray> for RayObject {
    fn from(ray: Ray) -> RayObject {
        RayObject {
            origin: ray.origin.map(Value),
            direction: ray.direction.map(Value),
        }
    }
}
