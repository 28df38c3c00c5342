//! A recording somewhere else.

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::frame::Pose;
use crate::recording::Recording;
use crate::vector::VectorKind;

use super::linear::LinearMap;
use super::{EditError, Room, played, refuse_lost_w};

/// Where a recording goes: it is scaled about the origin, then turned, then moved.
///
/// ```
/// use inputanim::Pose;
/// use inputanim::edit::Placement;
/// let half = std::f32::consts::FRAC_1_SQRT_2;
/// let right = Pose { position: [1.0, 0.0, 0.0], rotation: [0.0, half, 0.0, half] };
/// let placement = Placement::from(right).then(&Placement::moved([0.0, 0.5, 0.0]));
/// let [x, y, z] = placement.point([0.0, 0.0, 1.0]);
/// assert!((x - 2.0).abs() < 1e-6 && (y - 0.5).abs() < 1e-6 && z.abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    position: DVec3,
    rotation: DQuat,
    scale: f64,
}

impl Placement {
    /// Where it is.
    pub const IDENTITY: Placement = Placement {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: 1.0,
    };

    /// Moved by metres along x, y and z.
    pub fn moved(by: [f64; 3]) -> Placement {
        Placement {
            position: DVec3::from_array(by),
            ..Placement::IDENTITY
        }
    }

    /// Turned by a quaternion x, y, z, w about the origin; its length does not matter.
    pub fn turned(by: [f64; 4]) -> Placement {
        let [x, y, z, w] = by;
        let length = DQuat::from_xyzw(x, y, z, w).length();
        Placement {
            rotation: DQuat::from_xyzw(x, y, z, w) / length,
            ..Placement::IDENTITY
        }
    }

    /// Turned about the vertical through the origin by radians, to the right seen from above.
    pub fn headed(by: f64) -> Placement {
        let half = by / 2.0;
        Placement::turned([0.0, half.sin(), 0.0, half.cos()])
    }

    /// Times as large, about the origin.
    pub fn scaled(by: f64) -> Placement {
        Placement {
            scale: by,
            ..Placement::IDENTITY
        }
    }

