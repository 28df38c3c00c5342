//! Measures as rows: a row for each segment, or for each measure of a segment.

use inputanim::Recording;
use inputanim::doctor::Code;
use inputanim_analysis::{
    Analysis, AnalysisParameters, Group, Measure, Measures, Segment, choose_measures, single,
};
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::{Computed, Damage, Selection, batch, segment_column, selected};
use crate::error::{FileProblem, ScanError};
use crate::notice::Notice;
use crate::options::ScanOptions;
use crate::shape::Shape;

/// The selected columns of measures.
#[derive(Clone, Debug)]
pub(crate) struct StatsRows {
    selection: Selection,
    options: AnalysisParameters,
    /// The measures of every recording.
    all: Vec<Measure>,
    /// The indices of the measures that are computed.
    chosen: Vec<usize>,
    /// `true` if each measure has a row.
    is_long: bool,
    /// `true` if no measures were asked for, so that a note says that devices are not measured.
    is_general: bool,
    indices: Vec<usize>,
}

/// The columns of a measure that has a row.
const LONG: [(&str, &str); 5] = [
    ("measure", "Name of the measure."),
    (
        "value",
        "Value of the measure; if it is missing, `reason` says why.",
    ),
    ("unit", "Unit of the value."),
    ("reason", "Reason why the value is missing."),
    (
        "damage",
        "Codes of the damage that affects the value (docs/findings.md).",
    ),
];

impl StatsRows {
    pub(crate) fn new(options: &ScanOptions) -> Result<StatsRows, ScanError> {
        let mut analysis = options.parameters.clone();
        analysis.groups = Group::ALL.to_vec();
        let all = Measure::all(&analysis).map_err(ScanError::Analysis)?;
        let chosen = choose_measures(&all, &options.measures, &analysis)?;
        let is_chosen = |group: &Group| {
            chosen
                .iter()
                .any(|&index| all[index].quantity.group == *group)
        };
        analysis.groups.retain(is_chosen);
        let mut rows = StatsRows {
            selection: Selection {
                time: options.time,
                segments: options.segments.clone(),
            },
            options: analysis,
            is_long: options.shape == Shape::Measures,
            is_general: options.measures.is_empty() || options.measures == Measures::HEADLINES,
            all,
            chosen,
            indices: Vec::new(),
        };
        rows.indices = (0..rows.all_fields().len()).collect();
        Ok(rows)
    }

