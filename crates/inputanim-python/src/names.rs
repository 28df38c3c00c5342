//! Names of layouts, spaces, joints, streams and curves.

use inputanim::{Element, Flags, Joint, Layout, Recording, Space};
use pyo3::prelude::*;

use crate::failure::Failure;

/// Returns the names of all layouts.
#[pyfunction]
pub(crate) fn layouts() -> Vec<&'static str> {
    Layout::ALL.iter().map(|layout| layout.name()).collect()
}

/// Returns the names of all spaces.
#[pyfunction]
pub(crate) fn spaces() -> Vec<&'static str> {
    Space::ALL.iter().map(|space| space.name()).collect()
}

/// Returns the names of the 27 joints in file order.
#[pyfunction]
pub(crate) fn joint_names() -> Vec<&'static str> {
    Joint::ALL.iter().map(|joint| joint.name()).collect()
}

/// Returns the names of the curves of a file with the given streams, in file order.
#[pyfunction]
pub(crate) fn curve_names(camera: bool, hand: bool, gaze: bool) -> Vec<String> {
    let flags = Flags { camera, hand, gaze };
    let recording = Recording::with_streams(Layout::Mrtk1_1, flags);
    recording
        .curves()
        .map(|(path, _)| path.to_string())
        .collect()
}

pub(crate) fn layout(name: &str) -> Result<Layout, Failure> {
    name.parse()
        .map_err(|error| Failure::of("InvalidArgument", &error))
}

pub(crate) fn space(name: &str) -> Result<Space, Failure> {
    name.parse()
        .map_err(|error| Failure::of("InvalidArgument", &error))
}

/// Streams and joints that names select: `camera`, `left`, `left.Palm`.
pub(crate) struct Choice {
    /// `None` selects everything.
    joints: Option<Vec<Element>>,
    exclude: Vec<Element>,
}

impl Choice {
    /// Selects everything if `joints` has no names.
    pub(crate) fn new(joints: &[String], exclude: &[String]) -> Result<Choice, Failure> {
        let all = |names: &[String]| -> Result<Vec<Element>, Failure> {
            let found: Result<Vec<_>, _> = names.iter().map(|name| elements(name)).collect();
            Ok(found?.concat())
        };
        Ok(Choice {
            joints: if joints.is_empty() {
                None
            } else {
                Some(all(joints)?)
            },
            exclude: all(exclude)?,
        })
    }

    pub(crate) fn contains(&self, element: Element) -> bool {
        let is_joint = self
            .joints
            .as_ref()
            .is_none_or(|all| all.contains(&element));
        is_joint && !self.exclude.contains(&element)
    }

    /// Joints are shown only while their hand is tracked, so they keep its states.
    pub(crate) fn keeps(&self, element: Element) -> bool {
        match (element, &self.joints) {
            (Element::Tracked(side) | Element::Pinching(side), Some(joints)) => {
                let has_hand = joints.iter().any(|joint| joint.side() == Some(side));
                has_hand && !self.exclude.contains(&element)
            }
            _ => self.contains(element),
        }
    }
}

/// Returns the elements of a name: `left` selects everything of the left hand.
fn elements(name: &str) -> Result<Vec<Element>, Failure> {
    let is_named = |element: &Element| {
        let text = element.to_string();
        let rest = text.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let found: Vec<Element> = Element::all().filter(is_named).collect();
    if found.is_empty() {
        return Err(
            Failure::invalid(format!("unknown stream or joint \"{name}\"")).with_hint(
                "names are camera, gaze, left, right, left.tracked, left.Palm and so on",
            ),
        );
    }
    Ok(found)
}
