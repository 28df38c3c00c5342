//! The rows of the shapes that are computed recording by recording.

#[cfg(feature = "catalog")]
pub(crate) mod catalog;
mod events;
mod info;
mod lists;
mod stats;

use inputanim::doctor::{self, Code, Finding};
use inputanim::{CurvePath, Recording, RelativeTimeRange, TimeRange};
use inputanim_analysis::{Analysis, Segment};
use inputanim_convert::tables::{Batch, Column, Field};

use crate::epochs::RowSegments;
use crate::error::FileProblem;
use crate::notice::Notice;
use crate::segments::Segments;
use crate::trials::TrialTable;

pub(crate) use events::EventRows;
pub use info::FileFacts;
pub(crate) use info::InfoRows;
pub(crate) use lists::{List, ListRows};
pub(crate) use stats::StatsRows;

/// The damage of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    /// All findings that change values.
    pub(crate) all: Vec<Finding>,
    /// The findings because of which values of the selected columns are wrong or unknown.
    pub(crate) affecting: Vec<Finding>,
}

impl Damage {
    /// Finds the damage of a recording. `is_selected` returns `true` for the curves that the selected columns need.
    /// Only findings about these curves count as affecting.
    pub(crate) fn of(recording: &Recording<'_>, is_selected: impl Fn(CurvePath) -> bool) -> Damage {
        let all = doctor::damage(recording, |_| true);
        let affecting = all.iter();
        let affecting = affecting.filter(|finding| finding.concerns(recording, &is_selected));
        Damage {
            affecting: affecting.cloned().collect(),
            all,
        }
    }

    /// Returns the damage of an analysed recording. `is_affecting` returns `true` for the codes of damage that changes
    /// the selected columns.
    fn of_analysis(analysis: &Analysis, is_affecting: impl Fn(Code) -> bool) -> Damage {
        let affecting = analysis.quality.used_findings();
        let affecting = affecting.filter(|finding| is_affecting(finding.code));
        Damage {
            all: analysis.quality.findings.clone(),
            affecting: affecting.cloned().collect(),
        }
    }
}

/// The rows of a recording, with its damage, warnings and notes.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    pub(crate) rows: Batch,
    /// The segments of the rows, if the shape has no columns of its own for them.
    pub(crate) segments: Option<RowSegments>,
    pub(crate) damage: Damage,
    pub(crate) notices: Vec<Notice>,
}

/// Returns the fields with the given indices, in their order.
fn selected(fields: Vec<Field>, indices: &[usize]) -> Vec<Field> {
    let chosen = indices.iter().filter_map(|&index| fields.get(index));
    chosen.cloned().collect()
}

/// Returns a batch with a number of rows, and with the column that `column` returns for each of the indices.
fn batch(rows: usize, indices: &[usize], column: impl Fn(usize) -> Column) -> Batch {
    Batch::new(rows, indices.iter().map(|&index| column(index)).collect())
}

/// Returns the part of the time range of a scan that is in a recording; `None` if the scan has no time range. Adds a
/// notice if the time range exceeds the recording. Fails if they have no time in common.
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

/// The selection of a scan: segments of recordings, or a time range.
#[derive(Clone, Debug)]
struct Selection {
    time: Option<RelativeTimeRange>,
    segments: Segments,
}

impl Selection {
    /// Returns `true` if complete recordings are selected, without a time range or segments.
    fn are_complete(&self) -> bool {
        self.time.is_none() && self.segments == Segments::Recording
    }

    /// Returns the selected segments of a recording, and adds notices about them. A time range is one segment without a
    /// name. `trials` are the trials of the recording, if there is a trial table. Fails if the recording lacks the
    /// segments, or if one is outside of it.
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
            let found = self.segments.of(analysis)?;
            notices.extend(self.segments.notice(analysis, found.len()));
            return Ok(found);
        }
        let mut trials = trials.to_vec();
        let longer = TrialTable::cut(&mut trials, analysis.range)?;
        notices.extend(longer.map(Notice::TrialsExceed));
        Ok(trials)
    }
}

/// Returns the text of a column for each of the segments. `index` is the index of the column in [`Segments::columns`].
fn segment_column<'s>(segments: impl Iterator<Item = &'s Segment>, index: usize) -> Column {
    Column::texts(segments.map(|segment| {
        let Some(index) = index.checked_sub(1) else {
            return Some(segment.name.as_str());
        };
        let text = segment.columns.get(index).map(|(_, text)| text.as_str());
        text.filter(|text| !text.is_empty())
    }))
}
