//! Formats of robots and of the training of robots.

#[cfg(feature = "egodex")]
pub mod egodex;
#[cfg(feature = "isaac")]
pub mod isaac;
#[cfg(feature = "mcap-plain")]
pub mod mcap;
#[cfg(any(feature = "isaac", feature = "mcap-plain"))]
pub(crate) mod mcap_file;

use std::io::Write;

use inputanim::Recording;

use crate::shared::{Error, Format, ReadOptions, Report, WriteOptions};

/// Writes a recording to `output` in one of the formats of robotics, and returns the losses and notes. Fails if the
/// build does not include the format.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    match format {
        #[cfg(feature = "isaac")]
        Format::Isaac => isaac::write(recording, options, output),
        #[cfg(feature = "mcap-plain")]
        Format::Mcap => mcap::write(recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording from the bytes of a file in one of the formats of robotics, and returns it with the losses and
/// notes. Fails if the build does not include the format.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    match format {
        #[cfg(feature = "egodex")]
        Format::EgoDex => egodex::read(bytes, options),
        #[cfg(feature = "isaac")]
        Format::Isaac => isaac::read(bytes, options),
        #[cfg(feature = "mcap-plain")]
        Format::Mcap => mcap::read(bytes, options),
        _ => Err(Error::NotInBuild(format)),
    }
}
