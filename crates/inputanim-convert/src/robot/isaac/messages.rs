//! The messages on the channels.

use inputanim::{DeviceFrame, HandFrame, InputName, Joint, Pose, Ray, Side};

use super::table::{Malformed, Table};
use super::value::{Field, Value, encode};
use crate::robot::mcap_file::clock::Moment;
use crate::robot::mcap_file::devices::{DeviceCurve, DeviceMessage};
use crate::robot::mcap_file::pieces::Piece;
use crate::shared::rigid::is_known;

/// The number of joints of a hand.
pub(super) const JOINTS: usize = Joint::OPENXR.len();

// Sizes of structs in bytes.
/// The times at which a sample became available and was taken, and the time of the device's own clock.
pub(super) const TIMESTAMP: usize = 24;
/// A position x, y, z and a rotation x, y, z, w.
pub(super) const POSE: usize = 28;
/// A pose, a flag at byte 28, and a radius at byte 32.
pub(super) const HAND_JOINT: usize = 36;
pub(super) const HAND_JOINTS: usize = JOINTS * HAND_JOINT;
/// A pose and a flag at byte 28.
pub(super) const CONTROLLER_POSE: usize = 32;
/// Four flags, the thumbstick x, y, the squeeze and the trigger.
pub(super) const CONTROLLER_INPUTS: usize = 20;

/// The offset of the flag `is_valid` in the struct of a pose with a flag.
const IS_VALID: usize = POSE;
/// The offset of the radius in the struct of a joint.
const RADIUS: usize = 32;

/// Encodes a message with a payload. All three times of the message are `time`.
fn record(payload: Vec<Field<'_>>, time: Moment) -> Vec<u8> {
    record_of(Some(payload), time)
}

/// Encodes a message. Without a payload, it states that its device is not active.
fn record_of(payload: Option<Vec<Field<'_>>>, time: Moment) -> Vec<u8> {
    // The recording has one clock, so all three times are equal.
    let mut timestamp = [0; TIMESTAMP];
    for part in timestamp.as_chunks_mut().0 {
        *part = time.0.to_le_bytes();
    }
    let payload = payload.map(|payload| (0, Value::Table(payload)));
    let timestamp = (1, Value::Struct(&timestamp, 8));
    let root: Vec<Field<'_>> = payload.into_iter().chain([timestamp]).collect();
    encode(&root, None)
}

/// Encodes the message of a hand, whose poses are in OpenXR's axes. A joint is marked as valid if the hand is tracked
/// and the pose of the joint is known. The pose of other joints is all zeros. `radius` returns the radius of a joint in metres.
pub(super) fn hand(hand: &HandFrame, radius: impl Fn(Joint) -> f32, time: Moment) -> Vec<u8> {
    let mut joints = [0; HAND_JOINTS];
    let places = joints.as_chunks_mut::<HAND_JOINT>().0;
    for (joint, bytes) in Joint::OPENXR.into_iter().zip(places) {
        let pose = hand.joints[joint].filter(|pose| hand.tracked && is_known(pose));
        if let Some(pose) = pose {
            bytes[..POSE].copy_from_slice(&pose_bytes(&pose));
            bytes[IS_VALID] = 1;
        }
        bytes[RADIUS..].copy_from_slice(&radius(joint).to_le_bytes());
    }
    record(vec![(0, Value::Struct(&joints, 4))], time)
}

/// Encodes the message of a head, whose pose is in OpenXR's axes. The pose of an unknown head is all zeros and is not
/// marked as valid.
pub(super) fn head(head: Option<&Pose>, time: Moment) -> Vec<u8> {
    let head = head.filter(|pose| is_known(pose));
    let pose = head.map_or([0; POSE], pose_bytes);
    let payload = vec![
        (0, Value::Struct(&pose, 4)),
        (1, Value::Bool(head.is_some())),
        (2, Value::Bool(head.is_some())),
    ];
    record(payload, time)
}

/// The inputs of a controller in the order of the struct: four flags, then four numbers. Each element is a list of names: reading uses
/// the first name, and writing uses the first input that the controller has.
pub(super) fn controller_inputs(side: Side) -> [&'static [&'static str]; 8] {
    let [primary, secondary]: [&[&str]; 2] = match side {
        Side::Left => [&["x/click", "a/click"], &["y/click", "b/click"]],
        Side::Right => [&["a/click", "x/click"], &["b/click", "y/click"]],
    };
    [
        primary,
        secondary,
        &["thumbstick/click"],
        &["menu/click"],
        &["thumbstick/x"],
        &["thumbstick/y"],
        &["squeeze/value", "squeeze/click"],
        &["trigger/value", "trigger/click", "select/click"],
    ]
}

