//! The nodes.

use inputanim::{Curve, HandCurves, Joint, Pose, PoseCurves, Recording, Side, Space, TimeRange};
use serde_json::json;

use crate::scene::gltf::clock::to_animation;
use crate::scene::gltf::document::{
    Animation, Asset, Buffer, Document, Index, Node, Property, Scene,
};
use crate::scene::gltf::extras;
use crate::scene::gltf::names::Role;
use crate::scene::gltf::states::steps;
use crate::shared::NodeNames;

use super::budget::KeyBudget;
use super::buffer;
use super::mesh::{Rest, mesh};
use super::report::Tally;
use super::stream::Channels;
use crate::shared::{Error, WriteOptions};

/// The vertical field of view in radians: 55°, as most lenses of headsets have.
const FIELD_OF_VIEW: f64 = 0.96;

/// A file while it is built.
struct Stage<'t> {
    document: Document,
    /// The root nodes of the scene.
    roots: Vec<Index>,
    channels: Channels<'t>,
    names: NodeNames,
}

/// Returns the glTF document of a recording and the bytes of its buffer, and counts changes of the recording in
/// `tally`. The URI of the buffer is added later.
pub(super) fn scene(
    recording: &Recording<'_>,
    options: &WriteOptions,
    tally: &mut Tally,
) -> Result<(Document, Vec<u8>), Error> {
    let offset = before_zero(recording);
    (tally.rate, tally.shifted) = (options.sampling.rate(), offset);
    let mut stage = Stage {
        document: Document::default(),
        roots: Vec::new(),
        channels: Channels {
            buffer: buffer::Buffer::default(),
            animation: Animation::default(),
            budget: KeyBudget::new(),
            tally,
        },
        names: options.node_names,
    };
    if let Some(head) = &recording.head {
        stage.head(head)?;
    }
    if let Some(hands) = &recording.hands {
        for side in Side::BOTH {
            stage.hand(side, hands.hand(side))?;
        }
    }
    if let Some(gaze) = &recording.gaze {
        let node = stage.root(stage.names.of(Role::Gaze));
        let direction = stage.root(stage.names.of(Role::Direction));
        stage.channels.ray(gaze, node, direction)?;
    }
    stage.markers(recording);
    let extras = extras::write(recording, offset).map_err(std::io::Error::from)?;
    Ok(stage.finish(extras))
}

/// Returns the number of markers up to each time at which this number changes, as pairs of a time of the animation and
/// the number. The first pair is at the time 0. `offset` is added to the times of the markers.
fn passed(recording: &Recording<'_>, offset: f32) -> Vec<(f32, f32)> {
    let times = recording.markers.iter().map(|marker| marker.time);
    let times = times.filter(|time| time.is_finite());
    let mut times: Vec<f32> = times
        // glTF has no times before 0. A marker before all keys counts from the start.
        .map(|time| to_animation(time, offset).max(0.0))
        .collect();
    times.sort_by(f32::total_cmp);
    let mut passed = vec![(0.0, 0.0)];
    for (index, time) in times.into_iter().enumerate() {
        let count = (index + 1) as f32;
        match passed.last_mut() {
            Some(last) if last.0 == time => last.1 = count,
            _ => passed.push((time, count)),
        }
    }
    passed
}

/// Returns the seconds from the earliest key of the recording to 0, or 0 if no key is before 0.
fn before_zero(recording: &Recording<'_>) -> f32 {
    let times = recording.curves().flat_map(|(_, curve)| {
        let is_state = matches!(curve, Curve::Boolean(_));
        let points = (0..curve.len()).filter_map(move |index| curve.point(index));
        // Keys that are dropped must not shift the others.
        let kept = points.filter(move |(_, value)| is_state || value.is_finite());
        kept.map(|(time, _)| time).filter(|time| time.is_finite())
    });
    let first = times.fold(0.0, f32::min);
    if first < 0.0 { -first } else { 0.0 }
}

