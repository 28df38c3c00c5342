//! The meanings of the nodes of a file.

use std::collections::{HashMap, HashSet};

use inputanim::{Element, Side};

use crate::scene::gltf::document::{Document, Index, Property};
use crate::scene::gltf::error::GltfError;
use crate::scene::gltf::names::{Meaning, Role, meaning};
use crate::shared::rigs::{JointName, Rig, joints_of, only_side_in, rig_of, side_in};
use crate::shared::{Error, Mapping, ReadOptions};

use super::nodes::Nodes;
use super::vrm;

/// The nodes that have a meaning.
#[derive(Default)]
pub(super) struct Roles {
    nodes: HashMap<Role, Index>,
    /// The rigs of the left and the right hand, if the names of joints are those of a known rig.
    rigs: [Option<&'static Rig>; 2],
    /// Roles that several nodes have, so that no node counts.
    pub(super) ambiguous: Vec<GltfError>,
    /// Joints whose hand nothing states.
    pub(super) without_side: Vec<Index>,
}

/// The names of the joints of one hand.
#[derive(Default)]
struct Hand {
    nodes: Vec<Index>,
    names: Vec<JointName>,
}

impl Roles {
    /// Finds the meaning of each node: by the mappings, by the bones that VRM names, and by the names of the nodes. If no
    /// node is the head, the first camera is the head. `is_mrtk` is true for files of the exporter for MRTK.
    ///
    /// # Errors
    /// When a mapping does not name a node.
    pub(super) fn new(
        document: &Document,
        nodes: &Nodes<'_>,
        is_mrtk: bool,
        options: &ReadOptions,
    ) -> Result<Roles, Error> {
        let mut roles = Roles::default();
        for mapping in &options.mappings {
            let (role, index) = mapped(mapping, nodes)?;
            roles.nodes.insert(role, index);
        }
        let mapped: HashSet<Index> = roles.nodes.values().copied().collect();
        let bones = vrm::bones(document);
        let moved = moved(document);
        let mut found: Vec<(Role, Index)> = Vec::new();
        let mut hands: [Hand; 2] = Default::default();
        for index in (0..nodes.len() as Index).filter(|index| !mapped.contains(index)) {
            let name = bones.get(&index).map(String::as_str);
            let Some(name) = name.or_else(|| nodes.get(index)?.name.as_deref()) else {
                continue;
            };
            let side = |of_name: Option<Side>| {
                let above = || {
                    nodes
                        .above(index)
                        .filter_map(|index| nodes.get(index)?.name.as_deref())
                };
                let of_file = || only_side_in(options.file_name.as_deref()?);
                let by_name = of_name.or_else(|| above().find_map(side_in));
                options.side.or(by_name).or_else(of_file)
            };
            match meaning(name) {
                None => {}
                Some(Meaning::Role(role)) => found.push((role, index)),
                Some(Meaning::Tracked(of_name)) => {
                    found.extend(side(of_name).map(|side| (Role::Tracked(side), index)));
                }
                Some(Meaning::Pinching(of_name)) => {
                    found.extend(side(of_name).map(|side| (Role::Pinching(side), index)));
                }
                Some(Meaning::Joint(name)) => {
                    // The root of a hand has such a name too, but it has no place of its own.
                    let has_place = || {
                        moved.contains(&index)
                            || nodes.get(index).is_some_and(|node| {
                                node.translation.is_some_and(|place| place != [0.0; 3])
                            })
                    };
                    if name.is_hand() && (is_mrtk || !has_place()) {
                        continue;
                    }
                    match side(name.side) {
                        Some(side) => {
                            let hand = &mut hands[side as usize];
                            hand.nodes.push(index);
                            hand.names.push(name);
                        }
                        None if name.is_hand() => {}
                        None => roles.without_side.push(index),
                    }
                }
            }
        }
        for (side, hand) in Side::BOTH.into_iter().zip(&hands) {
            let rig = rig_of(hand.names.iter());
            roles.rigs[side as usize] = rig;
            let joints = joints_of(&hand.names.iter().collect::<Vec<_>>(), rig);
            let mut named: Vec<_> = hand.nodes.iter().zip(&hand.names).zip(joints).collect();
            named.sort_by_key(|((_, name), _)| name.rank);
            let mut ranks: HashMap<Role, u8> = HashMap::new();
            for ((&index, name), joint) in named {
                let Some(joint) = joint else { continue };
                let role = Role::Joint(side, joint);
                // Of several names of one joint, the name with the smallest rank counts.
                if *ranks.entry(role).or_insert(name.rank) == name.rank {
                    found.push((role, index));
                }
            }
        }
        roles.add(found, nodes);
        if !roles.nodes.contains_key(&Role::Head) {
            let camera = (0..nodes.len() as Index)
                .find(|&index| nodes.get(index).is_some_and(|node| node.is_camera()));
            roles.nodes.extend(camera.map(|index| (Role::Head, index)));
        }
        Ok(roles)
    }

