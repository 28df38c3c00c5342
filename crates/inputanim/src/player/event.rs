//! What happens while a recording plays.

use std::fmt;
use std::sync::Arc;

use crate::joint::Side;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, in seconds of the recording.
    pub time: f32,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// The device began to see a hand.
    TrackingGained(Side),
    /// The device no longer sees a hand.
    TrackingLost(Side),
    /// Thumb and index finger touched.
    PinchDown(Side),
    /// Thumb and index finger parted.
    PinchUp(Side),
    /// A marker of this name was reached.
    Marker(Arc<str>),
}

impl fmt::Display for EventKind {
    /// In words: `left hand found`, `right pinch down`, `marker "start"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventKind::TrackingGained(side) => write!(f, "{side} hand found"),
            EventKind::TrackingLost(side) => write!(f, "{side} hand lost"),
            EventKind::PinchDown(side) => write!(f, "{side} pinch down"),
            EventKind::PinchUp(side) => write!(f, "{side} pinch up"),
            EventKind::Marker(name) => write!(f, "marker {name:?}"),
        }
    }
}
