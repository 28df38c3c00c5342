//! Reads a recording from record batches.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use inputanim::{Limits, Recording};

use super::cells::CellKind;
use super::rows::WideRows;
use super::{cells, keys_in};
use crate::shared::ReadField;
use crate::shared::limits::check_limit;
use crate::shared::mapping::RECORDING;
use crate::shared::{Error, Loss, Note, NoteKind, ReadOptions, Report};
use crate::table::frames::clock::TableClock;
use crate::table::frames::values::UnknownNames;
use crate::table::frames::wide::{WideColumns, WideOptions};
use crate::table::recording_filter::ONE_RECORDING;
use crate::table::recording_filter::RecordingFilter;
use crate::table::table_error::TableError;
use crate::table::tables::keys::{KeyCollector, column, is_keys};
use crate::table::tables::metadata::{Entries, TableMetadata};
use crate::table::tables::recorder::{TableRecorder, no_confidence};
use crate::table::tables::{Place, ignores_unknown, refuse, refuse_for_keys};

/// The number of rows whose cells are decoded at a time.
const ROWS: usize = 2048;

/// Calls `read`, and returns a panic as an error: the crates that read containers panic at some damaged
/// files.
pub(crate) fn catch_panics<T>(
    format: &'static str,
    read: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    // After a panic, nothing that the closure has changed is used.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_default();
        Err(TableError::Container { format, message }.into())
    })
}

/// Reads a table batch by batch.
pub(crate) struct BatchReader<'o> {
    options: &'o ReadOptions,
    metadata: TableMetadata,
    /// The columns that are read: their indices in the file, and their names.
    columns: Vec<(usize, String)>,
    /// The rows so far.
    rows: u64,
    clock: TableClock,
    recordings: RecordingFilter,
    shape: ShapeReader<'o>,
    /// The columns that are ignored.
    ignored: Option<Note>,
}

enum ShapeReader<'o> {
    Keys(Box<KeyCollector>),
    Wide(Box<TableRecorder<'o>>, Box<WideColumns>),
}