    /// Adds the roles that nodes have by their names. A role that a mapping assigns keeps its node, and a role of two nodes has
    /// none.
    fn add(&mut self, found: Vec<(Role, Index)>, nodes: &Nodes<'_>) {
        let mut by_name: HashMap<Role, Index> = HashMap::new();
        let mut twice = HashSet::new();
        for (role, index) in found {
            if self.nodes.contains_key(&role) {
                continue;
            }
            match by_name.get(&role) {
                None => {
                    by_name.insert(role, index);
                }
                // A camera may be a child of the head and have such a name too.
                Some(&first)
                    if role == Role::Head && nodes.above(index).any(|node| node == first) => {}
                Some(&first) => {
                    if twice.insert(role) {
                        self.ambiguous.push(GltfError::Twice {
                            what: role.to_string(),
                            first: nodes.name(first),
                            second: nodes.name(index),
                        });
                    }
                }
            }
        }
        by_name.retain(|role, _| !twice.contains(role));
        self.nodes.extend(by_name);
    }

    pub(super) fn get(&self, role: Role) -> Option<Index> {
        self.nodes.get(&role).copied()
    }

    /// Returns the nodes that have a meaning, in no particular order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Index> {
        self.nodes.values().copied()
    }

    pub(super) fn rig(&self, side: Side) -> Option<&'static Rig> {
        self.rigs[side as usize]
    }
}

/// Returns the role and the node of a mapping.
fn mapped(mapping: &Mapping, nodes: &Nodes<'_>) -> Result<(Role, Index), GltfError> {
    let wrong = |problem| GltfError::Mapping {
        mapping: mapping.to_string(),
        problem,
        nodes: nodes.len(),
        names: nodes.some_names(),
    };
    let role = match mapping.pose() {
        Some(Element::Head) => Role::Head,
        Some(Element::Gaze) => Role::Gaze,
        Some(Element::Joint(side, joint)) => Role::Joint(side, joint),
        _ => {
            return Err(wrong(
                "expected a joint such as right.IndexTip, head or gaze before the `=`",
            ));
        }
    };
    if mapping.factor.is_some() {
        return Err(wrong("nodes have no factor"));
    }
    let is_source = |index: &Index| {
        nodes
            .get(*index)
            .is_some_and(|node| node.name.as_deref() == Some(&mapping.source))
    };
    let mut with_name = (0..nodes.len() as Index).filter(is_source);
    match (with_name.next(), with_name.next()) {
        (Some(index), None) => Ok((role, index)),
        (None, _) => Err(wrong("no node has this name")),
        (Some(_), Some(_)) => Err(wrong("several nodes have this name")),
    }
}

/// Returns the nodes that any animation translates or rotates.
fn moved(document: &Document) -> HashSet<Index> {
    let channels = document
        .animations
        .iter()
        .flat_map(|animation| &animation.channels);
    let moving = channels.filter(|channel| {
        matches!(
            channel.target.path,
            Property::Translation | Property::Rotation
        )
    });
    moving.filter_map(|channel| channel.target.node).collect()
}
