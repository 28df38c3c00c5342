//! The parts of a recording that no file of MRTK can hold: unknown values, texts and devices.
//!
//! A program that keeps a recording as the bytes of a file must keep these parts too. Devices have keys, so they are also converted
//! to bytes, bit for bit. Only the same version of this library can read these bytes, so files use JSON, MCAP or sessions instead.

use std::borrow::Cow;
use std::sync::Arc;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::about::About;
use crate::curve::{BooleanCurve, Curve, FloatCurve, Keys, WrapMode};
use crate::device::{Device, Haptic, InputCurve, InvalidDeviceEvents, InvalidName, ProfileChange};
use crate::known::Known;
use crate::pose::PoseCurves;
use crate::recording::Recording;

/// The parts of a recording that no file of MRTK can hold. Together with the bytes of a file, they are the complete
/// recording.
///
/// ```
/// use inputanim::{About, Layout, Recording};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.about.set(About::DEVICE, "HoloLens 2");
/// let parts = recording.take_parts();
/// let bytes = recording.to_bytes()?;
/// let again = Recording::parse(&bytes)?.with_parts(parts);
/// assert_eq!(again.about.get("device"), Some("HoloLens 2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Parts {
    /// The time ranges in which values are unknown.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "gaps", skip_serializing_if = "Known::is_complete")
    )]
    pub known: Known,
    /// Texts about the recording.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "About::is_empty"))]
    pub about: About,
    /// The controllers, trackers and other devices, in the order of their names. With serde, they are a string: their
    /// [bytes](Parts::device_bytes) in Base64.
    #[cfg_attr(
        feature = "serde",
        serde(with = "base64_devices", skip_serializing_if = "Vec::is_empty")
    )]
    pub devices: Vec<Device<'static>>,
}

/// The reason why bytes cannot be read as [devices](Parts::devices_of_bytes).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDevices {
    /// The bytes end too early, continue after the last device, or contain an invalid value.
    #[error("devices cannot be read: unexpected bytes at byte {0}")]
    Bytes(usize),
    /// The bytes are of another version of this library.
    #[error("devices are of version {0}, expected version {VERSION}")]
    Version(u8),
    /// A device, pose, input or output has an invalid name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A profile or a haptic pulse has a number that is not finite.
    #[error(transparent)]
    NotFinite(#[from] InvalidDeviceEvents),
}

/// The version of the form of devices as bytes, which is their first byte.
const VERSION: u8 = 1;

impl Parts {
    /// Returns `true` if there are no unknown values, texts and devices.
    pub fn is_empty(&self) -> bool {
        self.known.is_complete() && self.about.is_empty() && self.devices.is_empty()
    }

    /// Returns the devices as bytes, for another process or thread with the same version of this library. Without
    /// devices, the result is empty.
    ///
    /// ```
    /// use inputanim::{DeviceName, InputValue, Layout, Parts, Recording, Side};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// let right = recording.device_mut(DeviceName::controller(Side::Right));
    /// right.push_input("trigger/value".parse()?, 0.0, InputValue::Float(0.5));
    /// let parts = recording.take_parts();
    /// assert_eq!(Parts::devices_of_bytes(&parts.device_bytes())?, parts.devices);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn device_bytes(&self) -> Vec<u8> {
        Parts::bytes_of_devices(&self.devices)
    }

    /// Returns devices as bytes, as [`device_bytes`](Parts::device_bytes).
    pub fn bytes_of_devices(devices: &[Device<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        if !devices.is_empty() {
            bytes.push(VERSION);
            write_list(&mut bytes, devices, write_device);
        }
        bytes
    }

    /// Returns the devices of [bytes](Parts::device_bytes). They borrow their keys from the bytes.
    ///
    /// # Errors
    /// When the bytes are invalid or of another version.
    pub fn devices_of_bytes(bytes: &[u8]) -> Result<Vec<Device<'_>>, InvalidDevices> {
        match bytes {
            [] => Ok(Vec::new()),
            [VERSION, rest @ ..] => {
                let mut reader = Reader {
                    rest,
                    length: bytes.len(),
                };
                // The recording sorts the devices, and joins those of the same name.
                let mut recording = Recording::new(crate::layout::Layout::Mrtk1_1);
                for _ in 0..reader.count()? {
                    reader.device(&mut recording)?;
                }
                match reader.rest {
                    [] => Ok(recording.devices),
                    _ => Err(reader.unexpected()),
                }
            }
            [version, ..] => Err(InvalidDevices::Version(*version)),
        }
    }
}

