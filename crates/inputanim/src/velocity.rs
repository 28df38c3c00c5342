//! The velocities of the poses of devices, as a runtime reports them.
//!
//! They are inputs with fixed names after the name of the pose: `grip/linear_velocity/x` to `z` in metres per second, and
//! `grip/angular_velocity/x` to `z` in radians per second. Both have the axes of the recording, as poses have. A linear velocity is a
//! vector. An angular velocity is the axis of a turn, multiplied by its speed: the turn has the quaternion of the rotation later,
//! multiplied by the inverse of the rotation before. A reflection changes its sign too, because it changes the direction of turns.

use crate::curve::FloatCurve;
use crate::device::{Device, InputCurve, InputName, InputValue, PoseName};

/// The names of the axes in the names of inputs.
const AXES: [&str; 3] = ["x", "y", "z"];

named_enum! {
    /// A part of the velocity of a pose. The name is a word of the names of its inputs.
    ///
    /// ```
    /// use inputanim::velocity::{VelocityKind, VelocityVector};
    /// let angular = VelocityVector { pose: "grip".parse()?, kind: VelocityKind::Angular };
    /// assert_eq!(angular.inputs().unwrap()[1].as_str(), "grip/angular_velocity/y");
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum VelocityKind: "kind of velocity" {
        /// The velocity of the position in m/s.
        Linear => "linear_velocity",
        /// The velocity of the rotation in rad/s.
        Angular => "angular_velocity",
    }
}

/// The linear or the angular velocity of a pose of a device: three inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VelocityVector {
    /// The pose.
    pub pose: PoseName,
    /// The part of its velocity.
    pub kind: VelocityKind,
}

impl VelocityVector {
    /// Returns the velocity that an input is a component of, and the index of its axis: 0 for x. `None` for another input.
    ///
    /// ```
    /// use inputanim::velocity::{VelocityKind, VelocityVector};
    /// let (vector, axis) = VelocityVector::of("aim/linear_velocity/z".parse()?).unwrap();
    /// assert_eq!((vector.pose.as_str(), vector.kind, axis), ("aim", VelocityKind::Linear, 2));
    /// assert_eq!(VelocityVector::of("thumbstick/x".parse()?), None);
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn of(input: InputName) -> Option<(VelocityVector, usize)> {
        let (rest, axis) = input.as_str().rsplit_once('/')?;
        let axis = AXES.into_iter().position(|name| name == axis)?;
        let (pose, kind) = rest.split_once('/')?;
        let mut kinds = VelocityKind::ALL.iter().copied();
        let kind = kinds.find(|known| known.name() == kind)?;
        let pose = pose.parse().ok()?;
        Some((VelocityVector { pose, kind }, axis))
    }

    /// Returns the inputs of the components x, y and z. `None` if a name is longer than names of inputs may be.
    pub fn inputs(self) -> Option<[InputName; 3]> {
        let VelocityVector { pose, kind } = self;
        let name = |axis: &str| format!("{}/{kind}/{axis}", pose.as_str()).parse().ok();
        let [x, y, z] = AXES.map(name);
        Some([x?, y?, z?])
    }

    /// Returns the velocity at a time at which `input` returns the values of inputs. `None` if a component is not known.
    pub fn read(self, input: impl Fn(InputName) -> Option<InputValue>) -> Option<[f32; 3]> {
        let [x, y, z] = self.inputs()?.map(input);
        Some([x?.number(), y?.number(), z?.number()])
    }

    /// Returns the velocities of which a device has at least one component, in the order of their names.
    pub(crate) fn all_of(device: &Device<'_>) -> Vec<VelocityVector> {
        let inputs = device.inputs.iter();
        // A velocity is not on or off.
        let inputs = inputs.filter(|(_, curve)| matches!(curve, InputCurve::Float(_)));
        let vectors = inputs.filter_map(|(name, _)| Some(VelocityVector::of(*name)?.0));
        let mut vectors: Vec<VelocityVector> = vectors.collect();
        vectors.sort();
        vectors.dedup();
        vectors
    }
}

/// Returns the velocities of a device, mutable: the curves of the inputs with numbers that are components of one.
pub(crate) fn curves_mut<'r, 'a>(
    device: &'r mut Device<'a>,
) -> impl Iterator<Item = (InputName, &'r mut FloatCurve<'a>)> {
    let inputs = device.inputs.iter_mut();
    inputs.filter_map(|(name, input)| match input {
        InputCurve::Float(curve) if VelocityVector::of(*name).is_some() => Some((*name, curve)),
        _ => None,
    })
}
