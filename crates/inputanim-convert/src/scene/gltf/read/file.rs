//! Builds a recording from the nodes of a file.

use std::collections::{HashMap, HashSet};

use glam::DVec3;
use inputanim::{
    About, BooleanCurve, FloatCurve, HandCurves, Joint, Layout, Limits, Marker, Recording, Side,
    Space,
};

use crate::scene::gltf::document::{
    Animation, Channel, Document, Index, Interpolation, Node, Property,
};
use crate::scene::gltf::extras::{self, Own};
use crate::scene::gltf::names::Role;
use crate::scene::gltf::quaternion::{double, unit};
use crate::shared::layout::with_streams;

use super::buffers::Buffers;
use super::curves::{Form, curves};
use super::keys::Keys;
use super::nodes::Nodes;
use super::world::{Moved, shown};
use crate::scene::gltf::error::GltfError;
use crate::shared::Error;
use crate::shared::limits::check_limit;
use crate::shared::{FileAccess, ReadOptions};

/// A file while it is read.
pub(super) struct File<'d> {
    pub(super) nodes: Nodes<'d>,
    roles: HashMap<Role, Index>,
    pub(super) animation: Option<&'d Animation>,
    pub(super) channels: HashMap<(Index, Property), &'d Channel>,
    pub(super) buffers: Buffers<'d>,
    pub(super) files: &'d FileAccess,
    pub(super) own: Option<Own>,
    /// True for files of the exporter that was proposed for MRTK.
    pub(super) is_mrtk: bool,
    space: Space,
    pub(super) limits: &'d Limits,
    /// The number of keys within the limit that remain.
    pub(super) keys_left: u64,
}

