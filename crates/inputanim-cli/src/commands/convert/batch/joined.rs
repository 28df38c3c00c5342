//! Many recordings as one table.

use anyhow::Context;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::TableWriter;
use inputanim_convert::{NoteKind, Report};

use super::{Converted, Converter, no_rows};
use crate::files::batch::{Job, Status};
use crate::files::input::Input;
use crate::files::output::Sink;
use crate::messages::diagnostics::{collected, warn};
use crate::messages::outcome::Outcome;

/// A table of many recordings.
pub(super) struct Joined {
    pub(super) rows: u64,
    /// The names of the recordings without rows.
    pub(super) without_rows: Vec<String>,
}

/// Writes recordings that were checked, one after the other.
pub(super) fn write(
    converter: &Converter<'_>,
    jobs: &[Job],
    results: &mut [Converted],
    columns: &Columns,
    output: &mut Sink<'_>,
) -> anyhow::Result<Joined> {
    let mut without_rows = Vec::new();
    let mut rows = 0;
    let mut output = Some(output);
    let mut table = None;
    // The recordings are read again: to keep all of them since the check would take the memory of
    // the study.
    for (job, result) in jobs.iter().zip(results) {
        let Some((_, options)) = &result.table else {
            continue;
        };
        if let Some(output) = output.take() {
            table = Some(TableWriter::new(converter.to, columns, options, output)?);
        }
        let Some(table) = &mut table else { continue };
        let input = Input::open(&job.input, converter.limits)?;
        let read = || {
            converter
                .conversion
                .read(&input, converter.to, converter.limits)
        };
        // The check has printed the messages about this file.
        let (mut recording, ..) = collected(read).0?;
        let select = || {
            converter
                .conversion
                .select(&mut recording, &input, converter.to)
        };
        collected(select).0?;
        let pushed = table.push(&recording, options);
        let Report {
            losses,
            notes,
            rows: pushed,
            ..
        } = pushed.with_context(|| input.context())?;
        rows += pushed;
        if pushed == 0 {
            without_rows.push(converter.name_of(job));
        }
        if notes.iter().any(|note| note.kind == NoteKind::Markers) {
            result.hidden_markers = recording.markers.len();
        }
        for loss in &losses {
            warn(format_args!("{}: lost: {loss}", input.name()));
            result.losses.push(loss.to_string());
        }
        if let (Ok(Status::Written(outcome)), false) = (&mut result.status, losses.is_empty()) {
            *outcome = outcome.and(Outcome::DataLost);
        }
    }
    if rows == 0 {
        return Err(no_rows());
    }
    if let Some(table) = table {
        table.finish()?;
    }
    Ok(Joined { rows, without_rows })
}
