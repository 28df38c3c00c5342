//! Isaac Capture.

use inputanim::Recording;

use crate::{Error, Format, ReadOptions, Report, WriteOptions};

/// Content that is not Isaac Capture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsaacError {}

pub(crate) fn read(
    _bytes: &[u8],
    _options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    Err(Error::NotInBuild(Format::Isaac))
}

pub(crate) fn write(
    _recording: &Recording<'_>,
    _options: &WriteOptions,
    _output: impl std::io::Write,
) -> Result<Report, Error> {
    Err(Error::NotInBuild(Format::Isaac))
}
