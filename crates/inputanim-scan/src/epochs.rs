//! The segments of a recording whose rows are listed, and the times of their rows.
//!
//! Method: a segment has a time 0, which is the start or the end of an event, or the start of a segment between markers
//! or of a trial. At a rate, its rows are at 0 + k / rate for all integers k of the segment, computed from k in double
//! precision and rounded once. Segments whose two ends are relative to one time 0 therefore have the same number of
//! rows, also at the ends of a recording, where the rows have unknown values.

use std::ops::Range;
use std::sync::Arc;

use inputanim::doctor::{Code, Finding};
use inputanim::names::CurveChoice;
use inputanim::{CurvePath, Limits, Recording, Sampler, Space, TimeRange};
use inputanim_analysis::Segment;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{
    Batch, Column, DataType, Field, Instants, TableColumns, TextRun, Values,
};
use inputanim_convert::{SampleError, Sampling, TableShape, check_duration, check_times};

use crate::options::ScanOptions;
use crate::segments::Segments;
use crate::shape::Shape;

/// A segment of a recording.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Epoch {
    /// The name and the columns of the segment.
    pub(crate) texts: Vec<Option<Arc<str>>>,
    /// Time 0 of the segment, as a time of the recording.
    pub(crate) zero: f32,
    /// The start in seconds after time 0.
    pub(crate) first: f64,
    pub(crate) last: EpochEnd,
}

/// The end of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EpochEnd {
    /// Seconds after time 0.
    After(f64),
    /// A time of the recording.
    At(f32),
}

impl Epoch {
    /// Returns a segment whose time 0 is its start.
    pub(crate) fn of(segment: &Segment) -> Epoch {
        Epoch {
            texts: texts(segment),
            zero: segment.range.start,
            first: 0.0,
            last: EpochEnd::At(segment.range.end),
        }
    }

    fn start(&self) -> f64 {
        f64::from(self.zero) + self.first
    }

    fn end(&self) -> f64 {
        match self.last {
            EpochEnd::After(seconds) => f64::from(self.zero) + seconds,
            EpochEnd::At(time) => time.into(),
        }
    }

    /// Returns the times of the segment. They may be outside of the recording.
    pub(crate) fn range(&self) -> TimeRange {
        TimeRange {
            start: self.start() as f32,
            end: self.end() as f32,
        }
    }

    /// Returns the times of the rows at a rate, in seconds after time 0.
    pub(crate) fn times(&self, rate: f64) -> impl Iterator<Item = f64> {
        self.steps(rate).map(move |step| step as f64 / rate)
    }

    /// Returns the integers k for which time 0 + k / `rate` is in the segment.
    fn steps(&self, rate: f64) -> Range<i64> {
        let offset = |step: i64| step as f64 / rate;
        // The product and the quotient may be rounded differently.
        let near = |seconds: f64| {
            let nearest = (seconds * rate).round() as i64;
            nearest.saturating_sub(1)..=nearest.saturating_add(1)
        };
        let first = near(self.first).find(|&step| offset(step) >= self.first);
        let zero = f64::from(self.zero);
        let last = match self.last {
            EpochEnd::After(seconds) => near(seconds).rfind(|&step| offset(step) <= seconds),
            EpochEnd::At(end) => {
                // As `TimeRange::times_at` does: the rounded time may be the end.
                let length = f64::from(end) - zero;
                let is_inside = |step: i64| {
                    let offset = offset(step);
                    offset <= length + 0.5 / rate && (zero + offset) as f32 <= end
                };
                near(length).rfind(|&step| is_inside(step))
            }
        };
        let first = first.unwrap_or_default();
        let end = last.map_or(first, |last| last.saturating_add(1));
        first..end.max(first)
    }
}

/// Returns the part of a segment in percent at one of the points from its start to its end.
pub(crate) fn percent(point: usize, points: usize) -> f64 {
    (100 * point) as f64 / (points - 1) as f64
}

/// Returns the name of a segment, and the texts of its columns. Empty texts of columns are missing.
fn texts(segment: &Segment) -> Vec<Option<Arc<str>>> {
    let columns = segment.columns.iter();
    let columns = columns.map(|(_, text)| (!text.is_empty()).then(|| text.as_str().into()));
    std::iter::once(Some(segment.name.as_str().into()))
        .chain(columns)
        .collect()
}

