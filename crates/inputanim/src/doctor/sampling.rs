//! Findings in the times of samples: pauses (L22) and an irregular rate (L23).
//!
//! Recorders drop samples that linear interpolation reproduces, so key times alone do not show when
//! samples were taken. They show it only if the recorder dropped no sample. Then every stream that
//! could be sampled has a key at each instant at which any stream has one. Other recordings get no
//! finding.

use super::code::Code;
use super::finding::Finding;
use super::pose::{PosePath, device_poses};
use crate::curve::Curve;
use crate::info::{Info, StreamInfo};
use crate::order;
use crate::path::Stream;
use crate::pose::PoseCurves;
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;

/// The least number of intervals from which a rate can be judged.
const MIN_INTERVALS: usize = 30;

/// The least length of a pause in seconds.
const MIN_PAUSE: f32 = 0.1;
/// The least length of a pause, as a multiple of the usual interval.
const MIN_PAUSE_INTERVALS: f32 = 4.0;

/// The greatest deviation of a regular interval, as a share of the usual interval. Intervals of a
/// device at 60 frames per second deviate by up to 15 %.
const MAX_DEVIATION: f32 = 0.5;
/// The greatest share of irregular intervals at a steady rate.
const MAX_IRREGULAR_SHARE: f64 = 0.1;

/// Returns the pauses (L22): time ranges between two samples in which nothing was recorded. The result is also empty if
/// the recorder may have dropped samples, because then key times do not show pauses.
pub fn pauses(recording: &Recording<'_>, info: &Info) -> Vec<TimeRange> {
    let findings = findings(recording, info).into_iter();
    let mut found = findings.filter(|finding| finding.code == Code::SamplingGap);
    found.next().map_or_else(Vec::new, |finding| finding.ranges)
}

