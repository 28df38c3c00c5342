//! Events of a recording as one list, the table that statistics programs join.

use std::fmt;
use std::str::FromStr;

use inputanim::Side;
use inputanim::names::{normal, similar};

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum EventKind {
    /// A named instant of the recording.
    Marker,
    /// A hand is tracked.
    Tracked,
    /// Tracking of a hand is lost and found again later.
    Dropout,
    /// A movement of a joint.
    Movement,
    /// A pinch, by the recorded state.
    Pinch,
    /// A pinch, by the distance of the tips.
    GeometricPinch,
    /// A fixation, by dispersion (I-DT).
    Fixation,
    /// A saccade.
    Saccade,
    /// A look at a target.
    Look,
    /// Playback differs from what was recorded.
    Damage,
    /// A device is active.
    Connected,
    /// A device has an interaction profile.
    Profile,
    /// A press of an input of a device.
    Press,
    /// A haptic pulse of a device.
    Haptic,
}

impl EventKind {
    /// Every kind.
    pub const ALL: &'static [EventKind] = &[
        EventKind::Marker,
        EventKind::Tracked,
        EventKind::Dropout,
        EventKind::Movement,
        EventKind::Pinch,
        EventKind::GeometricPinch,
        EventKind::Fixation,
        EventKind::Saccade,
        EventKind::Look,
        EventKind::Damage,
        EventKind::Connected,
        EventKind::Profile,
        EventKind::Press,
        EventKind::Haptic,
    ];

    /// The kinds whose properties have columns in a table for which no kinds are selected. These are all kinds except `haptic`, so that
    /// tables of recordings without haptic pulses have no columns for them.
    pub const WITH_COLUMNS: &'static [EventKind] = EventKind::ALL.split_at(13).0;

    /// Returns the name of the kind of event, such as `geometric_pinch`.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Marker => "marker",
            EventKind::Tracked => "tracked",
            EventKind::Dropout => "dropout",
            EventKind::Movement => "movement",
            EventKind::Pinch => "pinch",
            EventKind::GeometricPinch => "geometric_pinch",
            EventKind::Fixation => "fixation",
            EventKind::Saccade => "saccade",
            EventKind::Look => "look",
            EventKind::Damage => "damage",
            EventKind::Connected => "connected",
            EventKind::Profile => "profile",
            EventKind::Press => "press",
            EventKind::Haptic => "haptic",
        }
    }

    /// Returns the names and the units of the properties that events of this kind can have, in the order of
    /// [`Event::properties`].
    pub const fn properties(self) -> &'static [(&'static str, &'static str)] {
        match self {
            EventKind::Movement => &[
                ("amplitude", "m"),
                ("path_length", "m"),
                ("peak_speed", "m/s"),
                ("time_to_peak", "s"),
                ("submovements", ""),
                ("sparc", ""),
                ("ldlj", ""),
                ("cut", ""),
            ],
            EventKind::Pinch | EventKind::GeometricPinch => &[("drag", "m"), ("cut", "")],
            EventKind::Fixation => &[("dispersion", "°"), ("bcea", "°²")],
            EventKind::Saccade => &[("amplitude", "°"), ("peak_velocity", "°/s")],
            EventKind::Press => &[("cut", "")],
            EventKind::Haptic => &[("amplitude", ""), ("frequency", "Hz")],
            EventKind::Marker
            | EventKind::Tracked
            | EventKind::Dropout
            | EventKind::Look
            | EventKind::Damage
            | EventKind::Connected
            | EventKind::Profile => &[],
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A string that names no [`EventKind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown kind of event \"{kind}\"; {}",
    similar.as_ref().map_or_else(
        || {
            let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
            format!("expected {}", names.join(", "))
        },
        |name| format!("did you mean \"{name}\"?")
    )
)]
#[non_exhaustive]
pub struct UnknownEventKind {
    /// The string.
    pub kind: String,
    /// The known kind that is most similar.
    pub similar: Option<String>,
}

impl FromStr for EventKind {
    type Err = UnknownEventKind;

    /// Parses the name of a kind of event. Case, hyphens and underscores do not matter.
    fn from_str(text: &str) -> Result<EventKind, UnknownEventKind> {
        let wanted = normal(text);
        let mut kinds = EventKind::ALL.iter().copied();
        let found = kinds.find(|kind| normal(kind.name()) == wanted);
        found.ok_or_else(|| UnknownEventKind {
            kind: text.to_owned(),
            similar: similar(
                text,
                EventKind::ALL.iter().map(|kind| kind.name().to_owned()),
            ),
        })
    }
}

/// A property of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EventProperty {
    /// Name, such as `amplitude`.
    pub name: &'static str,
    /// Value.
    pub value: f64,
    /// Unit; empty for a number without one.
    pub unit: &'static str,
}

/// An event of a recording.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Event {
    /// Kind.
    pub kind: EventKind,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds; 0 for an instant.
    pub duration: f64,
    /// Side of the hand, for events of a hand and of the controller in a hand.
    pub side: Option<Side>,
    /// Name of the marker, of the target, of the joint, of the kind of damage, of the device or of its part. The name of a
    /// profile follows the name of the device and a space.
    pub name: Option<String>,
    /// Place at the onset in metres, or for a fixation its mean direction.
    pub position: Option<[f64; 3]>,
    /// Further properties that are known.
    pub properties: Vec<EventProperty>,
}

impl Event {
    pub(crate) fn new(kind: EventKind, start: f64, duration: f64) -> Event {
        Event {
            kind,
            start,
            duration,
            side: None,
            name: None,
            position: None,
            properties: Vec::new(),
        }
    }

    pub(crate) fn of_side(mut self, side: Side) -> Event {
        self.side = Some(side);
        self
    }

    pub(crate) fn named(mut self, name: impl Into<String>) -> Event {
        self.name = Some(name.into());
        self
    }

    pub(crate) fn at(mut self, position: Option<[f64; 3]>) -> Event {
        // Text formats cannot represent a number that is not finite.
        self.position = position.filter(|position| position.iter().all(|value| value.is_finite()));
        self
    }

    /// Sets the properties of the event. `values` are in the order of [`EventKind::properties`]. A value that is not
    /// finite is not known, and skipped.
    pub(crate) fn with(mut self, values: &[f64]) -> Event {
        let known = self.kind.properties().iter().zip(values);
        let known = known.filter(|(_, value)| value.is_finite());
        let property = |(&(name, unit), &value)| EventProperty { name, value, unit };
        self.properties = known.map(property).collect();
        self
    }

    /// Returns the value of the property with this name, such as `amplitude`, in the unit of [`EventKind::properties`].
    /// `None` if it is not known, or if events of this kind do not have it.
    pub fn property(&self, name: &str) -> Option<f64> {
        let found = self
            .properties
            .iter()
            .find(|property| property.name == name);
        found.map(|property| property.value)
    }
}
