//! Controllers, trackers and other devices, one stream each.
//!
//! A stream has the channels `NAME.active` (1 or 0) and `NAME.profile` (the index of the profile in the header), and a channel for each
//! number of the poses and inputs. NaN is unknown. Samples are at the times of the other streams, at changes of buttons and
//! profiles, and at the end, so that the stream is irregular. Only streams whose header names the device in `desc/inputanim` are
//! read as devices: labels of other programs are not.

use std::sync::Arc;

use inputanim::{
    CurvePath, Device, DeviceFrame, DeviceName, Element, Frame, InputCurve, InputName, InputValue,
    Known, Layout, Pauses, Pose, PoseChannel, PoseName, Recorder, RecorderOptions, Space,
};

use super::file::Stream;
use super::header::{ChannelFormat, StreamHeader};
use super::samples::Number;

/// The facts about the device of a stream.
#[derive(Clone, Debug)]
pub(super) struct WrittenDevice {
    pub(super) name: DeviceName,
    /// The interaction profiles, to which the numbers of the channel `profile` refer.
    pub(super) profiles: Vec<String>,
}

/// The channels before those of the poses and inputs.
pub(super) const FIRST: [&str; 2] = ["active", "profile"];

/// The type of the stream of a device.
pub(super) const KIND: &str = "Controller";

/// The channels of a device.
#[derive(Debug)]
pub(super) struct DeviceChannels {
    pub(super) device: WrittenDevice,
    poses: Vec<PoseName>,
    inputs: Vec<(InputName, bool)>,
}

impl DeviceChannels {
    /// Returns the channels of the poses and inputs with keys, in the axes of `space`.
    pub(super) fn of(device: &Device<'_>, space: Space) -> DeviceChannels {
        let mut profiles: Vec<String> = Vec::new();
        for profile in device
            .profiles
            .iter()
            .filter_map(|change| change.profile.as_deref())
        {
            if !profiles.iter().any(|known| known == profile) {
                profiles.push(profile.to_owned());
            }
        }
        let poses = device.poses.iter().filter(|(_, pose)| !pose.is_empty());
        let inputs = device.inputs.iter();
        let inputs = inputs.filter(|(_, input)| !input.curve().is_empty());
        let inputs = inputs.map(|(name, input)| {
            let is_button = matches!(input, InputCurve::Boolean(_));
            (space.input(*name).0, is_button)
        });
        DeviceChannels {
            device: WrittenDevice {
                name: device.name,
                profiles,
            },
            poses: poses.map(|(name, _)| *name).collect(),
            inputs: inputs.collect(),
        }
    }

    /// Returns the curves that have channels, in their order.
    pub(super) fn paths(&self) -> Vec<CurvePath> {
        let name = self.device.name;
        let poses = self.poses.iter().flat_map(|&pose| {
            PoseChannel::ALL.map(|channel| CurvePath::DevicePose(name, pose, channel))
        });
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|&(input, _)| CurvePath::Input(name, input));
        poses.chain(inputs).collect()
    }

    /// Returns `true` if a curve is a button, which is on or off.
    pub(super) fn is_button(&self, path: CurvePath) -> bool {
        let mut inputs = self.inputs.iter();
        matches!(path, CurvePath::Input(_, name) if inputs.any(|&input| input == (name, true)))
    }

    /// Returns the values of all channels in a frame.
    pub(super) fn values(&self, frame: &Frame) -> Vec<f32> {
        let frame = frame.device(self.device.name);
        let mut profiles = self.device.profiles.iter();
        let profile = frame.and_then(|frame| frame.profile.as_deref());
        let profile = profile.and_then(|name| profiles.position(|known| known == name));
        let mut values = vec![
            frame.map_or(f32::NAN, |frame| f32::from(u8::from(frame.active))),
            profile.map_or(f32::NAN, |index| index as f32),
        ];
        for &pose in &self.poses {
            values.extend(super::write::pose(frame.and_then(|frame| frame.pose(pose))));
        }
        for &(input, _) in &self.inputs {
            let value = frame.and_then(|frame| frame.input(input));
            values.push(value.map_or(f32::NAN, InputValue::number));
        }
        values
    }
}

/// The meaning of a channel that is read.
enum Channel {
    Pose(PoseName, usize),
    Input(InputName, bool),
}

/// A device that was read.
pub(super) struct ReadDevice {
    pub(super) device: Option<Device<'static>>,
    pub(super) known: Known,
    /// The number of poses with some numbers that are not finite or a rotation of 0, and of samples that cannot be recorded.
    pub(super) incomplete: usize,
}

