//! The joints of a hand, their order in a file and their names.
//!
//! Specification: docs/format.md, sections 2.3 and 4.3.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

/// The side of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The left hand: first in a file.
    Left,
    /// The right hand.
    Right,
}

impl Side {
    /// Both sides in file order.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// Returns `left` or `right`, the first part of curve names.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    /// Returns the other side.
    pub const fn opposite(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// A string that is not the name of a side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown hand \"{0}\"; expected left or right")]
pub struct UnknownSide(String);

impl FromStr for Side {
    type Err = UnknownSide;

    fn from_str(text: &str) -> Result<Side, UnknownSide> {
        let mut sides = Side::BOTH.into_iter();
        let side = sides.find(|side| side.name() == text);
        side.ok_or_else(|| UnknownSide(text.to_owned()))
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! joints {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// A hand joint, in file order (docs/format.md, section 4.3).
        ///
        /// The names come from MRTK (`TrackedHandJoint`). `None` is an entry of the file and not a joint: it has no
        /// keys in recordings of a device, and a position in recordings of the simulated hands of the Unity editor.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Joint { $($(#[$doc])* $name),* }

        impl Joint {
            /// Every joint in file order.
            pub const ALL: [Joint; 27] = [$(Joint::$name),*];

            /// Returns the name of the joint in MRTK, such as `IndexTip`. Names of curves contain it.
            pub const fn name(self) -> &'static str {
                match self { $(Joint::$name => stringify!($name)),* }
            }
        }
    };
}

joints! {
    /// Entry 0, which is not a joint.
    None,
    /// Wrist.
    Wrist,
    /// Centre of the palm.
    Palm,
    /// Base of the thumb.
    ThumbMetacarpalJoint,
    /// Middle of the thumb.
    ThumbProximalJoint,
    /// Last knuckle of the thumb.
    ThumbDistalJoint,
    /// Tip of the thumb.
    ThumbTip,
    /// Index finger, base at the wrist.
    IndexMetacarpal,
    /// Index finger, knuckle.
    IndexKnuckle,
    /// Index finger, middle joint.
    IndexMiddleJoint,
    /// Index finger, last joint.
    IndexDistalJoint,
    /// Index finger, tip.
    IndexTip,
    /// Middle finger, base at the wrist.
    MiddleMetacarpal,
    /// Middle finger, knuckle.
    MiddleKnuckle,
    /// Middle finger, middle joint.
    MiddleMiddleJoint,
    /// Middle finger, last joint.
    MiddleDistalJoint,
    /// Middle finger, tip.
    MiddleTip,
    /// Ring finger, base at the wrist.
    RingMetacarpal,
    /// Ring finger, knuckle.
    RingKnuckle,
    /// Ring finger, middle joint.
    RingMiddleJoint,
    /// Ring finger, last joint.
    RingDistalJoint,
    /// Ring finger, tip.
    RingTip,
    /// Little finger, base at the wrist.
    PinkyMetacarpal,
    /// Little finger, knuckle.
    PinkyKnuckle,
    /// Little finger, middle joint.
    PinkyMiddleJoint,
    /// Little finger, last joint.
    PinkyDistalJoint,
    /// Little finger, tip.
    PinkyTip,
}

impl Joint {
    /// Returns the index of the joint in a file, 0 to 26.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the joint with an index in a file, 0 to 26; `None` for a larger index.
    pub fn from_index(index: usize) -> Option<Joint> {
        Joint::ALL.get(index).copied()
    }
}

/// Indices in other systems, and the hierarchy of the hand.
impl Joint {
    /// The 26 joints in the order of OpenXR's hand tracking (`XrHandJointEXT`): palm, wrist, then the
    /// order of [`Joint::ALL`] (docs/format.md, section 4.3).
    pub const OPENXR: [Joint; 26] = {
        let mut joints = [Joint::Palm; 26];
        let mut index = 1;
        // A `for` loop is not allowed in a constant.
        while index < joints.len() {
            joints[index] = Joint::ALL[index + 1];
            index += 1;
        }
        joints[1] = Joint::Wrist;
        joints
    };

    /// The 25 joints in the order of WebXR's hand input: wrist, no palm, then the order of
    /// [`Joint::ALL`] (docs/format.md, section 4.3).
    pub const WEBXR: [Joint; 25] = {
        let mut joints = [Joint::Wrist; 25];
        let mut index = 1;
        while index < joints.len() {
            joints[index] = Joint::ALL[index + 2];
            index += 1;
        }
        joints
    };

    /// Returns the index of the joint in OpenXR (`XrHandJointEXT`); `None` for [`Joint::None`], which OpenXR does not
    /// have.
    pub const fn openxr_index(self) -> Option<usize> {
        match self {
            Joint::None => None,
            Joint::Palm => Some(0),
            Joint::Wrist => Some(1),
            other => Some(other.index() - 1),
        }
    }

    /// Returns the index of the joint in WebXR; `None` for [`Joint::None`] and the palm, which WebXR does not have.
    pub const fn webxr_index(self) -> Option<usize> {
        match self {
            Joint::None | Joint::Palm => None,
            Joint::Wrist => Some(0),
            other => Some(other.index() - 2),
        }
    }

    /// The joints of each finger from the wrist to the tip, from the thumb to the little finger. The thumb has four
    /// joints, and the other fingers have five.
    pub const FINGERS: [&'static [Joint]; 5] = {
        const ALL: &[Joint] = &Joint::ALL;
        let (_, rest) = ALL.split_at(Joint::ThumbMetacarpalJoint.index());
        let (thumb, rest) = rest.split_at(4);
        let (index, rest) = rest.split_at(5);
        let (middle, rest) = rest.split_at(5);
        let (ring, pinky) = rest.split_at(5);
        [thumb, index, middle, ring, pinky]
    };

    /// Returns `true` for the tip of a finger.
    pub fn is_tip(self) -> bool {
        Joint::FINGERS
            .iter()
            .any(|finger| finger.ends_with(&[self]))
    }

    /// Returns the parent in the hierarchy of the hand. The wrist is the root, the parent of the palm
    /// and of the first joint of each finger. The wrist and [`Joint::None`] have no parent.
    ///
    /// ```
    /// use inputanim::Joint;
    /// assert_eq!(Joint::IndexTip.parent(), Some(Joint::IndexDistalJoint));
    /// assert_eq!(Joint::IndexMetacarpal.parent(), Some(Joint::Wrist));
    /// ```
    pub const fn parent(self) -> Option<Joint> {
        match self {
            Joint::None | Joint::Wrist => None,
            Joint::Palm
            | Joint::ThumbMetacarpalJoint
            | Joint::IndexMetacarpal
            | Joint::MiddleMetacarpal
            | Joint::RingMetacarpal
            | Joint::PinkyMetacarpal => Some(Joint::Wrist),
            // Within a finger, each joint follows its parent in the file order.
            other => Some(Joint::ALL[other.index() - 1]),
        }
    }
}

impl fmt::Display for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A string that is not the name of a joint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown joint \"{0}\"; expected a name such as `IndexTip` or a number such as `joint11`")]
pub struct UnknownJoint(pub(crate) String);

