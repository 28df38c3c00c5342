//! The contents of the stage of a recording.

use inputanim::{Marker, Side};

use super::sampled_recording::{ROOT_PRIM, SampledRecording};
use super::stage::{Attribute, Prim, Property, Samples, Stage, Value};
use super::{hand, head};
use crate::shared::report::counted;
use crate::shared::{LossKind, Report};

/// Returns the stage of a recording, and reports the content that the stage lacks.
pub(super) fn of(recording: &SampledRecording<'_>, report: &mut Report) -> Stage {
    let mut root = Prim::new("Xform", ROOT_PRIM).field("kind", Value::Token("component"));
    root.properties.extend(texts(recording));
    root.properties.extend(marker_names(recording, report));
    let head = head::head(recording, report);
    let gaze = head::gaze(recording);
    let hands = Side::BOTH.map(|side| hand::hand(recording, side, report));
    root.children.extend(head.into_iter().chain(gaze));
    root.children.extend(hands.into_iter().flatten());
    let end = recording.code(recording.sampler.duration());
    let fields = vec![
        ("defaultPrim", Value::Token(ROOT_PRIM)),
        (
            "documentation",
            Value::String(format!(
                "recording of XR input, sampled at {} Hz by inputanim",
                recording.rate
            )),
        ),
        ("endTimeCode", Value::Double(end)),
        ("framesPerSecond", Value::Double(recording.rate)),
        ("metersPerUnit", Value::Double(1.0)),
        ("startTimeCode", Value::Double(0.0)),
        ("timeCodesPerSecond", Value::Double(recording.rate)),
        ("upAxis", Value::Token("Y")),
    ];
    Stage { fields, root }
}

/// Returns the attribute with the texts about the recording, such as `task: pick up the cube`; `None` if there are none.
fn texts(recording: &SampledRecording<'_>) -> Option<Property> {
    let texts = recording.about.iter();
    let texts: Vec<String> = texts
        // USD's text format cannot hold a NUL.
        .map(|(name, text)| format!("{name}: {text}").replace('\0', "\u{fffd}"))
        .collect();
    let attribute = Attribute::new("string[]", "inputanim:about", Value::Strings(texts));
    (!recording.about.is_empty()).then(|| Property::Attribute(attribute.custom().uniform()))
}

/// Returns the attribute that contains, at the time of each marker, the names of the markers at this time. Returns
/// `None` if no marker can be represented, and reports the dropped markers as losses.
fn marker_names(recording: &SampledRecording<'_>, report: &mut Report) -> Option<Property> {
    let is_kept = |marker: &&Marker<'_>| marker.time.is_finite() && !marker.name.contains('\0');
    let mut markers: Vec<&Marker<'_>> = recording.markers.iter().filter(is_kept).collect();
    let dropped = recording.markers.len() - markers.len();
    let message = format!(
        "{} without a finite time or with a NUL in the name",
        counted(dropped, "marker")
    );
    report.lose(LossKind::Markers, dropped, message);
    // Markers at one time keep their order.
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    let first = recording.code(markers.first()?.time);
    // Before its first sample, an attribute has the value of the first sample. An empty list at 0 prevents that the
    // first markers appear too early.
    let none_yet = (first > 0.0).then_some((0.0, Value::Strings(Vec::new())));
    let groups = markers.chunk_by(|a, b| a.time == b.time);
    let groups = groups.map(|group| {
        let names = group.iter().map(|marker| marker.name.clone().into_owned());
        (
            recording.code(group[0].time),
            Value::Strings(names.collect()),
        )
    });
    let samples: Samples = none_yet.into_iter().chain(groups).collect();
    let attribute = Attribute::sampled("string[]", "inputanim:markers", samples);
    Some(Property::Attribute(attribute.custom()))
}
