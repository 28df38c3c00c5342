//! Hands of which no frame says anything.
//!
//! A frame always has the states of both hands. A source without hands, such as a file of controllers, sets them to unknown, or
//! leaves them at their defaults beside the devices. A recording that stated such hands as "not tracked" would state an observation
//! that nobody made.

use super::contents::Contents;
use crate::device::ProfileChange;
use crate::element::Element;
use crate::joint::Side;
use crate::recording::Recording;
use crate::time_range::TimeRange;

const ALWAYS: TimeRange = TimeRange {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

/// What rows say of hands and of everything else except devices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    has_rows: bool,
    /// `true` for each hand that is known in some row.
    hands: [bool; 2],
    /// `true` if some row has a pose, a gaze, or a hand that is tracked, pinches or is unknown.
    has_content: bool,
}

impl Seen {
    #[inline]
    pub(super) fn add(&mut self, contents: Contents) {
        self.has_rows = true;
        for side in Side::BOTH {
            let is_unknown = contents.is_unknown(side);
            self.hands[side as usize] |= !is_unknown;
            self.has_content |=
                is_unknown || contents.is_tracked(side) || contents.is_pinching(side);
        }
        self.has_content |= contents.present_bits() != 0;
    }

    /// Returns `true` if some row says something of the other hand, and none of this one.
    pub(super) fn is_only_other(self, side: Side) -> bool {
        !self.hands[side as usize] && self.hands != [false; 2]
    }

    /// Makes hands unknown of which no row says anything, and removes the streams of hands if this holds for both. `recording` has
    /// its devices already. The time range of the recording stays the same.
    pub(super) fn remove_unseen_hands(self, recording: &mut Recording<'static>) {
        let has_only_devices = !self.has_content && !recording.devices.is_empty();
        let is_unseen = self.hands.map(|is_seen| !is_seen || has_only_devices);
        if !self.has_rows || is_unseen == [false; 2] {
            return;
        }
        for side in Side::BOTH
            .into_iter()
            .filter(|&side| is_unseen[side as usize])
        {
            recording.known.add_gap(Element::Tracked(side), ALWAYS);
        }
        // Version 1.0 always has hands.
        if is_unseen != [true; 2] || !recording.layout.has_flags() {
            return;
        }
        let Some(range) = recording.time_range() else {
            recording.hands = None;
            return;
        };
        let hands = recording.hands.take();
        let rest = recording.time_range();
        if rest != Some(range) && !cover(recording, rest, range) {
            // Nothing else states how long the recording is.
            recording.hands = hands;
        }
    }
}

/// Adds changes of the profile to the first device, so that the recording lasts for all of `range`. `rest` is its time range
/// without them. The changes repeat the state that the device has. Returns `false` without a device.
fn cover(recording: &mut Recording<'static>, rest: Option<TimeRange>, range: TimeRange) -> bool {
    let Some(device) = recording.devices.first_mut() else {
        return false;
    };
    if device.profiles.is_empty() {
        device.profiles.push(ProfileChange {
            time: range.start,
            active: true,
            profile: None,
        });
    } else if rest.is_none_or(|rest| rest.start > range.start) {
        // Before its first change, a device is not active.
        let change = ProfileChange {
            time: range.start,
            active: false,
            profile: None,
        };
        device.profiles.insert(0, change);
    }
    if rest.is_none_or(|rest| rest.end < range.end)
        && let Some(last) = device.profiles.last().cloned()
        && last.time < range.end
    {
        device.profiles.push(ProfileChange {
            time: range.end,
            ..last
        });
    }
    true
}
