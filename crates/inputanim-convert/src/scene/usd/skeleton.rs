//! The skeleton of a hand and its motion.

use std::rc::Rc;

use glam::{DQuat, DVec3};
use inputanim::{Joint, Joints, Sampler, Side};

use super::sampled_recording::{SampledRecording, aligned, frames, known, single};
use super::stage::{Attribute, Prim, Samples, Value};
use crate::shared::rigid::Rigid;

/// A joint and its parent.
#[derive(Clone, Copy)]
struct Bone {
    joint: Joint,
    /// The parent, as the index of an earlier bone.
    parent: Option<usize>,
    /// The rest pose in world space.
    rest: Rigid,
}

#[derive(Clone)]
pub(super) struct Skeleton {
    bones: Rc<[Bone]>,
}

impl Skeleton {
    pub(super) fn at(rest: &Joints<Option<Rigid>>) -> Skeleton {
        let mut bones: Vec<Bone> = Vec::new();
        for (joint, rest) in rest.iter() {
            let Some(rest) = *rest else { continue };
            // The children of a joint that is not recorded become children of its nearest recorded
            // ancestor.
            let mut above = std::iter::successors(joint.parent(), |joint| joint.parent());
            let parent = above.find_map(|above| bones.iter().position(|bone| bone.joint == above));
            bones.push(Bone {
                joint,
                parent,
                rest,
            });
        }
        Skeleton {
            bones: bones.into(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Returns the joints and their positions in the rest pose, in world space and metres.
    pub(super) fn places(&self) -> Vec<(Joint, DVec3)> {
        let bones = self.bones.iter();
        bones.map(|bone| (bone.joint, bone.rest.position)).collect()
    }

    /// Returns the joints as an array of paths, such as `Wrist/IndexMetacarpal/IndexKnuckle`.
    fn joints(&self) -> Value {
        let mut paths: Vec<String> = Vec::new();
        for bone in self.bones.iter() {
            let name = bone.joint.name();
            paths.push(match bone.parent {
                Some(parent) => format!("{}/{name}", paths[parent]),
                None => name.to_owned(),
            });
        }
        Value::Tokens(paths.into_iter().map(Into::into).collect())
    }

    pub(super) fn prim(&self, name: String) -> Prim {
        let world: Vec<Rigid> = self.bones.iter().map(|bone| bone.rest).collect();
        let matrices = |poses: &[Rigid]| Value::Matrix4ds(poses.iter().map(matrix).collect());
        let joints = Attribute::new("token[]", "joints", self.joints());
        let bind = Attribute::new("matrix4d[]", "bindTransforms", matrices(&world));
        let rest = matrices(&local(&self.bones, &world));
        let rest = Attribute::new("matrix4d[]", "restTransforms", rest);
        Prim::new("Skeleton", name)
            .attribute(joints.uniform())
            .attribute(bind.uniform())
            .attribute(rest.uniform())
    }

    pub(super) fn motion(
        &self,
        name: String,
        recording: &SampledRecording<'_>,
        side: Side,
        shown: Vec<f32>,
    ) -> Prim {
        let codes = recording.codes(&shown);
        let motion = Rc::new(Motion {
            // At the time at which it is lost, a hand keeps its last pose.
            sampler: recording.sampler.clone().with_untracked_joints(),
            bones: self.bones.clone(),
            side,
            times: shown.into(),
        });
        let turning = motion.clone();
        let places = Samples::new(codes.clone(), move || motion.places());
        let turns = Samples::new(codes, move || turning.turns());
        let joints = Attribute::new("token[]", "joints", self.joints());
        // UsdSkel needs translations, rotations and scales to compute a transform, so scales of 1 are written too.
        let scales = Value::Half3Ones(self.bones.len());
        Prim::new("SkelAnimation", name)
            .attribute(joints.uniform())
            .attribute(Attribute::sampled("quatf[]", "rotations", turns))
            .attribute(Attribute::new("half3[]", "scales", scales))
            .attribute(Attribute::sampled("float3[]", "translations", places))
    }
}

/// The motion of a skeleton.
struct Motion {
    sampler: Sampler,
    bones: Rc<[Bone]>,
    side: Side,
    times: Rc<[f32]>,
}

impl Motion {
    /// Returns the poses of joints relative to their parents, time by time. An unknown joint keeps its last pose in
    /// world space.
    fn poses(&self) -> impl Iterator<Item = Vec<Rigid>> + use<> {
        let (bones, side) = (self.bones.clone(), self.side);
        let mut world: Vec<Rigid> = bones.iter().map(|bone| bone.rest).collect();
        frames(&self.sampler, &self.times).map(move |frame| {
            let joints = &frame.hand(side).joints;
            for (bone, pose) in bones.iter().zip(&mut world) {
                *pose = joints[bone.joint].and_then(known).unwrap_or(*pose);
            }
            local(&bones, &world)
        })
    }

    fn places(&self) -> impl Iterator<Item = Value> + use<> {
        self.poses().map(|poses| {
            let places = poses.iter().map(|pose| single(pose.position.to_array()));
            Value::Float3s(places.collect())
        })
    }

    /// Returns the rotations of all joints relative to their parents, as one value for each time. A joint's rotations
    /// at neighbouring times are in one hemisphere, for programs that interpolate them linearly.
    fn turns(&self) -> impl Iterator<Item = Value> + use<> {
        let mut turns = vec![DQuat::IDENTITY; self.bones.len()];
        self.poses().map(move |poses| {
            for (turn, pose) in turns.iter_mut().zip(poses) {
                *turn = aligned(pose.rotation, *turn);
            }
            Value::Quatfs(turns.iter().map(|turn| single(turn.to_array())).collect())
        })
    }
}

/// Converts the poses of bones in world space to poses relative to their parents. A bone without a parent keeps its
/// pose.
fn local(bones: &[Bone], world: &[Rigid]) -> Vec<Rigid> {
    let poses = bones.iter().zip(world);
    let local = poses.map(|(bone, pose)| match bone.parent {
        Some(parent) => pose.relative_to(&world[parent]),
        None => *pose,
    });
    local.collect()
}

/// Returns the transform of a pose as a 4×4 matrix row by row: three axes, then the position. A point is a row vector
/// on its left.
pub(super) fn matrix(pose: &Rigid) -> [f64; 16] {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.rotation * axis);
    let rows = [
        (axes[0], 0.0),
        (axes[1], 0.0),
        (axes[2], 0.0),
        (pose.position, 1.0),
    ];
    let rows = rows.map(|(row, last)| [row.x, row.y, row.z, last]);
    std::array::from_fn(|index| rows[index / 4][index % 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Pose;

    #[test]
    fn children_of_a_missing_joint_become_children_of_its_parent() {
        let mut rest = Joints::<Option<Rigid>>::default();
        for joint in [Joint::Wrist, Joint::IndexKnuckle, Joint::IndexTip] {
            rest[joint] = Some(Rigid::IDENTITY);
        }
        rest[Joint::RingTip] = Some(Rigid::IDENTITY);
        let paths = |rest: &Joints<Option<Rigid>>| match Skeleton::at(rest).joints() {
            Value::Tokens(paths) => paths,
            other => panic!("{other:?}"),
        };
        let knuckle = "Wrist/IndexKnuckle";
        let tip = "Wrist/IndexKnuckle/IndexTip";
        assert_eq!(paths(&rest), ["Wrist", knuckle, tip, "Wrist/RingTip"]);
        rest[Joint::Wrist] = None;
        let tip = "IndexKnuckle/IndexTip";
        assert_eq!(paths(&rest), ["IndexKnuckle", tip, "RingTip"]);
    }

    #[test]
    fn local_poses_multiply_to_the_poses_in_the_world() {
        let rigid = |seed: f32| {
            Rigid::of(&Pose {
                position: [seed, -2.0 * seed, 0.3],
                rotation: [0.1 * seed, 0.5, -seed, 0.7],
            })
        };
        let mut rest = Joints::default();
        for (seed, joint) in [
            (0.4, Joint::Wrist),
            (0.5, Joint::Palm),
            (0.7, Joint::RingTip),
        ] {
            rest[joint] = Some(rigid(seed));
        }
        let bones = Skeleton::at(&rest).bones;
        let world: Vec<Rigid> = bones.iter().map(|bone| bone.rest).collect();
        let local = local(&bones, &world);
        assert_ne!(local[1].position, world[1].position);
        for (bone, local) in bones.iter().zip(local) {
            let again = bone.parent.map_or(local, |parent| local.on(&world[parent]));
            assert!((again.position - bone.rest.position).length() < 1e-12);
            assert!(again.rotation.dot(bone.rest.rotation).abs() > 1.0 - 1e-12);
        }
    }

    #[test]
    fn the_last_row_of_a_matrix_is_the_position() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let rows = matrix(&Rigid::of(&Pose {
            position: [1.0, 2.0, 3.0],
            // A quarter turn about Z: X goes to Y.
            rotation: [0.0, 0.0, half, half],
        }));
        let expected = [
            [0.0, 1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [1.0, 2.0, 3.0, 1.0],
        ];
        let numbers = rows.iter().zip(expected.as_flattened());
        assert!(
            numbers.into_iter().all(|(a, b)| (a - b).abs() < 1e-7),
            "{rows:?}"
        );
    }
}
