//! Tables: Parquet, Arrow, CSV, TSV, newline-delimited JSON.

use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::{Limits, Recording, Space};
use inputanim_convert::Format;
use inputanim_convert::tables::{Loss, Mapping, Options, ReadOptions, Shape, Times, csv, ndjson};
#[cfg(feature = "tables")]
use inputanim_convert::tables::{arrow, parquet};

use crate::diagnostics::{note, warn};
use crate::input::Input;
use crate::output::Sink;
use crate::values::spaces;

use super::conversion::{Conversion, Said, Told};

/// Where --help has them.
const TABLES: &str = "Options for tables";

/// Options for tables alone.
#[derive(Debug, clap::Args)]
pub(super) struct TableArgs {
    /// What a row is: an instant that plays, or a key [default: wide]
    #[arg(help_heading = TABLES, long, value_name = "SHAPE", value_parser = shapes())]
    pub(super) shape: Option<Shape>,
    /// The axes of a wide table to write [default: unity]
    #[arg(help_heading = TABLES, long, value_name = "SPACE", value_parser = spaces())]
    to_space: Option<Space>,
    /// Leave out the markers of a wide table
    #[arg(help_heading = TABLES, long)]
    no_markers: bool,
    /// A column of IN by its name there, and what its numbers are multiplied with
    #[arg(help_heading = TABLES, long, value_name = "COLUMN=NAME[*N]")]
    map: Vec<Mapping>,
    /// Pass over columns of IN that mean nothing here
    #[arg(help_heading = TABLES, long)]
    ignore_unknown: bool,
    /// Make the first row of IN t = 0
    #[arg(help_heading = TABLES, long)]
    from_zero: bool,
    /// Which recording of a parquet or arrow that has several
    #[arg(help_heading = TABLES, long, value_name = "NAME")]
    recording: Option<String>,
}

fn shapes() -> impl TypedValueParser<Value = Shape> {
    let shape = |name: String| Shape::ALL.into_iter().find(|shape| shape.name() == name);
    PossibleValuesParser::new(Shape::ALL.map(Shape::name))
        .try_map(move |name| shape(name).ok_or("no shape"))
}

impl TableArgs {
    /// The options for OUT: which are given, and which do something.
    pub(super) fn of_output(&self, is_table: bool, is_wide: bool) -> [Told; 3] {
        [
            ("--shape", self.shape.is_some(), is_table),
            ("--to-space", self.to_space.is_some(), is_wide),
            ("--no-markers", self.no_markers, is_wide),
        ]
    }

    /// What a table is to hold, and what is to be said of it.
    pub(super) fn options(
        &self,
        rate: Option<f64>,
        at_keys: bool,
    ) -> (Options, Option<&'static str>) {
        let mut options = Options {
            shape: self.shape.unwrap_or_default(),
            space: self.to_space.unwrap_or_default(),
            markers: !self.no_markers,
            ..Options::default()
        };
        let mut note = None;
        match (at_keys, rate) {
            (true, _) => options.times = Times::Keys,
            (false, Some(rate)) => options.times = Times::Rate(rate),
            (false, None) if self.shape.is_none() => {
                note = Some("sampled at 60 Hz; --shape keys has all of a recording");
            }
            (false, None) => {}
        }
        (options, note)
    }

    /// The same for IN.
    pub(super) fn of_input(&self, format: Format) -> [Told; 4] {
        let is_table = format.is_table();
        let has_several = matches!(format, Format::Parquet | Format::Arrow);
        [
            ("--map", !self.map.is_empty(), is_table),
            ("--ignore-unknown", self.ignore_unknown, is_table),
            ("--from-zero", self.from_zero, is_table),
            ("--recording", self.recording.is_some(), has_several),
        ]
    }
}

/// The recording in a table, once what there is to say of it is said.
pub(super) fn read<'i>(
    conversion: &Conversion,
    input: &Input,
    format: Format,
    limits: &Limits,
) -> anyhow::Result<Recording<'i>> {
    let (recording, said) = read_all(conversion, input, format, limits)?;
    said.notes.iter().for_each(note);
    for loss in &said.lost {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(recording)
}

/// The recording in a table, and what did not come through.
fn read_all<'i>(
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
    let file_name = Path::new(input.name()).file_name();
    let file_name = file_name.filter(|_| input.name() != "-");
    let (mut options, note) = conversion.table_options();
    options.source = file_name.map(|name| name.to_string_lossy().into_owned());
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
