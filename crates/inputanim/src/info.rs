//! Information about the data in a recording: times, rates, gaps and states of each stream.
//!
//! Method: the key times of a stream's curves are merged into its instants, the times at which any of its curves has a
//! key. The rate and the longest gap are computed between neighbouring instants. For joints, they are computed only
//! while the hand is tracked, because an untracked hand is not recorded. [`StreamTimes`] computes the same for a part
//! of a recording. A state holds from its key to the next key; the first value also holds before its key. Times that
//! are not finite are ignored. Cost: the time of each key is read a few times.
//!
//! Limits: recorders drop samples that linear interpolation reproduces, so a low rate or a long gap can also mean that
//! nothing moved.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, info::Info};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! for step in 0..=60 {
//!     recording.head_mut().push(step as f32 / 60.0, &Pose::IDENTITY);
//! }
//! let info = Info::of(&recording);
//! assert_eq!(info.duration, 1.0);
//! assert_eq!(info.streams[0].rate.map(f32::round), Some(60.0));
//! ```

use crate::about::About;
use crate::curve::Curve;
use crate::device::{Device, DeviceName, InputCurve, InputName, PoseName};
use crate::element::Element;
use crate::joint::{Joint, Side};
use crate::layout::Layout;
use crate::loss::UnknownTime;
use crate::parallel;
use crate::path::{CurvePath, Stream};
use crate::pose::PoseCurves;
use crate::recording::{Flags, Recording};
use crate::states::{self, known_on};
pub use crate::states::{DeviceState, active_ranges, known_ranges, pressed_ranges, profile_ranges};
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;

/// Information about a recording.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Info {
    /// The layout.
    pub layout: Layout,
    /// The streams that exist in the recording, even if they have no keys.
    pub flags: Flags,
    /// The size in its layout, in bytes.
    pub bytes: u64,
    /// The number of keys of all curves.
    pub keys: u64,
    /// The end of the recording in seconds: the greatest key time of all curves, or the end of a haptic pulse or the time of a profile
    /// change of a device if it is later. MRTK plays a file, which has no devices, for this time.
    pub duration: f32,
    /// The first and the last finite key time of all curves; `None` without keys.
    pub time_range: Option<TimeRange>,
    /// The streams of the recording, in file order, and then its devices.
    pub streams: Vec<StreamInfo>,
    /// The states of the left and of the right hand.
    #[cfg_attr(feature = "serde", serde(serialize_with = "by_side"))]
    pub hands: [HandInfo; 2],
    /// The times at which values are unknown; empty if there are none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub unknown: Vec<UnknownTime>,
    /// Texts about the recording.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "About::is_empty"))]
    pub about: About,
    /// The content of the controllers, trackers and other devices; empty if there are none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub devices: Vec<DeviceInfo>,
}

/// The content of a device.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The name.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub device: DeviceName,
    /// All interaction profiles that the device has in the recording, each once, in the order of time.
    pub profiles: Vec<String>,
    /// The poses with keys.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_texts"))]
    pub poses: Vec<PoseName>,
    /// The inputs with keys that are on or off.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_texts"))]
    pub buttons: Vec<InputName>,
    /// The inputs with keys that have numbers.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_texts"))]
    pub axes: Vec<InputName>,
    /// The number of haptic pulses.
    pub haptics: usize,
    /// The ranges of the recording in which the device is known to be active, in order.
    pub active: Vec<TimeRange>,
    /// For each of `poses`, the time of its last finite key, and the parts of `active` in which it is known.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) pose_times: Vec<(f32, Vec<TimeRange>)>,
}

