//! The hierarchy of nodes and their meanings.

use std::collections::HashMap;

use crate::scene::gltf::document::{Document, Index, Node};
use crate::scene::gltf::error::GltfError;
use crate::scene::gltf::names::{self, Role};
use crate::shared::Error;

/// The limit of ancestors of a node.
const DEEPEST: usize = 100;

/// The nodes of a file.
pub(super) struct Nodes<'d> {
    nodes: &'d [Node],
    parents: Vec<Option<Index>>,
}

impl<'d> Nodes<'d> {
    pub(super) fn new(document: &'d Document) -> Result<Nodes<'d>, Error> {
        let mut nodes = Nodes {
            nodes: &document.nodes,
            parents: vec![None; document.nodes.len()],
        };
        for (parent, node) in document.nodes.iter().enumerate() {
            for &child in &node.children {
                let Some(slot) = nodes.parents.get_mut(child as usize) else {
                    return Err(GltfError::NoSuchNode {
                        from: nodes.name(parent as Index),
                        index: child,
                    }
                    .into());
                };
                // glTF allows only one parent. If there are several, the first one counts.
                slot.get_or_insert(parent as Index);
            }
        }
        Ok(nodes)
    }

    pub(super) fn get(&self, index: Index) -> Option<&'d Node> {
        self.nodes.get(index as usize)
    }

    /// Returns the name of a node, or its index if it has no name.
    pub(super) fn name(&self, index: Index) -> String {
        let name = self.get(index).and_then(|node| node.name.clone());
        name.unwrap_or_else(|| index.to_string())
    }

    fn above(&self, index: Index) -> impl Iterator<Item = Index> {
        let parent = |&index: &Index| self.parents.get(index as usize).copied().flatten();
        std::iter::successors(parent(&index), parent)
    }

    /// Returns the ancestors of a node, the nearest first. Fails if there are more than [`DEEPEST`], as in a cycle.
    pub(super) fn ancestors(&self, index: Index) -> Result<Vec<Index>, Error> {
        // A cycle has no end, so the limit finds it.
        let found: Vec<Index> = self.above(index).take(DEEPEST + 1).collect();
        if found.len() <= DEEPEST {
            Ok(found)
        } else {
            Err(GltfError::Loop(self.name(index)).into())
        }
    }

    /// Returns the index of the node that has each role by its name. If no node is named as the head, the first camera
    /// is the head. Fails if two nodes have the same role.
    pub(super) fn roles(&self) -> Result<HashMap<Role, Index>, Error> {
        let mut roles: HashMap<Role, Index> = HashMap::new();
        for index in 0..self.nodes.len() as Index {
            let Some(name) = self.get(index).and_then(|node| node.name.as_deref()) else {
                continue;
            };
            let above = self.above(index).take(DEEPEST);
            let above = above.filter_map(|index| self.get(index)?.name.as_deref());
            let Some(role) = names::role(name, above) else {
                continue;
            };
            match roles.get(&role) {
                None => {
                    roles.insert(role, index);
                }
                // A camera may be a child of the head and have such a name too.
                Some(&first)
                    if role == Role::Head
                        && self.above(index).take(DEEPEST).any(|node| node == first) => {}
                Some(&first) => {
                    return Err(GltfError::Twice {
                        what: role.to_string(),
                        first: self.name(first),
                        second: name.to_owned(),
                    }
                    .into());
                }
            }
        }
        if !roles.contains_key(&Role::Head) {
            let camera = self.nodes.iter().position(Node::is_camera);
            roles.extend(camera.map(|index| (Role::Head, index as Index)));
        }
        Ok(roles)
    }

    /// Returns the first five names of nodes, for an error message.
    pub(super) fn some_names(&self) -> Vec<String> {
        let names = self.nodes.iter().filter_map(|node| node.name.clone());
        names.take(5).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl Node {
    pub(super) fn is_camera(&self) -> bool {
        self.camera.is_some_and(|camera| camera >= 0)
    }
}
