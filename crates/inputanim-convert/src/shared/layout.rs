//! Layouts, for the formats that have them.

use std::borrow::Cow;

use inputanim::{Flags, Layout, LayoutLoss, Recording, edit};

use super::{Error, Loss, LossKind, NoteKind, Report, WriteOptions};

/// Returns the losses and notes of writing a recording in another layout.
///
/// # Errors
/// Fails if recorded data would be lost and `allow_loss` is `false`, or if the layout differs from the recording's own
/// and the recording contains a rotation whose w was not saved.
pub(crate) fn check_layout(
    recording: &Recording<'_>,
    layout: Layout,
    allow_loss: bool,
) -> Result<Report, Error> {
    // The damage cannot be recognised and repaired after the layout has changed.
    if layout != recording.layout {
        edit::refuse_lost_w(recording)?;
    }
    let mut report = Report::default();
    let mut losses = recording.layout_losses(layout);
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

/// Returns an empty recording with the streams that the flag bytes of a file enable: the head, the hands and the gaze.
/// A byte enables its stream unless it is 0. `None` enables the head and the hands, as in files without flags
/// (docs/format.md, section 3.1).
pub(crate) fn with_streams(layout: Layout, bytes: Option<[u8; 3]>) -> Recording<'static> {
    let bytes = bytes.unwrap_or([1, 1, 0]);
    let [head, hand, gaze] = bytes.map(|byte| byte != 0);
    let mut recording = Recording::with_streams(layout, Flags { head, hand, gaze });
    // Every byte except 0 means on. The byte itself is kept, so that the file can be written again unchanged
    // (docs/format.md, section 1.3).
    recording.keep_flag_bytes(bytes);
    recording
}

/// Returns the recording in the layout of the options, or in its own layout if they state none, with the losses and
/// notes of this change.
///
/// # Errors
/// Fails if there are losses that the options do not allow, or if the layout changes and the recording contains a
/// rotation whose w was not saved.
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
    let converted = recording.clone().with_layout(layout);
    Ok((Cow::Owned(converted), report))
}
