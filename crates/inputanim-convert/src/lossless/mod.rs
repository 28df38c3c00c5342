//! Formats that hold every bit of a recording.

pub(crate) mod bin;
#[cfg(feature = "json")]
pub mod json;

use std::io::Write;

use inputanim::Recording;

use crate::shared::{Error, Format, ReadOptions, Report, WriteOptions, utf16};

/// Writes a recording as an MRTK file or as lossless JSON. Fails for any other format, and if the build lacks the
/// format.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    match format {
        Format::Bin => bin::write(recording, options, output),
        #[cfg(feature = "json")]
        Format::Json => json::write(recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording from an MRTK file or from lossless JSON. Fails for any other format, and if the build lacks the
/// format.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    match format {
        Format::Bin => bin::read(bytes, options),
        #[cfg(feature = "json")]
        Format::Json => json::read(&utf16::to_utf8(bytes), options),
        _ => Err(Error::NotInBuild(format)),
    }
}