impl<'o> BatchReader<'o> {
    /// Creates a reader of a table with this schema. `entries` are the metadata of the file.
    ///
    /// # Errors
    /// When the columns are neither those of a wide table nor those of a table of keys, or have unexpected types. When
    /// the metadata are invalid, or an option has no effect for this table.
    pub(crate) fn new(
        schema: &Schema,
        entries: &Entries,
        options: &'o ReadOptions,
    ) -> Result<BatchReader<'o>, Error> {
        let place = Place::Schema;
        let fields = schema.fields().iter();
        let names: Vec<String> = fields.map(|field| field.name().clone()).collect();
        let metadata = TableMetadata::parse(entries, options.recording.as_deref())?;
        let has = |name: &str| names.iter().any(|other| other == name);
        if !has(RECORDING) {
            refuse(options, &[ReadField::Recording], ONE_RECORDING)?;
        }
        let mut unknown = UnknownNames::new(ignores_unknown(options));
        let shape = if is_keys(has) {
            refuse_for_keys(options)?;
            let is_unknown = |name: &&str| !column::ALL.contains(name) && *name != RECORDING;
            let unknown_names = names.iter().map(String::as_str).filter(is_unknown);
            unknown.add(place, unknown_names, &column::KNOWN)?;
            ShapeReader::Keys(Box::new(KeyCollector::new(options.limits)))
        } else {
            let units: Vec<Option<String>> =
                schema.fields().iter().map(|field| unit(field)).collect();
            let wide = WideOptions {
                mappings: &options.mappings,
                units: &units,
                min_confidence: options.min_confidence,
                space: options.space.or(metadata.space).unwrap_or_default(),
            };
            let columns = WideColumns::new(place, names.clone(), &wide, &mut unknown)?;
            if options.min_confidence.is_some() && !columns.has_confidence() {
                return Err(no_confidence().into());
            }
            if !columns.has_more_than_time() {
                unknown.refuse()?;
            }
            let recorder = TableRecorder::new(metadata.layout, metadata.space, options);
            ShapeReader::Wide(Box::new(recorder), Box::new(columns))
        };
        let is_read = |index: usize, name: &str| match &shape {
            _ if name == RECORDING => true,
            ShapeReader::Keys(_) => column::ALL.contains(&name),
            ShapeReader::Wide(_, columns) => columns.uses(index),
        };
        let columns = names.into_iter().enumerate();
        let columns: Vec<_> = columns
            .filter(|(index, name)| is_read(*index, name))
            .collect();
        for (at, (index, name)) in columns.iter().enumerate() {
            let kind = match &shape {
                _ if name == RECORDING => CellKind::Text,
                ShapeReader::Keys(_)
                    if [column::CURVE, column::KIND, column::NAME].contains(&name.as_str()) =>
                {
                    CellKind::Text
                }
                ShapeReader::Keys(_) => CellKind::Number,
                ShapeReader::Wide(_, columns) => kind(columns, *index),
            };
            cells::check_type(name, schema.field(*index).data_type(), kind)?;
            if columns[..at].iter().any(|(_, other)| other == name) {
                let column = name.clone();
                return Err(TableError::Duplicate { place, column }.into());
            }
        }
        Ok(BatchReader {
            options,
            metadata,
            columns,
            rows: 0,
            clock: TableClock::new(options.from_zero),
            recordings: RecordingFilter::new(options.recording.as_deref()),
            shape,
            ignored: unknown.note(),
        })
    }

    /// Returns the indices of the columns of the file that are read, in ascending order.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|(index, _)| *index).collect()
    }

    /// Adds the rows of a batch, which must contain exactly the [`columns`](Self::columns) that are read.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        // Decoded cells take more memory than the batch, so the batch is decoded part by part.
        let starts = (0..batch.num_rows()).step_by(ROWS);
        let mut parts = starts.map(|start| batch.slice(start, ROWS.min(batch.num_rows() - start)));
        parts.try_for_each(|part| self.push_part(&part))
    }

    fn push_part(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let is_selected = self.select(batch)?;
        let first = self.rows;
        self.rows += batch.num_rows() as u64;
        let Limits {
            max_keys,
            max_markers,
            ..
        } = self.options.limits;
        // Nearly every row contains at least a key or a marker. The others are the layout, the flags and
        // curves without keys.
        let limit = max_keys.saturating_add(max_markers).saturating_add(1024);
        check_limit(self.rows, limit, "rows")?;
        let rows = (0..batch.num_rows()).filter(|&row| is_selected[row]);
        let mut rows = rows.map(|row| (Place::Row(first + row as u64 + 1), row));
        let columns = &self.columns;
        match &mut self.shape {
            ShapeReader::Keys(collector) => {
                let array = |name: &str| {
                    let at = columns.iter().position(|(_, other)| other == name)?;
                    Some(&**batch.column(at))
                };
                keys_in::push(collector, array, rows)
            }
            ShapeReader::Wide(recorder, wide) => {
                let position = |index: usize| columns.iter().position(|(at, _)| *at == index);
                let table = WideRows::new(wide, self.metadata.is_ours, batch, first, position)?;
                rows.try_for_each(|(place, row)| {
                    let recorded = table.record(place, row, &mut self.clock, recorder);
                    recorded.or_else(|error| recorder.skip(error))
                })
            }
        }
    }

    /// Returns for each row of a batch `true` if it belongs to the recording that is read.
    fn select(&mut self, batch: &RecordBatch) -> Result<Vec<bool>, TableError> {
        let at = self.columns.iter().position(|(_, name)| name == RECORDING);
        let Some(at) = at else {
            return Ok(vec![true; batch.num_rows()]);
        };
        let mut is_selected = Vec::with_capacity(batch.num_rows());
        for name in cells::texts(RECORDING, batch.column(at))? {
            is_selected.push(self.recordings.selects(name.unwrap_or_default())?);
        }
        Ok(is_selected)
    }

    /// Returns the recording of all batches, and a report. Fails if the options choose a recording to which no row
    /// belongs.
    pub(crate) fn finish(self) -> Result<(Recording<'static>, Report), Error> {
        self.recordings.refuse_unknown()?;
        let mut report = Report::default();
        report.notes.extend(self.ignored);
        let mut recording = match self.shape {
            ShapeReader::Keys(collector) => collector.finish(self.options)?,
            ShapeReader::Wide(recorder, columns) => {
                let markers = self.metadata.markers;
                let max_markers = self.options.limits.max_markers;
                check_limit(markers.len() as u64, max_markers, "markers")?;
                let mut recording = recorder.finish(&mut report)?;
                report.notes.extend(columns.notes());
                report.notes.extend(self.clock.note());
                recording.markers.extend(markers);
                let note = Note::of_missing_rotations(&columns.without_rotation());
                report.notes.extend(note);
                let note = Note::of_computed_rotations(&columns.computed_rotations());
                report.notes.extend(note);
                let uncomputed = columns.uncomputed_rotations();
                report
                    .losses
                    .extend(Loss::of_uncomputed_rotations(uncomputed));
                if let (Some(stated), Some(used)) = (self.metadata.space, self.options.space)
                    && stated != used
                {
                    let message = format!("the table states the axes {stated}; read as {used}");
                    report.note(NoteKind::Axes, message);
                }
                recording
            }
        };
        recording.about = self.metadata.about;
        Ok((recording, report))
    }
}

/// Returns what the cells of a column of a wide table contain.
fn kind(columns: &WideColumns, index: usize) -> CellKind {
    let mut numbers = columns.numbers();
    if columns.marker == Some(index) {
        CellKind::Text
    } else if columns.time.index == index {
        CellKind::Time
    } else if numbers.any(|column| column.index == index && column.part.is_some()) {
        CellKind::Vector
    } else {
        CellKind::Number
    }
}

/// Returns the unit that the metadata of a column state.
fn unit(field: &Field) -> Option<String> {
    let metadata = field.metadata();
    let names = ["unit", "units", "Unit", "Units"];
    names.iter().find_map(|name| metadata.get(*name).cloned())
}
