//! What was really recorded: times, rates, gaps and states, stream by stream.
//!
//! Method: the key times of a stream's curves are merged into its instants, the moments at which
//! anything of it was sampled. Rate and gaps are those between neighbouring instants; for joints
//! only while the hand is tracked, since nothing is recorded of an unseen hand. A state holds from
//! its key to the next, the first one's also before it. Times that are not finite are passed over.
//! Cost: every key's time is read a few times.
//!
//! Limits: recorders leave out samples that a straight line explains, so a low rate or a long gap
//! may also mean that nothing moved.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, summary::Summary};
//! let mut take = Recording::new(Layout::Mrtk1_1);
//! for step in 0..=60 {
//!     take.camera_mut().push(step as f32 / 60.0, &Pose::IDENTITY);
//! }
//! let summary = Summary::of(&take);
//! assert_eq!(summary.duration, 1.0);
//! assert_eq!(summary.streams[0].rate.map(f32::round), Some(60.0));
//! ```

use crate::curve::{BooleanCurve, Curve};
use crate::joint::Side;
use crate::layout::Layout;
use crate::path::{CurvePath, Stream};
use crate::recording::{Flags, Recording};
use crate::span::Span;

/// What one recording holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The layout it came in.
    pub layout: Layout,
    /// Which streams the file says it holds.
    pub flags: Flags,
    /// Bytes in its layout.
    pub bytes: u64,
    /// Keys over all curves.
    pub keys: u64,
    /// Greatest key time over all curves in seconds, which is how long the toolkit plays.
    pub duration: f32,
    /// First and last finite key time over all curves; `None` without keys.
    pub time_range: Option<Span>,
    /// The streams that are there, in file order.
    pub streams: Vec<StreamSummary>,
    /// Both hands' states, left then right.
    pub hands: [HandSummary; 2],
}

/// What one stream holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamSummary {
    /// The stream.
    pub stream: Stream,
    /// Curves that a file has for it.
    pub curves: usize,
    /// Curves with at least one key.
    pub recorded_curves: usize,
    /// Joints with at least one key, of 27; 0 for a stream that is not of joints.
    pub recorded_joints: usize,
    /// Keys over all its curves.
    pub keys: u64,
    /// Bytes of its curves, headers included.
    pub bytes: u64,
    /// First and last finite key time; `None` without keys.
    pub time_range: Option<Span>,
    /// Moments at which anything of it was sampled.
    pub instants: usize,
    /// Instants per second where it was recorded; `None` for states and for less than two.
    pub rate: Option<f32>,
    /// The longest time between neighbouring instants; `None` where there is no rate.
    pub longest_gap: Option<Span>,
}

/// When one hand was seen, and when it pinched.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HandSummary {
    /// When it was tracked.
    pub tracked: Vec<Span>,
    /// When it pinched.
    pub pinching: Vec<Span>,
}

impl Summary {
    /// Looks through a whole recording.
    pub fn of(recording: &Recording<'_>) -> Summary {
        let samples: Vec<StreamSamples> = Stream::ALL
            .into_iter()
            .filter_map(|stream| StreamSamples::of(recording, stream))
            .collect();
        let time_range = samples
            .iter()
            .filter_map(StreamSamples::time_range)
            .reduce(|a, b| Span {
                start: a.start.min(b.start),
                end: a.end.max(b.end),
            });
        let hands = Side::BOTH.map(|side| HandSummary::of(recording, side, time_range));
        let streams: Vec<StreamSummary> = samples
            .into_iter()
            .map(|samples| {
                let tracked = match samples.stream {
                    Stream::Joints(side) => Some(&hands[side as usize].tracked),
                    _ => None,
                };
                samples.summary(tracked)
            })
            .collect();
        Summary {
            layout: recording.layout,
            flags: recording.flags(),
            bytes: recording.encoded_len(recording.layout),
            keys: streams.iter().map(|stream| stream.keys).sum(),
            duration: recording.duration(),
            time_range,
            streams,
            hands,
        }
    }

