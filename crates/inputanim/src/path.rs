//! The names of curves and streams, such as `left.IndexTip.rotation.w`.

use std::fmt;
use std::str::FromStr;

use crate::device::{DeviceName, InputName, PoseName, from_dots};
use crate::joint::{Joint, Side};

macro_rules! channels {
    ($(#[$doc:meta])* $channel:ident { $($variant:ident => $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $channel {
            $(#[doc = concat!("`", $name, "`")] $variant),*
        }

        impl $channel {
            /// Every channel in file order.
            pub const ALL: [$channel; [$($name),*].len()] = [$($channel::$variant),*];

            /// Returns the last part of the curve's name, such as `position.x` or `direction.z`.
            pub const fn name(self) -> &'static str {
                match self { $($channel::$variant => $name),* }
            }

            fn find(name: &str) -> Option<$channel> {
                $channel::ALL.into_iter().find(|channel| channel.name() == name)
            }
        }
    };
}

channels! {
    /// One of the seven curves of a pose (docs/format.md, section 2.1).
    PoseChannel {
        PositionX => "position.x",
        PositionY => "position.y",
        PositionZ => "position.z",
        RotationX => "rotation.x",
        RotationY => "rotation.y",
        RotationZ => "rotation.z",
        RotationW => "rotation.w",
    }
}

channels! {
    /// One of the six curves of a ray (docs/format.md, section 2.2).
    RayChannel {
        OriginX => "origin.x",
        OriginY => "origin.y",
        OriginZ => "origin.z",
        DirectionX => "direction.x",
        DirectionY => "direction.y",
        DirectionZ => "direction.z",
    }
}

/// The name of a curve.
///
/// ```
/// use inputanim::{CurvePath, Joint, PoseChannel, Side};
/// let path: CurvePath = "left.IndexTip.rotation.w".parse()?;
/// assert_eq!(path, CurvePath::Joint(Side::Left, Joint::IndexTip, PoseChannel::RotationW));
/// assert_eq!(path.to_string(), "left.IndexTip.rotation.w");
/// # Ok::<(), inputanim::UnknownCurve>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurvePath {
    /// `head.position.x` …
    Head(PoseChannel),
    /// `left.tracked`, `right.tracked`
    Tracked(Side),
    /// `left.pinching`, `right.pinching`
    Pinching(Side),
    /// `left.IndexTip.rotation.w` …
    Joint(Side, Joint, PoseChannel),
    /// `gaze.origin.x` …
    Gaze(RayChannel),
    /// `right.controller.aim.position.x` …: a pose of a device.
    DevicePose(DeviceName, PoseName, PoseChannel),
    /// `right.controller.trigger.value` …: an input of a device.
    Input(DeviceName, InputName),
}

impl CurvePath {
    /// Returns the stream of the curve.
    pub const fn stream(self) -> Stream {
        match self {
            CurvePath::Head(_) => Stream::Head,
            CurvePath::Tracked(side) => Stream::Tracked(side),
            CurvePath::Pinching(side) => Stream::Pinching(side),
            CurvePath::Joint(side, ..) => Stream::Joints(side),
            CurvePath::Gaze(_) => Stream::Gaze,
            CurvePath::DevicePose(device, ..) | CurvePath::Input(device, _) => {
                Stream::Device(device)
            }
        }
    }
}

impl fmt::Display for CurvePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CurvePath::Head(channel) => write!(f, "head.{}", channel.name()),
            CurvePath::Tracked(side) => write!(f, "{side}.tracked"),
            CurvePath::Pinching(side) => write!(f, "{side}.pinching"),
            CurvePath::Joint(side, joint, channel) => {
                write!(f, "{side}.{joint}.{}", channel.name())
            }
            CurvePath::Gaze(channel) => write!(f, "gaze.{}", channel.name()),
            CurvePath::DevicePose(device, pose, channel) => {
                write!(f, "{device}.{pose}.{}", channel.name())
            }
            CurvePath::Input(device, input) => write!(f, "{device}.{input}"),
        }
    }
}

/// A string that is not the name of a curve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown curve \"{0}\"; {expected}", expected = expected(.0))]
pub struct UnknownCurve(String);

/// Returns what the name of a curve looks like, for the error about a text.
fn expected(text: &str) -> String {
    match DeviceName::split(text) {
        Some((device, _)) => format!(
            "the part of a device has two words or more: a pose such as `{device}.grip.position.x`, an input such as \
             `{device}.trigger.value`"
        ),
        None => "expected a name such as `head.position.x`, `left.tracked`, `right.IndexTip.rotation.w`, `gaze.direction.z` or \
                 `right.controller.trigger.value`"
            .to_owned(),
    }
}

