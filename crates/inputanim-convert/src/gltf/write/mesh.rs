//! A hand that can be seen: a ball at each joint, and a bone from each to the one it hangs on.
//!
//! The shape is built around the joints where they are in the rest pose, in glTF's axes. A ball
//! moves with its joint; a bone has one end with each.

use glam::{DQuat, DVec3};
use inputanim::{Joint, Pose};
use serde_json::json;

use crate::gltf::document::{Index, Skin, component, target};
use crate::gltf::quaternion::{double, unit};

use super::buffer::{Buffer, Elements, bytes};

/// Sides of a bone.
const SIDES: usize = 8;

/// A joint of the skin.
pub(super) struct Rest {
    pub(super) joint: Joint,
    pub(super) node: Index,
    /// In glTF's axes.
    pub(super) pose: Pose,
}

#[derive(Default)]
struct Mesh {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
    /// The joint of the skin with which each moves.
    joints: Vec<u8>,
    triangles: Vec<[u16; 3]>,
}

/// Half as thick as a finger is there, in metres: the bones of a hand without its flesh.
const fn radius(joint: Joint) -> f64 {
    match joint {
        Joint::None => 0.0,
        Joint::Wrist => 0.014,
        Joint::Palm => 0.011,
        Joint::ThumbMetacarpalJoint => 0.011,
        Joint::ThumbProximalJoint => 0.010,
        Joint::ThumbDistalJoint => 0.0085,
        Joint::ThumbTip => 0.007,
        Joint::IndexMetacarpal | Joint::MiddleMetacarpal | Joint::RingMetacarpal => 0.009,
        Joint::IndexKnuckle | Joint::MiddleKnuckle | Joint::RingKnuckle => 0.009,
        Joint::IndexMiddleJoint | Joint::MiddleMiddleJoint | Joint::RingMiddleJoint => 0.008,
        Joint::IndexDistalJoint | Joint::MiddleDistalJoint | Joint::RingDistalJoint => 0.007,
        Joint::IndexTip | Joint::MiddleTip | Joint::RingTip => 0.006,
        Joint::PinkyMetacarpal => 0.008,
        Joint::PinkyKnuckle => 0.008,
        Joint::PinkyMiddleJoint => 0.007,
        Joint::PinkyDistalJoint => 0.006,
        Joint::PinkyTip => 0.005,
    }
}

/// Writes the mesh and the matrices of its skin, and gives their JSON. `None` where a joint is so
/// far away that it cannot be drawn.
pub(super) fn mesh(
    rest: &[Rest],
    name: &str,
    skeleton: Index,
    material: Index,
    buffer: &mut Buffer,
) -> Option<(serde_json::Value, Skin)> {
    /// Beyond it single precision has no millimetres.
    const FARTHEST: f64 = 10_000.0;
    let places: Vec<DVec3> = rest
        .iter()
        .map(|rest| DVec3::from(rest.pose.position.map(f64::from)))
        .collect();
    if places.is_empty() || places.iter().any(|place| place.length() > FARTHEST) {
        return None;
    }
    let mut mesh = Mesh::default();
    for (index, (one, &place)) in rest.iter().zip(&places).enumerate() {
        mesh.add_ball(place, radius(one.joint), index as u8);
        let parent = one.joint.parent();
        let parent = rest.iter().position(|other| Some(other.joint) == parent);
        if let Some(parent) = parent {
            let ends = [parent, index].map(|end| End {
                place: places[end],
                radius: radius(rest[end].joint),
                joint: end as u8,
            });
            mesh.add_bone(ends);
        }
    }
    let matrices = rest.iter().flat_map(|rest| inverse_matrix(&rest.pose));
    let skin = Skin {
        name: name.to_owned(),
        inverse_bind_matrices: buffer.add(
            Elements {
                shape: "MAT4",
                component_type: component::F32,
                normalized: false,
                count: rest.len(),
                bytes: &bytes(matrices),
                bounds: None,
            },
            None,
        ),
        skeleton,
        joints: rest.iter().map(|rest| rest.node).collect(),
    };
    Some((mesh.write(name, material, buffer), skin))
}

