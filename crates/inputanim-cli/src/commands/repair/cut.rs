//! Cutting off the end, in which some streams hold their last pose.

use inputanim::doctor::{self, Code};
use inputanim::info::Info;
use inputanim::repair::{CurveRepair, RepairReport};
use inputanim::{Recording, TimeRange, edit};
use serde::Serialize;

use crate::messages::outcome::Refusal;

/// The end that was cut off.
#[derive(Serialize)]
pub(super) struct Cut {
    pub(super) start: f32,
    pub(super) end: f32,
    /// The number of markers in it.
    pub(super) markers: usize,
}

/// Cuts off the end of a repaired recording, in which some streams only hold their last pose, and updates its report.
/// Returns the part that was cut off; `None` if there is none. Fails if nothing would remain.
pub(super) fn trim_frozen(
    recording: &mut Recording<'_>,
    report: &mut RepairReport,
) -> anyhow::Result<Option<Cut>> {
    let info = Info::of(recording);
    let (Some(end), Some(range)) = (info.shared_end(), info.time_range) else {
        return Ok(None);
    };
    // Playback starts at t = 0 (docs/format.md 5.1), so a recording that ends before it shows
    // nothing.
    if end <= range.start.max(0.0) {
        let findings = doctor::findings_with(recording, &info).into_iter();
        let tails = findings.filter(|finding| finding.code == Code::TailLost);
        let details: Vec<String> = tails.map(|finding| finding.detail).collect();
        return Err(Refusal::failure(
            format!(
                "the trimmed recording would be empty: {}",
                details.join("; ")
            ),
            "repair it without --trim-frozen, or remove the stream with `select --exclude`",
        ));
    }
    let markers = recording.markers.len();
    // Only the end is cut off. Keys before t = 0 stay.
    let start = f32::NEG_INFINITY;
    edit::trim(recording, TimeRange { start, end })?;
    for repaired in &mut report.repaired {
        drop_uncertain_after(end, repaired, recording);
    }
    // An interpolated rotation is shorter than 1, and so is the new last key; repair normalises it.
    let again = recording.repair();
    report.repaired.extend(again.repaired);
    report.remaining = again.remaining;
    Ok(Some(Cut {
        start: end,
        end: range.end,
        markers: markers - recording.markers.len(),
    }))
}

/// Removes the uncertain times of a repaired curve after `end`, in seconds, and counts its uncertain keys again.
/// `recording` is the trimmed recording.
fn drop_uncertain_after(end: f32, repaired: &mut CurveRepair, recording: &Recording<'_>) {
    repaired.uncertain.retain(|range| range.start <= end);
    for range in &mut repaired.uncertain {
        range.end = range.end.min(end);
    }
    let is_uncertain = |time: f32| {
        let mut ranges = repaired.uncertain.iter();
        ranges.any(|range| range.start <= time && time <= range.end)
    };
    repaired.uncertain_keys = match repaired.curve.and_then(|path| recording.curve(path)) {
        Some(curve) => curve.points().filter(|point| is_uncertain(point.0)).count(),
        None => 0,
    };
}