impl FromStr for Joint {
    type Err = UnknownJoint;

    /// Parses a name (`IndexTip`, ignoring case) or a number (`joint11`).
    fn from_str(text: &str) -> Result<Joint, UnknownJoint> {
        let numbered = || {
            let digits = text.strip_prefix("joint")?;
            Joint::from_index(digits.parse().ok()?)
        };
        Joint::ALL
            .into_iter()
            .find(|joint| joint.name().eq_ignore_ascii_case(text))
            .or_else(numbered)
            .ok_or_else(|| UnknownJoint(text.to_owned()))
    }
}

/// A value for each of the 27 joints of a hand, indexed by [`Joint`].
///
/// ```
/// use inputanim::{Joint, Joints};
/// let mut seen = Joints::<bool>::default();
/// seen[Joint::IndexTip] = true;
/// assert_eq!(seen.iter().filter(|(_, seen)| **seen).count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Joints<T>([T; 27]);

impl<T> Joints<T> {
    /// Returns the given values, in file order.
    pub(crate) const fn new(values: [T; 27]) -> Joints<T> {
        Joints(values)
    }

    /// Calls a function for each joint in file order, and returns the results.
    pub fn from_fn(mut value: impl FnMut(Joint) -> T) -> Joints<T> {
        Joints(std::array::from_fn(|index| value(Joint::ALL[index])))
    }

