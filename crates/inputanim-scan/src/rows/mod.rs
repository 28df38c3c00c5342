//! The rows of the shapes that are computed recording by recording.

mod events;
mod info;
mod lists;
mod stats;

use inputanim::doctor::{self, Code, Finding};
use inputanim::{CurvePath, Recording, RelativeTimeRange, TimeRange};
use inputanim_analysis::{Analysis, Segment};
use inputanim_convert::tables::{Batch, Column, Field};

use crate::error::FileProblem;
use crate::notice::Notice;
use crate::segments::Segments;
use crate::trials::TrialTable;

pub(crate) use events::EventRows;
pub use events::property_column;
pub use info::FileFacts;
pub(crate) use info::InfoRows;
pub(crate) use lists::{List, ListRows};
pub(crate) use stats::StatsRows;

/// The damage of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    /// The codes of all findings that change values.
    pub(crate) all: Vec<Code>,
    /// The findings because of which values of the selected columns are wrong or unknown.
    pub(crate) affecting: Vec<Finding>,
}

impl Damage {
    /// Examines a recording. `is_selected` tells which curves the selected columns need.
    pub(crate) fn of(recording: &Recording<'_>, is_selected: impl Fn(CurvePath) -> bool) -> Damage {
        let mut findings = doctor::damage(recording, |_| true);
        let all = findings.iter().map(|finding| finding.code).collect();
        findings.retain(|finding| finding.concerns(recording, &is_selected));
        Damage {
            all,
            affecting: findings,
        }
    }

    /// Returns the damage of an analysed recording. `is_affecting` tells which codes change the selected columns.
    fn of_analysis(analysis: &Analysis, is_affecting: impl Fn(Code) -> bool) -> Damage {
        let all = analysis.quality.findings.iter();
        let affecting = analysis.quality.used_findings();
        let affecting = affecting.filter(|finding| is_affecting(finding.code));
        Damage {
            all: all.map(|finding| finding.code).collect(),
            affecting: affecting.cloned().collect(),
        }
    }
}

/// The rows of a recording, with its damage, warnings and notes.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    pub(crate) rows: Batch,
    pub(crate) damage: Damage,
    pub(crate) notices: Vec<Notice>,
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

/// Returns the part of a recording that a scan selects; `None` if the scan has no time range. Adds a notice if the time
/// range exceeds the recording.
pub(crate) fn limited(
    time: Option<RelativeTimeRange>,
    recording: &Recording<'_>,
    notices: &mut Vec<Notice>,
) -> Result<Option<TimeRange>, FileProblem> {
    let Some(range) = time else {
        return Ok(None);
    };
    let limited = range.within(recording)?;
    notices.extend(limited.exceeds.map(|used| Notice::TimeExceeds { used }));
    Ok(Some(limited.range))
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

/// The selection of a scan: segments of recordings, or a time range.
#[derive(Clone, Debug)]
struct Selection {
    time: Option<RelativeTimeRange>,
    segments: Segments,
}

impl Selection {
    /// Returns `true` if complete recordings are selected.
    fn are_complete(&self) -> bool {
        self.time.is_none() && self.segments == Segments::Recording
    }

    /// Returns the segments of a recording. `trials` are the trials of the recording, if there is a trial table.
    fn of(
        &self,
        recording: &Recording<'_>,
        analysis: &Analysis,
        trials: &[Segment],
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Segment>, FileProblem> {
        if let Some(range) = limited(self.time, recording, notices)? {
            return Ok(vec![Segment::new("", range.closed_by(analysis.range))]);
        }
        if !matches!(self.segments, Segments::Trials(_)) {
            return Ok(self.segments.of(analysis)?);
        }
        let mut trials = trials.to_vec();
        let longer = TrialTable::cut(&mut trials, analysis.range)?;
        notices.extend(longer.map(Notice::TrialsExceed));
        Ok(trials)
    }
}

/// Returns a column of strings of segments, by the index of the column in [`Segments::columns`].
fn segment_column<'s>(segments: impl Iterator<Item = &'s Segment>, index: usize) -> Column {
    Column::texts(segments.map(|segment| {
        let Some(index) = index.checked_sub(1) else {
            return Some(segment.name.as_str());
        };
        let text = segment.columns.get(index).map(|(_, text)| text.as_str());
        text.filter(|text| !text.is_empty())
    }))
}
