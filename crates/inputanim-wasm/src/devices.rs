//! Devices: the numbers of a frame, descriptions, and frames for a recorder.

use inputanim::{DeviceName, Frame, InputName, PoseChannel, PoseName, Recording};

/// A number of a device.
enum Column {
    Active(DeviceName),
    Pose(DeviceName, PoseName, PoseChannel),
    Input(DeviceName, InputName),
}

/// The numbers of the devices of a recording, in order: for each device its state, the curves of its poses, and its inputs.
#[derive(Default)]
pub(crate) struct DeviceColumns {
    columns: Vec<Column>,
    /// The numbers of the last frame.
    values: Vec<f32>,
}

impl DeviceColumns {
    pub(crate) fn of(recording: &Recording<'_>) -> DeviceColumns {
        let mut columns = Vec::new();
        for device in &recording.devices {
            columns.push(Column::Active(device.name));
            for (pose, _) in &device.poses {
                let channels = PoseChannel::ALL.into_iter();
                columns.extend(channels.map(|channel| Column::Pose(device.name, *pose, channel)));
            }
            let inputs = device.inputs.iter();
            columns.extend(inputs.map(|(input, _)| Column::Input(device.name, *input)));
        }
        DeviceColumns {
            columns,
            values: Vec::new(),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.columns.iter().map(|column| match column {
            Column::Active(device) => active_name(*device),
            Column::Pose(device, pose, channel) => {
                format!("{device}.{pose}.{}", channel.name())
            }
            Column::Input(device, input) => format!("{device}.{input}"),
        })
    }

    /// Returns the numbers of a frame. States are 1 or 0, and what is unknown or not active is NaN.
    pub(crate) fn values(&mut self, frame: &Frame) -> &[f32] {
        self.values.clear();
        for column in &self.columns {
            let value = match *column {
                Column::Active(device) => frame
                    .device(device)
                    .map(|device| f32::from(u8::from(device.active))),
                Column::Pose(device, pose, channel) => {
                    let device = frame.device(device);
                    device.and_then(|device| device.pose(pose)).map(|pose| {
                        let numbers = pose.position.iter().chain(&pose.rotation);
                        numbers.copied().nth(channel as usize).unwrap_or(f32::NAN)
                    })
                }
                Column::Input(device, input) => {
                    let device = frame.device(device);
                    device
                        .and_then(|device| device.input(input))
                        .map(|value| value.number())
                }
            };
            self.values.push(value.unwrap_or(f32::NAN));
        }
        &self.values
    }
}

/// Returns the name of the column with the state of a device.
pub(crate) fn active_name(device: DeviceName) -> String {
    format!("{device}.active")
}

#[cfg(feature = "edits")]
pub(crate) use objects::{DeviceObject, GivenDevice, GivenHaptic};

/// Objects of JavaScript.
#[cfg(feature = "edits")]
mod objects {
    use std::collections::BTreeMap;
    use std::str::FromStr;
    use std::sync::Arc;

    use inputanim::{Device, DeviceFrame, Haptic, InputCurve, InputValue, InvalidName, Pose};
    use serde::{Deserialize, Serialize};

    use crate::failure::Failure;

    /// A device of a recording.
    #[derive(Serialize)]
    pub(crate) struct DeviceObject<'r> {
        name: &'static str,
        profiles: Vec<ProfileObject<'r>>,
        poses: Vec<&'static str>,
        inputs: Vec<InputObject>,
        haptics: Vec<HapticObject>,
    }

    #[derive(Serialize)]
    struct ProfileObject<'r> {
        time: f32,
        active: bool,
        profile: Option<&'r str>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct InputObject {
        name: &'static str,
        is_boolean: bool,
    }

    #[derive(Serialize)]
    struct HapticObject {
        time: f32,
        output: &'static str,
        duration: Option<f32>,
        frequency: Option<f32>,
        amplitude: f32,
    }

    impl<'r> From<&'r Device<'_>> for DeviceObject<'r> {
        fn from(device: &'r Device<'_>) -> DeviceObject<'r> {
            let profiles = device.profiles.iter().map(|change| ProfileObject {
                time: change.time,
                active: change.active,
                profile: change.profile.as_deref(),
            });
            let inputs = device.inputs.iter().map(|(name, input)| InputObject {
                name: name.as_str(),
                is_boolean: matches!(input, InputCurve::Boolean(_)),
            });
            let haptics = device.haptics.iter().map(|pulse| HapticObject {
                time: pulse.time,
                output: pulse.output.as_str(),
                duration: pulse.duration,
                frequency: pulse.frequency,
                amplitude: pulse.amplitude,
            });
            DeviceObject {
                name: device.name.as_str(),
                profiles: profiles.collect(),
                poses: device.poses.iter().map(|(name, _)| name.as_str()).collect(),
                inputs: inputs.collect(),
                haptics: haptics.collect(),
            }
        }
    }

    /// A device of a frame.
    #[derive(Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub(crate) struct GivenDevice {
        name: String,
        active: bool,
        profile: Option<String>,
        poses: BTreeMap<String, [f32; 7]>,
        inputs: BTreeMap<String, GivenInput>,
    }

    impl Default for GivenDevice {
        fn default() -> GivenDevice {
            GivenDevice {
                name: String::new(),
                active: true,
                profile: None,
                poses: BTreeMap::new(),
                inputs: BTreeMap::new(),
            }
        }
    }

    #[derive(Clone, Copy, Deserialize)]
    #[serde(untagged)]
    enum GivenInput {
        Boolean(bool),
        Float(f32),
    }

    fn name<N: FromStr<Err = InvalidName>>(text: &str) -> Result<N, Failure> {
        text.parse().map_err(|error| Failure::of(&error))
    }

    impl GivenDevice {
        pub(crate) fn frame(self) -> Result<DeviceFrame, Failure> {
            let mut device = DeviceFrame::new(name(&self.name)?);
            device.active = self.active;
            device.profile = self.profile.map(Arc::from);
            for (pose, [x, y, z, rotation @ ..]) in self.poses {
                let position = [x, y, z];
                device
                    .poses
                    .push((name(&pose)?, Pose { position, rotation }));
            }
            for (input, value) in self.inputs {
                let value = match value {
                    GivenInput::Boolean(is_on) => InputValue::Boolean(is_on),
                    GivenInput::Float(number) => InputValue::Float(number),
                };
                device.inputs.push((name(&input)?, value));
            }
            Ok(device)
        }
    }

    /// A haptic pulse.
    #[derive(Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub(crate) struct GivenHaptic {
        output: Option<String>,
        duration: Option<f32>,
        frequency: Option<f32>,
        amplitude: Option<f32>,
    }

    impl GivenHaptic {
        pub(crate) fn at(self, time: f32) -> Result<Haptic, Failure> {
            Ok(Haptic {
                time,
                output: name(self.output.as_deref().unwrap_or("haptic"))?,
                duration: self.duration,
                frequency: self.frequency,
                amplitude: self.amplitude.unwrap_or(1.0),
            })
        }
    }
}
