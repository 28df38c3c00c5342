//! The mesh of a hand, which its skeleton moves.

use glam::DVec3;
use inputanim::Joint;

use super::sampled_recording::single;
use super::skeleton::matrix;
use super::stage::{Attribute, Prim, Value};
use crate::scene::hand_mesh::HandMesh;
use crate::shared::rigid::Rigid;

const COLOR: [f32; 3] = [0.8, 0.6, 0.5];

/// Returns the prim of a hand's mesh around its joints, which are given with their positions in the rest pose, in
/// metres.
pub(super) fn mesh(name: String, joints: &[(Joint, DVec3)]) -> Prim {
    let mesh = HandMesh::around(joints);
    let places = mesh.positions.iter().copied();
    let low = places.clone().fold(DVec3::INFINITY, DVec3::min);
    let high = places.fold(DVec3::NEG_INFINITY, DVec3::max);
    let indices = mesh.joints.iter().map(|&joint| i32::from(joint));
    let corners = mesh.triangles.as_flattened().iter();
    let bind = Value::Matrix4d(matrix(&Rigid::IDENTITY));
    let weights = Value::Floats(vec![1.0; mesh.joints.len()]);
    Prim::new("Mesh", name)
        .attribute(floats3("float3[]", "extent", &[low, high]))
        .attribute(ints("faceVertexCounts", mesh.triangles.iter().map(|_| 3)))
        .attribute(ints(
            "faceVertexIndices",
            corners.map(|&corner| i32::from(corner)),
        ))
        .attribute(each(
            "vertex",
            floats3("normal3f[]", "normals", &mesh.normals),
        ))
        .attribute(floats3("point3f[]", "points", &mesh.positions))
        .attribute(each(
            "constant",
            Attribute::new(
                "color3f[]",
                "primvars:displayColor",
                Value::Float3s(vec![COLOR]),
            ),
        ))
        .attribute(Attribute::new(
            "matrix4d",
            "primvars:skel:geomBindTransform",
            bind,
        ))
        .attribute(one(ints("primvars:skel:jointIndices", indices)))
        .attribute(one(Attribute::new(
            "float[]",
            "primvars:skel:jointWeights",
            weights,
        )))
        // By default, viewers smooth a mesh as a Catmull-Clark surface.
        .attribute(Attribute::new("token", "subdivisionScheme", Value::Token("none")).uniform())
}

fn floats3(type_name: &'static str, name: &'static str, vectors: &[DVec3]) -> Attribute {
    let vectors = vectors.iter().map(|vector| single(vector.to_array()));
    Attribute::new(type_name, name, Value::Float3s(vectors.collect()))
}

fn ints(name: &'static str, numbers: impl Iterator<Item = i32>) -> Attribute {
    Attribute::new("int[]", name, Value::Ints(numbers.collect()))
}

fn each(interpolation: &'static str, attribute: Attribute) -> Attribute {
    attribute.field("interpolation", Value::Token(interpolation))
}

/// Sets the metadata `interpolation` and `elementSize` of an attribute that has one element for each vertex.
fn one(attribute: Attribute) -> Attribute {
    each("vertex", attribute.field("elementSize", Value::Int(1)))
}
