//! The elements of a recording: poses, rays and states.

use std::fmt;

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
}

impl Element {
    /// Returns all 60 elements in this order: the head; the tracking state, the pinch state and the 27 joints of the
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

    /// Returns the hand that the element belongs to; `None` for head and gaze.
    pub const fn side(self) -> Option<Side> {
        match self {
            Element::Tracked(side) | Element::Pinching(side) | Element::Joint(side, _) => {
                Some(side)
            }
            Element::Head | Element::Gaze => None,
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
        }
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
        }
    }
}
