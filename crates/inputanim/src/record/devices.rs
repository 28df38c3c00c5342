//! The devices of recorded frames.
//!
//! Method: the devices of a frame are a packet of 32-bit words, in a queue beside the rows. Names and profiles are in tables, and
//! words have their indices, so that a full rolling buffer does not allocate. Without devices there are no packets.
//!
//! A packet: the time as the bits of an `f32`, the number of words that follow, and for each device its index, its state (0: not
//! active, 1: active without a known profile, 2 and more: the index of its profile, plus 2), the number of its parts, and for each
//! part its index and its words: seven of a pose, one of an input.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::error::RecordError;
use crate::device::{Device, DeviceName, Haptic, InputName, InputValue, PoseName};
use crate::element::Element;
use crate::frame::{DeviceFrame, Pose};
use crate::known::Known;
use crate::path::{CurvePath, PoseChannel};
use crate::time_range::TimeRange;

/// A pose or an input of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Part {
    device: u32,
    kind: PartKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PartKind {
    Pose(PoseName),
    Float(InputName),
    Boolean(InputName),
}

impl Part {
    fn element(&self, tables: &Tables) -> Element {
        let device = tables.devices[self.device as usize];
        match self.kind {
            PartKind::Pose(pose) => Element::DevicePose(device, pose),
            PartKind::Float(input) | PartKind::Boolean(input) => Element::Input(device, input),
        }
    }
}

impl PartKind {
    const fn words(self) -> usize {
        match self {
            PartKind::Pose(_) => PoseChannel::ALL.len(),
            PartKind::Float(_) | PartKind::Boolean(_) => 1,
        }
    }
}

/// The names that the indices of packets mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    devices: Vec<DeviceName>,
    parts: Vec<Part>,
    profiles: Vec<Arc<str>>,
}

/// Encodes the devices of consecutive frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceEncoder {
    pub(crate) tables: Tables,
    /// The last rotation of each pose, by the index of the part.
    rotations: HashMap<usize, [f32; 4]>,
    /// The packet of the last frame, without its time and length. It is also the memory in which packets are made.
    packet: Vec<u32>,
    /// The states of the devices in the last packet that was accepted: profiles and buttons.
    states: Vec<u32>,
    /// The states in the prepared packet.
    next_states: Vec<u32>,
}

/// The devices of recorded frames, and their haptic pulses.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceLog {
    encoder: DeviceEncoder,
    words: VecDeque<u32>,
    /// `true` once a frame had a device.
    is_used: bool,
    /// Haptic pulses with times of the frames' clock.
    pub(super) haptics: Vec<(DeviceName, Haptic)>,
}

/// Returns the index of an entry in a table; adds it if it is not there. `guess` is the index to try first.
fn index_of<T: Clone>(
    table: &mut Vec<T>,
    entry: &T,
    guess: usize,
    is_same: impl Fn(&T) -> bool,
) -> u32 {
    if table.get(guess).is_some_and(&is_same) {
        return guess as u32;
    }
    let found = table.iter().position(is_same);
    let index = found.unwrap_or_else(|| {
        table.push(entry.clone());
        table.len() - 1
    });
    index as u32
}

impl Tables {
    fn device(&mut self, name: DeviceName, guess: usize) -> u32 {
        index_of(&mut self.devices, &name, guess, |other| *other == name)
    }

    fn profile(&mut self, profile: &Arc<str>) -> u32 {
        index_of(&mut self.profiles, profile, 0, |other| other == profile)
    }

    /// Returns the index of a part and its kind. An input keeps the kind of its first value.
    fn part(&mut self, part: Part, guess: usize) -> (usize, PartKind) {
        let is_same = |other: &Part| {
            use PartKind::{Boolean, Float};
            let is_same_kind = match (other.kind, part.kind) {
                (Float(a) | Boolean(a), Float(b) | Boolean(b)) => a == b,
                (a, b) => a == b,
            };
            other.device == part.device && is_same_kind
        };
        let index = index_of(&mut self.parts, &part, guess, is_same);
        let index = index as usize;
        (index, self.parts[index].kind)
    }
}

/// The kinds of parts in files.
const POSE: u32 = 0;
const NUMBER: u32 = 1;
const ON_OFF: u32 = 2;

/// The largest number of devices, of parts and of profiles that are read from a file.
const MAX_NAMES: u32 = 2000;

