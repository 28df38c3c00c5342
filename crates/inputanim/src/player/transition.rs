//! Transitions during playback.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::device::{DeviceName, Haptic, InputName};
use crate::joint::Side;

/// A change during playback: a hand is found or lost, a pinch starts or ends, a marker is reached, or a device changes: it becomes
/// active or inactive, its profile changes, a button is pressed or released, or a haptic pulse starts.
///
/// With the feature `serde`, it is an object with `time`, `kind`, `side` and `name`. A haptic pulse also has the `amplitude`, and
/// the `duration` and the `frequency` if they are known.
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
    /// A device became active. A device is not active while nothing is known about it.
    Connected(DeviceName),
    /// A device is no longer active.
    Disconnected(DeviceName),
    /// The interaction profile of an active device changed; `None` if it is no longer known.
    ProfileChanged(DeviceName, Option<Arc<str>>),
    /// An input that is on or off, such as a button, was pressed. Inputs with numbers, such as a trigger, are not reported.
    PressDown(DeviceName, InputName),
    /// An input that is on or off was released, or is no longer known.
    PressUp(DeviceName, InputName),
    /// Playback reached the start of a haptic pulse.
    HapticPulse(DeviceName, Haptic),
}

impl TransitionKind {
    /// Returns the name of the kind: `found`, `lost`, `pinch_down`, `pinch_up`, `marker`, `connected`, `disconnected`, `profile`,
    /// `press_down`, `press_up` or `haptic`.
    pub const fn name(&self) -> &'static str {
        match self {
            TransitionKind::TrackingGained(_) => "found",
            TransitionKind::TrackingLost(_) => "lost",
            TransitionKind::PinchDown(_) => "pinch_down",
            TransitionKind::PinchUp(_) => "pinch_up",
            TransitionKind::Marker(_) => "marker",
            TransitionKind::Connected(_) => "connected",
            TransitionKind::Disconnected(_) => "disconnected",
            TransitionKind::ProfileChanged(..) => "profile",
            TransitionKind::PressDown(..) => "press_down",
            TransitionKind::PressUp(..) => "press_up",
            TransitionKind::HapticPulse(..) => "haptic",
        }
    }

    /// Returns the side of the hand that changed, or of the hand with the controller that changed; `None` for a marker and for
    /// another device.
    pub fn side(&self) -> Option<Side> {
        match self {
            TransitionKind::TrackingGained(side)
            | TransitionKind::TrackingLost(side)
            | TransitionKind::PinchDown(side)
            | TransitionKind::PinchUp(side) => Some(*side),
            _ => self.device().and_then(DeviceName::side),
        }
    }

    /// Returns the device that changed; `None` for a hand and for a marker.
    pub const fn device(&self) -> Option<DeviceName> {
        match self {
            TransitionKind::Connected(device)
            | TransitionKind::Disconnected(device)
            | TransitionKind::ProfileChanged(device, _)
            | TransitionKind::PressDown(device, _)
            | TransitionKind::PressUp(device, _)
            | TransitionKind::HapticPulse(device, _) => Some(*device),
            _ => None,
        }
    }

    /// Returns the name of the marker, of the device or of its part; `None` for an event of a hand. The name of a profile follows
    /// the name of the device and a space: `right.controller /interaction_profiles/valve/index_controller`.
    pub fn subject(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            TransitionKind::Marker(name) => Cow::Borrowed(name),
            TransitionKind::Connected(device)
            | TransitionKind::Disconnected(device)
            | TransitionKind::ProfileChanged(device, None) => Cow::Borrowed(device.as_str()),
            TransitionKind::ProfileChanged(device, Some(profile)) => {
                format!("{device} {profile}").into()
            }
            TransitionKind::PressDown(device, input) | TransitionKind::PressUp(device, input) => {
                format!("{device}.{input}").into()
            }
            TransitionKind::HapticPulse(device, pulse) => {
                format!("{device}.{}", pulse.output).into()
            }
            TransitionKind::TrackingGained(_)
            | TransitionKind::TrackingLost(_)
            | TransitionKind::PinchDown(_)
            | TransitionKind::PinchUp(_) => return None,
        })
    }

    /// Returns the haptic pulse; `None` for all other kinds.
    pub const fn haptic(&self) -> Option<&Haptic> {
        match self {
            TransitionKind::HapticPulse(_, pulse) => Some(pulse),
            _ => None,
        }
    }

    /// Returns the name of the marker; `None` for all other kinds.
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
        let haptic = self.kind.haptic();
        let [duration, frequency] = [
            haptic.and_then(|h| h.duration),
            haptic.and_then(|h| h.frequency),
        ];
        let numbers = [
            ("duration", duration),
            ("frequency", frequency),
            ("amplitude", haptic.map(|haptic| haptic.amplitude)),
        ];
        let known = || {
            numbers
                .iter()
                .filter_map(|(name, value)| Some((*name, (*value)?)))
        };
        let mut object = serializer.serialize_struct("Transition", 4 + known().count())?;
        object.serialize_field("time", &self.time)?;
        object.serialize_field("kind", self.kind.name())?;
        object.serialize_field("side", &self.kind.side())?;
        object.serialize_field("name", &self.kind.subject())?;
        for (name, value) in known() {
            object.serialize_field(name, &value)?;
        }
        object.end()
    }
}

impl fmt::Display for TransitionKind {
    /// Writes `left hand found`, `right pinch down`, `marker "start"` or `right.controller.a.click down`, for example.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransitionKind::TrackingGained(side) => write!(f, "{side} hand found"),
            TransitionKind::TrackingLost(side) => write!(f, "{side} hand lost"),
            TransitionKind::PinchDown(side) => write!(f, "{side} pinch down"),
            TransitionKind::PinchUp(side) => write!(f, "{side} pinch up"),
            TransitionKind::Marker(name) => write!(f, "marker {name:?}"),
            TransitionKind::Connected(device) => write!(f, "{device} connected"),
            TransitionKind::Disconnected(device) => write!(f, "{device} disconnected"),
            TransitionKind::ProfileChanged(device, None) => write!(f, "{device} profile unknown"),
            TransitionKind::ProfileChanged(device, Some(profile)) => {
                // A profile comes from a file, and could contain control characters.
                write!(f, "{device} profile {}", profile.escape_debug())
            }
            TransitionKind::PressDown(device, input) => write!(f, "{device}.{input} down"),
            TransitionKind::PressUp(device, input) => write!(f, "{device}.{input} up"),
            TransitionKind::HapticPulse(device, pulse) => {
                write!(f, "{device}.{} amplitude {}", pulse.output, pulse.amplitude)?;
                if let Some(seconds) = pulse.duration {
                    write!(f, ", {seconds} s")?;
                }
                match pulse.frequency {
                    Some(frequency) => write!(f, ", {frequency} Hz"),
                    None => Ok(()),
                }
            }
        }
    }
}
