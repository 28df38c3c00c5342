//! Names of layouts, spaces, joints, streams and curves.

use inputanim::names::ElementChoice;
use inputanim::{DeviceName, Flags, Joint, Layout, Recording, Side, Space};
use inputanim_convert::HandOrder;
use pyo3::prelude::*;

use crate::failure::Failure;

/// Returns the names of all layouts.
#[pyfunction]
pub(crate) fn layouts() -> Vec<&'static str> {
    Layout::ALL.iter().map(|layout| layout.name()).collect()
}

/// Returns the names of all coordinate spaces.
#[pyfunction]
pub(crate) fn spaces() -> Vec<&'static str> {
    Space::ALL.iter().map(|space| space.name()).collect()
}

/// Returns the name of a coordinate space in lower case; the given name may have upper case. Raises an exception if it
/// is unknown.
#[pyfunction]
pub(crate) fn space_name(name: &str) -> PyResult<&'static str> {
    Ok(space(name)?.name())
}

/// Returns `true` if a text is the name of a device, such as `right.controller` or `tracker.waist`.
#[pyfunction]
pub(crate) fn is_device_name(text: &str) -> bool {
    text.parse::<DeviceName>().is_ok()
}

/// Returns the names of the 27 joints in file order.
#[pyfunction]
pub(crate) fn joint_names() -> Vec<&'static str> {
    Joint::ALL.iter().map(|joint| joint.name()).collect()
}

/// Returns the names of the joints in the order of others, such as `mediapipe`.
#[pyfunction]
pub(crate) fn keypoint_joints(order: &str) -> PyResult<Vec<&'static str>> {
    let order: HandOrder = order
        .parse()
        .map_err(|error: inputanim::UnknownName| Failure::invalid(error.to_string()))?;
    let joints = order.joints().into_iter();
    Ok(joints.map(|joint| joint.name()).collect())
}

/// Returns the candidate that is most similar to a name; `None` if no candidate is similar.
#[pyfunction]
pub(crate) fn similar(text: &str, candidates: Vec<String>) -> Option<String> {
    inputanim::names::similar(text, candidates)
}

/// Returns the names of the curves of a file with the given streams, in file order.
#[pyfunction]
pub(crate) fn curve_names(head: bool, hand: bool, gaze: bool) -> Vec<String> {
    let flags = Flags { head, hand, gaze };
    let recording = Recording::with_streams(Layout::Mrtk1_1, flags);
    recording
        .curves()
        .map(|(path, _)| path.to_string())
        .collect()
}

pub(crate) fn layout(name: &str) -> Result<Layout, Failure> {
    Ok(name.parse::<Layout>()?)
}

pub(crate) fn space(name: &str) -> Result<Space, Failure> {
    Ok(name.parse::<Space>()?)
}

/// Returns the streams and joints that names select; everything if `joints` has no names.
pub(crate) fn choice(joints: &[String], exclude: &[String]) -> Result<ElementChoice, Failure> {
    Ok(ElementChoice::new(joints, exclude)?)
}

/// Parses the name of a hand: `left` or `right`.
pub(crate) fn side(name: &str) -> Result<Side, Failure> {
    name.parse()
        .map_err(|error| Failure::of("InvalidArgument", &error))
}
