//! Content of a device that a format does not hold.

use std::fmt;

use super::{Device, DeviceName, InputName, PoseName};
use crate::curve::Curve;
use crate::element::Element;
use crate::time_range::TimeRange;

/// The number of poses and inputs that a message lists.
const LISTED: usize = 6;

/// Content of a device that a format does not hold. `Display` prints a line such as `right.controller: aim, trigger.value
/// (178 keys), 1 haptic pulse`. All interfaces print this line for a device of which something is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct DeviceLoss {
    /// The device.
    pub device: DeviceName,
    /// The poses with keys that the format does not hold.
    #[cfg_attr(feature = "serde", serde(serialize_with = "texts"))]
    pub poses: Vec<PoseName>,
    /// The inputs with keys that the format does not hold.
    #[cfg_attr(feature = "serde", serde(serialize_with = "texts"))]
    pub inputs: Vec<InputName>,
    /// Number of keys of these poses and inputs.
    pub keys: u64,
    /// Number of profile changes that the format does not hold.
    pub profiles: usize,
    /// Number of haptic pulses.
    pub haptics: usize,
}

impl DeviceLoss {
    /// Returns the content of a device for a format that holds only the elements for which `is_held` returns `true`, and no haptic
    /// pulses. The element of the profile stands for all changes of the profile. Poses and inputs without keys are no content.
    ///
    /// ```
    /// use inputanim::{Device, DeviceLoss, DeviceName, Element, InputValue, Side};
    /// let mut right = Device::new(DeviceName::controller(Side::Right));
    /// right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    /// right.push_input("trigger/value".parse()?, 0.0, InputValue::Float(0.5));
    /// let all = DeviceLoss::of(&right, |_| false);
    /// assert_eq!(all.to_string(), "right.controller: trigger.value (1 key), 1 profile change");
    /// let partly = DeviceLoss::of(&right, |element| matches!(element, Element::Profile(_)));
    /// assert_eq!(partly.to_string(), "right.controller: trigger.value (1 key)");
    /// assert!(DeviceLoss::of(&right, |_| true).is_empty());
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn of(device: &Device<'_>, is_held: impl Fn(Element) -> bool) -> DeviceLoss {
        DeviceLoss::counted(device, None, is_held)
    }

    /// Does what [`of`](DeviceLoss::of) does for the content in time ranges in seconds: the keys in them, the profiles that are in use
    /// in them, and the pulses that last at some time of them. The ranges must be in order and must not overlap: see
    /// [`TimeRange::union`]. A pose or input with keys at other times only is listed too, because it has values in the ranges.
    ///
    /// ```
    /// use inputanim::{Device, DeviceLoss, DeviceName, InputValue, Side, TimeRange};
    /// let mut right = Device::new(DeviceName::controller(Side::Right));
    /// right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    /// for time in [0.0, 1.0, 2.0] {
    ///     right.push_input("trigger/value".parse()?, time, InputValue::Float(time));
    /// }
    /// let range = TimeRange { start: 0.5, end: 2.0 };
    /// let loss = DeviceLoss::within(&right, &[range], |_| false);
    /// assert_eq!(loss.to_string(), "right.controller: trigger.value (2 keys), 1 profile change");
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn within(
        device: &Device<'_>,
        ranges: &[TimeRange],
        is_held: impl Fn(Element) -> bool,
    ) -> DeviceLoss {
        DeviceLoss::counted(device, Some(ranges), is_held)
    }

    fn counted(
        device: &Device<'_>,
        ranges: Option<&[TimeRange]>,
        is_held: impl Fn(Element) -> bool,
    ) -> DeviceLoss {
        // Content that begins in a range, or before it and lasts beyond its start.
        let is_within = |start: f32, end: f32| {
            let is_in = |range: &TimeRange| {
                start <= range.end && (start >= range.start || end > range.start)
            };
            ranges.is_none_or(|ranges| ranges.iter().any(is_in))
        };
        let keys_of = |curve: Curve<'_, '_>| match ranges {
            None => curve.len() as u64,
            Some(_) => curve.count_times(|time| is_within(time, time)) as u64,
        };
        let mut loss = DeviceLoss {
            device: device.name,
            poses: Vec::new(),
            inputs: Vec::new(),
            keys: 0,
            profiles: 0,
            haptics: 0,
        };
        let pulses = device.haptics.iter();
        let pulses = pulses
            .filter(|pulse| is_within(pulse.time, pulse.time + pulse.duration.unwrap_or_default()));
        loss.haptics = pulses.count();
        for (name, pose) in &device.poses {
            if !pose.is_empty() && !is_held(Element::DevicePose(device.name, *name)) {
                loss.poses.push(*name);
                let curves = pose.iter().map(|(_, curve)| Curve::Float(curve));
                loss.keys += curves.map(keys_of).sum::<u64>();
            }
        }
        for (name, input) in &device.inputs {
            let curve = input.curve();
            if !curve.is_empty() && !is_held(Element::Input(device.name, *name)) {
                loss.inputs.push(*name);
                loss.keys += keys_of(curve);
            }
        }
        if !is_held(Element::Profile(device.name)) {
            let ends = device.profiles.iter().skip(1).map(|next| next.time);
            let ends = ends.chain([f32::INFINITY]);
            let uses = device.profiles.iter().zip(ends);
            loss.profiles = uses
                .filter(|(change, end)| is_within(change.time, *end))
                .count();
        }
        loss
    }

    /// Returns `true` if the format holds all content of the device.
    pub const fn is_empty(&self) -> bool {
        self.poses.is_empty() && self.inputs.is_empty() && self.profiles == 0 && self.haptics == 0
    }
}

impl fmt::Display for DeviceLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.device)?;
        if self.is_empty() {
            // Such a device is only a name.
            return f.write_str("a device without values");
        }
        let poses = self.poses.iter().map(PoseName::to_string);
        let mut names: Vec<String> = poses
            .chain(self.inputs.iter().map(InputName::to_string))
            .collect();
        let others = names.split_off(names.len().min(LISTED)).len();
        let mut parts = Vec::new();
        if !names.is_empty() {
            let mut text = names.join(", ");
            if others > 0 {
                text += &format!(" and {others} more");
            }
            parts.push(format!("{text} ({})", counted(self.keys, "key")));
        }
        for (count, noun) in [
            (self.profiles, "profile change"),
            (self.haptics, "haptic pulse"),
        ] {
            parts.extend((count > 0).then(|| counted(count as u64, noun)));
        }
        f.write_str(&parts.join(", "))
    }
}

fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(feature = "serde")]
fn texts<S: serde::Serializer>(
    names: &[impl fmt::Display],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names.iter().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::InputValue;
    use crate::joint::Side;

    #[test]
    fn a_line_lists_the_first_names_and_counts_the_others() {
        let mut device = Device::new(DeviceName::controller(Side::Left));
        assert_eq!(
            DeviceLoss::of(&device, |_| false).to_string(),
            "left.controller: a device without values"
        );
        for index in 0..8 {
            let name = format!("b{index}/click").parse().unwrap();
            device.push_input(name, 0.0, InputValue::Boolean(true));
        }
        device.pose_mut("aim".parse().unwrap());
        assert_eq!(
            DeviceLoss::of(&device, |_| false).to_string(),
            "left.controller: b0.click, b1.click, b2.click, b3.click, b4.click, b5.click and 2 more (8 keys)"
        );
    }
}