impl Tables {
    /// Appends the tables to a file: the names of the devices, the parts and the profiles, each after their number.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let number = |bytes: &mut Vec<u8>, number: u32| bytes.extend(number.to_le_bytes());
        let text = |bytes: &mut Vec<u8>, text: &str| {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        };
        number(bytes, self.devices.len() as u32);
        for name in &self.devices {
            text(bytes, name.as_str());
        }
        number(bytes, self.parts.len() as u32);
        for part in &self.parts {
            number(bytes, part.device);
            match part.kind {
                PartKind::Pose(name) => {
                    number(bytes, POSE);
                    text(bytes, name.as_str());
                }
                PartKind::Float(name) => {
                    number(bytes, NUMBER);
                    text(bytes, name.as_str());
                }
                PartKind::Boolean(name) => {
                    number(bytes, ON_OFF);
                    text(bytes, name.as_str());
                }
            }
        }
        number(bytes, self.profiles.len() as u32);
        for profile in &self.profiles {
            text(bytes, profile);
        }
    }

    /// Reads tables from the start of bytes, and returns them with the bytes after them; `None` if they are not valid.
    pub(crate) fn read(mut bytes: &[u8]) -> Option<(Tables, &[u8])> {
        let mut tables = Tables::default();
        for _ in 0..count(&mut bytes)? {
            tables.devices.push(text(&mut bytes)?.parse().ok()?);
        }
        for _ in 0..count(&mut bytes)? {
            let device = number(&mut bytes)?;
            let kind = number(&mut bytes)?;
            let name = text(&mut bytes)?;
            let kind = match kind {
                POSE => PartKind::Pose(name.parse().ok()?),
                NUMBER => PartKind::Float(name.parse().ok()?),
                ON_OFF => PartKind::Boolean(name.parse().ok()?),
                _ => return None,
            };
            tables.devices.get(device as usize)?;
            tables.parts.push(Part { device, kind });
        }
        for _ in 0..count(&mut bytes)? {
            tables.profiles.push(Arc::from(text(&mut bytes)?));
        }
        Some((tables, bytes))
    }

    /// Returns the devices of a packet; `None` if it is not valid.
    pub(crate) fn frames(&self, packet: &[u32]) -> Option<Vec<DeviceFrame>> {
        let mut frames = Vec::new();
        let mut rest = packet;
        while !rest.is_empty() {
            let (&[device, state, count], after) = rest.split_first_chunk()?;
            rest = after;
            let mut frame = DeviceFrame::new(*self.devices.get(device as usize)?);
            frame.active = state > 0;
            if let Some(index) = state.checked_sub(2) {
                frame.profile = Some(self.profiles.get(index as usize)?.clone());
            }
            for _ in 0..count {
                let (&index, after) = rest.split_first()?;
                let part = self
                    .parts
                    .get(index as usize)
                    .filter(|part| part.device == device)?;
                let (words, after) = after.split_at_checked(part.kind.words())?;
                rest = after;
                let number = |index: usize| f32::from_bits(words[index]);
                match part.kind {
                    PartKind::Pose(name) => {
                        let pose = Pose {
                            position: std::array::from_fn(number),
                            rotation: std::array::from_fn(|index| number(3 + index)),
                        };
                        frame.poses.push((name, pose));
                    }
                    PartKind::Float(name) => {
                        frame.inputs.push((name, InputValue::Float(number(0))));
                    }
                    PartKind::Boolean(name) => {
                        frame
                            .inputs
                            .push((name, InputValue::Boolean(number(0) > 0.5)));
                    }
                }
            }
            frames.push(frame);
        }
        Some(frames)
    }
}

/// Takes a number from the start of bytes.
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

fn count(bytes: &mut &[u8]) -> Option<u32> {
    number(bytes).filter(|&count| count <= MAX_NAMES)
}

/// Takes a text and its size from the start of bytes; `None` if it is not UTF-8.
pub(crate) fn text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = number(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    str::from_utf8(text).ok()
}

