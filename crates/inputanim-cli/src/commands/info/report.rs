//! The result of `info` for one file: as JSON and as a row of CSV.

use std::path::Path;

use inputanim::doctor::{self, Code, Finding};
use inputanim::info::Info;
use inputanim::{
    CurvePath, DamagedPart, FilePart, Layout, Marker, RecoveredRecording, Side, Stream,
};
use serde::Serialize;

use crate::findings::{self, FileError};
use crate::input::Input;
use crate::text::portable;

/// One file. Times are seconds, rates are instants per second.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(super) file: String,
    /// The size of the file; a summary has the size in the recording's own layout.
    pub(super) bytes: u64,
    pub(crate) info: Info,
    pub(super) markers: Vec<Marker<'static>>,
    /// All findings except L20, which nearly every recording has in which tracking was lost.
    pub(super) findings: Vec<Finding>,
    /// The reason why the file is not well formed.
    pub(super) error: Option<FileError>,
    /// The parts that are missing because of the error.
    pub(super) missing: Vec<DamagedPart>,
}

impl Report {
    pub(crate) fn new(input: &Input, recovery: &RecoveredRecording<'_>) -> Report {
        let recording = &recovery.recording;
        let info = Info::of(recording);
        let mut findings = doctor::examine_recovery(recovery, &info);
        findings.retain(|finding| finding.code != Code::GapInterpolated);
        let markers = recording.markers.iter().cloned();
        let error = recovery.error.as_ref();
        Report {
            file: portable(Path::new(input.name())),
            bytes: input.len(),
            info,
            markers: markers.map(Marker::into_owned).collect(),
            findings,
            error: error.map(|error| FileError::malformed(error, Path::new(input.name()))),
            missing: recovery.damaged.clone(),
        }
    }

    /// Returns the codes of the findings, each once.
    pub(super) fn codes(&self) -> String {
        findings::codes(&self.findings)
    }

    /// Returns whether a curve is missing in a damaged file.
    pub(super) fn is_missing(&self, path: CurvePath) -> bool {
        let mut missing = self.missing.iter();
        missing.any(|missing| missing.part == FilePart::Curve(path))
    }

    /// Returns the file as a row of CSV.
    pub(crate) fn row(&self) -> Row<'_> {
        let info = &self.info;
        let keys = |stream| info.stream(stream).map(|stream| stream.keys);
        let rate = |stream| info.stream(stream).and_then(|stream| stream.rate);
        let gap = |stream| Some(info.stream(stream)?.longest_gap?.length());
        let tracked = |side| {
            let hand = info.hand(side);
            info.flags.hand.then(|| total(&hand.tracked))
        };
        let pinches = |side| {
            let hand = info.hand(side);
            info.flags.hand.then_some(hand.pinching.len())
        };
        let (left, right) = (Stream::Joints(Side::Left), Stream::Joints(Side::Right));
        Row {
            file: &self.file,
            well_formed: self.error.is_none(),
            layout: Some(info.layout),
            bytes: Some(self.bytes),
            keys: Some(info.keys),
            duration_s: Some(info.duration),
            start_s: info.time_range.map(|range| range.start),
            end_s: info.time_range.map(|range| range.end),
            head_keys: keys(Stream::Head),
            head_per_s: rate(Stream::Head),
            head_gap_s: gap(Stream::Head),
            left_joint_keys: keys(left),
            left_joints_per_s: rate(left),
            left_joints_gap_s: gap(left),
            left_tracked_s: tracked(Side::Left),
            left_pinches: pinches(Side::Left),
            right_joint_keys: keys(right),
            right_joints_per_s: rate(right),
            right_joints_gap_s: gap(right),
            right_tracked_s: tracked(Side::Right),
            right_pinches: pinches(Side::Right),
            gaze_keys: keys(Stream::Gaze),
            gaze_per_s: rate(Stream::Gaze),
            gaze_gap_s: gap(Stream::Gaze),
            markers: Some(self.markers.len()),
            findings: self.codes(),
            missing_parts: self.missing.len(),
            error: self.error.as_ref().map(FileError::message),
        }
    }
}

/// Returns the length of some time ranges together, in seconds.
pub(super) fn total(ranges: &[inputanim::TimeRange]) -> f32 {
    // `sum` of no values is -0, which would be printed with its sign.
    ranges
        .iter()
        .fold(0.0, |total, range| total + range.length())
}

/// A file that cannot be read.
#[derive(Serialize)]
pub(crate) struct Unreadable {
    file: String,
    // The members of `Report`, so that programs find the same ones in every report.
    bytes: (),
    info: (),
    markers: [(); 0],
    findings: [(); 0],
    error: FileError,
    missing: [(); 0],
}

impl Unreadable {
    pub(crate) fn new(path: &Path, error: &anyhow::Error) -> Unreadable {
        Unreadable {
            file: portable(path),
            bytes: (),
            info: (),
            markers: [],
            findings: [],
            error: FileError::new(error, path),
            missing: [],
        }
    }

    pub(crate) fn row(&self) -> Row<'_> {
        Row {
            file: &self.file,
            error: Some(self.error.message()),
            ..Row::default()
        }
    }
}

/// A row of CSV. Cells of a stream that is absent are empty.
#[derive(Default, Serialize)]
pub(crate) struct Row<'r> {
    file: &'r str,
    well_formed: bool,
    layout: Option<Layout>,
    bytes: Option<u64>,
    keys: Option<u64>,
    duration_s: Option<f32>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    head_keys: Option<u64>,
    head_per_s: Option<f32>,
    head_gap_s: Option<f32>,
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
