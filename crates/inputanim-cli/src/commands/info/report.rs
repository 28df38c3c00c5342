//! What `info` says of one file, in a form that programs like.

use std::path::Path;

use inputanim::doctor::{self, Code};
use inputanim::summary::Summary;
use inputanim::{CurvePath, Layout, ParseError, Part, Recovery, Side, Span, Stream};
use inputanim_convert::json::Number;
use serde::{Serialize, Serializer};

use crate::found::{Fault, Found};
use crate::input::Input;
use crate::text;

/// One file. Times are seconds, rates are instants per second.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(super) file: String,
    pub(super) bytes: u64,
    #[serde(serialize_with = "name")]
    pub(super) layout: Layout,
    pub(super) keys: u64,
    pub(super) duration: Number,
    pub(super) time_range: Option<SpanReport>,
    pub(super) flags: FlagsReport,
    pub(super) streams: Vec<StreamReport>,
    pub(super) left: HandReport,
    pub(super) right: HandReport,
    pub(super) markers: Vec<MarkerReport>,
    /// But for L20, which nearly every take has in which a hand was lost and found.
    pub(super) findings: Vec<Found>,
    /// Why the file is not well formed.
    #[serde(serialize_with = "fault")]
    pub(super) error: Option<ParseError>,
    /// What is not there because of it.
    pub(super) missing: Vec<String>,
    /// The same for people.
    #[serde(skip)]
    pub(super) missing_lines: Vec<String>,
    /// The curves among it.
    #[serde(skip)]
    pub(super) unread: Vec<CurvePath>,
    /// In the library's own words, for printing.
    #[serde(skip)]
    pub(super) summary: Summary,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct SpanReport {
    pub(super) start: f32,
    pub(super) end: f32,
}

#[derive(Serialize)]
pub(super) struct FlagsReport {
    camera: bool,
    hand: bool,
    gaze: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamReport {
    stream: &'static str,
    curves: usize,
    recorded_curves: usize,
    recorded_joints: Option<usize>,
    keys: u64,
    instants: usize,
    bytes: u64,
    time_range: Option<SpanReport>,
    rate: Option<f32>,
    longest_gap: Option<SpanReport>,
}

#[derive(Serialize)]
pub(super) struct HandReport {
    pub(super) tracked: Vec<SpanReport>,
    pub(super) pinching: Vec<SpanReport>,
}

#[derive(Serialize)]
pub(super) struct MarkerReport {
    pub(super) time: Number,
    pub(super) name: String,
}

impl From<Span> for SpanReport {
    fn from(span: Span) -> SpanReport {
        SpanReport {
            start: span.start,
            end: span.end,
        }
    }
}

fn name<S: Serializer>(layout: &Layout, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(layout.name())
}

fn fault<S: Serializer>(error: &Option<ParseError>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(Fault::from).serialize(serializer)
}

/// How long spans are together, in seconds.
pub(super) fn total(spans: &[SpanReport]) -> f32 {
    let lengths = spans.iter().map(|span| span.end - span.start);
    // Not `sum`, whose nothing is -0.
    lengths.fold(0.0, |total, length| total + length)
}

impl Report {
    pub(crate) fn of(input: &Input, recovery: &Recovery<'_>) -> Report {
        let recording = &recovery.recording;
        let summary = Summary::of(recording);
        let findings = doctor::examine_recovery(recovery, &summary);
        let spans = |spans: &[Span]| spans.iter().copied().map(SpanReport::from).collect();
        let hand = |side| HandReport {
            tracked: spans(&summary.hand(side).tracked),
            pinching: spans(&summary.hand(side).pinching),
        };
        let streams = summary.streams.iter().map(|stream| StreamReport {
            stream: stream.stream.name(),
            curves: stream.curves,
            recorded_curves: stream.recorded_curves,
            recorded_joints: match stream.stream {
                Stream::Joints(_) => Some(stream.recorded_joints),
                _ => None,
            },
            keys: stream.keys,
            instants: stream.instants,
            bytes: stream.bytes,
            time_range: stream.time_range.map(SpanReport::from),
            rate: stream.rate,
            longest_gap: stream.longest_gap.map(SpanReport::from),
        });
        Report {
            file: input.name().to_owned(),
            bytes: input.len(),
            layout: summary.layout,
            keys: summary.keys,
            duration: Number(summary.duration),
            time_range: summary.time_range.map(SpanReport::from),
            flags: FlagsReport {
                camera: summary.flags.camera,
                hand: summary.flags.hand,
                gaze: summary.flags.gaze,
            },
            streams: streams.collect(),
            left: hand(Side::Left),
            right: hand(Side::Right),
            markers: recording
                .markers
                .iter()
                .map(|marker| MarkerReport {
                    time: Number(marker.time),
                    name: marker.name.clone().into_owned(),
                })
                .collect(),
            findings: findings
                .iter()
                .filter(|finding| finding.code != Code::GapCrossed)
                .map(Found::from)
                .collect(),
            error: recovery.error.clone(),
            missing: recovery.missing.iter().map(ToString::to_string).collect(),
            missing_lines: text::missing(&recovery.missing),
            unread: recovery
                .missing
                .iter()
                .filter_map(|missing| match missing.part {
                    Part::Curve(path) => Some(path),
                    _ => None,
                })
                .collect(),
            summary,
        }
    }