/// The number of inputs that are flags.
const FLAGS: usize = 4;

/// Encodes the message of a controller, whose poses are in OpenXR's axes. A pose is marked as valid if it is known, and other poses
/// are all zeros. Inputs that are not known are 0. The message of a controller that is not active has no payload.
pub(super) fn controller(device: Option<&DeviceFrame>, side: Side, time: Moment) -> Vec<u8> {
    let Some(device) = device.filter(|device| device.active) else {
        return record_of(None, time);
    };
    let pose = |name: &str| {
        let mut bytes = [0; CONTROLLER_POSE];
        let pose = name.parse().ok().and_then(|name| device.pose(name));
        if let Some(pose) = pose.filter(|pose| is_known(pose)) {
            bytes[..POSE].copy_from_slice(&pose_bytes(pose));
            bytes[IS_VALID] = 1;
        }
        bytes
    };
    let (grip, aim) = (pose("grip"), pose("aim"));
    let values = controller_inputs(side).map(|names| {
        let mut names = names
            .iter()
            .filter_map(|name| name.parse::<InputName>().ok());
        let value = names.find_map(|name| device.input(name));
        value.map_or(0.0, |value| value.number())
    });
    let mut inputs = [0; CONTROLLER_INPUTS];
    let (flags, numbers) = values.split_at(FLAGS);
    for (byte, flag) in inputs.iter_mut().zip(flags) {
        *byte = u8::from(*flag > 0.5);
    }
    inputs[FLAGS..].copy_from_slice(&floats::<16>(numbers));
    let payload = vec![
        (0, Value::Struct(&grip, 4)),
        (1, Value::Struct(&aim, 4)),
        (2, Value::Struct(&inputs, 4)),
    ];
    record(payload, time)
}

/// Returns numbers as little-endian bytes.
fn list<T: Copy, const N: usize>(numbers: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| bytes(number)).collect()
}

/// Returns texts as bytes, each after its length as a little-endian number of 32 bits.
fn texts(texts: &[String]) -> Vec<u8> {
    let texts = texts.iter().flat_map(|text| {
        let length = (text.len() as u32).to_le_bytes();
        length.into_iter().chain(text.bytes())
    });
    texts.collect()
}

/// Encodes the profiles and haptic pulses of a device.
pub(super) fn device(device: &DeviceMessage, time: Moment) -> Vec<u8> {
    let active: Vec<u8> = device
        .profile_active
        .iter()
        .map(|&flag| flag.into())
        .collect();
    let floats = |numbers: &[f32]| list(numbers, f32::to_le_bytes);
    let lists = [
        floats(&device.profile_times),
        active,
        texts(&device.profile_names),
        floats(&device.haptic_times),
        texts(&device.haptic_outputs),
        floats(&device.haptic_durations),
        floats(&device.haptic_frequencies),
        floats(&device.haptic_amplitudes),
    ];
    let mut payload = vec![(0, Value::Text(&device.device))];
    payload.extend((1..).zip(lists.iter().map(|list| Value::Bytes(list))));
    record(payload, time)
}

/// Encodes keys of a curve of a device.
pub(super) fn device_curve(curve: &DeviceCurve, time: Moment) -> Vec<u8> {
    let wraps = list(&[curve.pre_wrap, curve.post_wrap], i32::to_le_bytes);
    let numbers = list(&curve.numbers, f32::to_le_bytes);
    let modes = list(&curve.weighted_modes, i32::to_le_bytes);
    let payload = vec![
        (0, Value::Text(&curve.curve)),
        (1, Value::Text(&curve.kind)),
        (2, Value::Bytes(&wraps)),
        (3, Value::Bytes(&numbers)),
        (4, Value::Bytes(&modes)),
    ];
    record(payload, time)
}

