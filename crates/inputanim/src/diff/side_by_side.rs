//! Evaluation of two recordings side by side, instant by instant.

use std::collections::{BTreeMap, BTreeSet};

use crate::device::DeviceName;
use crate::element::Element;
use crate::frame::{DeviceFrame, Frame, HandFrame};
use crate::joint::{Joint, Joints, Side};
use crate::names::ElementChoice;
use crate::path::Stream;
use crate::sampler::{Sampler, SamplerCursor};
use crate::time_range::TimeRange;

use super::deviation::{DeviationBuilder, InstantDeviation};
use super::difference::{Difference, StreamDifference, UncomparedJoint};
use super::metric::{angle, distance, turn};
use super::options::{DiffOptions, Tolerance};
use super::states::{InputDifferenceBuilder, StateDifferenceBuilder};

/// A recording that holds its end values outside its time range.
pub(super) struct HeldRecording {
    sampler: Sampler,
    /// The same sampler with the ends of every curve held.
    held: Sampler,
    range: Option<TimeRange>,
    cursor: SamplerCursor,
}

impl HeldRecording {
    pub(super) fn new(sampler: Sampler) -> HeldRecording {
        HeldRecording {
            held: sampler.clone().with_clamped_ends(),
            range: sampler.range(),
            sampler,
            cursor: SamplerCursor::default(),
        }
    }

    fn read(&mut self, time: f32, frame: &mut Frame) {
        // The end values are held at the ends themselves too, because a curve that loops has its
        // start value again at its end.
        let range = self.range;
        let is_inside = range.is_some_and(|range| range.start < time && time < range.end);
        let sampler = if is_inside { &self.sampler } else { &self.held };
        sampler.read(time, &mut self.cursor, frame);
    }
}

/// A builder of a [`Difference`].
pub(super) struct SideBySide {
    recordings: [HeldRecording; 2],
    frames: [Frame; 2],
    instants: u64,
    head: StreamBuilder,
    hands: [StreamBuilder; 2],
    gaze: StreamBuilder,
    /// Tracked and pinching, for the left and the right hand.
    states: [[StateDifferenceBuilder; 2]; 2],
    joints: [Joints<JointPresence>; 2],
    devices: BTreeMap<DeviceName, DeviceBuilder>,
    tolerance: Tolerance,
    elements: ComparedElements,
}

/// The elements that are compared.
struct ComparedElements {
    ignored: Vec<Element>,
    devices: ElementChoice,
    only_in: [BTreeSet<Element>; 2],
}

/// The instants at which the recordings have poses of a joint.
#[derive(Clone, Copy, Default)]
struct JointPresence {
    tracked: [Option<TimeRange>; 2],
    is_compared: bool,
}

/// The builders for one device.
struct DeviceBuilder {
    poses: StreamBuilder,
    inputs: BTreeMap<Element, InputDifferenceBuilder>,
}

/// The builders for positions and rotations of one stream.
struct StreamBuilder {
    stream: Stream,
    position: DeviationBuilder,
    rotation: DeviationBuilder,
    /// The time of the previous instant in seconds; `None` if the stream could not be compared there.
    compared_until: Option<f32>,
    seconds: f64,
}

impl SideBySide {
    pub(super) fn new(recordings: [HeldRecording; 2], options: &DiffOptions) -> SideBySide {
        let tolerance = options.tolerance;
        let pair = |stream| StreamBuilder::new(stream, &tolerance);
        SideBySide {
            recordings,
            frames: Default::default(),
            instants: 0,
            head: pair(Stream::Head),
            hands: Side::BOTH.map(|side| pair(Stream::Joints(side))),
            gaze: pair(Stream::Gaze),
            states: Side::BOTH.map(|side| {
                [Stream::Tracked(side), Stream::Pinching(side)].map(StateDifferenceBuilder::new)
            }),
            joints: Default::default(),
            devices: BTreeMap::new(),
            tolerance,
            elements: ComparedElements {
                ignored: options.ignored.clone(),
                devices: options.devices.clone(),
                only_in: Default::default(),
            },
        }
    }

