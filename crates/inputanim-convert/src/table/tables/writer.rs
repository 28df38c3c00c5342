//! Recordings as one table of any format.

use std::io::Write;

use inputanim::{DeviceLoss, Recording, Space};

#[cfg(feature = "arrow")]
use super::columnar::ColumnarTable;
#[cfg(feature = "arrow")]
use super::metadata;
use super::samples;
use super::text_table::TextTable;
#[cfg(feature = "arrow")]
use crate::shared::mapping::RECORDING;
use crate::shared::{
    Error, Format, Loss, Note, NoteKind, Report, Sampling, TableShape, WriteOptions,
};
use crate::table::frames::Columns;

/// Writes several recordings as one table.
///
/// The [labels](WriteOptions::labels) are its first columns. The label `recording` contains the name of the recording.
/// With this name the recording can be [read](crate::ReadOptions::recording) again. An Arrow batch contains rows
/// of one recording. Short recordings share row groups of Parquet: a row group ends at the end of a recording if it has
/// enough rows. Memory grows with the names and markers of the recordings, and with the descriptions of batches and row
/// groups.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::frames::Columns;
/// use inputanim_convert::tables::{TableWriter, columns};
/// use inputanim_convert::{Format, ReadOptions, WriteOptions, read};
/// let mut late = Recording::new(Layout::Mrtk1_1);
/// late.hands_mut().left.tracked.push(0.5, true);
/// let recordings = [("a", Recording::new(Layout::Mrtk1_1)), ("b", late)];
/// let (mut text, mut options) = (Vec::new(), WriteOptions::default());
/// options.labels = vec![("recording".to_owned(), String::new())];
/// let mut all = Columns::default();
/// for (_, recording) in &recordings {
///     all.add(&columns(Format::Csv, recording, options.markers));
/// }
/// let mut table = TableWriter::new(Format::Csv, &all, &options, &mut text)?;
/// for (name, recording) in &recordings {
///     options.labels[0].1 = (*name).to_owned();
///     table.push(recording, &options)?;
/// }
/// table.finish()?;
///
/// let mut options = ReadOptions::default();
/// options.recording = Some("b".to_owned());
/// let (recording, _) = read(Format::Csv, &text, &options)?;
/// assert_eq!(recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub struct TableWriter<W: Write + Send> {
    format: Format,
    #[cfg(feature = "arrow")]
    recordings: metadata::Recordings,
    table: Table<W>,
}

enum Table<W: Write + Send> {
    Text(TextTable<W>),
    #[cfg(feature = "arrow")]
    Columnar(Box<ColumnarTable<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table. Its first columns are the labels of the options. A wide table then has all `columns`, even if a
    /// recording lacks some of them.
    ///
    /// # Errors
    /// Fails when `format` is not a table or not in the build, or `output` fails.
    pub fn new(
        format: Format,
        columns: &Columns,
        options: &WriteOptions,
        output: W,
    ) -> Result<TableWriter<W>, Error> {
        #[cfg(feature = "arrow")]
        let entries = metadata::of_options(options);
        let table = Table::new(
            format,
            columns,
            options,
            #[cfg(feature = "arrow")]
            entries,
            output,
        )?;
        Ok(TableWriter {
            format,
            #[cfg(feature = "arrow")]
            recordings: metadata::Recordings::default(),
            table,
        })
    }

    /// Adds the rows of a recording, and returns its losses and notes. The texts of the labels and the time range may
    /// differ between recordings. All other options must be the options of the table.
    ///
    /// # Errors
    /// Fails as [`tables::check`](super::check) does, or when the output fails. The table cannot be finished
    /// then.
    pub fn push(
        &mut self,
        recording: &Recording<'_>,
        options: &WriteOptions,
    ) -> Result<Report, Error> {
        #[cfg(feature = "arrow")]
        if let Some((_, name)) = options.labels.iter().find(|(label, _)| label == RECORDING) {
            self.recordings.push(name, recording, options);
        }
        let mut report = self.table.push(self.format, recording, options)?;
        let texts = Note::of_lost_texts(self.format, &recording.about);
        report.notes.extend(texts);
        report.notes.extend(Note::of_lost_devices(&report.losses));
        Ok(report)
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// Fails when the output fails.
    #[cfg_attr(not(feature = "arrow"), expect(unused_mut))]
    pub fn finish(mut self) -> Result<(), Error> {
        #[cfg(feature = "arrow")]
        if let Table::Columnar(table) = &mut self.table {
            // The entry contains all recordings, so it is written last.
            table.add_metadata(metadata::RECORDINGS, self.recordings.into_text());
        }
        self.table.finish()
    }
}

/// Writes a recording as a table, with bounded memory.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    let columns = super::columns(format, recording, options.markers);
    #[cfg(feature = "arrow")]
    let entries = metadata::of_recording(recording, options);
    let mut table = Table::new(
        format,
        &columns,
        options,
        #[cfg(feature = "arrow")]
        entries,
        output,
    )?;
    let report = table.push(format, recording, options)?;
    table.finish()?;
    Ok(report)
}

impl<W: Write + Send> Table<W> {
    fn new(
        format: Format,
        columns: &Columns,
        options: &WriteOptions,
        #[cfg(feature = "arrow")] entries: metadata::Entries,
        output: W,
    ) -> Result<Table<W>, Error> {
        match format {
            Format::Csv | Format::Tsv | Format::Ndjson => {
                let table = TextTable::new(format, columns, options, output)?;
                Ok(Table::Text(table))
            }
            #[cfg(feature = "arrow")]
            Format::Arrow | Format::Parquet => {
                let table = ColumnarTable::new(format, columns, options, entries, output)?;
                Ok(Table::Columnar(Box::new(table)))
            }
            _ => Err(Error::NotInBuild(format)),
        }
    }

