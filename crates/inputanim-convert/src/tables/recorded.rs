//! What of a recording a wide table has columns of.

use inputanim::{Joint, Recording, Side};

use crate::frames::Columns;

/// All that is recorded: poses that have a key, and of hands that are there also their states.
pub(super) fn columns(recording: &Recording<'_>) -> Columns {
    let hand = |side: Side| {
        let joints = &recording.hands.as_ref()?.hand(side).joints;
        let recorded = joints.iter().filter(|(_, pose)| !pose.is_empty());
        Some(recorded.map(|(joint, _)| joint).collect::<Vec<Joint>>())
    };
    Columns {
        marker: false,
        camera: recording
            .camera
            .as_ref()
            .is_some_and(|pose| !pose.is_empty()),
        hands: Side::BOTH.map(hand),
        gaze: recording.gaze.as_ref().is_some_and(|ray| !ray.is_empty()),
    }
}
