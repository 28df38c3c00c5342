//! What a comparison finds.

use std::fmt;

use crate::joint::{Joint, Side};
use crate::layout::Layout;
use crate::path::Stream;
use crate::recording::{Flags, Recording};
use crate::span::Span;

use super::Tolerance;
use super::deviation::Deviation;
use super::markers::MarkerDifference;
use super::states::StateDifference;

/// How much two recordings have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it, to the last bit: written in the same way they are the same file.
    Equal,
    /// They play the same within the tolerance, whatever the layouts and keys that say so.
    SameMeaning,
    /// They do not play the same.
    Different,
}

impl Verdict {
    /// `equal`, `same-meaning` or `different`.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::SameMeaning => "same-meaning",
            Verdict::Different => "different",
        }
    }
}

/// Something in which recordings may be out of tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// What a stream shows, or when a state is on.
    Stream(Stream),
    /// The markers.
    Markers,
    /// How long they play.
    Duration,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aspect::Stream(stream) => stream.fmt(f),
            Aspect::Markers => f.pad("markers"),
            Aspect::Duration => f.pad("duration"),
        }
    }
}

/// Something that a frame may or may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The head.
    Camera,
    /// A joint of a hand.
    Joint(Side, Joint),
    /// The eyes.
    Gaze,
}

impl Subject {
    /// The stream that it belongs to.
    pub const fn stream(self) -> Stream {
        match self {
            Subject::Camera => Stream::Camera,
            Subject::Joint(side, _) => Stream::Joints(side),
            Subject::Gaze => Stream::Gaze,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Camera => f.pad("camera"),
            Subject::Joint(side, joint) => write!(f, "{side}.{joint}"),
            Subject::Gaze => f.pad("gaze"),
        }
    }
}

/// How a stream that both recordings have differs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamDifference {
    /// The camera, the joints of a hand, or the gaze.
    pub stream: Stream,
    /// Positions, or the origin of the gaze, in metres.
    pub position: Deviation,
    /// Rotations, or the direction of the gaze, in degrees.
    pub rotation: Deviation,
}

impl StreamDifference {
    /// Whether it is never out of tolerance.
    pub fn is_within(&self) -> bool {
        self.position.is_within() && self.rotation.is_within()
    }
}

/// How two recordings are written: nothing of it changes what plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Form {
    /// Their layouts.
    pub layouts: [Layout; 2],
    /// Which streams they announce.
    pub flags: [Flags; 2],
    /// How many keys they have.
    pub keys: [u64; 2],
    /// How many curves that both have differ in their wrap modes.
    pub wrap_modes: u64,
}

/// How two recordings differ. Whatever there is of each is in the order in which they were given.
///
/// Of [`Equal`](Verdict::Equal) recordings nothing is looked at: nothing is in it but `span`,
/// `durations` and `form`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// How much they have in common.
    pub verdict: Verdict,
    /// What is out of tolerance, in file order.
    pub beyond: Vec<Aspect>,
    /// From when to when they were compared.
    pub span: Span,
    /// At how many instants.
    pub instants: u64,
    /// The streams of poses and rays that were compared, in file order.
    pub streams: Vec<StreamDifference>,
    /// What the first recording shows and the second never does, and the other way round. Joints
    /// only while both recordings track the hand.
    pub only_in: [Vec<Subject>; 2],
    /// The states that disagree at any time, in file order.
    pub states: Vec<StateDifference>,
    /// The markers.
    pub markers: MarkerDifference,
    /// How long each plays, in seconds.
    pub durations: [f32; 2],
    /// How they are written.
    pub form: Form,
}

impl Form {
    pub(super) fn of(a: &Recording<'_>, b: &Recording<'_>) -> Form {
        let keys = |recording: &Recording<'_>| {
            let counts = recording.curves().map(|(_, curve)| curve.len() as u64);
            counts.sum::<u64>()
        };
        let has_other_modes = a.curves().filter(|(path, curve)| {
            let other = b.curve(*path);
            other.is_some_and(|other| other.wrap() != curve.wrap())
        });
        Form {
            layouts: [a.layout, b.layout],
            flags: [a.flags(), b.flags()],
            keys: [keys(a), keys(b)],
            wrap_modes: has_other_modes.count() as u64,
        }
    }
}

impl Difference {
    /// Says what is out of tolerance, and so what the verdict is.
    pub(super) fn judge(&mut self, tolerance: &Tolerance, is_whole: bool) {
        let is_beyond = |stream: Stream| {
            let of = |found: Stream| found == stream;
            let mut only = self.only_in.iter().flatten();
            let mut poses = self.streams.iter().filter(|found| of(found.stream));
            let mut states = self.states.iter().filter(|found| of(found.stream));
            only.any(|subject| of(subject.stream()))
                || poses.any(|found| !found.is_within())
                || states.any(|found| !found.is_within(tolerance.seconds))
        };
        let streams = Stream::ALL.into_iter().filter(|&stream| is_beyond(stream));
        self.beyond = streams.map(Aspect::Stream).collect();
        if !self.markers.is_within(tolerance.seconds) {
            self.beyond.push(Aspect::Markers);
        }
        let [a, b] = self.durations;
        let apart = (f64::from(a) - f64::from(b)).abs();
        let is_as_long = a == b || apart <= tolerance.seconds;
        if is_whole && !is_as_long {
            self.beyond.push(Aspect::Duration);
        }
        self.verdict = match self.beyond.is_empty() {
            true => Verdict::SameMeaning,
            false => Verdict::Different,
        };
    }
}
