//! Tables of segments.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use inputanim::{Limits, Recording, Space};
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{Batch, Field, RowFormat, RowWriter, TableColumns};
use inputanim_convert::{Format, Loss, Note, Report, TableShape};
use inputanim_scan::{FileRows, Notice, Scan, ScanError, ScanOptions, Segments, Shape, Source};

use super::conversion::Conversion;
use super::note_incomplete_poses;
use crate::files::output;
use crate::messages::file_name::FileName;
use crate::messages::hints;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::scan_error;
use crate::study::{self, note_without_trials};

/// The options of segments.
#[derive(Debug, clap::Args)]
pub(super) struct SegmentArgs {
    /// Use only segments, as in `stats`: markers, markers=NAME, START:STOP, KIND@A..B or a trial table. A table has the rows of
    /// each segment with columns for the segment; lerobot has an episode for each [default: the complete recording]
    #[arg(
        long,
        value_name = "SEGMENTS",
        allow_hyphen_values = true,
        conflicts_with = "time"
    )]
    pub(super) segments: Option<String>,
    /// Write this number of rows for each segment, or for the recording or the time range, at equal distances from its
    /// start to its end, for wide and tidy tables
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["rate", "at_keys"],
        value_parser = points
    )]
    pub(super) points: Option<usize>,
}

fn points(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(points) if points >= 2 => Ok(points),
        _ => Err("expected a whole number of at least 2, for the start and the end".to_owned()),
    }
}

impl SegmentArgs {
    /// Returns `true` if a table has columns for segments.
    pub(super) fn are_given(&self) -> bool {
        self.segments.is_some() || self.points.is_some()
    }

    /// Returns the segments. Fails if they are invalid, or if a trial table cannot be read.
    pub(super) fn read(&self, limits: &Limits) -> anyhow::Result<Segments> {
        if self.are_given() {
            hints::set_segments();
        }
        let segments = self.segments.as_deref();
        let segments = segments.map(|text| Segments::from_text(text, limits));
        let segments = segments.transpose().map_err(scan_error::of_segments)?;
        Ok(segments.unwrap_or_default())
    }
}

/// The rows of the segments of all inputs.
pub(super) struct SegmentRows {
    scan: Scan,
    format: RowFormat,
    shape: TableShape,
    space: Space,
}

/// Some columns of the rows.
pub(super) struct RowColumns {
    fields: Vec<Field>,
    indices: Vec<usize>,
}

impl SegmentRows {
    /// Checks the options, and finds the segments of inputs if there is a trial table. `inputs` are the files, and the
    /// folders in which they were found. `has_names` is true if the rows have the name of their recording.
    pub(super) fn plan(
        conversion: &Conversion,
        inputs: impl Iterator<Item = (PathBuf, PathBuf)>,
        format: Format,
        has_names: bool,
        limits: &Limits,
    ) -> anyhow::Result<SegmentRows> {
        let args = &conversion.segments;
        let row_format: RowFormat = format.name().parse()?;
        let mut options = ScanOptions::default();
        options.shape = match conversion.shape() {
            TableShape::Tidy => Shape::Tidy,
            TableShape::Keys => Shape::Keys,
            _ => Shape::Wide,
        };
        options.segments = args.read(limits)?;
        options.points = args.points;
        options.file_column = None;
        options.damage_column = None;
        options.recording_column = has_names.then(|| "recording".to_owned());
        options.limits = *limits;
        if *limits == Limits::NONE {
            options.lift_limits();
        }
        conversion.set_row_options(&mut options);
        let space = options.space;
        let sources = inputs.map(|(path, folder)| Source::InFolder { path, folder });
        let scan = Scan::new(sources, options).map_err(|error| match error {
            ScanError::LooksNeedTargets => Refusal::usage(
                error.to_string(),
                "write the looks with `inputanim events --targets FILE`, and use them as a trial table",
            ),
            error => scan_error::of_scan(error, args.segments.as_deref()),
        })?;
        note_without_trials(&scan, args.segments.as_deref().unwrap_or_default());
        Ok(SegmentRows {
            scan,
            format: row_format,
            shape: conversion.shape(),
            space,
        })
    }

    /// Returns the indices of the inputs that a trial table does not name.
    pub(super) fn without_trials(&self) -> HashSet<usize> {
        self.scan.files_without_trials().collect()
    }

