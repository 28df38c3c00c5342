//! Formats of laboratories and studies.

#[cfg(feature = "webvtt")]
pub mod webvtt;
#[cfg(feature = "xdf")]
pub mod xdf;
#[cfg(feature = "xror")]
pub mod xror;

use std::io::Write;

use inputanim::Recording;

use crate::shared::{Error, Format, ReadOptions, Report, WriteOptions};

/// Writes a recording to `output` in one of the formats of laboratories, and returns the losses and notes. Fails if the
/// build does not include the format.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    match format {
        #[cfg(feature = "xdf")]
        Format::Xdf => xdf::write(recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording from the bytes of a file in one of the formats of laboratories, and returns it with the losses and
/// notes. Fails if the build does not include the format.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    match format {
        #[cfg(feature = "xdf")]
        Format::Xdf => xdf::read(bytes, options),
        #[cfg(feature = "xror")]
        Format::Xror => xror::read(bytes, options),
        _ => Err(Error::NotInBuild(format)),
    }
}
