//! Content of a recording that is not representable in a layout.
//!
//! Specification: docs/format.md, section 7.

use std::fmt;

use crate::curve::{Curve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::device::DeviceLoss;
use crate::element::Element;
use crate::joint::Side;
use crate::layout::Layout;
use crate::path::Stream;
use crate::recording::Recording;
use crate::states;
use crate::time_range::TimeRange;

/// Content of a recording that is not representable in a layout (docs/format.md, section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(
        tag = "kind",
        rename_all = "kebab-case",
        rename_all_fields = "camelCase"
    )
)]
#[non_exhaustive]
pub enum LayoutLoss {
    /// Tangents, weights and weighted modes. Simple keys do not have them.
    Tangents {
        /// Number of keys that have some.
        keys: u64,
        /// Number of curves with such keys.
        curves: usize,
    },
    /// Markers, where the layout has no marker list.
    Markers {
        /// Number of markers.
        markers: usize,
    },
    /// The gaze stream. Version 1.0 does not have it.
    Gaze {
        /// Number of keys of the gaze curves.
        keys: u64,
    },
    /// The absence of a head stream. Version 1.0 has no flag for it, so the stream becomes empty
    /// curves.
    MissingHead,
    /// The absence of hands. Version 1.0 has no flag for it, so they become empty curves.
    MissingHands,
    /// Times at which values are unknown, which no file of MRTK can state. The last value before is held there. A hand about
    /// which nothing is known becomes a hand that is not tracked, which is no loss.
    Unknown(UnknownTime),
    /// A controller, tracker or other device, which no file of MRTK has.
    Device(DeviceLoss),
    /// Flag bytes other than 0 and 1. Version 1.0 has no flags.
    FlagBytes {
        /// The bytes of head, hand, gaze.
        bytes: [u8; 3],
    },
}

impl fmt::Display for LayoutLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutLoss::Tangents { keys, curves } => write!(
                f,
                "the tangents, weights or weighted modes of {} in {}",
                Count(*keys, "key"),
                Count(*curves as u64, "curve")
            ),
            LayoutLoss::Markers { markers } => Count(*markers as u64, "marker").fmt(f),
            LayoutLoss::Gaze { keys } => write!(f, "the gaze stream ({})", Count(*keys, "key")),
            LayoutLoss::MissingHead => {
                f.write_str("the flag that says there is no head (it becomes empty curves)")
            }
            LayoutLoss::MissingHands => {
                f.write_str("the flag that says there are no hands (they become empty curves)")
            }
            LayoutLoss::Unknown(unknown) => write!(f, "that {unknown}"),
            LayoutLoss::Device(device) => device.fmt(f),
            LayoutLoss::FlagBytes { bytes } => write!(f, "the unusual flag bytes {bytes:?}"),
        }
    }
}

/// The time in which values of a stream are unknown: see [`Recording::known`]. `Display` prints a sentence such as `the gaze
/// is unknown for 2 s from 1.5 s on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct UnknownTime {
    /// The stream: the head, the joints of a hand, the tracking of a hand for everything about it, the gaze, or a device.
    #[cfg_attr(feature = "serde", serde(serialize_with = "name_of"))]
    pub stream: Stream,
    /// The unknown element of a device: a pose or an input, or the profile for everything about the device. `None` if several
    /// elements are unknown, and for streams that are not devices.
    #[cfg_attr(
        feature = "serde",
        serde(
            serialize_with = "name_of_element",
            skip_serializing_if = "Option::is_none"
        )
    )]
    pub element: Option<Element>,
    /// Number of its elements that are unknown at some time: joints of the hand, poses and inputs of the device, or 1.
    pub elements: usize,
    /// Number of time ranges in which at least one of them is unknown.
    pub gaps: usize,
    /// The length of these time ranges, in milliseconds.
    pub milliseconds: u64,
    /// The start of the first one, in milliseconds.
    pub start_milliseconds: i64,
}

#[cfg(feature = "serde")]
fn name_of<S: serde::Serializer>(stream: &Stream, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(stream)
}

#[cfg(feature = "serde")]
fn name_of_element<S: serde::Serializer>(
    element: &Option<Element>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match element {
        Some(element) => serializer.collect_str(element),
        None => serializer.serialize_none(),
    }
}

