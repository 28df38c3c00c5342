//! The names of devices and of their poses and inputs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::joint::Side;
use crate::path::PoseChannel;

/// A name that is in memory once, so that paths of curves are small and can be copied.
type Interned = &'static &'static str;

/// The largest number of different names in a process. Their memory is never freed, and files that are made to harm must not use
/// all memory. All names that programs use together are far fewer.
const MAX_NAMES: usize = 1 << 16;

/// Returns a name as it is in memory; `None` if it is new and there are too many.
fn intern(text: &str) -> Option<Interned> {
    static NAMES: Mutex<BTreeMap<&str, Interned>> = Mutex::new(BTreeMap::new());
    // The map is complete after each operation, so a panic of another thread does no harm.
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = names.get(text) {
        return Some(name);
    }
    if names.len() >= MAX_NAMES {
        return None;
    }
    let text: &'static str = Box::leak(Box::from(text));
    let name: Interned = Box::leak(Box::new(text));
    names.insert(text, name);
    Some(name)
}

static LEFT_CONTROLLER: &str = "left.controller";
static RIGHT_CONTROLLER: &str = "right.controller";
static HEADSET: &str = crate::headset::NAME;

/// The name of a device: `left.controller` or `right.controller` for the controller of a hand; `tracker.waist` for a tracker;
/// `device.gamepad` for another device. The last part of a tracker or another device is a word of small letters, digits, `_` and
/// `-`. A name has at most 32 letters.
///
/// ```
/// use inputanim::{DeviceName, Side};
/// assert_eq!(DeviceName::controller(Side::Left).as_str(), "left.controller");
/// let waist: DeviceName = "tracker.waist".parse()?;
/// assert_eq!(waist.side(), None);
/// assert!("waist".parse::<DeviceName>().is_err());
/// # Ok::<(), inputanim::InvalidName>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceName(Interned);

/// Returns the name of a pose or an input that is written with dots between its words.
pub(crate) fn from_dots<N: FromStr>(text: &str) -> Option<N> {
    // A slash would be accepted as well.
    let text = (!text.contains('/')).then(|| text.replace('.', "/"))?;
    text.parse().ok()
}

/// Returns `true` for the names of channels, such as `position/x`, and for names that end with them: `aim/position/x` is a curve of
/// a pose, and not an input.
fn is_channel(text: &str) -> bool {
    PoseChannel::ALL.into_iter().any(|channel| {
        let (vector, axis) = channel.name().split_once('.').unwrap_or_default();
        let rest = text
            .strip_suffix(axis)
            .and_then(|rest| rest.strip_suffix('/'));
        let rest = rest.and_then(|rest| rest.strip_suffix(vector));
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

macro_rules! component_names {
    ($($(#[$doc:meta])* $name:ident: $count:literal.., $error:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(Interned);

            impl $name {
                /// Returns the name with `/` between its words, as in OpenXR.
                pub const fn as_str(&self) -> &'static str {
                    self.0
                }
            }

            impl FromStr for $name {
                type Err = InvalidName;

                fn from_str(text: &str) -> Result<$name, InvalidName> {
                    let words = text.split('/').count();
                    let is_valid = text.len() <= MAX_COMPONENT
                        && text.split('/').all(is_word)
                        && ($count..).contains(&words)
                        && ($count > 1 || words == 1)
                        && text != PROFILE
                        && !is_channel(text);
                    if !is_valid {
                        return Err(InvalidName::$error(text.to_owned()));
                    }
                    intern(text).map($name).ok_or(InvalidName::TooMany)
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.pad(&self.as_str().replace('/', "."))
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(self.as_str(), f)
                }
            }
        )*
    };
}

component_names! {
    /// The name of a pose of a device, as in OpenXR's paths after `/input/` and without `/pose` at the end: `grip`, `aim`. It is a word
    /// of small letters, digits, `_` and `-`, and has at most 48 letters.
    ///
    /// ```
    /// use inputanim::PoseName;
    /// let aim: PoseName = "aim".parse()?;
    /// assert_eq!(aim.as_str(), "aim");
    /// assert!("aim/pose".parse::<PoseName>().is_err());
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    PoseName: 1.., Pose
    /// The name of an input of a device, as in OpenXR's paths after `/input/`: `trigger/value`, `a/click`. It has two words or more, of
    /// small letters, digits, `_` and `-`, with `/` between them, and at most 48 letters. In the names of curves, the words have dots
    /// between them: `right.controller.trigger.value`.
    ///
    /// ```
    /// use inputanim::InputName;
    /// let trigger: InputName = "trigger/value".parse()?;
    /// assert_eq!(trigger.as_str(), "trigger/value");
    /// assert_eq!(trigger.to_string(), "trigger.value");
    /// assert!("trigger".parse::<InputName>().is_err());
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    InputName: 2.., Input
    /// The name of a part of a device that vibrates, as in OpenXR's paths after `/output/`: `haptic`, `haptic_trigger`. It is a word of
    /// small letters, digits, `_` and `-`, and has at most 48 letters.
    OutputName: 1.., Output
}

const MAX_DEVICE: usize = 32;
const MAX_COMPONENT: usize = 48;

/// The kinds of devices that have a name of their own, as the first part of their names.
const KINDS: [&str; 2] = ["tracker", "device"];
const CONTROLLER: &str = "controller";
/// The name of what is not a pose: the profile of a device.
pub(crate) const PROFILE: &str = "profile";

/// A text that is not the name of a device, or of a pose or an input of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// The text is not the name of a device.
    #[error(
        "invalid name of a device \"{0}\"; expected left.controller, right.controller, or a name such as tracker.waist or device.gamepad, of at most {MAX_DEVICE} letters (a to z, 0 to 9, _, -)"
    )]
    Device(String),
    /// The text is not the name of a pose.
    #[error(
        "invalid name of a pose \"{0}\"; expected a word such as grip or aim, of at most {MAX_COMPONENT} letters (a to z, 0 to 9, _, -)"
    )]
    Pose(String),
    /// The text is not the name of an input.
    #[error(
        "invalid name of an input \"{0}\"; expected two words such as trigger/value or a/click, of at most {MAX_COMPONENT} letters (a to z, 0 to 9, _, -)"
    )]
    Input(String),
    /// The text is not the name of an output.
    #[error(
        "invalid name of an output \"{0}\"; expected a word such as haptic, of at most {MAX_COMPONENT} letters (a to z, 0 to 9, _, -)"
    )]
    Output(String),
    /// The process has read too many different names.
    #[error(
        "too many different names of devices, poses and inputs: more than {MAX_NAMES} since the program was started"
    )]
    TooMany,
}