/// The segments of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Epochs {
    pub(crate) all: Vec<Epoch>,
    /// The codes of the damage in each segment.
    pub(crate) damage: Vec<Option<Arc<str>>>,
    /// The time range of the recording, outside of which nothing is known; `None` without keys.
    pub(crate) known: Option<TimeRange>,
}

impl Epochs {
    /// Sets the damage of each segment to the codes of those findings that are in it at least in part. A finding
    /// without a time is in all segments.
    pub(crate) fn set_damage(&mut self, findings: &[Finding]) {
        let damage = self.all.iter().map(|epoch| {
            let range = epoch.range();
            let touches = |finding: &&Finding| {
                let mut ranges = finding.ranges.iter();
                finding.ranges.is_empty() || ranges.any(|found| found.intersection(range).is_some())
            };
            let codes = findings.iter().filter(touches).map(|finding| finding.code);
            let codes = Code::list(codes);
            (!codes.is_empty()).then(|| codes.into())
        });
        self.damage = damage.collect();
    }

    /// Returns `true` if the recording can have values at a time.
    pub(crate) fn is_known(&self, time: f32) -> bool {
        self.known.is_some_and(|known| known.contains(time))
    }
}

/// The rows of the segments of a recording in a wide or tidy table.
#[derive(Clone, Debug)]
pub(crate) struct EpochRows {
    pub(crate) epochs: Arc<Epochs>,
    pub(crate) instants: Instants,
    /// The index of the first row of each segment, and the number of all rows.
    starts: Vec<usize>,
    times: EpochTimes,
}

/// The times of the rows of a segment.
#[derive(Clone, Copy, Debug)]
enum EpochTimes {
    Rate(f64),
    /// A number of points from the start to the end.
    Points(usize),
    Keys,
}

impl EpochRows {
    /// Returns the rows of segments. Fails if a selected curve cannot be sampled, or if there are too many rows.
    pub(crate) fn new(
        epochs: Arc<Epochs>,
        recording: &Recording<'_>,
        options: &ScanOptions,
        bytes: u64,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<EpochRows, SampleError> {
        let times = match (options.points, options.sampling) {
            (Some(points), _) => EpochTimes::Points(points),
            (None, Sampling::Rate(rate)) => EpochTimes::Rate(rate),
            (None, _) => EpochTimes::Keys,
        };
        check_rows(&epochs.all, times, recording, &options.limits, bytes)?;
        let keys = match times {
            EpochTimes::Keys => recording.key_times(|_| true),
            _ => Vec::new(),
        };
        let mut starts = vec![0];
        let mut all = Vec::new();
        for epoch in &epochs.all {
            match times {
                EpochTimes::Rate(rate) => {
                    let zero = f64::from(epoch.zero);
                    let steps = epoch.steps(rate);
                    all.extend(steps.map(|step| (zero + step as f64 / rate) as f32));
                }
                EpochTimes::Points(points) => {
                    let (start, end) = (epoch.start(), epoch.end());
                    let time = |point: usize| {
                        if point + 1 == points {
                            end
                        } else {
                            start + (end - start) * (point as f64 / (points - 1) as f64)
                        }
                    };
                    all.extend((0..points).map(|point| time(point) as f32));
                }
                EpochTimes::Keys => {
                    let TimeRange { start, end } = epoch.range();
                    let first = keys.partition_point(|&key| key < start);
                    let last = keys.partition_point(|&key| key <= end);
                    all.extend(keys.get(first..last).into_iter().flatten());
                    check_times(recording, all.len() as f64, &options.limits)?;
                }
            }
            starts.push(all.len());
        }
        Ok(EpochRows {
            epochs,
            instants: Instants::at(recording, all, keep)?,
            starts,
            times,
        })
    }

    /// Returns the segments of some rows.
    pub(crate) fn labels(&self, rows: Range<usize>) -> RowSegments {
        let mut labels = RowSegments::new(Arc::clone(&self.epochs));
        let times = self.instants.times(rows.clone());
        for (index, epoch) in self.epochs.all.iter().enumerate() {
            let (start, end) = (self.starts[index], self.starts[index + 1]);
            let found = start.max(rows.start)..end.min(rows.end);
            if found.is_empty() {
                continue;
            }
            let first = match self.times {
                EpochTimes::Rate(rate) => epoch.steps(rate).start,
                EpochTimes::Points(_) | EpochTimes::Keys => 0,
            };
            for row in found {
                let time = f64::from(times[row - rows.start]);
                let row = row - start;
                let relative = match self.times {
                    EpochTimes::Rate(rate) => (first + row as i64) as f64 / rate,
                    EpochTimes::Points(points) => percent(row, points),
                    EpochTimes::Keys => time - f64::from(epoch.zero),
                };
                labels.push(index, 1, Some(relative));
            }
        }
        labels
    }
}

/// Fails if segments would have too many rows, or if one is longer than a recording may be.
fn check_rows(
    epochs: &[Epoch],
    times: EpochTimes,
    recording: &Recording<'_>,
    limits: &Limits,
    bytes: u64,
) -> Result<(), SampleError> {
    let mut rows = 0.0;
    let for_rate = limits.for_rate_of_bytes(bytes);
    for epoch in epochs {
        let seconds = epoch.end() - epoch.start();
        rows += match times {
            EpochTimes::Rate(rate) => {
                check_duration(recording, seconds as f32, rate, &for_rate)?;
                seconds * rate + 1.0
            }
            EpochTimes::Points(points) if seconds.is_finite() => points as f64,
            EpochTimes::Points(_) => f64::INFINITY,
            EpochTimes::Keys => 0.0,
        };
    }
    check_times(recording, rows, limits)
}

/// The segments of some rows.
#[derive(Clone, Debug)]
pub(crate) struct RowSegments {
    epochs: Arc<Epochs>,
    /// Neighbouring rows of one segment: its index, and their number.
    runs: Vec<(usize, usize)>,
    /// The times of the rows after time 0 of their segment, or the percentages of the segment.
    relative: Vec<Option<f64>>,
}

impl RowSegments {
    pub(crate) fn new(epochs: Arc<Epochs>) -> RowSegments {
        RowSegments {
            epochs,
            runs: Vec::new(),
            relative: Vec::new(),
        }
    }

