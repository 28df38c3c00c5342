//! Frames as objects and as cells.

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};
use inputanim_convert::json::Number;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::selection::Selection;

/// What is wanted of a frame.
#[derive(Serialize)]
pub(super) struct Instant<'f> {
    time: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    camera: Option<PoseObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<HandObject<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<HandObject<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaze: Option<RayObject>,
}

#[derive(Clone, Copy, Serialize)]
struct PoseObject {
    position: [Number; 3],
    rotation: [Number; 4],
}

#[derive(Clone, Copy, Serialize)]
struct RayObject {
    origin: [Number; 3],
    direction: [Number; 3],
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
    Number(Number),
    State(u8),
    Empty(()),
}

impl<'f> Instant<'f> {
    pub(super) fn new(frame: &Frame, selection: &'f Selection) -> Instant<'f> {
        let hand = |side: Side| {
            let joints = selection.hands[side as usize].as_ref()?;
            Some(HandObject::new(frame.hand(side), joints))
        };
        Instant {
            time: Number(frame.time),
            camera: frame
                .camera
                .filter(|_| selection.camera)
                .map(PoseObject::new),
            left: hand(Side::Left),
            right: hand(Side::Right),
            gaze: frame.gaze.filter(|_| selection.gaze).map(RayObject::new),
        }
    }

    /// In the order of [`Selection::columns`].
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Number(self.time)];
        if let Some(pose) = self.camera {
            cells.extend(pose.numbers().map(Cell::Number));
        }
        for hand in [&self.left, &self.right].into_iter().flatten() {
            cells.extend([hand.tracked, hand.pinching].map(|on| Cell::State(on.into())));
            for (_, pose) in &hand.joints {
                match pose {
                    Some(pose) => cells.extend(pose.numbers().map(Cell::Number)),
                    None => cells.extend([(); 7].map(Cell::Empty)),
                }
            }
        }
        if let Some(ray) = self.gaze {
            cells.extend(ray.origin.map(Cell::Number));
            cells.extend(ray.direction.map(Cell::Number));
        }
        cells
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
            position: pose.position.map(Number),
            rotation: pose.rotation.map(Number),
        }
    }

    fn numbers(self) -> [Number; 7] {
        let [x, y, z] = self.position;
        let [qx, qy, qz, qw] = self.rotation;
        [x, y, z, qx, qy, qz, qw]
    }
}

impl RayObject {
    fn new(ray: Ray) -> RayObject {
        RayObject {
            origin: ray.origin.map(Number),
            direction: ray.direction.map(Number),
        }
    }
}
