//! The rows of the shapes that are computed recording by recording.

mod events;
mod findings;
mod info;
mod markers;
mod stats;

use inputanim::TimeRange;
use inputanim_convert::tables::{Batch, Column, Field};

pub(crate) use events::EventRows;
pub use events::EventTable;
pub(crate) use findings::FindingRows;
pub(crate) use info::InfoRows;
pub(crate) use markers::MarkerRows;
pub(crate) use stats::StatsRows;

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
