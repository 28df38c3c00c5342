//! Completeness and timing of the recorded data.

use std::collections::BTreeMap;

use inputanim::doctor::{self, Code, Severity};
use inputanim::summary::Summary;
use inputanim::{Curve, CurvePath, Joint, Recording, Side, Stream, TimeRange};

use crate::missing::{Measured, Missing, ratio};
use crate::statistics::standard_deviation;

/// A time range in which playback differs from what was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DamagedRange {
    /// Kind of damage.
    pub code: Code,
    /// From the first to the last occurrence.
    pub range: TimeRange,
}

/// The key times of a recording and its damage, from which the measures of quality are computed.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// Times of the samples of the head, of the left and of the right hand, and of the gaze.
    pub samples: [SampleTimes; 4],
    /// Time ranges in which the left and the right hand are tracked.
    pub tracked: [Vec<TimeRange>; 2],
    /// Time ranges in which the left and the right hand pinch.
    pub pinching: [Vec<TimeRange>; 2],
    /// Damage that has a time.
    pub damage: Vec<DamagedRange>,
    /// Kinds of all damage in order, also of damage without a time.
    pub damage_codes: Vec<Code>,
    /// `true` if the recording has the states of the hands.
    pub has_hands: bool,
    /// `true` if rotations of the head play back wrong.
    pub is_head_rotation_damaged: bool,
}

/// The times of the samples of one stream.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SampleTimes {
    /// Times at which the stream has a key, in order.
    pub times: Vec<f32>,
    /// Time from the last key to the end of the recording in seconds; `None` without keys.
    pub frozen_tail: Option<f64>,
}

/// Intervals between the samples of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Timing {
    /// Samples per second.
    pub rate: Measured,
    /// Standard deviation of the intervals in seconds.
    pub jitter: Measured,
    /// Longest interval in seconds.
    pub longest_gap: Measured,
}

impl Quality {
    /// Names of the streams of [`samples`](Self::samples).
    pub const STREAMS: [&'static str; 4] = ["head", "left", "right", "gaze"];

    /// Examines a recording.
    pub fn of(recording: &Recording<'_>) -> Quality {
        let summary = Summary::of(recording);
        let findings = doctor::examine_playback(recording, &summary);
        let damage = findings
            .iter()
            .filter(|finding| finding.severity() == Severity::Damage);
        let is_lost_w = |code| matches!(code, Code::RotationWLost | Code::RotationWCopiesZ);
        let is_head = |path: &CurvePath| matches!(path, CurvePath::Camera(_));
        let end = summary.time_range.map(|range| range.end);
        let tracked = Side::BOTH.map(|side| summary.hand(side).tracked.clone());
        let samples = [
            Stream::Camera,
            Stream::Joints(Side::Left),
            Stream::Joints(Side::Right),
            Stream::Gaze,
        ];
        Quality {
            samples: samples.map(|stream| SampleTimes::of(recording, stream, end, &tracked)),
            has_hands: recording.hands.is_some(),
            pinching: Side::BOTH.map(|side| summary.hand(side).pinching.clone()),
            is_head_rotation_damaged: damage
                .clone()
                .any(|finding| is_lost_w(finding.code) && finding.curves.iter().any(is_head)),
            damage_codes: {
                let codes: BTreeMap<&str, Code> = damage
                    .clone()
                    .map(|finding| (finding.code.id(), finding.code))
                    .collect();
                codes.into_values().collect()
            },
            damage: damage
                .filter_map(|finding| {
                    Some(DamagedRange {
                        code: finding.code,
                        range: finding.range?,
                    })
                })
                .collect(),
            tracked,
        }
    }

    /// Returns the time of the damage within a time range in seconds. Overlapping damage counts once.
    pub fn damaged(&self, range: TimeRange) -> f64 {
        let clip = |damaged: &DamagedRange| {
            let start = f64::from(damaged.range.start.max(range.start));
            (start, f64::from(damaged.range.end.min(range.end)))
        };
        let mut ranges: Vec<(f64, f64)> = self.damage.iter().map(clip).collect();
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sum, mut covered) = (0.0, f64::NEG_INFINITY);
        for (start, end) in ranges {
            sum += (end - start.max(covered)).max(0.0);
            covered = covered.max(end);
        }
        sum
    }