impl Stage<'_> {
    fn node(&mut self, node: Node) -> Index {
        self.document.nodes.push(node);
        self.document.nodes.len() as Index - 1
    }

    fn root(&mut self, name: String) -> Index {
        let node = self.node(named(name));
        self.roots.push(node);
        node
    }

    fn child(&mut self, parent: Index, node: Node) -> Index {
        let child = self.node(node);
        self.document.nodes[parent as usize].children.push(child);
        child
    }

    /// Adds the node of the head with its channels, and below it a camera that looks forward. Forward is +Z of the
    /// head's node, but −Z of the camera's node.
    fn head(&mut self, curves: &PoseCurves<'_>) -> Result<(), Error> {
        let head = self.root(self.names.of(Role::Head));
        let camera = Node {
            rotation: Some(
                // Adding 0 to each component turns −0 into 0.
                Space::Gltf
                    .camera(Pose::IDENTITY)
                    .rotation
                    .map(|part| part + 0.0),
            ),
            camera: Some(self.document.cameras.len() as i64),
            ..named(self.names.camera().to_owned())
        };
        self.child(head, camera);
        self.document.cameras.push(json!({
            "type": "perspective",
            "perspective": {"yfov": FIELD_OF_VIEW, "znear": 0.01},
        }));
        self.channels.pose(curves, "head", None, head)?;
        Ok(())
    }

    fn hand(&mut self, side: Side, hand: &HandCurves<'_>) -> Result<(), Error> {
        let names = self.names;
        let root = self.root(names.hand(side));
        let joints = match names.joints(side) {
            Some(name) => self.child(root, named(name)),
            None => root,
        };
        let tracked = steps(&hand.tracked, self.channels.tally.shifted);
        let ranges = tracked_ranges(&tracked);
        // The rest pose is the pose at the time at which the hand first appears.
        let rest = tracked.iter().find(|step| step.1).map(|step| step.0);
        let mut skin = Vec::new();
        for (joint, curves) in hand.joints.iter() {
            if !has_keys(curves) {
                continue;
            }
            let node = self.child(joints, named(names.of(Role::Joint(side, joint))));
            let name = format!("{side}.{joint}");
            let pose = self.channels.pose(curves, &name, Some(&ranges), node)?;
            if let Some(time) = rest {
                let pose = pose.at(time);
                self.document.nodes[node as usize].place(&pose);
                // `Joint::None` is recorded, but the visible hand does not contain it.
                if joint != Joint::None {
                    skin.push(Rest { joint, node, pose });
                }
            }
        }
        self.states(side, [root, joints], &tracked, hand);
        if rest.is_some() {
            self.mesh(side, joints, &skin);
        }
        Ok(())
    }

    /// Adds a node below `root` for each state of a hand, with its steps. Also scales the node `joints` to 0 while the
    /// hand is untracked: viewers do not show nodes that are scaled to 0. `tracked` are the steps of the tracking
    /// state.
    fn states(
        &mut self,
        side: Side,
        [root, joints]: [Index; 2],
        tracked: &[(f32, bool)],
        hand: &HandCurves<'_>,
    ) {
        let names = self.names;
        // The exporter that was proposed for MRTK writes states as translations.
        let (path, on) = match names {
            NodeNames::Inputanim => (Property::Scale, [1.0; 3]),
            NodeNames::Mrtk => (Property::Translation, [1.0, 0.0, 0.0]),
        };
        let pinching = steps(&hand.pinching, self.channels.tally.shifted);
        for (role, steps) in [
            (Role::Tracked(side), tracked),
            (Role::Pinching(side), &pinching[..]),
        ] {
            let node = self.child(root, named(names.of(role)));
            match self.channels.steps(steps, on) {
                Some(sampler) => self.channels.channel(sampler, node, path),
                None if path == Property::Scale => {
                    self.document.nodes[node as usize].scale = Some([0.0; 3]);
                }
                None => {}
            }
        }
        match self.channels.steps(tracked, [1.0; 3]) {
            Some(sampler) => self.channels.channel(sampler, joints, Property::Scale),
            None => self.document.nodes[joints as usize].scale = Some([0.0; 3]),
        }
    }

    /// Adds a node whose translation along x is the number of markers up to the current time. Adds nothing if there are
    /// no markers, or if nothing else is animated.
    fn markers(&mut self, recording: &Recording<'_>) {
        let passed = passed(recording, self.channels.tally.shifted);
        if passed == [(0.0, 0.0)] || self.channels.animation.channels.is_empty() {
            return;
        }
        let node = self.root(self.names.markers().to_owned());
        let passed = passed
            .into_iter()
            .map(|(time, count)| (time, [count, 0.0, 0.0]));
        let sampler = self.channels.held(passed);
        self.channels.channel(sampler, node, Property::Translation);
    }

    fn mesh(&mut self, side: Side, joints: Index, rest: &[Rest]) {
        let name = self.names.mesh(side);
        // The material is added only after the mesh, which may not exist.
        let material = self.document.materials.len() as Index;
        let buffer = &mut self.channels.buffer;
        let Some((mesh, skin)) = mesh(rest, &name, joints, material, buffer) else {
            return;
        };
        let color = match side {
            Side::Left => [0.16, 0.45, 0.72, 1.0],
            Side::Right => [0.85, 0.42, 0.14, 1.0],
        };
        self.document.materials.push(json!({
            "name": self.names.hand(side),
            "pbrMetallicRoughness": {
                "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.6,
            },
        }));
        self.document.meshes.push(mesh);
        self.document.skins.push(skin);
        // glTF ignores the transform of a skinned mesh, so its node is a root.
        let node = self.root(name);
        let node = &mut self.document.nodes[node as usize];
        node.mesh = Some(self.document.meshes.len() as Index - 1);
        node.skin = Some(self.document.skins.len() as Index - 1);
    }

    fn finish(self, extras: Box<serde_json::value::RawValue>) -> (Document, Vec<u8>) {
        let Stage {
            mut document,
            roots,
            channels,
            names,
        } = self;
        let (bytes, views, accessors) = channels.buffer.finish();
        document.asset = Asset {
            version: "2.0".to_owned(),
            generator: "inputanim".to_owned(),
            copyright: String::new(),
        };
        document.buffer_views = views;
        document.accessors = accessors;
        if !bytes.is_empty() {
            document.buffers.push(Buffer {
                byte_length: bytes.len() as u64,
                uri: None,
                damage: None,
            });
        }
        let mut scene = Scene {
            nodes: roots,
            ..Scene::default()
        };
        // glTF requires at least one channel in an animation, so an empty recording has none.
        if channels.animation.channels.is_empty() {
            scene.extras = Some(extras)
        } else {
            document.animations.push(Animation {
                name: Some(names.animation().to_owned()),
                extras: Some(extras),
                ..channels.animation
            })
        }
        document.scenes.push(scene);
        (document, bytes)
    }
}

