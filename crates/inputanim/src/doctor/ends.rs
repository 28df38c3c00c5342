//! Where streams begin and end: the lost tail (D3), the lost head (D5), negative times (L13).

use super::code::Code;
use super::finding::Finding;
use crate::joint::Side;
use crate::layout::Layout;
use crate::path::Stream;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;

pub(super) fn examine(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(Span { end, .. }) = summary.time_range {
        let tails = frozen(summary, end);
        findings.extend(tails.map(|(stream, span)| lost_tail(stream, span)));
    }
    findings.extend(head(recording, summary));
    findings.extend(
        summary
            .time_range
            .filter(|range| range.start < 0.0)
            .map(|range| {
                let seconds = -range.start;
                Finding {
                    code: Code::NegativeTime,
                    count: 1,
                    curves: Vec::new(),
                    span: Some(Span {
                        start: range.start,
                        end: 0.0,
                    }),
                    detail: format!("the first key is {seconds:.3} s before the start"),
                }
            }),
    );
    findings
}

/// No recorder samples faster, so what is shorter is no lost sample. In seconds.
const SHORTEST_TAIL: f32 = 0.001;

/// Streams that have lost their tail and stand still, with the time from there to `end`, which is
/// that of the recording or a time at which it shall end.
pub(crate) fn frozen(summary: &Summary, end: f32) -> impl Iterator<Item = (Stream, Span)> {
    // Only MRTK's 1.1 writer drops tails.
    let may_be_lost = summary.layout == Layout::Mrtk1_1;
    let streams = summary.streams.iter().filter(move |_| may_be_lost);
    streams.filter_map(move |stream| {
        let start = stream.time_range?.end;
        let should_last = match stream.stream {
            Stream::Camera | Stream::Gaze => true,
            Stream::Joints(side) => is_tracked_at(summary, side, end),
            Stream::Tracked(_) | Stream::Pinching(_) => false,
        };
        let is_frozen = should_last && end - start > SHORTEST_TAIL;
        is_frozen.then_some((stream.stream, Span { start, end }))
    })
}

/// Bounds count: at the end of the recording a hand is still seen.
fn is_tracked_at(summary: &Summary, side: Side, time: f32) -> bool {
    let mut spans = summary.hand(side).tracked.iter();
    spans.any(|span| span.start <= time && time <= span.end)
}

fn lost_tail(stream: Stream, span: Span) -> Finding {
    let (start, seconds) = (span.start, span.length());
    let detail =
        format!("{stream} stands still for at least the last {seconds:.3} s, from {start:.3} s on");
    Finding {
        code: Code::TailLost,
        count: 1,
        curves: Vec::new(),
        span: Some(span),
        detail,
    }
}

/// Version 1.0, saved late: the rolling buffer had already let go of the first poses.
fn head(recording: &Recording<'_>, summary: &Summary) -> Option<Finding> {
    if recording.layout.has_flags() {
        return None;
    }
    let is_state = |stream: Stream| matches!(stream, Stream::Tracked(_) | Stream::Pinching(_));
    let first = |states: bool| {
        let streams = summary
            .streams
            .iter()
            .filter(|s| is_state(s.stream) == states);
        let starts = streams.filter_map(|s| s.time_range.map(|range| range.start));
        starts.reduce(f32::min)
    };
    let (states, poses) = (first(true)?, first(false)?);
    (states < 0.0 && poses >= 0.0).then(|| Finding {
        code: Code::HeadLost,
        count: 1,
        curves: Vec::new(),
        span: Some(Span {
            start: states,
            end: poses,
        }),
        detail: format!(
            "{:.3} s are gone: states begin at {states:.3} s, poses at {poses:.3} s",
            poses - states
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::joint::Joint;

    fn codes(take: &Recording<'_>) -> Vec<Code> {
        let findings = examine(take, &Summary::of(take));
        findings.iter().map(|finding| finding.code).collect()
    }

    fn take(layout: Layout, tracked_at_end: bool) -> Recording<'static> {
        let mut take = Recording::new(layout);
        take.camera_mut().push(0.0, &Pose::IDENTITY);
        take.camera_mut().push(2.0, &Pose::IDENTITY);
        let left = &mut take.hands_mut().left;
        left.tracked.push(0.0, true);
        if !tracked_at_end {
            left.tracked.push(1.5, false);
        }
        left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        left.joints[Joint::Palm].push(1.5, &Pose::IDENTITY);
        take
    }

    #[test]
    fn joints_that_end_while_their_hand_is_tracked_have_lost_their_tail() {
        assert_eq!(codes(&take(Layout::Mrtk1_1, true)), [Code::TailLost]);
        assert_eq!(codes(&take(Layout::Mrtk1_1, false)), []);
        assert_eq!(codes(&take(Layout::Mrtk1_0, true)), []);
    }

    #[test]
    fn states_before_zero_without_poses_before_zero_mean_a_lost_head() {
        let mut take = take(Layout::Mrtk1_0, true);
        take.hands_mut().right.tracked.push(-3.0, false);
        assert_eq!(codes(&take), [Code::HeadLost, Code::NegativeTime]);
    }
}
