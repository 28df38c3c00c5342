//! The visible mesh of a hand: a ball at each joint, and a bone from each joint to its parent.
//!
//! The shape is built around the joints in the rest pose. A ball moves with its joint; each end of a
//! bone moves with the joint at that end.

use glam::{DQuat, DVec3};
use inputanim::Joint;

/// Sides of a bone.
const SIDES: usize = 8;

/// The triangles of a mesh, whose front sides face outwards in right-handed axes.
#[derive(Default)]
pub(crate) struct HandMesh {
    pub(crate) positions: Vec<DVec3>,
    /// One normal for each position.
    pub(crate) normals: Vec<DVec3>,
    /// The joint that moves each position, as an index into the list of joints of [`HandMesh::around`].
    pub(crate) joints: Vec<u8>,
    pub(crate) triangles: Vec<[u16; 3]>,
}

/// Returns the radius of the ball at a joint, in metres. It is smaller than the radius of a real hand.
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

#[derive(Clone, Copy)]
struct End {
    place: DVec3,
    radius: f64,
    joint: u8,
}

impl HandMesh {
    /// Returns the mesh of a hand around its joints, which are given with their positions in metres. A bone leads from
    /// each joint to its nearest ancestor in the list.
    pub(crate) fn around(joints: &[(Joint, DVec3)]) -> HandMesh {
        let mut mesh = HandMesh::default();
        let end = |index: usize| End {
            place: joints[index].1,
            radius: radius(joints[index].0),
            // A hand has at most 26 joints.
            joint: index as u8,
        };
        for (index, &(joint, _)) in joints.iter().enumerate() {
            mesh.add_ball(end(index));
            let mut above = std::iter::successors(joint.parent(), |joint| joint.parent());
            let parent = above.find_map(|above| joints.iter().position(|&(at, _)| at == above));
            if let Some(parent) = parent {
                mesh.add_bone([end(parent), end(index)]);
            }
        }
        mesh
    }

    fn vertex(&mut self, place: DVec3, normal: DVec3, joint: u8) {
        self.positions.push(place);
        self.normals.push(normal);
        self.joints.push(joint);
    }

    /// Adds an icosahedron around a joint.
    fn add_ball(&mut self, end: End) {
        let End {
            place,
            radius,
            joint,
        } = end;
        let first = self.positions.len() as u16;
        let corners = corners();
        for corner in corners {
            self.vertex(place + corner * radius, corner, joint);
        }
        let triangles = triangles(&corners).into_iter();
        self.triangles
            .extend(triangles.map(|corners| corners.map(|corner| first + corner)));
    }

    /// Adds a tapered prism between two joints, or nothing if both have the same position.
    fn add_bone(&mut self, ends: [End; 2]) {
        // Two joints at one position have no direction between them.
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
                // A bone is thinner than the balls at its ends, which hide that it is open there.
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
}

/// Returns the corners of an icosahedron of radius 1.
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

/// Returns the triangles of an icosahedron, facing outwards, as indices into its corners.
fn triangles(corners: &[DVec3; 12]) -> Vec<[u16; 3]> {
    // The edges of an icosahedron of radius 1 are 1.05 long, and its diagonals are longer.
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
    fn a_ball_is_closed_and_faces_outwards() {
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
    fn a_bone_faces_outwards() {
        let mut mesh = HandMesh::default();
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
        // A joint at the position of its parent has no bone.
        mesh.add_bone([end(0.2, 0), end(0.2, 1)]);
        assert_eq!(mesh.triangles.len(), 2 * SIDES);
    }
}