    /// Returns the names of all measures, also of those that are not computed. If each measure has a row, returns none,
    /// because measures are not columns then.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = String> {
        let names = self.all.iter().map(|measure| measure.name.clone());
        names.filter(|_| !self.is_long)
    }

    /// Returns the number of columns before the columns of measures: those of the segment, its start and its end.
    fn before(&self) -> usize {
        self.selection.segments.columns().len() + 2
    }

    /// Returns the index of the column with the reasons for missing measures, which is the last one.
    fn reasons(&self) -> usize {
        self.before() + self.chosen.len()
    }

    fn all_fields(&self) -> Vec<Field> {
        let columns = self.selection.segments.columns().into_iter();
        let text = |(name, meaning)| Field::new(name, DataType::Text, meaning);
        let mut fields: Vec<Field> = columns.map(text).collect();
        let time = |name, meaning| Field::new(name, DataType::Float64, meaning).with_unit("s");
        fields.push(time("start_s", "Start of the recording or segment."));
        fields.push(time("end_s", "End of the recording or segment."));
        if self.is_long {
            fields.extend(LONG.map(|(name, meaning)| {
                let data_type = match name {
                    "value" => DataType::Float64,
                    _ => DataType::Text,
                };
                Field::new(name, data_type, meaning)
            }));
            return fields;
        }
        fields.extend(self.chosen.iter().map(|&index| {
            let Measure { name, quantity, .. } = &self.all[index];
            Field::new(name.clone(), DataType::Float64, quantity.definition)
                .with_unit(quantity.unit)
        }));
        let meaning = "Reasons why measures are missing, as a JSON object with their names; missing if all measures have values.";
        fields.push(Field::new(REASONS, DataType::Text, meaning).json());
        fields
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        selected(self.all_fields(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        // Groups of which no measure is selected are not computed.
        if !self.is_long && !indices.contains(&self.reasons()) {
            let before = self.before();
            let chosen = indices.iter().filter_map(|index| index.checked_sub(before));
            let groups: Vec<Group> = chosen
                .filter_map(|index| self.chosen.get(index))
                .map(|&index| self.all[index].quantity.group)
                .collect();
            self.options.groups.retain(|group| groups.contains(group));
        }
        self.indices = indices.to_vec();
    }

    /// Returns the rows of a recording, with its damage and notices: one for each segment, or one for each measure of a
    /// segment. `trials` are the trials of the recording, if there is a trial table.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        trials: &[Segment],
    ) -> Result<Computed, FileProblem> {
        let analysis = Analysis::of(recording, &self.options)?;
        let mut notices = Vec::new();
        let segments = self
            .selection
            .of(recording, &analysis, trials, &mut notices)?;
        notices.extend(analysis.notes().into_iter().map(Notice::Analysis));
        let of_devices = analysis.devices_note().filter(|_| self.is_general);
        notices.extend(of_devices.map(Notice::Analysis));
        let measured: Vec<Vec<Measure>> = segments
            .iter()
            .map(|segment| analysis.measures(segment.range).rows)
            .collect();
        // The measures of the groups that are computed, in the order of all.
        let groups = &self.options.groups;
        let computed = self.all.iter().enumerate();
        let computed = computed.filter(|(_, measure)| groups.contains(&measure.quantity.group));
        let computed: Vec<usize> = computed.map(|(index, _)| index).collect();
        // The position of each measure in the list of a segment, if it is computed.
        let chosen = self.chosen.iter();
        let positions: Vec<Option<usize>> = chosen
            .map(|index| computed.binary_search(index).ok())
            .collect();
        let (rows, used) = if self.is_long {
            let positions: Vec<usize> = positions.into_iter().flatten().collect();
            (self.long(&segments, &measured, &positions), positions)
        } else {
            let selected = self.indices.iter();
            let used = selected.filter_map(|index| index.checked_sub(self.before()));
            let used = used.filter_map(|column| positions.get(column).copied().flatten());
            (self.wide(&segments, &measured, &positions), used.collect())
        };
        let used = measured
            .iter()
            .flat_map(|measures| used.iter().map(|&position| &measures[position]));
        let affecting: Vec<_> = used.flat_map(|measure| &measure.damage).collect();
        Ok(Computed {
            rows,
            segments: None,
            damage: Damage::of_analysis(&analysis, |code| affecting.contains(&&code)),
            notices,
        })
    }

    /// Returns a row for each segment. `measured` has the computed measures of each segment, and `positions` has for
    /// each column of a measure the index of the measure in such a list; `None` if it is not computed.
    fn wide(
        &self,
        segments: &[Segment],
        measured: &[Vec<Measure>],
        positions: &[Option<usize>],
    ) -> Batch {
        batch(segments.len(), &self.indices, |index| {
            if let Some(column) = self.common(segments.iter(), index) {
                return column;
            }
            if index == self.reasons() {
                let texts = measured.iter().map(|measures| {
                    let positions = positions.iter().flatten();
                    reasons(positions.map(|&position| &measures[position]))
                });
                let texts: Vec<Option<String>> = texts.collect();
                return Column::texts(texts.iter().map(|text| text.as_deref()));
            }
            let position = positions[index - self.before()];
            Column::doubles(measured.iter().map(|measures| {
                let measure = measures.get(position?)?;
                measure.value.ok()
            }))
        })
    }

    /// Returns a row for each measure of each segment. `measured` has the computed measures of each segment, and
    /// `positions` has the indices of the measures in such a list.
    fn long(&self, segments: &[Segment], measured: &[Vec<Measure>], positions: &[usize]) -> Batch {
        let measures = || {
            let all = measured.iter();
            all.flat_map(|measures| positions.iter().map(|&position| &measures[position]))
        };
        let rows = segments.len() * positions.len();
        batch(rows, &self.indices, |index| {
            let repeated = segments
                .iter()
                .flat_map(|segment| std::iter::repeat_n(segment, positions.len()));
            if let Some(column) = self.common(repeated, index) {
                return column;
            }
            match LONG[index - self.before()].0 {
                "measure" => Column::texts(measures().map(|measure| Some(&*measure.name))),
                "value" => Column::doubles(measures().map(|measure| measure.value.ok())),
                "unit" => {
                    let units = measures().map(|measure| measure.quantity.unit);
                    Column::texts(units.map(|unit| Some(unit).filter(|unit| !unit.is_empty())))
                }
                "reason" => {
                    let reasons = measures().map(|measure| measure.value.err());
                    Column::texts(reasons.map(|reason| reason.map(|reason| reason.text())))
                }
                _ => {
                    let damage =
                        measures().map(|measure| Code::list(measure.damage.iter().copied()));
                    let damage: Vec<String> = damage.collect();
                    let damage = damage.iter().map(String::as_str);
                    Column::texts(damage.map(|codes| Some(codes).filter(|codes| !codes.is_empty())))
                }
            }
        })
    }

    /// Returns the column with this index if it contains names, columns or times of the segments; `None` for a column
    /// of measures.
    fn common<'s>(
        &self,
        segments: impl Iterator<Item = &'s Segment>,
        index: usize,
    ) -> Option<Column> {
        let names = self.selection.segments.columns().len();
        Some(if index < names {
            segment_column(segments, index)
        } else if index == names {
            Column::doubles(segments.map(|segment| single(segment.range.start.into())))
        } else if index < self.before() {
            Column::doubles(segments.map(|segment| single(segment.range.end.into())))
        } else {
            return None;
        })
    }
}

/// The name of the column with the reasons for missing measures.
const REASONS: &str = "missing";

/// Returns the reasons why measures have no value, as a JSON object with the names of the measures; `None` if all have
/// a value.
fn reasons<'m>(measures: impl Iterator<Item = &'m Measure>) -> Option<String> {
    let reasons = measures.filter_map(|measure| {
        let reason = measure.value.err()?;
        Some((measure.name.clone(), reason.text().into()))
    });
    let reasons: serde_json::Map<String, serde_json::Value> = reasons.collect();
    (!reasons.is_empty()).then(|| serde_json::Value::Object(reasons).to_string())
}
