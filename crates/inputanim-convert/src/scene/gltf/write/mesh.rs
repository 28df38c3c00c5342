//! The mesh and the skin that make a hand visible, around its joints in the rest pose.

use glam::DVec3;
use inputanim::{Joint, Pose};
use serde_json::json;

use crate::scene::gltf::document::{Index, Skin, component, target};
use crate::scene::gltf::quaternion::{double, unit};
use crate::scene::hand_mesh::HandMesh;

use super::buffer::{Buffer, Elements, bytes};

/// A joint of the skin.
pub(super) struct Rest {
    pub(super) joint: Joint,
    pub(super) node: Index,
    /// In glTF's axes.
    pub(super) pose: Pose,
}

/// Adds the mesh of a hand and the inverse bind matrices of its skin to the buffer, and returns the JSON of both.
/// `skeleton` is the index of the node above the joints, and `material` of a material. Returns `None` without joints,
/// or if a joint is more than 10 km from the origin.
pub(super) fn mesh(
    rest: &[Rest],
    name: &str,
    skeleton: Index,
    material: Index,
    buffer: &mut Buffer,
) -> Option<(serde_json::Value, Skin)> {
    /// Beyond this distance, the steps of single precision are a millimetre or more.
    const FARTHEST: f64 = 10_000.0;
    let place = |rest: &Rest| DVec3::from(rest.pose.position.map(f64::from));
    let joints: Vec<(Joint, DVec3)> = rest.iter().map(|rest| (rest.joint, place(rest))).collect();
    if joints.is_empty() || joints.iter().any(|(_, place)| place.length() > FARTHEST) {
        return None;
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
    let mesh = HandMesh::around(&joints);
    Some((write(&mesh, name, material, buffer), skin))
}

/// Returns the inverse bind matrix of a joint with this rest pose, column by column. It transforms points from world
/// space to the axes of the joint.
fn inverse_matrix(pose: &Pose) -> [f32; 16] {
    let turn = unit(double(pose.rotation)).conjugate();
    let place = turn * -DVec3::from(pose.position.map(f64::from));
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turn * axis);
    let columns = [(x, 0.0), (y, 0.0), (z, 0.0), (place, 1.0)];
    let numbers = columns.map(|(column, last)| [column.x, column.y, column.z, last]);
    std::array::from_fn(|index| numbers[index / 4][index % 4] as f32)
}

fn write(mesh: &HandMesh, name: &str, material: Index, buffer: &mut Buffer) -> serde_json::Value {
    let flat = |vectors: &[DVec3]| {
        let numbers = vectors.iter().flat_map(|vector| vector.to_array());
        bytes(numbers.map(|number| number as f32))
    };
    let single = |place: &DVec3| place.to_array().map(|number| f64::from(number as f32));
    let fold = |pick: fn(f64, f64) -> f64| {
        let places = mesh.positions.iter().map(single);
        let all = places.reduce(|a, b| std::array::from_fn(|axis| pick(a[axis], b[axis])));
        all.map(Vec::from).unwrap_or_default()
    };
    let count = mesh.positions.len();
    let vectors = |bytes, bounds| Elements {
        shape: "VEC3",
        component_type: component::F32,
        normalized: false,
        count,
        bytes,
        bounds,
    };
    let (positions, normals) = (flat(&mesh.positions), flat(&mesh.normals));
    // glTF requires the bounds of positions, and they must be the bounds of the rounded numbers.
    let bounds = [fold(f64::min), fold(f64::max)];
    // glTF has four joints and weights for each vertex. Only the first one is used, with a weight of 1.
    let four = |first: u8| [first, 0, 0, 0];
    let joints: Vec<u8> = mesh.joints.iter().flat_map(|&joint| four(joint)).collect();
    let weights: Vec<u8> = mesh.joints.iter().flat_map(|_| four(u8::MAX)).collect();
    let fours = |bytes, normalized| Elements {
        shape: "VEC4",
        component_type: component::U8,
        normalized,
        count,
        bytes,
        bounds: None,
    };
    let corners = mesh.triangles.as_flattened();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_matrix_moves_a_joint_to_the_origin() {
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
