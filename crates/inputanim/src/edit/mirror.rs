//! Reflection of a recording.

use glam::{DQuat, DVec3};

use crate::about::About;
use crate::frame::Pose;
use crate::recording::Recording;

use super::checks::require;
use super::error::EditError;
use super::linear::LinearMap;
use super::transform::{Transform, map_vectors};

/// A mirror plane, given by a point and a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorPlane {
    point: DVec3,
    normal: DVec3,
}

impl MirrorPlane {
    /// The plane x = 0 of the world. Reflecting in it rounds nothing.
    pub const WORLD: MirrorPlane = MirrorPlane {
        point: DVec3::ZERO,
        normal: DVec3::X,
    };

    /// Returns the vertical plane through the position of a pose, along its heading: its +Z axis, projected onto the
    /// floor. The reflection keeps the position and the heading of the pose.
    pub fn through(pose: &Pose) -> MirrorPlane {
        let upright = Transform::upright(pose);
        let [point, right] =
            [[0.0; 3], [1.0, 0.0, 0.0]].map(|p| DVec3::from_array(upright.transform_point(p)));
        MirrorPlane {
            point,
            normal: right - point,
        }
    }
}

/// Reflects a recording. The hands are exchanged: the left hand becomes the right one.
///
/// Controllers are exchanged too, and so are trackers, inputs and outputs with the words `left` and `right` in their names:
/// `tracker.left_foot`, `trigger_left/value`. The x axes of thumbsticks and trackpads change their sign. The buttons a and b of a right
/// controller become x and y of a left one if its profile has them: see [`InputName::mirrored`](crate::InputName::mirrored). A device
/// whose profile changes to one with other buttons keeps their names, and so does a device without a known profile. The inputs of
/// the left and the right side of the [headset](crate::headset) are exchanged: the left edge of the left view has the angle of the
/// right edge of the right view, with the other sign.
///
/// The [intrinsic matrix](crate::About::CAMERA_INTRINSIC) of a camera is reflected too: a position of the reflection is at the place
/// in the picture where the position was before.
///
/// The axes of a joint keep their meaning: +Z points along its bone and +Y out of the back of the
/// hand. Reflecting twice restores the recording: bit for bit in [`MirrorPlane::WORLD`], and except
/// for rounding in other planes.
///
/// # Errors
/// Returns an error if the plane has a number that is not finite, and in the cases of
/// [`transform`](super::transform()).
pub fn mirror(recording: &mut Recording<'_>, plane: &MirrorPlane) -> Result<(), EditError> {
    let parts = plane
        .point
        .to_array()
        .into_iter()
        .chain(plane.normal.to_array());
    for part in parts {
        require(
            part.is_finite(),
            "number of the mirror plane",
            part,
            "finite",
        )?;
    }
    let normal = plane.normal.try_normalize().unwrap_or(DVec3::X);
    let image = |v: DVec3| v - 2.0 * v.dot(normal) * normal;
    let image = |v: [f64; 3]| image(DVec3::from_array(v)).to_array();
    let offset = 2.0 * plane.point.dot(normal) * normal;
    // The plane x = 0 maps a rotation (x, y, z, w) to (x, −y, −z, w), and reverses the X axis of a
    // joint. Any other plane is this one, rotated.
    let turn = DQuat::from_rotation_arc(DVec3::X, normal);
    let turned_image = |q: [f64; 4]| {
        let q = turn.conjugate() * DQuat::from_array(q);
        (turn * DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)).to_array()
    };
    let position = LinearMap::new(image, offset.to_array());
    let direction = LinearMap::new(image, [0.0; 3]);
    let rotation = LinearMap::new(turned_image, [0.0; 4]);
    map_vectors(recording, &position, &direction, &rotation)?;
    if let Some(hands) = &mut recording.hands {
        // The reflection of a left hand has the shape of a right hand.
        std::mem::swap(&mut hands.left, &mut hands.right);
    }
    let devices = &recording.devices;
    recording.known.mirror(|device, input| {
        let found = devices.iter().find(|found| found.name == device);
        found.map_or_else(
            || input.mirrored(None),
            |device| device.mirrored_input(input),
        )
    });
    for device in &mut recording.devices {
        device.mirror();
    }
    recording.devices.sort_by_key(|device| device.name);
    if let Some(matrix) = recording.about.get(About::CAMERA_INTRINSIC) {
        // The first number is the focal length along the x axis.
        let reflected = match matrix.strip_prefix('-') {
            Some(matrix) => matrix.to_owned(),
            None => format!("-{matrix}"),
        };
        recording.about.set(About::CAMERA_INTRINSIC, &reflected);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::frame::HandFrame;
    use crate::joint::{Joint, Side};
    use crate::layout::Layout;
    use crate::record::Recorder;
    use crate::sampler::Sampler;

    const POSE: Pose = Pose {
        position: [0.3, 1.2, 0.5],
        rotation: [0.1, 0.7, -0.1, 0.7],
    };

    fn recording() -> Recording<'static> {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let mut left = HandFrame {
            tracked: true,
            ..HandFrame::default()
        };
        left.joints[Joint::Palm] = Some(POSE);
        recorder
            .push(&Frame {
                head: Some(POSE),
                left,
                ..Frame::default()
            })
            .unwrap();
        recorder.finish()
    }

    #[test]
    fn reflecting_twice_in_the_world_plane_restores_all_bits() {
        let mut mirrored = recording();
        mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        let palm = &mirrored.hands.as_ref().unwrap().hand(Side::Right).joints[Joint::Palm];
        let values: Vec<f32> = palm
            .iter()
            .map(|(_, curve)| curve.keys.point(0).unwrap().1)
            .collect();
        assert_eq!(values, [-0.3, 1.2, 0.5, 0.1, -0.7, 0.1, 0.7]);
        assert_eq!(mirrored.hands.as_ref().unwrap().right.tracked.keys.len(), 1);
        mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        assert_eq!(mirrored, recording());
    }

    #[test]
    fn pose_in_the_plane_stays_and_axes_are_reflected() {
        let plane = MirrorPlane::through(&POSE);
        let mut mirrored = recording();
        mirror(&mut mirrored, &plane).unwrap();
        let frame = Sampler::new(&mirrored).unwrap().frame_at(0.0);
        let (head, palm) = (
            frame.head.unwrap(),
            frame.right.joints[Joint::Palm].unwrap(),
        );
        assert_eq!(head, palm);
        for (axis, side) in [
            ([0.0, 0.0, 1.0], 1.0),
            ([0.0, 1.0, 0.0], 1.0),
            ([1.0, 0.0, 0.0], -1.0),
        ] {
            let old = DVec3::from_array(POSE.turn(axis).map(f64::from));
            let image = old - 2.0 * old.dot(plane.normal) * plane.normal;
            let new = DVec3::from_array(head.turn(axis).map(f64::from));
            assert!(
                (new - side * image).length() < 1e-5,
                "{axis:?}: {new}, not {image}"
            );
        }
        let moved = head
            .position
            .iter()
            .zip(POSE.position)
            .map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f32::max) < 1e-6);
    }

    #[test]
    fn a_reflection_keeps_the_places_in_the_picture_of_a_camera() {
        let mut recording = recording();
        let about = |recording: &Recording<'_>| {
            let text = recording.about.get(About::CAMERA_INTRINSIC);
            text.map(str::to_owned)
        };
        mirror(&mut recording, &MirrorPlane::WORLD).unwrap();
        assert_eq!(about(&recording), None);
        let text = "700 0 960 0 710 540 0 0 1";
        recording.about.set(About::CAMERA_INTRINSIC, text);
        mirror(&mut recording, &MirrorPlane::WORLD).unwrap();
        let expected = "-700 0 960 0 710 540 0 0 1";
        assert_eq!(about(&recording).as_deref(), Some(expected));
        mirror(&mut recording, &MirrorPlane::WORLD).unwrap();
        assert_eq!(about(&recording).as_deref(), Some(text));
    }
}
