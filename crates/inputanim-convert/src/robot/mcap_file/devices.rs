//! The devices of a recording as messages, bit for bit.

use std::sync::Arc;

use inputanim::{
    BooleanKey, Curve, CurveMut, CurvePath, Device, DeviceName, Element, FullKey, Haptic,
    InputCurve, Keys, Limits, ProfileChange, Recording, SimpleKey, WeightedMode, WrapMode,
};

use crate::shared::limits::{MAX_DEVICE_CURVES, check_limit};
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};

/// The number of keys in a message. Several messages fit into a chunk.
const KEYS: usize = 1 << 13;

/// The numbers of a full key in a message.
const FULL: usize = 6;

/// The profiles and haptic pulses of a device. The lists of each kind are as long as the list of its times.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "mcap-plain", derive(prost::Message))]
#[cfg_attr(not(feature = "mcap-plain"), derive(Debug, Default))]
pub(crate) struct DeviceMessage {
    /// The name, such as `right.controller`.
    #[cfg_attr(feature = "mcap-plain", prost(string, tag = "1"))]
    pub(crate) device: String,
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "2"))]
    pub(crate) profile_times: Vec<f32>,
    #[cfg_attr(feature = "mcap-plain", prost(bool, repeated, tag = "3"))]
    pub(crate) profile_active: Vec<bool>,
    /// The names of the profiles; empty where they are not known or the device is not active.
    #[cfg_attr(feature = "mcap-plain", prost(string, repeated, tag = "4"))]
    pub(crate) profile_names: Vec<String>,
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "5"))]
    pub(crate) haptic_times: Vec<f32>,
    #[cfg_attr(feature = "mcap-plain", prost(string, repeated, tag = "6"))]
    pub(crate) haptic_outputs: Vec<String>,
    /// NaN where the duration is not stated.
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "7"))]
    pub(crate) haptic_durations: Vec<f32>,
    /// NaN where the frequency is not stated.
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "8"))]
    pub(crate) haptic_frequencies: Vec<f32>,
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "9"))]
    pub(crate) haptic_amplitudes: Vec<f32>,
}

/// Some keys of a curve of a device, bit for bit.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "mcap-plain", derive(prost::Message))]
#[cfg_attr(not(feature = "mcap-plain"), derive(Debug, Default))]
pub(crate) struct DeviceCurve {
    /// The name, such as `right.controller.trigger.value`.
    #[cfg_attr(feature = "mcap-plain", prost(string, tag = "1"))]
    pub(crate) curve: String,
    #[cfg_attr(feature = "mcap-plain", prost(sint32, tag = "2"))]
    pub(crate) pre_wrap: i32,
    #[cfg_attr(feature = "mcap-plain", prost(sint32, tag = "3"))]
    pub(crate) post_wrap: i32,
    /// `simple`, `full` or `boolean`.
    #[cfg_attr(feature = "mcap-plain", prost(string, tag = "4"))]
    pub(crate) kind: String,
    /// The numbers of the keys, one key after the other: the time and the value; of full keys also the tangents and the weights.
    #[cfg_attr(feature = "mcap-plain", prost(float, repeated, tag = "5"))]
    pub(crate) numbers: Vec<f32>,
    /// The weighted modes of full keys.
    #[cfg_attr(feature = "mcap-plain", prost(sint32, repeated, tag = "6"))]
    pub(crate) weighted_modes: Vec<i32>,
}

/// Returns the message with the profiles and haptic pulses of a device.
pub(crate) fn message(device: &Device<'_>) -> DeviceMessage {
    let (profiles, haptics) = (device.profiles.iter(), device.haptics.iter());
    let optional = |number: Option<f32>| number.unwrap_or(f32::NAN);
    DeviceMessage {
        device: device.name.to_string(),
        profile_times: profiles.clone().map(|change| change.time).collect(),
        profile_active: profiles.clone().map(|change| change.active).collect(),
        profile_names: profiles
            .map(|change| change.profile.as_deref().unwrap_or_default().to_owned())
            .collect(),
        haptic_times: haptics.clone().map(|pulse| pulse.time).collect(),
        haptic_outputs: haptics
            .clone()
            .map(|pulse| pulse.output.as_str().to_owned())
            .collect(),
        haptic_durations: haptics
            .clone()
            .map(|pulse| optional(pulse.duration))
            .collect(),
        haptic_frequencies: haptics
            .clone()
            .map(|pulse| optional(pulse.frequency))
            .collect(),
        haptic_amplitudes: haptics.map(|pulse| pulse.amplitude).collect(),
    }
}