impl DeviceInfo {
    /// `range` is the time range of the recording.
    fn of(recording: &Recording<'_>, device: &Device<'_>, range: Option<TimeRange>) -> DeviceInfo {
        let active = range.map(|range| active_ranges(recording, device.name, range));
        let active = active.unwrap_or_default();
        let times = |(pose, curves): &(PoseName, PoseCurves<'_>)| {
            let ranges = curves
                .iter()
                .filter_map(|(_, curve)| Curve::Float(curve).finite_time_range());
            let last = ranges
                .map(|range| range.end)
                .fold(f32::NEG_INFINITY, f32::max);
            let element = Element::DevicePose(device.name, *pose);
            (last, recording.known.within(element, &active))
        };
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
        let poses = || device.poses.iter().filter(|(_, curves)| !curves.is_empty());
        let inputs = device.inputs.iter();
        let inputs = inputs.filter(|(_, curve)| !curve.curve().is_empty());
        let is_button =
            |(_, curve): &&(InputName, InputCurve<'_>)| matches!(curve, InputCurve::Boolean(_));
        let (buttons, axes): (Vec<_>, Vec<_>) = inputs.partition(is_button);
        let names = |inputs: Vec<&(InputName, InputCurve<'_>)>| -> Vec<InputName> {
            inputs.into_iter().map(|(name, _)| *name).collect()
        };
        DeviceInfo {
            device: device.name,
            profiles,
            poses: poses().map(|(name, _)| *name).collect(),
            pose_times: poses().map(times).collect(),
            buttons: names(buttons),
            axes: names(axes),
            haptics: device.haptics.len(),
            active,
        }
    }
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(
    text: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

#[cfg(feature = "serde")]
fn as_texts<S: serde::Serializer>(
    texts: &[impl std::fmt::Display],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(ToString::to_string))
}

/// Information about one stream.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct StreamInfo {
    /// The stream.
    pub stream: Stream,
    /// The number of curves in a file.
    pub curves: usize,
    /// The number of curves with at least one key.
    pub recorded_curves: usize,
    /// The number of joints with at least one key, up to 27; 0 for a stream without joints.
    pub recorded_joints: usize,
    /// The number of keys of all its curves.
    pub keys: u64,
    /// The size of its curves with their headers, in bytes.
    pub bytes: u64,
    /// The first and the last finite key time; `None` without keys.
    pub time_range: Option<TimeRange>,
    /// The number of times at which any of its curves has a key.
    pub instants: usize,
    /// The number of instants per second while it was recorded; `None` for states and for fewer than
    /// two instants.
    pub rate: Option<f32>,
    /// The longest time range between neighbouring instants; `None` without a rate.
    pub longest_gap: Option<TimeRange>,
}

/// The time ranges of the states of one hand, in order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct HandInfo {
    /// The ranges in which it was tracked.
    pub tracked: Vec<TimeRange>,
    /// The ranges in which it pinched.
    pub pinching: Vec<TimeRange>,
}

/// The times at which a stream was sampled, from which its [timing](StreamTimes::timing) is computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamTimes {
    /// The stream.
    pub stream: Stream,
    /// The instants: the finite times at which any of its curves has a key, in order and without duplicates.
    pub instants: Vec<f32>,
    /// The time ranges in which the joints of a hand are recorded, in order; `None` for other streams.
    pub tracked: Option<Vec<TimeRange>>,
}

/// The intervals between the instants of a stream while it was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Timing {
    /// The number of intervals.
    pub intervals: usize,
    /// The number of intervals divided by their time, in Hz; `None` without intervals.
    pub rate: Option<f64>,
    /// The standard deviation (n − 1) of the intervals in seconds; `None` for fewer than two.
    pub jitter: Option<f64>,
    /// The first of the longest intervals; `None` without intervals.
    pub longest_gap: Option<TimeRange>,
}

