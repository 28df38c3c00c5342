//! Completeness and timing of the recorded data.

use std::collections::BTreeMap;

use inputanim::doctor::{self, Code, FileDamage, Finding, Severity};
use inputanim::info::{Info, StreamTimes, Timing};
use inputanim::{CurvePath, FloatCurve, Joints, PoseCurves, Recording, Side, Stream, TimeRange};

use crate::device::DevicePose;
use crate::source::Sources;

/// A time range in which playback differs from what was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DamagedRange {
    /// Kind of damage.
    pub code: Code,
    /// The time range.
    pub range: TimeRange,
}

/// The key times of a recording and its damage, from which the measures of quality are computed.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// The sampled instants of the streams of the recording.
    pub streams: Vec<StreamTimes>,
    /// Time ranges in which the left and the right hand are tracked.
    pub tracked: [Vec<TimeRange>; 2],
    /// Time ranges in which the left and the right hand pinch.
    pub pinching: [Vec<TimeRange>; 2],
    /// `true` for a hand that is recorded without its pinches.
    pub lacks_pinches: [bool; 2],
    /// Time ranges in which poses and the gaze were recorded.
    pub recorded: RecordedTimes,
    /// The findings that [change values](Code::changes_values).
    pub findings: Vec<Finding>,
    /// Union of the time ranges of all damage.
    pub(crate) damaged: Vec<TimeRange>,
    /// The part of the analysis that each finding affects.
    pub(crate) sources: Vec<Sources>,
    /// The sources that a damaged file has lost, so that measures that use them have no values.
    pub(crate) lost: Sources,
    /// Time range of the recording; `None` without keys.
    pub range: Option<TimeRange>,
    /// `true` if the recording has the states of the hands.
    pub has_hands: bool,
}

/// The time ranges in which poses and the gaze were recorded, in order.
///
/// A pose was recorded from the first to the last key of its curves, without the [pauses](doctor::pauses) of the
/// recording. Before, after and in a pause, playback holds or interpolates values that were not recorded. The time
/// between other keys counts as recorded even if they are far apart, because the recorder may have dropped samples that
/// linear interpolation reproduces.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedTimes {
    /// Head.
    pub head: Vec<TimeRange>,
    /// Joints of the left and of the right hand.
    pub joints: [Joints<Vec<TimeRange>>; 2],
    /// Gaze.
    pub gaze: Vec<TimeRange>,
    /// Poses of devices.
    pub device_poses: Vec<(DevicePose, Vec<TimeRange>)>,
}

impl RecordedTimes {
    /// Computes the time ranges in which poses and the gaze of a recording were recorded. `info` is the information on
    /// the same recording.
    pub fn of(recording: &Recording<'_>, info: &Info) -> RecordedTimes {
        let pauses = doctor::pauses(recording, info);
        let pose = |pose: &PoseCurves<'_>| {
            let curves = pose.iter().map(|(_, curve)| curve);
            without(first_and_last(curves), &pauses)
        };
        let gaze = recording.gaze.as_ref().map(|gaze| {
            let curves = gaze.iter().map(|(_, curve)| curve);
            without(first_and_last(curves), &pauses)
        });
        RecordedTimes {
            head: recording.head.as_ref().map(pose).unwrap_or_default(),
            joints: Side::BOTH.map(|side| match &recording.hands {
                Some(hands) => {
                    let joints = &hands.hand(side).joints;
                    Joints::from_fn(|joint| pose(&joints[joint]))
                }
                None => Joints::from_fn(|_| Vec::new()),
            }),
            gaze: gaze.unwrap_or_default(),
            device_poses: recording
                .devices
                .iter()
                .flat_map(|device| {
                    device
                        .poses
                        .iter()
                        .map(|(name, curves)| (device.name, name, curves))
                })
                .map(|(device, &name, curves)| (DevicePose { device, pose: name }, pose(curves)))
                .collect(),
        }
    }
}

/// Returns the time range from the earliest to the latest finite key time of some curves; `None` if they have no such
/// key.
fn first_and_last<'c>(curves: impl Iterator<Item = &'c FloatCurve<'c>>) -> Option<TimeRange> {
    let ends = curves.filter_map(|curve| {
        let times = curve.keys.points().map(|(time, _)| time);
        // All keys are compared, and not only the first and the last: playback sorts keys that are not in order.
        let times = times.filter(|time| time.is_finite());
        let instants = times.map(|time| TimeRange {
            start: time,
            end: time,
        });
        instants.reduce(joined)
    });
    ends.reduce(joined)
}