impl<'a> Recording<'a> {
    /// Returns the parts that no file of MRTK can hold, and removes them. Borrowed keys of devices are copied.
    pub fn take_parts(&mut self) -> Parts {
        let devices = std::mem::take(&mut self.devices).into_iter();
        Parts {
            known: std::mem::take(&mut self.known),
            about: std::mem::take(&mut self.about),
            devices: devices.map(Device::into_owned).collect(),
        }
    }

    /// Returns the recording with other parts instead of its own.
    #[must_use]
    pub fn with_parts(self, parts: Parts) -> Self {
        Recording {
            known: parts.known,
            about: parts.about,
            devices: parts.devices,
            ..self
        }
    }

    /// Returns the recording with other parts instead of its own, and borrows the keys of their devices.
    #[must_use]
    pub fn with_borrowed_parts(self, parts: &'a Parts) -> Self {
        Recording {
            known: parts.known.clone(),
            about: parts.about.clone(),
            devices: parts.devices.iter().map(Device::borrowed).collect(),
            ..self
        }
    }
}

fn write_list<T>(bytes: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    bytes.extend((items.len() as u64).to_le_bytes());
    for item in items {
        write(bytes, item);
    }
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_list(bytes, text.as_bytes(), |bytes, byte| bytes.push(*byte));
}

fn write_number(bytes: &mut Vec<u8>, number: Option<f32>) {
    // No number of a device is NaN.
    bytes.extend(number.unwrap_or(f32::NAN).to_le_bytes());
}

fn write_device(bytes: &mut Vec<u8>, device: &Device<'_>) {
    write_text(bytes, device.name.as_str());
    write_list(bytes, &device.profiles, |bytes, change| {
        write_number(bytes, Some(change.time));
        bytes.push(u8::from(change.active));
        write_list(bytes, change.profile.as_slice(), |bytes, profile| {
            write_text(bytes, profile);
        });
    });
    write_list(bytes, &device.haptics, |bytes, pulse| {
        write_text(bytes, pulse.output.as_str());
        write_number(bytes, Some(pulse.time));
        write_number(bytes, pulse.duration);
        write_number(bytes, pulse.frequency);
        write_number(bytes, Some(pulse.amplitude));
    });
    write_list(bytes, &device.poses, |bytes, (name, pose)| {
        write_text(bytes, name.as_str());
        for (_, curve) in pose.iter() {
            write_curve(bytes, Curve::Float(curve));
        }
    });
    write_list(bytes, &device.inputs, |bytes, (name, input)| {
        write_text(bytes, name.as_str());
        write_curve(bytes, input.curve());
    });
}

const BOOLEAN: u8 = 0;
const SIMPLE: u8 = 1;
const FULL: u8 = 2;

fn write_curve(bytes: &mut Vec<u8>, curve: Curve<'_, '_>) {
    let (kind, keys) = match curve {
        Curve::Boolean(curve) => (BOOLEAN, curve.keys.as_bytes()),
        Curve::Float(curve) => match &curve.keys {
            Keys::Simple(keys) => (SIMPLE, keys.as_bytes()),
            Keys::Full(keys) => (FULL, keys.as_bytes()),
        },
    };
    let (pre_wrap, post_wrap) = curve.wrap();
    bytes.push(kind);
    bytes.extend(pre_wrap.0.to_le_bytes());
    bytes.extend(post_wrap.0.to_le_bytes());
    bytes.extend((curve.len() as u64).to_le_bytes());
    bytes.extend(keys);
}

