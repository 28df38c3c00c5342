//! The parts of a state.

use inputanim::{CurvePath, Element, Joint, PoseChannel, RayChannel, Recording, Side};

use super::LeRobotError;
use crate::shared::{Note, NoteKind};
use crate::table::frames::Columns;

/// The parts of the states of a dataset, which are the same for all of its episodes. The stream
/// [`None`](inputanim::Joint::None) of a hand is not a joint, so it is never a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// The poses, rays and states, in the order of wide tables.
    pub(super) elements: Vec<Element>,
    names: Vec<String>,
    /// The parts whose validity is stated: `head`, `left`, `right` and `gaze`, as far as they are in the states.
    parts: Vec<&'static str>,
}

impl Features {
    /// Returns the parts of the states: all numbers of `columns`, without the streams, joints and states for which `keep`
    /// returns `false`. `columns` are the columns of all recordings together, as [`Columns::add_known`] unites them.
    ///
    /// # Errors
    /// When no part remains.
    pub fn new(
        columns: &Columns,
        keep: impl Fn(Element) -> bool,
    ) -> Result<Features, LeRobotError> {
        let paths = columns.paths().into_iter();
        let keep = |&path: &CurvePath| {
            let element = Element::from(path);
            // `Joint::None` is a stream of the file, but no joint of a hand.
            !matches!(element, Element::Joint(_, Joint::None)) && keep(element)
        };
        let paths: Vec<CurvePath> = paths.filter(keep).collect();
        let mut elements: Vec<Element> = paths.iter().copied().map(Element::from).collect();
        elements.dedup();
        if elements.is_empty() {
            return Err(LeRobotError::NoFeatures);
        }
        let mut parts: Vec<&str> = elements.iter().copied().map(part_of).collect();
        parts.dedup();
        parts.sort_unstable_by_key(|part| PARTS.iter().position(|other| other == part));
        parts.dedup();
        Ok(Features {
            elements,
            parts,
            names: paths.iter().map(CurvePath::to_string).collect(),
        })
    }

    /// Returns one name for each number of a state, such as `head.position.x`, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names of the parts whose validity is stated: `head`, `left`, `right` and `gaze`, as far as the states
    /// have an element of them.
    pub fn parts(&self) -> &[&'static str] {
        &self.parts
    }

    /// Returns the index of the part of an element.
    pub(super) fn part(&self, element: Element) -> usize {
        let part = part_of(element);
        let mut parts = self.parts.iter();
        parts.position(|other| *other == part).unwrap_or_default()
    }

    /// Returns a note for each hand whose pinches `recording` has and `keep` selects, but whose states lack them, because other
    /// recordings of the dataset have none.
    pub fn left_out(&self, recording: &Recording<'_>, keep: impl Fn(Element) -> bool) -> Vec<Note> {
        let is_left_out = |side: &Side| {
            let pinching = Element::Pinching(*side);
            let mut elements = self.elements.iter();
            let is_part = elements.any(|element| element.side() == Some(*side));
            let hands = recording.hands.as_ref();
            let is_recorded =
                hands.is_some_and(|hands| !hands.hand(*side).pinching.keys.is_empty());
            is_part && is_recorded && keep(pinching) && !self.elements.contains(&pinching)
        };
        let hands = Side::BOTH.into_iter().filter(is_left_out);
        let note = |side| {
            let message =
                format!("{side} hand: pinches dropped, because other recordings have none");
            Note::new(NoteKind::NotInFormat, message)
        };
        hands.map(note).collect()
    }

    /// Returns the hands that are part of the states, but are missing in a recording with these `columns`. In the
    /// episodes of such a recording, the joints of the hand are the identity, and its states are 0.
    pub fn missing_hands(&self, columns: &Columns) -> Vec<Side> {
        let is_part = |side| {
            let mut elements = self.elements.iter();
            elements.any(|element| element.side() == Some(side))
        };
        let hands = Side::BOTH.into_iter().zip(&columns.hands);
        let missing = hands.filter(|&(side, joints)| joints.is_none() && is_part(side));
        missing.map(|(side, _)| side).collect()
    }

    /// Returns the length of a state: the number of floats for one frame.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }
}

/// All parts, in order.
const PARTS: [&str; 4] = ["head", "left", "right", "gaze"];

/// Returns the part of an element: `head`, `gaze` or the name of its hand.
fn part_of(element: Element) -> &'static str {
    match element {
        Element::Head => "head",
        Element::Gaze => "gaze",
        Element::Tracked(side) | Element::Pinching(side) | Element::Joint(side, _) => side.name(),
    }
}

/// Returns the number of floats that an element has in a state: 7 for a pose, 6 for the gaze, 1 for a state of a hand.
pub(super) const fn width_of(element: Element) -> usize {
    match element {
        Element::Head | Element::Joint(..) => PoseChannel::ALL.len(),
        Element::Gaze => RayChannel::ALL.len(),
        Element::Tracked(_) | Element::Pinching(_) => 1,
    }
}
