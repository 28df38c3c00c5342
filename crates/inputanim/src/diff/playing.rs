//! Two recordings side by side, instant by instant.

use std::collections::BTreeSet;

use crate::frame::Frame;
use crate::joint::{Joint, Side};
use crate::path::Stream;
use crate::sampler::{Cursor, Sampler};
use crate::span::Span;

use super::Tolerance;
use super::deviation::{Deviating, Found};
use super::difference::{Difference, StreamDifference, Subject};
use super::metric::{angle, distance, turn};
use super::states::Disagreeing;

/// A recording that holds its ends once it is over.
pub(super) struct Take {
    sampler: Sampler,
    /// The same with the ends of every curve held.
    held: Sampler,
    range: Option<Span>,
    cursor: Cursor,
}

impl Take {
    pub(super) fn new(sampler: Sampler) -> Take {
        Take {
            held: sampler.clone().with_clamped_ends(),
            range: sampler.range(),
            sampler,
            cursor: Cursor::default(),
        }
    }

    fn read(&mut self, time: f32, frame: &mut Frame) {
        // At its very ends too: a curve that comes round is at its start there again.
        let range = self.range;
        let is_inside = range.is_some_and(|range| range.start < time && time < range.end);
        let sampler = if is_inside { &self.sampler } else { &self.held };
        sampler.read(time, &mut self.cursor, frame);
    }
}

/// A [`Difference`] in the making.
pub(super) struct SideBySide {
    takes: [Take; 2],
    frames: [Frame; 2],
    instants: u64,
    camera: Pair,
    hands: [Pair; 2],
    gaze: Pair,
    /// Tracked and pinching; left, then right.
    states: [[Disagreeing; 2]; 2],
    only_in: [BTreeSet<Subject>; 2],
}

/// A stream's positions and rotations.
struct Pair {
    stream: Stream,
    position: Deviating,
    rotation: Deviating,
}

impl SideBySide {
    pub(super) fn new(takes: [Take; 2], tolerance: Tolerance) -> SideBySide {
        let pair = |stream| Pair {
            stream,
            position: Deviating::new(tolerance.metres),
            rotation: Deviating::new(tolerance.degrees),
        };
        SideBySide {
            takes,
            frames: Default::default(),
            instants: 0,
            camera: pair(Stream::Camera),
            hands: Side::BOTH.map(|side| pair(Stream::Joints(side))),
            gaze: pair(Stream::Gaze),
            states: Side::BOTH
                .map(|side| [Stream::Tracked(side), Stream::Pinching(side)].map(Disagreeing::new)),
            only_in: Default::default(),
        }
    }

    /// Compares what both show at `time`, which is later than before.
    pub(super) fn look(&mut self, time: f32) {
        self.instants += 1;
        for (take, frame) in self.takes.iter_mut().zip(&mut self.frames) {
            take.read(time, frame);
        }
        let [a, b] = &self.frames;

        let [mut position, mut rotation] = [Found::default(); 2];
        if let Some((a, b)) = both(a.camera, b.camera, Subject::Camera, &mut self.only_in) {
            position.see(distance(a.position, b.position), None);
            rotation.see(turn(a.rotation, b.rotation), None);
        }
        self.camera.add(time, position, rotation);

        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            let [tracked, pinching] = &mut self.states[side as usize];
            tracked.add(time, a.tracked, b.tracked);
            pinching.add(time, a.pinching, b.pinching);
            let [mut position, mut rotation] = [Found::default(); 2];
            let is_shown = a.tracked && b.tracked;
            for joint in Joint::ALL.into_iter().filter(|_| is_shown) {
                let (a, b) = (a.joints[joint], b.joints[joint]);
                if let Some((a, b)) = both(a, b, Subject::Joint(side, joint), &mut self.only_in) {
                    position.see(distance(a.position, b.position), Some(joint));
                    rotation.see(turn(a.rotation, b.rotation), Some(joint));
                }
            }
            self.hands[side as usize].add(time, position, rotation);
        }

        let [mut position, mut rotation] = [Found::default(); 2];
        if let Some((a, b)) = both(a.gaze, b.gaze, Subject::Gaze, &mut self.only_in) {
            position.see(distance(a.origin, b.origin), None);
            rotation.see(angle(a.direction, b.direction), None);
        }
        self.gaze.add(time, position, rotation);
    }

    pub(super) fn finish(self, found: &mut Difference) {
        found.instants = self.instants;
        let [left, right] = self.hands;
        let pairs = [self.camera, left, right, self.gaze];
        found.streams = pairs.into_iter().filter_map(Pair::finish).collect();
        let [
            [left_tracked, left_pinching],
            [right_tracked, right_pinching],
        ] = self.states;
        let states = [left_tracked, right_tracked, left_pinching, right_pinching];
        let end = found.span.end;
        let states = states.into_iter().filter_map(|state| state.finish(end));
        found.states = states.collect();
        found.only_in = self.only_in.map(|subjects| subjects.into_iter().collect());
    }
}

/// What both have; what one alone has is noted.
fn both<T>(
    a: Option<T>,
    b: Option<T>,
    subject: Subject,
    only_in: &mut [BTreeSet<Subject>; 2],
) -> Option<(T, T)> {
    match (a, b) {
        (Some(a), Some(b)) => return Some((a, b)),
        (Some(_), None) => only_in[0].insert(subject),
        (None, Some(_)) => only_in[1].insert(subject),
        (None, None) => false,
    };
    None
}

impl Pair {
    fn add(&mut self, time: f32, position: Found, rotation: Found) {
        self.position.add(time, position);
        self.rotation.add(time, rotation);
    }

    /// `None` where there was never anything to compare.
    fn finish(self) -> Option<StreamDifference> {
        let found = StreamDifference {
            stream: self.stream,
            position: self.position.finish(),
            rotation: self.rotation.finish(),
        };
        (found.position.instants > 0).then_some(found)
    }
}
