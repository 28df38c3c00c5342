//! Markers, pinches, haptic pulses, and the time ranges in which hands are tracked and devices are active, as events.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::io::Write;

use inputanim::info::Info;
use inputanim::{Device, DeviceName, Element, OutputName, Recording, Side, TimeRange};
use serde_json::json;

use super::{UNKNOWN, output_error, table, time_range, write_json};
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};
use crate::table::frames::{Cell, Value};

/// An event; cells without a value are `n/a`.
#[derive(Default)]
struct Event<'r> {
    onset: f32,
    duration: Option<f32>,
    kind: &'static str,
    hand: Option<Side>,
    marker: Option<Cow<'r, str>>,
    device: Option<DeviceName>,
    profile: Option<Cow<'r, str>>,
    output: Option<OutputName>,
    amplitude: Option<f32>,
    frequency: Option<f32>,
}

/// The columns that all tables of events have.
const COLUMNS: [&str; 5] = ["onset", "duration", "trial_type", "hand", "marker"];
/// The further columns if devices have events.
const OF_DEVICES: [&str; 5] = ["device", "profile", "output", "amplitude", "frequency"];

/// Returns `true` if devices have events.
fn has_devices(recording: &Recording<'_>) -> bool {
    let mut devices = recording.devices.iter();
    devices.any(|device| !device.profiles.is_empty() || !device.haptics.is_empty())
}

/// Writes `*_events.tsv`: markers, pinches, haptic pulses, and the time ranges in which hands are tracked and devices are active,
/// sorted by time. Times are in seconds from the first sample. Adds the losses of texts to `report`.
pub(super) fn write(
    recording: &Recording<'_>,
    report: &mut Report,
    output: impl Write,
) -> Result<(), Error> {
    let mut changed = 0;
    let mut events = markers(recording, report, &mut changed);
    let info = Info::of(recording);
    for (side, hand) in Side::BOTH.into_iter().zip(&info.hands) {
        let of = |kind: &'static str| {
            move |range: &TimeRange| Event {
                onset: range.start,
                duration: Some(range.end - range.start),
                kind,
                hand: Some(side),
                ..Event::default()
            }
        };
        events.extend(hand.tracked.iter().map(of("tracked")));
        events.extend(hand.pinching.iter().map(of("pinch")));
    }
    let mut changed_profiles = 0;
    for device in &recording.devices {
        add_active(recording, device, &mut events, &mut changed_profiles);
        add_pulses(device, &mut events);
    }
    for (count, name) in [(changed, "name of a marker"), (changed_profiles, "profile")] {
        let message = format!("control characters in {}", counted(count, name));
        report.lose(LossKind::Text, count, message);
    }
    let start = time_range(recording).start;
    events.iter_mut().for_each(|event| event.onset -= start);
    let is_finite =
        |event: &Event<'_>| event.onset.is_finite() && event.duration.is_none_or(f32::is_finite);
    events.retain(is_finite);
    events.sort_by(|a, b| a.onset.partial_cmp(&b.onset).unwrap_or(Ordering::Equal));
    let has_devices = has_devices(recording);
    let mut table = table(output);
    let of_devices = OF_DEVICES.iter().filter(|_| has_devices);
    let names = COLUMNS.iter().chain(of_devices);
    table.write_record(names).map_err(output_error)?;
    for event in events {
        let cells = event.cells();
        let count = if has_devices {
            cells.len()
        } else {
            COLUMNS.len()
        };
        table.serialize(&cells[..count]).map_err(output_error)?;
    }
    Ok(table.flush()?)
}

impl Event<'_> {
    /// Returns the cells of [`COLUMNS`] and [`OF_DEVICES`].
    fn cells(self) -> [Cell; COLUMNS.len() + OF_DEVICES.len()] {
        let text = |text: Option<Cow<'_, str>>| {
            let text = text.map_or(Cow::Borrowed(UNKNOWN), |text| text.into_owned().into());
            Cell::Text(text)
        };
        let word = |word: Option<&'static str>| text(word.map(Cow::Borrowed));
        let number = |number: Option<f32>| match number {
            Some(number) => Cell::Number(Value(number)),
            None => word(None),
        };
        [
            number(Some(self.onset)),
            number(self.duration),
            word(Some(self.kind)),
            word(self.hand.map(Side::name)),
            text(self.marker),
            word(self.device.map(|device| device.as_str())),
            text(self.profile),
            word(self.output.map(|output| output.as_str())),
            number(self.amplitude),
            number(self.frequency),
        ]
    }
}