pub(super) fn findings(recording: &Recording<'_>, info: &Info) -> Vec<Finding> {
    let Some(intervals) = intervals(recording, info) else {
        return Vec::new();
    };
    if intervals.len() < MIN_INTERVALS {
        return Vec::new();
    }
    // The usual interval is the median, because single pauses would change the mean.
    let mut lengths: Vec<f32> = intervals.iter().map(|interval| interval.length()).collect();
    order::sort_times(&mut lengths);
    let usual = lengths[lengths.len() / 2];
    [
        pause_finding(&intervals, usual),
        irregular_rate(&intervals, usual),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn pause_finding(intervals: &[TimeRange], usual: f32) -> Option<Finding> {
    let least = MIN_PAUSE.max(MIN_PAUSE_INTERVALS * usual);
    let pauses = || {
        intervals
            .iter()
            .filter(|interval| interval.length() > least)
    };
    // `max_by` returns the last of equal items, so the reversed start selects the first pause.
    let longest = pauses().max_by(|a, b| {
        let by_length = a.length().total_cmp(&b.length());
        by_length.then(b.start.total_cmp(&a.start))
    })?;
    let count = pauses().count();
    let (length, at) = (longest.length(), longest.start);
    let of = match count {
        1 => format!("1 pause, of {length:.3} s at {at:.3} s"),
        _ => format!("{count} pauses, the longest of {length:.3} s at {at:.3} s"),
    };
    let detail = format!("{of}; the usual interval is {usual:.3} s");
    let ranges = pauses().copied().collect();
    Some(Finding::new(Code::SamplingGap, count as u64, detail).in_streams([], ranges))
}

fn irregular_rate(intervals: &[TimeRange], usual: f32) -> Option<Finding> {
    let is_irregular =
        |interval: &&TimeRange| (interval.length() - usual).abs() > MAX_DEVIATION * usual;
    let (irregular, all) = (
        intervals.iter().filter(is_irregular).count(),
        intervals.len(),
    );
    let share = irregular as f64 / all as f64;
    (share > MAX_IRREGULAR_SHARE).then(|| {
        let detail = format!(
            "{irregular} of {all} intervals ({:.0} %) differ by more than half from the usual {usual:.3} s",
            share * 100.0
        );
        Finding::new(Code::RateIrregular, irregular as u64, detail)
    })
}

/// Returns the time ranges between neighbouring samples in which a stream could be sampled; `None` if the recorder may
/// have dropped samples.
fn intervals(recording: &Recording<'_>, info: &Info) -> Option<Vec<TimeRange>> {
    // States have keys only where they change, so their keys are not samples. The same applies to the inputs of devices.
    let streams = info.streams.iter();
    let streams = streams.filter(|stream| !is_state(stream.stream) && stream.keys > 0);
    let streams = streams.map(|stream| Samples::of(recording, info, stream));
    let poses = device_poses(recording).filter(|(_, pose)| !pose.is_empty());
    let poses = poses.map(|(path, pose)| Samples::of_pose(path, pose, info));
    let streams: Vec<Samples> = streams.chain(poses).collect::<Option<_>>()?;
    let mut instants: Vec<f32> = streams.iter().flat_map(|s| &s.times).copied().collect();
    order::sort_times(&mut instants);
    instants.dedup();
    if !streams
        .iter()
        .all(|stream| stream.has_every_instant(&instants))
    {
        return None;
    }
    let pairs = instants.windows(2).map(|pair| TimeRange {
        start: pair[0],
        end: pair[1],
    });
    let is_expected = |interval: &TimeRange| {
        let mut streams = streams.iter();
        streams.any(|stream| stream.covers(*interval))
    };
    Some(pairs.filter(is_expected).collect())
}

fn is_state(stream: Stream) -> bool {
    matches!(
        stream,
        Stream::Tracked(_) | Stream::Pinching(_) | Stream::Device(_)
    )
}

/// The sample times of a stream, or of a pose of a device, whose curves all have the same key times.
struct Samples {
    /// The key times: in order, without duplicates, finite.
    times: Vec<f32>,
    /// The time ranges in which the stream could be sampled, in order.
    expected: Vec<TimeRange>,
}

impl Samples {
    /// Returns the sample times of a stream; `None` if it has no keys, or if its curves have different key times.
    fn of(recording: &Recording<'_>, info: &Info, stream: &StreamInfo) -> Option<Samples> {
        let range = stream.time_range?;
        // If each curve has as many keys as the stream has instants, all curves share their times.
        if stream.keys != stream.recorded_curves as u64 * stream.instants as u64 {
            return None;
        }
        let mut curves = recording.curves();
        let (_, curve) =
            curves.find(|(path, curve)| path.stream() == stream.stream && !curve.is_empty())?;
        let times = TimeUnion::of([curve]);
        let expected = match stream.stream {
            // MRTK records joints only while their hand is tracked.
            Stream::Joints(side) => info.hand(side).tracked.clone(),
            _ => vec![range],
        };
        (times.len() == stream.instants).then_some(Samples { times, expected })
    }

    /// Returns the sample times of a pose of a device; `None` if its curves have different key times.
    fn of_pose(path: PosePath, pose: &PoseCurves<'_>, info: &Info) -> Option<Samples> {
        let mut curves = pose.iter().map(|(_, curve)| &curve.keys);
        let first = curves.next()?;
        if !curves.all(|keys| keys.share_times(first)) {
            return None;
        }
        let PosePath::Device(device, name) = path else {
            return None;
        };
        let [curve, ..] = &pose.position;
        let times = TimeUnion::of([Curve::Float(curve)]);
        let expected = info.shown(device, name).to_vec();
        (times.len() == first.len()).then_some(Samples { times, expected })
    }

    /// Returns `true` if the stream was sampled at every instant at which it could be sampled, up to its own last key.
    /// `instants` are the sample times of all streams.
    fn has_every_instant(&self, instants: &[f32]) -> bool {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return true;
        };
        self.expected.iter().all(|range| {
            // The end is excluded: MRTK does not sample a hand in the frame in which it is lost.
            let is_within = |time: f32| time >= range.start.max(first) && time < range.end;
            let count = |times: &[f32]| {
                let start = times.partition_point(|&time| time < range.start.max(first));
                let rest = times.get(start..).unwrap_or_default();
                rest.partition_point(|&time| is_within(time) && time <= last)
            };
            count(instants) == count(&self.times)
        })
    }

    fn covers(&self, interval: TimeRange) -> bool {
        let last = self.times.last().copied().unwrap_or(f32::NEG_INFINITY);
        interval.is_in(&self.expected) && interval.end <= last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceName, InputValue};
    use crate::frame::{Pose, Ray};
    use crate::joint::{Joint, Side};
    use crate::layout::Layout;

    /// Returns a recording of a moving head and a gaze, sampled at the same times.
    fn recording(times: impl IntoIterator<Item = f32>) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for time in times {
            recording
                .head_mut()
                .push(time, &Pose::at([time.sin(), 1.6, 0.0]));
            let ray = Ray {
                origin: [0.0, 1.6, 0.0],
                direction: [0.0, time.sin(), time.cos()],
            };
            recording.gaze_mut().push(time, &ray);
        }
        recording
    }

    fn steps(steps: impl IntoIterator<Item = u32>) -> impl Iterator<Item = f32> {
        steps.into_iter().map(|step| step as f32 / 60.0)
    }

    fn details(recording: &Recording<'_>) -> Vec<String> {
        let findings = findings(recording, &Info::of(recording));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_steady_rate_has_no_finding() {
        assert_eq!(details(&recording(steps(0..120))), [""; 0]);
        // A few samples do not determine a rate.
        assert_eq!(details(&recording(steps([0, 1, 2, 100, 101]))), [""; 0]);
    }

    #[test]
    fn a_pause_is_found() {
        assert_eq!(
            details(&recording(steps((0..60).chain(90..120)))),
            [
                "L22 pauses in which nothing was sampled: 1 pause, of 0.517 s at 0.983 s; the usual interval is 0.017 s"
            ]
        );
    }

    #[test]
    fn a_rate_that_changes_throughout_is_found() {
        let without_every_third = steps((0..120).filter(|step| step % 3 > 0));
        assert_eq!(
            details(&recording(without_every_third)),
            [
                "L23 samples at irregular intervals: 39 of 79 intervals (49 %) differ by more than half from the usual 0.017 s"
            ]
        );
    }

    #[test]
    fn a_controller_takes_part_only_while_it_is_active() {
        let with_controller = |times: &mut dyn Iterator<Item = f32>, is_lost: bool| {
            let mut recording = recording(steps((0..60).chain(90..120)));
            let right = recording.device_mut(DeviceName::controller(Side::Right));
            for time in times {
                let pose = Pose::at([time, 1.0, 0.0]);
                right.pose_mut("grip".parse().unwrap()).push(time, &pose);
            }
            right.push_input("a/click".parse().unwrap(), 0.2, InputValue::Boolean(true));
            right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
            if is_lost {
                right.set_inactive(0.5);
            }
            details(&recording).len()
        };
        let same = || steps((0..60).chain(90..120));
        assert_eq!(with_controller(&mut same(), false), 1);
        // The recorder dropped samples of the controller, or it was not active.
        let early = || same().filter(|&time| time <= 0.5 || time > 1.9);
        assert_eq!(with_controller(&mut early(), false), 0);
        assert_eq!(with_controller(&mut early(), true), 1);
    }

    #[test]
    fn recordings_with_reduced_keys_have_no_finding() {
        let mut reduced = recording(steps((0..60).chain(90..120)));
        reduced.head_mut().position[0].keys.push_linear(2.5, 0.0);
        assert_eq!(details(&reduced), [""; 0]);
        let mut reduced = recording(steps((0..60).chain(90..120)));
        reduced.head = None;
        reduced.head_mut().push(0.0, &Pose::IDENTITY);
        reduced.head_mut().push(1.9, &Pose::IDENTITY);
        assert_eq!(details(&reduced), [""; 0]);
    }

    #[test]
    fn a_gap_in_which_a_hand_is_untracked_is_not_a_pause() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let left = &mut recording.hands_mut().left;
        for time in steps((0..60).chain(90..120)) {
            left.joints[Joint::Palm].push(time, &Pose::at([0.0, time, 0.0]));
        }
        left.tracked.push(0.0, true);
        assert_eq!(details(&recording).len(), 1);
        let left = &mut recording.hands_mut().left;
        left.tracked.push(1.0, false);
        left.tracked.push(1.5, true);
        assert_eq!(details(&recording), [""; 0]);
    }
}