    /// Adds rows of the segment with an index. They have the same time relative to it.
    pub(crate) fn push(&mut self, index: usize, rows: usize, relative: Option<f64>) {
        match self.runs.last_mut() {
            Some((last, count)) if *last == index => *count += rows,
            _ => self.runs.push((index, rows)),
        }
        self.relative.extend(std::iter::repeat_n(relative, rows));
    }

    /// Adds rows of the segment with an index, at times of the recording.
    pub(crate) fn push_times(&mut self, index: usize, times: impl Iterator<Item = Option<f32>>) {
        let zero = f64::from(self.epochs.all[index].zero);
        for time in times {
            self.push(index, 1, time.map(|time| f64::from(time) - zero));
        }
    }

    /// Returns the same segments with other numbers of rows: `counts` replaces each row by this number of rows.
    pub(crate) fn repeated(&self, counts: &[usize]) -> RowSegments {
        let mut repeated = RowSegments::new(Arc::clone(&self.epochs));
        let runs = self.runs.iter();
        let indices = runs.flat_map(|&(index, rows)| std::iter::repeat_n(index, rows));
        for ((index, relative), &count) in indices.zip(&self.relative).zip(counts) {
            repeated.push(index, count, *relative);
        }
        repeated
    }

    pub(crate) fn column(&self, column: SegmentColumn) -> Column {
        let text = |text: &dyn Fn(usize) -> Option<Arc<str>>| {
            let runs = self.runs.iter().map(|&(index, rows)| TextRun {
                text: text(index),
                rows,
            });
            Column::new(Values::Text(runs.collect()))
        };
        let runs = || {
            let runs = self.runs.iter();
            runs.flat_map(|&(index, rows)| std::iter::repeat_n(index, rows))
        };
        let all = &self.epochs.all;
        match column {
            SegmentColumn::Text(column) => text(&|index| all[index].texts.get(column).cloned()?),
            SegmentColumn::Damage => text(&|index| self.epochs.damage.get(index).cloned()?),
            SegmentColumn::Index => Column::longs(runs().map(|index| Some(index as i64))),
            SegmentColumn::Zero => Column::floats(runs().map(|index| Some(all[index].zero))),
            SegmentColumn::Relative => Column::doubles(self.relative.iter().copied()),
        }
    }
}

/// Returns some rows of segments in a wide or tidy table, and the segments of these rows. Outside of the recording, wide
/// rows have unknown values, and there are no tidy rows.
pub(crate) fn sampled_epochs(
    columns: &TableColumns,
    planned: &EpochRows,
    sampler: &Sampler,
    rows: Range<usize>,
    options: &ScanOptions,
) -> (Batch, Option<RowSegments>) {
    let mut times = planned.instants.times(rows.clone());
    let labels = planned.labels(rows);
    let known = times.iter().map(|&time| planned.epochs.is_known(time));
    let known: Vec<bool> = known.collect();
    if options.shape != Shape::Tidy {
        let mut batch = columns.sample(sampler, times).batch;
        hide(&mut batch, columns, known);
        return (batch, Some(labels));
    }
    times.retain(|&time| planned.epochs.is_known(time));
    let sampled = columns.sample(sampler, times);
    let mut rows_at = sampled.rows_at.iter().copied();
    let mut count = |&is_known: &bool| if is_known { rows_at.next() } else { None };
    let counts = known.iter().map(|known| count(known).unwrap_or_default());
    let counts: Vec<usize> = counts.collect();
    (sampled.batch, Some(labels.repeated(&counts)))
}

/// Makes the values of a wide table unknown in the rows that are not in `known`. Times stay.
fn hide(batch: &mut Batch, columns: &TableColumns, known: Vec<bool>) {
    if known.iter().all(|&is_known| is_known) {
        return;
    }
    let known = Arc::new(known);
    // Neighbouring columns share their validity.
    let mut last: Option<[Arc<Vec<bool>>; 2]> = None;
    let hidden = batch.columns.iter_mut().zip(columns.fields());
    for (column, _) in hidden.filter(|(_, field)| field.is_nullable) {
        if matches!(column.values, Values::Missing(_)) {
            continue;
        }
        // A text that is missing has no validity.
        if let Values::Text(runs) = &column.values {
            let rows = runs.iter();
            let rows = rows.flat_map(|run| std::iter::repeat_n(&run.text, run.rows));
            let texts = rows.zip(known.iter());
            column.values =
                Values::texts(texts.map(|(text, known)| text.clone().filter(|_| *known)));
            continue;
        }
        column.valid = Some(match (&column.valid, &last) {
            (None, _) => Arc::clone(&known),
            (Some(valid), Some([before, joined])) if Arc::ptr_eq(valid, before) => {
                Arc::clone(joined)
            }
            (Some(valid), _) => {
                let both = valid.iter().zip(known.iter());
                let joined = Arc::new(both.map(|(a, b)| *a && *b).collect());
                last = Some([Arc::clone(valid), Arc::clone(&joined)]);
                joined
            }
        });
    }
}

/// Returns some rows of segments in a table of keys, and the segments of these rows. `rows` counts the rows of the
/// recording, of which there are `all`, once for each segment.
pub(crate) fn keys_of_epochs(
    columns: &TableColumns,
    epochs: &Arc<Epochs>,
    recording: &Recording<'_>,
    rows: Range<usize>,
    all: usize,
    curves: Option<&CurveChoice>,
) -> (Batch, Option<RowSegments>) {
    let time = TableColumns::new(TableShape::Keys, &Columns::default(), Space::Unity);
    let time = time.select(&Vec::from_iter(time.position("time_s")));
    let (mut batch, mut segments) = (Batch::default(), RowSegments::new(Arc::clone(epochs)));
    let mut row = rows.start;
    while row < rows.end {
        let index = row / all;
        let Some(epoch) = epochs.all.get(index) else {
            break;
        };
        let first = index * all;
        let end = rows.end.min(first + all);
        let keys = row - first..end - first;
        let range = epoch.range();
        let times = time.keys_of_segment(recording, keys.clone(), range, curves);
        if let Some(Values::Float32(times)) = times.columns.first().map(|times| &times.values) {
            segments.push_times(index, times.iter().copied().map(Some));
        }
        let found = columns.keys_of_segment(recording, keys, range, curves);
        batch.append(found, columns.fields());
        row = end;
    }
    (batch, Some(segments))
}

/// A column that describes the segment of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentColumn {
    /// The name of the segment, or one of its other texts.
    Text(usize),
    Index,
    Zero,
    Damage,
    /// The time or the percentage in the segment.
    Relative,
}

