//! All that a stage has of a recording.

use inputanim::{Marker, Side};

use super::stage::{Attribute, Prim, Property, Samples, Stage, Value};
use super::take::{TAKE, Take};
use super::{Loss, hand, head};

/// The stage of a take, and what it lacks.
pub(super) fn of(take: &Take<'_>) -> (Stage, Vec<Loss>) {
    let mut losses = Vec::new();
    let mut root = Prim::new("Xform", TAKE).field("kind", Value::Token("component"));
    root.properties.extend(marker_names(take, &mut losses));
    let head = head::head(take, &mut losses);
    let gaze = head::gaze(take);
    let hands = Side::BOTH.map(|side| hand::hand(take, side, &mut losses));
    root.children.extend(head.into_iter().chain(gaze));
    root.children.extend(hands.into_iter().flatten());
    let end = take.code(take.sampler.duration());
    let fields = vec![
        ("defaultPrim", Value::Token(TAKE)),
        (
            "documentation",
            Value::String(format!(
                "MRTK input animation, sampled at {} Hz by inputanim",
                take.rate
            )),
        ),
        ("endTimeCode", Value::Double(end)),
        ("framesPerSecond", Value::Double(take.rate)),
        ("metersPerUnit", Value::Double(1.0)),
        ("startTimeCode", Value::Double(0.0)),
        ("timeCodesPerSecond", Value::Double(take.rate)),
        ("upAxis", Value::Token("Y")),
    ];
    (Stage { fields, root }, losses)
}

/// The names at each time that has a marker.
fn marker_names(take: &Take<'_>, losses: &mut Vec<Loss>) -> Option<Property> {
    let is_kept = |marker: &&Marker<'_>| marker.time.is_finite() && !marker.name.contains('\0');
    let mut markers: Vec<&Marker<'_>> = take.markers.iter().filter(is_kept).collect();
    if markers.len() < take.markers.len() {
        losses.push(Loss::Markers {
            markers: take.markers.len() - markers.len(),
        });
    }
    // Markers at one time keep their order.
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    let first = take.code(markers.first()?.time);
    // Before its first sample a value is that of the first.
    let none_yet = (first > 0.0).then_some((0.0, Value::Strings(Vec::new())));
    let groups = markers.chunk_by(|a, b| a.time == b.time);
    let groups = groups.map(|group| {
        let names = group.iter().map(|marker| marker.name.clone().into_owned());
        (take.code(group[0].time), Value::Strings(names.collect()))
    });
    let samples: Samples = none_yet.into_iter().chain(groups).collect();
    let attribute = Attribute::sampled("string[]", "inputanim:markers", samples);
    Some(Property::Attribute(attribute.custom()))
}
