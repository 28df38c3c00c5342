//! The elements of a recording: poses, rays and states.

use std::fmt;

use crate::device::{DeviceName, InputName, PROFILE, PoseName, from_dots};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, Stream};

/// A pose, a ray or a state of a recording: several curves with one meaning.
///
/// ```
/// use inputanim::{Element, Joint, Side};
/// let tip = Element::Joint(Side::Left, Joint::IndexTip);
/// assert_eq!(tip.to_string(), "left.IndexTip");
/// assert_eq!(Element::all().count(), 60);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// The pose of the head.
    Head,
    /// The state of a hand: tracked or not.
    Tracked(Side),
    /// The state of a hand: pinching or not.
    Pinching(Side),
    /// The pose of a joint.
    Joint(Side, Joint),
    /// The gaze ray of the eyes.
    Gaze,
    /// The profile of a device, which says whether the device is active: `right.controller.profile`.
    Profile(DeviceName),
    /// A pose of a device: `right.controller.aim`.
    DevicePose(DeviceName, PoseName),
    /// An input of a device: `right.controller.trigger.value`.
    Input(DeviceName, InputName),
}

impl Element {
    /// Returns all 60 elements of a file of MRTK, which are all but those of devices, in this order: the head; the tracking state, the pinch state and the 27 joints of the
    /// left hand; those of the right hand; the gaze.
    pub fn all() -> impl Iterator<Item = Element> {
        // The elements of a hand are listed together, unlike in a file, where states come first.
        let hand = |side| {
            let joints = Joint::ALL.map(|joint| Element::Joint(side, joint));
            [Element::Tracked(side), Element::Pinching(side)]
                .into_iter()
                .chain(joints)
        };
        let hands = Side::BOTH.into_iter().flat_map(hand);
        std::iter::once(Element::Head)
            .chain(hands)
            .chain([Element::Gaze])
    }

    /// Returns the device that the element belongs to; `None` for head, hands and gaze.
    pub const fn device(self) -> Option<DeviceName> {
        match self {
            Element::Profile(device)
            | Element::DevicePose(device, _)
            | Element::Input(device, _) => Some(device),
            _ => None,
        }
    }

    /// Returns the element that says whether this one is known at all: the tracking of its hand, or the profile of its device.
    /// `None` for head and gaze.
    pub(crate) const fn whole(self) -> Option<Element> {
        match self {
            Element::Tracked(side) | Element::Pinching(side) | Element::Joint(side, _) => {
                Some(Element::Tracked(side))
            }
            Element::Profile(device)
            | Element::DevicePose(device, _)
            | Element::Input(device, _) => Some(Element::Profile(device)),
            Element::Head | Element::Gaze => None,
        }
    }

    /// Returns the hand that the element belongs to; `None` for head, gaze and devices.
    pub const fn side(self) -> Option<Side> {
        match self {
            Element::Tracked(side) | Element::Pinching(side) | Element::Joint(side, _) => {
                Some(side)
            }
            _ => None,
        }
    }

    /// Returns the stream that the element belongs to.
    pub const fn stream(self) -> Stream {
        match self {
            Element::Head => Stream::Head,
            Element::Tracked(side) => Stream::Tracked(side),
            Element::Pinching(side) => Stream::Pinching(side),
            Element::Joint(side, _) => Stream::Joints(side),
            Element::Gaze => Stream::Gaze,
            Element::Profile(device)
            | Element::DevicePose(device, _)
            | Element::Input(device, _) => Stream::Device(device),
        }
    }
}

impl Element {
    /// Returns the element of a device that has a name, such as `right.controller.aim`.
    pub(crate) fn of_device(name: &str) -> Option<Element> {
        let (device, rest) = DeviceName::split(name)?;
        if rest == PROFILE {
            return Some(Element::Profile(device));
        }
        let pose = from_dots(rest);
        let pose = pose.map(|pose| Element::DevicePose(device, pose));
        pose.or_else(|| Some(Element::Input(device, from_dots(rest)?)))
    }
}

impl From<CurvePath> for Element {
    fn from(path: CurvePath) -> Element {
        match path {
            CurvePath::Head(_) => Element::Head,
            CurvePath::Tracked(side) => Element::Tracked(side),
            CurvePath::Pinching(side) => Element::Pinching(side),
            CurvePath::Joint(side, joint, _) => Element::Joint(side, joint),
            CurvePath::Gaze(_) => Element::Gaze,
            CurvePath::DevicePose(device, pose, _) => Element::DevicePose(device, pose),
            CurvePath::Input(device, input) => Element::Input(device, input),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Head => f.pad("head"),
            Element::Tracked(side) => write!(f, "{side}.tracked"),
            Element::Pinching(side) => write!(f, "{side}.pinching"),
            Element::Joint(side, joint) => write!(f, "{side}.{joint}"),
            Element::Gaze => f.pad("gaze"),
            Element::Profile(device) => write!(f, "{device}.{}", PROFILE),
            Element::DevicePose(device, pose) => write!(f, "{device}.{pose}"),
            Element::Input(device, input) => write!(f, "{device}.{input}"),
        }
    }
}
