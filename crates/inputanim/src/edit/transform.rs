//! Transforms: translation, rotation and uniform scale.

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::device::{InputCurve, InputName};
use crate::frame::Pose;
use crate::headset;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::vector::VectorKind;

use super::budget::KeyBudget;
use super::checks::{refuse_lost_w, require, require_positive};
use super::error::EditError;
use super::linear::LinearMap;
use super::velocity;

/// A transform: scales about the origin, then rotates, then translates.
///
/// ```
/// use inputanim::Pose;
/// use inputanim::edit::Transform;
/// let half = std::f32::consts::FRAC_1_SQRT_2;
/// let right = Pose { position: [1.0, 0.0, 0.0], rotation: [0.0, half, 0.0, half] };
/// let motion = Transform::from(right).then(&Transform::from_translation([0.0, 0.5, 0.0]));
/// let [x, y, z] = motion.transform_point([0.0, 0.0, 1.0]);
/// assert!((x - 2.0).abs() < 1e-6 && (y - 0.5).abs() < 1e-6 && z.abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    position: DVec3,
    rotation: DQuat,
    scale: f64,
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Transform = Transform {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: 1.0,
    };

    /// Returns a translation by metres along x, y and z.
    pub fn from_translation(metres: [f64; 3]) -> Transform {
        Transform {
            position: DVec3::from_array(metres),
            ..Transform::IDENTITY
        }
    }

    /// Returns a rotation about the origin by a quaternion (x, y, z, w) of any length except 0.
    pub fn from_rotation(quaternion: [f64; 4]) -> Transform {
        let [x, y, z, w] = quaternion;
        let length = DQuat::from_xyzw(x, y, z, w).length();
        Transform {
            rotation: DQuat::from_xyzw(x, y, z, w) / length,
            ..Transform::IDENTITY
        }
    }

    /// Returns a rotation about the vertical axis (y) through the origin, by an angle in radians. A positive angle
    /// turns to the right, clockwise seen from above.
    pub fn from_yaw(radians: f64) -> Transform {
        let half = radians / 2.0;
        Transform::from_rotation([0.0, half.sin(), 0.0, half.cos()])
    }

    /// Returns a uniform scale about the origin.
    pub fn from_scale(factor: f64) -> Transform {
        Transform {
            scale: factor,
            ..Transform::IDENTITY
        }
    }

    /// Returns this transform followed by another one.
    #[must_use]
    pub fn then(&self, next: &Transform) -> Transform {
        Transform {
            position: next.position + next.rotation * (self.position * next.scale),
            // Rounding would let the length of a long product of rotations drift.
            rotation: (next.rotation * self.rotation).normalize(),
            scale: self.scale * next.scale,
        }
    }

    /// Returns the inverse transform.
    #[must_use]
    pub fn inverse(&self) -> Transform {
        let rotation = self.rotation.conjugate();
        Transform {
            position: rotation * -self.position / self.scale,
            rotation,
            scale: 1.0 / self.scale,
        }
    }

    /// Returns the transform with the position of a pose and its heading only: the part of its rotation about the
    /// vertical axis. The tilt is omitted.
    pub fn upright(pose: &Pose) -> Transform {
        let Transform {
            position, rotation, ..
        } = Transform::from(*pose);
        let ahead = rotation * DVec3::Z;
        let up = rotation * DVec3::Y;
        // A pose that looks straight up or down gets its heading from its up axis.
        let level = if ahead.y.abs() < 0.999 {
            ahead
        } else {
            up * -ahead.y
        };
        let heading = Transform::from_yaw(level.x.atan2(level.z));
        Transform {
            position,
            ..heading
        }
    }

    /// Returns the transformed point, in metres.
    pub fn transform_point(&self, point: [f64; 3]) -> [f64; 3] {
        (self.position + self.rotation * (DVec3::from_array(point) * self.scale)).to_array()
    }

    /// Returns the transform as linear maps of positions, directions and rotations.
    fn maps(&self) -> (LinearMap<3>, LinearMap<3>, LinearMap<4>) {
        let turn = |v: [f64; 3]| self.rotation * DVec3::from_array(v);
        (
            LinearMap::new(
                |v| (turn(v) * self.scale).to_array(),
                self.position.to_array(),
            ),
            LinearMap::new(|v| turn(v).to_array(), [0.0; 3]),
            LinearMap::new(
                |q| (self.rotation * DQuat::from_array(q)).to_array(),
                [0.0; 4],
            ),
        )
    }
}

impl From<Pose> for Transform {
    /// Returns the transform from the local space of a pose to world space.
    fn from(pose: Pose) -> Transform {
        Transform {
            position: DVec3::from_array(pose.position.map(f64::from)),
            ..Transform::from_rotation(pose.rotation.map(f64::from))
        }
    }
}

