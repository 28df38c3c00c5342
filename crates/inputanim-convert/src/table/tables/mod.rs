//! Recordings as tables, in three shapes:
//!
//! - **wide**: a row for each sampled instant, and a column for each number: `time_s`,
//!   `head.position.x`, `left.tracked`, `left.IndexTip.rotation.w` … Unknown values, such as the joints
//!   of a hand that is not tracked, are null.
//! - **tidy**: a row for each known joint, head and gaze at each sampled instant: `time_s`, `hand`, `joint`,
//!   `position_x` … It is written, but not read.
//! - **keys**: a row for each key, with its curve, time, value, tangents, weights and wrap modes, and rows
//!   for markers, flags and the layout. Such a table contains the complete recording.
//!
//! docs/tables.md describes every column. [`write`](crate::write) and [`read`](crate::read) convert one
//! recording; [`TableWriter`] writes several into one table, and a [`PathPattern`] takes columns from the
//! paths of their files.
//!
//! ```
//! use inputanim_convert::{Format, Sampling, TableShape, WriteOptions, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.shape = TableShape::Wide;
//! options.sampling = Sampling::Rate(60.0);
//! let (csv, _) = write_bytes(Format::Csv, &recording, &options)?;
//! assert!(csv.starts_with(b"time_s,head.position.x,"));
//! assert_eq!(csv.iter().filter(|&&byte| byte == b'\n').count(), 62);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

#[cfg(feature = "arrow")]
mod arrow;
pub(crate) mod batch;
mod cell_value;
#[cfg(feature = "arrow")]
mod columnar;
mod csv;
mod hololens;
mod instants;
mod json;
mod keys;
mod keys_out;
#[cfg(feature = "arrow")]
mod metadata;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod path_pattern;
#[cfg(feature = "record-batches")]
mod record_batch;
mod recorder;
mod rows;
pub(crate) mod samples;
mod skipped;
mod table_columns;
mod text_table;
mod tidy;
mod writer;

use inputanim::Recording;

use crate::shared::limits::check_limit;
use crate::shared::{Error, Format, ReadOptions, Report, TableShape, WriteOptions};
use crate::shared::{ReadField, Remedy};
use crate::table::frames::{Columns, FrameOptions, TextFormat};

pub use crate::table::table_error::{NameKind, Place, TableError, UnknownName};
pub use batch::{Batch, Column, DataType, Field, TextRun, Values};
pub use cell_value::CellValue;
pub use instants::Instants;
pub use path_pattern::{InvalidPathPattern, PathPattern};
#[cfg(feature = "record-batches")]
pub use record_batch::{arrow_field, record_batch};
pub use rows::{RowFormat, RowWriter};
pub use table_columns::{SampledRows, TableColumns};
pub use writer::TableWriter;
pub(crate) use writer::write;

/// Checks that a recording can be written as a table, or as a part of one, without writing it.
///
/// # Errors
/// For a wide or tidy table, fails when the time of a key is NaN, the rate is invalid, or there would be too many rows.
/// For a table of keys, fails when the recording contains what its own layout cannot represent.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::{WriteOptions, tables};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(1e9, &Pose::IDENTITY);
/// // Sixty billion rows.
/// assert!(tables::check(&recording, &WriteOptions::default()).is_err());
/// ```
pub fn check(recording: &Recording<'_>, options: &WriteOptions) -> Result<(), Error> {
    match options.shape {
        TableShape::Wide | TableShape::Tidy => {
            instants::instants(recording, options)?;
        }
        TableShape::Keys => keys_out::refuse_losses(recording)?,
    }
    Ok(())
}

/// Returns the columns of a recording in a wide or tidy table. There is a column of markers if `markers` is true (see
/// [`WriteOptions::markers`]), the format is text, and the recording has markers.
pub fn columns(format: Format, recording: &Recording<'_>, markers: bool) -> Columns {
    Columns {
        marker: markers && format.is_text() && !recording.markers.is_empty(),
        ..Columns::of(recording)
    }
}