    /// Returns the losses of tracking of a hand that end with its return: from the end of one tracked
    /// range to the start of the next one.
    pub fn dropouts(&self, side: Side) -> impl Iterator<Item = TimeRange> {
        let pairs = self.tracked[side as usize].windows(2);
        pairs.map(|pair| TimeRange {
            start: pair[0].end,
            end: pair[1].start,
        })
    }

    /// Returns the timing of a stream of [`samples`](Self::samples) within a time range. For hands, only
    /// intervals while the hand is tracked count.
    pub fn timing(&self, stream: usize, range: TimeRange) -> Timing {
        let times = &self.samples[stream].times;
        let tracked = match stream {
            1 | 2 => Some(&self.tracked[stream - 1]),
            _ => None,
        };
        let start = times.partition_point(|&time| time < range.start);
        let end = times.partition_point(|&time| time <= range.end).max(start);
        let is_expected = |pair: &&[f32]| {
            let Some(tracked) = tracked.filter(|tracked| !tracked.is_empty()) else {
                return true;
            };
            let after = tracked.partition_point(|range| range.start <= pair[0]);
            let range = after.checked_sub(1).map(|index| tracked[index]);
            range.is_some_and(|range| pair[1] <= range.end)
        };
        let pairs = times[start..end].windows(2).filter(is_expected);
        let gaps: Vec<f64> = pairs
            .map(|pair| f64::from(pair[1]) - f64::from(pair[0]))
            .collect();
        let reason = if times.is_empty() {
            Missing::NotRecorded
        } else {
            Missing::TooFew
        };
        Timing {
            rate: ratio(gaps.len() as f64, gaps.iter().sum(), reason),
            jitter: standard_deviation(&gaps).ok_or(reason),
            longest_gap: gaps.iter().copied().reduce(f64::max).ok_or(reason),
        }
    }
}

impl SampleTimes {
    fn of(
        recording: &Recording<'_>,
        stream: Stream,
        end: Option<f32>,
        tracked: &[Vec<TimeRange>; 2],
    ) -> SampleTimes {
        let mut times: Vec<f32> = Vec::new();
        for curve in curves(recording, stream) {
            times.extend(curve.points().map(|(time, _)| time));
        }
        times.retain(|time| time.is_finite());
        times.sort_by(f32::total_cmp);
        times.dedup();
        let end = match stream {
            Stream::Joints(side) => tracked[side as usize].last().map(|range| range.end),
            _ => end,
        };
        let tail = end.zip(times.last());
        SampleTimes {
            frozen_tail: tail.map(|(end, &last)| (f64::from(end) - f64::from(last)).max(0.0)),
            times,
        }
    }
}

/// Returns the curves whose keys are the samples of a stream; for a hand, those of the palm, or else of
/// its first recorded joint: all joints of a hand are sampled together.
fn curves<'r, 'a>(recording: &'r Recording<'a>, stream: Stream) -> Vec<Curve<'r, 'a>> {
    let of_stream = recording
        .curves()
        .filter(|(path, _)| path.stream() == stream);
    let recorded: Vec<_> = of_stream.filter(|(_, curve)| !curve.is_empty()).collect();
    let joint = |path: &CurvePath| match path {
        CurvePath::Joint(_, joint, _) => Some(*joint),
        _ => None,
    };
    let palm = recorded
        .iter()
        .any(|(path, _)| joint(path) == Some(Joint::Palm));
    let wanted = if palm {
        Some(Joint::Palm)
    } else {
        recorded.first().and_then(|(path, _)| joint(path))
    };
    let chosen = recorded
        .into_iter()
        .filter(|(path, _)| joint(path) == wanted);
    chosen.map(|(_, curve)| curve).collect()
}