impl StreamTimes {
    /// Returns the number, the rate, the jitter and the longest of the intervals between neighbouring instants of the
    /// stream within a time range. The intervals of joints count only while the hand is tracked, because an untracked
    /// hand is not recorded. States have no intervals, because their keys are changes and not samples.
    pub fn timing(&self, range: TimeRange) -> Timing {
        if matches!(self.stream, Stream::Tracked(_) | Stream::Pinching(_)) {
            return Timing::default();
        }
        let start = self.instants.partition_point(|&time| time < range.start);
        let end = self.instants.partition_point(|&time| time <= range.end);
        let instants = self.instants.get(start..end).unwrap_or_default();
        let intervals = || {
            let pairs = instants.windows(2).map(|pair| TimeRange {
                start: pair[0],
                end: pair[1],
            });
            pairs.filter(|interval| is_expected(*interval, self.tracked.as_ref()))
        };
        // The sum has double precision, because a long recording has millions of intervals.
        let seconds =
            || intervals().map(|interval| f64::from(interval.end) - f64::from(interval.start));
        let (count, time) =
            seconds().fold((0, 0.0), |(count, time), length| (count + 1, time + length));
        let mean = time / count as f64;
        let squares: f64 = seconds().map(|length| (length - mean).powi(2)).sum();
        Timing {
            intervals: count,
            rate: (count > 0).then(|| 1.0 / mean),
            jitter: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
            longest_gap: intervals().reduce(|longest, interval| {
                if interval.length() > longest.length() {
                    interval
                } else {
                    longest
                }
            }),
        }
    }
}

impl Info {
    /// Computes the information about a recording: its size, its time range, its streams with their rates and gaps, and
    /// the times at which each hand is tracked or pinches.
    pub fn of(recording: &Recording<'_>) -> Info {
        Info::with_times(recording).0
    }

    /// Returns the information about a recording, and the instants of each of its streams, in file order. Instants are
    /// the times at which a stream has a key.
    pub fn with_times(recording: &Recording<'_>) -> (Info, Vec<StreamTimes>) {
        let mut info = Info::without_instants(recording);
        let Info { streams, hands, .. } = &mut info;
        let streams = streams.iter_mut();
        let times = streams.map(|stream| stream.add_instants(recording, hands));
        let times = times.collect();
        (info, times)
    }

    /// Computes the information about a recording, but not the number of instants, the rate and the longest gap of its
    /// streams, which are 0 and `None`. This reads the times of few keys.
    pub(crate) fn without_instants(recording: &Recording<'_>) -> Info {
        let devices = recording.devices.iter();
        let devices = devices.map(|device| Stream::Device(device.name));
        let streams = Stream::ALL.into_iter().chain(devices);
        let streams: Vec<StreamInfo> = streams
            .filter_map(|stream| StreamInfo::without_instants(recording, stream))
            .collect();
        let ranges = streams.iter().filter_map(|stream| stream.time_range);
        let time_range = ranges.reduce(TimeRange::hull);
        let played = recording.finite_time_range();
        let devices = recording.devices.iter();
        let devices = devices.map(|device| DeviceInfo::of(recording, device, played));
        Info {
            layout: recording.layout,
            flags: recording.flags(),
            bytes: recording.encoded_len(),
            keys: streams.iter().map(|stream| stream.keys).sum(),
            duration: recording.duration(),
            time_range,
            streams,
            // The states are evaluated over the time range of all streams, because a state holds beyond its own keys.
            hands: Side::BOTH.map(|side| HandInfo::of(recording, side, time_range)),
            unknown: recording.unknown_times(),
            about: recording.about.clone(),
            devices: devices.collect(),
        }
    }

    /// Returns the ranges in which a pose of a device is known and the device is active; empty without such a pose.
    pub(crate) fn shown(&self, device: DeviceName, pose: PoseName) -> &[TimeRange] {
        let devices = self.devices.iter();
        let mut poses = devices
            .filter(|found| found.device == device)
            .flat_map(|found| found.poses.iter().zip(&found.pose_times));
        let found = poses.find(|(found, _)| **found == pose);
        found.map_or(&[], |(_, (_, shown))| shown)
    }

    /// Returns the information about one stream, if the recording has it.
    pub fn stream(&self, stream: Stream) -> Option<&StreamInfo> {
        self.streams.iter().find(|found| found.stream == stream)
    }

    /// Returns every time range in which a hand is tracked or pinches, with the name of the state curve, left hand
    /// first.
    pub fn states(&self) -> impl Iterator<Item = (CurvePath, TimeRange)> {
        Side::BOTH.into_iter().flat_map(|side| {
            let hand = self.hand(side);
            let tracked = hand
                .tracked
                .iter()
                .map(move |range| (CurvePath::Tracked(side), *range));
            let pinching = hand
                .pinching
                .iter()
                .map(move |range| (CurvePath::Pinching(side), *range));
            tracked.chain(pinching)
        })
    }

