//! Tables: Parquet, Arrow, CSV, TSV, newline-delimited JSON.

use inputanim::{Limits, Recording, Space};
use inputanim_convert::Format;
use inputanim_convert::tables::{Loss, ReadOptions, csv, ndjson};
#[cfg(feature = "tables")]
use inputanim_convert::tables::{arrow, parquet};

use super::conversion::{Conversion, Said};
use crate::input::Input;
use crate::output::Sink;

/// The recording in a table, and what did not come through.
pub(super) fn read<'i>(
    conversion: &Conversion,
    input: &Input,
    format: Format,
    limits: &Limits,
) -> anyhow::Result<(Recording<'i>, Said)> {
    let args = &conversion.tables;
    let options = ReadOptions {
        layout: None,
        recording: args.recording.clone(),
        mappings: args.map.clone(),
        ignore_unknown: args.ignore_unknown,
        space: conversion.space,
        from_zero: args.from_zero,
        limits: *limits,
    };
    let bytes = input.bytes();
    let reading = match format {
        Format::Csv => csv::read(bytes, Some(csv::Separator::Comma), &options)?,
        Format::Tsv => csv::read(bytes, Some(csv::Separator::Tab), &options)?,
        Format::Ndjson => ndjson::read(bytes, &options)?,
        #[cfg(feature = "tables")]
        Format::Parquet => parquet::read(bytes.to_vec().into(), &options)?,
        #[cfg(feature = "tables")]
        Format::Arrow => arrow::read(bytes, &options)?,
        _ => anyhow::bail!("this program is built without {format}"),
    };
    let name = input.name();
    let notes = reading.notes.iter();
    let said = Said {
        notes: notes.map(|note| format!("{name}: {note}")).collect(),
        ..Said::lost(&reading.losses)
    };
    Ok((reading.recording, said))
}

pub(super) fn write(
    conversion: &Conversion,
    input: &Input,
    recording: &Recording<'_>,
    format: Format,
    output: &mut Sink<'_>,
) -> anyhow::Result<Said> {
    let (mut options, note) = conversion.table_options();
    options.source = input.file_name();
    let losses: Vec<Loss> = match format {
        Format::Csv => csv::write(recording, &options, csv::Separator::Comma, output)?,
        Format::Tsv => csv::write(recording, &options, csv::Separator::Tab, output)?,
        Format::Ndjson => ndjson::write(recording, &options, output)?,
        #[cfg(feature = "tables")]
        Format::Parquet => {
            parquet::write(recording, &options, output)?;
            Vec::new()
        }
        #[cfg(feature = "tables")]
        Format::Arrow => {
            arrow::write(recording, &options, output)?;
            Vec::new()
        }
        _ => anyhow::bail!("this program is built without {format}"),
    };
    let mut said = Said::lost(&losses);
    said.notes.extend(note.map(str::to_owned));
    let is_text = matches!(format, Format::Csv | Format::Tsv | Format::Ndjson);
    if is_text && options.space != Space::Unity {
        let space = options.space;
        said = said.with_note(format!(
            "{format} does not say its axes: --space {space} reads it back"
        ));
    }
    Ok(said)
}