impl DeviceEncoder {
    /// Checks the devices of a frame, and makes the packet that [`accept`](DeviceEncoder::accept) returns. Returns `true` if the
    /// profile of a device or a button changed since the last packet that was accepted.
    ///
    /// # Errors
    /// When a number is not finite, a rotation is 0, or a device is there twice.
    pub(crate) fn prepare(
        &mut self,
        devices: &[DeviceFrame],
        time: f32,
    ) -> Result<bool, RecordError> {
        self.packet.clear();
        self.next_states.clear();
        let states = &mut self.next_states;
        let mut guess = 0;
        for (place, frame) in devices.iter().enumerate() {
            if devices[..place]
                .iter()
                .any(|other| other.name == frame.name)
            {
                return Err(RecordError::DeviceTwice {
                    device: frame.name,
                    time,
                });
            }
            let device = self.tables.device(frame.name, place);
            let state = match (&frame.profile, frame.active) {
                (_, false) => 0,
                (None, true) => 1,
                (Some(profile), true) => 2 + self.tables.profile(profile),
            };
            let count = if frame.active {
                frame.poses.len() + frame.inputs.len()
            } else {
                0
            };
            self.packet.extend([device, state, count as u32]);
            states.extend([device, state]);
            if !frame.active {
                continue;
            }
            for (name, pose) in &frame.poses {
                let kind = PartKind::Pose(*name);
                let part = Part { device, kind };
                let (index, _) = self.tables.part(part, guess);
                guess = index + 1;
                let numbers = check(frame.name, *name, pose, time)?;
                self.packet.push(index as u32);
                self.packet.extend(numbers.map(f32::to_bits));
            }
            for (name, value) in &frame.inputs {
                let kind = match value {
                    InputValue::Float(_) => PartKind::Float(*name),
                    InputValue::Boolean(_) => PartKind::Boolean(*name),
                };
                let part = Part { device, kind };
                let (index, kind) = self.tables.part(part, guess);
                guess = index + 1;
                let number = match kind {
                    PartKind::Boolean(_) => f32::from(u8::from(value.is_on())),
                    _ => value.number(),
                };
                if !number.is_finite() {
                    return Err(RecordError::ValueNotFinite {
                        curve: CurvePath::Input(frame.name, *name),
                        value: number,
                        time,
                    });
                }
                self.packet.extend([index as u32, number.to_bits()]);
                if let PartKind::Boolean(_) = kind {
                    states.extend([index as u32, number.to_bits()]);
                }
            }
        }
        Ok(self.next_states != self.states)
    }

    /// Returns the prepared packet, which is now part of the recording.
    pub(crate) fn accept(&mut self) -> &[u32] {
        self.align();
        std::mem::swap(&mut self.states, &mut self.next_states);
        &self.packet
    }

    /// Changes the sign of each rotation of the packet that is not in the hemisphere of the last one of its pose.
    fn align(&mut self) {
        let parts = &self.tables.parts;
        let mut rest = &mut self.packet[..];
        while let Some((head, after)) = rest.split_first_chunk_mut::<3>() {
            rest = after;
            for _ in 0..head[2] {
                let Some((index, after)) = std::mem::take(&mut rest).split_first_mut() else {
                    return;
                };
                let index = *index as usize;
                let words = parts[index].kind.words();
                let (values, after) = after.split_at_mut(words);
                rest = after;
                if let [_, _, _, rotation @ ..] = values {
                    let mut now = [0.0; 4];
                    for (number, word) in now.iter_mut().zip(rotation.iter()) {
                        *number = f32::from_bits(*word);
                    }
                    let last = self.rotations.get(&index);
                    let product =
                        |last: &[f32; 4]| -> f32 { last.iter().zip(now).map(|(a, b)| a * b).sum() };
                    if last.is_some_and(|last| product(last) < 0.0) {
                        now = now.map(|part| -part);
                        for (word, number) in rotation.iter_mut().zip(now) {
                            *word = number.to_bits();
                        }
                    }
                    self.rotations.insert(index, now);
                }
            }
        }
    }
}

impl DeviceLog {
    /// Checks the devices of a frame: see [`DeviceEncoder::prepare`].
    #[cold]
    pub(super) fn prepare(
        &mut self,
        devices: &[DeviceFrame],
        time: f32,
    ) -> Result<bool, RecordError> {
        self.encoder.prepare(devices, time)
    }

    /// Adds the prepared packet at the time of a row, in seconds.
    #[cold]
    pub(super) fn push(&mut self, time: f32) {
        let packet = self.encoder.accept();
        self.is_used |= !packet.is_empty();
        if self.is_used {
            self.words.extend([time.to_bits(), packet.len() as u32]);
            self.words.extend(packet);
        }
    }

    /// Removes the packets before a time in seconds.
    pub(super) fn drop_before(&mut self, time: f32) {
        while let (Some(&first), Some(&length)) = (self.words.front(), self.words.get(1)) {
            if f32::from_bits(first) >= time {
                break;
            }
            self.words.drain(..2 + length as usize);
        }
    }

