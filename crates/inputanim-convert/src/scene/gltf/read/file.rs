//! Builds a recording from the nodes of a file.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{DQuat, DVec3};
use inputanim::{
    About, BooleanCurve, Element, FloatCurve, HandCurves, Joint, Joints, Layout, Limits, Marker,
    Recording, Side, Space, TimeRange,
};

use crate::scene::gltf::document::{
    Animation, Channel, Document, Index, Interpolation, Node, Property,
};
use crate::scene::gltf::extras::{self, Own};
use crate::scene::gltf::names::Role;
use crate::scene::gltf::quaternion::{double, single, unit};
use crate::shared::layout::with_streams;

use super::buffers::Buffers;
use super::curves::{Form, curves};
use super::keys::Keys;
use super::nodes::Nodes;
use super::roles::Roles;
use super::world::{Moved, shown};
use crate::scene::gltf::error::GltfError;
use crate::shared::Error;
use crate::shared::bone_rotations::BoneRotations;
use crate::shared::limits::check_limit;
use crate::shared::report::listed;
use crate::shared::rigs::Rig;
use crate::shared::{FileAccess, Loss, LossKind, Note, ReadOptions, Report};

/// A file while it is read.
pub(super) struct File<'d> {
    pub(super) nodes: Nodes<'d>,
    pub(super) roles: Roles,
    pub(super) document: &'d Document,
    pub(super) animation: Option<&'d Animation>,
    pub(super) channels: HashMap<(Index, Property), &'d Channel>,
    pub(super) buffers: Buffers<'d>,
    pub(super) files: &'d FileAccess,
    pub(super) own: Option<Own>,
    /// True for files of the exporter that was proposed for MRTK.
    pub(super) is_mrtk: bool,
    pub(super) space: Space,
    /// True if the options state no axes.
    is_space_open: bool,
    pub(super) limits: &'d Limits,
    /// The number of keys within the limit that remain.
    pub(super) keys_left: u64,
    pub(super) report: Report,
    /// The first problem of a damaged part.
    first_damage: Option<Error>,
    /// The parts that each problem costs.
    costs: BTreeMap<String, Vec<String>>,
    /// The time ranges in which joints are unknown, because their rotations cannot be computed.
    unknown: Vec<(Element, TimeRange)>,
}

