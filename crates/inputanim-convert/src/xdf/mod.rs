//! XDF.

use inputanim::Recording;

use crate::{Error, Format, ReadOptions, Report, WriteOptions};

/// Content that is not XDF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XdfError {}

pub(crate) fn read(
    _bytes: &[u8],
    _options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    Err(Error::NotInBuild(Format::Xdf))
}

pub(crate) fn write(
    _recording: &Recording<'_>,
    _options: &WriteOptions,
    _output: impl std::io::Write,
) -> Result<Report, Error> {
    Err(Error::NotInBuild(Format::Xdf))
}