/// Returns the time range from the earlier start to the later end of two time ranges.
fn joined(a: TimeRange, b: TimeRange) -> TimeRange {
    TimeRange {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    }
}

/// Returns the parts of a time range that are outside of the pauses, which are in order. Without a time range, returns
/// nothing.
fn without(range: Option<TimeRange>, pauses: &[TimeRange]) -> Vec<TimeRange> {
    let Some(TimeRange { mut start, end }) = range else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    for pause in pauses {
        if pause.end <= start || pause.start >= end {
            continue;
        }
        parts.push(TimeRange {
            start,
            end: pause.start.max(start),
        });
        start = pause.end.min(end);
    }
    parts.push(TimeRange { start, end });
    parts
}

impl Quality {
    /// Names of the streams in the names of measures, with the streams of a recording.
    pub const STREAMS: [(&'static str, Stream); 4] = [
        ("head", Stream::Head),
        ("left", Stream::Joints(Side::Left)),
        ("right", Stream::Joints(Side::Right)),
        ("gaze", Stream::Gaze),
    ];

    /// Computes the key times, the states of the hands, the recorded times and the damage of a recording.
    pub fn of(recording: &Recording<'_>) -> Quality {
        let (info, streams) = Info::with_times(recording);
        let findings = doctor::damage(recording, |_| true);
        let mut quality = Quality {
            streams,
            has_hands: recording.hands.is_some(),
            pinching: Side::BOTH.map(|side| info.hand(side).pinching.clone()),
            tracked: Side::BOTH.map(|side| info.hand(side).tracked.clone()),
            lacks_pinches: Side::BOTH.map(|side| recording.lacks_pinches(side)),
            recorded: RecordedTimes::of(recording, &info),
            sources: findings.iter().map(Sources::of).collect(),
            findings,
            range: info.time_range,
            lost: Sources::default(),
            damaged: Vec::new(),
        };
        quality.damaged = quality.times(quality.damage());
        quality
    }

    /// Adds the damage of the file: the curves that it has lost, and its finding, which has no time and concerns them.
    pub(crate) fn lose(&mut self, damage: &FileDamage) {
        if damage.lost.is_empty() {
            return;
        }
        self.lost = Sources::of_curves(damage.lost.iter().copied());
        // The damage of the file explains them.
        let follows = |finding: &Finding| finding.code.follows_from_missing_parts();
        let mut sources = std::mem::take(&mut self.sources).into_iter();
        for finding in std::mem::take(&mut self.findings) {
            let affected = sources.next().unwrap_or_default();
            if !follows(&finding) {
                self.findings.push(finding);
                self.sources.push(affected);
            }
        }
        if let Some(mut finding) = damage.finding() {
            finding.curves = damage.lost.clone();
            finding.streams.clear();
            self.sources.insert(0, self.lost);
            self.findings.insert(0, finding);
        }
        self.damaged = self.times(self.damage());
    }

    /// Returns the code of the damage of the file; `None` if the file has lost nothing, or if its error has no code.
    pub(crate) fn lost_code(&self) -> Option<Code> {
        let findings = self
            .findings
            .iter()
            .filter(|_| self.lost != Sources::default());
        let mut codes = findings.map(|finding| finding.code);
        codes.find(|code| *code == Code::FileTruncated)
    }

    /// Returns the findings whose severity is [`Severity::Damage`].
    fn damage(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.severity() == Severity::Damage)
    }

    /// Returns the codes of the damage of the recording, each once, sorted.
    pub fn damage_codes(&self) -> Vec<Code> {
        let codes = self
            .damage()
            .map(|finding| (finding.code.id(), finding.code));
        codes
            .collect::<BTreeMap<&str, Code>>()
            .into_values()
            .collect()
    }

    /// Returns the time ranges of the damage, in order of code and time. Damage without a time has the time range of
    /// the recording.
    pub fn damaged_ranges(&self) -> Vec<DamagedRange> {
        let mut found = Vec::new();
        for code in self.damage_codes() {
            let of_code = |finding: &&Finding| finding.code == code;
            let ranges = self.times(self.damage().filter(of_code));
            found.extend(ranges.into_iter().map(|range| DamagedRange { code, range }));
        }
        found
    }

    fn times<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> Vec<TimeRange> {
        let ranges = findings.flat_map(|finding| match &finding.ranges[..] {
            [] => self.range.into_iter().collect(),
            ranges => ranges.to_vec(),
        });
        TimeRange::union(ranges.collect())
    }

