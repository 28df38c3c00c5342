//! XROR.

use inputanim::Recording;

use crate::{Error, Format, ReadOptions, Report};

/// Content that is not XROR.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XrorError {}

pub(crate) fn read(
    _bytes: &[u8],
    _options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    Err(Error::NotInBuild(Format::Xror))
}
