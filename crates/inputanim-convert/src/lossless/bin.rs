//! MRTK input animation files.

use std::io::Write;

use inputanim::Recording;

use crate::shared::layout::check_layout;
use crate::shared::{Error, ReadOptions, Report, WriteOptions};

/// Writes a recording as an MRTK input animation file in the layout of the options, or else its own layout. Fails if
/// the layout cannot represent content of the recording, unless the options allow the loss.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let layout = options.layout.unwrap_or(recording.layout);
    let report = check_layout(recording, layout, options.allow_loss)?;
    recording.write_lossy_as(output, layout)?;
    Ok(report)
}

/// Reads an MRTK input animation file. The keys are borrowed from `bytes` without copying them.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    // Every layout is kept bit for bit, so there is nothing to report (docs/format.md, section 3.2).
    let recording = Recording::parse_with(bytes, &options.limits)?;
    Ok((recording, Report::default()))
}
