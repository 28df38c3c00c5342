//! The hierarchy of nodes and their meanings.

use std::collections::HashSet;

use crate::scene::gltf::document::{Document, Index, Node};
use crate::scene::gltf::error::GltfError;

/// The limit of ancestors of a node.
const DEEPEST: usize = 100;

/// The nodes of a file.
pub(super) struct Nodes<'d> {
    nodes: &'d [Node],
    parents: Vec<Option<Index>>,
    /// Nodes outside of the scene, in a file with damaged references to children. Their parents may be unknown.
    orphans: HashSet<Index>,
    /// References to children that do not exist.
    pub(super) damaged: Vec<GltfError>,
}

impl<'d> Nodes<'d> {
    pub(super) fn new(document: &'d Document) -> Nodes<'d> {
        let mut nodes = Nodes {
            nodes: &document.nodes,
            parents: vec![None; document.nodes.len()],
            orphans: HashSet::new(),
            damaged: Vec::new(),
        };
        for (parent, node) in document.nodes.iter().enumerate() {
            for &child in &node.children {
                match nodes.parents.get_mut(child as usize) {
                    // glTF allows only one parent. If there are several, the first one counts.
                    Some(slot) => _ = slot.get_or_insert(parent as Index),
                    None => nodes.damaged.push(GltfError::NoSuchNode {
                        from: nodes.name(parent as Index),
                        index: child,
                    }),
                }
            }
        }
        let mut scenes = document
            .scenes
            .iter()
            .flat_map(|scene| &scene.nodes)
            .peekable();
        if !nodes.damaged.is_empty() && scenes.peek().is_some() {
            let roots: HashSet<Index> = scenes.copied().collect();
            let is_orphan =
                |index: &Index| nodes.parents[*index as usize].is_none() && !roots.contains(index);
            nodes.orphans = (0..document.nodes.len() as Index)
                .filter(is_orphan)
                .collect();
        }
        nodes
    }

    pub(super) fn get(&self, index: Index) -> Option<&'d Node> {
        self.nodes.get(index as usize)
    }

    /// Returns the name of a node, or its index if it has no name.
    pub(super) fn name(&self, index: Index) -> String {
        let name = self.get(index).and_then(|node| node.name.clone());
        name.unwrap_or_else(|| index.to_string())
    }

    /// Returns at most [`DEEPEST`] ancestors of a node, the nearest first.
    pub(super) fn above(&self, index: Index) -> impl Iterator<Item = Index> {
        let parent = |&index: &Index| self.parents.get(index as usize).copied().flatten();
        // A cycle has no end.
        std::iter::successors(parent(&index), parent).take(DEEPEST + 1)
    }

    /// Returns the ancestors of a node, the nearest first.
    ///
    /// # Errors
    /// When there are more than [`DEEPEST`], as in a cycle. When the node or an ancestor is damaged, or its parent is unknown.
    pub(super) fn ancestors(&self, index: Index) -> Result<Vec<Index>, GltfError> {
        let found: Vec<Index> = self.above(index).collect();
        if found.len() > DEEPEST {
            return Err(GltfError::Loop(self.name(index)));
        }
        let root = found.last().copied().unwrap_or(index);
        if self.orphans.contains(&root) {
            return Err(GltfError::Node {
                node: self.name(root),
                problem: "it is not in the scene, and references to children are damaged"
                    .to_owned(),
            });
        }
        for &index in std::iter::once(&index).chain(&found) {
            self.intact(index)?;
        }
        Ok(found)
    }

    /// Fails if the node is damaged.
    pub(super) fn intact(&self, index: Index) -> Result<(), GltfError> {
        match self.get(index).and_then(|node| node.damage.clone()) {
            None => Ok(()),
            Some(problem) => Err(GltfError::Node {
                node: self.name(index),
                problem,
            }),
        }
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