impl SegmentColumn {
    /// Returns the columns that describe the segments of rows; none for shapes that have columns of their own, and
    /// without segments.
    pub(crate) fn all(options: &ScanOptions) -> Vec<(SegmentColumn, Field)> {
        if options.shape.is_analysed() || !options.has_epochs() {
            return Vec::new();
        }
        let mut columns = Vec::new();
        let number = |name, data_type, unit, meaning| {
            Field::new(name, data_type, meaning)
                .with_unit(unit)
                .required()
        };
        if options.segments != Segments::Recording {
            let texts = options.segments.columns().into_iter().enumerate();
            columns.extend(texts.map(|(index, (name, meaning))| {
                let field = Field::new(name, DataType::Text, meaning);
                (SegmentColumn::Text(index), field)
            }));
            let meaning = "Index of the segment in its recording, from 0.";
            let field = number("segment_index", DataType::Int64, "1", meaning);
            columns.push((SegmentColumn::Index, field));
            let meaning = "Time of the recording at which `segment_time_s` is 0.";
            let field = number("segment_zero_s", DataType::Float32, "s", meaning);
            columns.push((SegmentColumn::Zero, field));
            let is_sampled = matches!(options.shape, Shape::Wide | Shape::Tidy);
            if is_sampled {
                let meaning =
                    "Codes of the damage in the time of the segment; missing without damage.";
                let field = Field::new("segment_damage", DataType::Text, meaning);
                columns.push((SegmentColumn::Damage, field));
            }
        }
        if options.points.is_some() {
            let meaning = "Part of the segment: 0 at its start, 100 at its end.";
            let field = number("segment_percent", DataType::Float64, "%", meaning);
            columns.push((SegmentColumn::Relative, field));
        } else if !matches!(options.shape, Shape::Curves | Shape::States) {
            let meaning = "Time after `segment_zero_s`.";
            let mut field = number("segment_time_s", DataType::Float64, "s", meaning);
            // Rows of keys may have no time.
            field.is_nullable = options.shape == Shape::Keys;
            columns.push((SegmentColumn::Relative, field));
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(zero: f32, first: f64, last: EpochEnd) -> Epoch {
        Epoch {
            texts: Vec::new(),
            zero,
            first,
            last,
        }
    }

    #[test]
    fn a_window_has_the_same_steps_around_any_event() {
        for rate in [30.0, 59.94, 60.0, 72.0, 90.0, 120.0, 1000.0] {
            for count in 0..2000_i64 {
                // These numbers of seconds are steps of the rate, so that both ends are rows.
                let (first, last) = (-(count as f64) / rate, count as f64 / rate);
                for zero in [0.0, 0.1, 1234.567_f32] {
                    let steps = epoch(zero, first, EpochEnd::After(last)).steps(rate);
                    assert_eq!(steps, -count..count + 1, "{rate} {zero}");
                }
            }
        }
        // Seconds as people write them.
        let steps = epoch(3.3, -0.7, EpochEnd::After(0.7)).steps(90.0);
        assert_eq!(steps, -63..64);
        let steps = epoch(3.3, 0.1, EpochEnd::After(0.333_333)).steps(90.0);
        assert_eq!(steps, 9..30);
    }

    #[test]
    fn a_segment_has_the_times_of_its_range() {
        for (start, end) in [
            (0.0, 1.0),
            (1.1, 2.2),
            (100.3, 101.7),
            (5.0, 5.0),
            (0.1, 0.8),
        ] {
            for rate in [59.94, 60.0, 90.0, 1000.0, 1e6] {
                let range = TimeRange { start, end };
                let steps = epoch(start, 0.0, EpochEnd::At(end)).steps(rate);
                let times: Vec<f32> = range.times_at(rate).collect();
                assert_eq!(steps, 0..times.len() as i64, "{range:?} {rate}");
            }
        }
    }
}
