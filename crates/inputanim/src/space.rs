//! Conversion between the axes of coordinate systems (docs/format.md, section 5.2).
//!
//! A recording is in Unity's space: left-handed, +X right, +Y up, +Z forward. Every other system
//! here differs from it by one swap or one sign of an axis. The conversion is therefore its own
//! inverse, for positions and for rotations. Lengths stay in metres.
//!
//! Guarantee: conversion and rotation commute. A direction that is rotated and then converted equals the converted
//! direction, rotated by the converted rotation.

use crate::device::{InputName, InputValue};
use crate::frame::{Frame, HandFrame, Pose, Ray};
use crate::sampler::{DeviceColumns, FrameColumns, InputColumn, PoseColumns};
use crate::velocity::{VelocityKind, VelocityVector};

named_enum! {
    /// The axes of a coordinate system. All conversions go from Unity's axes to the axes of the system. The same conversion
    /// also goes back.
    ///
    /// ```
    /// use inputanim::Space;
    /// // One metre ahead of the origin, at eye height.
    /// assert_eq!(Space::OpenXr.position([0.0, 1.6, 1.0]), [0.0, 1.6, -1.0]);
    /// assert_eq!(Space::Blender.position([0.0, 1.6, 1.0]), [0.0, 1.0, 1.6]);
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Space: "space" {
        /// As recorded: left-handed, +X right, +Y up, +Z forward.
        #[default]
        Unity => "unity",
        /// OpenXR and WebXR: right-handed, +X right, +Y up, −Z forward. −Z of a joint points along its bone, as in OpenXR.
        /// Also the axes of glTF files from exporters that flip Z.
        OpenXr => "openxr" | "webxr",
        /// glTF 2.0 as UnityGLTF exports it: right-handed, −X right, +Y up, +Z forward.
        Gltf => "gltf",
        /// Blender: right-handed, +X right, +Y forward, +Z up.
        Blender => "blender",
        /// USD with `upAxis` Y and `metersPerUnit` 1: the axes of [`OpenXr`](Self::OpenXr).
        Usd => "usd",
    }
}