/// Encodes the message of a gaze, which is in OpenXR's axes. The message of an unknown gaze has no payload.
pub(super) fn gaze(gaze: Option<&Ray>, time: Moment) -> Vec<u8> {
    let Some(gaze) = gaze.filter(|ray| is_finite(ray)) else {
        return record(Vec::new(), time);
    };
    let (origin, direction) = (floats::<12>(&gaze.origin), floats::<12>(&gaze.direction));
    let payload = vec![
        (0, Value::Struct(&origin, 4)),
        (1, Value::Struct(&direction, 4)),
    ];
    record(payload, time)
}

/// The states of the left and the right hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct States(pub(super) [HandStates; 2]);

/// The states of one hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HandStates {
    pub(super) is_tracked: bool,
    pub(super) is_pinching: bool,
}

pub(super) fn states(States(hands): States, time: Moment) -> Vec<u8> {
    let flags = hands
        .into_iter()
        .flat_map(|hand| [hand.is_tracked, hand.is_pinching]);
    let payload = (0..).zip(flags).map(|(id, flag)| (id, Value::Bool(flag)));
    record(payload.collect(), time)
}

pub(super) fn marker(name: &str, time: Moment) -> Vec<u8> {
    record(vec![(0, Value::Text(name))], time)
}

pub(super) fn piece(piece: &Piece, layout: &str, time: Moment) -> Vec<u8> {
    let payload = vec![
        (0, Value::Ulong(piece.offset)),
        (1, Value::Ulong(piece.size)),
        (2, Value::Text(layout)),
        (3, Value::Bytes(&piece.data)),
    ];
    record(payload, time)
}

/// A checksum of messages that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    messages: u64,
    sum: u64,
}

impl Checksum {
    /// Adds a message, its topic and its log time to the checksum.
    pub(super) fn add(&mut self, topic: &str, time: Moment, message: &[u8]) {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(topic.as_bytes());
        hasher.update(&time.0.to_le_bytes());
        hasher.update(message);
        self.messages += 1;
        // A tool may sort messages with equal times in another order, so the checksums are added up. The factor, which is
        // odd, spreads them over all bits of the sum.
        let spread = u64::from(hasher.finalize()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sum = self.sum.wrapping_add(spread);
    }

    pub(super) fn message(&self, time: Moment) -> Vec<u8> {
        let payload = vec![
            (0, Value::Ulong(self.messages)),
            (1, Value::Ulong(self.sum)),
        ];
        record(payload, time)
    }

    pub(super) fn read(message: &[u8]) -> Result<Checksum, Malformed> {
        let payload = Received::read(message)?.payload;
        let number = |id| payload.map_or(Ok(0), |payload| payload.ulong(id));
        Ok(Checksum {
            messages: number(0)?,
            sum: number(1)?,
        })
    }
}

/// A message that was read. A message without a payload states that its device is not active.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'a> {
    payload: Option<Table<'a>>,
    times: Option<&'a [u8; TIMESTAMP]>,
}

/// A command as JSON. JSON with anything else is not this type, so that nothing of it is lost.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    #[serde(rename = "type")]
    _kind: serde::de::IgnoredAny,
    message: CommandMessage,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandMessage {
    command: String,
}

