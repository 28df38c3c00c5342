//! The names of nodes and their meanings.

use std::fmt;

use inputanim::{Joint, Side};

use crate::shared::NodeNames;

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

/// Returns the role that a node has by its name, or `None` if the name has no known meaning. If the name of a joint or
/// state contains no side, the names of the ancestors decide, which `above` lists from the nearest. docs/convert.md
/// describes the rules.
pub(super) fn role<'n>(name: &str, above: impl Iterator<Item = &'n str>) -> Option<Role> {
    // Exporters change separators and case, so names are compared word by word.
    let words = words(name);
    let all: Vec<&str> = words.iter().map(String::as_str).collect();
    match all[..] {
        // The head and the gaze have no side, so they are compared before any word is removed.
        ["head" | "camera"] | ["main", "camera"] => return Some(Role::Head),
        ["gaze"] => return Some(Role::Gaze),
        ["gaze", "direction"] => return Some(Role::Direction),
        _ => {}
    }
    let is_significant = |word: &&str| side(word).is_none() && !FILLERS.contains(word);
    let rest: Vec<&str> = all.into_iter().filter(is_significant).collect();
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

/// Words that do not distinguish joints.
const FILLERS: [&str; 6] = ["hand", "joint", "finger", "phalanx", "xr", "ext"];

/// Splits a name into words in lower case. A word ends between a small and a capital letter, and at any character that
/// is not a letter or digit.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        // `IndexTip` is two words, but `XR` is one.
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

/// Returns the joint with a name of MRTK, OpenXR or WebXR, in lower case, without [`FILLERS`] and separators. Also
/// accepts the index of a joint in a recording, such as `joint5`. Returns `None` for an unknown name.
fn joint(name: &str) -> Option<Joint> {
    // OpenXR calls the finger little, MRTK calls it pinky.
    let name = name.replace("little", "pinky");
    let numbered = || {
        let number = name.strip_prefix("joint")?.parse().ok()?;
        Joint::from_index(number)
    };
    let mut all = Joint::ALL.into_iter();
    let found = all.find(|&joint| name == mrtk_name(joint) || name == openxr_name(joint));
    found.or_else(numbered)
}

/// Returns the name of a joint in MRTK, in lower case and without `joint`: `indexmiddle` for `IndexMiddleJoint`.
fn mrtk_name(joint: Joint) -> String {
    joint.name().to_lowercase().replace("joint", "")
}

/// Returns the name of a joint in OpenXR, in lower case and without separators: `indexintermediate` for
/// `IndexMiddleJoint`. The little finger is called `pinky`.
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
            "left.IndexTip.001",
            "LeftHandIndex1",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
