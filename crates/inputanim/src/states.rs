//! The time ranges in which states of a recording are on and known: hands that are tracked or pinch, and devices that are active
//! with their profiles and buttons.
//!
//! Method: a state holds from its key to the next key; the first value also holds before its key. A profile of a device holds
//! from its change to the next change. Times at which the state is unknown belong to no range. A range has a length above 0.

use std::fmt;
use std::sync::Arc;

use crate::curve::BooleanCurve;
use crate::device::{DeviceName, InputCurve, InputName};
use crate::element::Element;
use crate::joint::Side;
use crate::order;
use crate::recording::Recording;
use crate::time_range::TimeRange;

/// A state of a device during a time range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// The device is active, with this interaction profile, if it is known.
    Active(Option<Arc<str>>),
    /// An input that is on or off, such as a button, is on.
    On(InputName),
}

impl fmt::Display for DeviceState {
    /// Writes `active`, the profile, or the name of the input: `a.click`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceState::Active(None) => f.pad("active"),
            DeviceState::Active(Some(profile)) => f.pad(profile),
            DeviceState::On(input) => input.fmt(f),
        }
    }
}

/// Returns the time ranges of the states of the devices of a recording: see [`Info::device_states`](crate::info::Info::device_states).
pub(crate) fn device_states(
    recording: &Recording<'_>,
) -> Vec<(DeviceName, DeviceState, TimeRange)> {
    let Some(range) = recording.finite_time_range() else {
        return Vec::new();
    };
    let mut states = Vec::new();
    for device in &recording.devices {
        let name = device.name;
        let active = active_parts(recording, name, range).into_iter();
        states.extend(active.map(|(profile, part)| (name, DeviceState::Active(profile), part)));
        for &(input, _) in &device.inputs {
            let on = pressed_ranges(recording, name, input, range).into_iter();
            states.extend(on.map(|part| (name, DeviceState::On(input), part)));
        }
    }
    states
}

/// Returns the parts of a time range in which a hand is tracked and known.
pub(crate) fn tracked_ranges(
    recording: &Recording<'_>,
    side: Side,
    range: TimeRange,
) -> Vec<TimeRange> {
    let hands = recording.hands.as_ref();
    let tracked = hands.map(|hands| known_on(recording, side, &hands.hand(side).tracked, range));
    tracked.unwrap_or_default()
}

/// Returns the parts of a time range in which a device is known to be active, in order, each with the interaction profile if it is
/// known. A device without profiles is active at all times at which it is known.
fn active_parts(
    recording: &Recording<'_>,
    device: DeviceName,
    range: TimeRange,
) -> Vec<(Option<Arc<str>>, TimeRange)> {
    let Some(found) = recording.device(device) else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    let mut add = |profile: Option<&Arc<str>>, part: TimeRange| {
        let known = recording.known.within(Element::Profile(device), &[part]);
        let known = known.into_iter().filter(|range| range.length() > 0.0);
        parts.extend(known.map(|range| (profile.cloned(), range)));
    };
    if found.profiles.is_empty() {
        add(None, range);
    }
    let ends = found.profiles.iter().skip(1).map(|change| change.time);
    for (change, end) in found.profiles.iter().zip(ends.chain([f32::INFINITY])) {
        let start = change.time;
        let part = TimeRange { start, end }.intersection(range);
        if let Some(part) = part.filter(|_| change.active) {
            add(change.profile.as_ref(), part);
        }
    }
    parts
}

/// Returns the parts of a time range in which a device is known to be active. A device without profiles is active at all times
/// at which it is known.
pub fn active_ranges(
    recording: &Recording<'_>,
    device: DeviceName,
    range: TimeRange,
) -> Vec<TimeRange> {
    let parts = active_parts(recording, device, range).into_iter();
    joined(parts.map(|(_, part)| ((), part)))
        .into_iter()
        .map(|((), part)| part)
        .collect()
}

/// Returns the parts of a time range in which a device is known to have an interaction profile, each with the profile. Neighbouring
/// parts have different profiles, or time between them.
pub fn profile_ranges(
    recording: &Recording<'_>,
    device: DeviceName,
    range: TimeRange,
) -> Vec<(Arc<str>, TimeRange)> {
    let parts = active_parts(recording, device, range).into_iter();
    joined(parts.filter_map(|(profile, part)| Some((profile?, part))))
}

