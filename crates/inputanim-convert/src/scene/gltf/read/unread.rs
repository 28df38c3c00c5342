//! Notes about the animated content that is not read.

use std::collections::HashSet;

use inputanim::{Joint, Side};

use crate::scene::gltf::document::Property;
use crate::scene::gltf::names::Role;
use crate::shared::NoteKind;
use crate::shared::report::{counted, listed};

use super::file::File;

/// The number of names that a note lists.
const LISTED: usize = 8;

impl File<'_> {
    /// Notes the animated nodes, the other animations and the joints that are not read.
    pub(super) fn report_unread(&mut self) {
        let chosen = self.animation;
        let others = self.document.animations.iter();
        // Damaged animations are reported as losses.
        let others = others.filter(|other| other.damage.is_none());
        let others =
            others.filter(|&other| !chosen.is_some_and(|chosen| std::ptr::eq(chosen, other)));
        let names = others.map(|other| other.name.as_deref().unwrap_or("without a name"));
        let count = names.clone().count();
        if count > 0 {
            let message = format!(
                "not read: {}: {}",
                counted(count, "other animation"),
                listed(names, LISTED)
            );
            self.report.note(NoteKind::OtherContent, message);
        }
        // Nodes of the files of this library, such as `markers`, repeat what the extras state.
        if self.own.is_some() {
            return;
        }
        self.report_nodes();
        for side in Side::BOTH {
            let is_missing = |joint: &Joint| {
                *joint != Joint::None && self.role(Role::Joint(side, *joint)).is_none()
            };
            let missing: Vec<Joint> = Joint::ALL.into_iter().filter(is_missing).collect();
            if missing.len() < Joint::ALL.len() - 1 && !missing.is_empty() {
                let count = counted(missing.len(), "joint");
                let message = format!(
                    "{side} hand: {count} not in the file: {}",
                    listed(missing, LISTED)
                );
                self.report.note(NoteKind::MissingJoints, message);
            }
        }
    }

    fn report_nodes(&mut self) {
        let mut used: HashSet<u32> = self.roles.nodes().collect();
        let above: Vec<u32> = self
            .roles
            .nodes()
            .flat_map(|node| self.nodes.above(node))
            .collect();
        used.extend(above);
        let channels = self
            .animation
            .iter()
            .flat_map(|animation| &animation.channels);
        let mut animated = HashSet::new();
        let mut unread = Vec::new();
        let mut others = 0;
        // Damaged channels are reported as losses.
        for channel in channels.filter(|channel| channel.damage.is_none()) {
            match (channel.target.node, channel.target.path) {
                (Some(node), Property::Translation | Property::Rotation | Property::Scale) => {
                    if animated.insert(node) && !used.contains(&node) {
                        unread.push(node);
                    }
                }
                // Morph targets and properties of extensions.
                _ => others += 1,
            }
        }
        if !unread.is_empty() {
            let names = unread.iter().map(|&node| self.nodes.name(node));
            let message = format!(
                "not read: {} of {}: {}",
                unread.len(),
                counted(animated.len(), "animated node"),
                listed(names, LISTED)
            );
            self.report.note(NoteKind::OtherContent, message);
        }
        let without_side = self.roles.without_side.len();
        if without_side > 0 {
            let message = format!(
                "{} without a hand in the names of nodes, not read",
                counted(without_side, "joint")
            );
            self.report.note(NoteKind::OtherContent, message);
        }
        if others > 0 {
            let message = format!(
                "not read: {} of morph targets or extensions",
                counted(others, "channel")
            );
            self.report.note(NoteKind::OtherContent, message);
        }
    }
}