    /// This one, and then another.
    #[must_use]
    pub fn then(&self, next: &Placement) -> Placement {
        Placement {
            position: next.position + next.rotation * (self.position * next.scale),
            rotation: (next.rotation * self.rotation).normalize(),
            scale: self.scale * next.scale,
        }
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Placement {
        let rotation = self.rotation.conjugate();
        Placement {
            position: rotation * -self.position / self.scale,
            rotation,
            scale: 1.0 / self.scale,
        }
    }

    /// The upright part of a pose: at its position, turned as its +Z is seen from above.
    pub fn upright(pose: &Pose) -> Placement {
        let Placement {
            position, rotation, ..
        } = Placement::from(*pose);
        let ahead = rotation * DVec3::Z;
        let up = rotation * DVec3::Y;
        // Who looks straight up or down faces where the crown or the chin points.
        let level = match ahead.y.abs() < 0.999 {
            true => ahead,
            false => up * -ahead.y,
        };
        let heading = Placement::headed(level.x.atan2(level.z));
        Placement {
            position,
            ..heading
        }
    }

    /// Where a point goes, in metres.
    pub fn point(&self, point: [f64; 3]) -> [f64; 3] {
        (self.position + self.rotation * (DVec3::from_array(point) * self.scale)).to_array()
    }

    /// Positions, directions and rotations as linear maps.
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

impl From<Pose> for Placement {
    /// What lies at the origin goes to the pose.
    fn from(pose: Pose) -> Placement {
        Placement {
            position: DVec3::from_array(pose.position.map(f64::from)),
            ..Placement::turned(pose.rotation.map(f64::from))
        }
    }
}

/// Moves, turns and scales a whole recording: head, hands and gaze.
///
/// Rotations and directions only turn. A gaze that is all zero, which is none, stays so, and so do
/// curves without keys. Where the components of a vector have their keys at different times, or
/// tangents of different shapes, and have to be mixed, straight lines take their place, within a
/// hundredth of a millimetre.
///
/// # Errors
/// When the placement has a part that is not finite, or its scale is not above 0; when the time of
/// a key is not a number; or when it would take more than 4 Mi new keys.
pub fn place(recording: &mut Recording<'_>, placement: &Placement) -> Result<(), EditError> {
    let scale = placement.scale;
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(EditError::Number {
            what: "the scale",
            value: scale,
            expected: "above 0 and finite",
        });
    }
    let parts = placement.position.to_array().into_iter();
    let parts = parts.chain(placement.rotation.to_array());
    if let Some(value) = parts.into_iter().find(|part| !part.is_finite()) {
        return Err(EditError::Number {
            what: "a part of the placement",
            value,
            expected: "finite, and the rotation not all zero",
        });
    }
    let (position, direction, rotation) = placement.maps();
    map_vectors(recording, &position, &direction, &rotation)
}

fn is_finite(curves: &[FloatCurve<'_>]) -> bool {
    let mut points = curves.iter().flat_map(|curve| curve.keys.points());
    points.all(|(_, value)| value.is_finite())
}

/// Maps all vectors of a recording; none if one cannot be.
pub(super) fn map_vectors(
    recording: &mut Recording<'_>,
    position: &LinearMap<3>,
    direction: &LinearMap<3>,
    rotation: &LinearMap<4>,
) -> Result<(), EditError> {
    refuse_lost_w(recording)?;
    let played = played(recording);
    let mut room = Room::NEW;
    let mut placed = recording.clone();
    let gaze = placed.gaze.take_if(|gaze| {
        let mut curves = gaze.iter();
        curves.all(|(_, curve)| curve.keys.points().all(|(_, value)| value == 0.0))
    });
    for (path, curves) in placed.vectors_mut() {
        let was_finite = is_finite(curves);
        match path.kind() {
            VectorKind::Position => position.apply(path, curves, played, &mut room)?,
            VectorKind::Direction => direction.apply(path, curves, played, &mut room)?,
            VectorKind::Rotation => rotation.apply(path, curves, played, &mut room)?,
        }
        if let Some(curve) = path
            .curves()
            .next()
            .filter(|_| was_finite && !is_finite(curves))
        {
            return Err(EditError::TooGreat { curve });
        }
    }
    placed.gaze = placed.gaze.or(gaze);
    *recording = placed;
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
    fn a_pose_goes_where_the_placement_says() {
        let placement = Placement::scaled(2.0)
            .then(&Placement::headed(0.7))
            .then(&Placement::turned([0.1, 0.2, -0.3, 2.0]))
            .then(&Placement::moved([1.0, -2.0, 3.0]));
        let pose = Pose {
            position: [0.3, 1.6, -0.4],
            rotation: [0.5, -0.5, 0.5, 0.5],
        };
        let mut take = Recording::new(Layout::Mrtk1_1);
        take.camera_mut().push(0.0, &pose);
        let ray = Ray {
            origin: pose.position,
            direction: pose.turn([0.0, 0.0, 1.0]),
        };
        take.gaze_mut().push(0.0, &ray);
        place(&mut take, &placement).unwrap();
        let frame = Sampler::new(&take).unwrap().frame_at(0.0);
        let (camera, gaze) = (frame.camera.unwrap(), frame.gaze.unwrap());
        let expected = placement.point(pose.position.map(f64::from));
        assert_near(camera.position, expected);
        assert_near(gaze.origin, expected);
        assert_near(gaze.direction, camera.turn([0.0, 0.0, 1.0]).map(f64::from));
        // A point that the head sees is scaled with the world.
        let ahead = pose.turn([0.0, 0.0, 1.0]);
        let point: [f32; 3] = std::array::from_fn(|axis| pose.position[axis] + ahead[axis]);
        let seen = camera.turn([0.0, 0.0, 2.0]);
        let seen = std::array::from_fn(|axis| camera.position[axis] + seen[axis]);
        assert_near(seen, placement.point(point.map(f64::from)));
    }

    #[test]
    fn the_inverse_leads_back() {
        let placement = Placement::headed(-2.0)
            .then(&Placement::scaled(0.5))
            .then(&Placement::moved([1.0, 2.0, 3.0]));
        let back = placement.then(&placement.inverse());
        let point = back.point([4.0, 5.0, 6.0]);
        assert_near(point.map(|part| part as f32), [4.0, 5.0, 6.0]);
    }

    #[test]
    fn components_with_keys_of_their_own_are_mixed_in_straight_lines() {
        let mut take = Recording::new(Layout::Documented1_1);
        let both = WeightedMode::BOTH;
        take.camera_mut().position = [
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
        let before = Sampler::new(&take).unwrap();
        let placement = Placement::turned([0.3, -0.2, 0.5, 1.0]);
        place(&mut take, &placement).unwrap();
        let after = Sampler::new(&take).unwrap();
        for step in 0..=400 {
            let time = step as f32 / 200.0;
            let old = before.frame_at(time).camera.unwrap().position;
            let new = after.frame_at(time).camera.unwrap().position;
            assert_near(new, placement.point(old.map(f64::from)));
        }
    }

    #[test]
    fn an_upright_placement_keeps_the_heading_alone() {
        let turned = Placement::headed(1.0).rotation;
        let tilted = turned * DQuat::from_rotation_x(0.6) * DQuat::from_rotation_z(0.3);
        let pose = Pose {
            position: [1.0, 2.0, 3.0],
            rotation: tilted.to_array().map(|part| part as f32),
        };
        let upright = Placement::upright(&pose);
        assert!(upright.rotation.angle_between(turned) < 1e-3);
        assert_eq!(upright.position, DVec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn what_is_not_there_stays_so_and_bad_numbers_are_refused() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let none = Ray {
            origin: [0.0; 3],
            direction: [0.0; 3],
        };
        take.gaze_mut().push(0.0, &none);
        take.hands_mut();
        let before = take.clone();
        place(&mut take, &Placement::moved([1.0, 2.0, 3.0])).unwrap();
        assert_eq!(take, before);
        for bad in [
            Placement::scaled(0.0),
            Placement::scaled(f64::NAN),
            Placement::turned([0.0; 4]),
            Placement::moved([f64::INFINITY, 0.0, 0.0]),
        ] {
            assert!(place(&mut take, &bad).is_err(), "{bad:?}");
        }
    }
}
