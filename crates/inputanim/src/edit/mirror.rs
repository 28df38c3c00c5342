//! A recording in a mirror.

use glam::{DQuat, DVec3};

use crate::frame::Pose;
use crate::recording::Recording;

use super::EditError;
use super::linear::LinearMap;
use super::place::{Placement, map_vectors};

/// A mirror: a plane through a point, across a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    point: DVec3,
    normal: DVec3,
}

impl Plane {
    /// The plane x = 0 of the world: left becomes right, and nothing is rounded.
    pub const WORLD: Plane = Plane {
        point: DVec3::ZERO,
        normal: DVec3::X,
    };

    /// The upright plane through a pose, along its heading: who stands there stays there.
    pub fn through(pose: &Pose) -> Plane {
        let upright = Placement::upright(pose);
        let [point, right] =
            [[0.0; 3], [1.0, 0.0, 0.0]].map(|p| DVec3::from_array(upright.point(p)));
        Plane {
            point,
            normal: right - point,
        }
    }
}

/// Shows a recording in a mirror: the left hand becomes the right one.
///
/// A joint's own axes keep their meaning: +Z still runs along its bone and +Y out of the back of
/// the hand. Twice in the same mirror is the recording again: bit for bit in
/// [`Plane::WORLD`], to rounding in others.
///
/// # Errors
/// When the plane has a part that is not finite; and as for [`place`](super::place).
pub fn mirror(recording: &mut Recording<'_>, plane: &Plane) -> Result<(), EditError> {
    let parts = plane
        .point
        .to_array()
        .into_iter()
        .chain(plane.normal.to_array());
    let mut bad = parts.into_iter().filter(|part| !part.is_finite());
    if let Some(value) = bad.next() {
        return Err(EditError::Number {
            what: "a part of the plane",
            value,
            expected: "finite",
        });
    }
    let normal = plane.normal.try_normalize().unwrap_or(DVec3::X);
    let image = |v: DVec3| v - 2.0 * v.dot(normal) * normal;
    let image = |v: [f64; 3]| image(DVec3::from_array(v)).to_array();
    let offset = 2.0 * plane.point.dot(normal) * normal;
    // In the plane x = 0 a rotation x, y, z, w becomes x, −y, −z, w, with joints whose X points
    // the other way; any other plane is that one turned.
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
        std::mem::swap(&mut hands.left, &mut hands.right);
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

    fn take() -> Recording<'static> {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let mut left = HandFrame {
            tracked: true,
            ..HandFrame::default()
        };
        left.joints[Joint::Palm] = Some(POSE);
        recorder
            .push(&Frame {
                camera: Some(POSE),
                left,
                ..Frame::default()
            })
            .unwrap();
        recorder.finish()
    }

    #[test]
    fn twice_in_the_mirror_of_the_world_is_the_recording_bit_for_bit() {
        let mut mirrored = take();
        mirror(&mut mirrored, &Plane::WORLD).unwrap();
        let palm = &mirrored.hands.as_ref().unwrap().hand(Side::Right).joints[Joint::Palm];
        let values: Vec<f32> = palm
            .iter()
            .map(|(_, curve)| curve.keys.point(0).unwrap().1)
            .collect();
        assert_eq!(values, [-0.3, 1.2, 0.5, 0.1, -0.7, 0.1, 0.7]);
        assert_eq!(mirrored.hands.as_ref().unwrap().right.tracked.keys.len(), 1);
        mirror(&mut mirrored, &Plane::WORLD).unwrap();
        assert_eq!(mirrored, take());
    }

    #[test]
    fn who_stands_in_the_mirror_stays_and_axes_are_reflected() {
        let plane = Plane::through(&POSE);
        let mut mirrored = take();
        mirror(&mut mirrored, &plane).unwrap();
        let frame = Sampler::new(&mirrored).unwrap().frame_at(0.0);
        let (camera, palm) = (
            frame.camera.unwrap(),
            frame.right.joints[Joint::Palm].unwrap(),
        );
        assert_eq!(camera, palm);
        for (axis, side) in [
            ([0.0, 0.0, 1.0], 1.0),
            ([0.0, 1.0, 0.0], 1.0),
            ([1.0, 0.0, 0.0], -1.0),
        ] {
            let old = DVec3::from_array(POSE.turn(axis).map(f64::from));
            let image = old - 2.0 * old.dot(plane.normal) * plane.normal;
            let new = DVec3::from_array(camera.turn(axis).map(f64::from));
            assert!(
                (new - side * image).length() < 1e-5,
                "{axis:?}: {new}, not {image}"
            );
        }
        let moved = camera
            .position
            .iter()
            .zip(POSE.position)
            .map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f32::max) < 1e-6);
    }
}
