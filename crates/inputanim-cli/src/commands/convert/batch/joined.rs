//! Many recordings as one table.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use inputanim::Recording;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{Batch, TableWriter, columns};
use inputanim_convert::{NoteKind, Report, TableShape, WriteOptions};

use super::super::segments::{self, SegmentRows};
use super::{Converted, Converter, Results, no_rows};
use crate::files::batch::{FileBatch, Job, Status};
use crate::files::input::Input;
use crate::files::output;
use crate::messages::diagnostics::{Messages, collected, note_of_file, warn};
use crate::messages::file_name::FileName;
use crate::messages::outcome::Outcome;
use crate::messages::text::count;

/// The result of reading one file, ready for the table or dataset of all recordings.
pub(super) enum Prepared {
    /// A recording, and the options for writing its rows.
    Recording(Box<(Recording<'static>, WriteOptions)>),
    /// The rows of segments. `true` if the recording has segments.
    Rows(Batch, bool),
    #[cfg(feature = "lerobot")]
    Episodes(inputanim_scan::lerobot::FileEpisodes),
}

/// The memory for the keys of recordings that are read before the columns of the table are known. The other recordings
/// are read twice, so that memory does not grow with the number of recordings.
const MAX_KEPT_BYTES: u64 = 256 << 20;

/// The result for a file, with the messages about it.
type Kept = ((Converted, Option<Prepared>), Messages);

/// The columns of all recordings, and the results for the files that were read completely, by the index of the job.
#[derive(Default)]
struct FirstPass {
    columns: Columns,
    kept: HashMap<usize, Kept>,
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

/// Writes one table of all recordings that can be part of it, in the order of the jobs, to `path`. Adds the result for
/// each file to `results`. Returns `None`, and writes nothing, if no recording can be part of the table.
pub(super) fn write(
    converter: &Converter<'_>,
    batch: &FileBatch,
    path: &Path,
    results: &mut Results<'_>,
) -> anyhow::Result<Option<Joined>> {
    let FirstPass { columns, kept } = converter.first_pass(batch)?;
    let kept = Mutex::new(kept);
    let mut joined = Joined::default();
    let written = output::write_to(path, true, !converter.to.is_text(), |output| {
        let mut output = Some(output);
        let mut table = None;
        batch.run(
            true,
            |job| {
                let kept = kept
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&job.index);
                kept.unwrap_or_else(|| collected(|| converter.convert(batch, job)))
            },
            |job, ((mut converted, prepared), messages), _| {
                if let Some(Prepared::Recording(prepared)) = prepared {
                    let (recording, options) = *prepared;
                    if let Some(output) = output.take() {
                        let begun = TableWriter::new(converter.to, &columns, &options, output)?;
                        table = Some(begun);
                    }
                    if let Some(table) = &mut table {
                        let pushed = table.push(&recording, &options);
                        let report = pushed.with_context(|| FileName::new(&job.input))?;
                        joined.add(converter, job, report, &mut converted);
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

/// Does what [`write`] does for a table of segments.
pub(super) fn write_segments(
    converter: &Converter<'_>,
    segments: &SegmentRows,
    batch: &FileBatch,
    path: &Path,
    results: &mut Results<'_>,
) -> anyhow::Result<Option<Joined>> {
    let mut columns = Columns::default();
    if converter.conversion.shape() != TableShape::Keys {
        batch.run(
            true,
            |job| converter.columns_of(job),
            |_, found, _| {
                found.iter().for_each(|found| columns.add(found));
                Ok(())
            },
        )?;
    }
    let columns = segments.columns(&columns);
    let mut joined = Joined::default();
    let mut has_segments = false;
    let written = output::write_to(path, true, !converter.to.is_text(), |output| {
        let mut table = segments.writer(&columns, output)?;
        batch.run(
            true,
            |job| converter.convert(batch, job),
            |job, (converted, prepared), messages| {
                if let Some(Prepared::Rows(rows, is_segmented)) = prepared {
                    has_segments |= is_segmented;
                    joined.recordings += 1;
                    joined.rows += rows.rows as u64;
                    if rows.rows == 0 {
                        joined.without_rows.push(converter.name_of(job));
                    } else {
                        table.push(columns.of(&rows))?;
                    }
                }
                results.add(job, converted, messages)
            },
        )?;
        // Notices say that recordings have no segments.
        if joined.rows == 0 && (has_segments || joined.recordings == 0) {
            return Err(segments::no_rows());
        }
        Ok(table.finish()?)
    });
    match written {
        // All files failed, and each has its own error.
        Err(_) if joined.recordings == 0 && results.files == batch.jobs.len() => Ok(None),
        written => written.map(|()| Some(joined)),
    }
}

impl Joined {
    /// Returns facts for the summary: the number of rows of a table, or the numbers of episodes and frames of a
    /// dataset.
    pub(super) fn facts(&self) -> Vec<String> {
        let rows = self.rows as usize;
        match self.episodes {
            None => vec![count(rows, "row")],
            Some(episodes) => vec![count(episodes as usize, "episode"), count(rows, "frame")],
        }
    }

    /// Counts a recording that is part of the dataset.
    #[cfg(feature = "lerobot")]
    pub(super) fn add_recording(&mut self) {
        self.recordings += 1;
    }

    /// Returns `true` if no recording can be part of the table or dataset.
    #[cfg(feature = "lerobot")]
    pub(super) fn is_empty(&self) -> bool {
        self.recordings == 0
    }

    /// Counts a recording and its rows. Adds the losses in `report` to `converted`, and prints a warning for each.
    fn add(
        &mut self,
        converter: &Converter<'_>,
        job: &Job,
        report: Report,
        converted: &mut Converted,
    ) {
        self.recordings += 1;
        self.rows += report.rows;
        if report.rows == 0 {
            self.without_rows.push(converter.name_of(job));
        }
        converted.hidden_markers = report.unwritten_markers;
        for note in &report.notes {
            // Notes on times hold for all recordings, and a note states the sum of the markers.
            if !matches!(
                note.kind,
                NoteKind::Sampling | NoteKind::UnwrittenMarkers | NoteKind::Axes
            ) {
                let name = job.input.display().to_string();
                note_of_file(&name, note.kind.title(), note);
            }
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
    /// Reads the columns of all recordings. Keeps the recordings of the first files up to [`MAX_KEPT_BYTES`], so that
    /// they are not read again. A file that cannot be read has no columns; its conversion then states the reason.
    fn first_pass(&self, batch: &FileBatch) -> anyhow::Result<FirstPass> {
        let mut pass = FirstPass::default();
        // A table of keys has the same columns for all recordings.
        if self.conversion.shape() == TableShape::Keys {
            return Ok(pass);
        }
        let bytes = AtomicU64::new(0);
        let work = |job: &Job| {
            if bytes.load(Ordering::Relaxed) > MAX_KEPT_BYTES {
                return (self.columns_of(job).ok(), None);
            }
            let (converted, prepared) = self.convert(batch, job);
            let Some(Prepared::Recording(recording)) = &prepared else {
                return (None, Some((converted, prepared)));
            };
            let columns = columns(self.to, &recording.0, self.conversion.markers);
            bytes.fetch_add(key_bytes(&recording.0), Ordering::Relaxed);
            (Some(columns), Some((converted, prepared)))
        };
        batch.run(true, work, |job, (columns, result), messages| {
            columns.iter().for_each(|columns| pass.columns.add(columns));
            if let Some(result) = result {
                pass.kept.insert(job.index, (result, messages));
            }
            Ok(())
        })?;
        Ok(pass)
    }

    /// Returns the columns of a recording. For a .bin without corrections, this parses only the header of each curve.
    fn columns_of(&self, job: &Job) -> anyhow::Result<Columns> {
        let input = Input::open_as(&job.input, self.conversion.inputs(), self.limits)?;
        let (mut recording, ..) = self.conversion.read(&input, self.to, self.limits)?;
        self.conversion.select(&mut recording, &input, self.to)?;
        Ok(columns(self.to, &recording, self.conversion.markers))
    }
}

/// Returns the size of all keys of a recording in bytes.
fn key_bytes(recording: &Recording<'_>) -> u64 {
    let curves = recording.curves().map(|(_, curve)| curve);
    let sizes = curves.map(|curve| curve.len() as u64 * curve.key_size() as u64);
    sizes.sum()
}
