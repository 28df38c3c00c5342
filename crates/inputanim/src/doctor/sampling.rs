//! When samples were taken: pauses (L22) and an unsteady rate (L23).
//!
//! Recorders leave out samples that a straight line explains, so times alone do not say when
//! samples were taken. They do where nothing was left out: where, at each instant at which
//! anything was sampled, every stream that could have been was. Of other recordings nothing is said.

use super::code::Code;
use super::finding::Finding;
use crate::path::Stream;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::{StreamSummary, Summary, Union};

/// Less say nothing about a rate.
const FEWEST: usize = 30;

/// A pause is longer than this, in seconds, and than so many usual intervals.
const SHORTEST_PAUSE: f32 = 0.1;
const PAUSE_INTERVALS: f32 = 4.0;

/// An interval is off where it differs from the usual one by more than this part of it; a rate is
/// unsteady where more than such a part of all intervals are off. Frames of a device that runs at
/// 60 a second differ by up to 15 %.
const OFF: f32 = 0.5;
const UNSTEADY: f64 = 0.1;

pub(super) fn examine(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let Some(mut intervals) = intervals(recording, summary) else {
        return Vec::new();
    };
    if intervals.len() < FEWEST {
        return Vec::new();
    }
    let middle = intervals.len() / 2;
    let by_length = |a: &Span, b: &Span| a.length().total_cmp(&b.length());
    let (_, usual, _) = intervals.select_nth_unstable_by(middle, by_length);
    let usual = usual.length();
    [pauses(&intervals, usual), unsteady(&intervals, usual)]
        .into_iter()
        .flatten()
        .collect()
}

fn pauses(intervals: &[Span], usual: f32) -> Option<Finding> {
    let least = SHORTEST_PAUSE.max(PAUSE_INTERVALS * usual);
    let pauses = || {
        intervals
            .iter()
            .filter(|interval| interval.length() > least)
    };
    // Of equals the first.
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
    Some(Finding {
        code: Code::SamplingGap,
        count: count as u64,
        curves: Vec::new(),
        span: pauses().copied().reduce(|a, b| Span {
            start: a.start.min(b.start),
            end: a.end.max(b.end),
        }),
        detail: format!("{of}; {usual:.3} s is usual"),
    })
}

fn unsteady(intervals: &[Span], usual: f32) -> Option<Finding> {
    let is_off = |interval: &&Span| (interval.length() - usual).abs() > OFF * usual;
    let (off, all) = (intervals.iter().filter(is_off).count(), intervals.len());
    let share = off as f64 / all as f64;
    (share > UNSTEADY).then(|| Finding {
        code: Code::RateIrregular,
        count: off as u64,
        curves: Vec::new(),
        span: None,
        detail: format!(
            "{off} of {all} intervals ({:.0} %) differ by more than half from the usual {usual:.3} s",
            share * 100.0
        ),
    })
}

/// The times between samples; `None` where some may have been left out.
fn intervals(recording: &Recording<'_>, summary: &Summary) -> Option<Vec<Span>> {
    let streams: Vec<Samples> = summary
        .streams
        .iter()
        .filter(|stream| !is_state(stream.stream) && stream.keys > 0)
        .map(|stream| Samples::of(recording, summary, stream))
        .collect::<Option<_>>()?;
    let mut instants: Vec<f32> = streams.iter().flat_map(|s| &s.times).copied().collect();
    instants.sort_unstable_by(f32::total_cmp);
    instants.dedup();
    if !streams.iter().all(|stream| stream.has_all_of(&instants)) {
        return None;
    }
    let pairs = instants.windows(2).map(|pair| Span {
        start: pair[0],
        end: pair[1],
    });
    let is_expected = |interval: &Span| {
        let mut streams = streams.iter();
        streams.any(|stream| stream.covers(*interval))
    };
    Some(pairs.filter(is_expected).collect())
}

fn is_state(stream: Stream) -> bool {
    matches!(stream, Stream::Tracked(_) | Stream::Pinching(_))
}

/// A stream all of whose curves have the same times.
struct Samples {
    /// In order, each once, all finite.
    times: Vec<f32>,
    /// When it could be sampled, in order.
    expected: Vec<Span>,
}

