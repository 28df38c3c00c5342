//! The result of a comparison.

use std::collections::BTreeSet;
use std::fmt;

use crate::about::About;
use crate::element::Element;
use crate::layout::Layout;
use crate::path::Stream;
use crate::recording::{Flags, Recording};
use crate::time_range::TimeRange;

use super::Tolerance;
use super::deviation::Deviation;
use super::haptics::HapticDifference;
use super::markers::MarkerDifference;
use super::states::{InputDifference, StateDifference};

/// The result of a comparison in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The recordings are equal to the last bit. Written in one layout they are the same file.
    Equal,
    /// The recordings evaluate to the same values within the tolerance.
    Equivalent,
    /// The recordings differ.
    Different,
}

impl Verdict {
    /// Returns `equal`, `equivalent` or `different`.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Equivalent => "equivalent",
            Verdict::Different => "different",
        }
    }
}

/// A part of a recording that may be out of tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// A stream of poses or rays, or a state.
    Stream(Stream),
    /// The markers.
    Markers,
    /// The durations.
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

/// The difference of a stream that both recordings have.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct StreamDifference {
    /// The head, the joints of a hand, or the gaze.
    pub stream: Stream,
    /// The deviation of positions, or of the origin of the gaze, in metres.
    pub position: Deviation,
    /// The deviation of rotations, or of the direction of the gaze, in degrees.
    pub rotation: Deviation,
    /// The total time in which both recordings have values, in seconds.
    pub seconds: f32,
}

impl StreamDifference {
    /// Returns `true` if the stream is always within tolerance.
    pub fn is_within(&self) -> bool {
        self.position.is_within() && self.rotation.is_within()
    }
}

/// A joint that is never compared, because the two recordings never track its hand at the same instant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct UncomparedJoint {
    /// The joint.
    pub element: Element,
    /// The first and the last instant at which each recording has a pose of the joint; `None` for a
    /// recording that never has one. At least one recording has a pose.
    pub tracked: [Option<TimeRange>; 2],
}

/// The difference in encoding, which does not affect evaluation. Each array has the values of the
/// first and of the second recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct EncodingDifference {
    /// The layouts.
    pub layouts: [Layout; 2],
    /// The streams that the flags announce.
    pub flags: [Flags; 2],
    /// The numbers of keys.
    pub keys: [u64; 2],
    /// The number of curves that are in both recordings with different wrap modes.
    pub wrap_modes: u64,
}

/// A [text about a recording](Recording::about) that differs. It does not affect evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct TextDifference {
    /// The name of the text.
    pub name: String,
    /// The text of the first and of the second recording; `None` for a recording that does not state it.
    pub texts: [Option<String>; 2],
}

/// The difference between two recordings. Each array has the value of the first and of the second
/// recording.
///
/// [`Equal`](Verdict::Equal) recordings are not evaluated: only `range`, `durations` and `encoding`
/// are set. They have the same texts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Difference {
    /// The result in one word.
    pub verdict: Verdict,
    /// The parts that are out of tolerance, in file order.
    pub out_of_tolerance: Vec<Aspect>,
    /// The time range that was compared.
    pub range: TimeRange,
    /// The number of instants that were compared.
    pub instants: u64,
    /// The streams of poses and rays that both recordings have, in file order.
    pub streams: Vec<StreamDifference>,
    /// The elements that only one recording ever has. Joints count only while both recordings track the hand.
    pub only_in: [Vec<Element>; 2],
    /// The joints that the two recordings never track at the same instant, in file order. They are out of tolerance,
    /// because none of their values was compared.
    pub uncompared: Vec<UncomparedJoint>,
    /// The [ignored](super::DiffOptions::ignored) elements whose curves differ.
    pub ignored: Vec<Element>,
    /// The states that disagree at any time, in file order.
    pub states: Vec<StateDifference>,
    /// The profiles and inputs of devices that differ at any time, in the order of [`Element`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub inputs: Vec<InputDifference>,
    /// The haptic pulses of devices that differ, in the order of the devices' names.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub haptics: Vec<HapticDifference>,
    /// The difference of the markers.
    pub markers: MarkerDifference,
    /// The texts about the recordings that differ, in the order of their names.
    pub about: Vec<TextDifference>,
    /// The durations, in seconds.
    pub durations: [f32; 2],
    /// The difference in encoding.
    pub encoding: EncodingDifference,
}