    /// The codes of the findings, each once, what matters most first.
    pub(super) fn codes(&self) -> String {
        let mut codes: Vec<&str> = self.findings.iter().map(|finding| finding.code).collect();
        codes.dedup();
        codes.join(" ")
    }

    /// The file in one row of a table.
    pub(crate) fn row(&self) -> Row<'_> {
        let keys = |stream| self.summary.stream(stream).map(|stream| stream.keys);
        let rate = |stream| self.summary.stream(stream).and_then(|stream| stream.rate);
        let gap = |stream| {
            let gap = self.summary.stream(stream)?.longest_gap?;
            Some(gap.length())
        };
        let tracked = |hand: &HandReport| self.summary.flags.hand.then(|| total(&hand.tracked));
        let pinches = |hand: &HandReport| self.summary.flags.hand.then_some(hand.pinching.len());
        let (left, right) = (Stream::Joints(Side::Left), Stream::Joints(Side::Right));
        Row {
            file: &self.file,
            well_formed: self.error.is_none(),
            layout: Some(self.layout.name()),
            bytes: Some(self.bytes),
            keys: Some(self.keys),
            duration_s: Some(self.duration.0),
            start_s: self.time_range.map(|range| range.start),
            end_s: self.time_range.map(|range| range.end),
            camera_keys: keys(Stream::Camera),
            camera_per_s: rate(Stream::Camera),
            camera_gap_s: gap(Stream::Camera),
            left_joint_keys: keys(left),
            left_joints_per_s: rate(left),
            left_joints_gap_s: gap(left),
            left_tracked_s: tracked(&self.left),
            left_pinches: pinches(&self.left),
            right_joint_keys: keys(right),
            right_joints_per_s: rate(right),
            right_joints_gap_s: gap(right),
            right_tracked_s: tracked(&self.right),
            right_pinches: pinches(&self.right),
            gaze_keys: keys(Stream::Gaze),
            gaze_per_s: rate(Stream::Gaze),
            gaze_gap_s: gap(Stream::Gaze),
            markers: Some(self.markers.len()),
            findings: self.codes(),
            missing_parts: self.missing.len(),
            error: self.error.as_ref().map(ToString::to_string),
        }
    }
}

/// A file of which nothing can be shown.
#[derive(Serialize)]
pub(crate) struct Unreadable {
    file: String,
    error: Fault,
}

impl Unreadable {
    pub(crate) fn new(path: &Path, error: &anyhow::Error) -> Unreadable {
        Unreadable {
            file: path.display().to_string(),
            error: Fault::from(error),
        }
    }

    pub(crate) fn row(&self) -> Row<'_> {
        Row {
            file: &self.file,
            error: Some(self.error.message.clone()),
            ..Row::default()
        }
    }
}

/// One file as a row; a stream that is not there is empty, one without keys 0.
#[derive(Default, Serialize)]
pub(crate) struct Row<'r> {
    file: &'r str,
    well_formed: bool,
    layout: Option<&'static str>,
    bytes: Option<u64>,
    keys: Option<u64>,
    duration_s: Option<f32>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    camera_keys: Option<u64>,
    camera_per_s: Option<f32>,
    camera_gap_s: Option<f32>,
    left_joint_keys: Option<u64>,
    left_joints_per_s: Option<f32>,
    left_joints_gap_s: Option<f32>,
    left_tracked_s: Option<f32>,
    left_pinches: Option<usize>,
    right_joint_keys: Option<u64>,
    right_joints_per_s: Option<f32>,
    right_joints_gap_s: Option<f32>,
    right_tracked_s: Option<f32>,
    right_pinches: Option<usize>,
    gaze_keys: Option<u64>,
    gaze_per_s: Option<f32>,
    gaze_gap_s: Option<f32>,
    markers: Option<usize>,
    findings: String,
    missing_parts: usize,
    error: Option<String>,
}
