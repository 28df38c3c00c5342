//! MRTK input animation files, and layouts for the formats that have them.

use std::borrow::Cow;
use std::io::Write;

use inputanim::{Layout, LayoutLoss, Recording, edit};

use crate::{Error, Loss, LossKind, NoteKind, ReadOptions, Report, WriteOptions};

/// Writes a recording as an input animation file.
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

/// Returns what a layout cannot represent.
///
/// # Errors
/// Fails when recorded data would be lost, unless `allow_loss` is set, and when the layout changes and the w of a
/// rotation was not saved.
fn check_layout(
    recording: &Recording<'_>,
    layout: Layout,
    allow_loss: bool,
) -> Result<Report, Error> {
    // The damage cannot be recognised and repaired after the layout has changed.
    if layout != recording.layout {
        edit::refuse_lost_w(recording)?;
    }
    let mut report = Report::default();
    let mut losses = recording.losses(layout);
    // Version 1.0 has no flag for an absent stream. Empty curves lose no recorded data, so this is a note.
    losses.retain(|loss| {
        let absent = match loss {
            LayoutLoss::MissingHead => "head",
            LayoutLoss::MissingHands => "hands",
            _ => return true,
        };
        let message =
            format!("the recording has no {absent}; {layout} stores empty curves instead");
        report.note(NoteKind::NotInFormat, message);
        false
    });
    if !losses.is_empty() && !allow_loss {
        return Err(inputanim::WriteError::Lossy { layout, losses }.into());
    }
    let losses = losses.iter().map(ToString::to_string);
    report.losses = losses
        .map(|loss| Loss::new(LossKind::Layout, 1, loss))
        .collect();
    Ok(report)
}

/// Reads an input animation file without copying its keys.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    // Every layout is kept bit for bit, so there is nothing to report (docs/format.md, section 3.2).
    let recording = Recording::parse_with(bytes, &options.limits)?;
    Ok((recording, Report::default()))
}

/// Returns the recording in the layout of the options, with the losses that this causes.
///
/// # Errors
/// Fails when there are losses that the options do not allow.
#[cfg(any(feature = "json", feature = "gltf"))]
pub(crate) fn in_layout<'r, 'a>(
    recording: &'r Recording<'a>,
    options: &WriteOptions,
) -> Result<(Cow<'r, Recording<'a>>, Report), Error> {
    let layout = options.layout.unwrap_or(recording.layout);
    let report = check_layout(recording, layout, options.allow_loss)?;
    // The usual case borrows the recording: a copy of its keys would double the memory.
    let is_complete = report.losses.is_empty() && report.notes.is_empty();
    if is_complete && layout == recording.layout {
        return Ok((Cow::Borrowed(recording), report));
    }
    let converted = recording.clone().into_layout(layout);
    Ok((Cow::Owned(converted), report))
}
