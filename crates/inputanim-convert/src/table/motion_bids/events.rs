//! Markers, pinches and tracked time ranges as events.

use std::cmp::Ordering;
use std::io::Write;

use inputanim::info::Info;
use inputanim::{Recording, Side, TimeRange};
use serde_json::json;

use super::{UNKNOWN, output_error, table, time_range, write_json};
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};
use crate::table::frames::Value;

struct Event {
    onset: f32,
    duration: f32,
    kind: &'static str,
    hand: Option<Side>,
    marker: Option<String>,
}

/// Writes `*_events.tsv`: markers, pinches and tracked time ranges, sorted by time. Times are in seconds from the first
/// sample. Adds the losses of markers to `report`.
pub(super) fn write(
    recording: &Recording<'_>,
    report: &mut Report,
    output: impl Write,
) -> Result<(), Error> {
    let mut events = markers(recording, report);
    let info = Info::of(recording);
    for (side, hand) in Side::BOTH.into_iter().zip(&info.hands) {
        let of = |kind: &'static str| {
            move |range: &TimeRange| Event {
                onset: range.start,
                duration: range.end - range.start,
                kind,
                hand: Some(side),
                marker: None,
            }
        };
        events.extend(hand.tracked.iter().map(of("tracked")));
        events.extend(hand.pinching.iter().map(of("pinch")));
    }
    let start = time_range(recording).start;
    events.iter_mut().for_each(|event| event.onset -= start);
    events.retain(|event| event.onset.is_finite() && event.duration.is_finite());
    events.sort_by(|a, b| a.onset.partial_cmp(&b.onset).unwrap_or(Ordering::Equal));
    let mut table = table(output);
    let names = ["onset", "duration", "trial_type", "hand", "marker"];
    table.write_record(names).map_err(output_error)?;
    for event in events {
        let hand = event.hand.map_or(UNKNOWN, Side::name);
        let marker = event.marker.as_deref().unwrap_or(UNKNOWN);
        let (onset, duration) = (Value(event.onset), Value(event.duration));
        let cells = (onset, duration, event.kind, hand, marker);
        table.serialize(cells).map_err(output_error)?;
    }
    Ok(table.flush()?)
}

/// Returns the markers as events, without those whose time is not finite. Tables of BIDS have no quotes, so spaces
/// replace control characters such as tabs. Adds both losses to `report`.
fn markers(recording: &Recording<'_>, report: &mut Report) -> Vec<Event> {
    let (mut dropped, mut changed) = (0, 0);
    let mut events = Vec::new();
    for marker in &recording.markers {
        if !marker.time.is_finite() {
            dropped += 1;
            continue;
        }
        let mut name = marker.name.to_string();
        if name.contains(char::is_control) {
            changed += 1;
            name = name.replace(char::is_control, " ");
        }
        let has_text = !name.trim().is_empty();
        events.push(Event {
            onset: marker.time,
            duration: 0.0,
            kind: "marker",
            hand: None,
            marker: has_text.then_some(name),
        });
    }
    let message = format!("{} without a finite time", counted(dropped, "marker"));
    report.lose(LossKind::Markers, dropped, message);
    let message = format!(
        "control characters in {}",
        counted(changed, "name of a marker")
    );
    report.lose(LossKind::Text, changed, message);
    events
}

/// Writes `*_events.json`, which describes the columns of the events.
pub(super) fn write_description(
    recording: &Recording<'_>,
    output: impl Write,
) -> Result<(), Error> {
    let mut onset = "Time from the first sample of the motion file".to_owned();
    // `*_motion.json` cannot contain this time: validators before version 2 refuse unknown fields.
    let start = time_range(recording).start;
    if start != 0.0 {
        onset += &format!(", which is at {start} s in the recording");
    }
    let value = json!({
        "duration": {
            "Description": "Duration; 0 for markers, which have none",
            "Units": "s",
        },
        "hand": {
            "Description": "Hand of the event",
            "Levels": { "left": "Left hand", "right": "Right hand" },
        },
        "marker": { "Description": "Name of the marker" },
        "onset": {
            "Description": onset,
            "Units": "s",
        },
        "trial_type": {
            "Description": "Kind of event",
            "Levels": {
                "marker": "Marker of the recording",
                "pinch": "The device reported that thumb and index finger touch",
                "tracked": "The device tracked the hand",
            },
        },
    });
    write_json(&value, output)
}