/// What takes a place of the rest pose into the axes of its joint, column by column.
fn inverse_matrix(pose: &Pose) -> [f32; 16] {
    let turn = unit(double(pose.rotation)).conjugate();
    let place = turn * -DVec3::from(pose.position.map(f64::from));
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turn * axis);
    let columns = [(x, 0.0), (y, 0.0), (z, 0.0), (place, 1.0)];
    let numbers = columns.map(|(column, last)| [column.x, column.y, column.z, last]);
    std::array::from_fn(|index| numbers[index / 4][index % 4] as f32)
}

#[derive(Clone, Copy)]
struct End {
    place: DVec3,
    radius: f64,
    joint: u8,
}

impl Mesh {
    fn vertex(&mut self, place: DVec3, normal: DVec3, joint: u8) {
        self.positions.push(place);
        self.normals.push(normal);
        self.joints.push(joint);
    }

    /// An icosahedron.
    fn add_ball(&mut self, place: DVec3, radius: f64, joint: u8) {
        let first = self.positions.len() as u16;
        let corners = corners();
        for corner in corners {
            self.vertex(place + corner * radius, corner, joint);
        }
        let triangles = triangles(&corners).into_iter();
        self.triangles
            .extend(triangles.map(|corners| corners.map(|corner| first + corner)));
    }