/// Returns the messages with the keys of a curve; one message for a curve without keys.
pub(crate) fn curves(path: CurvePath, curve: Curve<'_, '_>) -> impl Iterator<Item = DeviceCurve> {
    let (pre, post) = curve.wrap();
    let count = curve.len();
    (0..count.div_ceil(KEYS).max(1)).map(move |part| {
        let keys = part * KEYS..count.min((part + 1) * KEYS);
        let mut message = DeviceCurve {
            curve: path.to_string(),
            pre_wrap: pre.0,
            post_wrap: post.0,
            kind: curve.kind_name().to_owned(),
            ..DeviceCurve::default()
        };
        match curve {
            Curve::Boolean(curve) => {
                let keys = curve.keys[keys].iter();
                message.numbers = keys.flat_map(|key| [key.time(), key.value()]).collect();
            }
            Curve::Float(curve) => match &curve.keys {
                Keys::Simple(all) => {
                    let keys = all[keys].iter();
                    message.numbers = keys.flat_map(|key| [key.time(), key.value()]).collect();
                }
                Keys::Full(all) => {
                    let keys = &all[keys];
                    message.numbers = keys.iter().flat_map(numbers).collect();
                    message.weighted_modes = keys.iter().map(|key| key.weighted_mode().0).collect();
                }
            },
        }
        message
    })
}

fn numbers(key: &FullKey) -> [f32; FULL] {
    [
        key.time(),
        key.value(),
        key.in_tangent(),
        key.out_tangent(),
        key.in_weight(),
        key.out_weight(),
    ]
}

/// The devices of the messages of a file.
pub(crate) struct Devices {
    /// A recording that has only devices.
    recording: Recording<'static>,
    keys: u64,
    curves: u64,
}

impl Default for Devices {
    fn default() -> Devices {
        Devices {
            recording: Recording::new(inputanim::Layout::Mrtk1_1),
            keys: 0,
            curves: 0,
        }
    }
}

impl Devices {
    /// Adds the devices to a recording.
    pub(crate) fn give_to(self, recording: &mut Recording<'static>) {
        recording.devices = self.recording.devices;
    }

    /// Adds the profiles and haptic pulses of a device. Returns the cause if the message is not valid. A pulse that is not valid is
    /// dropped.
    pub(crate) fn add(&mut self, message: &DeviceMessage) -> Result<(), String> {
        let name: DeviceName = message
            .device
            .parse()
            .map_err(|error: inputanim::InvalidName| error.to_string())?;
        let mut profiles = Vec::new();
        let names = message.profile_active.iter().zip(&message.profile_names);
        for (&time, (&active, profile)) in message.profile_times.iter().zip(names) {
            let profile = Some(&**profile).filter(|profile| !profile.is_empty());
            profiles.push(ProfileChange {
                time,
                active,
                profile: profile.map(Arc::from),
            });
        }
        let optional = |numbers: &[f32], index: usize| {
            let number = numbers.get(index).copied();
            number.filter(|number| !number.is_nan())
        };
        let mut haptics = Vec::new();
        for (index, output) in message.haptic_outputs.iter().enumerate() {
            let number = |numbers: &[f32]| numbers.get(index).copied().unwrap_or(f32::NAN);
            haptics.push(Haptic {
                time: number(&message.haptic_times),
                output: output
                    .parse()
                    .map_err(|error: inputanim::InvalidName| error.to_string())?,
                duration: optional(&message.haptic_durations, index),
                frequency: optional(&message.haptic_frequencies, index),
                amplitude: number(&message.haptic_amplitudes),
            });
        }
        let mut inactive = profiles.iter().filter(|change| !change.active);
        let ignored = inactive.find_map(|change| change.profile.clone());
        // A pulse that is not valid does not cost the others.
        let invalid = haptics.iter().find_map(|pulse| pulse.check().err());
        let all = haptics.len();
        haptics.retain(|pulse| pulse.check().is_ok());
        let lost = counted(all - haptics.len(), "haptic pulse");
        let set = self.recording.set_device_events(name, profiles, haptics);
        set.map_err(|error| error.to_string())?;
        let dropped = invalid.map(|error| format!("{lost} of {name} dropped: {error}"));
        let ignored = ignored.map(|profile| {
            format!("the profile {profile} of {name} is ignored while it is not active")
        });
        let problems: Vec<String> = dropped.into_iter().chain(ignored).collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join("; "))
        }
    }

    /// Adds keys to a curve. Returns the cause if the message is not valid.
    ///
    /// # Errors
    /// When the keys or the curves exceed a limit.
    pub(crate) fn add_keys(
        &mut self,
        message: &DeviceCurve,
        limits: &Limits,
    ) -> Result<Result<(), String>, Error> {
        let path: CurvePath = match message.curve.parse() {
            Ok(path) if Element::from(path).device().is_some() => path,
            _ => {
                return Ok(Err(format!(
                    "{:?} is not a curve of a device",
                    message.curve
                )));
            }
        };
        if self.recording.curve(path).is_none() {
            self.curves += 1;
            check_limit(self.curves, MAX_DEVICE_CURVES, "curves of devices")?;
            match path {
                CurvePath::DevicePose(device, pose, _) => {
                    self.recording.device_mut(device).pose_mut(pose);
                }
                CurvePath::Input(device, input) => {
                    let curve = match &*message.kind {
                        "boolean" => InputCurve::Boolean(Default::default()),
                        _ => InputCurve::Float(Default::default()),
                    };
                    self.recording.device_mut(device).set_input(input, curve);
                }
                _ => {}
            }
        }
        let width = if message.kind == "full" { FULL } else { 2 };
        self.keys += (message.numbers.len() / width) as u64;
        check_limit(self.keys, limits.max_keys, "keys")?;
        let (pre, post) = (WrapMode(message.pre_wrap), WrapMode(message.post_wrap));
        let pairs = message.numbers.as_chunks::<2>().0.iter();
        match (self.recording.curve_mut(path), &*message.kind) {
            (Some(CurveMut::Boolean(curve)), "boolean") => {
                (curve.pre_wrap, curve.post_wrap) = (pre, post);
                let keys = pairs.map(|&[time, value]| BooleanKey::from_value(time, value));
                curve.keys.to_mut().extend(keys);
            }
            (Some(CurveMut::Float(curve)), "simple" | "full") => {
                (curve.pre_wrap, curve.post_wrap) = (pre, post);
                let is_full = message.kind == "full";
                if curve.keys.is_empty() {
                    curve.keys = if is_full {
                        Keys::Full(Vec::new().into())
                    } else {
                        Keys::Simple(Vec::new().into())
                    };
                }
                match &mut curve.keys {
                    Keys::Simple(keys) if !is_full => {
                        keys.to_mut()
                            .extend(pairs.map(|&[time, value]| SimpleKey::new(time, value)));
                    }
                    Keys::Full(keys) if is_full => {
                        let numbers = message.numbers.as_chunks::<FULL>().0.iter();
                        let numbers = numbers.zip(&message.weighted_modes);
                        keys.to_mut()
                            .extend(numbers.map(|(&[time, value, a, b, c, d], &mode)| {
                                FullKey::weighted(time, value, [a, b], [c, d], WeightedMode(mode))
                            }));
                    }
                    _ => return Ok(Err(format!("{path} has keys of two kinds"))),
                }
            }
            _ => return Ok(Err(format!("{path} cannot be of kind {:?}", message.kind))),
        }
        Ok(Ok(()))
    }
}

