//! Events as rows.

use inputanim::Recording;
use inputanim_analysis::{
    Analysis, AnalysisParameters, Event, EventColumns, EventKind, Segment, single,
};
use inputanim_convert::tables::{Column, DataType, Field};

use super::{Computed, Damage, Selection, batch, segment_column, selected};
use crate::error::FileProblem;
use crate::notice::Notice;
use crate::options::ScanOptions;
use crate::segments::Segments;

/// Returns the columns of a table of events, without the columns of segments.
fn fields_of(columns: &EventColumns) -> Vec<Field> {
    let fixed = EventColumns::FIXED.into_iter().map(|name| {
        let data_type = match name {
            "kind" | "side" | "name" => DataType::Text,
            _ => DataType::Float64,
        };
        let (unit, meaning) = match name {
            "kind" => (
                "",
                "Kind of the event, such as `pinch` (docs/analysis.md).".to_owned(),
            ),
            "start_s" => ("s", "Onset.".to_owned()),
            "end_s" => ("s", "End.".to_owned()),
            "duration_s" => ("s", "Duration; 0 for an instant.".to_owned()),
            "side" => (
                "",
                "Hand: `left` or `right`; missing for other events.".to_owned(),
            ),
            "name" => (
                "",
                "Name of the marker, target, joint, damage or part of a device.".to_owned(),
            ),
            _ => match name.split_once('_') {
                Some(("position", axis)) => ("m", format!("Place at the onset, {axis}.")),
                Some((_, axis)) => ("", format!("Mean direction of a fixation, {axis}.")),
                None => ("", String::new()),
            },
        };
        let field = Field::new(name, data_type, meaning).with_unit(unit);
        if name == "kind" {
            field.required()
        } else {
            field
        }
    });
    let properties = columns.properties().iter().map(|property| {
        let kinds: Vec<&str> = property.kinds().map(EventKind::name).collect();
        let (name, kinds) = (property.name.replace('_', " "), kinds.join(", "));
        let meaning = format!("Property of the kinds {kinds}: {name}.");
        Field::new(property.column(), DataType::Float64, meaning).with_unit(property.unit)
    });
    fixed.chain(properties).collect()
}

/// Returns the values of a column for some events. `index` is the index of the column in [`fields_of`].
fn column(columns: &EventColumns, events: &[&Event], index: usize) -> Column {
    let list = events.iter();
    if EventColumns::is_text(index) {
        Column::texts(list.map(|event| EventColumns::text(event, index)))
    } else {
        Column::doubles(list.map(|event| columns.number(event, index)))
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
        EventColumns::new(EventKind::ALL).names().into_iter()
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
        [self.segment_fields(), fields_of(&self.events)].concat()
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
                column(&self.events, &events, index - before)
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
