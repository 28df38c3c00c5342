//! The rows of the shapes that are computed recording by recording.

mod events;
mod findings;
mod info;
mod markers;
mod stats;

use std::collections::BTreeSet;

use inputanim::doctor::{self, Code, Finding};
use inputanim::info::Info;
use inputanim::{CurvePath, Recording, TimeRange};
use inputanim_analysis::{Analysis, Segment};
use inputanim_convert::tables::{Batch, Column, Field};

use crate::error::FileProblem;
use crate::options::Segments;
use crate::trials::TrialTable;

pub(crate) use events::EventRows;
pub use events::EventTable;
pub(crate) use findings::FindingRows;
pub(crate) use info::InfoRows;
pub(crate) use markers::MarkerRows;
pub(crate) use stats::StatsRows;

/// The damage of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    /// The kinds of all damage.
    pub(crate) all: Vec<Code>,
    /// The kinds of findings that change the selected columns.
    pub(crate) affecting: BTreeSet<Code>,
}

impl Damage {
    /// Examines a recording. `is_selected` tells which curves the selected columns need.
    pub(crate) fn of(recording: &Recording<'_>, is_selected: impl Fn(CurvePath) -> bool) -> Damage {
        let findings = doctor::damage(recording, &Info::of(recording));
        let curves = || recording.curves().map(|(path, _)| path);
        let affects =
            |finding: &&Finding| curves().any(|path| is_selected(path) && finding.affects(path));
        let affecting = findings.iter().filter(affects).map(|finding| finding.code);
        Damage {
            affecting: affecting.collect(),
            all: findings.iter().map(|finding| finding.code).collect(),
        }
    }
}

/// Returns the codes of findings, each once, with spaces between them.
pub(crate) fn codes(codes: impl IntoIterator<Item = Code>) -> String {
    let mut codes: Vec<&str> = codes.into_iter().map(Code::id).collect();
    // Equal codes are neighbours, because findings are grouped by code.
    codes.dedup();
    codes.join(" ")
}

/// Returns the selected ones of some fields.
fn selected(fields: Vec<Field>, indices: &[usize]) -> Vec<Field> {
    let chosen = indices.iter().filter_map(|&index| fields.get(index));
    chosen.cloned().collect()
}

/// Returns a batch of the selected columns.
fn batch(rows: usize, indices: &[usize], column: impl Fn(usize) -> Column) -> Batch {
    Batch::new(rows, indices.iter().map(|&index| column(index)).collect())
}

/// Returns whether a time is in the time range of a scan.
fn is_wanted(range: Option<TimeRange>, time: f32) -> bool {
    range.is_none_or(|range| range.contains(time))
}

/// Returns a time or position of an analysis as the double of its digits in single precision, since recordings store
/// them so. Text of tables has these digits.
fn single(number: f64) -> Option<f64> {
    let digits = (number as f32).to_string();
    digits
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Returns a range with its infinite ends closed by those of a recording.
fn closed(time: TimeRange, recording: TimeRange) -> TimeRange {
    TimeRange {
        start: time.start.max(recording.start.min(time.end)),
        end: time.end.min(recording.end.max(time.start)),
    }
}

/// Returns the segments of a recording. `trials` are those of the recording in a trial table.
fn segments_of(
    segments: &Segments,
    analysis: &Analysis,
    trials: &[Segment],
) -> Result<Vec<Segment>, FileProblem> {
    if !matches!(segments, Segments::Trials(_)) {
        return Ok(segments.of(analysis));
    }
    let mut trials = trials.to_vec();
    TrialTable::cut(&mut trials, analysis.range)?;
    Ok(trials)
}

/// Returns the texts of segments, by the index of the column among those of [`Segments::columns`].
fn segment_column<'s>(segments: impl Iterator<Item = &'s Segment>, index: usize) -> Column {
    Column::texts(segments.map(|segment| {
        let Some(index) = index.checked_sub(1) else {
            return Some(segment.name.as_str());
        };
        let text = segment.columns.get(index).map(|(_, text)| text.as_str());
        text.filter(|text| !text.is_empty())
    }))
}
