//! Formats whose files are tables: recordings, frames, lists of markers, and datasets of tables.

#[cfg(feature = "tables")]
pub mod frames;
#[cfg(feature = "lerobot")]
pub mod lerobot;
#[cfg(feature = "tables")]
pub mod marker_events;
#[cfg(feature = "tables")]
pub mod markers_csv;
#[cfg(feature = "motion-bids")]
pub mod motion_bids;
#[cfg(feature = "tables")]
pub(crate) mod recording_filter;
#[cfg(feature = "tables")]
pub(crate) mod table_error;
#[cfg(feature = "tables")]
pub mod tables;
#[cfg(feature = "tables")]
pub(crate) mod text;

use std::io::Write;

use inputanim::Recording;

use crate::shared::{Error, Format, ReadOptions, Report, WriteOptions, utf16};

/// Writes a recording as a table: CSV, TSV, NDJSON, Arrow or Parquet. Fails for other formats, and for a format that is
/// not in the build.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    match format {
        #[cfg(feature = "tables")]
        Format::Csv | Format::Tsv | Format::Ndjson => {
            tables::write(format, recording, options, output)
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => tables::write(format, recording, options, output),
        #[cfg(feature = "parquet")]
        Format::Parquet => tables::write(format, recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording from a table: CSV, TSV, NDJSON, Arrow or Parquet. Fails for other formats, and for a format that
/// is not in the build.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    match format {
        #[cfg(feature = "tables")]
        Format::Csv | Format::Tsv | Format::Ndjson => {
            tables::read(format, &utf16::to_utf8(bytes), options)
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => tables::read(format, bytes, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => tables::read(format, bytes, options),
        _ => Err(Error::NotInBuild(format)),
    }
}
