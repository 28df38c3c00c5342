//! Writes frames: as JSON objects, and as cells of a table.

use std::borrow::Cow;

use crate::shared::mapping::{MARKER, TIME_S};
use inputanim::{
    CurvePath, DeviceName, Frame, HandFrame, InputCurve, InputName, InputValue, Joint, Joints,
    Marker, Pose, PoseChannel, PoseName, Ray, RayChannel, Recording, Side,
};
use serde::ser::SerializeMap;
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
    /// The devices, in the order of their names.
    pub devices: Vec<DeviceParts>,
}

/// The poses and inputs of a device.
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
    /// Adds the poses and inputs of another one. An input that is a number in one of them is a number.
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

impl Columns {
    /// Returns columns for the markers, the head, every joint of both hands, and the gaze.
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

    /// Returns the columns of a recording: the head, the gaze and the joints that have a key, and the states of each
    /// hand that has a key. There is no column of markers; set [`marker`](Self::marker) to add it.
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

    /// Returns the names of the columns of a wide table, in order: `time_s`, `marker` if there is a column of markers,
    /// then the names of the curves.
    pub fn names(&self) -> Vec<String> {
        let marker = self.marker.then(|| MARKER.to_owned());
        let names = std::iter::once(TIME_S.to_owned()).chain(marker);
        names
            .chain(self.paths().iter().map(CurvePath::to_string))
            .collect()
    }

    /// Returns the curves that have columns, in the order of the columns.
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
        let paths = self.columns.paths();
        cells.extend(
            paths
                .into_iter()
                .map(|path| self.cell(path).unwrap_or(Cell::Empty(()))),
        );
        cells
    }

    fn cell(&self, path: CurvePath) -> Option<Cell> {
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
            CurvePath::Input(device, input) => match frame.device(device)?.input(input)? {
                InputValue::Float(number) => number,
                InputValue::Boolean(is_on) => return Some(Cell::State(is_on.into())),
            },
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
