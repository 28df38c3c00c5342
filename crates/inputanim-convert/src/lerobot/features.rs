//! The parts of a state.

use inputanim::{CurvePath, Element, PoseChannel, RayChannel};

use super::LeRobotError;
use crate::frames::Columns;

/// The parts of the states of a dataset, which are the same for all of its episodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// The poses, rays and states, in the order of wide tables.
    pub(super) elements: Vec<Element>,
    names: Vec<String>,
}

impl Features {
    /// Returns the parts for the columns of all recordings. `keep` selects streams, joints and states.
    ///
    /// # Errors
    /// When nothing is selected.
    pub fn new(
        columns: &Columns,
        keep: impl Fn(Element) -> bool,
    ) -> Result<Features, LeRobotError> {
        let paths = columns.paths().into_iter();
        let paths: Vec<CurvePath> = paths.filter(|&path| keep(path.into())).collect();
        let mut elements: Vec<Element> = paths.iter().copied().map(Element::from).collect();
        elements.dedup();
        if elements.is_empty() {
            return Err(LeRobotError::NoFeatures);
        }
        Ok(Features {
            elements,
            names: paths.iter().map(CurvePath::to_string).collect(),
        })
    }

    /// Returns the names of the parts, such as `head.position.x`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of numbers of a state.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }
}

/// Returns the number of numbers of an element.
pub(super) const fn width_of(element: Element) -> usize {
    match element {
        Element::Head | Element::Joint(..) => PoseChannel::ALL.len(),
        Element::Gaze => RayChannel::ALL.len(),
        Element::Tracked(_) | Element::Pinching(_) => 1,
    }
}