/// Adds the time ranges in which a device is active, each with its profile. A device without changes of the profile has no such
/// events: nobody stated when it is active. Adds the number of profiles with control characters to `changed`.
fn add_active<'r>(
    recording: &'r Recording<'_>,
    device: &'r Device<'_>,
    events: &mut Vec<Event<'r>>,
    changed: &mut usize,
) {
    let end = time_range(recording).end;
    let next = device.profiles.iter().skip(1).map(|change| change.time);
    let ends = next.map(Some).chain([None]);
    for (change, next) in device.profiles.iter().zip(ends) {
        // Of several changes at one time, the last one counts.
        if !change.active || next == Some(change.time) {
            continue;
        }
        let range = TimeRange {
            start: change.time,
            end: next.unwrap_or(end.max(change.time)),
        };
        let known = recording
            .known
            .within(Element::Profile(device.name), &[range]);
        for range in known {
            let profile = change.profile.as_deref();
            events.push(Event {
                onset: range.start,
                duration: Some(range.end - range.start),
                kind: "active",
                device: Some(device.name),
                profile: profile.map(|profile| one_line(profile, changed)),
                ..Event::default()
            });
        }
    }
}

/// Adds the haptic pulses of a device.
fn add_pulses<'r>(device: &Device<'_>, events: &mut Vec<Event<'r>>) {
    events.extend(device.haptics.iter().map(|pulse| Event {
        onset: pulse.time,
        duration: pulse.duration,
        kind: "haptic",
        device: Some(device.name),
        output: Some(pulse.output),
        amplitude: Some(pulse.amplitude),
        frequency: pulse.frequency,
        ..Event::default()
    }));
}

/// Returns a text with spaces in place of control characters such as tabs, because tables of BIDS have no quotes. Adds 1 to
/// `changed` if there are any.
fn one_line<'r>(text: &'r str, changed: &mut usize) -> Cow<'r, str> {
    if text.contains(char::is_control) {
        *changed += 1;
        text.replace(char::is_control, " ").into()
    } else {
        text.into()
    }
}

/// Returns the markers as events, without those whose time is not finite, which are a loss. Adds the number of names with control
/// characters to `changed`.
fn markers<'r>(
    recording: &'r Recording<'_>,
    report: &mut Report,
    changed: &mut usize,
) -> Vec<Event<'r>> {
    let mut dropped = 0;
    let mut events = Vec::new();
    for marker in &recording.markers {
        if !marker.time.is_finite() {
            dropped += 1;
            continue;
        }
        let name = one_line(&marker.name, changed);
        events.push(Event {
            onset: marker.time,
            duration: Some(0.0),
            kind: "marker",
            marker: (!name.trim().is_empty()).then_some(name),
            ..Event::default()
        });
    }
    let message = format!("{} without a finite time", counted(dropped, "marker"));
    report.lose(LossKind::Markers, dropped, message);
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
    let mut value = json!({
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
    if has_devices(recording) {
        let duration =
            "Duration; 0 for markers, which have none; n/a for the shortest pulse of the device";
        value["duration"]["Description"] = duration.into();
        let levels = &mut value["trial_type"]["Levels"];
        levels["active"] = "The device was active, with the profile".into();
        levels["haptic"] = "The application asked for a vibration of the device".into();
        value["amplitude"] = json!({ "Description": "Amplitude of the vibration, from 0 to 1" });
        value["device"] = json!({ "Description": "Name of the device of the event" });
        value["frequency"] = json!({
            "Description": "Frequency of the vibration; n/a if the device chooses it",
            "Units": "Hz",
        });
        value["output"] = json!({ "Description": "Part of the device that vibrates" });
        value["profile"] = json!({ "Description": "Interaction profile: the kind of the device" });
    }
    write_json(&value, output)
}
