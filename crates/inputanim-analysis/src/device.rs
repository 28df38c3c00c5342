//! The inputs and poses of devices that are measured, presses of inputs, and the paths of sticks.

use std::fmt;
use std::str::FromStr;

use inputanim::info::{known_ranges, pressed_ranges};
use inputanim::{
    CurvePath, DeviceName, Element, InputCurve, InputName, Known, PoseName, Recording, Side,
    TimeRange,
};

use crate::channels::{Channels, Kinematics, runs};
use crate::filter::SavitzkyGolay;
use crate::head::HeadRotation;

/// Parameters of the measures of devices. By default, no parts of devices are named, and there are no measures of devices.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct DeviceParameters {
    /// Poses whose paths and speeds are measured, such as `right.controller.grip`; none by default.
    pub poses: Vec<DevicePose>,
    /// Inputs whose presses are measured, such as `right.controller.a.click`; none by default. An input with numbers, such as
    /// `right.controller.trigger.value`, counts as pressed between two thresholds.
    pub inputs: Vec<DeviceInput>,
    /// Sticks and trackpads whose travel is measured, such as `right.controller.thumbstick`; none by default.
    pub sticks: Vec<DeviceStick>,
    /// Poses that point at targets along their +z axis, such as `right.controller.aim`; none by default.
    pub pointers: Vec<DevicePose>,
    /// Value at or above which an input with numbers is pressed; 0.5 by default.
    pub press: f64,
    /// Value below which an input with numbers is released; 0.4 by default.
    pub release: f64,
    /// Shortest press in seconds that is a hold; 0.5 by default.
    pub hold: f64,
}

impl Default for DeviceParameters {
    /// Returns the default parameters: no measures, a press from 0.5 to below 0.4, and a hold from 0.5 s.
    fn default() -> DeviceParameters {
        DeviceParameters {
            poses: Vec::new(),
            inputs: Vec::new(),
            sticks: Vec::new(),
            pointers: Vec::new(),
            press: 0.5,
            release: 0.4,
            hold: 0.5,
        }
    }
}

impl DeviceParameters {
    /// Returns `true` if no part of a device is named.
    pub fn is_empty(&self) -> bool {
        self.poses.is_empty()
            && self.inputs.is_empty()
            && self.sticks.is_empty()
            && self.pointers.is_empty()
    }
}

/// An error: a text is not the name of a part of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} \"{name}\"; expected a name such as {example}")]
#[non_exhaustive]
pub struct UnknownDevicePart {
    /// The kind of the part: `pose of a device`.
    pub kind: &'static str,
    /// The text.
    pub name: String,
    /// An example of a name of this kind.
    pub example: &'static str,
}

/// A pose of a device: `right.controller.aim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct DevicePose {
    /// The device.
    pub device: DeviceName,
    /// The pose.
    pub pose: PoseName,
}

/// An input of a device: `right.controller.trigger.value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct DeviceInput {
    /// The device.
    pub device: DeviceName,
    /// The input.
    pub input: InputName,
}

/// A stick or trackpad of a device: `right.controller.thumbstick`, with the inputs `thumbstick/x` and `thumbstick/y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct DeviceStick {
    /// The device.
    pub device: DeviceName,
    /// The input of the horizontal axis.
    pub x: InputName,
    /// The input of the vertical axis.
    pub y: InputName,
}

impl DeviceInput {
    /// Returns the curve path of the input.
    pub fn path(self) -> CurvePath {
        CurvePath::Input(self.device, self.input)
    }
}

impl DeviceStick {
    /// Returns the inputs of both axes, x first.
    pub fn inputs(self) -> [DeviceInput; 2] {
        [self.x, self.y].map(|input| DeviceInput {
            device: self.device,
            input,
        })
    }
}

impl FromStr for DevicePose {
    type Err = UnknownDevicePart;

    fn from_str(text: &str) -> Result<DevicePose, UnknownDevicePart> {
        match Known::element(text) {
            Ok(Element::DevicePose(device, pose)) => Ok(DevicePose { device, pose }),
            _ => Err(UnknownDevicePart {
                kind: "pose of a device",
                name: text.to_owned(),
                example: "right.controller.aim",
            }),
        }
    }
}

impl FromStr for DeviceInput {
    type Err = UnknownDevicePart;

    fn from_str(text: &str) -> Result<DeviceInput, UnknownDevicePart> {
        match Known::element(text) {
            Ok(Element::Input(device, input)) => Ok(DeviceInput { device, input }),
            _ => Err(UnknownDevicePart {
                kind: "input of a device",
                name: text.to_owned(),
                example: "right.controller.trigger.value",
            }),
        }
    }
}

impl FromStr for DeviceStick {
    type Err = UnknownDevicePart;

    fn from_str(text: &str) -> Result<DeviceStick, UnknownDevicePart> {
        let axes = ["x", "y"].map(|axis| format!("{text}.{axis}").parse::<DeviceInput>());
        match axes {
            [Ok(x), Ok(y)] => Ok(DeviceStick {
                device: x.device,
                x: x.input,
                y: y.input,
            }),
            _ => Err(UnknownDevicePart {
                kind: "stick of a device",
                name: text.to_owned(),
                example: "right.controller.thumbstick",
            }),
        }
    }
}

impl fmt::Display for DevicePose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.device, self.pose))
    }
}

impl fmt::Display for DeviceInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.device, self.input))
    }
}

impl fmt::Display for DeviceStick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = format!("{}.{}", self.device, self.x);
        f.pad(x.strip_suffix(".x").unwrap_or(&x))
    }
}

