//! Reads a recording from record batches.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, Schema};
use inputanim::{Limits, Recording};

use super::cells::CellKind;
use super::rows::WideRows;
use super::{cells, keys_in};
use crate::shared::ReadField;
use crate::shared::limits::check_limit;
use crate::shared::mapping::RECORDING;
use crate::shared::report::listed;
use crate::shared::{Error, Loss, LossKind, Note, NoteKind, ReadOptions, Report};
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
    /// The types of these columns.
    types: Vec<DataType>,
    /// The rows so far.
    rows: u64,
    clock: TableClock,
    recordings: RecordingFilter,
    shape: ShapeReader<'o>,
    /// The columns that are ignored.
    ignored: Option<Note>,
    damage: Vec<DamagedRows>,
    /// `true` if a row was read.
    has_rows: bool,
}

/// Rows of which a column cannot be read.
struct DamagedRows {
    /// The name of the column; `None` for all columns.
    column: Option<String>,
    /// The first row, counted from 0, and the number of rows.
    first: u64,
    count: u64,
    cause: String,
}

impl fmt::Display for DamagedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.first + 1, self.first + self.count);
        match &self.column {
            Some(column) => write!(f, "{column} in rows {first} to {last}")?,
            None => write!(f, "rows {first} to {last}")?,
        }
        write!(f, " ({})", self.cause)
    }
}

/// The number of damaged columns that a loss lists.
const LISTED: usize = 3;

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
            ShapeReader::Keys(Box::new(KeyCollector::new(options)))
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
        let types = columns.iter();
        let types = types.map(|(index, _)| schema.field(*index).data_type().clone());
        Ok(BatchReader {
            options,
            metadata,
            types: types.collect(),
            columns,
            rows: 0,
            clock: TableClock::new(options.from_zero),
            recordings: RecordingFilter::new(options.recording.as_deref()),
            shape,
            ignored: unknown.note(),
            damage: Vec::new(),
            has_rows: false,
        })
    }

    /// Reads only some of the frames: see [`in_order`](Self::in_order).
    pub(crate) fn keep(&mut self, keep: Option<Vec<bool>>) {
        if let ShapeReader::Wide(recorder, _) = &mut self.shape {
            recorder.keep(keep);
        }
    }

    /// Returns the frames that are in order if some are not, and rows are skipped. The table is then read a second time.
    pub(crate) fn in_order(&self) -> Option<Vec<bool>> {
        match &self.shape {
            ShapeReader::Wide(recorder, _) => recorder.in_order(),
            ShapeReader::Keys(_) => None,
        }
    }

    /// Returns the number of rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows of a batch that cannot be read as a whole. `arrays` has each of the [`columns`](Self::columns), or the cause of
    /// its damage. The values of a damaged column are unknown. Rows without a column that they need, such as the time, are lost.
    pub(crate) fn push_arrays(
        &mut self,
        count: usize,
        arrays: Vec<Result<ArrayRef, String>>,
    ) -> Result<(), Error> {
        let first = self.rows;
        let is_essential = |index: usize, name: &str| match &self.shape {
            _ if name == RECORDING => true,
            ShapeReader::Keys(_) => [column::CURVE, column::TIME_S, column::VALUE].contains(&name),
            ShapeReader::Wide(_, columns) => columns.time.index == index,
        };
        let mut is_lost = false;
        let mut fields = Vec::new();
        let mut read = Vec::new();
        for (((index, name), data_type), array) in self.columns.iter().zip(&self.types).zip(arrays)
        {
            let array = match array {
                Ok(array) => array,
                Err(cause) => {
                    is_lost |= is_essential(*index, name);
                    let same = |known: &&mut DamagedRows| {
                        known.column.as_ref() == Some(name) && known.first + known.count == first
                    };
                    match self.damage.iter_mut().find(same) {
                        Some(known) => known.count += count as u64,
                        None => self.damage.push(DamagedRows {
                            column: Some(name.clone()),
                            first,
                            count: count as u64,
                            cause,
                        }),
                    }
                    new_null_array(data_type, count)
                }
            };
            fields.push(Field::new(name, array.data_type().clone(), true));
            read.push(array);
        }
        if is_lost {
            self.rows += count as u64;
            return Ok(());
        }
        // A row that needs a damaged column is lost.
        if let ShapeReader::Keys(collector) = &mut self.shape {
            collector.skip_bad();
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), read);
        let batch = batch.map_err(|error| TableError::Container {
            format: "table",
            message: error.to_string(),
        })?;
        self.push_as(&batch, true)
    }

    /// Adds `count` rows that cannot be read.
    pub(crate) fn push_lost(&mut self, count: u64, cause: String) {
        self.damage.push(DamagedRows {
            column: None,
            first: self.rows,
            count,
            cause,
        });
        self.rows += count;
    }

    /// Returns the indices of the columns of the file that are read, in ascending order.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|(index, _)| *index).collect()
    }

    /// Adds the rows of a batch, which must contain exactly the [`columns`](Self::columns) that are read.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.push_as(batch, false)
    }

    fn push_as(&mut self, batch: &RecordBatch, is_damaged: bool) -> Result<(), Error> {
        self.has_rows |= batch.num_rows() > 0;
        // Decoded cells take more memory than the batch, so the batch is decoded part by part.
        let starts = (0..batch.num_rows()).step_by(ROWS);
        let mut parts = starts.map(|start| batch.slice(start, ROWS.min(batch.num_rows() - start)));
        parts.try_for_each(|part| self.push_part(&part, is_damaged))
    }

    fn push_part(&mut self, batch: &RecordBatch, is_damaged: bool) -> Result<(), Error> {
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
                let table = WideRows::new(
                    wide,
                    self.metadata.is_ours,
                    is_damaged,
                    batch,
                    first,
                    position,
                )?;
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
        if let Some(damage) = self.damage.first().filter(|_| !self.has_rows) {
            return Err(TableError::Container {
                format: "table",
                message: format!("no row can be read: {damage}"),
            }
            .into());
        }
        self.recordings.refuse_unknown()?;
        let mut report = Report::default();
        let rows: u64 = self.damage.iter().map(|damage| damage.count).sum();
        let message = format!("damaged columns: {}", listed(&self.damage, LISTED));
        report.lose(LossKind::Damage, rows as usize, message);
        report.notes.extend(self.ignored);
        let mut recording = match self.shape {
            ShapeReader::Keys(collector) => collector.finish(self.options, &mut report)?,
            ShapeReader::Wide(recorder, columns) => {
                let markers = self.metadata.markers;
                let max_markers = self.options.limits.max_markers;
                check_limit(markers.len() as u64, max_markers, "markers")?;
                let mut recording = recorder.finish(columns.unseen_hands(), &mut report)?;
                report.notes.extend(columns.notes());
                report.notes.extend(self.clock.note());
                recording.markers.extend(markers);
                let note = Note::of_missing_rotations(&columns.without_rotation());
                report.notes.extend(note);
                let note = Note::of_computed_rotations(&columns.computed_rotations());
                report.notes.extend(note);
                report.losses.extend(columns.pinches.losses());
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
    let is_text = columns.texts().any(|column| column.index == index);
    if is_text || columns.marker == Some(index) {
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