impl Samples {
    /// `None` where the curves differ in their times.
    fn of(recording: &Recording<'_>, summary: &Summary, stream: &StreamSummary) -> Option<Samples> {
        let range = stream.time_range?;
        // As many keys in each curve as there are instants in all: then they are the same ones.
        if stream.keys != stream.recorded_curves as u64 * stream.instants as u64 {
            return None;
        }
        let mut curves = recording.curves();
        let (_, curve) =
            curves.find(|(path, curve)| path.stream() == stream.stream && !curve.is_empty())?;
        let mut union = Union::default();
        union.add(&curve);
        let times = union.finish();
        let expected = match stream.stream {
            Stream::Joints(side) => summary.hand(side).tracked.clone(),
            _ => vec![range],
        };
        (times.len() == stream.instants).then_some(Samples { times, expected })
    }

    /// Whether it was sampled at each of all instants at which it could be, up to its own end.
    fn has_all_of(&self, instants: &[f32]) -> bool {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return true;
        };
        self.expected.iter().all(|span| {
            // Where the hand is lost it is not sampled any more.
            let is_within = |time: f32| time >= span.start.max(first) && time < span.end;
            let count = |times: &[f32]| {
                let start = times.partition_point(|&time| time < span.start.max(first));
                let rest = times.get(start..).unwrap_or_default();
                rest.partition_point(|&time| is_within(time) && time <= last)
            };
            count(instants) == count(&self.times)
        })
    }

    fn covers(&self, interval: Span) -> bool {
        let last = self.times.last().copied().unwrap_or(f32::NEG_INFINITY);
        interval.is_in(&self.expected) && interval.end <= last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Pose, Ray};
    use crate::joint::Joint;
    use crate::layout::Layout;

    /// A camera that turns and a gaze, sampled at the same times.
    fn take(times: impl IntoIterator<Item = f32>) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for time in times {
            take.camera_mut()
                .push(time, &Pose::at([time.sin(), 1.6, 0.0]));
            let ray = Ray {
                origin: [0.0, 1.6, 0.0],
                direction: [0.0, time.sin(), time.cos()],
            };
            take.gaze_mut().push(time, &ray);
        }
        take
    }

    fn steps(steps: impl IntoIterator<Item = u32>) -> impl Iterator<Item = f32> {
        steps.into_iter().map(|step| step as f32 / 60.0)
    }

    fn details(take: &Recording<'_>) -> Vec<String> {
        let findings = examine(take, &Summary::of(take));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_steady_rate_has_no_finding() {
        assert_eq!(details(&take(steps(0..120))), [""; 0]);
        // Nor has one that is not known from a few samples.
        assert_eq!(details(&take(steps([0, 1, 2, 100, 101]))), [""; 0]);
    }

    #[test]
    fn a_pause_is_found() {
        assert_eq!(
            details(&take(steps((0..60).chain(90..120)))),
            [
                "L22 pauses in which nothing was sampled: 1 pause, of 0.517 s at 0.983 s; 0.017 s is usual"
            ]
        );
    }

    #[test]
    fn a_rate_that_changes_all_the_time_is_found() {
        let every_third_left_out = steps((0..120).filter(|step| step % 3 > 0));
        assert_eq!(
            details(&take(every_third_left_out)),
            [
                "L23 samples that do not come at a steady rate: 39 of 79 intervals (49 %) differ by more than half from the usual 0.017 s"
            ]
        );
    }

    #[test]
    fn nothing_is_said_where_samples_may_have_been_left_out() {
        let mut reduced = take(steps((0..60).chain(90..120)));
        reduced.camera_mut().position[0].keys.push_linear(2.5, 0.0);
        assert_eq!(details(&reduced), [""; 0]);
        let mut reduced = take(steps((0..60).chain(90..120)));
        reduced.camera = None;
        reduced.camera_mut().push(0.0, &Pose::IDENTITY);
        reduced.camera_mut().push(1.9, &Pose::IDENTITY);
        assert_eq!(details(&reduced), [""; 0]);
    }

    #[test]
    fn the_time_in_which_a_hand_is_not_seen_is_no_pause() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let left = &mut take.hands_mut().left;
        for time in steps((0..60).chain(90..120)) {
            left.joints[Joint::Palm].push(time, &Pose::at([0.0, time, 0.0]));
        }
        left.tracked.push(0.0, true);
        assert_eq!(details(&take).len(), 1);
        let left = &mut take.hands_mut().left;
        left.tracked.push(1.0, false);
        left.tracked.push(1.5, true);
        assert_eq!(details(&take), [""; 0]);
    }
}