impl<'d> File<'d> {
    pub(super) fn new(
        document: &'d Document,
        binary: Option<&'d [u8]>,
        nodes: Nodes<'d>,
        options: &'d ReadOptions,
    ) -> Result<File<'d>, Error> {
        let generator = &document.asset.generator;
        let is_mrtk =
            generator.starts_with("Microsoft.MixedReality.Toolkit") || generator == "MRTK";
        let roles = Roles::new(document, &nodes, is_mrtk, options)?;
        let animation = choose(document, &nodes, &roles, options)?;
        let scenes = document
            .scenes
            .iter()
            .filter_map(|scene| scene.extras.as_deref());
        let of_animation = animation.and_then(|animation| animation.extras.as_deref());
        let mut own = None;
        let mut damaged_extras = None;
        // A recording without keys has no animation, so its extras are in the scene.
        for extras in of_animation.into_iter().chain(scenes) {
            if own.is_none() {
                let read = extras::read(extras).map_err(GltfError::Extras);
                let read = read.and_then(|own| {
                    let layout = own.as_ref().map(Own::layout);
                    layout.transpose().map_err(GltfError::Layout)?;
                    Ok(own)
                });
                match read {
                    Ok(read) => own = read,
                    Err(error) => damaged_extras = damaged_extras.or(Some(error)),
                }
            }
        }
        // An empty recording of this library has extras, but no animation.
        if animation.is_none() && own.is_none() {
            return Err(nothing_known(&nodes, roles, damaged_extras).into());
        }
        let mut channels = HashMap::new();
        let scenes = document
            .scenes
            .iter()
            .map(|scene| &scene.damage)
            .enumerate();
        let animations = document
            .animations
            .iter()
            .map(|animation| &animation.damage)
            .enumerate();
        let damaged = scenes
            .map(|part| ("scene", part))
            .chain(animations.map(|part| ("animation", part)));
        let problem = |(kind, (index, damage)): (_, (_, &Option<String>))| {
            let problem = damage.clone()?;
            Some(GltfError::Damaged {
                kind,
                index,
                problem,
            })
        };
        let mut problems: Vec<GltfError> = damaged.filter_map(problem).collect();
        for channel in animation.iter().flat_map(|animation| &animation.channels) {
            match (channel.target.node, channel.target.path, &channel.damage) {
                // The damaged channel may be of any property.
                (Some(node), Property::Another, Some(_)) => {
                    for path in [Property::Translation, Property::Rotation, Property::Scale] {
                        channels.insert((node, path), channel);
                    }
                }
                (None, _, Some(problem)) => problems.push(GltfError::Node {
                    node: "unknown".to_owned(),
                    problem: format!("a channel of its animation is damaged: {problem}"),
                }),
                (Some(node), path, _) => {
                    // glTF allows one channel per property. If there are several, the first one counts.
                    let first = channels.entry((node, path)).or_insert(channel);
                    if !std::ptr::eq(*first, channel) && path != Property::Another {
                        problems.push(GltfError::Node {
                            node: nodes.name(node),
                            problem: format!(
                                "several channels of its {path}; the first one is read"
                            ),
                        });
                    }
                }
                (None, _, None) => {}
            }
        }
        // The exporter that was proposed for MRTK writes Unity's axes without converting them.
        let of_file = if is_mrtk { Space::Unity } else { Space::Gltf };
        let mut file = File {
            nodes,
            roles,
            document,
            animation,
            channels,
            buffers: Buffers::new(document, binary),
            files: &options.files,
            own,
            is_mrtk,
            space: options.space.unwrap_or(of_file),
            is_space_open: options.space.is_none(),
            limits: &options.limits,
            keys_left: options.limits.max_keys,
            report: Report::default(),
            first_damage: None,
            costs: BTreeMap::new(),
            unknown: Vec::new(),
        };
        let damaged = std::mem::take(&mut file.nodes.damaged);
        let ambiguous = std::mem::take(&mut file.roles.ambiguous);
        for index in 0..file.nodes.len() as Index {
            if let Err(error) = file.nodes.intact(index) {
                file.lose(error.into(), None);
            }
        }
        for error in damaged.into_iter().chain(ambiguous).chain(problems) {
            file.lose(error.into(), None);
        }
        if let Some(error) = damaged_extras {
            file.lose(
                error.into(),
                Some("the layout, states, markers and texts in it".to_owned()),
            );
        }
        Ok(file)
    }

    /// Adds a damaged part and the part of the recording that it costs.
    fn lose(&mut self, error: Error, cost: Option<String>) {
        let causes =
            std::iter::successors(std::error::Error::source(&error), |error| error.source());
        let message = causes.fold(error.to_string(), |message, cause| {
            format!("{message}: {cause}")
        });
        self.costs.entry(message).or_default().extend(cost);
        self.first_damage.get_or_insert(error);
    }

    /// Returns the value of a part of the recording. A damaged part of the file costs the part of the recording: it is
    /// reported, and the value is `None`.
    fn part<T>(&mut self, role: Role, value: Result<T, Error>) -> Result<Option<T>, Error> {
        match value {
            Ok(value) => Ok(Some(value)),
            Err(error @ Error::Format(_)) => {
                self.lose(error, Some(role.to_string()));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn rig(&self, side: Side) -> Option<&'static Rig> {
        self.roles.rig(side)
    }

    /// Returns `true` if neither this library nor the exporter for MRTK wrote the file.
    pub(super) fn is_foreign(&self) -> bool {
        self.own.is_none() && !self.is_mrtk
    }

    /// Returns the texts about the recording if this library wrote the file.
    pub(super) fn texts(&self) -> Option<About> {
        Some(self.own.as_ref()?.about.iter().collect())
    }

    /// Returns the recording, and a report of what is not read.
    ///
    /// # Errors
    /// When the limits are exceeded. When damage leaves nothing to read.
    pub(super) fn recording(mut self) -> Result<(Recording<'static>, Report), Error> {
        let mut recording = self.streams()?;
        let form = Form {
            kind: recording.layout.key_kind(),
            offset: self.own.as_ref().map_or(0.0, |own| own.time_offset.0),
        };
        let mut is_empty = true;
        let turns = if self.is_foreign() {
            Some(self.bone_axes(self.is_space_open)?)
        } else {
            None
        };
        if let Some(head) = self.role(Role::Head) {
            let pose = self.pose(head);
            if let Some(mut moved) = self.part(Role::Head, pose)? {
                is_empty = false;
                if self.is_turned(head) {
                    // Half a turn about Y: a camera looks along its −Z, and a head along its +Z.
                    moved.rotation = moved.rotation.mapped(|[x, y, z, w]| [z, -w, -x, y]);
                }
                let pose = recording.head_mut();
                (pose.position, pose.rotation) = self.pose_curves(moved, form, None);
            }
        }
        for side in Side::BOTH {
            let turns = turns.as_ref().map(|turns| &turns[side as usize]);
            if let Some(hand) = self.hand(side, form, turns)? {
                is_empty = false;
                *recording.hands_mut().hand_mut(side) = hand;
            }
        }
        if let Some(node) = self.role(Role::Gaze) {
            let vectors = self.gaze(node);
            if let Some([origin, direction]) = self.part(Role::Gaze, vectors)? {
                is_empty = false;
                let gaze = recording.gaze_mut();
                gaze.origin = curves(&origin, form);
                gaze.direction = curves(&direction, form);
            }
        }
        if is_empty
            && self.own.is_none()
            && let Some(error) = self.first_damage.take()
        {
            return Err(error);
        }
        for (element, gap) in std::mem::take(&mut self.unknown) {
            recording.known.add_gap(element, gap);
        }
        self.report_unread();
        for (problem, parts) in &self.costs {
            let cost = if parts.is_empty() {
                String::new()
            } else {
                format!("; not read: {}", listed(parts, 3))
            };
            let message = format!("{problem}{cost}");
            self.report
                .lose(LossKind::Damage, parts.len().max(1), message);
        }
        Ok((recording, self.report))
    }

    /// Returns the origin and the direction of the gaze in Unity's axes.
    fn gaze(&mut self, node: Index) -> Result<[Keys<3>; 2], Error> {
        let moved = self.pose(node)?;
        let directions = match self.role(Role::Direction) {
            Some(node) => self.pose(node)?.position,
            None => self.looks(moved.rotation),
        };
        let space = self.space;
        Ok([moved.position, directions].map(|keys| keys.mapped(|vector| space.position(vector))))
    }

    /// Returns a recording without keys that has the layout, the markers and the streams (head, hands and gaze) of the
    /// `extras`. Without `extras`, it is an empty recording in the layout `mrtk-1.1`.
    fn streams(&self) -> Result<Recording<'static>, Error> {
        let Some(own) = &self.own else {
            return Ok(Recording::new(Layout::Mrtk1_1));
        };
        // The layout was checked when the extras were read.
        let layout = own.layout().unwrap_or(Layout::Mrtk1_1);
        let bytes = layout.has_flags().then(|| own.flags.unwrap_or_default());
        let mut recording = with_streams(layout, bytes);
        check_limit(own.markers.len() as u64, self.limits.max_markers, "markers")?;
        let markers = own.markers.iter();
        let markers = markers.map(|marker| Marker::new(marker.time.0, marker.name.clone()));
        recording.markers = markers.collect();
        Ok(recording)
    }

    pub(super) fn role(&self, role: Role) -> Option<Index> {
        self.roles.get(role)
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
        turn: Option<DQuat>,
    ) -> ([FloatCurve<'static>; 3], [FloatCurve<'static>; 4]) {
        let space = self.space;
        let position = moved.position.mapped(|position| space.position(position));
        let rotation = moved.rotation.mapped(|rotation| {
            let rotation = space.rotation(rotation);
            match turn.filter(|&turn| turn != DQuat::IDENTITY) {
                // The product is linear, so that it holds for tangents too.
                Some(turn) => single(double(rotation) * turn),
                None => rotation,
            }
        });
        (curves(&position, form), curves(&rotation, form))
    }

    /// Returns `true` if the joints of a hand in a file of another program move without rotations: the animation has
    /// translations of the nodes of the joints of the fingers, and no rotation of a node of the hand or above it.
    pub(super) fn has_positions_only(&self, side: Side) -> bool {
        let animates = |node: Index, path| self.channels.contains_key(&(node, path));
        let joints = Joint::ALL.into_iter();
        let nodes = joints.filter_map(|joint| Some((joint, self.role(Role::Joint(side, joint))?)));
        let nodes: Vec<(Joint, Index)> = nodes.collect();
        let is_turned = |&(_, node): &(Joint, Index)| {
            let mut above = std::iter::once(node).chain(self.nodes.above(node));
            above.any(|node| animates(node, Property::Rotation))
        };
        // The wrist may be still, or move by the translation of a parent.
        let is_moved = |&(joint, node): &(Joint, Index)| {
            joint == Joint::Wrist || animates(node, Property::Translation)
        };
        self.is_foreign()
            && self.computed_rotations(side).joints().next().is_some()
            && !nodes.iter().any(is_turned)
            && nodes.iter().all(is_moved)
    }

    /// Selects the joints of a hand whose rotations can be computed from the positions of its nodes.
    fn computed_rotations(&self, side: Side) -> BoneRotations {
        let has_position = Joints::from_fn(|joint| self.role(Role::Joint(side, joint)).is_some());
        BoneRotations::new(side, &has_position, &Joints::from_fn(|_| false))
    }

    /// Replaces the rotations of a hand that has only positions, which are in Unity's axes. Positions get keys at the times of the
    /// keys of all joints.
    fn compute_rotations(
        &mut self,
        side: Side,
        positions: &[(Joint, Keys<3>)],
        hand: &mut HandCurves<'static>,
    ) -> Result<(), Error> {
        let rotations = self.computed_rotations(side);
        let mut times: Vec<f32> = positions
            .iter()
            .flat_map(|(_, keys)| &keys.times)
            .copied()
            .collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        self.spend(times.len().saturating_mul(7 * positions.len()))?;
        for (joint, keys) in positions {
            let (Some(&first), Some(&last)) = (keys.times.first(), keys.times.last()) else {
                continue;
            };
            // A joint that stands still has one key.
            let is_still = keys.times.len() == 1;
            let known = times.iter().copied();
            let known = known.filter(|&time| is_still || (first <= time && time <= last));
            let points: Vec<(f32, DVec3)> = known.map(|time| (time, keys.at(time))).collect();
            for (axis, curve) in hand.joints[*joint].position.iter_mut().enumerate() {
                let points = points.iter();
                *curve =
                    FloatCurve::linear(points.map(|(time, place)| (*time, place[axis] as f32)));
            }
        }
        let (uncomputed, gaps) = rotations.add_to(hand);
        let gaps = gaps.into_iter();
        self.unknown
            .extend(gaps.map(|(joint, gap)| (Element::Joint(side, joint), gap)));
        let loss = Loss::of_uncomputed_rotations(uncomputed);
        self.report.losses.extend(loss);
        let names: Vec<String> = rotations.names().collect();
        let others = positions.iter().map(|(joint, _)| *joint);
        let others = others.filter(|&joint| !rotations.computes(joint));
        let others = others.map(|joint| Element::Joint(side, joint).to_string());
        let others: Vec<String> = others.collect();
        let notes = [
            Note::of_computed_rotations(&names),
            Note::of_missing_rotations(&others),
        ];
        self.report.notes.extend(notes.into_iter().flatten());
        Ok(())
    }

    /// Returns the curves of a hand. `turns` are the rotations from the axes of bones to the axes of joints.
    fn hand(
        &mut self,
        side: Side,
        form: Form,
        turns: Option<&Joints<Option<DQuat>>>,
    ) -> Result<Option<HandCurves<'static>>, Error> {
        let mut hand = HandCurves::empty(form.kind);
        let mut first_joint = None;
        let has_positions_only = self.has_positions_only(side);
        let mut positions = Vec::new();
        for joint in Joint::ALL {
            let role = Role::Joint(side, joint);
            if let Some(node) = self.role(role) {
                let pose = self.pose(node);
                if let Some(moved) = self.part(role, pose)? {
                    first_joint = first_joint.or(Some(node));
                    if has_positions_only {
                        let space = self.space;
                        let position = moved.position.clone();
                        positions.push((joint, position.mapped(|place| space.position(place))));
                    }
                    let pose = &mut hand.joints[joint];
                    (pose.position, pose.rotation) =
                        self.pose_curves(moved, form, turns.and_then(|turns| turns[joint]));
                }
            }
        }
        if has_positions_only {
            self.compute_rotations(side, &positions, &mut hand)?;
        }
        let mut is_there = first_joint.is_some();
        // In files of other programs, a hand is tracked while it is shown, and its pinches are unknown.
        if let Some(node) = first_joint.filter(|_| self.own.is_none()) {
            let shown = shown(&self.chain(node)?);
            hand.tracked = BooleanCurve::new(shown);
        }
        let states = [
            (Role::Tracked(side), &mut hand.tracked),
            (Role::Pinching(side), &mut hand.pinching),
        ];
        for (role, curve) in states {
            let found = self.state(role);
            if let Some(Some(found)) = self.part(role, found)? {
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
    roles: &Roles,
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
    for node in roles.nodes() {
        known.insert(node);
        // An animation may move only the ancestors of a known node.
        known.extend(nodes.above(node));
    }
    Ok(animations.iter().find(|animation| {
        let mut targets = animation.channels.iter().map(|channel| channel.target.node);
        targets.any(|target| target.is_some_and(|node| known.contains(&node)))
    }))
}

/// Returns the error of a file in which no animation moves a node with a known meaning.
fn nothing_known(nodes: &Nodes<'_>, roles: Roles, damaged_extras: Option<GltfError>) -> GltfError {
    let mut ambiguous = roles.ambiguous.into_iter();
    if let Some(error) = damaged_extras.or_else(|| ambiguous.next()) {
        return error;
    }
    if roles.without_side.is_empty() {
        return GltfError::NothingKnown {
            nodes: nodes.len(),
            names: nodes.some_names(),
        };
    }
    GltfError::NoSide {
        count: roles.without_side.len(),
        names: roles
            .without_side
            .iter()
            .take(5)
            .map(|&index| nodes.name(index))
            .collect(),
    }
}
