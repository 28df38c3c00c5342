//! Evaluation of two recordings side by side, instant by instant.

use std::collections::BTreeSet;

use crate::element::Element;
use crate::frame::{Frame, HandFrame};
use crate::joint::{Joint, Joints, Side};
use crate::path::Stream;
use crate::sampler::{Sampler, SamplerCursor};
use crate::time_range::TimeRange;

use super::deviation::{DeviationBuilder, InstantDeviation};
use super::difference::{Difference, StreamDifference, UncomparedJoint};
use super::metric::{angle, distance, turn};
use super::options::DiffOptions;
use super::states::StateDifferenceBuilder;

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
    elements: ComparedElements,
}

/// The elements that are compared.
struct ComparedElements {
    ignored: Vec<Element>,
    only_in: [BTreeSet<Element>; 2],
}

/// The instants at which the recordings have poses of a joint.
#[derive(Clone, Copy, Default)]
struct JointPresence {
    tracked: [Option<TimeRange>; 2],
    is_compared: bool,
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
        let pair = |stream| StreamBuilder {
            stream,
            position: DeviationBuilder::new(tolerance.position),
            rotation: DeviationBuilder::new(tolerance.rotation),
            compared_until: None,
            seconds: 0.0,
        };
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
            elements: ComparedElements {
                ignored: options.ignored.clone(),
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
    }

    pub(super) fn finish(self, found: &mut Difference) {
        found.instants = self.instants;
        let [left, right] = self.hands;
        let pairs = [self.head, left, right, self.gaze];
        found.streams = pairs
            .into_iter()
            .filter_map(StreamBuilder::finish)
            .collect();
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

impl ComparedElements {
    fn has(&self, element: Element) -> bool {
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

impl StreamBuilder {
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