fn named(name: String) -> Node {
    Node {
        name: Some(name),
        ..Node::default()
    }
}

impl Node {
    /// Sets the translation and rotation that the node has without animation.
    fn place(&mut self, pose: &Pose) {
        let is_here = pose.position == [0.0; 3];
        self.translation = (!is_here).then_some(pose.position);
        let is_turned = pose.rotation != Pose::IDENTITY.rotation;
        self.rotation = is_turned.then_some(pose.rotation);
    }
}

/// Returns `true` if any curve of a pose has a key with a finite time and value.
fn has_keys(curves: &PoseCurves<'_>) -> bool {
    let mut points = curves.iter().flat_map(|(_, curve)| curve.keys.points());
    points.any(|(time, value)| time.is_finite() && value.is_finite())
}

/// Converts the steps of a hand's tracking state to the time ranges in which it is tracked, in order. A range is
/// infinite where the state holds before the first or after the last step.
fn tracked_ranges(tracked: &[(f32, bool)]) -> Vec<TimeRange> {
    let mut ranges: Vec<TimeRange> = Vec::new();
    for (index, &(start, is_on)) in tracked.iter().enumerate() {
        // The first step also holds before its time.
        let start = if index == 0 { f32::NEG_INFINITY } else { start };
        let next = tracked.get(index + 1);
        let end = next.map_or(f32::INFINITY, |next| next.0);
        match ranges.last_mut() {
            Some(last) if is_on && last.end == start => last.end = end,
            _ if is_on => ranges.push(TimeRange { start, end }),
            _ => {}
        }
    }
    ranges
}