    /// Returns the devices of the packets from a time in seconds on, without haptic pulses, and their gaps. `origin` is the time
    /// that becomes 0. `first` is the time of the first row, and `pauses` are pauses between rows. Without `has_gaps`, what a frame
    /// does not have was not sampled in it.
    pub(super) fn build(
        &self,
        from: f32,
        origin: f64,
        pauses: &[TimeRange],
        has_gaps: bool,
    ) -> (Vec<Device<'static>>, Known) {
        let mut builder = DeviceBuilder {
            tables: &self.encoder.tables,
            devices: vec![BuiltDevice::default(); self.encoder.tables.devices.len()],
            parts: vec![BuiltPart::default(); self.encoder.tables.parts.len()],
            known: Known::default(),
            has_gaps,
            first: time_of(from, origin),
        };
        let mut words = self.words.iter().copied();
        let mut packet = Vec::new();
        while let (Some(time), Some(length)) = (words.next(), words.next()) {
            packet.clear();
            packet.extend(words.by_ref().take(length as usize));
            let time = f32::from_bits(time);
            if time >= from {
                builder.add(time_of(time, origin), &packet);
            }
        }
        let moved = pauses.iter().map(|pause| TimeRange {
            start: time_of(pause.start, origin),
            end: time_of(pause.end, origin),
        });
        builder.finish(moved)
    }

    /// Returns `true` if a recorded frame had a device.
    pub(super) const fn is_used(&self) -> bool {
        self.is_used
    }

    /// Returns `true` if no frame had a device, and there are no haptic pulses.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_used && self.haptics.is_empty()
    }
}

/// Returns a time of rows in the recording. The difference is rounded once.
fn time_of(time: f32, origin: f64) -> f32 {
    (f64::from(time) - origin) as f32
}

fn check(
    device: DeviceName,
    name: PoseName,
    pose: &Pose,
    time: f32,
) -> Result<[f32; PoseChannel::ALL.len()], RecordError> {
    let ([x, y, z], [a, b, c, d]) = (pose.position, pose.rotation);
    let numbers = [x, y, z, a, b, c, d];
    let path = |channel| CurvePath::DevicePose(device, name, channel);
    let mut channels = PoseChannel::ALL.into_iter().zip(numbers);
    if let Some((channel, value)) = channels.find(|(_, value)| !value.is_finite()) {
        return Err(RecordError::ValueNotFinite {
            curve: path(channel),
            value,
            time,
        });
    }
    if pose.rotation == [0.0; 4] {
        return Err(RecordError::RotationZero {
            w: path(PoseChannel::RotationW),
            time,
        });
    }
    Ok(numbers)
}

/// Makes curves from packets.
struct DeviceBuilder<'l> {
    tables: &'l Tables,
    devices: Vec<BuiltDevice>,
    parts: Vec<BuiltPart>,
    known: Known,
    has_gaps: bool,
    /// The time of the first row, in seconds.
    first: f32,
}

#[derive(Clone, Default)]
struct BuiltDevice {
    device: Option<Device<'static>>,
    /// The time of the last packet in which the device was known.
    last: Option<f32>,
    is_in_gap: bool,
    is_present: bool,
    is_active: bool,
    /// The time of the first packet in which the device was active.
    first_active: Option<f32>,
}

#[derive(Clone, Default)]
struct BuiltPart {
    last: Option<f32>,
    is_in_gap: bool,
    is_present: bool,
    was_on: Option<bool>,
    is_recorded: bool,
}

