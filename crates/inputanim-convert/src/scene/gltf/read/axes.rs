//! The axes of the joints in files of other programs.

use glam::{DMat3, DQuat, DVec3};
use inputanim::{Joint, Joints, Pose, Side, Space};

use crate::scene::gltf::names::Role;
use crate::scene::gltf::quaternion::single;
use crate::shared::axes::axes;
use crate::shared::bone_axes::BoneAxes;
use crate::shared::rigs::RigAxes;
use crate::shared::{Error, NoteKind};

use super::file::File;
use super::world::{Link, Motion, pose_at};

/// The rotations from the axes of the bones of both hands to the axes of MRTK's joints.
pub(super) type Turns = [Joints<Option<DQuat>>; 2];

impl File<'_> {
    /// Finds the axes of the bones of both hands and notes them. Sets the axes of the file to those of OpenXR if its joints have
    /// the names and the axes of OpenXR or WebXR, and `is_space_open` is true.
    pub(super) fn bone_axes(&mut self, is_space_open: bool) -> Result<Turns, Error> {
        let mut turns: Turns = std::array::from_fn(|_| Joints::from_fn(|_| None));
        let sides = Side::BOTH.map(|side| {
            let mut joints = Joint::ALL.into_iter();
            // Without rotations, the axes of bones have no meaning.
            !self.has_positions_only(side)
                && joints.any(|joint| self.role(Role::Joint(side, joint)).is_some())
        });
        let mut measured = [None, None];
        for side in Side::BOTH {
            if sides[side as usize] {
                measured[side as usize] = self.measure(side)?;
                let is_xr = self
                    .rig(side)
                    .is_some_and(|rig| rig.axes == RigAxes::OpenXr);
                let axes = measured[side as usize].as_ref();
                if is_space_open && is_xr && axes.is_some_and(|axes| self.points_back(axes)) {
                    self.space = Space::OpenXr;
                }
            }
        }
        let reason = match (is_space_open, self.space) {
            (false, _) => "as the option states",
            (true, Space::OpenXr) => "those of OpenXR and WebXR, as the names and bones of joints",
            (true, _) => "assumed, as the file states none",
        };
        let message = format!("axes of the file: {} ({reason})", axes(self.space));
        self.report.note(NoteKind::Axes, message);
        for side in Side::BOTH {
            if sides[side as usize] {
                // The axes of the file may have changed.
                if self.space == Space::OpenXr && is_space_open {
                    measured[side as usize] = self.measure(side)?;
                }
                turns[side as usize] = self.turns(side, measured[side as usize].take());
            }
        }
        Ok(turns)
    }

    /// Returns `true` if −Z of the bones points to the tips, in the axes of the file.
    fn points_back(&self, axes: &BoneAxes) -> bool {
        let back = self.in_unity(DVec3::NEG_Z);
        axes.common
            .is_some_and(|common| (common * DVec3::Z).dot(back) > 0.9)
    }

    /// Measures the axes of the bones of a hand in the rest pose, or in the first pose of the animation if the file has no
    /// rest pose of the hand.
    fn measure(&mut self, side: Side) -> Result<Option<BoneAxes>, Error> {
        for is_rest in [true, false] {
            let mut pose = Joints::from_fn(|_| None);
            for joint in Joint::ALL {
                if let Some(node) = self.role(Role::Joint(side, joint)) {
                    let chain = if is_rest {
                        self.rest(node)
                    } else {
                        // A damaged channel is reported where the joint is read.
                        self.chain(node).ok()
                    };
                    pose[joint] = chain.and_then(|chain| {
                        let (place, turn) = pose_at(&chain, f32::NEG_INFINITY);
                        let place = place.to_array().map(|part| part as f32);
                        let turn = single(turn);
                        let is_finite = place.iter().chain(&turn).all(|part| part.is_finite());
                        is_finite.then(|| Pose {
                            position: self.space.position(place),
                            rotation: self.space.rotation(turn),
                        })
                    });
                }
            }
            if let Some(axes) = BoneAxes::measure(&pose, side) {
                return Ok(Some(axes));
            }
        }
        Ok(None)
    }

    /// Returns a node and its ancestors without their channels.
    fn rest(&self, node: u32) -> Option<Vec<Link<'_>>> {
        let above = self.nodes.ancestors(node).ok()?;
        let link = |node| {
            let node = self.nodes.get(node)?;
            Some(Link {
                node,
                motion: Motion::default(),
            })
        };
        std::iter::once(node).chain(above).map(link).collect()
    }

    /// Chooses between the documented and the measured axes of a hand, and notes the choice.
    fn turns(&mut self, side: Side, measured: Option<BoneAxes>) -> Joints<Option<DQuat>> {
        let rig = self.rig(side);
        let documented = match rig.map(|rig| rig.axes) {
            Some(RigAxes::Unity) => Some(DQuat::IDENTITY),
            Some(RigAxes::OpenXr) => Some(self.turn_of(DVec3::NEG_Z, DVec3::Y)),
            _ => None,
        };
        let names = match rig {
            Some(rig) => format!("joint names of {}", rig.name),
            None => "joint names of no known rig".to_owned(),
        };
        let common = measured.as_ref().and_then(|axes| axes.common);
        let agrees = |documented: DQuat| {
            // The direction of the bone is certain; the back of the hand needs the right side.
            common.is_none_or(|common| (common * DVec3::Z).dot(documented * DVec3::Z) > 0.5)
        };
        let is_unity = rig.is_some_and(|rig| rig.axes == RigAxes::Unity);
        let (turns, message) = match (documented, measured) {
            // MRTK's own names mean MRTK's axes, even if too few joints are known to measure them.
            (Some(turn), measured) if agrees(turn) && (is_unity || measured.is_some()) => {
                let message = format!("axes of the rig: {}", self.described(turn));
                (Joints::from_fn(|_| Some(turn)), message)
            }
            (_, Some(measured)) => {
                let message = match measured.common {
                    Some(turn) => format!("axes found from the bones: {}", self.described(turn)),
                    None => "axes found for each bone: the bones have no common axes, so the roll of the thumb is \
                             estimated"
                        .to_owned(),
                };
                (measured.turns, message)
            }
            (_, None) => (
                Joints::from_fn(|_| None),
                "axes unknown, since too few joints show them: the rotations are those of the file"
                    .to_owned(),
            ),
        };
        self.report
            .note(NoteKind::Axes, format!("{side} hand: {names}; {message}"));
        turns
    }

    /// Returns the rotation from the axes of a bone to the axes of a joint in MRTK, if these axes of the bone point to the
    /// tip and out of the back of the hand in the axes of the file.
    fn turn_of(&self, tip: DVec3, back: DVec3) -> DQuat {
        let (z, y) = (self.in_unity(tip), self.in_unity(back));
        DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z))
    }

    /// Converts a direction to Unity's axes.
    fn in_unity(&self, direction: DVec3) -> DVec3 {
        let direction = direction.to_array().map(|part| part as f32);
        DVec3::from(self.space.position(direction).map(f64::from))
    }

    /// Describes the axes of bones, in the axes of the file.
    fn described(&self, turn: DQuat) -> String {
        let axes = [("X", DVec3::X), ("Y", DVec3::Y), ("Z", DVec3::Z)];
        let nearest = |direction: DVec3| {
            let along = |axis: DVec3| self.in_unity(axis).dot(direction);
            let by_length = |a: &(&str, DVec3), b: &(&str, DVec3)| {
                along(a.1).abs().total_cmp(&along(b.1).abs())
            };
            let (name, axis) = axes.into_iter().max_by(by_length).unwrap_or(axes[0]);
            format!("{}{name}", if along(axis) < 0.0 { '-' } else { '+' })
        };
        let (tip, back) = (nearest(turn * DVec3::Z), nearest(turn * DVec3::Y));
        format!("{tip} to the tip, {back} out of the back of the hand")
    }
}
