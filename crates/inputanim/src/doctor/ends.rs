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
    // Only MRTK's 1.1 writer drops tails.
    if recording.layout == Layout::Mrtk1_1 {
        findings.extend(tails(summary));
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

/// Streams that stand still while the recording goes on.
fn tails(summary: &Summary) -> impl Iterator<Item = Finding> {
    let end = summary.time_range.map_or(0.0, |range| range.end);
    summary.streams.iter().filter_map(move |stream| {
        let own_end = stream.time_range?.end;
        let should_last = match stream.stream {
            Stream::Camera | Stream::Gaze => true,
            Stream::Joints(side) => is_tracked_at_end(summary, side, end),
            Stream::Tracked(_) | Stream::Pinching(_) => false,
        };
        (should_last && end - own_end > SHORTEST_TAIL).then(|| Finding {
            code: Code::TailLost,
            count: 1,
            curves: Vec::new(),
            span: Some(Span {
                start: own_end,
                end,
            }),
            detail: format!(
                "{} stands still for at least the last {:.3} s, from {own_end:.3} s on",
                stream.stream,
                end - own_end
            ),
        })
    })
}

fn is_tracked_at_end(summary: &Summary, side: Side, end: f32) -> bool {
    let last = summary.hand(side).tracked.last();
    last.is_some_and(|span| span.end >= end)
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
        detail: format!("states begin at {states:.3} s, poses at {poses:.3} s"),
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