impl<'a> Received<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Received<'a>, Malformed> {
        let root = Table::root(message)?;
        Ok(Received {
            payload: root.table(0)?,
            times: root.inline(1)?,
        })
    }

    /// Returns the time at which the sample was taken, in nanoseconds. Returns `None` if the message does not state a
    /// time above 0.
    pub(super) fn sample_time(&self) -> Option<u64> {
        let time = self.times?.as_chunks().0.get(1)?;
        // Programs that do not know the time write 0.
        let time = i64::from_le_bytes(*time);
        u64::try_from(time).ok().filter(|&time| time > 0)
    }

    /// Decodes the joints of a hand, in OpenXR's order and axes. Returns `None` if no joint is known.
    pub(super) fn hand(&self) -> Result<Option<HandPoses>, Malformed> {
        let Some(joints) = self.payload_struct::<HAND_JOINTS>(0)? else {
            return Ok(None);
        };
        let joints = joints.as_chunks::<HAND_JOINT>().0;
        let mut poses = joints.iter().map(|joint| valid_pose(joint));
        let poses: HandPoses = Box::new(std::array::from_fn(|_| poses.next().flatten()));
        let is_known = poses.iter().any(Option::is_some);
        Ok(is_known.then_some(poses))
    }

    /// Decodes a head, in OpenXR's axes. Returns `None` if its pose is missing, is not marked as valid, is not finite,
    /// or has a quaternion of all zeros.
    pub(super) fn head(&self) -> Result<Option<Head>, Malformed> {
        let (Some(payload), Some(bytes)) = (self.payload, self.payload_struct::<POSE>(0)?) else {
            return Ok(None);
        };
        let pose = payload.flag(1)?.then(|| pose(bytes)).flatten();
        let is_tracked = payload.flag(2)?;
        Ok(pose.map(|pose| Head { pose, is_tracked }))
    }

    /// Decodes a controller, in OpenXR's axes. Returns `None` if the controller is not active.
    pub(super) fn controller(&self) -> Result<Option<Controller>, Malformed> {
        if self.payload.is_none() {
            return Ok(None);
        }
        let pose = |id| {
            let pose = self.payload_struct::<CONTROLLER_POSE>(id)?;
            Ok(pose.and_then(|pose| valid_pose(pose)))
        };
        let inputs = self.payload_struct::<CONTROLLER_INPUTS>(2)?;
        Ok(Some(Controller {
            grip: pose(0)?,
            aim: pose(1)?,
            inputs: inputs.and_then(|inputs| {
                let (flags, rest) = inputs.split_first_chunk::<FLAGS>()?;
                let values = numbers::<16, 4>(rest.first_chunk()?);
                Some((flags.map(|flag| flag != 0), values))
            }),
        }))
    }

    /// Decodes the profiles and haptic pulses of a device. Bytes that are not UTF-8 are replaced.
    pub(super) fn device(&self) -> Result<DeviceMessage, Malformed> {
        Ok(DeviceMessage {
            device: self.text(0)?,
            profile_times: self.floats(1)?,
            profile_active: self.list(2, |[flag]: [u8; 1]| flag != 0)?,
            profile_names: self.texts(3)?,
            haptic_times: self.floats(4)?,
            haptic_outputs: self.texts(5)?,
            haptic_durations: self.floats(6)?,
            haptic_frequencies: self.floats(7)?,
            haptic_amplitudes: self.floats(8)?,
        })
    }

    /// Decodes keys of a curve of a device.
    pub(super) fn device_curve(&self) -> Result<DeviceCurve, Malformed> {
        let wraps = self.list(2, i32::from_le_bytes)?;
        let wrap = |index: usize| wraps.get(index).copied().unwrap_or_default();
        Ok(DeviceCurve {
            curve: self.text(0)?,
            pre_wrap: wrap(0),
            post_wrap: wrap(1),
            kind: self.text(1)?,
            numbers: self.floats(3)?,
            weighted_modes: self.list(4, i32::from_le_bytes)?,
        })
    }

    fn payload_bytes(&self, id: u16) -> Result<&'a [u8], Malformed> {
        let bytes = self.payload.map(|payload| payload.bytes(id)).transpose()?;
        Ok(bytes.flatten().unwrap_or_default())
    }

    fn text(&self, id: u16) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(self.payload_bytes(id)?).into_owned())
    }

    fn list<T, const N: usize>(
        &self,
        id: u16,
        number: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Malformed> {
        let numbers = self.payload_bytes(id)?.as_chunks().0.iter();
        Ok(numbers.map(|bytes| number(*bytes)).collect())
    }

    fn floats(&self, id: u16) -> Result<Vec<f32>, Malformed> {
        self.list(id, f32::from_le_bytes)
    }

    fn texts(&self, id: u16) -> Result<Vec<String>, Malformed> {
        let mut bytes = self.payload_bytes(id)?;
        let mut texts = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            let (text, rest) = rest.split_at(length.min(rest.len()));
            texts.push(String::from_utf8_lossy(text).into_owned());
            bytes = rest;
        }
        Ok(texts)
    }

    /// Decodes a gaze, in OpenXR's axes. Returns `None` if the message has no gaze, or the gaze is not finite.
    pub(super) fn gaze(&self) -> Result<Option<Ray>, Malformed> {
        let (origin, direction) = (self.payload_struct(0)?, self.payload_struct(1)?);
        let (Some(origin), Some(direction)) = (origin, direction) else {
            return Ok(None);
        };
        let ray = Ray {
            origin: numbers::<12, 3>(origin),
            direction: numbers::<12, 3>(direction),
        };
        Ok(Some(ray).filter(is_finite))
    }

    pub(super) fn states(&self) -> Result<States, Malformed> {
        let flag = |id| self.payload.map_or(Ok(false), |payload| payload.flag(id));
        let hand = |first| {
            Ok(HandStates {
                is_tracked: flag(first)?,
                is_pinching: flag(first + 1)?,
            })
        };
        Ok(States([hand(0)?, hand(2)?]))
    }

    /// Decodes the name of a marker. Bytes that are not UTF-8 are replaced, and a missing name is empty.
    pub(super) fn marker(&self) -> Result<String, Malformed> {
        let name = self.payload.map(|payload| payload.bytes(0)).transpose()?;
        let name = name.flatten().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// Decodes the text of a message that a program sent. Bytes that are not UTF-8 are replaced. Of JSON that has nothing but a
    /// command, as NVIDIA's client in the browser sends it, the text is the command. Returns `None` if the record has no
    /// message.
    pub(super) fn control(&self) -> Result<Option<String>, Malformed> {
        let text = self.payload.map(|payload| payload.bytes(0)).transpose()?;
        let text = text.flatten();
        Ok(text.map(|text| match serde_json::from_slice(text) {
            Ok(Command { message, .. }) => message.command,
            Err(_) => String::from_utf8_lossy(text).trim().to_owned(),
        }))
    }

    pub(super) fn piece(&self) -> Result<Piece, Malformed> {
        let Some(payload) = self.payload else {
            return Ok(Piece::default());
        };
        Ok(Piece {
            offset: payload.ulong(0)?,
            size: payload.ulong(1)?,
            data: payload.bytes(3)?.unwrap_or_default().to_vec(),
        })
    }

    fn payload_struct<const N: usize>(&self, id: u16) -> Result<Option<&'a [u8; N]>, Malformed> {
        let payload = self.payload.map(|payload| payload.inline(id));
        Ok(payload.transpose()?.flatten())
    }
}

