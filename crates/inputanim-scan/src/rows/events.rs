//! Events as rows.

use inputanim::{Recording, TimeRange};
use inputanim_analysis::{Analysis, AnalysisOptions, Event, EventKind, Segment};
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::{Damage, batch, closed, segment_column, segments_of, selected, single};
use crate::error::FileProblem;
use crate::options::{ScanOptions, Segments};

/// The columns of a table of events of some kinds.
///
/// ```
/// use inputanim_analysis::EventKind;
/// use inputanim_scan::EventTable;
/// let saccades = EventTable::new(&[EventKind::Saccade]);
/// let last = saccades.fields().pop().expect("there are columns");
/// assert_eq!(last.name, "peak_velocity_deg_s");
/// assert_eq!(last.unit, "°/s");
/// ```
#[derive(Clone, Debug)]
pub struct EventTable {
    properties: Vec<Property>,
}

/// A property with its unit, which has a column of its own: an amplitude is a length or an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Property {
    name: &'static str,
    unit: &'static str,
}

/// The number of columns before those of properties.
const BEFORE: usize = 12;

impl Property {
    /// Returns the name of the column, with the unit: `amplitude_m`, `peak_velocity_deg_s`.
    fn column(self) -> String {
        let unit = self.unit.replace('°', "deg").replace('²', "2");
        let unit = unit.replace('/', "_");
        let separator = if unit.is_empty() { "" } else { "_" };
        format!("{}{separator}{unit}", self.name)
    }
}

impl EventTable {
    /// Returns the columns of events of some kinds. Their order does not depend on that of the kinds.
    pub fn new(kinds: &[EventKind]) -> EventTable {
        let mut properties: Vec<Property> = Vec::new();
        for kind in EventKind::ALL.iter().filter(|kind| kinds.contains(kind)) {
            for &(name, unit) in kind.properties() {
                let property = Property { name, unit };
                if !properties.contains(&property) {
                    properties.push(property);
                }
            }
        }
        EventTable { properties }
    }

    /// Returns the columns.
    pub fn fields(&self) -> Vec<Field> {
        let text = |name, meaning| Field::new(name, DataType::Text, meaning);
        let number = |name: &str, unit, meaning: String| {
            Field::new(name.to_owned(), DataType::Float64, meaning).with_unit(unit)
        };
        let mut fields = vec![
            text(
                "kind",
                "Kind of the event, such as `pinch` (docs/analysis.md).",
            )
            .required(),
            number("start_s", "s", "Onset.".to_owned()),
            number("end_s", "s", "End.".to_owned()),
            number("duration_s", "s", "Duration; 0 for an instant.".to_owned()),
            text("side", "Hand: `left` or `right`; missing for other events."),
            text("name", "Name of the marker, target, joint or damage."),
        ];
        for axis in ["x", "y", "z"] {
            let meaning = format!("Place at the onset, {axis}.");
            fields.push(number(&format!("position_{axis}"), "m", meaning));
        }
        for axis in ["x", "y", "z"] {
            let meaning = format!("Mean direction of a fixation, {axis}.");
            fields.push(number(&format!("direction_{axis}"), "", meaning));
        }
        for property in &self.properties {
            let kinds = EventKind::ALL.into_iter();
            let kinds = kinds.filter(|kind| {
                let mut all = kind.properties().iter();
                all.any(|&(name, unit)| name == property.name && unit == property.unit)
            });
            let kinds: Vec<&str> = kinds.map(EventKind::name).collect();
            let (name, kinds) = (property.name.replace('_', " "), kinds.join(", "));
            let meaning = format!("Property of the kinds {kinds}: {name}.");
            fields.push(number(&property.column(), property.unit, meaning));
        }
        fields
    }

