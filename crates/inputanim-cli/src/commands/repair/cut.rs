//! Cutting off the end, where streams stand still.

use inputanim::doctor::{self, Code};
use inputanim::repair::{Mended, Report, repair, shared_end};
use inputanim::summary::Summary;
use inputanim::{Recording, Span, edit};
use serde::Serialize;

use crate::outcome::Refusal;

/// The end of a recording that is there no more.
#[derive(Serialize)]
pub(super) struct Cut {
    pub(super) start: f32,
    pub(super) end: f32,
    /// How many markers were in it.
    pub(super) markers: usize,
}

/// Ends a repaired recording where the first of its streams stands still.
pub(super) fn trim_frozen(
    recording: &mut Recording<'_>,
    report: &mut Report,
) -> anyhow::Result<Option<Cut>> {
    let summary = Summary::of(recording);
    let (Some(end), Some(range)) = (shared_end(&summary), summary.time_range) else {
        return Ok(None);
    };
    if end <= range.start.max(0.0) {
        let findings = doctor::examine_with(recording, &summary).into_iter();
        let tails = findings.filter(|finding| finding.code == Code::TailLost);
        let details: Vec<String> = tails.map(|finding| finding.detail).collect();
        return Err(Refusal::failure(
            format!("nothing would be left: {}", details.join("; ")),
            "repair it without --trim-frozen; `inputanim select --drop` leaves a stream out",
        ));
    }
    let markers = recording.markers.len();
    let start = f32::NEG_INFINITY;
    edit::trim(recording, Span { start, end })?;
    for mended in &mut report.mended {
        forget_beyond(end, mended, recording);
    }
    // Halfway between two keys a rotation is shorter, and so is a last key that is cut there.
    let again = repair(recording);
    report.mended.extend(again.mended);
    report.remaining = again.remaining;
    Ok(Some(Cut {
        start: end,
        end: range.end,
        markers: markers - recording.markers.len(),
    }))
}

/// Doubts about what is there no more are none.
fn forget_beyond(end: f32, mended: &mut Mended, recording: &Recording<'_>) {
    mended.doubtful.retain(|span| span.start <= end);
    for span in &mut mended.doubtful {
        span.end = span.end.min(end);
    }
    let is_doubtful = |time: f32| {
        let mut spans = mended.doubtful.iter();
        spans.any(|span| span.start <= time && time <= span.end)
    };
    mended.doubtful_keys = match mended.curve.and_then(|path| recording.curve(path)) {
        Some(curve) => curve.points().filter(|point| is_doubtful(point.0)).count(),
        None => 0,
    };
}