/// Reads devices from bytes.
struct Reader<'b> {
    /// The bytes that are not read yet.
    rest: &'b [u8],
    /// The number of all bytes.
    length: usize,
}

impl<'b> Reader<'b> {
    fn unexpected(&self) -> InvalidDevices {
        InvalidDevices::Bytes(self.length - self.rest.len())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], InvalidDevices> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| self.unexpected())?;
        self.rest = rest;
        Ok(*array)
    }

    /// Reads the number of elements of a list. An element has at least one byte, so a larger number is an error.
    fn count(&mut self) -> Result<usize, InvalidDevices> {
        let count = u64::from_le_bytes(self.array()?);
        let count = usize::try_from(count).ok();
        let count = count.filter(|&count| count <= self.rest.len());
        count.ok_or_else(|| self.unexpected())
    }

    fn text(&mut self) -> Result<&'b str, InvalidDevices> {
        let count = self.count()?;
        let (text, rest) = self.rest.split_at(count);
        let text = std::str::from_utf8(text).map_err(|_| self.unexpected())?;
        self.rest = rest;
        Ok(text)
    }

    fn number(&mut self) -> Result<f32, InvalidDevices> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    fn optional(&mut self) -> Result<Option<f32>, InvalidDevices> {
        Ok(Some(self.number()?).filter(|number| !number.is_nan()))
    }

    fn device(&mut self, recording: &mut Recording<'b>) -> Result<(), InvalidDevices> {
        let name = self.text()?.parse()?;
        let mut profiles = Vec::new();
        for _ in 0..self.count()? {
            let time = self.number()?;
            let [active] = self.array()?;
            let mut profile = None;
            for _ in 0..self.count()? {
                profile = Some(Arc::from(self.text()?));
            }
            profiles.push(ProfileChange {
                time,
                active: active != 0,
                profile,
            });
        }
        let mut haptics = Vec::new();
        for _ in 0..self.count()? {
            haptics.push(Haptic {
                output: self.text()?.parse()?,
                time: self.number()?,
                duration: self.optional()?,
                frequency: self.optional()?,
                amplitude: self.number()?,
            });
        }
        recording.set_device_events(name, profiles, haptics)?;
        let device = recording.device_mut(name);
        for _ in 0..self.count()? {
            let pose: &mut PoseCurves<'_> = device.pose_mut(self.text()?.parse()?);
            for (_, channel) in pose.iter_mut() {
                match self.curve()? {
                    InputCurve::Float(curve) => *channel = curve,
                    InputCurve::Boolean(_) => return Err(self.unexpected()),
                }
            }
        }
        for _ in 0..self.count()? {
            let name = self.text()?.parse()?;
            device.set_input(name, self.curve()?);
        }
        Ok(())
    }

    fn curve(&mut self) -> Result<InputCurve<'b>, InvalidDevices> {
        let [kind] = self.array()?;
        let pre_wrap = WrapMode(i32::from_le_bytes(self.array()?));
        let post_wrap = WrapMode(i32::from_le_bytes(self.array()?));
        let count = self.count()?;
        let keys = match kind {
            BOOLEAN => {
                let keys = self.keys(count)?;
                return Ok(InputCurve::Boolean(BooleanCurve {
                    pre_wrap,
                    post_wrap,
                    keys,
                }));
            }
            SIMPLE => Keys::Simple(self.keys(count)?),
            FULL => Keys::Full(self.keys(count)?),
            _ => return Err(self.unexpected()),
        };
        Ok(InputCurve::Float(FloatCurve {
            pre_wrap,
            post_wrap,
            keys,
        }))
    }

    fn keys<K>(&mut self, count: usize) -> Result<Cow<'b, [K]>, InvalidDevices>
    where
        K: Clone + FromBytes + Immutable + KnownLayout,
    {
        let found = <[K]>::ref_from_prefix_with_elems(self.rest, count);
        let (keys, rest) = found.map_err(|_| self.unexpected())?;
        self.rest = rest;
        Ok(Cow::Borrowed(keys))
    }
}