    /// Returns the values of a column, by its index among the fields.
    pub fn column(&self, events: &[&Event], index: usize) -> Column {
        let list = events.iter();
        match index {
            0 => Column::texts(list.map(|event| Some(event.kind.name()))),
            1 => Column::doubles(list.map(|event| single(event.start))),
            2 => Column::doubles(list.map(|event| single(event.start + event.duration))),
            3 => Column::doubles(list.map(|event| single(event.duration))),
            4 => Column::texts(list.map(|event| event.side.map(|side| side.name()))),
            5 => Column::texts(list.map(|event| event.name.as_deref())),
            6..BEFORE => Column::doubles(list.map(|event| {
                let is_direction = event.kind == EventKind::Fixation;
                let place = event.position.filter(|_| is_direction == (index >= 9))?;
                single(place[(index - 6) % 3])
            })),
            _ => {
                let property = self.properties.get(index - BEFORE);
                Column::doubles(list.map(|event| {
                    let property = property?;
                    let mut values = event.properties.iter();
                    let value = values
                        .find(|value| value.name == property.name && value.unit == property.unit);
                    value.map(|value| value.value)
                }))
            }
        }
    }
}

/// The selected columns of events, after those of segments.
#[derive(Clone, Debug)]
pub(crate) struct EventRows {
    time: Option<TimeRange>,
    segments: Segments,
    options: AnalysisOptions,
    events: EventTable,
    indices: Vec<usize>,
}

impl EventRows {
    pub(crate) fn new(options: &ScanOptions) -> EventRows {
        let mut rows = EventRows {
            time: options.time,
            segments: options.segments.clone(),
            options: options.analysis.clone(),
            events: EventTable::new(&EventKind::ALL),
            indices: Vec::new(),
        };
        rows.indices = (0..rows.all().len()).collect();
        rows
    }

    /// Returns the columns of segments.
    fn segment_fields(&self) -> Vec<Field> {
        if self.segments == Segments::Recording {
            return Vec::new();
        }
        let time = |name, meaning| Field::new(name, DataType::Float64, meaning).with_unit("s");
        let columns = self.segments.columns().into_iter();
        let columns = columns.map(|(name, meaning)| Field::new(name, DataType::Text, meaning));
        let mut fields: Vec<Field> = columns.collect();
        fields.push(time("segment_start_s", "Start of the segment."));
        fields.push(time("segment_end_s", "End of the segment."));
        fields
    }

    fn all(&self) -> Vec<Field> {
        [self.segment_fields(), self.events.fields()].concat()
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        selected(self.all(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    /// Returns the events in order of time, or segment by segment. An event is in as many segments as it begins in.
    /// `trials` are those of the recording, if the segments are those of a trial table.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        trials: &[Segment],
    ) -> Result<(Batch, Damage), FileProblem> {
        let analysis = Analysis::of(recording, &self.options)?;
        let events = analysis.events();
        let segments = match self.time {
            Some(time) => vec![Segment::new("", closed(time, analysis.range))],
            None => segments_of(&self.segments, &analysis, trials)?,
        };
        // Markers may be outside of the recording.
        let is_all = self.time.is_none() && self.segments == Segments::Recording;
        let inside = segments.iter().flat_map(|segment| {
            let inside = events
                .iter()
                .filter(|event| is_all || analysis.begins_in(event.start, segment.range));
            inside.map(move |event| (segment, event))
        });
        let (segments, events): (Vec<&Segment>, Vec<&Event>) = inside.unzip();
        let (names, before) = (self.segments.columns().len(), self.segment_fields().len());
        let affecting = analysis.quality.used_findings();
        let damage = Damage {
            all: analysis.quality.damage_codes(),
            affecting: affecting.map(|finding| finding.code).collect(),
        };
        let rows = batch(events.len(), &self.indices, |index| {
            let list = segments.iter().copied();
            if index < names {
                segment_column(list, index)
            } else if index >= before {
                self.events.column(&events, index - before)
            } else if index == names {
                Column::doubles(list.map(|segment| single(segment.range.start.into())))
            } else {
                Column::doubles(list.map(|segment| single(segment.range.end.into())))
            }
        });
        Ok((rows, damage))
    }
}