fn is_word(text: &str) -> bool {
    let is_letter = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    !text.is_empty() && text.bytes().all(is_letter)
}

impl DeviceName {
    /// Returns the name of the controller in a hand.
    pub const fn controller(side: Side) -> DeviceName {
        DeviceName(match side {
            Side::Left => &LEFT_CONTROLLER,
            Side::Right => &RIGHT_CONTROLLER,
        })
    }

    /// Returns the name of the device of the headset.
    pub(crate) const fn headset() -> DeviceName {
        DeviceName(&HEADSET)
    }

    /// Returns the hand of a controller; `None` for other devices.
    pub fn side(self) -> Option<Side> {
        let mut sides = Side::BOTH.into_iter();
        sides.find(|&side| self == DeviceName::controller(side))
    }

    /// Returns the name as text.
    pub const fn as_str(&self) -> &'static str {
        self.0
    }

    /// Divides a name such as `right.controller.trigger.value` into the name of a device and the rest, `trigger.value`, which is
    /// empty if the text is the name of a device. Returns `None` if it does not begin with the name of a device.
    pub(crate) fn split(text: &str) -> Option<(DeviceName, &str)> {
        let (kind, rest) = text.split_once('.')?;
        let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
        let is_side = Side::BOTH.into_iter().any(|side| side.name() == kind);
        let is_device = if is_side {
            name == CONTROLLER
        } else {
            KINDS.contains(&kind) && is_word(name)
        };
        let text = &text[..kind.len() + 1 + name.len()];
        if !is_device || text.len() > MAX_DEVICE {
            return None;
        }
        Some((DeviceName(intern(text)?), rest))
    }
}

impl FromStr for DeviceName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<DeviceName, InvalidName> {
        match DeviceName::split(text) {
            Some((name, "")) if !text.ends_with('.') => Ok(name),
            _ => Err(InvalidName::Device(text.to_owned())),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_have_two_parts() {
        for text in [
            "left.controller",
            "right.controller",
            "tracker.left_foot",
            "device.gamepad",
        ] {
            assert_eq!(text.parse::<DeviceName>().unwrap().as_str(), text);
        }
        for text in [
            "",
            "left",
            "left.",
            "left.Palm",
            "left.stick",
            "head.controller",
            "tracker",
            "tracker.",
            "tracker.Waist",
            "tracker.waist.",
            "tracker.waist.aim",
            "device.a b",
            "tracker.a_name_that_is_much_too_long",
        ] {
            assert!(text.parse::<DeviceName>().is_err(), "{text}");
        }
        let long = format!("tracker.{}", "a".repeat(MAX_DEVICE - "tracker.".len()));
        assert_eq!(long.parse::<DeviceName>().unwrap().to_string(), long);
    }

    #[test]
    fn names_of_components_are_those_of_openxr() {
        for name in crate::device::COMPONENTS {
            let is_pose = name.parse::<PoseName>().is_ok();
            assert_eq!(name.parse::<InputName>().is_ok(), !is_pose, "{name}");
        }
        let long = format!("a/{}", "a".repeat(MAX_COMPONENT));
        for text in [
            "",
            "/",
            "trigger",
            "trigger/",
            "/input",
            "trigger.value",
            "A/click",
            "a//b",
            "position/x",
            "aim/rotation/w",
            &long,
        ] {
            assert!(text.parse::<InputName>().is_err(), "{text}");
        }
        for text in ["", "Aim", "aim/pose", "profile", "aim.x"] {
            assert!(text.parse::<PoseName>().is_err(), "{text}");
        }
        // The order of names is that of their letters.
        let [a, b]: [InputName; 2] = ["a/click", "a/touch"].map(|text| text.parse().unwrap());
        assert!(a < b);
    }
}