impl<'d> File<'d> {
    pub(super) fn new(
        document: &'d Document,
        binary: Option<&'d [u8]>,
        nodes: Nodes<'d>,
        options: &'d ReadOptions,
    ) -> Result<File<'d>, Error> {
        let roles = nodes.roles()?;
        let animation = choose(document, &nodes, &roles, options)?;
        let scenes = document
            .scenes
            .iter()
            .filter_map(|scene| scene.extras.as_deref());
        let of_animation = animation.and_then(|animation| animation.extras.as_deref());
        let mut own = None;
        // A recording without keys has no animation, so its extras are in the scene.
        for extras in of_animation.into_iter().chain(scenes) {
            if own.is_none() {
                own = extras::read(extras).map_err(GltfError::Extras)?;
            }
        }
        // An empty recording of this library has extras, but no animation.
        if animation.is_none() && own.is_none() {
            return Err(GltfError::NothingKnown {
                nodes: nodes.len(),
                names: nodes.some_names(),
            }
            .into());
        }
        let mut channels = HashMap::new();
        for channel in animation.iter().flat_map(|animation| &animation.channels) {
            if let Some(node) = channel.target.node {
                channels
                    // glTF allows one channel per property. If there are several, the first one counts.
                    .entry((node, channel.target.path))
                    .or_insert(channel);
            }
        }
        let generator = &document.asset.generator;
        let is_mrtk =
            generator.starts_with("Microsoft.MixedReality.Toolkit") || generator == "MRTK";
        // The exporter that was proposed for MRTK writes Unity's axes without converting them.
        let of_file = if is_mrtk { Space::Unity } else { Space::Gltf };
        Ok(File {
            nodes,
            roles,
            animation,
            channels,
            buffers: Buffers::new(document, binary),
            files: &options.files,
            own,
            is_mrtk,
            space: options.space.unwrap_or(of_file),
            limits: &options.limits,
            keys_left: options.limits.max_keys,
        })
    }

    /// Returns the texts about the recording if this library wrote the file.
    pub(super) fn texts(&self) -> Option<About> {
        Some(self.own.as_ref()?.about.iter().collect())
    }

    pub(super) fn recording(mut self) -> Result<Recording<'static>, Error> {
        let mut recording = self.streams()?;
        let form = Form {
            kind: recording.layout.key_kind(),
            offset: self.own.as_ref().map_or(0.0, |own| own.time_offset.0),
        };
        if let Some(head) = self.role(Role::Head) {
            let mut moved = self.pose(head)?;
            if self.is_turned(head) {
                // Half a turn about Y: a camera looks along its −Z, and a head along its +Z.
                moved.rotation = moved.rotation.mapped(|[x, y, z, w]| [z, -w, -x, y]);
            }
            let pose = recording.head_mut();
            (pose.position, pose.rotation) = self.pose_curves(moved, form);
        }
        for side in Side::BOTH {
            if let Some(hand) = self.hand(side, form)? {
                *recording.hands_mut().hand_mut(side) = hand;
            }
        }
        if let Some(node) = self.role(Role::Gaze) {
            let moved = self.pose(node)?;
            let directions = match self.role(Role::Direction) {
                Some(node) => self.pose(node)?.position,
                None => self.looks(moved.rotation),
            };
            let space = self.space;
            let in_unity = |vectors: Keys<3>| vectors.mapped(|vector| space.position(vector));
            let gaze = recording.gaze_mut();
            gaze.origin = curves(&in_unity(moved.position), form);
            gaze.direction = curves(&in_unity(directions), form);
        }
        Ok(recording)
    }

    /// Returns a recording without keys that has the layout, the markers and the streams (head, hands and gaze) of the
    /// `extras`. Without `extras`, it is an empty recording in the layout `mrtk-1.1`.
    fn streams(&self) -> Result<Recording<'static>, Error> {
        let Some(own) = &self.own else {
            return Ok(Recording::new(Layout::Mrtk1_1));
        };
        let layout = own.layout().map_err(GltfError::Layout)?;
        let bytes = layout.has_flags().then(|| own.flags.unwrap_or_default());
        let mut recording = with_streams(layout, bytes);
        check_limit(own.markers.len() as u64, self.limits.max_markers, "markers")?;
        let markers = own.markers.iter();
        let markers = markers.map(|marker| Marker::new(marker.time.0, marker.name.clone()));
        recording.markers = markers.collect();
        Ok(recording)
    }

    pub(super) fn role(&self, role: Role) -> Option<Index> {
        self.roles.get(&role).copied()
    }

    /// Returns `true` if the poses of the node `head` need half a turn about Y, because the node is the camera itself,
    /// whose +Z points backwards.
    fn is_turned(&self, head: Index) -> bool {
        let is_camera = self.nodes.get(head).is_some_and(Node::is_camera);
        is_camera && !self.is_mrtk && self.space == Space::Gltf
    }

    /// Converts the rotations of a node to the directions of its +Z, or of its −Z in axes where −Z is forward. The
    /// directions are in the axes of the file.
    fn looks(&self, rotation: Keys<4>) -> Keys<3> {
        let forward = match self.space {
            Space::OpenXr | Space::Usd => DVec3::NEG_Z,
            _ => DVec3::Z,
        };
        let look = |&turn: &[f32; 4]| {
            (unit(double(turn)) * forward)
                .to_array()
                .map(|part| part as f32)
        };
        let interpolation = match rotation.interpolation {
            // The slopes of a quaternion cannot be used as slopes of a direction.
            Interpolation::Cubic => Interpolation::Linear,
            other => other,
        };
        Keys {
            values: rotation.values.iter().map(look).collect(),
            times: rotation.times,
            slopes: Vec::new(),
            interpolation,
        }
    }

    fn pose_curves(
        &self,
        moved: Moved,
        form: Form,
    ) -> ([FloatCurve<'static>; 3], [FloatCurve<'static>; 4]) {
        let space = self.space;
        let position = moved.position.mapped(|position| space.position(position));
        let rotation = moved.rotation.mapped(|rotation| space.rotation(rotation));
        (curves(&position, form), curves(&rotation, form))
    }

    fn hand(&mut self, side: Side, form: Form) -> Result<Option<HandCurves<'static>>, Error> {
        let mut hand = HandCurves::empty(form.kind);
        let mut first_joint = None;
        for joint in Joint::ALL {
            if let Some(node) = self.role(Role::Joint(side, joint)) {
                first_joint = first_joint.or(Some(node));
                let moved = self.pose(node)?;
                let pose = &mut hand.joints[joint];
                (pose.position, pose.rotation) = self.pose_curves(moved, form);
            }
        }
        let mut is_there = first_joint.is_some();
        // In files of other programs, a hand is tracked while it is shown, and it does not pinch.
        if let Some(node) = first_joint.filter(|_| self.own.is_none()) {
            let shown = shown(&self.chain(node)?);
            let start = shown.first().map(|&(time, _)| (time, false));
            hand.tracked = BooleanCurve::new(shown);
            hand.pinching = BooleanCurve::new(start);
        }
        let states = [
            (Role::Tracked(side), &mut hand.tracked),
            (Role::Pinching(side), &mut hand.pinching),
        ];
        for (role, curve) in states {
            if let Some(found) = self.state(role)? {
                is_there = true;
                *curve = found;
            }
        }
        Ok(is_there.then_some(hand))
    }
}

/// Returns the animation that the options name, or else the first one that moves a node in `roles` or an ancestor of
/// it. Returns `None` if no animation does. Fails if the named animation does not exist.
fn choose<'d>(
    document: &'d Document,
    nodes: &Nodes<'_>,
    roles: &HashMap<Role, Index>,
    options: &ReadOptions,
) -> Result<Option<&'d Animation>, Error> {
    let animations = &document.animations;
    if let Some(asked) = &options.animation {
        let found = animations
            .iter()
            .find(|animation| animation.name.as_ref() == Some(asked));
        if found.is_some() {
            return Ok(found);
        }
        let names = animations.iter();
        let names = names.filter_map(|animation| animation.name.clone());
        return Err(GltfError::NoSuchAnimation {
            asked: asked.clone(),
            names: names.take(20).collect(),
        }
        .into());
    }
    let mut known = HashSet::new();
    for &node in roles.values() {
        known.insert(node);
        // An animation may move only the ancestors of a known node.
        known.extend(nodes.ancestors(node)?);
    }
    Ok(animations.iter().find(|animation| {
        let mut targets = animation.channels.iter().map(|channel| channel.target.node);
        targets.any(|target| target.is_some_and(|node| known.contains(&node)))
    }))
}