/// Applies a transform to a recording: head, hands, gaze and poses of devices with their [velocities](crate::velocity). The scale also
/// multiplies the lengths of the [headset](crate::headset): the distance of the eyes and the radii of joints. Other inputs stay.
///
/// Rotations and directions are rotated only. A gaze that is all zero, which means not recorded, stays zero, and a
/// position, rotation or direction without keys stays empty. Components with different key times or tangents of
/// different shapes cannot be mixed key by key; linear interpolation replaces them within 0.01 mm.
///
/// # Errors
/// Returns an error if a number of the transform is not finite, if its scale is not above 0, if the w component of a
/// rotation was not saved, if the time of a key is not a number, if a new value exceeds single precision, if a component of a velocity
/// that a rotation needs is not recorded, or if more than 4 Mi new keys would be needed.
pub fn transform(recording: &mut Recording<'_>, transform: &Transform) -> Result<(), EditError> {
    let scale = transform.scale;
    require_positive("scale", scale)?;
    let parts = transform.position.to_array().into_iter();
    let parts = parts.chain(transform.rotation.to_array());
    for part in parts {
        let expected = "finite, and the rotation not all zero";
        require(part.is_finite(), "number of the transform", part, expected)?;
    }
    let (position, direction, rotation) = transform.maps();
    let lengths = scaled_lengths(recording, scale)?;
    map_vectors(recording, &position, &direction, &rotation)?;
    for (name, curve) in lengths {
        let device = recording.device_mut(headset::name());
        device.set_input(name, InputCurve::Float(curve));
    }
    Ok(())
}

/// Returns the inputs of the headset that are lengths, multiplied by `scale`. Empty for the scale 1. Fails if a new value exceeds
/// single precision.
fn scaled_lengths(
    recording: &Recording<'_>,
    scale: f64,
) -> Result<Vec<(InputName, FloatCurve<'static>)>, EditError> {
    let device = recording.device(headset::name()).filter(|_| scale != 1.0);
    let inputs = device.into_iter().flat_map(|device| &device.inputs);
    let lengths = inputs.filter_map(|(name, input)| match input {
        InputCurve::Float(curve) if headset::is_length(*name) => Some((*name, curve)),
        _ => None,
    });
    let scaled = lengths.map(|(name, curve)| {
        let scaled = FloatCurve {
            keys: curve.keys.mapped(scale, 0.0),
            ..*curve
        };
        let was_finite = is_finite(std::slice::from_ref(curve));
        if was_finite && !is_finite(std::slice::from_ref(&scaled)) {
            let curve = CurvePath::Input(headset::name(), name);
            return Err(EditError::Overflow { curve });
        }
        Ok((name, scaled))
    });
    scaled.collect()
}