    /// A prism that becomes narrower.
    fn add_bone(&mut self, ends: [End; 2]) {
        let Some(along) = (ends[1].place - ends[0].place).try_normalize() else {
            return;
        };
        let right = along.any_orthonormal_vector();
        let first = self.positions.len() as u16;
        for End {
            place,
            radius,
            joint,
        } in ends
        {
            for side in 0..SIDES {
                let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
                let out = DQuat::from_axis_angle(along, angle) * right;
                self.vertex(place + out * (radius * 0.8), out, joint);
            }
        }
        let sides = SIDES as u16;
        for side in 0..sides {
            let (a, b) = (first + side, first + (side + 1) % sides);
            let (c, d) = (a + sides, b + sides);
            self.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }

    fn write(&self, name: &str, material: Index, buffer: &mut Buffer) -> serde_json::Value {
        let flat = |vectors: &[DVec3]| {
            let numbers = vectors.iter().flat_map(|vector| vector.to_array());
            bytes(numbers.map(|number| number as f32))
        };
        let single = |place: &DVec3| place.to_array().map(|number| f64::from(number as f32));
        let fold = |pick: fn(f64, f64) -> f64| {
            let places = self.positions.iter().map(single);
            let all = places.reduce(|a, b| std::array::from_fn(|axis| pick(a[axis], b[axis])));
            all.map(Vec::from).unwrap_or_default()
        };
        let count = self.positions.len();
        let vectors = |bytes, bounds| Elements {
            shape: "VEC3",
            component_type: component::F32,
            normalized: false,
            count,
            bytes,
            bounds,
        };
        let (positions, normals) = (flat(&self.positions), flat(&self.normals));
        let bounds = [fold(f64::min), fold(f64::max)];
        let four = |first: u8| [first, 0, 0, 0];
        let joints: Vec<u8> = self.joints.iter().flat_map(|&joint| four(joint)).collect();
        let weights: Vec<u8> = self.joints.iter().flat_map(|_| four(u8::MAX)).collect();
        let fours = |bytes, normalized| Elements {
            shape: "VEC4",
            component_type: component::U8,
            normalized,
            count,
            bytes,
            bounds: None,
        };
        let corners = self.triangles.as_flattened();
        let indices: Vec<u8> = corners.iter().copied().flat_map(u16::to_le_bytes).collect();
        let vertices = Some(target::VERTICES);
        json!({
            "name": name,
            "primitives": [{
                "attributes": {
                    "POSITION": buffer.add(vectors(&positions, Some(bounds)), vertices),
                    "NORMAL": buffer.add(vectors(&normals, None), vertices),
                    "JOINTS_0": buffer.add(fours(&joints, false), vertices),
                    "WEIGHTS_0": buffer.add(fours(&weights, true), vertices),
                },
                "indices": buffer.add(
                    Elements {
                        shape: "SCALAR",
                        component_type: component::U16,
                        normalized: false,
                        count: corners.len(),
                        bytes: &indices,
                        bounds: None,
                    },
                    Some(target::INDICES),
                ),
                "material": material,
            }],
        })
    }
}

/// The corners of an icosahedron of radius 1.
fn corners() -> [DVec3; 12] {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let around = |a: f64, b: f64| [[0.0, a, b], [a, b, 0.0], [b, 0.0, a]];
    let corners = [
        [1.0, golden],
        [1.0, -golden],
        [-1.0, golden],
        [-1.0, -golden],
    ]
    .map(|[a, b]| around(a, b).map(|corner| DVec3::from(corner).normalize()));
    std::array::from_fn(|index| corners[index / 3][index % 3])
}

/// The triangles between the corners of an icosahedron, their outsides out.
fn triangles(corners: &[DVec3; 12]) -> Vec<[u16; 3]> {
    // An edge is 1.05 long.
    let is_edge = |a: usize, b: usize| a != b && corners[a].distance(corners[b]) < 1.1;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..corners.len() {
        for b in a..corners.len() {
            for c in a..corners.len() {
                let normal = (corners[b] - corners[a]).cross(corners[c] - corners[a]);
                let is_triangle = is_edge(a, b) && is_edge(b, c) && is_edge(c, a);
                if is_triangle && normal.dot(corners[a]) > 0.0 {
                    triangles.push([a, b, c].map(|corner| corner as u16));
                }
            }
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_closed_and_its_outside_is_out() {
        let corners = corners();
        let triangles = triangles(&corners);
        assert_eq!(triangles.len(), 20);
        let edges = || {
            triangles
                .iter()
                .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        };
        for (a, b) in edges() {
            assert_eq!(edges().filter(|&edge| edge == (b, a)).count(), 1);
        }
    }

    #[test]
    fn the_outside_of_a_bone_is_out() {
        let mut mesh = Mesh::default();
        let end = |x: f64, joint| End {
            place: DVec3::new(x, 1.0, 0.5),
            radius: 0.01,
            joint,
        };
        mesh.add_bone([end(0.2, 0), end(0.3, 1)]);
        assert_eq!(mesh.triangles.len(), 2 * SIDES);
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| mesh.positions[usize::from(corner)]);
            let normal = (b - a).cross(c - a);
            assert!(
                corners
                    .iter()
                    .all(|&corner| normal.dot(mesh.normals[usize::from(corner)]) > 0.0)
            );
        }
        // A joint that lies on the other has no bone.
        mesh.add_bone([end(0.2, 0), end(0.2, 1)]);
        assert_eq!(mesh.triangles.len(), 2 * SIDES);
    }

    #[test]
    fn the_matrix_takes_a_joint_to_the_origin_of_its_axes() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let pose = Pose {
            position: [1.0, 2.0, 3.0],
            rotation: [0.0, half, 0.0, half],
        };
        let matrix = inverse_matrix(&pose);
        let [x, y, z] = pose.position;
        for row in 0..3 {
            let place = matrix[row] * x + matrix[row + 4] * y + matrix[row + 8] * z;
            assert!((place + matrix[row + 12]).abs() < 1e-6);
        }
        assert_eq!(
            [3, 7, 11, 15].map(|index| matrix[index]),
            [0.0, 0.0, 0.0, 1.0]
        );
    }
}
