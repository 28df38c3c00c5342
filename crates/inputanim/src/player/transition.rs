//! Transitions during playback.

use std::fmt;
use std::sync::Arc;

use crate::joint::Side;

/// A change during playback: a hand is found or lost, a pinch starts or ends, or a marker is reached.
///
/// With the feature `serde`, it is an object with `time`, `kind`, `side` and `name`.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Time in seconds of the recording.
    pub time: f32,
    /// Kind of transition.
    pub kind: TransitionKind,
}

/// The kind of a [`Transition`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransitionKind {
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

impl TransitionKind {
    /// Returns the name of the kind: `found`, `lost`, `pinch_down`, `pinch_up` or `marker`.
    pub const fn name(&self) -> &'static str {
        match self {
            TransitionKind::TrackingGained(_) => "found",
            TransitionKind::TrackingLost(_) => "lost",
            TransitionKind::PinchDown(_) => "pinch_down",
            TransitionKind::PinchUp(_) => "pinch_up",
            TransitionKind::Marker(_) => "marker",
        }
    }

    /// Returns the side of the hand that changed; `None` for a marker.
    pub const fn side(&self) -> Option<Side> {
        match self {
            TransitionKind::TrackingGained(side)
            | TransitionKind::TrackingLost(side)
            | TransitionKind::PinchDown(side)
            | TransitionKind::PinchUp(side) => Some(*side),
            TransitionKind::Marker(_) => None,
        }
    }

    /// Returns the name of the marker; `None` for an event of a hand.
    pub fn marker(&self) -> Option<&str> {
        match self {
            TransitionKind::Marker(name) => Some(name),
            _ => None,
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Transition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut object = serializer.serialize_struct("Transition", 4)?;
        object.serialize_field("time", &self.time)?;
        object.serialize_field("kind", self.kind.name())?;
        object.serialize_field("side", &self.kind.side())?;
        object.serialize_field("name", &self.kind.marker())?;
        object.end()
    }
}

impl fmt::Display for TransitionKind {
    /// Writes `left hand found`, `right pinch down` or `marker "start"`, for example.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransitionKind::TrackingGained(side) => write!(f, "{side} hand found"),
            TransitionKind::TrackingLost(side) => write!(f, "{side} hand lost"),
            TransitionKind::PinchDown(side) => write!(f, "{side} pinch down"),
            TransitionKind::PinchUp(side) => write!(f, "{side} pinch up"),
            TransitionKind::Marker(name) => write!(f, "marker {name:?}"),
        }
    }
}