    /// Returns the time ranges of the states of the devices of a recording, device by device: of each profile that it has while it is
    /// active, and of each input that is on. They are those of the complete [time range](Recording::time_range) of the recording,
    /// without the times at which they are unknown.
    ///
    /// ```
    /// use inputanim::info::{DeviceState, Info};
    /// use inputanim::{DeviceName, InputValue, Layout, Recording, Side};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// let right = recording.device_mut(DeviceName::controller(Side::Right));
    /// for (time, is_pressed) in [(0.0, false), (1.0, true), (1.5, false), (2.0, false)] {
    ///     right.push_input("a/click".parse()?, time, InputValue::Boolean(is_pressed));
    /// }
    /// let states = Info::device_states(&recording);
    /// assert_eq!(states[0].1, DeviceState::Active(None));
    /// assert_eq!(states[1].1.to_string(), "a.click");
    /// assert_eq!((states[1].2.start, states[1].2.end), (1.0, 1.5));
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn device_states(recording: &Recording<'_>) -> Vec<(DeviceName, DeviceState, TimeRange)> {
        states::device_states(recording)
    }

    /// Returns the time ranges in which a hand is tracked, and those in which it pinches.
    pub fn hand(&self, side: Side) -> &HandInfo {
        &self.hands[side as usize]
    }
}

impl HandInfo {
    fn of(recording: &Recording<'_>, side: Side, range: Option<TimeRange>) -> HandInfo {
        let (Some(hands), Some(range)) = (&recording.hands, range) else {
            return HandInfo::default();
        };
        let hand = hands.hand(side);
        HandInfo {
            tracked: known_on(recording, side, &hand.tracked, range),
            pinching: known_on(recording, side, &hand.pinching, range),
        }
    }
}

/// Returns the curves of a stream with their names.
fn curves_of<'r>(
    recording: &'r Recording<'_>,
    stream: Stream,
) -> impl Iterator<Item = (CurvePath, Curve<'r, 'r>)> {
    let curves = recording.curves();
    curves.filter(move |(path, _)| path.stream() == stream)
}

impl StreamInfo {
    /// Computes the information about a stream, but not its number of instants, its rate and its longest gap, which are
    /// 0 and `None`. Returns `None` if the recording does not have the stream.
    fn without_instants(recording: &Recording<'_>, stream: Stream) -> Option<StreamInfo> {
        let curves: Vec<_> = curves_of(recording, stream).collect();
        let recorded = || curves.iter().filter(|(_, curve)| !curve.is_empty());
        let joint = |(path, _): &(CurvePath, Curve<'_, '_>)| match path {
            CurvePath::Joint(_, joint, _) => Some(*joint),
            _ => None,
        };
        let mut joints: Vec<Joint> = recorded().filter_map(joint).collect();
        // The curves of a joint follow each other, so `dedup` removes all repetitions.
        joints.dedup();
        // 12 bytes are the curve header (docs/format.md, section 1.4).
        let bytes = |(_, curve): &(CurvePath, Curve<'_, '_>)| 12 + curve.len() * curve.key_size();
        let ranges = recorded().filter_map(|(_, curve)| curve.finite_time_range());
        (!curves.is_empty()).then(|| StreamInfo {
            stream,
            curves: curves.len(),
            recorded_curves: recorded().count(),
            recorded_joints: joints.len(),
            keys: recorded().map(|(_, curve)| curve.len() as u64).sum(),
            bytes: curves.iter().map(|curve| bytes(curve) as u64).sum(),
            time_range: ranges.reduce(TimeRange::hull),
            instants: 0,
            rate: None,
            longest_gap: None,
        })
    }