    /// Returns the codes of the findings that affect the parts of the recording in `sources`, and have a time within a
    /// time range.
    pub(crate) fn affecting(&self, sources: &Sources, range: TimeRange) -> Vec<Code> {
        let findings = self.findings.iter().zip(&self.sources);
        let affecting = findings
            .filter(|(finding, affected)| affected.overlap(sources) && is_within(finding, range));
        let mut codes: Vec<Code> = affecting.map(|(finding, _)| finding.code).collect();
        codes.dedup();
        codes
    }

    /// Returns the findings that affect curves which an analysis uses: all curves except the rotations of the joints of
    /// the hands.
    pub fn used_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings_of(Some(Sources::ALL))
    }

    /// Returns the findings that affect any of the `sources`; all findings for `None`.
    pub(crate) fn findings_of(&self, sources: Option<Sources>) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter().zip(&self.sources);
        let affecting = findings
            .filter(move |(_, affected)| sources.is_none_or(|sources| affected.overlap(&sources)));
        affecting.map(|(finding, _)| finding)
    }

    /// Returns `true` if the recording lost the component w of the rotation of the head, so that the angles of the head
    /// are not known.
    pub(crate) fn is_head_rotation_lost(&self) -> bool {
        let is_lost = |code| matches!(code, Code::RotationWLost | Code::RotationWCopiesZ);
        let is_head = |path: &CurvePath| matches!(path, CurvePath::Head(_));
        self.damage()
            .any(|finding| is_lost(finding.code) && finding.curves.iter().any(is_head))
    }

    /// Returns the total time of the damage within a time range, in seconds. Overlapping damage counts once.
    pub fn damaged(&self, range: TimeRange) -> f64 {
        overlap(&self.damaged, range)
    }

    /// Returns the time ranges in which tracking of a hand is lost and comes back: from the end of one tracked range to
    /// the start of the next one.
    pub fn dropouts(&self, side: Side) -> impl Iterator<Item = TimeRange> {
        let pairs = self.tracked[side as usize].windows(2);
        pairs.map(|pair| TimeRange {
            start: pair[0].end,
            end: pair[1].start,
        })
    }

    fn stream(&self, stream: Stream) -> Option<&StreamTimes> {
        let found = self.streams.iter().find(|times| times.stream == stream);
        found.filter(|times| !times.instants.is_empty())
    }

    /// Returns the timing of a stream within a time range, as [`StreamTimes::timing`] does; `None` if the
    /// stream has no keys.
    pub fn timing(&self, stream: Stream, range: TimeRange) -> Option<Timing> {
        self.stream(stream).map(|times| times.timing(range))
    }

    /// Returns the time in seconds from the last instant of a stream to the end of a time range, in which playback
    /// holds the last values. For joints, only the time in which the hand is tracked counts. Returns `None` if the
    /// stream has no keys.
    pub fn frozen_tail(&self, stream: Stream, range: TimeRange) -> Option<f64> {
        let times = self.stream(stream)?;
        let start = range.start.max(*times.instants.last()?);
        let tail = TimeRange {
            start,
            end: range.end.max(start),
        };
        Some(match &times.tracked {
            Some(tracked) => overlap(tracked, tail),
            None => overlap(self.range.as_slice(), tail),
        })
    }
}

/// Returns `true` if one of the time ranges of a finding overlaps `range`. Also returns `true` if the finding has no
/// time ranges, because it concerns the complete recording.
fn is_within(finding: &Finding, range: TimeRange) -> bool {
    let ranges = &finding.ranges;
    let after = ranges.partition_point(|found| found.end < range.start);
    ranges.is_empty()
        || ranges
            .get(after)
            .is_some_and(|found| found.start <= range.end)
}

/// Returns the total time that sorted time ranges have in common with `other`, in seconds.
pub(crate) fn overlap(ranges: &[TimeRange], other: TimeRange) -> f64 {
    let common = ranges.iter().map(|range| {
        let start = f64::from(range.start.max(other.start));
        (f64::from(range.end.min(other.end)) - start).max(0.0)
    });
    common.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
    }

    #[test]
    fn pauses_divide_what_was_recorded() {
        let pauses = [range(1.0, 2.0), range(5.0, 6.0), range(8.0, 9.0)];
        assert_eq!(
            without(Some(range(0.0, 7.0)), &pauses),
            [range(0.0, 1.0), range(2.0, 5.0), range(6.0, 7.0)]
        );
        assert_eq!(
            without(Some(range(1.5, 5.0)), &pauses),
            [range(1.5, 1.5), range(2.0, 5.0)]
        );
        assert_eq!(without(None, &pauses), []);
    }
}