/// The joints of a hand that was read, in the order and the axes of OpenXR. Unknown joints are `None`.
// Boxed, because a message of a hand that is not tracked has none.
pub(super) type HandPoses = Box<[Option<Pose>; JOINTS]>;

/// A head that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) pose: Pose,
    pub(super) is_tracked: bool,
}

/// A controller that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controller {
    /// `None` if the pose is not valid.
    pub(super) grip: Option<Pose>,
    pub(super) aim: Option<Pose>,
    /// In the order of [`controller_inputs`].
    pub(super) inputs: Option<([bool; FLAGS], [f32; 4])>,
}

/// Decodes the pose at the start of a struct that also has the flag `is_valid`. Returns `None` if the flag is not set,
/// a number is not finite, or the quaternion is all zeros.
fn valid_pose(bytes: &[u8]) -> Option<Pose> {
    let is_valid = bytes.get(IS_VALID).is_some_and(|&flag| flag != 0);
    bytes.first_chunk().filter(|_| is_valid).and_then(pose)
}

/// Decodes a pose from seven little-endian 32-bit floats: position x, y, z and rotation x, y, z, w. Returns `None` if a
/// number is not finite or the quaternion is all zeros.
fn pose(bytes: &[u8; POSE]) -> Option<Pose> {
    let [x, y, z, rotation @ ..] = numbers::<POSE, 7>(bytes);
    let position = [x, y, z];
    Some(Pose { position, rotation }).filter(is_known)
}

fn pose_bytes(pose: &Pose) -> [u8; POSE] {
    let [x, y, z] = pose.position;
    let [qx, qy, qz, qw] = pose.rotation;
    floats(&[x, y, z, qx, qy, qz, qw])
}

fn floats<const BYTES: usize>(numbers: &[f32]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
        *bytes = number.to_le_bytes();
    }
    bytes
}

fn numbers<const BYTES: usize, const COUNT: usize>(bytes: &[u8; BYTES]) -> [f32; COUNT] {
    let mut numbers = bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes));
    std::array::from_fn(|_| numbers.next().unwrap_or_default())
}

fn is_finite(ray: &Ray) -> bool {
    let mut numbers = ray.origin.iter().chain(&ray.direction);
    numbers.all(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_has_the_radii_of_its_joints() {
        let message = hand(&HandFrame::default(), |_| 0.0123, Moment(0));
        let radius = 0.0123_f32.to_le_bytes();
        let found = message.windows(4).filter(|bytes| *bytes == radius);
        assert_eq!(found.count(), JOINTS);
    }
}