    /// Returns the instants of the stream, which are the times at which any of its curves has a key. Sets the number of
    /// instants, the rate and the longest gap. `hands` has the states of the left and the right hand.
    fn add_instants(&mut self, recording: &Recording<'_>, hands: &[HandInfo; 2]) -> StreamTimes {
        let curves = curves_of(recording, self.stream).map(|(_, curve)| curve);
        let curves: Vec<_> = curves.filter(|curve| !curve.is_empty()).collect();
        let times = StreamTimes {
            stream: self.stream,
            instants: merged_times(&curves),
            tracked: match self.stream {
                Stream::Joints(side) => Some(hands[side as usize].tracked.clone()),
                _ => None,
            },
        };
        if let [start, .., end] = times.instants[..] {
            let timing = times.timing(TimeRange { start, end });
            self.rate = timing.rate.map(|rate| rate as f32);
            self.longest_gap = timing.longest_gap;
        }
        self.instants = times.instants.len();
        times
    }
}

/// Returns `true` if a stream should have been recorded throughout a gap between instants: it is not a stream of
/// joints, or its hand was tracked during the gap. `tracked` has the sorted ranges in which the hand was tracked; if it
/// is empty, every gap counts.
fn is_expected(gap: TimeRange, tracked: Option<&Vec<TimeRange>>) -> bool {
    // A hand that is never tracked has no ranges to decide by, so all its gaps count.
    let Some(ranges) = tracked.filter(|ranges| !ranges.is_empty()) else {
        return true;
    };
    gap.is_in(ranges)
}

/// Returns the finite key times of curves in order, without duplicates. Nearly all curves of a stream share their
/// times, so the times of each are compared with the times of the first one, in parallel, and only different ones are
/// merged.
fn merged_times(curves: &[Curve<'_, '_>]) -> Vec<f32> {
    /// The number of curves of a pose, which often share their times even if poses do not.
    const CURVES: usize = 7;
    let mut all = TimeUnion::default();
    if let Some(curve) = curves.first() {
        all.add(curve);
    }
    let keys: usize = curves.iter().map(Curve::len).sum();
    let others = parallel::map(curves.chunks(CURVES).collect(), keys, |curves| {
        let different = curves.iter().filter(|curve| !curve.times_are(all.times()));
        TimeUnion::of(different.copied())
    });
    all.extend(others.into_iter().flatten());
    all.finish()
}

/// Writes the summaries of both hands as `{"left": …, "right": …}`.
#[cfg(feature = "serde")]
fn by_side<S: serde::Serializer>(hands: &[HandInfo; 2], serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeStruct;
    let [left, right] = hands;
    let mut fields = serializer.serialize_struct("Hands", 2)?;
    fields.serialize_field("left", left)?;
    fields.serialize_field("right", right)?;
    fields.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::frame::Pose;

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
    }

    #[test]
    fn a_range_without_tracking_is_not_a_gap_in_the_joints() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let left = &mut recording.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.5, false), (4.0, true)]);
        for time in [0.0, 0.5, 1.0, 4.0, 4.5] {
            left.joints[Joint::Palm].push(time, &Pose::IDENTITY);
        }
        let info = Info::of(&recording);
        let joints = info.stream(Stream::Joints(Side::Left)).unwrap();
        assert_eq!(joints.instants, 5);
        assert_eq!(joints.recorded_joints, 1);
        assert_eq!(joints.rate, Some(2.0));
        assert_eq!(joints.longest_gap.map(TimeRange::length), Some(0.5));
    }

    #[test]
    fn instants_are_the_union_of_unequal_curves() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let head = recording.head_mut();
        for (curve, times) in [(0, [0.0, 1.0, 3.0]), (1, [0.0, 2.0, 3.0])] {
            for time in times {
                head.position[curve].keys.push_linear(time, 0.0);
            }
        }
        head.rotation[0].keys.push_linear(f32::NAN, 0.0);
        let info = Info::of(&recording);
        assert_eq!(info.streams[0].instants, 4);
        assert_eq!(info.time_range, Some(range(0.0, 3.0)));
        assert_eq!(info.streams[0].bytes, 7 * 12 + 7 * 8);
    }
}