impl Space {
    /// Converts a position or direction x, y, z.
    #[inline]
    pub const fn position(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Space::Unity => [x, y, z],
            Space::OpenXr | Space::Usd => [x, y, -z],
            Space::Gltf => [-x, y, z],
            Space::Blender => [x, z, y],
        }
    }

    /// Converts a rotation x, y, z, w. Blender and USD write w first; here it is always last.
    #[inline]
    pub const fn rotation(self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        match self {
            Space::Unity => [x, y, z, w],
            // The reversal of an axis negates the other two components. An exchange of two axes
            // exchanges their components and negates all three.
            Space::OpenXr | Space::Usd => [-x, -y, z, w],
            Space::Gltf => [x, -y, -z, w],
            Space::Blender => [-x, -z, -y, w],
        }
    }

    /// Converts an angular velocity x, y, z: an axis multiplied by the speed of the turn about it, such that a turn has the quaternion
    /// of this axis.
    #[inline]
    pub const fn angular_velocity(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = self.rotation([x, y, z, 0.0]);
        [x, y, z]
    }

    /// Converts a velocity.
    pub const fn velocity(self, kind: VelocityKind, vector: [f32; 3]) -> [f32; 3] {
        match kind {
            VelocityKind::Linear => self.position(vector),
            VelocityKind::Angular => self.angular_velocity(vector),
        }
    }

    /// Returns the name that an input of a device has in the axes of the system, and the factor of its values. Each axis of a system is
    /// an axis of Unity, possibly with the other sign. Inputs that are no [velocities](crate::velocity) stay.
    ///
    /// ```
    /// use inputanim::Space;
    /// let [y, z] = ["grip/linear_velocity/y", "grip/linear_velocity/z"];
    /// assert_eq!(Space::Blender.input(y.parse()?), (z.parse()?, 1.0));
    /// assert_eq!(Space::OpenXr.input(z.parse()?), (z.parse()?, -1.0));
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn input(self, input: InputName) -> (InputName, f32) {
        let Some((vector, axis)) = VelocityVector::of(input).filter(|_| self != Space::Unity)
        else {
            return (input, 1.0);
        };
        let mut unit = [0.0; 3];
        unit[axis] = 1.0;
        let image = self.velocity(vector.kind, unit);
        let mut axes = (0..3).filter(|&axis| image[axis] != 0.0);
        match axes.next().zip(vector.inputs()) {
            Some((to, names)) => (names[to], image[to]),
            None => (input, 1.0),
        }
    }

    /// Converts a pose.
    #[inline]
    pub const fn pose(self, pose: Pose) -> Pose {
        Pose {
            position: self.position(pose.position),
            rotation: self.rotation(pose.rotation),
        }
    }

    /// Converts a ray.
    pub const fn ray(self, ray: Ray) -> Ray {
        Ray {
            origin: self.position(ray.origin),
            direction: self.position(ray.direction),
        }
    }

    /// Converts the pose of the head to the pose of a camera object of the system, which looks along
    /// its own −Z with +Y up (in Unity: along +Z). [`pose`](Self::pose) keeps the axes of the head
    /// instead, which is another rotation for glTF and Blender.
    pub fn camera(self, head: Pose) -> Pose {
        let pose = self.pose(head);
        let [x, y, z, w] = pose.rotation;
        const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
        let rotation = match self {
            Space::Unity | Space::OpenXr | Space::Usd => pose.rotation,
            // The rotation is multiplied by half a turn about Y.
            Space::Gltf => [-z, w, x, -y],
            // The rotation is multiplied by a quarter turn about X.
            Space::Blender => [x + w, y + z, z - y, w - x].map(|part| part * HALF),
        };
        Pose { rotation, ..pose }
    }

    /// Converts all poses and rays of a frame, also those of devices and their [velocities](crate::velocity); the head as
    /// [`pose`](Self::pose), not as [`camera`](Self::camera).
    pub fn frame(self, mut frame: Frame) -> Frame {
        let hand = |hand: &mut HandFrame| {
            for (_, pose) in hand.joints.iter_mut() {
                *pose = pose.map(|pose| self.pose(pose));
            }
        };
        hand(&mut frame.left);
        hand(&mut frame.right);
        frame.head = frame.head.map(|pose| self.pose(pose));
        frame.gaze = frame.gaze.map(|ray| self.ray(ray));
        for device in &mut frame.devices {
            for (_, pose) in &mut device.poses {
                *pose = self.pose(*pose);
            }
            self.inputs(&mut device.inputs, InputValue::negate);
        }
        frame
    }

    /// Converts what [`frame`](Self::frame) converts, in columns.
    pub fn columns(self, columns: &mut FrameColumns) {
        if self == Space::Unity {
            return;
        }
        let hands = [&mut columns.left, &mut columns.right];
        let joints = hands.into_iter().flat_map(|hand| hand.joints.iter_mut());
        let poses = joints.filter_map(|(_, pose)| pose.as_mut());
        for pose in poses.chain(&mut columns.head) {
            self.pose_columns(pose);
        }
        if let Some(ray) = &mut columns.gaze {
            convert_rows(&mut ray.origin, |origin| self.position(origin));
            convert_rows(&mut ray.direction, |direction| self.position(direction));
        }
        for device in &mut columns.devices {
            self.device_columns(device);
        }
    }

    /// Converts the poses and the [velocities](crate::velocity) of a device.
    pub fn device_columns(self, device: &mut DeviceColumns) {
        for (_, pose) in &mut device.poses {
            self.pose_columns(pose);
        }
        self.inputs(&mut device.inputs, InputColumn::negate);
    }

    /// Converts the velocities among the inputs of a device: each gets the name of its new axis, and `negate` changes the sign of its
    /// values if the axes have opposite directions. The inputs stay in the order of their names.
    fn inputs<T>(self, inputs: &mut [(InputName, T)], negate: impl Fn(&mut T)) {
        let mut is_moved = false;
        for (name, values) in inputs.iter_mut() {
            let (image, factor) = self.input(*name);
            is_moved |= image != *name;
            *name = image;
            if factor < 0.0 {
                negate(values);
            }
        }
        if is_moved {
            inputs.sort_by_key(|(name, _)| *name);
        }
    }

    fn pose_columns(self, pose: &mut PoseColumns) {
        convert_rows(&mut pose.position, |position| self.position(position));
        convert_rows(&mut pose.rotation, |rotation| self.rotation(rotation));
    }
}

