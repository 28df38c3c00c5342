//! Measures as rows.

use inputanim::{Layout, Recording, TimeRange};
use inputanim_analysis::{Analysis, AnalysisOptions, Group, Measure, Segment};
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::{Damage, batch, segment_column, segments_of, selected, single};
use crate::error::{FileProblem, ScanError};
use crate::options::{ScanOptions, Segments};

/// The selected columns of measures.
#[derive(Clone, Debug)]
pub(crate) struct StatsRows {
    time: Option<TimeRange>,
    segments: Segments,
    options: AnalysisOptions,
    /// The measures of every recording.
    measures: Vec<Measure>,
    indices: Vec<usize>,
}

impl StatsRows {
    pub(crate) fn new(options: &ScanOptions) -> Result<StatsRows, ScanError> {
        let mut analysis = options.analysis.clone();
        analysis.groups = Group::ALL.to_vec();
        // An empty recording has the measures of any other.
        let empty = Recording::new(Layout::Mrtk1_1);
        let empty = Analysis::of(&empty, &analysis).map_err(ScanError::Analysis)?;
        let mut rows = StatsRows {
            time: options.time,
            segments: options.segments.clone(),
            measures: empty.measures(empty.range).rows,
            options: analysis,
            indices: Vec::new(),
        };
        rows.indices = (0..=rows.reasons()).collect();
        Ok(rows)
    }

    /// Returns the number of columns before those of measures.
    fn before(&self) -> usize {
        self.segments.columns().len() + 2
    }

    /// Returns the index of the column with the reasons for missing measures, which is the last one.
    fn reasons(&self) -> usize {
        self.before() + self.measures.len()
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        let columns = self.segments.columns().into_iter();
        let segment = columns.map(|(name, meaning)| Field::new(name, DataType::Text, meaning));
        let time = |name, meaning| Field::new(name, DataType::Float64, meaning).with_unit("s");
        let times = [
            time("start_s", "Start of the recording or segment."),
            time("end_s", "End of the recording or segment."),
        ];
        let measures = self.measures.iter().map(|measure| {
            let quantity = measure.quantity;
            let name = measure.name.clone();
            Field::new(name, DataType::Float64, quantity.definition).with_unit(quantity.unit)
        });
        let meaning = "Reasons why measures are missing, as a JSON object with their names; missing if none is.";
        let reasons = Field::new(REASONS, DataType::Text, meaning);
        let all = segment.chain(times).chain(measures).chain([reasons]);
        selected(all.collect(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        let before = self.before();
        let chosen = indices.iter().filter_map(|index| index.checked_sub(before));
        let groups: Vec<Group> = chosen
            .filter_map(|index| self.measures.get(index))
            .map(|measure| measure.quantity.group)
            .collect();
        // Groups of which no measure is selected are not computed.
        if !indices.contains(&self.reasons()) {
            self.options.groups.retain(|group| groups.contains(group));
        }
        self.indices = indices.to_vec();
    }

    /// Returns a row for each segment. `trials` are those of the recording, if the segments are those of a trial table.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        trials: &[Segment],
    ) -> Result<(Batch, Damage), FileProblem> {
        let analysis = Analysis::of(recording, &self.options)?;
        let segments = match self.time {
            Some(time) => within(time, analysis.range)
                .map(|range| Segment::new("", range))
                .into_iter()
                .collect(),
            None => segments_of(&self.segments, &analysis, trials)?,
        };
        let measured: Vec<Vec<Measure>> = segments
            .iter()
            .map(|segment| analysis.measures(segment.range).rows)
            .collect();
        // The measures of the groups that are computed, in the order of all.
        let groups = &self.options.groups;
        let computed = self.measures.iter().enumerate();
        let computed = computed.filter(|(_, measure)| groups.contains(&measure.quantity.group));
        let computed: Vec<usize> = computed.map(|(index, _)| index).collect();
        let (names, before) = (self.segments.columns().len(), self.before());
        let place = |index: usize| {
            let measure = index.checked_sub(before)?;
            computed.binary_search(&measure).ok()
        };
        let places: Vec<usize> = self
            .indices
            .iter()
            .filter_map(|&index| place(index))
            .collect();
        let selected = measured
            .iter()
            .flat_map(|measures| places.iter().map(|&at| &measures[at]));
        let affecting = selected.flat_map(|measure| measure.damage.iter().copied());
        let damage = Damage {
            all: analysis.quality.damage_codes(),
            affecting: affecting.collect(),
        };
        let rows = batch(segments.len(), &self.indices, |index| {
            let list = segments.iter();
            if index < names {
                segment_column(list, index)
            } else if index == names {
                Column::doubles(list.map(|segment| single(segment.range.start.into())))
            } else if index < before {
                Column::doubles(list.map(|segment| single(segment.range.end.into())))
            } else if index == self.reasons() {
                let texts = measured.iter().map(|measures| reasons(measures));
                let texts: Vec<Option<String>> = texts.collect();
                Column::texts(texts.iter().map(|text| text.as_deref()))
            } else {
                let place = place(index);
                Column::doubles(measured.iter().map(|measures| {
                    let measure = measures.get(place?)?;
                    measure.value.ok()
                }))
            }
        });
        Ok((rows, damage))
    }
}

/// The name of the column with the reasons for missing measures.
const REASONS: &str = "missing";

/// Returns the reasons why measures have no value, as a JSON object; `None` if all have one.
fn reasons(measures: &[Measure]) -> Option<String> {
    let reasons = measures.iter().filter_map(|measure| {
        let reason = measure.value.err()?;
        Some((measure.name.clone(), reason.text().into()))
    });
    let reasons: serde_json::Map<String, serde_json::Value> = reasons.collect();
    (!reasons.is_empty()).then(|| serde_json::Value::Object(reasons).to_string())
}

/// Returns the part of a time range that is inside a recording; infinite ends are those of the recording.
fn within(time: TimeRange, recording: TimeRange) -> Option<TimeRange> {
    let range = TimeRange {
        start: time.start.max(recording.start),
        end: time.end.min(recording.end),
    };
    (range.start <= range.end).then_some(range)
}