/// Joins neighbouring time ranges that touch and have the same value.
fn joined<T: PartialEq>(parts: impl Iterator<Item = (T, TimeRange)>) -> Vec<(T, TimeRange)> {
    let mut joined: Vec<(T, TimeRange)> = Vec::new();
    for (value, part) in parts {
        match joined.last_mut() {
            Some((last, range)) if *last == value && range.end >= part.start => {
                range.end = part.end
            }
            _ => joined.push((value, part)),
        }
    }
    joined
}

/// Returns the parts of a time range in which an input is known: the recording has it, and its device is known to be active.
pub fn known_ranges(
    recording: &Recording<'_>,
    device: DeviceName,
    input: InputName,
    range: TimeRange,
) -> Vec<TimeRange> {
    let curve = recording
        .device(device)
        .and_then(|device| device.input(input));
    if curve.is_none_or(|curve| curve.curve().is_empty()) {
        return Vec::new();
    }
    let active = active_ranges(recording, device, range);
    let mut known = recording
        .known
        .within(Element::Input(device, input), &active);
    known.retain(|range| range.length() > 0.0);
    known
}

/// Returns the parts of a time range in which an input that is on or off is known and on. None of them contains a time at which
/// the input is unknown. Returns nothing for an input with numbers.
pub fn pressed_ranges(
    recording: &Recording<'_>,
    device: DeviceName,
    input: InputName,
    range: TimeRange,
) -> Vec<TimeRange> {
    let curve = recording
        .device(device)
        .and_then(|device| device.input(input));
    let Some(InputCurve::Boolean(curve)) = curve else {
        return Vec::new();
    };
    let on = ranges_on(curve, range);
    let mut pressed = Vec::new();
    for known in known_ranges(recording, device, input, range) {
        let first = on.partition_point(|on| on.end <= known.start);
        let common = on[first..].iter().map_while(|on| on.intersection(known));
        pressed.extend(common.filter(|range| range.length() > 0.0));
    }
    pressed
}

/// Returns the parts of a time range in which a state of a hand is on and the hand is known.
pub(crate) fn known_on(
    recording: &Recording<'_>,
    side: Side,
    state: &BooleanCurve<'_>,
    range: TimeRange,
) -> Vec<TimeRange> {
    let on = ranges_on(state, range);
    let mut known = recording.known.within(Element::Tracked(side), &on);
    known.retain(|range| range.length() > 0.0);
    known
}

/// Returns the time ranges in which a boolean curve is on. Each value holds until the next key; the first value also
/// holds before its key, from the start of `range`, and the last one until its end.
fn ranges_on(curve: &BooleanCurve<'_>, range: TimeRange) -> Vec<TimeRange> {
    let mut keys: Vec<(f32, bool)> = curve
        .keys
        .iter()
        .map(|key| (key.time(), key.is_on()))
        .filter(|(time, _)| time.is_finite())
        .collect();
    order::sort_by_time(&mut keys, |key| key.0);
    if let Some(first) = keys.first_mut() {
        // The first value also holds before its key.
        first.0 = range.start;
    }
    let mut ranges = Vec::new();
    let mut open: Option<f32> = None;
    for (time, on) in keys {
        match (on, open) {
            (true, None) => open = Some(time),
            (false, Some(start)) => {
                ranges.push(TimeRange { start, end: time });
                open = None;
            }
            _ => {}
        }
    }
    ranges.extend(open.map(|start| TimeRange {
        start,
        end: range.end.max(start),
    }));
    // Keys at one time can give a range of length 0.
    ranges.retain(|range| range.length() > 0.0);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
    }

    #[test]
    fn a_state_holds_from_key_to_key_and_to_the_end() {
        let curve = BooleanCurve::new([(0.5, true), (1.0, false), (2.0, true)]);
        assert_eq!(
            ranges_on(&curve, range(0.0, 3.0)),
            [range(0.0, 1.0), range(2.0, 3.0)]
        );
        assert_eq!(ranges_on(&BooleanCurve::default(), range(0.0, 3.0)), []);
    }
}