impl Devices {
    /// Adds the devices that are not in a hand to a recording.
    #[cfg(feature = "isaac")]
    pub(crate) fn give_others_to(mut self, recording: &mut Recording<'static>) {
        self.recording
            .devices
            .retain(|device| device.name.side().is_none());
        recording.devices.append(&mut self.recording.devices);
        recording.devices.sort_by_key(|device| device.name);
    }
}

/// The messages of devices that are not valid: the first cause and their number.
#[derive(Default)]
pub(crate) struct Wrong(Option<(String, usize)>);

impl Wrong {
    /// Counts a message that is not valid.
    pub(crate) fn note(&mut self, added: Result<(), String>) {
        if let Err(cause) = added {
            self.0.get_or_insert((cause, 0)).1 += 1;
        }
    }

    /// Adds the loss of these messages to a report.
    pub(crate) fn report(self, report: &mut Report) {
        if let Some((cause, count)) = self.0 {
            let messages = counted(count, "message");
            let message = format!("{messages} of devices that cannot be read; the first: {cause}");
            report.lose(LossKind::Damage, count, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_of_a_message_is_named_and_the_rest_is_read() {
        let name = "right.controller";
        let message = DeviceMessage {
            device: name.to_owned(),
            profile_times: vec![0.0, 1.0, 2.0],
            profile_active: vec![false, true, false],
            profile_names: ["", "index", "touch"].map(str::to_owned).into(),
            haptic_times: vec![0.5, 1.5],
            haptic_outputs: vec!["haptic".to_owned(); 2],
            haptic_durations: vec![f32::NAN; 2],
            haptic_frequencies: vec![f32::NAN; 2],
            haptic_amplitudes: vec![1.0, 2.0],
        };
        let mut devices = Devices::default();
        let problems = devices.add(&message).unwrap_err();
        assert!(
            problems.starts_with("1 haptic pulse of right.controller dropped: ")
                && problems.ends_with(
                    "the profile touch of right.controller is ignored while it is not active"
                ),
            "{problems}"
        );
        let device = devices.recording.device(name.parse().unwrap()).unwrap();
        assert_eq!((device.profiles.len(), device.haptics.len()), (3, 1));
    }
}