impl DeviceBuilder<'_> {
    fn add(&mut self, time: f32, packet: &[u32]) {
        self.devices
            .iter_mut()
            .for_each(|device| device.is_present = false);
        self.parts
            .iter_mut()
            .for_each(|part| part.is_present = false);
        let mut rest = packet;
        while let Some((&[device, state, count], after)) = rest.split_first_chunk() {
            rest = self.add_device(time, device as usize, state, count, after);
        }
        if self.has_gaps {
            self.add_gaps(time);
        }
    }

    /// Adds a device of a packet, whose `count` parts begin at `rest`. Returns the words after them.
    fn add_device<'w>(
        &mut self,
        time: f32,
        index: usize,
        state: u32,
        count: u32,
        mut rest: &'w [u32],
    ) -> &'w [u32] {
        let name = self.tables.devices[index];
        let built = &mut self.devices[index];
        let is_first = built.device.is_none();
        let device = built.device.get_or_insert_with(|| Device::new(name));
        built.is_present = true;
        built.is_active = state > 0;
        if built.is_active {
            built.first_active.get_or_insert(time);
        }
        let profile = state.checked_sub(2);
        let profile = profile.and_then(|index| self.tables.profiles.get(index as usize));
        // A device that is active from its first frame on, and has no profile, needs no change.
        if state != 1 || !device.profiles.is_empty() {
            if device.profiles.is_empty() && !is_first {
                device.change_profile(self.first, true, None);
            }
            device.change_profile(time, state > 0, profile.map(|profile| &**profile));
        }
        for _ in 0..count {
            let Some((&part, after)) = rest.split_first() else {
                return &[];
            };
            let part = part as usize;
            let kind = self.tables.parts[part].kind;
            let (words, after) = after.split_at(kind.words());
            rest = after;
            let built = &mut self.parts[part];
            built.is_present = true;
            built.is_recorded = true;
            let number = |index: usize| f32::from_bits(words[index]);
            match kind {
                PartKind::Pose(name) => {
                    let pose = Pose {
                        position: std::array::from_fn(number),
                        rotation: std::array::from_fn(|index| number(3 + index)),
                    };
                    device.pose_mut(name).push(time, &pose);
                }
                PartKind::Float(name) => {
                    device.push_input(name, time, InputValue::Float(number(0)));
                }
                PartKind::Boolean(name) => {
                    let is_on = number(0) > 0.5;
                    if built.was_on != Some(is_on) {
                        device.push_input(name, time, InputValue::Boolean(is_on));
                    }
                    built.was_on = Some(is_on);
                }
            }
        }
        rest
    }

    /// Opens and closes the gaps of everything that the packet at a time lacks or has.
    fn add_gaps(&mut self, time: f32) {
        for (device, name) in self.devices.iter_mut().zip(&self.tables.devices) {
            let element = Element::Profile(*name);
            gap(
                &mut self.known,
                element,
                &mut device.is_in_gap,
                &mut device.last,
                device.is_present,
                time,
                self.first,
            );
        }
        for (part, built) in self.tables.parts.iter().zip(&mut self.parts) {
            let device = &self.devices[part.device as usize];
            // What is unknown of a device that is unknown or not active needs no gap of its own.
            if !device.is_present || !device.is_active {
                continue;
            }
            let first = device.first_active.unwrap_or(time);
            let element = part.element(self.tables);
            gap(
                &mut self.known,
                element,
                &mut built.is_in_gap,
                &mut built.last,
                built.is_present,
                time,
                first,
            );
        }
    }

    /// Returns the devices and their gaps.
    fn finish(
        mut self,
        pauses: impl Iterator<Item = TimeRange> + Clone,
    ) -> (Vec<Device<'static>>, Known) {
        for (device, name) in self.devices.iter().zip(&self.tables.devices) {
            let element = Element::Profile(*name);
            close(
                &mut self.known,
                element,
                device.is_in_gap,
                device.last,
                device.device.is_some(),
            );
            if self.has_gaps && device.device.is_some() {
                for pause in pauses.clone() {
                    self.known.add_gap(element, pause);
                }
            }
        }
        for (part, built) in self.tables.parts.iter().zip(&self.parts) {
            let element = part.element(self.tables);
            close(
                &mut self.known,
                element,
                built.is_in_gap,
                built.last,
                built.is_recorded,
            );
        }
        let mut devices: Vec<Device<'static>> = self
            .devices
            .into_iter()
            .filter_map(|built| built.device)
            .collect();
        devices.sort_by_key(|device| device.name);
        (devices, self.known)
    }
}

/// Opens a gap of an element that a packet at a time lacks, and closes the gap of one that it has.
fn gap(
    known: &mut Known,
    element: Element,
    is_in_gap: &mut bool,
    last: &mut Option<f32>,
    is_present: bool,
    time: f32,
    first: f32,
) {
    if !is_present {
        *is_in_gap = true;
        return;
    }
    // What is first seen after the first row was unknown until then.
    let is_late = last.is_none() && time > first;
    if *is_in_gap || is_late {
        let start = last.unwrap_or(f32::NEG_INFINITY);
        known.add_gap(element, TimeRange { start, end: time });
    }
    *is_in_gap = false;
    *last = Some(time);
}

/// Adds the gap of an element that is open at the end.
fn close(
    known: &mut Known,
    element: Element,
    is_in_gap: bool,
    last: Option<f32>,
    is_recorded: bool,
) {
    if let Some(start) = last.filter(|_| is_in_gap && is_recorded) {
        known.add_gap(
            element,
            TimeRange {
                start,
                end: f32::INFINITY,
            },
        );
    }
}
