//! Findings at the start and the end of streams: the lost tail (D3), the lost start (D5), negative
//! times (L13).

use super::code::Code;
use super::finding::Finding;
use crate::element::Element;
use crate::info::Info;
use crate::joint::Side;
use crate::layout::Layout;
use crate::path::{CurvePath, PoseChannel, Stream};
use crate::recording::Recording;
use crate::time_range::TimeRange;

pub(super) fn findings(recording: &Recording<'_>, info: &Info) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(TimeRange { end, .. }) = info.time_range {
        let tails = lost_tails(info, end);
        findings.extend(tails.map(tail_finding));
    }
    findings.extend(lost_start(recording, info));
    let early = info.time_range.filter(|range| range.start < 0.0);
    findings.extend(early.map(|TimeRange { start, .. }| {
        let detail = format!("the first key is {:.3} s before the start", -start);
        let range = TimeRange { start, end: 0.0 };
        Finding::new(Code::NegativeTime, 1, detail).in_streams([], vec![range])
    }));
    findings
}

/// The shortest lost tail in seconds. No recorder samples faster, so a shorter difference is not a
/// lost sample.
const MIN_TAIL: f32 = 0.001;

/// A stream or a pose of a device that should last until the end but has no keys there.
pub(crate) struct LostTail {
    stream: Stream,
    /// The pose, if the stream is a device.
    pose: Option<Element>,
    /// The time range from its last key to the end. In this range its last pose is held.
    pub(crate) range: TimeRange,
}

/// Returns the streams, and the poses of devices, that should last until `end` but have no keys there (D3). `end` is the end in
/// seconds of the recording, or of a trimmed recording.
pub(crate) fn lost_tails(info: &Info, end: f32) -> impl Iterator<Item = LostTail> {
    // Only MRTK's 1.1 writer drops tails. Recordings of other formats are read with this layout, too.
    let may_be_lost = info.layout == Layout::Mrtk1_1;
    let streams = info.streams.iter().filter(move |_| may_be_lost);
    let streams = streams.filter_map(move |stream| {
        let start = stream.time_range?.end;
        let should_last = match stream.stream {
            Stream::Head | Stream::Gaze => true,
            Stream::Joints(side) => is_tracked_at(info, side, end),
            // A state holds after its last key, so an early last key is not a lost tail. The same applies to the inputs of
            // devices, whose poses follow below.
            Stream::Tracked(_) | Stream::Pinching(_) | Stream::Device(_) => false,
        };
        let is_frozen = should_last && end - start > MIN_TAIL;
        is_frozen.then_some(LostTail {
            stream: stream.stream,
            pose: None,
            range: TimeRange { start, end },
        })
    });
    let devices = info.devices.iter().filter(move |_| may_be_lost);
    let poses = devices.flat_map(move |device| {
        let poses = device.poses.iter().zip(&device.pose_times);
        poses.filter_map(move |(pose, (start, shown))| {
            let is_frozen = end - start > MIN_TAIL && contains(shown, end);
            is_frozen.then_some(LostTail {
                stream: Stream::Device(device.device),
                pose: Some(Element::DevicePose(device.device, *pose)),
                range: TimeRange { start: *start, end },
            })
        })
    });
    streams.chain(poses)
}

/// Returns `true` if a hand is tracked at a time in seconds. Both ends of a tracked range count as tracked: at the end
/// of the recording a hand is still tracked.
fn is_tracked_at(info: &Info, side: Side, time: f32) -> bool {
    contains(&info.hand(side).tracked, time)
}

fn contains(ranges: &[TimeRange], time: f32) -> bool {
    let mut ranges = ranges.iter();
    ranges.any(|range| range.start <= time && time <= range.end)
}

fn tail_finding(tail: LostTail) -> Finding {
    let LostTail {
        stream,
        pose,
        range,
    } = tail;
    let name = pose.map_or_else(|| stream.to_string(), |pose| pose.to_string());
    let (start, seconds) = (range.start, range.length());
    let detail =
        format!("{name} stands still for at least the last {seconds:.3} s, from {start:.3} s on");
    let mut finding = Finding::new(Code::TailLost, 1, detail).in_streams([stream], vec![range]);
    if let Some(Element::DevicePose(device, pose)) = pose {
        let channels = PoseChannel::ALL.into_iter();
        let curves = channels.map(|channel| CurvePath::DevicePose(device, pose, channel));
        finding.curves = curves.collect();
    }
    finding
}

