//! Events as rows.

use inputanim::Recording;
use inputanim_analysis::{Analysis, AnalysisParameters, Event, EventKind, Segment};
use inputanim_convert::tables::{Column, DataType, Field};

use super::{Computed, Damage, Selection, batch, segment_column, selected, single};
use crate::error::FileProblem;
use crate::notice::Notice;
use crate::options::ScanOptions;
use crate::segments::Segments;

/// The columns of events of some kinds.
#[derive(Clone, Debug)]
struct EventColumns {
    properties: Vec<Property>,
}

/// A property with its unit, which has a column of its own: an amplitude is a length or an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Property {
    name: &'static str,
    unit: &'static str,
}

/// The number of columns before the properties.
const BEFORE: usize = 12;

/// Returns the name of the column of a property of events, with the unit: `amplitude_m`, `peak_velocity_deg_s`.
/// [`EventKind::properties`] returns the names and units of the properties of a kind.
pub fn property_column(name: &str, unit: &str) -> String {
    let unit = unit.replace('°', "deg").replace('²', "2");
    let unit = unit.replace('/', "_").to_lowercase();
    let separator = if unit.is_empty() { "" } else { "_" };
    format!("{name}{separator}{unit}")
}

impl EventColumns {
    /// Returns the columns of events of some kinds. The order of the columns does not depend on the order of the kinds.
    fn new(kinds: &[EventKind]) -> EventColumns {
        let mut properties: Vec<Property> = Vec::new();
        for kind in EventKind::ALL.iter().filter(|kind| kinds.contains(kind)) {
            for &(name, unit) in kind.properties() {
                let property = Property { name, unit };
                if !properties.contains(&property) {
                    properties.push(property);
                }
            }
        }
        EventColumns { properties }
    }

    /// Returns the columns of a table of events, without the columns of segments.
    fn fields(&self) -> Vec<Field> {
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
            text(
                "name",
                "Name of the marker, target, joint, damage or part of a device.",
            ),
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
            let kinds = EventKind::ALL.iter();
            let kinds = kinds.filter(|kind| {
                let mut all = kind.properties().iter();
                all.any(|&(name, unit)| name == property.name && unit == property.unit)
            });
            let kinds: Vec<&str> = kinds.map(|kind| kind.name()).collect();
            let (name, kinds) = (property.name.replace('_', " "), kinds.join(", "));
            let meaning = format!("Property of the kinds {kinds}: {name}.");
            fields.push(number(
                &property_column(property.name, property.unit),
                property.unit,
                meaning,
            ));
        }
        fields
    }

    /// Returns the values of a column for some events. `index` is the index of the column in [`fields`](Self::fields).
    fn column(&self, events: &[&Event], index: usize) -> Column {
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
                let position = event.position.filter(|_| is_direction == (index >= 9))?;
                single(position[(index - 6) % 3])
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

/// The selected columns of events, after the columns of segments.
#[derive(Clone, Debug)]
pub(crate) struct EventRows {
    selection: Selection,
    options: AnalysisParameters,
    kinds: Vec<EventKind>,
    events: EventColumns,
    indices: Vec<usize>,
}

impl EventRows {
    pub(crate) fn new(options: &ScanOptions) -> EventRows {
        let (kinds, with_columns) = match &options.kinds[..] {
            [] => (EventKind::ALL.to_vec(), EventKind::WITH_COLUMNS),
            kinds => (kinds.to_vec(), kinds),
        };
        let mut rows = EventRows {
            selection: Selection {
                time: options.time,
                segments: options.segments.clone(),
            },
            options: options.parameters.clone(),
            events: EventColumns::new(with_columns),
            kinds,
            indices: Vec::new(),
        };
        rows.indices = (0..rows.all().len()).collect();
        rows
    }

    /// Returns the names of the columns that a table of events of all kinds has, without the columns of segments.
    pub(crate) fn all_names() -> impl Iterator<Item = String> {
        let fields = EventColumns::new(EventKind::ALL).fields().into_iter();
        fields.map(|field| field.name.into_owned())
    }

    /// Returns the columns that describe the segment of an event; none if the events of complete recordings are listed.
    fn segment_fields(&self) -> Vec<Field> {
        if self.selection.segments == Segments::Recording {
            return Vec::new();
        }
        let time = |name, meaning| Field::new(name, DataType::Float64, meaning).with_unit("s");
        let columns = self.selection.segments.columns().into_iter();
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

    /// Returns the events of a recording as rows, with its damage and notices. They are in order of time, or segment by
    /// segment. An event is in each segment in which it begins. `trials` are the trials of the recording, if there is a
    /// trial table.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        trials: &[Segment],
    ) -> Result<Computed, FileProblem> {
        let analysis = Analysis::of(recording, &self.options)?;
        let mut events = analysis.events();
        events.retain(|event| self.kinds.contains(&event.kind));
        let mut notices = Vec::new();
        let segments = self
            .selection
            .of(recording, &analysis, trials, &mut notices)?;
        notices.extend(analysis.notes().into_iter().map(Notice::Analysis));
        // Markers may be outside of the recording.
        let is_all = self.selection.are_complete();
        let inside = segments.iter().flat_map(|segment| {
            let inside = events
                .iter()
                .filter(|event| is_all || analysis.begins_in(event.start, segment.range));
            inside.map(move |event| (segment, event))
        });
        let (segments, events): (Vec<&Segment>, Vec<&Event>) = inside.unzip();
        let names = self.selection.segments.columns().len();
        let before = self.segment_fields().len();
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
        Ok(Computed {
            rows,
            segments: None,
            damage: Damage::of_analysis(&analysis, |_| true),
            notices,
        })
    }
}