/// Reads a recording from a wide table or a table of keys. `format` is CSV, TSV, NDJSON, Arrow or Parquet.
pub(crate) fn read(
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    check_limit(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    match format {
        #[cfg(feature = "arrow")]
        Format::Arrow => arrow::read(bytes, &limit_unpacked(options, bytes)),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(bytes, &limit_unpacked(options, bytes)),
        _ => read_text(format, bytes, options)
            .map_err(|error| skippable(error, format, bytes, options)),
    }
}

/// Reads a recording from a table as text.
fn read_text(
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    match format {
        Format::Ndjson => json::read(bytes, options),
        Format::Tsv => csv::read(bytes, TextFormat::Tsv, options),
        _ => csv::read(bytes, TextFormat::Csv, options),
    }
}

/// Adds the remedy [`SkipBad`](Remedy::SkipBad) to an error without a remedy if a recording is left when bad rows are skipped.
///
/// The table is read again, because only this shows whether other rows contain a recording, and whether the option has an effect
/// for a table of this kind.
fn skippable(error: Error, format: Format, bytes: &[u8], options: &ReadOptions) -> Error {
    let Error::Format(error) = error else {
        return error;
    };
    if options.skip_bad {
        return error.into();
    }
    let mut lenient = options.clone();
    lenient.skip_bad = true;
    match read_text(format, bytes, &lenient) {
        Ok((recording, _)) if has_content(&recording) => error.or_remedy(Remedy::SkipBad).into(),
        _ => error.into(),
    }
}

fn has_content(recording: &Recording<'_>) -> bool {
    !recording.markers.is_empty() || recording.curves().any(|(_, curve)| !curve.is_empty())
}

/// Returns the options with a limit of bytes that also bounds the unpacked size of the file with the content `bytes`.
#[cfg(feature = "arrow")]
fn limit_unpacked(options: &ReadOptions, bytes: &[u8]) -> ReadOptions {
    let mut options = options.clone();
    let limit = crate::shared::limits::unpacked_limit(bytes.len() as u64, &options.limits);
    options.limits.max_bytes = options.limits.max_bytes.min(limit);
    options
}

/// Fails if one of the options in `fields` is given, because it would have no effect. `table` describes the table for
/// the error.
fn refuse(
    options: &ReadOptions,
    fields: &[ReadField],
    table: &'static str,
) -> Result<(), TableError> {
    let is_given = |field: &&ReadField| match field {
        ReadField::Recording => options.recording.is_some(),
        ReadField::Mappings => !options.mappings.is_empty(),
        ReadField::IgnoreUnknown => options.ignore_unknown,
        ReadField::Space => options.space.is_some(),
        ReadField::FromZero => options.from_zero,
        ReadField::SkipBad => options.skip_bad,
        ReadField::Pauses => options.pauses != inputanim::Pauses::Usual,
        ReadField::MinConfidence => options.min_confidence.is_some(),
        _ => false,
    };
    match fields.iter().find(is_given) {
        Some(&option) => Err(TableError::NoEffect { option, table }),
        None => Ok(()),
    }
}

/// Fails if an option is given that has an effect only for wide tables: mappings, axes, times from zero, or pauses.
fn refuse_for_keys(options: &ReadOptions) -> Result<(), TableError> {
    use ReadField::{FromZero, Mappings, MinConfidence, Pauses, Space};
    let fields = [Mappings, Space, FromZero, Pauses, MinConfidence];
    refuse(options, &fields, "a table of keys")
}

/// Returns `true` if unknown columns are ignored. An option requests this, or mappings imply it.
fn ignores_unknown(options: &ReadOptions) -> bool {
    options.ignore_unknown || !options.mappings.is_empty()
}

/// Returns the options for reading the rows of a wide text table.
fn frame_options(options: &ReadOptions) -> FrameOptions {
    FrameOptions {
        ignore_unknown: ignores_unknown(options),
        from_zero: options.from_zero,
        mappings: options.mappings.clone(),
        recording: options.recording.clone(),
        min_confidence: options.min_confidence,
        space: options.space.unwrap_or_default(),
        ..FrameOptions::default()
    }
}