/// Returns the finding (D5) of a recording of version 1.0 that was saved late, when the rolling buffer had already
/// dropped the first poses; `None` otherwise.
fn lost_start(recording: &Recording<'_>, info: &Info) -> Option<Finding> {
    // The keys of version 1.1 start at exactly 0 (docs/format.md, section 5.1).
    if recording.layout.has_flags() {
        return None;
    }
    let is_state = |stream: Stream| matches!(stream, Stream::Tracked(_) | Stream::Pinching(_));
    let first = |states: bool| {
        let streams = info.streams.iter().filter(|s| is_state(s.stream) == states);
        let starts = streams.filter_map(|s| s.time_range.map(|range| range.start));
        starts.reduce(f32::min)
    };
    // When the rolling buffer drops the past, each curve keeps one key at or before the cut. If the states have such a
    // key and the poses have none, the first poses had already been dropped.
    let (states, poses) = (first(true)?, first(false)?);
    (states < 0.0 && poses >= 0.0).then(|| {
        let detail = format!(
            "{:.3} s missing: states begin at {states:.3} s, poses at {poses:.3} s",
            poses - states
        );
        let streams = info.streams.iter().map(|stream| stream.stream);
        let range = TimeRange {
            start: states,
            end: poses,
        };
        Finding::new(Code::StartLost, 1, detail)
            .in_streams(streams.filter(|stream| !is_state(*stream)), vec![range])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceName, InputValue};
    use crate::frame::Pose;
    use crate::joint::Joint;

    const RIGHT: DeviceName = DeviceName::controller(Side::Right);

    fn codes(recording: &Recording<'_>) -> Vec<Code> {
        let findings = findings(recording, &Info::of(recording));
        findings.iter().map(|finding| finding.code).collect()
    }

    fn recording(layout: Layout, tracked_at_end: bool) -> Recording<'static> {
        let mut recording = Recording::new(layout);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(2.0, &Pose::IDENTITY);
        let left = &mut recording.hands_mut().left;
        left.tracked.push(0.0, true);
        if !tracked_at_end {
            left.tracked.push(1.5, false);
        }
        left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        left.joints[Joint::Palm].push(1.5, &Pose::IDENTITY);
        recording
    }

    #[test]
    fn joints_that_end_while_their_hand_is_tracked_have_a_lost_tail() {
        assert_eq!(codes(&recording(Layout::Mrtk1_1, true)), [Code::TailLost]);
        assert_eq!(codes(&recording(Layout::Mrtk1_1, false)), []);
        assert_eq!(codes(&recording(Layout::Mrtk1_0, true)), []);
    }

    #[test]
    fn a_pose_of_a_device_that_ends_early_has_a_lost_tail_while_it_is_shown() {
        let with_controller = |change: fn(&mut Recording<'_>)| {
            let mut recording = recording(Layout::Mrtk1_1, false);
            let right = recording.device_mut(RIGHT);
            for (pose, end) in [("aim", 2.0), ("grip", 1.5)] {
                for time in [0.0, end] {
                    right
                        .pose_mut(pose.parse().unwrap())
                        .push(time, &Pose::IDENTITY);
                }
            }
            // The value of an input holds after its last key.
            right.push_input(
                "trigger/value".parse().unwrap(),
                1.0,
                InputValue::Float(1.0),
            );
            right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
            change(&mut recording);
            recording
        };
        let frozen = with_controller(|_| {});
        assert_eq!(codes(&frozen), [Code::TailLost]);
        let finding = &findings(&frozen, &Info::of(&frozen))[0];
        assert_eq!(
            finding.detail,
            "right.controller.grip stands still for at least the last 0.500 s, from 1.500 s on"
        );
        assert!(finding.affects("right.controller.grip.position.x".parse().unwrap()));
        assert!(!finding.affects("right.controller.aim.position.x".parse().unwrap()));
        assert_eq!(Info::of(&frozen).shared_end(), Some(1.5));
        let inactive = with_controller(|recording| recording.device_mut(RIGHT).set_inactive(1.75));
        assert_eq!(codes(&inactive), []);
        let unknown = with_controller(|recording| {
            let end = f32::INFINITY;
            let gap = TimeRange { start: 1.5, end };
            let element = Element::DevicePose(RIGHT, "grip".parse().unwrap());
            recording.known.add_gap(element, gap);
        });
        assert_eq!(codes(&unknown), []);
    }

    #[test]
    fn states_before_zero_without_poses_before_zero_mean_a_lost_start() {
        let mut recording = recording(Layout::Mrtk1_0, true);
        recording.hands_mut().right.tracked.push(-3.0, false);
        assert_eq!(codes(&recording), [Code::StartLost, Code::NegativeTime]);
    }
}