impl fmt::Display for UnknownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream {
            Stream::Device(device) => match self.element {
                Some(Element::Profile(_)) => write!(f, "{device} is unknown")?,
                Some(element) => write!(f, "{element} is unknown")?,
                None => write!(f, "{} parts of {device} are unknown", self.elements)?,
            },
            Stream::Joints(side) => {
                let joints = Count(self.elements as u64, "joint");
                let verb = if self.elements == 1 { "is" } else { "are" };
                write!(f, "{joints} of the {side} hand {verb} unknown")?;
            }
            Stream::Tracked(side) | Stream::Pinching(side) => {
                write!(f, "the {side} hand is unknown")?;
            }
            stream => write!(f, "the {stream} is unknown")?,
        }
        let seconds = self.milliseconds as f64 / 1000.0;
        write!(f, " for {seconds} s")?;
        // Most notes are about one gap.
        if self.gaps > 1 {
            write!(f, " in {} gaps", self.gaps)?;
        }
        write!(f, " from {} s on", self.start_milliseconds as f64 / 1000.0)
    }
}

struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(count, thing) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {thing}{plural}")
    }
}

impl<'a> Recording<'a> {
    /// Converts the recording to `layout`. The result equals the recording that is read back after
    /// [`write_lossy_as`](Self::write_lossy_as). Content that is not representable is dropped;
    /// [`losses`](Self::losses) lists it.
    ///
    /// ```
    /// use inputanim::{Layout, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.gaze_mut();
    /// let old = recording.with_layout(Layout::Mrtk1_0);
    /// assert!(old.gaze.is_none() && old.head.is_some());
    /// ```
    pub fn with_layout(self, layout: Layout) -> Recording<'a> {
        let kind = layout.key_kind();
        let mut recording = Recording { layout, ..self };
        if !layout.has_markers() {
            recording.markers.clear();
        }
        if !layout.has_flags() {
            // Version 1.0 always has head and hands, and never gaze.
            recording.gaze = None;
            recording.flag_bytes = [0; 3];
            recording.head_mut();
            recording.hands_mut();
        }
        for (_, curve) in recording.file_curves_mut() {
            if let CurveMut::Float(curve) = curve {
                *curve = std::mem::take(curve).into_kind(kind);
            }
        }
        recording
    }

    /// Lists the content that is not representable in `layout`; empty when writing loses nothing.
    ///
    /// Reads the keys only when full keys would become simple ones.
    ///
    /// ```
    /// use inputanim::{Layout, LayoutLoss, Marker, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.markers.push(Marker::new(0.5, "start"));
    /// assert_eq!(recording.losses(Layout::Mrtk1_1), []);
    /// assert_eq!(recording.losses(Layout::Documented1_1), [LayoutLoss::Markers { markers: 1 }]);
    /// ```
    pub fn losses(&self, layout: Layout) -> Vec<LayoutLoss> {
        let mut losses = self.layout_losses(layout);
        let unknown = self.unknown_times().into_iter();
        // A hand about which nothing is known becomes a hand that is not tracked.
        // The times of a device are lost with the device.
        let unknown =
            unknown.filter(|time| !matches!(time.stream, Stream::Tracked(_) | Stream::Device(_)));
        losses.extend(unknown.map(LayoutLoss::Unknown));
        losses.extend(self.device_losses().into_iter().map(LayoutLoss::Device));
        losses
    }

    /// Returns the losses of a format that cannot store devices, one for each device.
    pub fn device_losses(&self) -> Vec<DeviceLoss> {
        let devices = self.devices.iter();
        devices
            .map(|device| DeviceLoss::of(device, |_| false))
            .collect()
    }

    /// Returns the content that is not representable in `layout`, but without what no file of MRTK can represent: the times
    /// at which values are unknown, and devices. A format that stores these itself loses only this content.
    pub fn layout_losses(&self, layout: Layout) -> Vec<LayoutLoss> {
        let mut losses = Vec::new();
        // Only this conversion depends on the values of keys, so others need not read them.
        if layout.key_kind() == KeyKind::Simple {
            losses.extend(self.tangent_loss());
        }
        let markers = self.markers.len();
        if !layout.has_markers() && markers > 0 {
            losses.push(LayoutLoss::Markers { markers });
        }
        if !layout.has_flags() {
            if let Some(gaze) = &self.gaze {
                let keys = gaze.iter().map(|(_, curve)| curve.keys.len() as u64).sum();
                losses.push(LayoutLoss::Gaze { keys });
            }
            if self.head.is_none() {
                losses.push(LayoutLoss::MissingHead);
            }
            if self.hands.is_none() {
                losses.push(LayoutLoss::MissingHands);
            }
            let bytes = self.flag_bytes();
            if bytes.iter().any(|&byte| byte > 1) {
                losses.push(LayoutLoss::FlagBytes { bytes });
            }
        }
        losses
    }

    /// Returns the times within the [time range](Recording::time_range) at which values are unknown, for each stream that has
    /// some. A joint counts only while its hand is tracked. A device has one entry for the times at which everything about it is
    /// unknown, and one for its poses and inputs, which count only while it is active.
    pub fn unknown_times(&self) -> Vec<UnknownTime> {
        let Some(range) = self
            .finite_time_range()
            .filter(|_| !self.known.is_complete())
        else {
            return Vec::new();
        };
        let hand = |side| [Stream::Tracked(side), Stream::Joints(side)];
        let [left, right] = Side::BOTH.map(hand);
        let streams = [Stream::Head]
            .into_iter()
            .chain(left)
            .chain(right)
            .chain([Stream::Gaze])
            .map(|stream| (stream, true));
        // The complete device, then its parts.
        let devices = self.devices.iter().flat_map(|device| {
            let stream = Stream::Device(device.name);
            [(stream, true), (stream, false)]
        });
        let mut times = Vec::new();
        for (stream, is_whole) in streams.chain(devices) {
            let shown = match stream {
                Stream::Joints(side) => states::tracked_ranges(self, side, range),
                Stream::Device(device) if !is_whole => states::active_ranges(self, device, range),
                _ => vec![range],
            };
            let mut elements = 0;
            let mut only = None;
            let mut gaps: Vec<TimeRange> = Vec::new();
            for (element, of_element) in self.known.iter() {
                let is_part = element.device().is_some()
                    && matches!(element, Element::Profile(_)) != is_whole;
                if element.stream() != stream || is_part || !self.has_keys(element) {
                    continue;
                }
                let parts = of_element
                    .iter()
                    .flat_map(|gap| shown.iter().filter_map(|shown| gap.intersection(*shown)));
                let parts: Vec<TimeRange> = parts.filter(|part| part.start < part.end).collect();
                if !parts.is_empty() {
                    elements += 1;
                    only = element.device().is_some().then_some(element);
                }
                gaps.extend(parts);
            }
            let gaps = TimeRange::union(gaps);
            let seconds: f64 = gaps
                .iter()
                .map(|gap| f64::from(gap.end) - f64::from(gap.start))
                .sum();
            let start = gaps.first().map_or(0.0, |gap| f64::from(gap.start));
            if elements > 0 {
                times.push(UnknownTime {
                    stream,
                    element: only.filter(|_| elements == 1),
                    elements,
                    gaps: gaps.len(),
                    milliseconds: (seconds * 1000.0).round() as u64,
                    start_milliseconds: (start * 1000.0).round() as i64,
                });
            }
        }
        times
    }

    /// Returns `true` if a curve of an element has a key.
    pub(crate) fn has_keys(&self, element: Element) -> bool {
        match element {
            Element::Head => self.head.as_ref().is_some_and(|head| !head.is_empty()),
            Element::Gaze => self.gaze.as_ref().is_some_and(|gaze| !gaze.is_empty()),
            Element::Joint(side, joint) => {
                let hands = self.hands.as_ref();
                hands.is_some_and(|hands| !hands.hand(side).joints[joint].is_empty())
            }
            Element::Tracked(side) | Element::Pinching(side) => {
                let hands = self.hands.as_ref();
                hands.is_some_and(|hands| !hands.hand(side).tracked.keys.is_empty())
            }
            Element::Profile(device) => {
                self.device(device).is_some_and(|device| !device.is_empty())
            }
            Element::DevicePose(device, pose) => {
                let pose = self.device(device).and_then(|device| device.pose(pose));
                pose.is_some_and(|pose| !pose.is_empty())
            }
            Element::Input(device, input) => {
                let input = self.device(device).and_then(|device| device.input(input));
                input.is_some_and(|input| !input.curve().is_empty())
            }
        }
    }

    fn tangent_loss(&self) -> Option<LayoutLoss> {
        let curves = self.curves();
        let in_file = curves.filter(|(path, _)| Element::from(*path).device().is_none());
        let curved = in_file.filter_map(|(_, curve)| match curve {
            Curve::Float(FloatCurve {
                keys: Keys::Full(keys),
                ..
            }) => Some(keys.iter().filter(|key| !key.is_linear()).count() as u64),
            _ => None,
        });
        let curved: Vec<u64> = curved.filter(|&keys| keys > 0).collect();
        (!curved.is_empty()).then(|| LayoutLoss::Tangents {
            keys: curved.iter().sum(),
            curves: curved.len(),
        })
    }
}
