//! Events as rows.

use inputanim::{Recording, TimeRange};
use inputanim_analysis::{Analysis, AnalysisOptions, Event, EventKind};
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::{batch, is_wanted, selected, single};
use crate::error::FileProblem;
use crate::options::ScanOptions;

/// The selected columns of events.
#[derive(Clone, Debug)]
pub(crate) struct EventRows {
    time: Option<TimeRange>,
    options: AnalysisOptions,
    properties: Vec<Property>,
    indices: Vec<usize>,
}

/// A property with its unit, which has a column of its own: an amplitude is a length or an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Property {
    name: &'static str,
    unit: &'static str,
}

/// The number of columns before those of properties.
const BEFORE: usize = 12;

/// Returns the properties of all kinds.
fn properties() -> Vec<Property> {
    let mut columns: Vec<Property> = Vec::new();
    for kind in EventKind::ALL {
        for &(name, unit) in kind.properties() {
            let property = Property { name, unit };
            if !columns.contains(&property) {
                columns.push(property);
            }
        }
    }
    columns
}

impl Property {
    /// Returns the name of the column, with the unit: `amplitude_m`, `peak_velocity_deg_s`.
    fn column(self) -> String {
        let unit = self.unit.replace('°', "deg").replace('²', "2");
        let unit = unit.replace('/', "_");
        let separator = if unit.is_empty() { "" } else { "_" };
        format!("{}{separator}{unit}", self.name)
    }
}

impl EventRows {
    pub(crate) fn new(options: &ScanOptions) -> EventRows {
        let properties = properties();
        EventRows {
            time: options.time,
            options: options.analysis.clone(),
            indices: (0..BEFORE + properties.len()).collect(),
            properties,
        }
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
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
        selected(fields, &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    /// Returns the events in order of time.
    pub(crate) fn rows(&self, recording: &Recording<'_>) -> Result<Batch, FileProblem> {
        let analysis = Analysis::of(recording, &self.options)?;
        let mut events = analysis.events();
        events.retain(|event| is_wanted(self.time, event.start as f32));
        let rows = batch(events.len(), &self.indices, |index| {
            self.column(&events, index)
        });
        Ok(rows)
    }

    fn column(&self, events: &[Event], index: usize) -> Column {
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
                let property = self.properties[index - BEFORE];
                Column::doubles(list.map(|event| {
                    let mut values = event.properties.iter();
                    let value = values
                        .find(|value| value.name == property.name && value.unit == property.unit);
                    value.map(|value| value.value)
                }))
            }
        }
    }
}
