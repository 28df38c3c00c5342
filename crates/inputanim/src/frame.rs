//! One instant of a recording as plain values.

use std::sync::Arc;

use crate::device::{DeviceName, InputName, InputValue, PoseName};
use crate::joint::{Joints, Side};

/// A position and a rotation in Unity's world space: left-handed, +X right, +Y up, +Z forward
/// (docs/format.md, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position x, y, z in metres.
    pub position: [f32; 3],
    /// Rotation as a quaternion x, y, z, w.
    pub rotation: [f32; 4],
}

impl Pose {
    /// The pose at the origin, without rotation.
    pub const IDENTITY: Pose = Pose::at([0.0; 3]);

    /// Returns the pose at a position in metres, without rotation.
    pub const fn at(position: [f32; 3]) -> Pose {
        Pose {
            position,
            rotation: [0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl Default for Pose {
    /// Returns [`Pose::IDENTITY`].
    fn default() -> Self {
        Pose::IDENTITY
    }
}

impl Pose {
    /// Rotates a direction from the pose's own axes to world axes. `[0.0, 0.0, 1.0]` is the view
    /// direction of a head and the bone direction of a joint. The rotation must have length 1.
    ///
    /// ```
    /// use inputanim::Pose;
    /// let half = std::f32::consts::FRAC_1_SQRT_2;
    /// let to_the_right = Pose { rotation: [0.0, half, 0.0, half], ..Pose::IDENTITY };
    /// let [x, y, z] = to_the_right.turn([0.0, 0.0, 1.0]);
    /// assert!(x > 0.999 && y.abs() < 1e-6 && z.abs() < 1e-6);
    /// ```
    pub fn turn(&self, direction: [f32; 3]) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        let cross = |b: [f32; 3]| {
            [
                y * b[2] - z * b[1],
                z * b[0] - x * b[2],
                x * b[1] - y * b[0],
            ]
        };
        // A quaternion (u, w) of length 1 rotates v to v + 2w (u × v) + 2u × (u × v).
        let once = cross(direction);
        let twice = cross(once);
        std::array::from_fn(|i| direction[i] + 2.0 * (w * once[i] + twice[i]))
    }
}

/// A ray in Unity's world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Origin x, y, z in metres.
    pub origin: [f32; 3],
    /// Direction x, y, z; normally of length 1.
    pub direction: [f32; 3],
}

/// One hand at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandFrame {
    /// `true` while the device tracks the hand.
    pub tracked: bool,
    /// `true` while thumb and index finger touch.
    pub pinching: bool,
    /// `true` if nothing is known about the hand, not even whether it is tracked. The other fields are then as for a hand
    /// that is not tracked.
    pub unknown: bool,
    /// `true` if the source of the hand has no pinches, so that it is unknown whether the fingers touch. `pinching` is then
    /// `false`.
    pub pinch_unknown: bool,
    /// Poses of the joints; `None` for a joint that is not recorded or not tracked.
    pub joints: Joints<Option<Pose>>,
}

/// One instant of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time in seconds.
    pub time: f32,
    /// Pose of the head, if known.
    pub head: Option<Pose>,
    /// The left hand.
    pub left: HandFrame,
    /// The right hand.
    pub right: HandFrame,
    /// Gaze, if known.
    pub gaze: Option<Ray>,
    /// The devices, in the order of their names. A device about which nothing is known is absent.
    pub devices: Vec<DeviceFrame>,
}

/// A controller, tracker or other device at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFrame {
    /// The name.
    pub name: DeviceName,
    /// `true` while the device is active. Without this it has no profile, pose or input.
    pub active: bool,
    /// The interaction profile, if known, such as `/interaction_profiles/valve/index_controller`.
    pub profile: Option<Arc<str>>,
    /// The poses that are known, in the order of their names.
    pub poses: Vec<(PoseName, Pose)>,
    /// The inputs that are known, in the order of their names.
    pub inputs: Vec<(InputName, InputValue)>,
}

impl DeviceFrame {
    /// Returns a device that is not active.
    pub const fn new(name: DeviceName) -> DeviceFrame {
        DeviceFrame {
            name,
            active: false,
            profile: None,
            poses: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Returns a pose; `None` if it is not known.
    pub fn pose(&self, name: PoseName) -> Option<&Pose> {
        let place = self.poses.binary_search_by_key(&name, |(name, _)| *name);
        place.ok().map(|place| &self.poses[place].1)
    }

    /// Returns the value of an input; `None` if it is not known.
    pub fn input(&self, name: InputName) -> Option<InputValue> {
        let place = self.inputs.binary_search_by_key(&name, |(name, _)| *name);
        place.ok().map(|place| self.inputs[place].1)
    }
}

impl Frame {
    /// Returns a device; `None` if nothing is known about it.
    pub fn device(&self, name: DeviceName) -> Option<&DeviceFrame> {
        self.devices.iter().find(|device| device.name == name)
    }

    /// Returns the left or the right hand of the frame.
    pub fn hand(&self, side: Side) -> &HandFrame {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns the left or the right hand of the frame, mutable.
    pub fn hand_mut(&mut self, side: Side) -> &mut HandFrame {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }
}