impl FromStr for CurvePath {
    type Err = UnknownCurve;

    fn from_str(text: &str) -> Result<CurvePath, UnknownCurve> {
        let parse = || {
            if let Some((device, rest)) = DeviceName::split(text) {
                return device_curve(device, rest);
            }
            // The names of channels contain a dot, so the text is split from the front.
            let (head, rest) = text.split_once('.')?;
            let side = match head {
                "head" | "camera" => return PoseChannel::find(rest).map(CurvePath::Head),
                "gaze" => return RayChannel::find(rest).map(CurvePath::Gaze),
                "left" => Side::Left,
                "right" => Side::Right,
                _ => return None,
            };
            match rest {
                "tracked" => return Some(CurvePath::Tracked(side)),
                "pinching" => return Some(CurvePath::Pinching(side)),
                _ => {}
            }
            let (joint, channel) = rest.split_once('.')?;
            let joint = joint.parse().ok()?;
            Some(CurvePath::Joint(side, joint, PoseChannel::find(channel)?))
        };
        parse().ok_or_else(|| UnknownCurve(text.to_owned()))
    }
}

/// Returns the curve of a device with a name such as `aim.position.x` or `trigger.value`.
fn device_curve(device: DeviceName, name: &str) -> Option<CurvePath> {
    let mut channels = PoseChannel::ALL.into_iter();
    let of_pose = channels.find_map(|channel| {
        let pose = name.strip_suffix(channel.name())?.strip_suffix('.')?;
        Some((pose, channel))
    });
    Some(match of_pose {
        Some((pose, channel)) => CurvePath::DevicePose(device, from_dots(pose)?, channel),
        None => CurvePath::Input(device, from_dots(name)?),
    })
}

/// A group of curves that are recorded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// The head: 7 curves.
    Head,
    /// The tracking state of a hand: 1 curve.
    Tracked(Side),
    /// The pinch state of a hand: 1 curve.
    Pinching(Side),
    /// The joints of a hand: 27 × 7 curves.
    Joints(Side),
    /// The gaze: 6 curves.
    Gaze,
    /// A device: its poses and inputs.
    Device(DeviceName),
}

impl Stream {
    /// Every stream of a file of MRTK, in file order: all but those of devices.
    pub const ALL: [Stream; 8] = [
        Stream::Head,
        Stream::Tracked(Side::Left),
        Stream::Tracked(Side::Right),
        Stream::Pinching(Side::Left),
        Stream::Pinching(Side::Right),
        Stream::Joints(Side::Left),
        Stream::Joints(Side::Right),
        Stream::Gaze,
    ];

    /// Returns the name of the stream, such as `head`, `left.tracked`, `left.joints` or `gaze`.
    pub const fn name(self) -> &'static str {
        match self {
            Stream::Head => "head",
            Stream::Tracked(Side::Left) => "left.tracked",
            Stream::Tracked(Side::Right) => "right.tracked",
            Stream::Pinching(Side::Left) => "left.pinching",
            Stream::Pinching(Side::Right) => "right.pinching",
            Stream::Joints(Side::Left) => "left.joints",
            Stream::Joints(Side::Right) => "right.joints",
            Stream::Gaze => "gaze",
            Stream::Device(device) => device.as_str(),
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_parses_to_the_same_curve() {
        for text in [
            "head.rotation.w",
            "left.tracked",
            "right.pinching",
            "left.None.position.x",
            "right.PinkyTip.rotation.z",
            "gaze.direction.y",
            "right.controller.aim.position.x",
            "left.controller.trigger.value",
            "tracker.waist.pose.rotation.w",
            "device.gamepad.a.click",
        ] {
            let path: CurvePath = text.parse().unwrap();
            assert_eq!(path.to_string(), text);
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        for text in [
            "",
            "head",
            "camera",
            "head.origin.x",
            "gaze.rotation.x",
            "left",
            "left.Thumb.position.x",
            "left.controller",
            "left.controller.",
            "left.controller.position.x",
            "left.controller.Trigger.value",
            "right.controller.profile",
            "waist.pose.position.x",
        ] {
            assert!(text.parse::<CurvePath>().is_err(), "{text}");
        }
    }
}