    fn push(
        &mut self,
        format: Format,
        recording: &Recording<'_>,
        options: &WriteOptions,
    ) -> Result<Report, Error> {
        let mut report = Report::default();
        match self {
            Table::Text(table) => table.push(recording, options, &mut report)?,
            #[cfg(feature = "arrow")]
            Table::Columnar(table) => table.push(recording, options, &mut report)?,
        }
        lost_devices(recording, options, &mut report);
        notes(format, recording, options, &mut report);
        Ok(report)
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            Table::Text(table) => table.finish(),
            #[cfg(feature = "arrow")]
            Table::Columnar(table) => table.finish(),
        }
    }
}

/// Adds the content of devices that a table cannot hold to `report`: for a wide table the haptic pulses, and for a tidy table
/// everything. With a time range, this is the content in it.
fn lost_devices(recording: &Recording<'_>, options: &WriteOptions, report: &mut Report) {
    let is_held = match options.shape {
        TableShape::Keys => return,
        TableShape::Tidy => false,
        TableShape::Wide => true,
    };
    for device in &recording.devices {
        let loss = match options.time {
            None => DeviceLoss::of(device, |_| is_held),
            Some(range) => DeviceLoss::within(device, &[range], |_| is_held),
        };
        // A device without values is lost too: its name.
        if !is_held || !loss.is_empty() {
            report.losses.push(Loss::of_device(&loss));
        }
    }
}

/// Adds the notes on a wide or tidy table to `report`: on the default rate, on axes that the file does not state, and
/// on markers that are not rows.
fn notes(format: Format, recording: &Recording<'_>, options: &WriteOptions, report: &mut Report) {
    if options.shape == TableShape::Keys {
        if options.time.is_some() {
            let message = "only the keys in the time range are in the table: a recording that is read from it lacks states and \
                           values that began before";
            report.note(NoteKind::Sampling, message);
        }
        return;
    }
    // A rate that the user has chosen needs no note.
    if options.sampling == Sampling::default() {
        let sampling = options.sampling;
        let message = format!("sampled at {sampling}; the shape `keys` contains all keys");
        report.note(NoteKind::Sampling, message);
    }
    if !format.is_text() {
        return;
    }
    if options.space != Space::Unity {
        let space = options.space;
        let message = format!("{format} does not state its axes; state {space} when you read it");
        report.note(NoteKind::Axes, message);
    }
    let has_rows = options.markers && options.shape == TableShape::Wide;
    if !has_rows {
        report.leave_markers(samples::markers_within(recording, options).count(), format);
    }
}