    /// Returns the rows of a recording, which was read from the input with the index `file`, and prints its damage and
    /// notices. Adds the content that the rows do not have to `report`, as other tables do.
    pub(super) fn of(
        &self,
        file: usize,
        path: &Path,
        recording: Recording<'static>,
        report: &mut Report,
    ) -> anyhow::Result<(FileRows<'_>, Outcome)> {
        let rows = self.scan.rows_of_recording(file, recording);
        let mut rows = rows.map_err(scan_error::of_file)?;
        rows.notices.retain(|notice| match notice {
            Notice::NotInShape(content) => {
                let losses = content.losses.iter();
                report.losses.extend(losses.map(Loss::of_device));
                false
            }
            _ => true,
        });
        report.notes.extend(Note::of_lost_devices(&report.losses));
        let outcome = study::report(&rows, &FileName::new(path));
        Ok((rows, outcome))
    }

    /// Returns the columns of recordings with these streams and joints, as other tables have them.
    pub(super) fn columns(&self, recorded: &Columns) -> RowColumns {
        let names = |columns: &Columns| -> HashSet<String> {
            let columns = TableColumns::new(self.shape, columns, self.space);
            let fields = columns.fields().iter();
            fields.map(|field| field.name.to_string()).collect()
        };
        let (all, recorded) = (names(&Columns::all()), names(recorded));
        let fields = self.scan.fields().iter().enumerate();
        let chosen = fields.filter(|(_, field)| {
            let name = &*field.name;
            !all.contains(name) || recorded.contains(name)
        });
        let (indices, fields) = chosen.map(|(index, field)| (index, field.clone())).unzip();
        RowColumns { fields, indices }
    }

    /// Writes the rows of a recording to a file. `paths` are the input and the output. Returns the number of rows.
    pub(super) fn write_one(
        &self,
        paths: &[PathBuf],
        recording: Recording<'_>,
        force: bool,
        format: Format,
        report: &mut Report,
    ) -> anyhow::Result<(usize, Outcome)> {
        let (Some(input), Some(path)) = (paths.first(), paths.get(1)) else {
            return Ok((0, Outcome::Done));
        };
        let columns = self.columns(&Columns::of(&recording));
        let (rows, outcome) = self.of(0, input, recording.into_owned(), report)?;
        note_incomplete_poses(&rows.damage, "");
        // A notice says this.
        let may_be_empty = lacks_segments(&rows);
        let mut written = 0;
        output::write_to(path, force, !format.is_text(), |output| {
            written = self.write(rows, &columns, output)?;
            if written == 0 && !may_be_empty {
                return Err(no_rows().context(FileName::new(input)));
            }
            Ok(())
        })?;
        Ok((written, outcome))
    }

    /// Writes the rows of a recording as a table, and returns their number.
    pub(super) fn write(
        &self,
        rows: FileRows<'_>,
        columns: &RowColumns,
        output: impl Write + Send,
    ) -> anyhow::Result<usize> {
        let mut writer = self.writer(columns, output)?;
        let mut written = 0;
        for batch in rows {
            let batch = batch.map_err(scan_error::of_file)?;
            if batch.rows > 0 {
                written += batch.rows;
                writer.push(columns.of(&batch))?;
            }
        }
        writer.finish()?;
        Ok(written)
    }

    /// Begins a table.
    pub(super) fn writer<W: Write + Send>(
        &self,
        columns: &RowColumns,
        output: W,
    ) -> anyhow::Result<RowWriter<W>> {
        Ok(RowWriter::new(self.format, &columns.fields, output)?)
    }
}

/// Returns `true` if the recording has no segments, so that its table is empty.
pub(super) fn lacks_segments(rows: &FileRows<'_>) -> bool {
    let mut notices = rows.notices.iter();
    notices.any(|notice| matches!(notice, Notice::NoSegments { .. }))
}

/// Returns the error for a table of segments that have no rows.
pub(super) fn no_rows() -> anyhow::Error {
    Refusal::failure(
        "the table would have no rows",
        "the segments are outside of the recordings, or the selection has no keys or no tracked joint in them",
    )
}

impl RowColumns {
    /// Returns these columns of some rows.
    pub(super) fn of(&self, batch: &Batch) -> Batch {
        // A recording without segments has no columns.
        if batch.rows == 0 {
            return Batch::default();
        }
        let columns = self.indices.iter();
        let columns = columns.map(|&index| batch.columns[index].clone());
        Batch::new(batch.rows, columns.collect())
    }
}
