//! The names of nodes and their meanings.

use std::fmt;

use inputanim::{Joint, Side};

use crate::shared::NodeNames;
use crate::shared::rigs::{JointName, side_in};

/// The meaning of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Head,
    Joint(Side, Joint),
    Tracked(Side),
    Pinching(Side),
    /// The origin of the gaze; its +Z is the direction.
    Gaze,
    /// The direction of the gaze as a vector.
    Direction,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&NodeNames::Inputanim.of(*self))
    }
}

impl NodeNames {
    /// Returns the name that a node with a role has in this naming scheme.
    pub(super) fn of(self, role: Role) -> String {
        let hand = |side| self.hand(side);
        match (self, role) {
            (NodeNames::Inputanim, Role::Head) => "head".to_owned(),
            (NodeNames::Inputanim, Role::Joint(side, joint)) => format!("{side}.{joint}"),
            (NodeNames::Inputanim, Role::Tracked(side)) => format!("{side}.tracked"),
            (NodeNames::Inputanim, Role::Pinching(side)) => format!("{side}.pinching"),
            (NodeNames::Inputanim, Role::Gaze) => "gaze".to_owned(),
            (NodeNames::Inputanim, Role::Direction) => "gaze.direction".to_owned(),
            (NodeNames::Mrtk, Role::Head) => "Camera".to_owned(),
            (NodeNames::Mrtk, Role::Joint(side, joint)) => format!("{}.Joint.{joint}", hand(side)),
            (NodeNames::Mrtk, Role::Tracked(side)) => format!("{}.Tracking", hand(side)),
            (NodeNames::Mrtk, Role::Pinching(side)) => format!("{}.Pinching", hand(side)),
            (NodeNames::Mrtk, Role::Gaze) => "Gaze".to_owned(),
            (NodeNames::Mrtk, Role::Direction) => "Gaze.Direction".to_owned(),
        }
    }

    /// Returns the name of the root node of a hand.
    pub(super) fn hand(self, side: Side) -> String {
        match (self, side) {
            (NodeNames::Inputanim, side) => side.to_string(),
            (NodeNames::Mrtk, Side::Left) => "Hand.Left".to_owned(),
            (NodeNames::Mrtk, Side::Right) => "Hand.Right".to_owned(),
        }
    }

    /// Returns the name of the node that groups the joints of a hand, or `None` if the joints are children of its root
    /// node.
    pub(super) fn joints(self, side: Side) -> Option<String> {
        match self {
            NodeNames::Inputanim => None,
            NodeNames::Mrtk => Some(format!("{}.Joints", self.hand(side))),
        }
    }

    /// Returns the name of the node with the mesh of a hand.
    pub(super) fn mesh(self, side: Side) -> String {
        match self {
            NodeNames::Inputanim => format!("{side}.mesh"),
            NodeNames::Mrtk => format!("{}.Mesh", self.hand(side)),
        }
    }

    /// Returns the name of the camera node, which is a child of the head.
    pub(super) const fn camera(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "camera",
            NodeNames::Mrtk => "Camera.View",
        }
    }

    /// Returns the name of the node whose translation counts the markers up to the current time.
    pub(super) const fn markers(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "markers",
            NodeNames::Mrtk => "Markers",
        }
    }

    /// Returns the name of the animation.
    pub(super) const fn animation(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "take",
            NodeNames::Mrtk => "InputAction",
        }
    }
}

/// The meaning of the name of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The head or the gaze.
    Role(Role),
    /// The tracking state of a hand, which the name may contain.
    Tracked(Option<Side>),
    /// The pinching state of a hand, which the name may contain.
    Pinching(Option<Side>),
    /// A joint. The names of all joints of a hand decide which.
    Joint(JointName),
}

/// Returns the meaning of the name of a node, or `None` if it has no known meaning. docs/convert.md describes the rules.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    // Exporters change separators and case, so names are compared word by word.
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        // The head and the gaze have no side, so they are compared before any word is removed.
        ["head" | "camera"] | ["main", "camera"] => return Some(Meaning::Role(Role::Head)),
        ["gaze"] => return Some(Meaning::Role(Role::Gaze)),
        ["gaze", "direction"] => return Some(Meaning::Role(Role::Direction)),
        _ => {}
    }
    let is_significant = |word: &&str| side_in(word).is_none() && !["hand", "xr"].contains(word);
    let rest: Vec<&str> = words.into_iter().filter(is_significant).collect();
    match rest[..] {
        ["tracked" | "tracking"] => Some(Meaning::Tracked(side_in(name))),
        ["pinching"] => Some(Meaning::Pinching(side_in(name))),
        _ => JointName::parse(name).map(Meaning::Joint),
    }
}

/// Splits a name into words in lower case. A word ends between a small and a capital letter, and at any character that
/// is not a letter or digit.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        // `MainCamera` is two words, but `XR` is one.
        let begins = letter.is_uppercase() && before.is_lowercase();
        let is_part = letter.is_alphanumeric();
        if begins || !is_part {
            words.push(String::new());
        }
        if is_part && let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::rigs::joints_of;

    fn of(name: &str) -> Option<Role> {
        match meaning(name)? {
            Meaning::Role(role) => Some(role),
            Meaning::Tracked(side) => side.map(Role::Tracked),
            Meaning::Pinching(side) => side.map(Role::Pinching),
            Meaning::Joint(name) if name.is_hand() => None,
            Meaning::Joint(name) => {
                let joint = joints_of(&[&name], None)[0]?;
                Some(Role::Joint(name.side?, joint))
            }
        }
    }

    #[test]
    fn names_of_this_library_parse_back() {
        let states = Side::BOTH.map(|side| [Role::Tracked(side), Role::Pinching(side)]);
        let joints = Side::BOTH
            .into_iter()
            .flat_map(|side| Joint::ALL.map(|joint| Role::Joint(side, joint)));
        let all = [Role::Head, Role::Gaze, Role::Direction].into_iter();
        for role in all.chain(states.into_iter().flatten()).chain(joints) {
            for &names in NodeNames::ALL {
                assert_eq!(of(&names.of(role)), Some(role));
            }
        }
        for &names in NodeNames::ALL {
            assert_eq!(names.name().parse(), Ok(names));
            for side in Side::BOTH {
                let joints = names.joints(side).unwrap_or_default();
                for name in [names.hand(side), names.mesh(side), joints] {
                    assert_eq!(of(&name), None, "{name}");
                }
            }
        }
        assert_eq!(of("Camera.View"), None);
    }

    #[test]
    fn names_of_other_systems_are_known() {
        let left = |joint| Some(Role::Joint(Side::Left, joint));
        for name in [
            "left.IndexTip",
            "Left_indextip",
            "L_IndexTip",
            "Hand.Left.Joint.IndexTip",
            "XR_HAND_JOINT_INDEX_TIP_EXT_L",
            "index-finger-tip.left",
            "LeftHandIndexTip",
            "left.joint11",
            "left.IndexTip.001",
        ] {
            assert_eq!(of(name), left(Joint::IndexTip), "{name}");
        }
        assert_eq!(of("Main Camera"), Some(Role::Head));
    }

    #[test]
    fn other_names_have_no_role() {
        for name in [
            "",
            "IndexTip",
            "left",
            "Hand.Left",
            "Hand.Left.001",
            "left.joint27",
            "left.Thumb",
            "camera.left",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
