//! The curves of vectors and quaternions.

use crate::curve::FloatCurve;
use crate::device::{DeviceName, InputCurve, InputName, PoseName};
use crate::element::Element;
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::recording::Recording;

/// The meaning of a vector under transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorKind {
    /// A point: translated, rotated and scaled.
    Position,
    /// A quaternion.
    Rotation,
    /// A direction: only rotated.
    Direction,
    /// The number of an input, which no transform changes.
    Number,
}

/// One vector or quaternion of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorPath {
    Head(VectorKind),
    Joint(Side, Joint, VectorKind),
    Gaze(VectorKind),
    Device(DeviceName, PoseName, VectorKind),
    Input(DeviceName, InputName),
}

impl VectorPath {
    /// Returns the vector that a curve is a component of; `None` for the state of a hand. An input that is on or off has no
    /// vector in a recording, although it has the path of one.
    pub(crate) fn of(curve: CurvePath) -> Option<VectorPath> {
        // The first three channels of a pose and of a ray are a position.
        let of_pose = |channel: PoseChannel| {
            if (channel as usize) < 3 {
                VectorKind::Position
            } else {
                VectorKind::Rotation
            }
        };
        Some(match curve {
            CurvePath::Head(channel) => VectorPath::Head(of_pose(channel)),
            CurvePath::Joint(side, joint, channel) => {
                VectorPath::Joint(side, joint, of_pose(channel))
            }
            CurvePath::Gaze(channel) if (channel as usize) < 3 => {
                VectorPath::Gaze(VectorKind::Position)
            }
            CurvePath::Gaze(_) => VectorPath::Gaze(VectorKind::Direction),
            CurvePath::DevicePose(device, pose, channel) => {
                VectorPath::Device(device, pose, of_pose(channel))
            }
            CurvePath::Input(device, input) => VectorPath::Input(device, input),
            CurvePath::Tracked(_) | CurvePath::Pinching(_) => return None,
        })
    }

    /// Returns the element of the vector.
    pub(crate) const fn element(self) -> Element {
        match self {
            VectorPath::Head(_) => Element::Head,
            VectorPath::Joint(side, joint, _) => Element::Joint(side, joint),
            VectorPath::Gaze(_) => Element::Gaze,
            VectorPath::Device(device, pose, _) => Element::DevicePose(device, pose),
            VectorPath::Input(device, input) => Element::Input(device, input),
        }
    }

    pub(crate) const fn kind(self) -> VectorKind {
        match self {
            VectorPath::Head(kind)
            | VectorPath::Joint(_, _, kind)
            | VectorPath::Gaze(kind)
            | VectorPath::Device(_, _, kind) => kind,
            VectorPath::Input(..) => VectorKind::Number,
        }
    }

    /// Returns the curves of the vector's components: x, y, z, and w for a rotation; one curve for an input.
    pub(crate) fn curves(self) -> impl Iterator<Item = CurvePath> {
        let channels = match self.kind() {
            VectorKind::Position => 0..3,
            VectorKind::Rotation => 3..7,
            VectorKind::Direction => 3..6,
            VectorKind::Number => 0..1,
        };
        channels.map(move |channel| match self {
            VectorPath::Head(_) => CurvePath::Head(PoseChannel::ALL[channel]),
            VectorPath::Joint(side, joint, _) => {
                CurvePath::Joint(side, joint, PoseChannel::ALL[channel])
            }
            VectorPath::Gaze(_) => CurvePath::Gaze(RayChannel::ALL[channel]),
            VectorPath::Device(device, pose, _) => {
                CurvePath::DevicePose(device, pose, PoseChannel::ALL[channel])
            }
            VectorPath::Input(device, input) => CurvePath::Input(device, input),
        })
    }
}

impl<'a> Recording<'a> {
    /// Returns the curves of the components of every position, rotation, direction and input with numbers, mutable, in the order of
    /// [`curves`](Recording::curves).
    pub(crate) fn vectors_mut(
        &mut self,
    ) -> impl Iterator<Item = (VectorPath, &mut [FloatCurve<'a>])> {
        use VectorKind::{Direction, Position, Rotation};
        // A chain of iterators would be compiled anew for each use, and is large in WebAssembly.
        let mut vectors = Vec::new();
        if let Some(pose) = &mut self.head {
            vectors.push((VectorPath::Head(Position), &mut pose.position[..]));
            vectors.push((VectorPath::Head(Rotation), &mut pose.rotation[..]));
        }
        if let Some(hands) = &mut self.hands {
            for (side, hand) in [
                (Side::Left, &mut hands.left),
                (Side::Right, &mut hands.right),
            ] {
                for (joint, pose) in hand.joints.iter_mut() {
                    let path = |kind| VectorPath::Joint(side, joint, kind);
                    vectors.push((path(Position), &mut pose.position[..]));
                    vectors.push((path(Rotation), &mut pose.rotation[..]));
                }
            }
        }
        if let Some(ray) = &mut self.gaze {
            vectors.push((VectorPath::Gaze(Position), &mut ray.origin[..]));
            vectors.push((VectorPath::Gaze(Direction), &mut ray.direction[..]));
        }
        for device in &mut self.devices {
            let name = device.name;
            for (pose, curves) in &mut device.poses {
                let path = |kind| VectorPath::Device(name, *pose, kind);
                vectors.push((path(Position), &mut curves.position[..]));
                vectors.push((path(Rotation), &mut curves.rotation[..]));
            }
            for (input, curve) in &mut device.inputs {
                if let InputCurve::Float(curve) = curve {
                    let path = VectorPath::Input(name, *input);
                    vectors.push((path, std::slice::from_mut(curve)));
                }
            }
        }
        vectors.into_iter()
    }
}

/// Returns `true` if all curves have the same number of keys, and their key times have equal bits.
pub(crate) fn share_times(curves: &[FloatCurve<'_>]) -> bool {
    let Some((first, rest)) = curves.split_first() else {
        return true;
    };
    rest.iter().all(|curve| curve.keys.share_times(&first.keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::recording::Flags;

    #[test]
    fn the_vectors_contain_every_float_curve_in_file_order() {
        let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
        let paths: Vec<CurvePath> = recording
            .vectors_mut()
            .flat_map(|(path, curves)| {
                assert_eq!(path.curves().count(), curves.len());
                assert!(
                    path.curves()
                        .all(|curve| VectorPath::of(curve) == Some(path))
                );
                path.curves()
            })
            .collect();
        let floats = recording.curves().map(|(path, _)| path);
        let floats =
            floats.filter(|path| !matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_)));
        assert_eq!(paths, floats.collect::<Vec<_>>());
    }
}
