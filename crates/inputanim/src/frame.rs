//! One instant in plain values.

use crate::joint::{Joints, Side};

/// A position and a rotation in Unity's world space: left-handed, +X right, +Y up, +Z forward
/// (docs/format.md, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// x, y, z in metres.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [f32; 4],
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Pose = Pose::at([0.0; 3]);

    /// At a position in metres, not turned.
    pub const fn at(position: [f32; 3]) -> Pose {
        Pose {
            position,
            rotation: [0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl Pose {
    /// A direction of the pose's own axes as a direction of the world: `[0.0, 0.0, 1.0]` is where
    /// a head looks and where a joint's bone runs. The rotation must be of length 1.
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
        let once = cross(direction);
        let twice = cross(once);
        std::array::from_fn(|i| direction[i] + 2.0 * (w * once[i] + twice[i]))
    }
}

/// A ray in Unity's world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// x, y, z in metres.
    pub origin: [f32; 3],
    /// x, y, z; of length 1 in a healthy recording.
    pub direction: [f32; 3],
}

/// One hand at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandFrame {
    /// Whether the device sees the hand.
    pub tracked: bool,
    /// Whether thumb and index finger touch.
    pub pinching: bool,
    /// The joints that are known; `None` is "not recorded" or "not seen", never the origin.
    pub joints: Joints<Option<Pose>>,
}

/// One instant of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Seconds from the start.
    pub time: f32,
    /// The head, if known.
    pub camera: Option<Pose>,
    /// The left hand.
    pub left: HandFrame,
    /// The right hand.
    pub right: HandFrame,
    /// The eyes, if known.
    pub gaze: Option<Ray>,
}

impl Frame {
    /// One of the two hands.
    pub fn hand(&self, side: Side) -> &HandFrame {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// One of the two hands, for change.
    pub fn hand_mut(&mut self, side: Side) -> &mut HandFrame {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }
}