#[cfg(feature = "serde")]
macro_rules! serde_as_text {
    ($($name:ident)*) => {
        $(
            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'d> serde::Deserialize<'d> for $name {
                fn deserialize<D: serde::Deserializer<'d>>(deserializer: D) -> Result<$name, D::Error> {
                    let text = String::deserialize(deserializer)?;
                    text.parse().map_err(serde::de::Error::custom)
                }
            }
        )*
    };
}

#[cfg(feature = "serde")]
serde_as_text!(DevicePose DeviceInput DeviceStick);

/// A press of an input.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Press {
    /// The input.
    pub input: DeviceInput,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds.
    pub duration: f64,
    /// `true` if the input becomes known during the press, so that the onset is not known.
    pub is_cut_at_start: bool,
    /// `true` if the input becomes unknown during the press, so that the end is not known.
    pub is_cut_at_end: bool,
}

impl Press {
    /// Returns the time in seconds at which the press ends.
    pub fn end(&self) -> f64 {
        self.start + self.duration
    }

    /// Returns `true` if the onset and the end of the press are known.
    pub fn is_complete(&self) -> bool {
        !self.is_cut_at_start && !self.is_cut_at_end
    }

    /// Returns the hand that holds the device; `None` for other devices.
    pub fn side(&self) -> Option<Side> {
        self.input.device.side()
    }
}

/// An input of a device: its presses, and the times at which it is known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputAnalysis {
    /// The input.
    pub input: DeviceInput,
    /// `true` for an input that is on or off.
    pub is_boolean: bool,
    /// Presses in order of time.
    pub presses: Vec<Press>,
    /// Start and end in seconds of the parts in which the input is known, in order.
    pub known: Vec<[f64; 2]>,
}

impl InputAnalysis {
    /// Returns the inputs of a recording whose presses are events: all that are on or off, and the inputs with numbers that
    /// the parameters name. They are in the order of the devices and of their inputs.
    pub(crate) fn of_all(
        recording: &Recording<'_>,
        channels: &Channels,
        range: Option<TimeRange>,
        parameters: &DeviceParameters,
    ) -> Vec<InputAnalysis> {
        let Some(range) = range else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for device in &recording.devices {
            for (name, curve) in &device.inputs {
                let input = DeviceInput {
                    device: device.name,
                    input: *name,
                };
                if curve.curve().is_empty() {
                    continue;
                }
                match curve {
                    InputCurve::Boolean(_) => {
                        let known = known_ranges(recording, device.name, *name, range);
                        let pressed = pressed_ranges(recording, device.name, *name, range);
                        found.push(InputAnalysis::boolean(input, &pressed, &known));
                    }
                    InputCurve::Float(_) => {
                        let values = channels.input(input);
                        if let Some(values) = values.filter(|_| parameters.inputs.contains(&input))
                        {
                            found.push(InputAnalysis::float(input, values, channels, parameters));
                        }
                    }
                }
            }
        }
        found
    }

    fn boolean(input: DeviceInput, pressed: &[TimeRange], known: &[TimeRange]) -> InputAnalysis {
        let presses = pressed.iter().map(|press| {
            // A press is within one known range. A range may begin at the time at which another range ends.
            let within = known
                .iter()
                .find(|known| known.start <= press.start && press.end <= known.end);
            let [start, end] = [press.start, press.end].map(f64::from);
            Press {
                input,
                start,
                duration: end - start,
                is_cut_at_start: within.is_none_or(|known| known.start == press.start),
                is_cut_at_end: within.is_none_or(|known| known.end == press.end),
            }
        });
        InputAnalysis {
            input,
            is_boolean: true,
            presses: presses.collect(),
            known: known
                .iter()
                .map(|known| [known.start, known.end].map(f64::from))
                .collect(),
        }
    }

    fn float(
        input: DeviceInput,
        values: &[f32],
        channels: &Channels,
        parameters: &DeviceParameters,
    ) -> InputAnalysis {
        let mut presses = Vec::new();
        let mut known = Vec::new();
        for run in runs(0..values.len(), |sample| !values[sample].is_nan()) {
            known.push([channels.time(run.start), channels.time(run.end - 1)]);
            let mut pressed: Option<usize> = None;
            let mut push = |start: usize, end: usize| {
                presses.push(Press {
                    input,
                    start: channels.time(start),
                    duration: (end - 1 - start) as f64 / channels.rate,
                    is_cut_at_start: start == run.start,
                    is_cut_at_end: end == run.end,
                });
            };
            for sample in run.clone() {
                let value = f64::from(values[sample]);
                match pressed {
                    None if value >= parameters.press => pressed = Some(sample),
                    Some(start) if value < parameters.release => {
                        push(start, sample);
                        pressed = None;
                    }
                    _ => {}
                }
            }
            if let Some(start) = pressed {
                push(start, run.end);
            }
        }
        InputAnalysis {
            input,
            is_boolean: false,
            presses,
            known,
        }
    }
}

/// A pose of a device over time.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PoseAnalysis {
    /// Speed, acceleration and jerk of the position.
    pub kinematics: Kinematics,
    /// Angles and angular speed.
    pub rotation: HeadRotation,
}

impl PoseAnalysis {
    /// Analyses the recorded poses of [`DeviceParameters::poses`], in their order.
    pub(crate) fn of_all(
        channels: &Channels,
        filter: &SavitzkyGolay,
        parameters: &DeviceParameters,
    ) -> Vec<(DevicePose, PoseAnalysis)> {
        let recorded = parameters.poses.iter().filter_map(|&pose| {
            let samples = channels.device_pose(pose)?;
            let analysis = PoseAnalysis {
                kinematics: Kinematics::of(&samples.position, channels.rate, filter),
                rotation: HeadRotation::of_rotations(&samples.rotation, channels.rate),
            };
            Some((pose, analysis))
        });
        recorded.collect()
    }
}