    /// The summary of one stream, if the recording has it.
    pub fn stream(&self, stream: Stream) -> Option<&StreamSummary> {
        self.streams.iter().find(|found| found.stream == stream)
    }

    /// Every span in which a hand is tracked or pinches, with the curve that says so, left hand
    /// first.
    pub fn states(&self) -> impl Iterator<Item = (CurvePath, Span)> {
        Side::BOTH.into_iter().flat_map(|side| {
            let hand = self.hand(side);
            let tracked = hand
                .tracked
                .iter()
                .map(move |span| (CurvePath::Tracked(side), *span));
            let pinching = hand
                .pinching
                .iter()
                .map(move |span| (CurvePath::Pinching(side), *span));
            tracked.chain(pinching)
        })
    }

    /// The states of one hand.
    pub fn hand(&self, side: Side) -> &HandSummary {
        &self.hands[side as usize]
    }
}

impl HandSummary {
    fn of(recording: &Recording<'_>, side: Side, range: Option<Span>) -> HandSummary {
        let (Some(hands), Some(range)) = (&recording.hands, range) else {
            return HandSummary::default();
        };
        let hand = hands.hand(side);
        HandSummary {
            tracked: spans_on(&hand.tracked, range),
            pinching: spans_on(&hand.pinching, range),
        }
    }
}

/// When a boolean curve is on within a range: each value holds until the next key, the first
/// one's also before it.
fn spans_on(curve: &BooleanCurve<'_>, range: Span) -> Vec<Span> {
    let mut keys: Vec<(f32, bool)> = curve
        .keys
        .iter()
        .map(|key| (key.time(), key.is_on()))
        .filter(|(time, _)| time.is_finite())
        .collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(first) = keys.first_mut() {
        first.0 = range.start;
    }
    let mut spans = Vec::new();
    let mut open: Option<f32> = None;
    for (time, on) in keys {
        match (on, open) {
            (true, None) => open = Some(time),
            (false, Some(start)) => {
                spans.push(Span { start, end: time });
                open = None;
            }
            _ => {}
        }
    }
    spans.extend(open.map(|start| Span {
        start,
        end: range.end.max(start),
    }));
    spans.retain(|span| span.length() > 0.0);
    spans
}

/// The instants and counts of one stream.
struct StreamSamples {
    stream: Stream,
    curves: usize,
    recorded_curves: usize,
    recorded_joints: usize,
    keys: u64,
    bytes: u64,
    /// Sorted, each once, all finite.
    instants: Vec<f32>,
}

impl StreamSamples {
    /// `None` when the recording does not have the stream.
    fn of(recording: &Recording<'_>, stream: Stream) -> Option<StreamSamples> {
        let mut samples = StreamSamples {
            stream,
            curves: 0,
            recorded_curves: 0,
            recorded_joints: 0,
            keys: 0,
            bytes: 0,
            instants: Vec::new(),
        };
        let mut last_joint = None;
        let mut union = Union::default();
        for (path, curve) in recording.curves() {
            if path.stream() != stream {
                continue;
            }
            samples.curves += 1;
            samples.keys += curve.len() as u64;
            samples.bytes += 12 + (curve.len() * curve.key_size()) as u64;
            if curve.is_empty() {
                continue;
            }
            samples.recorded_curves += 1;
            if let CurvePath::Joint(_, joint, _) = path
                && last_joint.replace(joint) != Some(joint)
            {
                samples.recorded_joints += 1;
            }
            union.add(&curve);
        }
        samples.instants = union.finish();
        (samples.curves > 0).then_some(samples)
    }

    fn time_range(&self) -> Option<Span> {
        Some(Span {
            start: *self.instants.first()?,
            end: *self.instants.last()?,
        })
    }

