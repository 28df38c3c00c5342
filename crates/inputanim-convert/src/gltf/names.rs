//! The names of nodes: what they are called, and what a name means.

use std::fmt;
use std::str::FromStr;

use inputanim::{Joint, Side};

/// How nodes are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeNames {
    /// As curves are: `left.IndexTip`, `left.tracked`, `head`, `gaze`.
    #[default]
    Inputanim,
    /// As the glTF exporter that was proposed for MRTK has them: `Hand.Left.Joint.IndexTip`,
    /// `Hand.Left.Tracking`, `Camera`.
    Mrtk,
}

impl NodeNames {
    /// Every way.
    pub const ALL: [NodeNames; 2] = [NodeNames::Inputanim, NodeNames::Mrtk];

    /// `inputanim` or `mrtk`.
    pub const fn name(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "inputanim",
            NodeNames::Mrtk => "mrtk",
        }
    }
}

impl fmt::Display for NodeNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is no way to name nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to name nodes: expected inputanim or mrtk")]
pub struct UnknownNodeNames(String);

impl FromStr for NodeNames {
    type Err = UnknownNodeNames;

    fn from_str(text: &str) -> Result<NodeNames, UnknownNodeNames> {
        let mut all = NodeNames::ALL.into_iter();
        let found = all.find(|names| names.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownNodeNames(text.to_owned()))
    }
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Head,
    Joint(Side, Joint),
    Tracked(Side),
    Pinching(Side),
    /// Where the eyes are; its +Z is where they look.
    Gaze,
    /// A vector, and not a place.
    Direction,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&NodeNames::Inputanim.of(*self))
    }
}

impl NodeNames {
    /// The name of what a node stands for.
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

    /// The name of the node of a whole hand.
    pub(super) fn hand(self, side: Side) -> String {
        match (self, side) {
            (NodeNames::Inputanim, side) => side.to_string(),
            (NodeNames::Mrtk, Side::Left) => "Hand.Left".to_owned(),
            (NodeNames::Mrtk, Side::Right) => "Hand.Right".to_owned(),
        }
    }

    /// The name of a node of their own for the joints of a hand.
    pub(super) fn joints(self, side: Side) -> Option<String> {
        match self {
            NodeNames::Inputanim => None,
            NodeNames::Mrtk => Some(format!("{}.Joints", self.hand(side))),
        }
    }

    /// The name of the node with the mesh of a hand.
    pub(super) fn mesh(self, side: Side) -> String {
        match self {
            NodeNames::Inputanim => format!("{side}.mesh"),
            NodeNames::Mrtk => format!("{}.Mesh", self.hand(side)),
        }
    }

    /// The name of the node with the camera.
    pub(super) const fn camera(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "camera",
            NodeNames::Mrtk => "Camera.View",
        }
    }

    /// The name of the node that moves from marker to marker.
    pub(super) const fn markers(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "markers",
            NodeNames::Mrtk => "Markers",
        }
    }

    /// The name of the animation.
    pub(super) const fn animation(self) -> &'static str {
        match self {
            NodeNames::Inputanim => "take",
            NodeNames::Mrtk => "InputAction",
        }
    }
}

/// What a node stands for by its name and, where that says no hand, by the names of the nodes
/// above it, the nearest first. docs/convert.md has the rules.
pub(super) fn role<'n>(name: &str, above: impl Iterator<Item = &'n str>) -> Option<Role> {
    let words = words(name);
    let all: Vec<&str> = words.iter().map(String::as_str).collect();
    match all[..] {
        ["head" | "camera"] | ["main", "camera"] => return Some(Role::Head),
        ["gaze"] => return Some(Role::Gaze),
        ["gaze", "direction"] => return Some(Role::Direction),
        _ => {}
    }
    let says_something = |word: &&str| side(word).is_none() && !FILLERS.contains(word);
    let rest: Vec<&str> = all.into_iter().filter(says_something).collect();
    let side = || {
        let of_node = side_of(&words);
        of_node.or_else(|| {
            above
                .into_iter()
                .find_map(|name| side_of(&self::words(name)))
        })
    };
    match rest[..] {
        ["tracked" | "tracking"] => side().map(Role::Tracked),
        ["pinching"] => side().map(Role::Pinching),
        _ => {
            let joint = joint(&rest.concat())?;
            Some(Role::Joint(side()?, joint))
        }
    }
}