impl TextDifference {
    /// Returns the texts that differ.
    pub(super) fn between(a: &About, b: &About) -> Vec<TextDifference> {
        let names: BTreeSet<&str> = a.iter().chain(b.iter()).map(|(name, _)| name).collect();
        let all = names.into_iter().map(|name| TextDifference {
            name: name.to_owned(),
            texts: [a, b].map(|about| about.get(name).map(str::to_owned)),
        });
        all.filter(|text| text.texts[0] != text.texts[1]).collect()
    }
}

impl EncodingDifference {
    pub(super) fn of(a: &Recording<'_>, b: &Recording<'_>) -> EncodingDifference {
        let keys = |recording: &Recording<'_>| {
            let counts = recording.curves().map(|(_, curve)| curve.len() as u64);
            counts.sum::<u64>()
        };
        let has_other_modes = a.curves().filter(|(path, curve)| {
            let other = b.curve(*path);
            other.is_some_and(|other| other.wrap() != curve.wrap())
        });
        EncodingDifference {
            layouts: [a.layout, b.layout],
            flags: [a.flags(), b.flags()],
            keys: [keys(a), keys(b)],
            wrap_modes: has_other_modes.count() as u64,
        }
    }
}

impl Difference {
    /// Sets the verdict, and the parts that are out of tolerance. The durations count only if `compares_everything` is
    /// `true`, which means that no time range was selected.
    pub(super) fn judge(&mut self, tolerance: &Tolerance, compares_everything: bool) {
        let is_out_of_tolerance = |stream: Stream| {
            let of = |found: Stream| found == stream;
            let mut only = self.only_in.iter().flatten();
            let mut poses = self.streams.iter().filter(|found| of(found.stream));
            let mut states = self.states.iter().filter(|found| of(found.stream));
            let mut uncompared = self.uncompared.iter();
            only.any(|element| of(element.stream()))
                || uncompared.any(|joint| of(joint.element.stream()))
                || poses.any(|found| !found.is_within())
                || states.any(|found| !found.is_within(tolerance.timing))
                || self
                    .inputs
                    .iter()
                    .any(|found| of(found.element.stream()) && !found.is_within(tolerance.timing))
                || self
                    .haptics
                    .iter()
                    .any(|found| of(Stream::Device(found.device)))
        };
        let of_devices = self
            .only_in
            .iter()
            .flatten()
            .map(|element| element.stream());
        let of_devices = of_devices
            .chain(self.streams.iter().map(|found| found.stream))
            .chain(self.inputs.iter().map(|found| found.element.stream()))
            .chain(
                self.haptics
                    .iter()
                    .map(|found| Stream::Device(found.device)),
            )
            .filter(|stream| matches!(stream, Stream::Device(_)));
        let of_devices: BTreeSet<Stream> = of_devices.collect();
        let streams = Stream::ALL
            .into_iter()
            .chain(of_devices)
            .filter(|&stream| is_out_of_tolerance(stream));
        self.out_of_tolerance = streams.map(Aspect::Stream).collect();
        if !self.markers.is_within(tolerance.timing) {
            self.out_of_tolerance.push(Aspect::Markers);
        }
        let [a, b] = self.durations;
        let apart = (f64::from(a) - f64::from(b)).abs();
        // Durations can be infinite in a damaged file. The difference of two of them is NaN, so
        // equality is tested first.
        let is_same_duration = a == b || apart <= f64::from(tolerance.duration);
        // A comparison of a time range does not include the ends of the recordings.
        if compares_everything && !is_same_duration {
            self.out_of_tolerance.push(Aspect::Duration);
        }
        self.verdict = if self.out_of_tolerance.is_empty() {
            Verdict::Equivalent
        } else {
            Verdict::Different
        };
    }
}