fn convert_rows<const N: usize>(
    columns: &mut [Vec<f32>; N],
    convert: impl Fn([f32; N]) -> [f32; N],
) {
    let rows = columns[0].len();
    for row in 0..rows {
        let converted = convert(columns.each_ref().map(|column| column[row]));
        for (column, number) in columns.iter_mut().zip(converted) {
            column[row] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceName;
    use crate::frame::DeviceFrame;
    use crate::joint::{Joint, Side};

    /// Rotates a direction. The formula is the same in every space.
    fn turn(rotation: [f32; 4], direction: [f32; 3]) -> [f32; 3] {
        let position = [0.0; 3];
        Pose { position, rotation }.turn(direction)
    }

    fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    /// Returns pseudo-random rotations and directions, the same in every run.
    fn samples() -> Vec<([f32; 4], [f32; 3])> {
        let mut state = 7_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let mut samples = Vec::new();
        for _ in 0..1000 {
            let q = [number(), number(), number(), number()];
            let length = q.iter().map(|part| part * part).sum::<f32>().sqrt();
            let v = [number(), number(), number()];
            samples.push((q.map(|part| part / length), v));
        }
        samples
    }

    #[test]
    fn rotation_and_conversion_commute() {
        for &space in Space::ALL {
            for (q, v) in samples() {
                let turned = space.position(turn(q, v));
                let converted = turn(space.rotation(q), space.position(v));
                assert!(
                    is_near(turned, converted),
                    "{space}: {turned:?} {converted:?}"
                );
            }
        }
    }

    #[test]
    fn converting_twice_gives_the_original() {
        for &space in Space::ALL {
            for (rotation, position) in samples() {
                let pose = Pose { position, rotation };
                assert_eq!(space.pose(space.pose(pose)), pose);
            }
        }
    }

    /// Returns the right, up and forward vectors of a system.
    fn axes(space: Space) -> [[f32; 3]; 3] {
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let minus = |v: [f32; 3]| v.map(|part| -part);
        match space {
            Space::Unity => [x, y, z],
            Space::OpenXr | Space::Usd => [x, y, minus(z)],
            Space::Gltf => [minus(x), y, z],
            Space::Blender => [x, z, y],
        }
    }

    #[test]
    fn right_up_and_forward_convert_to_the_axes_of_the_system() {
        for &space in Space::ALL {
            let unity = axes(Space::Unity).map(|axis| space.position(axis));
            assert!(
                unity.iter().zip(axes(space)).all(|(a, b)| is_near(*a, b)),
                "{space}"
            );
        }
    }

    #[test]
    fn a_quarter_turn_to_the_right_looks_right_everywhere() {
        // In Unity, a turn about +Y by 90 degrees takes forward to right.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let quarter = [0.0, half, 0.0, half];
        let [right, _, forward] = axes(Space::Unity);
        assert!(is_near(turn(quarter, forward), right));
        for &space in Space::ALL {
            let [right, up, forward] = axes(space);
            assert!(
                is_near(turn(space.rotation(quarter), forward), right),
                "{space}"
            );
            assert!(is_near(turn(space.rotation(quarter), up), up), "{space}");
        }
    }

    #[test]
    fn a_camera_looks_along_minus_z_with_y_up() {
        for &space in Space::ALL {
            let back = if space == Space::Unity { -1.0 } else { 1.0 };
            for (rotation, position) in samples() {
                let camera = space.camera(Pose { position, rotation });
                let looks = turn(camera.rotation, [0.0, 0.0, -back]);
                let up = turn(camera.rotation, [0.0, 1.0, 0.0]);
                let gaze = space.position(turn(rotation, [0.0, 0.0, 1.0]));
                let head_up = space.position(turn(rotation, [0.0, 1.0, 0.0]));
                assert!(is_near(looks, gaze), "{space}: {looks:?} {gaze:?}");
                assert!(is_near(up, head_up), "{space}: {up:?} {head_up:?}");
                assert_eq!(camera.position, space.position(position));
            }
        }
    }

    #[test]
    fn an_openxr_joint_points_along_its_bone_with_minus_z() {
        for (rotation, _) in samples() {
            let bone = Space::OpenXr.position(turn(rotation, [0.0, 0.0, 1.0]));
            let axis = turn(Space::OpenXr.rotation(rotation), [0.0, 0.0, -1.0]);
            assert!(is_near(bone, axis));
        }
    }

    #[test]
    fn a_frame_converts_all_its_poses_and_rays() {
        let mut frame = Frame {
            head: Some(Pose::at([1.0, 2.0, 3.0])),
            gaze: Some(Ray {
                origin: [1.0, 2.0, 3.0],
                direction: [0.0, 0.0, 1.0],
            }),
            ..Frame::default()
        };
        frame.right.joints[Joint::Palm] = Some(Pose::at([4.0, 5.0, 6.0]));
        let aim = "aim".parse().unwrap();
        let mut device = DeviceFrame::new(DeviceName::controller(Side::Right));
        let rotation = [0.6, 0.0, 0.0, 0.8];
        let position = [7.0, 8.0, 9.0];
        device.poses.push((aim, Pose { position, rotation }));
        frame.devices.push(device);
        let converted = Space::OpenXr.frame(frame.clone());
        let aimed = converted.devices[0].pose(aim).unwrap();
        assert_eq!(aimed.position, [7.0, 8.0, -9.0]);
        assert_eq!(aimed.rotation, Space::OpenXr.rotation(rotation));
        assert_ne!(aimed.rotation, rotation);
        assert_eq!(converted.head, Some(Pose::at([1.0, 2.0, -3.0])));
        assert_eq!(converted.gaze.unwrap().direction, [0.0, 0.0, -1.0]);
        let palm = converted.right.joints[Joint::Palm].unwrap();
        assert_eq!(palm.position, [4.0, 5.0, -6.0]);
        assert_eq!(converted.right.joints[Joint::Wrist], None);
        assert_eq!(Space::OpenXr.frame(converted), frame);
    }

    #[test]
    fn a_space_is_found_by_its_name() {
        for &space in Space::ALL {
            assert_eq!(space.name().parse(), Ok(space));
        }
        assert_eq!("WebXR".parse(), Ok(Space::OpenXr));
        assert!("maya".parse::<Space>().is_err());
    }
}