/// Words that do not tell one joint from another.
const FILLERS: [&str; 6] = ["hand", "joint", "finger", "phalanx", "xr", "ext"];

/// The words of a name in small letters. A word ends at any character that is no letter or digit,
/// and before a capital letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
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

fn side(word: &str) -> Option<Side> {
    match word {
        "left" | "l" => Some(Side::Left),
        "right" | "r" => Some(Side::Right),
        _ => None,
    }
}

fn side_of(words: &[String]) -> Option<Side> {
    words.iter().find_map(|word| side(word))
}

/// A joint by its name in MRTK, OpenXR or WebXR without [`FILLERS`] and what is between words, or
/// by its number in a file.
fn joint(name: &str) -> Option<Joint> {
    let name = name.replace("little", "pinky");
    let numbered = || {
        let number = name.strip_prefix("joint")?.parse().ok()?;
        Joint::from_index(number)
    };
    let mut all = Joint::ALL.into_iter();
    let found = all.find(|&joint| name == mrtk_name(joint) || name == openxr_name(joint));
    found.or_else(numbered)
}

/// `indexmiddle` for `IndexMiddleJoint`.
fn mrtk_name(joint: Joint) -> String {
    joint.name().to_lowercase().replace("joint", "")
}

/// `indexintermediate` for the same.
fn openxr_name(joint: Joint) -> String {
    let name = mrtk_name(joint);
    match name.strip_suffix("middle") {
        Some(finger) => format!("{finger}intermediate"),
        None => name.replace("knuckle", "proximal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<Role> {
        role(name, std::iter::empty())
    }

    #[test]
    fn our_own_names_mean_what_they_name() {
        let states = Side::BOTH.map(|side| [Role::Tracked(side), Role::Pinching(side)]);
        let joints = Side::BOTH
            .into_iter()
            .flat_map(|side| Joint::ALL.map(|joint| Role::Joint(side, joint)));
        let all = [Role::Head, Role::Gaze, Role::Direction].into_iter();
        for role in all.chain(states.into_iter().flatten()).chain(joints) {
            for names in NodeNames::ALL {
                assert_eq!(of(&names.of(role)), Some(role));
            }
        }
        for names in NodeNames::ALL {
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
    fn other_systems_have_other_names() {
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
        ] {
            assert_eq!(of(name), left(Joint::IndexTip), "{name}");
        }
        let above = || ["Armature", "hand_l", "Right"].into_iter();
        for (name, joint) in [
            ("wrist", Joint::Wrist),
            ("pinky-finger-phalanx-proximal", Joint::PinkyKnuckle),
            (
                "middle-finger-phalanx-intermediate",
                Joint::MiddleMiddleJoint,
            ),
            ("LittleDistal", Joint::PinkyDistalJoint),
            ("thumb-phalanx-proximal", Joint::ThumbProximalJoint),
            ("IndexKnuckle", Joint::IndexKnuckle),
        ] {
            assert_eq!(role(name, above()), left(joint), "{name}");
        }
        assert_eq!(of("Main Camera"), Some(Role::Head));
    }

    #[test]
    fn what_names_no_joint_of_a_hand_means_nothing() {
        for name in [
            "",
            "IndexTip",
            "left",
            "Hand.Left",
            "Hand.Left.001",
            "left.joint27",
            "left.Thumb",
            "camera.left",
            "left.IndexTip.001",
            "LeftHandIndex1",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
