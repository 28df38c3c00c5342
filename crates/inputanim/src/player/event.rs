//! Events of a player.

use std::fmt;
use std::sync::Arc;

use crate::joint::Side;

/// An event during playback.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerEvent {
    /// Time in seconds of the recording.
    pub time: f32,
    /// Kind of event.
    pub kind: PlayerEventKind,
}

/// The kind of a [`PlayerEvent`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlayerEventKind {
    /// The device started to track a hand.
    TrackingGained(Side),
    /// The device stopped tracking a hand.
    TrackingLost(Side),
    /// Thumb and index finger touched.
    PinchDown(Side),
    /// Thumb and index finger parted.
    PinchUp(Side),
    /// Playback reached a marker with this name.
    Marker(Arc<str>),
}

impl fmt::Display for PlayerEventKind {
    /// Writes `left hand found`, `right pinch down` or `marker "start"`, for example.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerEventKind::TrackingGained(side) => write!(f, "{side} hand found"),
            PlayerEventKind::TrackingLost(side) => write!(f, "{side} hand lost"),
            PlayerEventKind::PinchDown(side) => write!(f, "{side} pinch down"),
            PlayerEventKind::PinchUp(side) => write!(f, "{side} pinch up"),
            PlayerEventKind::Marker(name) => write!(f, "marker {name:?}"),
        }
    }
}