/// Devices as text.
#[cfg(feature = "serde")]
mod base64_devices {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Device, Parts};

    pub(super) fn serialize<S: Serializer>(
        devices: &[Device<'static>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(Parts::bytes_of_devices(devices)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Device<'static>>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        let devices = Parts::devices_of_bytes(&bytes).map_err(D::Error::custom)?;
        Ok(devices.into_iter().map(Device::into_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceName;
    use crate::joint::Side;
    use crate::key::{FullKey, WeightedMode};
    use crate::layout::Layout;

    /// Returns a controller with every kind of curve, with values that text would not keep.
    fn parts() -> Parts {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let right = recording.device_mut(DeviceName::controller(Side::Right));
        right.set_profile(0.5, "index");
        right.set_inactive(1.5);
        right.haptics.push(Haptic {
            time: 0.25,
            output: "haptic".parse().unwrap(),
            duration: None,
            frequency: Some(160.0),
            amplitude: 0.75,
        });
        let mut stepped = FloatCurve::full([FullKey::weighted(
            f32::from_bits(1),
            f32::from_bits(0x7fc0_1234),
            [f32::INFINITY, f32::NEG_INFINITY],
            [0.5, -0.0],
            WeightedMode(7),
        )]);
        (stepped.pre_wrap, stepped.post_wrap) = (WrapMode(2), WrapMode(-3));
        right.pose_mut("aim".parse().unwrap()).rotation[3] = stepped;
        let trigger = FloatCurve::linear([(0.0, 0.1), (1.0, 0.2)]);
        right.set_input("trigger/value".parse().unwrap(), InputCurve::Float(trigger));
        let button = BooleanCurve::new([(0.0, true)]);
        right.set_input("a/click".parse().unwrap(), InputCurve::Boolean(button));
        recording.device_mut("tracker.waist".parse().unwrap());
        recording.take_parts()
    }

    #[test]
    fn devices_come_back_from_bytes() {
        let parts = parts();
        let bytes = parts.device_bytes();
        assert_eq!(Parts::devices_of_bytes(&bytes).unwrap(), parts.devices);
        assert!(Parts::default().device_bytes().is_empty());
        assert_eq!(Parts::devices_of_bytes(&[]).unwrap(), []);
        // A shorter or longer list is an error, and never a panic.
        for end in 1..bytes.len() {
            let error = Parts::devices_of_bytes(&bytes[..end]).unwrap_err();
            assert!(matches!(error, InvalidDevices::Bytes(_)), "{end}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        let error = Parts::devices_of_bytes(&longer).unwrap_err();
        assert_eq!(error, InvalidDevices::Bytes(bytes.len()));
        let error = Parts::devices_of_bytes(&[9, 0]).unwrap_err();
        assert_eq!(error, InvalidDevices::Version(9));
        for at in 1..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                _ = Parts::devices_of_bytes(&damaged);
            }
        }
    }

    #[test]
    fn parts_are_borrowed_or_moved_back() {
        let parts = parts();
        assert!(!parts.is_empty());
        let mut recording = Recording::new(Layout::Mrtk1_1).with_borrowed_parts(&parts);
        assert_eq!(recording.devices, parts.devices);
        assert_eq!(recording.take_parts(), parts);
        assert!(recording.devices.is_empty());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn devices_are_text_in_json() {
        let parts = parts();
        let text = serde_json::to_string(&parts).unwrap();
        assert!(text.starts_with(r#"{"devices":"AQ"#), "{text}");
        assert_eq!(serde_json::from_str::<Parts>(&text).unwrap(), parts);
        assert!(serde_json::from_str::<Parts>(r#"{"devices":"CQ=="}"#).is_err());
        let none = serde_json::to_string(&Parts::default()).unwrap();
        assert_eq!(none, "{}");
    }
}
