//! Batches in, a recording out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use inputanim::Limits;

use super::schema::RECORDING;
use super::wide_in::{Heads, Rows};
use super::{cells, keys_in};
use crate::tables::error::shown;
use crate::tables::keys::{Collector, column, is_keys};
use crate::tables::metadata::{Entries, Said};
use crate::tables::take::{Take, within};
use crate::tables::{Error, Note, Place, ReadOptions, Reading, Setting};

/// Rows whose cells are in memory at a time.
const ROWS: usize = 8192;

/// Recordings that an error tells of.
const TOLD: usize = 10;

/// What the crates that read containers panic on is damage too, and so is what of them fails to unpack.
pub(crate) fn shielded<T>(
    format: &'static str,
    read: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let damaged = |message| Error::Damaged { format, message };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Err(Error::Io(error))) => Err(damaged(error.to_string())),
        Ok(result) => result,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(damaged(text.unwrap_or_default()))
        }
    }
}

/// A table that is being read.
pub(crate) struct Import<'o> {
    options: &'o ReadOptions,
    said: Said,
    /// Where the columns that are read stand in the file, and what they are called there.
    columns: Vec<(usize, String)>,
    /// Rows up to now.
    rows: u64,
    /// Those of them that are of the recording.
    wanted: u64,
    /// The first time.
    origin: Option<f64>,
    /// The recording that rows are taken of, in a table of several.
    recording: Option<String>,
    /// The first recordings that there are.
    there: Vec<String>,
    rest: Rest<'o>,
}

enum Rest<'o> {
    Keys(Box<Collector>),
    Wide(Box<Take<'o>>, Heads),
}

impl<'o> Import<'o> {
    /// # Errors
    /// When the columns are of neither shape.
    pub(crate) fn new(
        schema: &Schema,
        entries: &Entries,
        options: &'o ReadOptions,
    ) -> Result<Import<'o>, Error> {
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let said = Said::of(entries, options.recording.as_deref())?;
        let has = |name: &str| names.contains(&name);
        if !has(RECORDING) {
            options.refuse(&[Setting::Recording], "a table of one recording")?;
        }
        let rest = match is_keys(has) {
            true => {
                options.refuse_for_keys()?;
                let known = |name: &&&str| !column::ALL.contains(name) && **name != RECORDING;
                match names.iter().find(known) {
                    Some(name) if !options.ignores_unknown() => {
                        return Err(Error::Unknown(shown(name)));
                    }
                    _ => Rest::Keys(Box::new(Collector::new(options.limits))),
                }
            }
            false => {
                let take = Take::new(said.layout, said.space, options);
                Rest::Wide(Box::new(take), Heads::new(&names, said.is_ours, options)?)
            }
        };
        let is_read = |index: usize| match &rest {
            _ if names[index] == RECORDING => true,
            Rest::Keys(_) => column::ALL.contains(&names[index]),
            Rest::Wide(_, heads) => heads.has(index),
        };
        let columns = (0..names.len()).filter(|index| is_read(*index));
        let columns: Vec<(usize, String)> = columns
            .map(|index| (index, names[index].to_owned()))
            .collect();
        for (at, (index, name)) in columns.iter().enumerate() {
            let is_text = match &rest {
                _ if name == RECORDING => true,
                Rest::Keys(_) => {
                    [column::CURVE, column::KIND, column::NAME].contains(&name.as_str())
                }
                Rest::Wide(_, heads) => heads.is_text(*index),
            };
            cells::check_type(name, schema.field(*index).data_type(), is_text)?;
            if columns[..at].iter().any(|(_, before)| before == name) {
                return Err(Error::Twice(name.clone()));
            }
        }
        Ok(Import {
            options,
            said,
            columns,
            rows: 0,
            wanted: 0,
            origin: None,
            recording: options.recording.clone(),
            there: Vec::new(),
            rest,
        })
    }

    /// Where the columns that are read stand in the file, in order.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|(index, _)| *index).collect()
    }

    /// Adds a batch of these columns, however many rows it says to have.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let starts = (0..batch.num_rows()).step_by(ROWS);
        let mut parts = starts.map(|start| batch.slice(start, ROWS.min(batch.num_rows() - start)));
        parts.try_for_each(|part| self.push_part(&part))
    }

    fn push_part(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let is_wanted = self.wanted(batch)?;
        self.wanted += is_wanted.iter().filter(|wanted| **wanted).count() as u64;
        let first = self.rows;
        self.rows += batch.num_rows() as u64;
        let Limits {
            max_keys,
            max_markers,
            ..
        } = self.options.limits;
        // No row says less than a key or a marker, but for the first few.
        let limit = max_keys.saturating_add(max_markers).saturating_add(1024);
        within(self.rows, limit, "rows")?;
        let rows = (0..batch.num_rows()).filter(|&row| is_wanted[row]);
        let rows = rows.map(|row| (Place::Row(first + row as u64 + 1), row));
        match &mut self.rest {
            Rest::Keys(collector) => {
                let array = |name: &str| {
                    let at = self.columns.iter().position(|(_, head)| head == name)?;
                    Some(&**batch.column(at))
                };
                keys_in::push(collector, array, rows)
            }
            Rest::Wide(take, heads) => {
                let table = Rows::new(heads, |index| {
                    let at = self
                        .columns
                        .iter()
                        .position(|(column, _)| *column == index)?;
                    Some((self.columns[at].1.as_str(), &**batch.column(at)))
                })?;
                for (place, row) in rows {
                    let mut time = table.time(place, row)?;
                    if self.options.from_zero {
                        time -= *self.origin.get_or_insert(time);
                    }
                    table.push(take, place, row, time as f32)?;
                }
                Ok(())
            }
        }
    }

    /// Which rows are of the recording that is wanted.
    fn wanted(&mut self, batch: &RecordBatch) -> Result<Vec<bool>, Error> {
        let at = self.columns.iter().position(|(_, name)| name == RECORDING);
        let Some(at) = at else {
            return Ok(vec![true; batch.num_rows()]);
        };
        let mut is_wanted = Vec::with_capacity(batch.num_rows());
        for name in cells::texts(RECORDING, batch.column(at))? {
            let name = name.unwrap_or_default();
            let wanted = self.recording.get_or_insert_with(|| name.to_owned());
            if wanted != name && self.options.recording.is_none() {
                return Err(Error::Several {
                    first: wanted.clone(),
                    second: name.to_owned(),
                });
            }
            if self.there.len() < TOLD && self.there.iter().all(|there| there != name) {
                self.there.push(name.to_owned());
            }
            is_wanted.push(wanted == name);
        }
        Ok(is_wanted)
    }

    /// The recording, once all batches were added.
    pub(crate) fn finish(self) -> Result<Reading, Error> {
        if let (0, Some(name)) = (self.wanted, &self.options.recording) {
            return Err(Error::NoRecording {
                name: name.clone(),
                found: self.there,
            });
        }
        match self.rest {
            Rest::Keys(collector) => Ok(collector.finish(self.options)?.into()),
            Rest::Wide(take, heads) => {
                let Limits { max_markers, .. } = self.options.limits;
                within(self.said.markers.len() as u64, max_markers, "markers")?;
                let mut reading = take.finish();
                reading.recording.markers.extend(self.said.markers);
                let poses = heads.not_turned();
                if !poses.is_empty() {
                    reading.notes.push(Note::NotTurned { poses });
                }
                if let (Some(said), Some(taken)) = (self.said.space, self.options.space)
                    && said != taken
                {
                    reading.notes.push(Note::Axes { said, taken });
                }
                Ok(reading)
            }
        }
    }
}
