//! The devices of a recording as messages, bit for bit.

use std::sync::Arc;

use inputanim::{
    BooleanKey, Curve, CurveMut, CurvePath, Device, DeviceName, Element, FullKey, Haptic,
    InputCurve, Keys, Limits, ProfileChange, Recording, SimpleKey, WeightedMode, WrapMode,
};

use super::messages::{DeviceCurve, DeviceMessage};
use crate::shared::Error;
use crate::shared::limits::{MAX_DEVICE_CURVES, check_limit};

/// The number of keys in a message. Several messages fit into a chunk.
const KEYS: usize = 1 << 13;

/// The numbers of a full key in a message.
const FULL: usize = 6;

/// Returns the message with the profiles and haptic pulses of a device.
pub(super) fn message(device: &Device<'_>) -> DeviceMessage {
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
pub(super) fn curves(path: CurvePath, curve: Curve<'_, '_>) -> impl Iterator<Item = DeviceCurve> {
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
pub(super) struct Devices {
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
    /// Gives the devices to a recording.
    pub(super) fn give_to(self, recording: &mut Recording<'static>) {
        recording.devices = self.recording.devices;
    }

    /// Adds the profiles and haptic pulses of a device. Returns the cause if the message is not valid.
    pub(super) fn add(&mut self, message: &DeviceMessage) -> Result<(), String> {
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
        let set = self.recording.set_device_events(name, profiles, haptics);
        set.map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Adds keys to a curve. Returns the cause if the message is not valid.
    ///
    /// # Errors
    /// When the keys or the curves exceed a limit.
    pub(super) fn add_keys(
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