/// Returns `true` if a stream is a device that this library wrote.
pub(super) fn is_device(header: &StreamHeader) -> bool {
    let is_own = header.written.is_some() && header.device.is_some();
    is_own && header.format == ChannelFormat::Float32 && header.channels as usize >= FIRST.len()
}

/// Reads the device of a stream. `times` are the times of the samples in seconds, NaN for samples that are not read.
pub(super) fn read(
    stream: &Stream<'_>,
    written: &WrittenDevice,
    times: &[f32],
    space: Space,
) -> ReadDevice {
    let name = written.name;
    let labels = stream.header.labels.iter().zip(&stream.header.units);
    let channels = labels.enumerate().filter_map(|(index, (label, unit))| {
        let channel = match label.as_deref()?.parse().ok()? {
            CurvePath::DevicePose(of, pose, channel) if of == name => {
                Channel::Pose(pose, channel as usize)
            }
            CurvePath::Input(of, input) if of == name => {
                Channel::Input(input, unit.as_deref() == Some("boolean"))
            }
            _ => return None,
        };
        Some((index, channel))
    });
    let channels: Vec<(usize, Channel)> = channels.collect();
    let mut options = RecorderOptions::new(Layout::Mrtk1_1);
    // The writer states unknown values.
    options.pauses = Pauses::None;
    let mut recorder =
        Recorder::with_options(options).unwrap_or_else(|_| Recorder::new(Layout::Mrtk1_1));
    let mut incomplete = 0;
    let samples = stream
        .chunks
        .iter()
        .flat_map(|chunk| chunk.samples(&stream.header));
    for (sample, &time) in samples.zip(times).filter(|(_, time)| !time.is_nan()) {
        let at = |index: usize| {
            f32::float_at(sample.values.get(index * f32::SIZE..).unwrap_or_default())
        };
        // The head only makes the frame one of a recording with more than devices.
        let mut frame = Frame {
            time,
            head: Some(Pose::IDENTITY),
            ..Frame::default()
        };
        let active = at(0);
        if !active.is_nan() {
            let mut device = DeviceFrame::new(name);
            device.active = active >= 0.5;
            if device.active {
                let profile = at(1);
                let index = (profile >= 0.0).then_some(profile as usize);
                let profile = index.and_then(|index| written.profiles.get(index));
                device.profile = profile.map(|profile| Arc::from(&**profile));
                incomplete += add_parts(&mut device, &channels, at);
            }
            frame.devices.push(device);
        }
        incomplete += usize::from(recorder.push(&space.frame(frame)).is_err());
    }
    let mut recording = recorder.finish();
    let mut known = Known::default();
    for (element, gaps) in recording.known.iter() {
        if element.device() == Some(name) {
            gaps.iter().for_each(|&gap| known.add_gap(element, gap));
        }
    }
    ReadDevice {
        device: recording.devices.pop(),
        known,
        incomplete,
    }
}

/// Adds the known poses and inputs of a sample. Returns the number of poses that are not complete.
fn add_parts(
    device: &mut DeviceFrame,
    channels: &[(usize, Channel)],
    at: impl Fn(usize) -> f32,
) -> usize {
    let mut poses: Vec<(PoseName, [f32; 7])> = Vec::new();
    for (index, channel) in channels {
        let value = at(*index);
        match *channel {
            Channel::Pose(name, place) => {
                let found = poses.iter().position(|(other, _)| *other == name);
                let found = found.unwrap_or_else(|| {
                    poses.push((name, [f32::NAN; 7]));
                    poses.len() - 1
                });
                poses[found].1[place] = value;
            }
            Channel::Input(name, is_button) if value.is_finite() => {
                let value = if is_button {
                    InputValue::Boolean(value >= 0.5)
                } else {
                    InputValue::Float(value)
                };
                device.inputs.push((name, value));
            }
            Channel::Input(..) => {}
        }
    }
    let mut incomplete = 0;
    for (name, [x, y, z, rotation @ ..]) in poses {
        let position = [x, y, z];
        let mut numbers = position.iter().chain(&rotation);
        if numbers.clone().all(|number| number.is_finite()) && rotation != [0.0; 4] {
            device.poses.push((name, Pose { position, rotation }));
        } else {
            incomplete += usize::from(numbers.any(|number| number.is_finite()));
        }
    }
    device.poses.sort_by_key(|(name, _)| *name);
    device.inputs.sort_by_key(|(name, _)| *name);
    device.poses.dedup_by_key(|(name, _)| *name);
    device.inputs.dedup_by_key(|(name, _)| *name);
    incomplete
}

/// Returns `true` if a curve belongs to a device.
pub(super) fn is_of_device(path: CurvePath) -> bool {
    Element::from(path).device().is_some()
}
