//! Poses of nodes in world space.
//!
//! A node keeps its keys if it has no parent, or if its ancestors only show or hide it. For every other
//! node, the pose is computed at each time at which the node or one of its ancestors has a key. A node
//! that is scaled to 0 is hidden in glTF, so it has no key at that time.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::scene::gltf::document::{Interpolation, Node};
use crate::scene::gltf::quaternion::{single, unit};
use crate::scene::gltf::states::flips;

use super::keys::Keys;

/// The channels of one node.
#[derive(Default)]
pub(super) struct Motion {
    pub(super) translation: Option<Keys<3>>,
    pub(super) rotation: Option<Keys<4>>,
    pub(super) scale: Option<Keys<3>>,
}

/// A node and the channels that move it.
pub(super) struct Link<'d> {
    pub(super) node: &'d Node,
    pub(super) motion: Motion,
}

/// A position and a rotation over time.
pub(super) struct Moved {
    pub(super) position: Keys<3>,
    pub(super) rotation: Keys<4>,
}

impl Link<'_> {
    /// Returns `true` if the only effect of the node on its children is to show or hide them.
    pub(super) fn only_shows(&self) -> bool {
        let node = self.node;
        let is_still = self.motion.translation.is_none()
            && self.motion.rotation.is_none()
            && node.matrix.is_none()
            && node.translation.is_none_or(|place| place == [0.0; 3])
            && node
                .rotation
                .is_none_or(|turn| turn == [0.0, 0.0, 0.0, 1.0]);
        let shows = |scale: &[f32; 3]| *scale == [0.0; 3] || *scale == [1.0; 3];
        is_still
            && match &self.motion.scale {
                Some(keys) => keys.values.iter().all(shows),
                None => node.scale.as_ref().is_none_or(shows),
            }
    }

    /// Returns `true` if the node's own scale does not hide it at a time of the animation. A node is hidden if it is
    /// scaled to 0 along all axes.
    pub(super) fn is_shown(&self, time: f32) -> bool {
        self.scale(time) != DVec3::ZERO
    }

    fn scale(&self, time: f32) -> DVec3 {
        match &self.motion.scale {
            Some(keys) => keys.at(time),
            None => DVec3::from(self.node.scale.unwrap_or([1.0; 3]).map(f64::from)),
        }
    }

    /// Returns the transform of the node relative to its parent at a time of the animation, and the rotation of this
    /// transform.
    fn at(&self, time: f32) -> (DMat4, DQuat) {
        if let Some(matrix) = &self.node.matrix {
            let matrix = DMat4::from_cols_array(&matrix.map(f64::from));
            return (matrix, turn_of(DMat3::from_mat4(matrix)));
        }
        let place = self.node.translation.unwrap_or_default().map(f64::from);
        let place = match &self.motion.translation {
            Some(keys) => keys.at(time),
            None => DVec3::from(place),
        };
        let turn = self.node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let turn = match &self.motion.rotation {
            Some(keys) => keys.at(time),
            None => unit(DQuat::from_array(turn.map(f64::from))),
        };
        let scale = self.scale(time);
        (
            DMat4::from_scale_rotation_translation(scale, turn, place),
            turn,
        )
    }

    /// Returns the times of all keys of the node's channels, unsorted and with duplicates.
    pub(super) fn times(&self) -> impl Iterator<Item = f32> {
        let Motion {
            translation,
            rotation,
            scale,
        } = &self.motion;
        let translation = translation.iter().flat_map(|keys| &keys.times);
        let rotation = rotation.iter().flat_map(|keys| &keys.times);
        let scale = scale.iter().flat_map(|keys| &keys.times);
        translation.chain(rotation).chain(scale).copied()
    }
}

/// Returns the rotation of a matrix without its scale.
fn turn_of(matrix: DMat3) -> DQuat {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec3::normalize_or_zero);
    // The determinant of a rotation is positive. A mirrored matrix is mirrored at the origin first.
    let [x, y, z] = if matrix.determinant() < 0.0 {
        axes.map(|axis| -axis)
    } else {
        axes
    };
    let turn = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
    // An axis of length 0 has no direction.
    if turn.is_finite() {
        unit(turn)
    } else {
        DQuat::IDENTITY
    }
}

/// Returns the times at which any node has a key, in order and without duplicates. Returns the time 0 if no node has a
/// key.
pub(super) fn times(chain: &[Link<'_>]) -> Vec<f32> {
    let mut times: Vec<f32> = chain.iter().flat_map(Link::times).collect();
    if times.is_empty() {
        // A node without keys has its fixed pose from the start.
        times.push(0.0);
    }
    times.sort_by(f32::total_cmp);
    times.dedup_by(|later, earlier| later == earlier);
    times
}

/// Returns the motion of a chain's first node in world space. Each node of the chain is a child of the next. There is a
/// linear key at each time at which any of the nodes has a key and none of them is hidden.
pub(super) fn moved(chain: &[Link<'_>]) -> Moved {
    let mut times = Vec::new();
    let mut positions = Vec::new();
    let mut rotations = Vec::new();
    for time in self::times(chain) {
        if !chain.iter().all(|link| link.is_shown(time)) {
            continue;
        }
        let (place, turn) = pose_at(chain, time);
        let place = place.to_array().map(|part| part as f32);
        if place.iter().all(|part| part.is_finite()) && turn.is_finite() {
            times.push(time);
            positions.push(place);
            rotations.push(single(turn));
        }
    }
    Moved {
        position: lines(times.clone(), positions),
        rotation: lines(times, rotations),
    }
}

/// Returns the position and the rotation of a chain's first node in world space at a time.
pub(super) fn pose_at(chain: &[Link<'_>], time: f32) -> (DVec3, DQuat) {
    let (mut place, mut turn) = (DVec3::ZERO, DQuat::IDENTITY);
    for link in chain {
        let (matrix, its_turn) = link.at(time);
        place = matrix.transform_point3(place);
        // Rotations are multiplied separately. The product of the matrices contains shear if scales differ.
        turn = unit(its_turn * turn);
    }
    (place, turn)
}

/// Returns keys with these times and values, between which readers interpolate linearly.
pub(super) fn lines<const N: usize>(times: Vec<f32>, values: Vec<[f32; N]>) -> Keys<N> {
    Keys {
        times,
        values,
        slopes: Vec::new(),
        interpolation: Interpolation::Linear,
    }
}

/// Returns a single key at the time 0, so that the value is constant.
pub(super) fn still<const N: usize>(value: [f32; N]) -> Keys<N> {
    lines(vec![0.0], vec![value])
}

/// Returns the times at which a chain's first node becomes shown (`true`) or hidden (`false`), after its state at the
/// first key of the chain. The node is hidden while it or an ancestor is scaled to 0.
pub(super) fn shown(chain: &[Link<'_>]) -> Vec<(f32, bool)> {
    let is_shown = |time: f32| chain.iter().all(|link| link.is_shown(time));
    flips(times(chain).into_iter().map(|time| (time, is_shown(time))))
}