    /// Applies a function to the value of each joint in file order, and returns the results.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Joints<U> {
        Joints(self.0.map(change))
    }

    /// Returns each joint with its value, in file order.
    pub fn iter(&self) -> impl Iterator<Item = (Joint, &T)> {
        Joint::ALL.iter().copied().zip(&self.0)
    }

    /// Returns each joint with a mutable reference to its value, in file order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Joint, &mut T)> {
        Joint::ALL.iter().copied().zip(&mut self.0)
    }
}

impl<T: Default> Default for Joints<T> {
    fn default() -> Self {
        Joints::from_fn(|_| T::default())
    }
}

impl<T> Index<Joint> for Joints<T> {
    type Output = T;

    fn index(&self, joint: Joint) -> &T {
        &self.0[joint.index()]
    }
}

impl<T> IndexMut<Joint> for Joints<T> {
    fn index_mut(&mut self, joint: Joint) -> &mut T {
        &mut self.0[joint.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_is_found_by_its_name_and_by_its_number() {
        for joint in Joint::ALL {
            assert_eq!(joint.name().parse(), Ok(joint));
            assert_eq!(format!("joint{}", joint.index()).parse(), Ok(joint));
        }
        assert!("joint27".parse::<Joint>().is_err());
        assert!("Thumb".parse::<Joint>().is_err());
    }

    #[test]
    fn indices_in_other_systems_match_their_order() {
        for (index, joint) in Joint::OPENXR.into_iter().enumerate() {
            assert_eq!(joint.openxr_index(), Some(index));
        }
        for (index, joint) in Joint::WEBXR.into_iter().enumerate() {
            assert_eq!(joint.webxr_index(), Some(index));
        }
        let without = |index: fn(Joint) -> Option<usize>| -> Vec<Joint> {
            let joints = Joint::ALL.into_iter();
            joints.filter(|&joint| index(joint).is_none()).collect()
        };
        assert_eq!(without(Joint::openxr_index), [Joint::None]);
        assert_eq!(without(Joint::webxr_index), [Joint::None, Joint::Palm]);
        // The numbers that the two specifications give to the same finger tip.
        assert_eq!(Joint::OPENXR[10], Joint::IndexTip);
        assert_eq!(Joint::WEBXR[9], Joint::IndexTip);
        assert_eq!(Joint::OPENXR[25], Joint::PinkyTip);
        assert_eq!(Joint::WEBXR[24], Joint::PinkyTip);
    }

    #[test]
    fn the_wrist_is_the_root_of_every_joint() {
        for joint in &Joint::ALL[1..] {
            let ancestors = std::iter::successors(Some(*joint), |joint| joint.parent());
            assert_eq!(ancestors.last(), Some(Joint::Wrist));
            let tip = joint.name().ends_with("Tip");
            let is_parent = Joint::ALL
                .iter()
                .any(|other| other.parent() == Some(*joint));
            assert_eq!(is_parent, !tip && *joint != Joint::Palm, "{joint}");
        }
        assert_eq!(Joint::None.parent(), None);
    }

    #[test]
    fn wrist_comes_before_palm_and_the_index_tip_is_number_11() {
        assert_eq!(Joint::Wrist.index(), 1);
        assert_eq!(Joint::Palm.index(), 2);
        assert_eq!(Joint::IndexTip.index(), 11);
        assert_eq!(Joint::PinkyTip.index(), 26);
    }
}