    /// `tracked` bounds what counts as a gap.
    fn summary(self, tracked: Option<&Vec<Span>>) -> StreamSummary {
        let is_state = matches!(self.stream, Stream::Tracked(_) | Stream::Pinching(_));
        let gaps = || {
            self.instants
                .windows(2)
                .map(|pair| Span {
                    start: pair[0],
                    end: pair[1],
                })
                .filter(|gap| !is_state && counts(*gap, tracked))
        };
        let (count, time) = gaps().fold((0_usize, 0.0_f64), |(count, time), gap| {
            (count + 1, time + f64::from(gap.length()))
        });
        StreamSummary {
            stream: self.stream,
            curves: self.curves,
            recorded_curves: self.recorded_curves,
            recorded_joints: self.recorded_joints,
            keys: self.keys,
            bytes: self.bytes,
            time_range: self.time_range(),
            instants: self.instants.len(),
            rate: (time > 0.0).then(|| (count as f64 / time) as f32),
            longest_gap: gaps().reduce(|longest, gap| {
                if gap.length() > longest.length() {
                    gap
                } else {
                    longest
                }
            }),
        }
    }
}

/// Whether a time between instants is one in which the stream should have been recorded.
fn counts(gap: Span, tracked: Option<&Vec<Span>>) -> bool {
    let Some(spans) = tracked.filter(|spans| !spans.is_empty()) else {
        return true;
    };
    gap.is_in(spans)
}

/// The union of the finite key times of several curves.
#[derive(Default)]
pub(crate) struct Union {
    times: Vec<f32>,
    /// Where the times of the last curve that was added begin.
    last: usize,
}

impl Union {
    pub(crate) fn add(&mut self, curve: &Curve<'_, '_>) {
        // Curves of one vector nearly always share their times: seeing that is cheap.
        if curve.times_are(&self.times[self.last..]) {
            return;
        }
        self.last = self.times.len();
        let times = curve.points().map(|(time, _)| time);
        self.times.extend(times.filter(|time| time.is_finite()));
    }

    /// Sorted, each once.
    pub(crate) fn finish(mut self) -> Vec<f32> {
        self.times.sort_unstable_by(f32::total_cmp);
        self.times.dedup();
        self.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::joint::Joint;

    fn span(start: f32, end: f32) -> Span {
        Span { start, end }
    }

    #[test]
    fn a_state_holds_from_key_to_key_and_to_the_end() {
        let curve = BooleanCurve::new([(0.5, true), (1.0, false), (2.0, true)]);
        assert_eq!(
            spans_on(&curve, span(0.0, 3.0)),
            [span(0.0, 1.0), span(2.0, 3.0)]
        );
        assert_eq!(spans_on(&BooleanCurve::default(), span(0.0, 3.0)), []);
    }

    #[test]
    fn an_untracked_gap_is_no_gap_in_the_joints() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let left = &mut take.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.5, false), (4.0, true)]);
        for time in [0.0, 0.5, 1.0, 4.0, 4.5] {
            left.joints[Joint::Palm].push(time, &Pose::IDENTITY);
        }
        let summary = Summary::of(&take);
        let joints = summary.stream(Stream::Joints(Side::Left)).unwrap();
        assert_eq!(joints.instants, 5);
        assert_eq!(joints.recorded_joints, 1);
        assert_eq!(joints.rate, Some(2.0));
        assert_eq!(joints.longest_gap.map(Span::length), Some(0.5));
    }

    #[test]
    fn instants_are_the_union_of_unequal_curves() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let camera = take.camera_mut();
        for (curve, times) in [(0, [0.0, 1.0, 3.0]), (1, [0.0, 2.0, 3.0])] {
            for time in times {
                camera.position[curve].keys.push_linear(time, 0.0);
            }
        }
        camera.rotation[0].keys.push_linear(f32::NAN, 0.0);
        let summary = Summary::of(&take);
        assert_eq!(summary.streams[0].instants, 4);
        assert_eq!(summary.time_range, Some(span(0.0, 3.0)));
        assert_eq!(summary.streams[0].bytes, 7 * 12 + 7 * 8);
    }
}
