//! Findings in zeros that trackers write while they have lost an object (L27).

use super::code::Code;
use super::finding::{Finding, FindingBuilder};
use crate::edit::zero_runs;
use crate::element::Element;
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::recording::Recording;

/// The least number of zero samples of a run. A single one can be a position at the origin.
const MIN_SAMPLES: usize = 2;

/// Returns the finding of the runs of zeros that are known values.
pub(super) fn findings(recording: &Recording<'_>) -> Option<Finding> {
    let mut runs = FindingBuilder::default();
    for run in zero_runs(recording) {
        let is_known = [Some(run.element), run.element.whole()]
            .into_iter()
            .flatten()
            .all(|element| recording.known.is_known(element, run.samples.start));
        if run.count >= MIN_SAMPLES && is_known {
            runs.add_range(&paths(run.element), run.samples);
        }
    }
    runs.finish(Code::ZerosAmongValues, ["run", "runs"])
}

/// Returns the paths of the position of an element, or of the direction of the gaze.
fn paths(element: Element) -> [CurvePath; 3] {
    let position = [
        PoseChannel::PositionX,
        PoseChannel::PositionY,
        PoseChannel::PositionZ,
    ];
    match element {
        Element::Joint(side, joint) => {
            position.map(|channel| CurvePath::Joint(side, joint, channel))
        }
        Element::DevicePose(device, pose) => {
            position.map(|channel| CurvePath::DevicePose(device, pose, channel))
        }
        Element::Gaze => [
            RayChannel::DirectionX,
            RayChannel::DirectionY,
            RayChannel::DirectionZ,
        ]
        .map(CurvePath::Gaze),
        _ => position.map(CurvePath::Head),
    }
}