pub(super) fn is_finite(curves: &[FloatCurve<'_>]) -> bool {
    let mut points = curves.iter().flat_map(|curve| curve.keys.points());
    points.all(|(_, value)| value.is_finite())
}

/// Applies a linear map to every position, direction and rotation of a recording, and to the velocities of devices. Returns an error if
/// the w component of a rotation was not saved, a key time is NaN, a new value exceeds single precision, a component of a velocity is
/// missing or too many new keys are needed. Then nothing is changed.
pub(super) fn map_vectors(
    recording: &mut Recording<'_>,
    position: &LinearMap<3>,
    direction: &LinearMap<3>,
    rotation: &LinearMap<4>,
) -> Result<(), EditError> {
    refuse_lost_w(recording)?;
    let played = recording.played_range();
    let mut budget = KeyBudget::new();
    let mut transformed = recording.clone();
    // A translation would turn a gaze of zeros into a ray that looks recorded.
    let gaze = transformed.gaze.take_if(|gaze| {
        let mut curves = gaze.iter();
        curves.all(|(_, curve)| curve.keys.points().all(|(_, value)| value == 0.0))
    });
    for (path, curves) in transformed.vectors_mut() {
        // Values that were not finite before the transform are not its fault.
        let was_finite = is_finite(curves);
        match path.kind() {
            VectorKind::Position => position.apply(path.curves(), curves, played, &mut budget)?,
            VectorKind::Direction => direction.apply(path.curves(), curves, played, &mut budget)?,
            VectorKind::Rotation => rotation.apply(path.curves(), curves, played, &mut budget)?,
            VectorKind::Number => {}
        }
        if let Some(curve) = path
            .curves()
            .next()
            .filter(|_| was_finite && !is_finite(curves))
        {
            return Err(EditError::Overflow { curve });
        }
    }
    velocity::map(&mut transformed, position, direction, played, &mut budget)?;
    transformed.gaze = transformed.gaze.or(gaze);
    *recording = transformed;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Ray;
    use crate::key::{FullKey, WeightedMode};
    use crate::layout::Layout;
    use crate::sampler::Sampler;

    fn assert_near(a: [f32; 3], b: [f64; 3]) {
        let far = a
            .into_iter()
            .zip(b)
            .any(|(a, b)| (f64::from(a) - b).abs() > 1e-5);
        assert!(!far, "{a:?}, not {b:?}");
    }

    #[test]
    fn pose_is_transformed() {
        let motion = Transform::from_scale(2.0)
            .then(&Transform::from_yaw(0.7))
            .then(&Transform::from_rotation([0.1, 0.2, -0.3, 2.0]))
            .then(&Transform::from_translation([1.0, -2.0, 3.0]));
        let pose = Pose {
            position: [0.3, 1.6, -0.4],
            rotation: [0.5, -0.5, 0.5, 0.5],
        };
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &pose);
        let ray = Ray {
            origin: pose.position,
            direction: pose.turn([0.0, 0.0, 1.0]),
        };
        recording.gaze_mut().push(0.0, &ray);
        transform(&mut recording, &motion).unwrap();
        let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
        let (head, gaze) = (frame.head.unwrap(), frame.gaze.unwrap());
        let expected = motion.transform_point(pose.position.map(f64::from));
        assert_near(head.position, expected);
        assert_near(gaze.origin, expected);
        assert_near(gaze.direction, head.turn([0.0, 0.0, 1.0]).map(f64::from));
        // A point in front of the head is scaled with the world.
        let ahead = pose.turn([0.0, 0.0, 1.0]);
        let point: [f32; 3] = std::array::from_fn(|axis| pose.position[axis] + ahead[axis]);
        let seen = head.turn([0.0, 0.0, 2.0]);
        let seen = std::array::from_fn(|axis| head.position[axis] + seen[axis]);
        assert_near(seen, motion.transform_point(point.map(f64::from)));
    }

    #[test]
    fn inverse_restores_points() {
        let motion = Transform::from_yaw(-2.0)
            .then(&Transform::from_scale(0.5))
            .then(&Transform::from_translation([1.0, 2.0, 3.0]));
        let back = motion.then(&motion.inverse());
        let point = back.transform_point([4.0, 5.0, 6.0]);
        assert_near(point.map(|part| part as f32), [4.0, 5.0, 6.0]);
    }

    #[test]
    fn components_with_different_keys_are_mixed_linearly() {
        let mut recording = Recording::new(Layout::Documented1_1);
        let both = WeightedMode::BOTH;
        recording.head_mut().position = [
            FloatCurve::full([
                FullKey::weighted(0.0, 0.0, [0.0, 4.0], [0.0, 0.7], both),
                FullKey::hermite(2.0, 1.0, -1.0, 0.0),
            ]),
            FloatCurve::full([FullKey::linear(0.5, 1.0), FullKey::linear(1.5, 2.0)]),
            FloatCurve::full([
                FullKey::hermite(0.0, 1.0, 0.0, f32::INFINITY),
                FullKey::hermite(1.0, 2.0, 0.0, 0.0),
            ]),
        ];
        let before = Sampler::new(&recording).unwrap();
        let motion = Transform::from_rotation([0.3, -0.2, 0.5, 1.0]);
        transform(&mut recording, &motion).unwrap();
        let after = Sampler::new(&recording).unwrap();
        for step in 0..=400 {
            let time = step as f32 / 200.0;
            let old = before.frame_at(time).head.unwrap().position;
            let new = after.frame_at(time).head.unwrap().position;
            assert_near(new, motion.transform_point(old.map(f64::from)));
        }
    }

    #[test]
    fn upright_keeps_only_the_heading() {
        let turned = Transform::from_yaw(1.0).rotation;
        let tilted = turned * DQuat::from_rotation_x(0.6) * DQuat::from_rotation_z(0.3);
        let pose = Pose {
            position: [1.0, 2.0, 3.0],
            rotation: tilted.to_array().map(|part| part as f32),
        };
        let upright = Transform::upright(&pose);
        assert!(upright.rotation.angle_between(turned) < 1e-3);
        assert_eq!(upright.position, DVec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn missing_elements_stay_missing_and_invalid_numbers_are_refused() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let none = Ray {
            origin: [0.0; 3],
            direction: [0.0; 3],
        };
        recording.gaze_mut().push(0.0, &none);
        recording.hands_mut();
        let before = recording.clone();
        transform(
            &mut recording,
            &Transform::from_translation([1.0, 2.0, 3.0]),
        )
        .unwrap();
        assert_eq!(recording, before);
        for bad in [
            Transform::from_scale(0.0),
            Transform::from_scale(f64::NAN),
            Transform::from_rotation([0.0; 4]),
            Transform::from_translation([f64::INFINITY, 0.0, 0.0]),
        ] {
            assert!(transform(&mut recording, &bad).is_err(), "{bad:?}");
        }
    }
}
