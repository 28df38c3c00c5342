//! Many recordings as one table.

use std::path::Path;

use anyhow::Context;
use inputanim::Recording;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{TableWriter, columns};
use inputanim_convert::{NoteKind, Report, TableShape, WriteOptions};

use super::{Converted, Converter, Results, no_rows};
use crate::files::batch::{FileBatch, Job, Status};
use crate::files::input::Input;
use crate::files::output;
use crate::messages::diagnostics::warn;
use crate::messages::file_name::FileName;
use crate::messages::outcome::Outcome;
use crate::messages::text::count;

/// The content of a file, ready for the table or dataset of all.
pub(super) enum Prepared {
    /// A recording with its options.
    Recording(Box<(Recording<'static>, WriteOptions)>),
    #[cfg(feature = "lerobot")]
    Episodes(inputanim_scan::lerobot::FileEpisodes),
}

/// The table or dataset of many recordings.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) rows: u64,
    /// The number of episodes of a dataset.
    pub(super) episodes: Option<u64>,
    /// The names of the recordings without rows.
    pub(super) without_rows: Vec<String>,
    /// The number of recordings that can be part of the table.
    recordings: usize,
}

/// Writes all recordings that can be part of the table, each when it and all earlier ones are read, and adds the
/// result for each file to `results`. Returns `None` if no recording can be part of the table.
pub(super) fn write(
    converter: &Converter<'_>,
    batch: &FileBatch,
    path: &Path,
    results: &mut Results<'_>,
) -> anyhow::Result<Option<Joined>> {
    let columns = converter.columns(batch)?;
    let mut joined = Joined::default();
    let written = output::write_to(path, true, !converter.to.is_text(), |output| {
        let mut output = Some(output);
        let mut table = None;
        batch.run(
            true,
            |job| converter.convert(batch, job),
            |job, (mut converted, prepared), messages| {
                if let Some(Prepared::Recording(prepared)) = prepared {
                    let (recording, options) = *prepared;
                    if let Some(output) = output.take() {
                        let begun = TableWriter::new(converter.to, &columns, &options, output)?;
                        table = Some(begun);
                    }
                    if let Some(table) = &mut table {
                        let pushed = table.push(&recording, &options);
                        let report = pushed.with_context(|| FileName::new(&job.input))?;
                        joined.add(converter, job, &recording, report, &mut converted);
                    }
                }
                results.add(job, converted, messages)
            },
        )?;
        if joined.rows == 0 {
            return Err(no_rows());
        }
        if let Some(table) = table {
            table.finish()?;
        }
        Ok(())
    });
    match written {
        // All files failed, and each has its own error.
        Err(_) if joined.recordings == 0 && results.files == batch.jobs.len() => Ok(None),
        written => written.map(|()| Some(joined)),
    }
}

impl Joined {
    /// Returns the facts for the summary.
    pub(super) fn facts(&self) -> Vec<String> {
        let rows = self.rows as usize;
        match self.episodes {
            None => vec![count(rows, "row")],
            Some(episodes) => vec![count(episodes as usize, "episode"), count(rows, "frame")],
        }
    }

    /// Counts a recording of a dataset.
    #[cfg(feature = "lerobot")]
    pub(super) fn add_recording(&mut self) {
        self.recordings += 1;
    }

    /// Returns `true` if no recording can be part of the table or dataset.
    #[cfg(feature = "lerobot")]
    pub(super) fn is_empty(&self) -> bool {
        self.recordings == 0
    }

    /// Counts the rows of a recording, and reports its losses.
    fn add(
        &mut self,
        converter: &Converter<'_>,
        job: &Job,
        recording: &Recording<'_>,
        report: Report,
        converted: &mut Converted,
    ) {
        self.recordings += 1;
        self.rows += report.rows;
        if report.rows == 0 {
            self.without_rows.push(converter.name_of(job));
        }
        let mut notes = report.notes.iter();
        if notes.any(|note| note.kind == NoteKind::UnwrittenMarkers) {
            converted.hidden_markers = recording.markers.len();
        }
        for loss in &report.losses {
            warn(format_args!("{}: lost: {loss}", job.input.display()));
            converted.losses.push(loss.to_string());
        }
        if let (Ok(Status::Written(outcome)), false) =
            (&mut converted.status, report.losses.is_empty())
        {
            *outcome = outcome.and(Outcome::DataLost);
        }
    }
}

impl Converter<'_> {
    /// Returns the columns of all recordings. A file that cannot be read has none; its conversion then says why.
    fn columns(&self, batch: &FileBatch) -> anyhow::Result<Columns> {
        let mut all = Columns::default();
        // A table of keys has the same columns for all recordings.
        if self.conversion.shape() != TableShape::Keys {
            let work = |job: &Job| self.columns_of(job);
            // The conversion prints the same messages.
            batch.run(true, work, |_, columns, _| {
                columns.iter().for_each(|columns| all.add(columns));
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Returns the columns of a recording. For a .bin without corrections, this parses only the header of each curve.
    fn columns_of(&self, job: &Job) -> anyhow::Result<Columns> {
        let input = Input::open_as(&job.input, self.conversion.inputs(), self.limits)?;
        let (mut recording, ..) = self.conversion.read(&input, self.to, self.limits)?;
        self.conversion.select(&mut recording, &input, self.to)?;
        Ok(columns(self.to, &recording, self.conversion.markers))
    }
}