    /// Compares both recordings at a time in seconds. Times must increase from call to call.
    pub(super) fn compare_at(&mut self, time: f32) {
        self.instants += 1;
        for (recording, frame) in self.recordings.iter_mut().zip(&mut self.frames) {
            recording.read(time, frame);
        }
        let [a, b] = &self.frames;

        let [mut position, mut rotation] = [InstantDeviation::default(); 2];
        if let Some((a, b)) = self.elements.both(a.head, b.head, Element::Head) {
            position.add(distance(a.position, b.position), None);
            rotation.add(turn(a.rotation, b.rotation), None);
        }
        self.head.add(time, position, rotation);

        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            let [tracked, pinching] = &mut self.states[side as usize];
            if self.elements.has(Element::Tracked(side)) {
                let [a, b] = [a, b].map(|hand| (!hand.unknown).then_some(hand.tracked));
                tracked.add(time, a, b);
            }
            if self.elements.has(Element::Pinching(side)) {
                let known = |hand: &HandFrame| !hand.unknown && !hand.pinch_unknown;
                let [a, b] = [a, b].map(|hand| known(hand).then_some(hand.pinching));
                pinching.add(time, a, b);
            }
            let [mut position, mut rotation] = [InstantDeviation::default(); 2];
            // Joints have no values while their hand is untracked. The difference in tracking is
            // reported as a state.
            let is_tracked = a.tracked && b.tracked;
            for joint in Joint::ALL {
                let (a, b) = (a.joints[joint], b.joints[joint]);
                self.joints[side as usize][joint].add(time, [a.is_some(), b.is_some()]);
                if !is_tracked {
                    continue;
                }
                if let Some((a, b)) = self.elements.both(a, b, Element::Joint(side, joint)) {
                    position.add(distance(a.position, b.position), Some(joint));
                    rotation.add(turn(a.rotation, b.rotation), Some(joint));
                }
            }
            self.hands[side as usize].add(time, position, rotation);
        }

        let [mut position, mut rotation] = [InstantDeviation::default(); 2];
        if let Some((a, b)) = self.elements.both(a.gaze, b.gaze, Element::Gaze) {
            position.add(distance(a.origin, b.origin), None);
            rotation.add(angle(a.direction, b.direction), None);
        }
        self.gaze.add(time, position, rotation);
        if !(a.devices.is_empty() && b.devices.is_empty()) {
            self.compare_devices(time);
        }
    }

    /// Compares the devices of the frames of both recordings.
    fn compare_devices(&mut self, time: f32) {
        let [a, b] = &self.frames;
        let devices = a.devices.iter().chain(&b.devices);
        let names: BTreeSet<DeviceName> = devices.map(|device| device.name).collect();
        for name in names {
            let device = DeviceBuilder::of(&mut self.devices, name, &self.tolerance);
            let (a, b) = (a.device(name), b.device(name));
            let profile = Element::Profile(name);
            if let Some((a, b)) = self.elements.both(a, b, profile) {
                let is_same = a.active == b.active && a.profile == b.profile;
                let difference = if is_same { 0.0 } else { 1.0 };
                device.input(profile).add(time, difference, 0.0);
            }
            // What one of the recordings does not know, or has not active, cannot be compared.
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a.active && b.active {
                compare_parts(
                    &mut self.elements,
                    device,
                    time,
                    [a, b],
                    self.tolerance.input,
                );
            }
        }
    }

    pub(super) fn finish(self, found: &mut Difference) {
        found.instants = self.instants;
        let [left, right] = self.hands;
        let pairs = [self.head, left, right, self.gaze];
        let (poses, inputs): (Vec<_>, Vec<_>) = self
            .devices
            .into_values()
            .map(|device| (device.poses, device.inputs))
            .unzip();
        found.streams = pairs
            .into_iter()
            .chain(poses)
            .filter_map(StreamBuilder::finish)
            .collect();
        let inputs = inputs.into_iter().flat_map(BTreeMap::into_values);
        let inputs = inputs.filter_map(|input| input.finish(found.range.end));
        found.inputs = inputs.collect();
        let [
            [left_tracked, left_pinching],
            [right_tracked, right_pinching],
        ] = self.states;
        // The states are in file order, in which the two hands alternate.
        let states = [left_tracked, right_tracked, left_pinching, right_pinching];
        let end = found.range.end;
        let states = states.into_iter().filter_map(|state| state.finish(end));
        found.states = states.collect();
        found.only_in = self
            .elements
            .only_in
            .map(|elements| elements.into_iter().collect());
        let joints = Side::BOTH.into_iter().flat_map(|side| {
            let joints = &self.joints[side as usize];
            Joint::ALL.map(|joint| (Element::Joint(side, joint), joints[joint]))
        });
        let uncompared = joints.filter(|(element, presence)| {
            // An element that only one recording has is already reported.
            presence.is_uncompared()
                && !self.elements.ignored.contains(element)
                && !found.only_in.iter().flatten().any(|only| only == element)
        });
        found.uncompared = uncompared
            .map(|(element, presence)| UncomparedJoint {
                element,
                tracked: presence.tracked,
            })
            .collect();
    }
}

