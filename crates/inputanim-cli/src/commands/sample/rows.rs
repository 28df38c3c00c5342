//! Frames as objects and as cells.

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::selection::Selection;

/// A number, or nothing where there is none: readers of tables know no other way.
#[derive(Clone, Copy)]
pub(super) struct Value(f32);

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f32(self.0),
            false => serializer.serialize_none(),
        }
    }
}

/// What is wanted of a frame.
#[derive(Serialize)]
pub(super) struct Row<'f> {
    time: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    camera: Option<PoseObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<HandObject<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<HandObject<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaze: Option<RayObject>,
    #[serde(skip)]
    selection: &'f Selection,
}

#[derive(Clone, Copy, Serialize)]
struct PoseObject {
    position: [Value; 3],
    rotation: [Value; 4],
}

#[derive(Clone, Copy, Serialize)]
struct RayObject {
    origin: [Value; 3],
    direction: [Value; 3],
}

#[derive(Serialize)]
struct HandObject<'f> {
    tracked: bool,
    pinching: bool,
    #[serde(serialize_with = "by_name")]
    joints: Vec<(&'f Joint, Option<PoseObject>)>,
}

/// Joints that are there, by their names.
fn by_name<S: Serializer>(
    joints: &[(&Joint, Option<PoseObject>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (joint, pose) in joints {
        if let Some(pose) = pose {
            map.serialize_entry(joint.name(), pose)?;
        }
    }
    map.end()
}

/// A cell of CSV.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Cell {
    Number(Value),
    Text(String),
    State(u8),
    Empty(()),
}

impl<'f> Row<'f> {
    pub(super) fn new(frame: &Frame, marker: Option<&'f str>, selection: &'f Selection) -> Row<'f> {
        let hand = |side: Side| {
            let joints = selection.hands[side as usize].as_ref()?;
            Some(HandObject::new(frame.hand(side), joints))
        };
        Row {
            time: Value(frame.time),
            marker,
            camera: frame
                .camera
                .filter(|_| selection.camera)
                .map(PoseObject::new),
            left: hand(Side::Left),
            right: hand(Side::Right),
            gaze: frame.gaze.filter(|_| selection.gaze).map(RayObject::new),
            selection,
        }
    }

    /// Time, marker if there is one, and then in the order of [`Selection::columns`].
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Number(self.time)];
        cells.extend(self.marker.map(|name| Cell::Text(name.to_owned())));
        if self.selection.camera {
            cells.extend(pose_cells(self.camera));
        }
        for hand in [&self.left, &self.right].into_iter().flatten() {
            cells.extend([hand.tracked, hand.pinching].map(|on| Cell::State(on.into())));
            for (_, pose) in &hand.joints {
                cells.extend(pose_cells(*pose));
            }
        }
        match self.gaze {
            Some(ray) => cells.extend(
                ray.origin
                    .into_iter()
                    .chain(ray.direction)
                    .map(Cell::Number),
            ),
            None if self.selection.gaze => cells.extend([(); 6].map(Cell::Empty)),
            None => {}
        }
        cells
    }
}

/// Seven numbers, or seven cells without one.
fn pose_cells(pose: Option<PoseObject>) -> [Cell; 7] {
    match pose {
        Some(pose) => pose.numbers().map(Cell::Number),
        None => [(); 7].map(Cell::Empty),
    }
}

impl<'f> HandObject<'f> {
    fn new(hand: &HandFrame, joints: &'f [Joint]) -> HandObject<'f> {
        let pose = |joint: &'f Joint| (joint, hand.joints[*joint].map(PoseObject::new));
        HandObject {
            tracked: hand.tracked,
            pinching: hand.pinching,
            joints: joints.iter().map(pose).collect(),
        }
    }
}

impl PoseObject {
    fn new(pose: Pose) -> PoseObject {
        PoseObject {
            position: pose.position.map(Value),
            rotation: pose.rotation.map(Value),
        }
    }

    fn numbers(self) -> [Value; 7] {
        let [x, y, z] = self.position;
        let [qx, qy, qz, qw] = self.rotation;
        [x, y, z, qx, qy, qz, qw]
    }
}

impl RayObject {
    fn new(ray: Ray) -> RayObject {
        RayObject {
            origin: ray.origin.map(Value),
            direction: ray.direction.map(Value),
        }
    }
}