/// Compares the poses and inputs of a device that is active in both recordings.
fn compare_parts(
    elements: &mut ComparedElements,
    device: &mut DeviceBuilder,
    time: f32,
    [a, b]: [&DeviceFrame; 2],
    tolerance: f64,
) {
    let [mut position, mut rotation] = [InstantDeviation::default(); 2];
    let poses = a.poses.iter().chain(&b.poses).map(|(pose, _)| *pose);
    for pose in poses.collect::<BTreeSet<_>>() {
        let element = Element::DevicePose(a.name, pose);
        if let Some((a, b)) = elements.both(a.pose(pose), b.pose(pose), element) {
            position.add(distance(a.position, b.position), None);
            rotation.add(turn(a.rotation, b.rotation), None);
        }
    }
    device.poses.add(time, position, rotation);
    let inputs = a.inputs.iter().chain(&b.inputs).map(|(input, _)| *input);
    for input in inputs.collect::<BTreeSet<_>>() {
        let element = Element::Input(a.name, input);
        if let Some((a, b)) = elements.both(a.input(input), b.input(input), element) {
            let numbers = [a, b].map(|value| f64::from(value.number()));
            let [a, b] = numbers;
            // A number that is not finite in only one recording exceeds every tolerance.
            let difference = match (a - b).abs() {
                _ if a.to_bits() == b.to_bits() => 0.0,
                difference if difference.is_nan() => f64::INFINITY,
                difference => difference,
            };
            device.input(element).add(time, difference, tolerance);
        }
    }
}

impl ComparedElements {
    fn has(&self, element: Element) -> bool {
        if element.device().is_some() {
            return self.devices.contains(element);
        }
        !self.ignored.contains(&element)
    }

    /// Returns both values of an element; `None` if the element is ignored or a recording has no value. If only one
    /// recording has a value, notes that the element is missing in the other.
    fn both<T>(&mut self, a: Option<T>, b: Option<T>, element: Element) -> Option<(T, T)> {
        if !self.has(element) {
            return None;
        }
        match (a, b) {
            (Some(a), Some(b)) => return Some((a, b)),
            (Some(_), None) => self.only_in[0].insert(element),
            (None, Some(_)) => self.only_in[1].insert(element),
            (None, None) => false,
        };
        None
    }
}

impl JointPresence {
    fn add(&mut self, time: f32, has_pose: [bool; 2]) {
        self.is_compared |= has_pose == [true; 2];
        for (tracked, has_pose) in self.tracked.iter_mut().zip(has_pose) {
            if has_pose {
                let first = TimeRange {
                    start: time,
                    end: time,
                };
                tracked.get_or_insert(first).end = time;
            }
        }
    }

    /// Returns `true` if there are poses, but never in both recordings at the same instant.
    fn is_uncompared(&self) -> bool {
        !self.is_compared && self.tracked != [None; 2]
    }
}

impl DeviceBuilder {
    fn of<'d>(
        devices: &'d mut BTreeMap<DeviceName, DeviceBuilder>,
        name: DeviceName,
        tolerance: &Tolerance,
    ) -> &'d mut DeviceBuilder {
        devices.entry(name).or_insert_with(|| DeviceBuilder {
            poses: StreamBuilder::new(Stream::Device(name), tolerance),
            inputs: BTreeMap::new(),
        })
    }

    fn input(&mut self, element: Element) -> &mut InputDifferenceBuilder {
        let builder = self.inputs.entry(element);
        builder.or_insert_with(|| InputDifferenceBuilder::new(element))
    }
}

impl StreamBuilder {
    fn new(stream: Stream, tolerance: &Tolerance) -> StreamBuilder {
        StreamBuilder {
            stream,
            position: DeviationBuilder::new(tolerance.position),
            rotation: DeviationBuilder::new(tolerance.rotation),
            compared_until: None,
            seconds: 0.0,
        }
    }

    fn add(&mut self, time: f32, position: InstantDeviation, rotation: InstantDeviation) {
        let is_compared = position.has_value();
        if let Some(start) = self.compared_until.filter(|_| is_compared) {
            self.seconds += f64::from(time) - f64::from(start);
        }
        self.compared_until = is_compared.then_some(time);
        self.position.add(time, position);
        self.rotation.add(time, rotation);
    }

    /// Returns the difference of the stream; `None` if the recordings never had a value at the same instant.
    fn finish(self) -> Option<StreamDifference> {
        let found = StreamDifference {
            stream: self.stream,
            position: self.position.finish(),
            rotation: self.rotation.finish(),
            seconds: self.seconds as f32,
        };
        (found.position.instants > 0).then_some(found)
    }
}
